"""Numbers and nested lists where tensors are expected."""

from __future__ import annotations

from typing import Any, List, Optional, Sequence, Tuple, Union

from ge.es.graph_builder import GraphBuilder
from ge.es.tensor_holder import TensorHolder

__all__ = ["TensorLike", "convert_to_tensor_holder", "resolve_builder"]

TensorLike = Union[int, float, List[Any]]


def _flatten_and_infer_shape(values: List[Any]) -> Tuple[List[Union[int, float]], List[int]]:
    """Leaves of nested lists in row-major order, and their shape.

    Raises:
        ValueError: the lists are not all of one shape.
        TypeError: a leaf is no number, or an inner list is empty.
    """
    if not values:
        return [], [0]
    flat: List[Union[int, float]] = []
    shape: List[int] = []

    def walk(value: Any, depth: int) -> None:
        irregular = ValueError("Irregular nested list: all sub-lists must have the same shape")
        if not isinstance(value, list):
            if not isinstance(value, (int, float)):
                raise TypeError(
                    f"Value must be int/float or nested lists of int|float, found '{type(value).__name__}'"
                )
            if depth != len(shape):
                raise irregular
            flat.append(value)
            return
        if not value:
            raise TypeError("Value must be int/float or nested lists of int|float, found an empty inner list")
        if depth == len(shape):
            if flat:
                raise irregular
            shape.append(len(value))
        elif shape[depth] != len(value):
            raise irregular
        for item in value:
            walk(item, depth + 1)

    walk(values, 0)
    return flat, shape


def _unflatten(flat: Sequence[Any], shape: Optional[Sequence[int]]) -> List[Any]:
    """Nested lists of that shape.

    Raises:
        ValueError: the shape is empty, or the count differs from its size.
    """
    if not shape:
        raise ValueError("Shape cannot be empty")
    size = 1
    for dim in shape:
        size *= dim
    if len(flat) != size:
        raise ValueError(f"Length of list {len(flat)} does not match shape {size}")
    if len(shape) == 1:
        return list(flat)
    step = len(flat) // shape[0] if shape[0] else 0
    return [_unflatten(flat[i * step : (i + 1) * step], shape[1:]) for i in range(shape[0])]


def convert_to_tensor_holder(
    value: Union[TensorHolder, TensorLike, None], owner_builder: GraphBuilder
) -> Optional[TensorHolder]:
    """`value` as a tensor: a number or nested list becomes a constant of `owner_builder`, None stays None.

    Raises:
        ValueError: nested lists that are not all of one shape.
        TypeError: anything else that is no number.
    """
    if value is None or isinstance(value, TensorHolder):
        return value
    holder: TensorHolder = owner_builder._constant(value)
    return holder


def resolve_builder(*values: Any) -> GraphBuilder:
    """The builder among `values`, or that of the first tensor among them.

    Raises:
        ValueError: there is neither.
    """
    for value in values:
        if isinstance(value, GraphBuilder):
            return value
        if isinstance(value, TensorHolder):
            builder: GraphBuilder = value.get_owner_builder()
            return builder
    raise ValueError(
        "Please ensure at least one input tensor or an explicit owner_builder is provided when supported"
    )
