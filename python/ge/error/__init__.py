"""Exceptions of the compiler.

Functions that compile, read or write files raise these. What `ge.graph` and `ge.es` refuse about a single argument or
node comes as TypeError, ValueError or RuntimeError.
"""

from __future__ import annotations

from typing import Any, Dict, Mapping, NoReturn, Optional

__all__ = [
    "CustomOpError",
    "GeError",
    "GraphError",
    "OnnxError",
    "OnnxFileNotFoundError",
    "PassError",
    "PatternError",
    "get_ge_error_msg",
    "raise_ge_error",
]


class GeError(RuntimeError):
    """Base of all of them.

    Args:
        message: the whole text.
        error_message: what the compiler itself said.
        api_name: the function that failed ("RunGraph").
        context: what it was called with, as far as it tells calls apart ({"graph_id": 7}).

    Attributes:
        error_message, api_name, context: as given; `context` is {} without one.
        code: the compiler's own code of the error ("E10016", ...); empty if it has none.
    """

    code: str = ""

    def __init__(
        self,
        message: object = "",
        error_message: Optional[str] = None,
        api_name: Optional[str] = None,
        context: Optional[Mapping[str, Any]] = None,
    ) -> None:
        super().__init__(message)
        self.error_message = error_message
        self.api_name = api_name
        self.context: Dict[str, Any] = dict(context or {})


def get_ge_error_msg() -> str:
    """The last error of the compiler on this thread; empty if there was none."""
    from ge.passes.runtime import ensure_native_module

    message: str = ensure_native_module().last_error_message()
    return message


def raise_ge_error(api_name: str, status: Optional[int] = None, **context: Any) -> NoReturn:
    """Raises the GeError of a call that failed.

    Args:
        api_name: the function that failed.
        status: what it returned; not shown.
        context: what it was called with.

    Raises:
        GeError: "<api_name> failed", the context and the last error of the compiler, joined by "; ".
    """
    message = get_ge_error_msg()
    parts = [f"{api_name} failed"]
    if context:
        parts.append(", ".join(f"{key}={value}" for key, value in context.items()))
    if message:
        parts.append(message)
    raise GeError("; ".join(parts), error_message=message, api_name=api_name, context=context)


class GraphError(GeError):
    """A graph is not what it must be: a cycle, a missing edge, shapes that contradict."""


class PatternError(GeError):
    """A pattern cannot be searched for."""


class PassError(GeError):
    """A pass failed."""


class OnnxError(GeError, ValueError):
    """An ONNX file could not be read or written."""


class OnnxFileNotFoundError(OnnxError, FileNotFoundError):
    """There is no such ONNX file."""


class CustomOpError(GeError):
    """A custom operator cannot be loaded, inferred or executed."""
