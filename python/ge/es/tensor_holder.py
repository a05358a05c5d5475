"""`TensorHolder`, one output of a node under construction."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ge.passes.runtime import ensure_native_module

__all__ = ["TensorHolder"]

if TYPE_CHECKING:
    from ge.passes._ge_pass_native import TensorHolder
else:
    TensorHolder = ensure_native_module().TensorHolder
