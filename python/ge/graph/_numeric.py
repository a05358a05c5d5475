"""Numbers as the bits of IEEE half-precision floats."""

from __future__ import annotations

from typing import Iterable, List

from ge.passes.runtime import ensure_native_module

__all__ = ["float_list_to_fp16_bits", "float_to_fp16_bits"]


def float_to_fp16_bits(value: float) -> int:
    """The bits of the half nearest to a number, ties to even; infinity beyond the range, zero below it."""
    bits: int = ensure_native_module().float_to_fp16_bits(float(value))
    return bits


def float_list_to_fp16_bits(values: Iterable[float]) -> List[int]:
    """`float_to_fp16_bits` of each number."""
    return [float_to_fp16_bits(value) for value in values]
