"""`_AttrValue`, one attribute value with its kind."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ge.graph.types import AttrValueType
from ge.passes.runtime import ensure_native_module

__all__ = ["AttrValueType"]

if TYPE_CHECKING:
    from ge.passes._ge_pass_native import _AttrValue as _AttrValue
else:
    _AttrValue = ensure_native_module()._AttrValue
