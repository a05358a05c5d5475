"""Building graphs by calling operators.

`GraphBuilder` makes inputs and constants, the functions of `ge.es.math`, `ge.es.nn`, `ge.es.cv`, `ge.es.transformer`
and `ge.es.all` make operators:

    >>> from ge.es import GraphBuilder
    >>> from ge.es.all import Add, Relu
    >>> builder = GraphBuilder("g")
    >>> x = builder.create_input(0, shape=[2, 3])
    >>> graph = builder.build_and_reset([Relu(Add(x, 1.0))])
"""

from __future__ import annotations

import importlib
from types import ModuleType
from typing import List

from ge.es.graph_builder import GraphBuilder
from ge.es.tensor_holder import TensorHolder

_GROUPS = ("all", "cv", "math", "nn", "transformer")

__all__ = ["GraphBuilder", "TensorHolder", "all", "cv", "math", "nn", "transformer"]


def __getattr__(name: str) -> ModuleType:
    # The operator modules come with the first look at them.
    if name in _GROUPS:
        return importlib.import_module(f"ge.es.{name}")
    raise AttributeError(f"module 'ge.es' has no attribute '{name}'")


def __dir__() -> List[str]:
    return sorted({*globals(), *__all__})
