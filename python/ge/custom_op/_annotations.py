"""Annotations of prototypes and implementations: what they mean, whichever way they are spelled."""

from __future__ import annotations

import inspect
import sys
from types import FunctionType
from typing import Any, Callable, Dict, List, Mapping, Optional, Union, get_args, get_origin, get_type_hints

from ge.custom_op._ir_types import AttrType
from ge.graph.types import DataType
from ge.runtime import Tensor

__all__ = ["ATTR_ANNOTATIONS", "attr_type_of", "canonical", "resolve", "show", "signature_of"]

_NONE = type(None)
_UNIONS = (Union,) if sys.version_info < (3, 10) else (Union, type(int | None))

ATTR_ANNOTATIONS: Mapping[str, Any] = {
    AttrType.INT: int,
    AttrType.FLOAT: float,
    AttrType.BOOL: bool,
    AttrType.STRING: str,
    AttrType.DATA_TYPE: DataType,
    AttrType.TENSOR: Tensor,
    AttrType.LIST_INT: List[int],
    AttrType.LIST_FLOAT: List[float],
    AttrType.LIST_BOOL: List[bool],
    AttrType.LIST_STRING: List[str],
    AttrType.LIST_DATA_TYPE: List[DataType],
    AttrType.LIST_LIST_INT: List[List[int]],
}


def canonical(annotation: Any) -> Any:
    """The typing form of `list[...]` and of `... | None`, equal for equal meanings; others as they are."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is list and len(arguments) == 1:
        return List[canonical(arguments[0])]  # type: ignore[misc]
    if origin in _UNIONS and len(arguments) == 2 and _NONE in arguments:
        return Optional[canonical(next(a for a in arguments if a is not _NONE))]
    return annotation


def attr_type_of(annotation: Any) -> Optional[str]:
    """The AttrType that an annotation stands for, or None."""
    wanted = canonical(annotation)
    return next((kind for kind, known in ATTR_ANNOTATIONS.items() if wanted == known), None)


def resolve(function: FunctionType, skip_return: bool = False) -> Dict[str, Any]:
    """The annotations of a function, with those given as text evaluated.

    Args:
        skip_return: leave out the return annotation, which then need not make sense.

    Raises:
        Exception: what the evaluation raised, as a rule NameError or TypeError.
    """
    if getattr(function, "__no_type_check__", False):
        return {}
    written = _written(function)
    # A function of its own: get_type_hints evaluates all that its argument holds, and Python before 3.11 makes Optional
    # of the annotation of a parameter with the default None.
    holder = FunctionType((lambda: None).__code__, getattr(inspect.unwrap(function), "__globals__", {}))
    holder.__annotations__ = {n: value for n, value in written.items() if not skip_return or n != "return"}
    return get_type_hints(holder)


def signature_of(function: Callable[..., Any]) -> inspect.Signature:
    """The parameters of a function, whether or not its annotations make sense.

    Raises:
        TypeError, ValueError: it does not tell.
    """
    if sys.version_info >= (3, 14):
        import annotationlib

        return inspect.signature(function, annotation_format=annotationlib.Format.FORWARDREF)
    else:
        return inspect.signature(function)


def _written(function: FunctionType) -> Mapping[str, Any]:
    if sys.version_info >= (3, 14):
        # Evaluated here for the first time; a name that is not there yet must not spoil the others.
        import annotationlib

        return annotationlib.get_annotations(function, format=annotationlib.Format.FORWARDREF)
    else:
        return function.__annotations__


def show(annotation: Any) -> str:
    """How messages write an annotation."""
    origin, arguments = get_origin(canonical(annotation)), get_args(canonical(annotation))
    if origin is list and arguments:
        return f"List[{show(arguments[0])}]"
    if origin is Union and len(arguments) == 2 and arguments[1] is _NONE:
        return f"Optional[{show(arguments[0])}]"
    if annotation is _NONE:
        return "None"
    return annotation.__name__ if isinstance(annotation, type) else str(annotation)
