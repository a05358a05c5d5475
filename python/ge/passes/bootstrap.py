"""Finds and imports the user's passes: files named by ASCEND_GE_PY_PASS_PATH, and entry points of installed packages."""

from __future__ import annotations

from types import ModuleType
from typing import Any, Callable, Dict, List, Optional

from ge._internal.plugin_loader import PluginLoader, PluginProblem, Source
from ge.passes import registry
from ge.passes._plugins import Plugin, find_plugins, forget_plugins

__all__ = [
    "ENV_PY_PASS_PATH",
    "PluginProblem",
    "get_registered_passes",
    "load_pass_plugins",
    "unload_pass_plugins",
]

ENV_PY_PASS_PATH = "ASCEND_GE_PY_PASS_PATH"
MODULE_PREFIX = "_ge_py_pass_"

_loader = PluginLoader(registry.PLUGIN_KIND, ENV_PY_PASS_PATH, MODULE_PREFIX)


def load_pass_plugins(on_problem: Optional[Callable[[PluginProblem], None]] = None) -> List[ModuleType]:
    """Imports what ASCEND_GE_PY_PASS_PATH names: `.py` files, and folders of files and packages; then the modules that
    installed packages name in the entry point group ge.passes.plugins.

    Args:
        on_problem: is told of each plugin that fails; the others are imported all the same. Without it the first
            failure is raised. What is no Exception (SystemExit, KeyboardInterrupt) is told and raised.

    Returns:
        The modules, each once, in the order of the variable and of names inside a folder, then by entry point.

    Raises:
        FileNotFoundError: an entry does not exist.
        ValueError: an entry is a file but no `.py` file.
    """
    modules: List[ModuleType] = []
    _loader.load_paths(modules, on_problem)
    for plugin in find_plugins():
        _loader.load(_source(plugin), modules, on_problem)
    return modules


def get_registered_passes() -> List[Dict[str, Any]]:
    """Registered passes as plain dicts."""
    return registry.get_registered_pass_dicts()


def unload_pass_plugins() -> None:
    """Drops all modules that `load_pass_plugins` made and the passes that they registered, so that a later load executes
    them again. Passes that the process registered otherwise stay."""
    _loader.unload()
    forget_plugins()


def _source(plugin: Plugin) -> Source:
    package = plugin.module_name.partition(".")[0]
    return Source(
        plugin,
        str(plugin),
        plugin.load,
        # What others had imported before stays, but for the module that is named.
        lambda name: name == package or name.startswith(f"{package}."),
        plugin.module_name,
    )
