"""Finds and imports the user's passes: files named by ASCEND_GE_PY_PASS_PATH, and entry points of installed packages."""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import os
import sys
import threading
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, Callable, Dict, Iterator, List, Optional, Set, TypeVar

from ge.passes import registry
from ge.passes._plugins import Plugin, find_plugins, forget_plugins

__all__ = [
    "ENV_PY_PASS_PATH",
    "PluginProblem",
    "get_registered_passes",
    "load_pass_plugins",
    "unload_pass_plugins",
]

_Source = TypeVar("_Source", Path, Plugin)

ENV_PY_PASS_PATH = "ASCEND_GE_PY_PASS_PATH"
MODULE_PREFIX = "_ge_py_pass_"


@dataclass(frozen=True)
class PluginProblem:
    """A file or package that could not be imported.

    Attributes:
        source: its path.
        error: what its import raised.
    """

    source: str
    error: BaseException


_lock = threading.RLock()
# Real path -> name of the module made from it.
_modules_by_path: Dict[str, str] = {}
# Names of the packages and helper modules that were imported out of a pass folder.
_from_folders: Set[str] = set()
_plugins_loaded: Dict[Plugin, ModuleType] = {}
# Keys of the passes that modules registered while they were loaded here.
_registered: Set[str] = set()


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
    with _lock:
        for entry in os.environ.get(ENV_PY_PASS_PATH, "").split(os.pathsep):
            entry = entry.strip()
            if entry:
                _load_entry(entry, modules, on_problem)
        for plugin in find_plugins():
            _guarded(plugin, _load_plugin, modules, on_problem)
    return modules


def get_registered_passes() -> List[Dict[str, Any]]:
    """Registered passes as plain dicts."""
    return registry.get_registered_pass_dicts()


def unload_pass_plugins() -> None:
    """Drops all modules that `load_pass_plugins` made and the passes that they registered, so that a later load executes
    them again. Passes that the process registered otherwise stay."""
    with _lock:
        registry.discard(_registered)
        _registered.clear()
        for name in [name for name in sys.modules if name.startswith(MODULE_PREFIX)]:
            del sys.modules[name]
        for name in _from_folders:
            sys.modules.pop(name, None)
        _modules_by_path.clear()
        _from_folders.clear()
        _plugins_loaded.clear()
        forget_plugins()


def _guarded(
    source: _Source,
    load: Callable[[_Source], ModuleType],
    modules: List[ModuleType],
    on_problem: Optional[Callable[[PluginProblem], None]],
) -> None:
    known = {d.descriptor_key for d in registry.get_registered_passes()}

    def note_new() -> None:
        _registered.update(d.descriptor_key for d in registry.get_registered_passes() if d.descriptor_key not in known)

    try:
        module = load(source)
    except BaseException as error:
        # What a half-executed module registered must not run; a whole one that it had imported is not to blame.
        own = source.module_name if isinstance(source, Plugin) else ""
        registry.discard(
            [
                d.descriptor_key
                for d in registry.get_registered_passes()
                if d.descriptor_key not in known and (_is_part(d.module_name, own) or not _is_whole(d.module_name))
            ]
        )
        note_new()
        if on_problem is not None:
            on_problem(PluginProblem(str(source), error))
        if on_problem is None or not isinstance(error, Exception):
            raise
        return
    note_new()
    if module not in modules:
        modules.append(module)


def _is_part(module_name: str, package: str) -> bool:
    return bool(package) and (module_name == package or module_name.startswith(f"{package}."))


def _is_whole(module_name: str) -> bool:
    """Whether the import of the module and of its packages came to its end."""
    parts = module_name.split(".")
    return all(".".join(parts[: n + 1]) in sys.modules for n in range(len(parts)))


def _load_entry(
    entry: str, modules: List[ModuleType], on_problem: Optional[Callable[[PluginProblem], None]]
) -> None:
    path = Path(entry).expanduser().resolve()

    def refuse(error: Exception) -> None:
        if on_problem is None:
            raise error
        on_problem(PluginProblem(entry, error))

    if path.is_dir():
        try:
            children = sorted(path.iterdir(), key=lambda child: child.name)
        except OSError as error:
            refuse(error)
            return
        with _front_of_path(path):
            for child in children:
                if child.name.startswith("_"):
                    continue
                if child.is_file() and child.suffix == ".py":
                    _guarded(child, _load_file, modules, on_problem)
                elif (child / "__init__.py").is_file():
                    _guarded(child, _load_package, modules, on_problem)
    elif not path.exists():
        refuse(
            FileNotFoundError(
                f"{ENV_PY_PASS_PATH} names '{entry}', which does not exist; name a .py file or a folder"
            )
        )
    elif path.suffix != ".py":
        refuse(
            ValueError(
                f"{ENV_PY_PASS_PATH} names '{entry}', which is no .py file; name a .py file or a folder"
            )
        )
    else:
        _guarded(path, _load_file, modules, on_problem)


def _load_file(path: Path) -> ModuleType:
    path = path.resolve()
    known = sys.modules.get(_modules_by_path.get(str(path), ""))
    if known is not None:
        return known
    # Not hash(): the name is seen in descriptor keys, which must be the same in every process.
    digest = hashlib.sha256(str(path).encode("utf-8", "surrogateescape")).hexdigest()[:16]
    stem = path.stem.encode("utf-8", "replace").decode("utf-8")
    name = f"{MODULE_PREFIX}{stem}_{digest}"
    spec = importlib.util.spec_from_file_location(name, str(path))
    if spec is None or spec.loader is None:
        raise ImportError(f"'{path}' cannot be loaded as a Python module")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        sys.modules.pop(name, None)
        raise
    _modules_by_path[str(path)] = name
    return module


def _load_plugin(plugin: Plugin) -> ModuleType:
    loaded = _plugins_loaded.get(plugin)
    if loaded is not None:
        return loaded
    before = set(sys.modules)
    package = plugin.module_name.partition(".")[0]
    try:
        module = _plugins_loaded[plugin] = plugin.load()
        return module
    finally:
        # So that they execute again after an unload. What others had imported before stays, but for the module that is named.
        _from_folders.update(
            name for name in set(sys.modules) - before if name == package or name.startswith(f"{package}.")
        )
        _from_folders.add(plugin.module_name)


def _load_package(folder: Path) -> ModuleType:
    name = folder.name
    loaded = sys.modules.get(name)
    if loaded is not None:
        home = getattr(loaded, "__file__", None)
        if home is None or Path(home).resolve().parent != folder.resolve():
            raise ImportError(
                f"package '{name}' of '{folder}' cannot be imported: the name belongs to '{home}' already; rename one"
            )
        return loaded
    module = importlib.import_module(name)
    home = getattr(module, "__file__", None)
    if home is None or Path(home).resolve().parent != folder.resolve():
        raise ImportError(
            f"package '{name}' of '{folder}' cannot be imported: '{home}' came first; rename one"
        )
    return module


@contextmanager
def _front_of_path(folder: Path) -> Iterator[None]:
    """Lets files of a pass folder import each other while they are executed, and notes what came out of it."""
    text = str(folder)
    before = set(sys.modules)
    sys.path.insert(0, text)
    importlib.invalidate_caches()
    try:
        yield
    finally:
        try:
            sys.path.remove(text)
        except ValueError:
            pass
        for name in set(sys.modules) - before:
            home = getattr(sys.modules[name], "__file__", None)
            if home is not None and folder in Path(home).resolve().parents:
                _from_folders.add(name)
