"""Small value types of the pass interface."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ge.graph import Node

__all__ = ["FuseCheckResult", "NodeIo"]


@dataclass(frozen=True)
class NodeIo:
    """One output of a node.

    Attributes:
        node: the producer.
        index: which of its outputs.
    """

    node: Node
    index: int = 0


@dataclass(frozen=True)
class FuseCheckResult:
    """Answer of `can_fuse`.

    Attributes:
        ok: whether the nodes may become one.
        reason: why not; empty when they may.
    """

    ok: bool
    reason: str = ""
