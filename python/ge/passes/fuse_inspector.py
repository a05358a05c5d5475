"""Whether nodes may be fused, and records of what was."""

from __future__ import annotations

from typing import Any, Iterable, List

from ge.graph import Node
from ge.passes import _native
from ge.passes._native import PassContext
from ge.passes._values import FuseCheckResult

__all__ = ["FuseCheckResult", "can_fuse", "report_fuse"]


def _nodes(values: Any, argument: str) -> List[Node]:
    try:
        nodes = list(values)
    except TypeError:
        raise TypeError(
            f"{argument} must be an iterable of ge.graph.Node, got '{type(values).__name__}'"
        ) from None
    for node in nodes:
        if not isinstance(node, Node):
            raise TypeError(
                f"{argument} must be an iterable of ge.graph.Node, got '{type(node).__name__}' in it"
            )
    return nodes


def can_fuse(nodes: Iterable[Node]) -> FuseCheckResult:
    """Whether these nodes may become one.

    Returns:
        `ok`, or `reason`: no nodes, different graphs, attributes that conflict, a cycle.

    Raises:
        TypeError: an element is no Node.
        RuntimeError: a node has expired.
    """
    ok, reason = _native.native_can_fuse(_nodes(nodes, "nodes"))
    return FuseCheckResult(ok, reason)


def report_fuse(nodes_before: Iterable[Node], nodes_after: Iterable[Node], context: PassContext) -> None:
    """Records on `nodes_after` which nodes they came from.

    Raises:
        TypeError: an element is no Node, or the context no PassContext.
        RuntimeError: it could not be recorded; the context's error message says why.
    """
    before = _nodes(nodes_before, "nodes_before")
    after = _nodes(nodes_after, "nodes_after")
    if not isinstance(context, PassContext):
        raise TypeError(f"report_fuse needs a PassContext as context, got '{type(context).__name__}'")
    _native.native_report_fuse(before, after, context)
