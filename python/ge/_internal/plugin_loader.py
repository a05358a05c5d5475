"""Finds and imports the user's plugins: files and folders that an environment variable names.

A file may hold passes, custom operators and ONNX plugins at once, and be named by the variable of more than one of these
kinds. It is imported once, by the kind that comes first; the others share the module. What each file registered is kept
account of, so that nothing is left of one that fails, and all of it can be taken back and registered again.
"""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import os
import sys
import threading
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any, Callable, Dict, Hashable, Iterator, List, NamedTuple, Optional, Set, Tuple

from ge._internal.descriptors import DescriptorRegistry

__all__ = ["PluginLoader", "PluginProblem", "Source", "track"]


@dataclass(frozen=True)
class PluginProblem:
    """A file or package that could not be imported.

    Attributes:
        source: its path.
        error: what its import raised.
    """

    source: str
    error: BaseException


class Source(NamedTuple):
    """Something to import.

    Attributes:
        key: what is equal for all ways to name it.
        label: how messages name it.
        execute: imports it.
        belongs: whether a module that came into the process meanwhile, of that name, goes with it.
        module_name: what is half-executed if `execute` raises, though sys.modules may say otherwise; empty if it is clear.
    """

    key: Hashable
    label: str
    execute: Callable[[], ModuleType]
    belongs: Callable[[str], bool]
    module_name: str = ""


_Registry = DescriptorRegistry[Any]


@dataclass
class _Loaded:
    """A source that was executed.

    Attributes:
        module: what came out; None if it failed.
        users: kinds of plugins that loaded it.
        names: modules that came with it.
        registered: keys of what it registered, by registry.
        parked: what was taken out of the registries, for kinds that have let go of it while others have not.
        running: it is being executed.
    """

    module: Optional[ModuleType] = None
    users: Set[str] = field(default_factory=set)
    names: Set[str] = field(default_factory=set)
    registered: Dict[_Registry, Set[str]] = field(default_factory=dict)
    parked: Dict[str, List[Tuple[_Registry, Any]]] = field(default_factory=dict)
    running: bool = False


OnProblem = Optional[Callable[[PluginProblem], None]]

_lock = threading.RLock()
_registries: List[Tuple[str, _Registry]] = []
_loaded: Dict[Hashable, _Loaded] = {}


def track(kind: str, registry: DescriptorRegistry[Any]) -> None:
    """Has what plugins add to `registry` counted as registrations of that kind."""
    _registries.append((kind, registry))


class PluginLoader:
    """Loads the plugins of one kind.

    Args:
        kind: how messages name it, "python pass".
        variable: the environment variable that names files and folders.
        prefix: what the names of modules begin with that are made from files.
    """

    def __init__(self, kind: str, variable: str, prefix: str) -> None:
        self._kind = kind
        self._variable = variable
        self._prefix = prefix

    def load_paths(self, modules: List[ModuleType], on_problem: OnProblem = None) -> None:
        """Imports what the variable names: `.py` files, and of folders the files and packages in them.

        Args:
            modules: gets the modules, each once, in the order of the variable and of names inside a folder.
            on_problem: is told of each plugin that fails; the others are imported all the same. Without it the first
                failure is raised. What is no Exception (SystemExit, KeyboardInterrupt) is told and raised.

        Raises:
            FileNotFoundError: an entry does not exist.
            ValueError: an entry is a file but no `.py` file.
        """
        with _lock:
            for entry in os.environ.get(self._variable, "").split(os.pathsep):
                entry = entry.strip()
                if entry:
                    self._load_entry(entry, modules, on_problem)

    def load(self, source: Source, modules: List[ModuleType], on_problem: OnProblem = None) -> None:
        """Imports one source, unless a plugin loader has done so already; arguments as in `load_paths`."""
        with _lock:
            if source.key in _loaded and _loaded[source.key].running:
                return  # it uses the loader itself
            try:
                module = self._share(source) or self._execute(source)
            except BaseException as error:
                if on_problem is not None:
                    on_problem(PluginProblem(source.label, error))
                if on_problem is None or not isinstance(error, Exception):
                    raise
                return
            if module not in modules:
                modules.append(module)

    def unload(self) -> None:
        """Lets go of all that `load` and `load_paths` imported, and of what these modules registered, so that a later load
        executes them again. A module that another kind of plugin uses too stays, and with it what it registered for that
        kind; the rest is put back by the next load. What the process registered otherwise stays."""
        with _lock:
            for loaded in _loaded.values():
                if self._kind not in loaded.users or loaded.running:
                    continue
                loaded.users.remove(self._kind)
                if loaded.users:
                    loaded.parked[self._kind] = [
                        (registry, registry.take(loaded.registered.get(registry, ())))
                        for kind, registry in _registries
                        if kind == self._kind
                    ]
                else:
                    for registry, keys in loaded.registered.items():
                        registry.take(keys)
                    for name in loaded.names:
                        sys.modules.pop(name, None)
            for key in [key for key, loaded in _loaded.items() if not loaded.users]:
                del _loaded[key]

    def _share(self, source: Source) -> Optional[ModuleType]:
        """The module of a source that was executed before and is still there."""
        loaded = _loaded.get(source.key)
        if loaded is None or loaded.module is None or sys.modules.get(loaded.module.__name__) is not loaded.module:
            return None
        for registry, entries in loaded.parked.get(self._kind, ()):
            registry.put(entries)
        loaded.parked.pop(self._kind, None)
        loaded.users.add(self._kind)
        return loaded.module

    def _execute(self, source: Source) -> ModuleType:
        known = {registry: set(registry.owners()) for _, registry in _registries}
        before = set(sys.modules)
        # One that failed, or was taken out of sys.modules, is executed again; what came of it before still counts.
        loaded = _loaded.setdefault(source.key, _Loaded())
        loaded.users.add(self._kind)
        loaded.module, loaded.running = None, True
        try:
            loaded.module = source.execute()
            return loaded.module
        except BaseException:
            # What a half-executed module registered must not stay; a whole one that it had imported is not to blame.
            for _, registry in _registries:
                owners = registry.owners()
                registry.take(
                    key
                    for key in owners.keys() - known.get(registry, set())
                    if _is_part(owners[key], source.module_name) or not _is_whole(owners[key])
                )
            raise
        finally:
            loaded.running = False
            loaded.names.update(name for name in set(sys.modules) - before if source.belongs(name))
            if source.module_name:
                loaded.names.add(source.module_name)
            for _, registry in _registries:
                new = registry.owners().keys() - known.get(registry, set())
                loaded.registered.setdefault(registry, set()).update(new)

    def _load_entry(self, entry: str, modules: List[ModuleType], on_problem: OnProblem) -> None:
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
                        self.load(self._file(child, path), modules, on_problem)
                    elif (child / "__init__.py").is_file():
                        self.load(_package(child, path), modules, on_problem)
        elif not path.exists():
            refuse(
                FileNotFoundError(
                    f"{self._kind} path does not exist: '{entry}', named by {self._variable}; name a .py file or a folder"
                )
            )
        elif path.suffix != ".py":
            refuse(
                ValueError(
                    f"{self._kind} path is no .py file: '{entry}', named by {self._variable}; name a .py file or a folder"
                )
            )
        else:
            self.load(self._file(path), modules, on_problem)

    def _file(self, path: Path, folder: Optional[Path] = None) -> Source:
        real = path.resolve()
        # Not hash(): the name is seen in descriptor keys, which must be the same in every process.
        digest = hashlib.sha256(str(real).encode("utf-8", "surrogateescape")).hexdigest()[:16]
        stem = real.stem.encode("utf-8", "replace").decode("utf-8")
        name = f"{self._prefix}{stem}_{digest}"

        def execute() -> ModuleType:
            spec = importlib.util.spec_from_file_location(name, str(real))
            if spec is None or spec.loader is None:
                raise ImportError(f"'{real}' cannot be loaded as a Python module")
            module = importlib.util.module_from_spec(spec)
            sys.modules[name] = module
            try:
                spec.loader.exec_module(module)
            except BaseException:
                sys.modules.pop(name, None)
                raise
            return module

        return Source(str(real), str(path), execute, lambda other: other == name or _lies_in(other, folder))


def _package(path: Path, folder: Path) -> Source:
    real = path.resolve()
    name = path.name

    def execute() -> ModuleType:
        taken = sys.modules.get(name)
        module = importlib.import_module(name) if taken is None else taken
        home = getattr(module, "__file__", None)
        if home is not None and Path(home).resolve().parent == real:
            return module
        reason = f"the name belongs to '{home}' already" if taken is not None else f"'{home}' came first"
        raise ImportError(f"package '{name}' of '{path}' cannot be imported: {reason}; rename one")

    return Source(str(real), str(path), execute, lambda other: _lies_in(other, folder))


def _lies_in(module_name: str, folder: Optional[Path]) -> bool:
    home = getattr(sys.modules.get(module_name), "__file__", None)
    return folder is not None and home is not None and folder in Path(home).resolve().parents


def _is_part(module_name: str, package: str) -> bool:
    return bool(package) and (module_name == package or module_name.startswith(f"{package}."))


def _is_whole(module_name: str) -> bool:
    """Whether the import of the module and of its packages came to its end."""
    parts = module_name.split(".")
    return all(".".join(parts[: n + 1]) in sys.modules for n in range(len(parts)))


@contextmanager
def _front_of_path(folder: Path) -> Iterator[None]:
    """Lets files of a plugin folder import each other while they are executed."""
    text = str(folder)
    sys.path.insert(0, text)
    importlib.invalidate_caches()
    try:
        yield
    finally:
        try:
            sys.path.remove(text)
        except ValueError:
            pass
