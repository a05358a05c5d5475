"""Building graphs by calling operators.

`GraphBuilder` makes inputs and constants, the functions of `ge.es.math`, `ge.es.nn`, `ge.es.cv`, `ge.es.transformer`
and `ge.es.all` make operators, those of `ge.es.custom` the ones declared with `ge.custom_op.register_op`:

    >>> from ge.es import GraphBuilder
    >>> from ge.es.all import Add, Relu
    >>> builder = GraphBuilder("g")
    >>> x = builder.create_input(0, shape=[2, 3])
    >>> graph = builder.build_and_reset([Relu(Add(x, 1.0))])

Packages of further operators (`python -m ge.es.gen` makes them) are found by their entry points in the group
`ge.es.plugins` and are there as `ge.es.<name>`. They are loaded when one of them, or the list of them, is asked for.
"""

from __future__ import annotations

import importlib
import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any, Iterator, List, Optional

from ge._internal.unknown_name import unknown_name
from ge.es._plugin_import import PluginFinder, loaded_plugins
from ge.es.graph_builder import GraphBuilder
from ge.es.tensor_holder import TensorHolder

if TYPE_CHECKING:
    __all__ = [
        "GraphBuilder",
        "TensorHolder",
        "all",
        "custom",
        "cv",
        "get_plugin",
        "list_plugins",
        "math",
        "nn",
        "transformer",
    ]
    from ge.es import all, custom, cv, math, nn, transformer  # noqa: A004

_GROUPS = ("all", "custom", "cv", "math", "nn", "transformer")
_EXPORTED = ("GraphBuilder", "TensorHolder", "get_plugin", "list_plugins")


def list_plugins() -> List[str]:
    """Names of the operator modules: the groups that come with ge, then the packages found by entry points."""
    return [*_GROUPS, *(name for name in loaded_plugins() if name not in _GROUPS)]


def get_plugin(name: Optional[str]) -> Optional[ModuleType]:
    """The operator module of that name; None if there is none."""
    if name in _GROUPS:
        return importlib.import_module(f"ge.es.{name}")
    return None if name is None else loaded_plugins().get(name)


_finder: Any = PluginFinder
sys.meta_path.append(_finder)


def __getattr__(name: str) -> Any:
    # The operator modules come with the first look at them.
    if name == "__all__":
        return sorted({*_EXPORTED, *list_plugins()})
    module = None if name.startswith("_") else get_plugin(name)
    if module is not None:
        return module
    raise unknown_name("ge.es", name, _known())


def _known() -> Iterator[str]:
    # One by one: private names, which tools ask for, get no advice and need no operator modules.
    for operator in dir(importlib.import_module("ge.es.all")):
        yield f"ge.es.all.{operator}"
    yield from _EXPORTED
    yield from list_plugins()


def __dir__() -> List[str]:
    return sorted({*globals(), *_EXPORTED, *list_plugins()})
