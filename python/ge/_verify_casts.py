"""Comparing outputs that were cast on purpose, and inputs that a model takes as half floats."""

from __future__ import annotations

import math
from typing import Any, Dict, Iterable, Mapping, Tuple

import numpy as np

__all__ = ["distance_after_cast", "rounded_inputs", "with_types"]


def rounded_inputs(values: Mapping[str, Any], halves: Iterable[str]) -> Dict[str, Any]:
    """The same inputs, those in `halves` rounded to what a half float can hold."""
    names = set(halves)
    return {k: v.astype(np.float16).astype(v.dtype) if k in names else v for k, v in values.items()}


def with_types(values: Mapping[str, Any], halves: Iterable[str]) -> Dict[str, Any]:
    """The inputs as the compiled model takes them."""
    names = set(halves)
    return {k: v.astype(np.float16) if k in names else v for k, v in values.items()}


def distance_after_cast(a: Any, b: Any) -> Tuple[float, float, str]:
    """How far `b` is from `a` beyond what the cast to `b`'s type explains.

    Args:
        a: values of the original model.
        b: values of the same output after a cast to another type.

    Returns:
        The largest distance, the largest magnitude of `a`, and a note about the types.
    """
    note = f"{a.dtype} compared with {b.dtype}"
    if a.shape != b.shape:
        return math.inf, math.inf, f"was {a.dtype}{list(a.shape)}, became {b.dtype}{list(b.shape)}"
    wide, narrow = a.astype(np.float64), b.astype(np.float64)
    if b.dtype.kind in "iu":
        # A cast cuts the fraction off; what does not fit has no defined value.
        limits = np.iinfo(b.dtype)
        step = np.ones_like(wide)
        counted = (wide > limits.min - 1) & (wide < limits.max + 1)
    elif b.dtype.kind == "f":
        step = np.spacing(np.abs(b)).astype(np.float64) / 2
        counted = np.abs(wide) <= float(np.finfo(b.dtype).max)
        broken = counted & ~np.isfinite(narrow)
        if bool(broken.any()):
            return math.inf, math.inf, f"{note}; {int(broken.sum())} values became NaN or infinite"
    else:
        step = np.zeros_like(wide)
        counted = np.ones(wide.shape, dtype=bool)
    distance = np.maximum(np.abs(wide - narrow) - step, 0.0)[counted]
    magnitude = np.abs(wide[counted])
    return float(distance.max(initial=0.0)), float(magnitude.max(initial=0.0)), note
