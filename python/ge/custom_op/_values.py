"""Default values of attributes: kept as tuples, given out as lists, compared exactly."""

from __future__ import annotations

import math
from typing import Any

__all__ = ["frozen", "same", "thawed"]


def frozen(value: Any) -> Any:
    """Lists become tuples, at every depth."""
    return tuple(frozen(item) for item in value) if isinstance(value, (list, tuple)) else value


def thawed(value: Any) -> Any:
    """Tuples become new lists, at every depth."""
    return [thawed(item) for item in value] if isinstance(value, tuple) else value


def same(first: Any, second: Any) -> bool:
    """Equal in type and value; a NaN is equal to a NaN."""
    if type(first) is not type(second):
        return False
    if isinstance(first, tuple):
        return len(first) == len(second) and all(map(same, first, second))
    if isinstance(first, float) and math.isnan(first):
        return math.isnan(second)
    return bool(first == second)
