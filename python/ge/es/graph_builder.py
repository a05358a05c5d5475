"""`GraphBuilder`, the kinds of inputs, and scopes that apply to every node made inside them."""

from __future__ import annotations

import contextlib
from enum import Enum
from typing import TYPE_CHECKING, Any, Dict, Iterator, List

from ge.es.tensor_holder import TensorHolder
from ge.graph import DataType, Format, Graph
from ge.passes.runtime import ensure_native_module

__all__ = [
    "DataType",
    "Format",
    "Graph",
    "GraphBuilder",
    "InputType",
    "TensorHolder",
    "attr_scope",
    "control_dependency_scope",
]

_native = ensure_native_module()

if TYPE_CHECKING:
    from ge.passes._ge_pass_native import GraphBuilder
else:
    GraphBuilder = _native.GraphBuilder


class InputType(Enum):
    """Node type of a graph input."""

    DATA = "Data"
    REF_DATA = "RefData"
    AIPP_DATA = "AippData"
    ANY_DATA = "AnyData"


@contextlib.contextmanager
def attr_scope(attr_maps: Dict[str, Any]) -> Iterator[None]:
    """Sets these attributes on every node that this thread makes in the body.

    Scopes may be nested; the inner value of a name wins.

    Args:
        attr_maps: values by attribute name.

    Raises:
        TypeError: `attr_maps` is no dict.
        ValueError: from the call that makes a node, for a value that no attribute can have.
    """
    if not isinstance(attr_maps, dict):
        raise TypeError(f"attr_maps must be a dict, found '{type(attr_maps).__name__}'")
    _native.push_attr_scope(dict(attr_maps))
    try:
        yield
    finally:
        _native.pop_attr_scope()


@contextlib.contextmanager
def control_dependency_scope(tensors: List[TensorHolder]) -> Iterator[None]:
    """Makes every node that this thread makes in the body wait for these tensors.

    Scopes may be nested; the control edges of the outer one come first.

    Args:
        tensors: tensors of the builder that is used in the body.

    Raises:
        TypeError: `tensors` is no list of TensorHolder objects.
    """
    if not isinstance(tensors, list):
        raise TypeError(f"tensors must be a list, found '{type(tensors).__name__}'")
    for tensor in tensors:
        if not isinstance(tensor, TensorHolder):
            raise TypeError(f"tensors must be TensorHolder objects, found '{type(tensor).__name__}'")
    _native.push_dependency_scope(list(tensors))
    try:
        yield
    finally:
        _native.pop_dependency_scope()
