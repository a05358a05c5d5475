"""Shapes and descriptions of tensors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, List, Optional

from ge.passes.runtime import ensure_native_module

__all__ = ["UNKNOWN_DIM", "UNKNOWN_DIM_NUM", "UNKNOWN_DIM_SIZE", "Shape", "TensorDesc"]

UNKNOWN_DIM = -1
"""A dimension of any size."""
UNKNOWN_DIM_NUM = -2
"""The only entry of a shape of which not even the number of dimensions is known."""
UNKNOWN_DIM_SIZE = -1
"""What `Shape.get_shape_size` gives for a shape that is not known."""

if TYPE_CHECKING:
    from ge.passes._ge_pass_native import TensorDesc
else:
    TensorDesc = ensure_native_module().TensorDesc


class Shape(list[int]):
    """A list of dimensions; empty for a scalar.

    Args:
        dims: sizes, UNKNOWN_DIM, or UNKNOWN_DIM_NUM alone; copied.

    Raises:
        TypeError: `dims` is no list of integers.
    """

    # Shapes are read often, and a list without a dictionary is made in half the time.
    __slots__ = ()

    def __init__(self, dims: Optional[List[int]] = None) -> None:
        values: Any = [] if dims is None else dims
        if not isinstance(values, list) or not all(isinstance(d, int) for d in values):
            raise TypeError("dims must be a list of integers")
        super().__init__(values)

    def get_shape_size(self) -> int:
        """Product of the dimensions; -1 if one is unknown, 0 for a scalar."""
        if not self:
            return 0
        size = 1
        for dim in self:
            if dim in (UNKNOWN_DIM, UNKNOWN_DIM_NUM):
                return UNKNOWN_DIM_SIZE
            size *= dim
        return size

    def is_unknown_shape(self) -> bool:
        """Whether a dimension is unknown."""
        return any(dim in (UNKNOWN_DIM, UNKNOWN_DIM_NUM) for dim in self)
