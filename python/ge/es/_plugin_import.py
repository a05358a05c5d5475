"""`import ge.es.<name>` for operator packages, and the list of those that are installed."""

from __future__ import annotations

import importlib
import importlib.machinery
import sys
from types import ModuleType
from typing import Any, Dict, Optional

__all__ = ["PluginFinder", "loaded_plugins"]


def loaded_plugins() -> Dict[str, ModuleType]:
    """The operator packages by name, loaded at the first call."""
    # Reading the metadata of all distributions takes longer than importing ge.es, so it waits until it is asked for.
    plugins: Dict[str, ModuleType] = importlib.import_module("ge.es._plugin_loader").loaded_plugins()
    return plugins


class PluginFinder:
    """Goes to the end of sys.meta_path: asked only for what ge.es has no module of its own for."""

    @classmethod
    def find_spec(cls, fullname: str, path: Any = None, target: Any = None) -> Optional[importlib.machinery.ModuleSpec]:
        """The spec of an operator package, None for any other name."""
        parent, _, name = fullname.rpartition(".")
        if parent != "ge.es" or name.startswith("_"):
            return None
        module = loaded_plugins().get(name)
        if module is None:
            return None
        # The import system takes a module that appears during the search for one that was imported, and its spec for the
        # one that was found; it puts this one back itself.
        if sys.modules.get(fullname) is module:
            del sys.modules[fullname]
        loader: Any = cls
        return importlib.machinery.ModuleSpec(fullname, loader, loader_state=module.__spec__)

    @staticmethod
    def create_module(spec: importlib.machinery.ModuleSpec) -> ModuleType:
        """The module as it was loaded."""
        return loaded_plugins()[spec.name.rpartition(".")[2]]

    @classmethod
    def exec_module(cls, module: ModuleType) -> None:
        """It has run already; the spec it was found by comes back."""
        spec = module.__spec__
        loader: Any = cls
        if spec is not None and spec.loader is loader:
            module.__spec__ = spec.loader_state
