"""Finds and imports the user's custom operators: the Python files and packages that ASCEND_CUSTOM_OPP_PATH names."""

from __future__ import annotations

from types import ModuleType
from typing import Any, Dict, List

from ge._internal.plugin_loader import PluginLoader
from ge.custom_op import registry

__all__ = [
    "ENV_PY_CUSTOM_OP_PATH",
    "get_registered_op_impls",
    "get_registered_op_protos",
    "load_custom_op_plugins",
    "unload_custom_op_plugins",
]

ENV_PY_CUSTOM_OP_PATH = "ASCEND_CUSTOM_OPP_PATH"
MODULE_PREFIX = "_ge_py_custom_op_"

_loader = PluginLoader(registry.PLUGIN_KIND, ENV_PY_CUSTOM_OP_PATH, MODULE_PREFIX)


def load_custom_op_plugins() -> List[ModuleType]:
    """Imports what ASCEND_CUSTOM_OPP_PATH names: `.py` files, and of folders the files and packages in them.

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


def get_registered_op_impls() -> List[Dict[str, Any]]:
    """Registered implementations as plain dicts."""
    return registry.get_registered_op_impl_dicts()


def get_registered_op_protos() -> List[Dict[str, Any]]:
    """Registered prototypes as plain dicts, by op type."""
    # Imported here: a file of implementations alone needs no native code to be registered.
    from ge.custom_op import proto

    return proto.get_registered_op_proto_dicts()


def unload_custom_op_plugins() -> None:
    """Drops all modules that `load_custom_op_plugins` made and the operators that they registered, so that a later load
    executes them again. Operators that the process registered otherwise stay."""
    _loader.unload()
