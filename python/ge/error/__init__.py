"""Exceptions of the compiler.

Functions that compile, read or write files raise these. What `ge.graph` and `ge.es` refuse about a single argument or
node comes as TypeError, ValueError or RuntimeError.
"""

from __future__ import annotations

__all__ = ["GeError", "GraphError", "OnnxError", "OnnxFileNotFoundError", "PassError", "PatternError"]


class GeError(RuntimeError):
    """Base of all of them.

    Attributes:
        code: the compiler's own code of the error ("E10016", ...); empty if it has none.
    """

    code: str = ""


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
