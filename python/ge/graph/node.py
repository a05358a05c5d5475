"""`Node`, a handle onto one node of a graph."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ge.passes.runtime import ensure_native_module

__all__ = ["Node"]

if TYPE_CHECKING:
    from ge.passes._ge_pass_native import Node
else:
    Node = ensure_native_module().Node
