"""Kinds of inputs, outputs and attributes, with the numbers and words of the bridge."""

from __future__ import annotations

from enum import IntEnum

__all__ = ["AttrType", "InputType", "OutputType"]


class InputType(IntEnum):
    """How many tensors an input stands for: one, one or none, any number."""

    REQUIRED = 0
    OPTIONAL = 1
    DYNAMIC = 2


class OutputType(IntEnum):
    """How many tensors an output stands for: one, any number."""

    REQUIRED = 0
    DYNAMIC = 1


class AttrType:
    """Types of attributes, as the IR names them."""

    INT = "VT_INT"
    FLOAT = "VT_FLOAT"
    BOOL = "VT_BOOL"
    STRING = "VT_STRING"
    DATA_TYPE = "VT_DATA_TYPE"
    TENSOR = "VT_TENSOR"
    LIST_INT = "VT_LIST_INT"
    LIST_FLOAT = "VT_LIST_FLOAT"
    LIST_BOOL = "VT_LIST_BOOL"
    LIST_STRING = "VT_LIST_STRING"
    LIST_DATA_TYPE = "VT_LIST_DATA_TYPE"
    LIST_LIST_INT = "VT_LIST_LIST_INT"
