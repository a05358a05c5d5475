"""`Tensor`, a value with shape and element type."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, List, Optional, Sequence, Union

from ge.passes.runtime import ensure_native_module

__all__ = ["Tensor", "unflatten_tensor_data"]

if TYPE_CHECKING:
    from ge.passes._ge_pass_native import Tensor
else:
    Tensor = ensure_native_module().Tensor

Number = Union[int, float]


def _parse_str_list(list_str: str) -> List[Number]:
    """The numbers of a text like "[1, 2.5, -3]".

    Raises:
        ValueError: no brackets, or an item that is no number.
    """
    text = list_str.strip()
    if not (text.startswith("[") and text.endswith("]")):
        raise ValueError(f"a list of numbers must stand in brackets, found '{list_str}'")
    inner = text[1:-1].strip()
    if not inner:
        return []
    numbers: List[Number] = []
    for item in (part.strip() for part in inner.split(",")):
        digits = item[1:] if item.startswith("-") else item
        if digits.isdigit():
            numbers.append(int(item))
            continue
        try:
            numbers.append(float(item))
        except ValueError:
            raise ValueError(f"Invalid item: '{item}'") from None
    return numbers


def _nested(flat: Sequence[Any], shape: Sequence[int]) -> Any:
    if len(shape) == 1:
        return list(flat)
    step = len(flat) // shape[0] if shape[0] else 0
    return [_nested(flat[i * step : (i + 1) * step], shape[1:]) for i in range(shape[0])]


def unflatten_tensor_data(tensor_data: str, shape: Optional[Sequence[int]]) -> Any:
    """Elements given as text, nested as `shape` says; the bare element for an empty shape.

    Raises:
        ValueError: the text is no list of numbers, or their count is not that of the shape.
    """
    flat = _parse_str_list(tensor_data)
    size = 1
    for dim in shape or []:
        size *= dim
    if len(flat) != size:
        raise ValueError(f"Length of list {len(flat)} does not match shape {size}")
    return _nested(flat, shape) if shape else flat[0]
