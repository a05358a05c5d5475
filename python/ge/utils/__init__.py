"""Helpers around graphs."""

from __future__ import annotations

from ge.utils.ge_utils import GeUtils

__all__ = ["GeUtils"]
