"""`Graph` and the forms it can be written in."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from ge.passes.runtime import ensure_native_module

__all__ = ["DumpFormat", "Graph"]

if TYPE_CHECKING:
    from ge.passes._ge_pass_native import Graph
else:
    Graph = ensure_native_module().Graph


class DumpFormat(Enum):
    """What a graph is written as."""

    kOnnx = 0
    kTxt = 1
    kReadable = 2
