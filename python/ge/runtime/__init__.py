"""Tensors and their descriptions as custom operators see them.

These are other classes than those of the same names in ge.graph, which describe a graph that is being built.
"""

from __future__ import annotations

from ge.custom_op._native import (
    ExpandDimsType,
    Shape,
    StorageFormat,
    StorageShape,
    Tensor,
    TensorDesc,
)
from ge.runtime.types import TensorPlacement

__all__ = [
    "ExpandDimsType",
    "Shape",
    "StorageFormat",
    "StorageShape",
    "Tensor",
    "TensorDesc",
    "TensorPlacement",
]
