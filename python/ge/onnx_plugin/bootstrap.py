"""Finds and imports the user's ONNX plugins: the Python files and packages that ASCEND_CUSTOM_OPP_PATH names."""

from __future__ import annotations

from types import ModuleType
from typing import List

from ge._internal.plugin_loader import PluginLoader
from ge.onnx_plugin import registry

__all__ = ["ENV_PY_ONNX_PLUGIN_PATH", "load_onnx_plugins", "unload_onnx_plugins"]

ENV_PY_ONNX_PLUGIN_PATH = "ASCEND_CUSTOM_OPP_PATH"
MODULE_PREFIX = "_ge_py_onnx_plugin_"

_loader = PluginLoader(registry.PLUGIN_KIND, ENV_PY_ONNX_PLUGIN_PATH, MODULE_PREFIX)


def load_onnx_plugins() -> List[ModuleType]:
    """Imports what ASCEND_CUSTOM_OPP_PATH names: `.py` files, and of folders the files and packages in them. A file that
    was imported for its custom operators is not imported again.

    Returns:
        The modules, each once, in the order of the variable and of names inside a folder.

    Raises:
        FileNotFoundError: an entry does not exist.
        ValueError: an entry is a file but no `.py` file.
        Exception: what the import of one raised; nothing of what that one had registered stays.
    """
    modules: List[ModuleType] = []
    _loader.load_paths(modules)
    return modules


def unload_onnx_plugins() -> None:
    """Lets go of all modules of `load_onnx_plugins` and of the plugins that they registered, so that a later load brings
    them back. Plugins that the process registered otherwise stay."""
    _loader.unload()
