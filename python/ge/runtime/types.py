"""Enumerations of the runtime, with GE's numbers."""

from __future__ import annotations

from enum import IntEnum

__all__ = ["TensorPlacement"]


class TensorPlacement(IntEnum):
    """Where the bytes of a tensor lie."""

    ON_DEVICE_HBM = 0
    ON_HOST = 1
    FOLLOWING = 2
    ON_DEVICE_P2P = 3
    END = 4
