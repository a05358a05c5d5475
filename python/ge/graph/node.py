"""`Node`, a handle onto one node of a graph."""

from __future__ import annotations

from ge.passes.runtime import ensure_native_module

__all__ = ["Node"]

Node = ensure_native_module().Node
