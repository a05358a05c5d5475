"""`_AttrValue`, one attribute value with its kind."""

from __future__ import annotations

from ge.graph.types import AttrValueType
from ge.passes.runtime import ensure_native_module

__all__ = ["AttrValueType"]

_AttrValue = ensure_native_module()._AttrValue
