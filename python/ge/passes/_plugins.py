"""Installed packages that bring passes: entry points in the group ge.passes.plugins."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any, Dict, List, Tuple

__all__ = ["GROUP", "Plugin", "find_plugins", "forget_plugins"]

GROUP = "ge.passes.plugins"


@dataclass(frozen=True)
class Plugin:
    """One entry point.

    Attributes:
        name: what stands left of the "=".
        value: what stands right of it: "package.module" or "package.module:function".
        distribution: the package that declares it; empty if that is unknown.
        entry_point: the object of importlib.metadata.
    """

    name: str
    value: str
    distribution: str
    entry_point: Any = field(compare=False)

    def __str__(self) -> str:
        return self.source

    @property
    def source(self) -> str:
        """How messages name it."""
        owner = f" of package '{self.distribution}'" if self.distribution else ""
        return f"entry point '{self.name} = {self.value}'{owner}"

    @property
    def module_name(self) -> str:
        """The module that holds it."""
        return self.value.partition(":")[0].strip()

    def load(self) -> ModuleType:
        """Imports it, and calls it if it is a function.

        Raises:
            TypeError: it is neither a module nor a function that returns one.
        """
        loaded = self.entry_point.load()
        if not isinstance(loaded, ModuleType) and callable(loaded):
            loaded = loaded()
        if not isinstance(loaded, ModuleType):
            raise TypeError(
                f"{self.source} must be a module or a function that returns one, got '{type(loaded).__name__}'"
            )
        return loaded


def _may_have_plugins() -> bool:
    """Whether a folder of sys.path holds metadata with that group: a look is far cheaper than importlib.metadata."""
    group = f"[{GROUP}]".encode()
    for folder in sys.path:
        try:
            with os.scandir(folder or ".") as entries:
                names = [e.name for e in entries if e.name.endswith((".dist-info", ".egg-info"))]
        except NotADirectoryError:
            return True  # an archive: only importlib.metadata can look into it
        except OSError:
            continue
        for name in names:
            try:
                with open(os.path.join(folder or ".", name, "entry_points.txt"), "rb") as file:
                    if group in file.read():
                        return True
            except OSError:
                continue
    return False


# For a value of sys.path: asking is part of every run of passes.
_known: Dict[Tuple[str, ...], List[Plugin]] = {}


def forget_plugins() -> None:
    """Lets the next call of find_plugins look again."""
    _known.clear()


def find_plugins() -> List[Plugin]:
    """The entry points by name, each once."""
    path = tuple(map(str, sys.path))
    if path not in _known:
        _known[path] = _find_plugins() if _may_have_plugins() else []
    return _known[path]


def _find_plugins() -> List[Plugin]:
    from importlib import metadata

    plugins: Dict[Tuple[str, str], Plugin] = {}
    # Not metadata.entry_points: in 3.9 its entries do not know their package.
    for distribution in metadata.distributions():
        for entry in distribution.entry_points:
            if entry.group == GROUP:
                name = distribution.metadata["Name"] or ""
                # The same package twice on sys.path is one package.
                plugins.setdefault((entry.name, entry.value), Plugin(entry.name, entry.value, name, entry))
    return [plugins[key] for key in sorted(plugins)]
