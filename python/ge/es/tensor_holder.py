"""`TensorHolder`, one output of a node under construction."""

from __future__ import annotations

from ge.passes.runtime import ensure_native_module

__all__ = ["TensorHolder"]

TensorHolder = ensure_native_module().TensorHolder
