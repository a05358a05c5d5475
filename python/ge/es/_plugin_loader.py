"""Finds the operator packages that are installed: entry points of the group `ge.es.plugins`.

An entry point names a module, or a callable that gives one or its name. A package that cannot be loaded is reported through
`logging` and left out; the others are not affected.
"""

from __future__ import annotations

import importlib
import importlib.metadata
import logging
import pkgutil
import sys
import threading
from types import ModuleType
from typing import Any, Collection, Dict, Iterable, Optional

__all__ = ["debug_print", "load_all_plugins", "loaded_plugins"]

GROUP = "ge.es.plugins"
# The module ge.es.custom has the operators of a package of this name beside those declared in Python.
SHARED = "custom"
entry_points = importlib.metadata.entry_points

_logger = logging.getLogger(__name__)
_lock = threading.RLock()
_loaded: Optional[Dict[str, ModuleType]] = None
_loading = False


def debug_print(level: str, message: str, *args: Any) -> None:
    """Reports through `logging`; `level` is the name of one of its levels."""
    _logger.log(getattr(logging, level), message, *args)


def _iter_plugin_entry_points() -> Iterable[Any]:
    try:
        found: Any = entry_points(group=GROUP)
    except TypeError:
        # Python 3.9 takes no arguments and gives a dict; some backports give an object to select from.
        everything: Any = entry_points()
        if hasattr(everything, "select"):
            return list(everything.select(group=GROUP))
        return list(everything.get(GROUP, []))
    if isinstance(found, dict):
        return list(found.get(GROUP, []))
    return list(found)


def _coerce_to_module(loaded: Any) -> ModuleType:
    if isinstance(loaded, ModuleType):
        return loaded
    if isinstance(loaded, str):
        return importlib.import_module(loaded)
    if callable(loaded):
        return _coerce_to_module(loaded())
    raise TypeError(
        f"an entry point of '{GROUP}' must give a module, the name of one or a callable that gives either, found "
        f"'{type(loaded).__name__}'"
    )


def load_all_plugins(reserved: Collection[str] = ()) -> Dict[str, ModuleType]:
    """Loads every operator package and makes it importable as ge.es.<name>.

    Args:
        reserved: names that no package can have.

    Returns:
        Modules by name; without those that failed, which are reported.
    """
    plugins: Dict[str, ModuleType] = {}
    for point in _iter_plugin_entry_points():
        name = getattr(point, "name", None)
        where = getattr(point, "value", point)
        if not name:
            debug_print("WARNING", "entry point '%s' of '%s' is left out: it has no name", where, GROUP)
            continue
        if name in plugins or name in reserved:
            owner = getattr(plugins.get(name), "__name__", "ge.es")
            debug_print("WARNING", "operator package '%s' ('%s') is left out: '%s' has that name already", name, where, owner)
            continue
        try:
            module = _coerce_to_module(point.load())
        except (Exception, SystemExit) as error:  # whatever a package does, the others are loaded
            kind = type(error).__name__
            debug_print("ERROR", "operator package '%s' ('%s') cannot be loaded: %s: %s", name, where, kind, error)
            continue
        plugins[name] = module
        if name != SHARED:
            sys.modules.setdefault(f"ge.es.{name}", module)
            setattr(sys.modules["ge.es"], name, module)
        debug_print("INFO", "operator package '%s' is loaded from '%s'", name, where)
    return plugins


def loaded_plugins() -> Dict[str, ModuleType]:
    """What load_all_plugins gave at the first call."""
    global _loaded, _loading
    if _loaded is None:
        with _lock:
            if _loading:
                # A package that asks while it is loaded itself.
                return {}
            if _loaded is None:
                _loading = True
                try:
                    own = {m.name for m in pkgutil.iter_modules(sys.modules["ge.es"].__path__)}
                    _loaded = load_all_plugins(own - {SHARED})
                finally:
                    _loading = False
    return _loaded
