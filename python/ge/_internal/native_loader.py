"""Loads the native module of an artifact set that fits this interpreter."""

from __future__ import annotations

import importlib
import importlib.machinery
import importlib.util
import os
import sys
import threading
from types import ModuleType
from typing import Callable, List, Mapping, Optional

from ge._internal.artifact_utils import (
    PACKAGE,
    Artifact,
    ArtifactKind,
    UnusableSet,
    find_artifacts,
    load_artifact,
    this_platform,
    this_python,
)

__all__ = ["NativeLoader", "load_extension", "warn"]

_BACKEND_MODULE = "nanobind_backend"


def load_extension(name: str, path: str) -> ModuleType:
    """Loads the extension module in the file `path` as `name`, and binds it on its parent package if that is there.

    Raises:
        ImportError: the file is no such module; the name is as unknown as before.
    """
    loader = importlib.machinery.ExtensionFileLoader(name, path)
    spec = importlib.util.spec_from_file_location(name, path, loader=loader)
    if spec is None:
        raise ImportError(f"'{path}' cannot be loaded as a Python extension module")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        loader.exec_module(module)
    except BaseException:
        sys.modules.pop(name, None)
        raise
    parent, _, child = name.rpartition(".")
    # An import statement binds the name on the parent; loading by path does not.
    if parent in sys.modules:
        setattr(sys.modules[parent], child, module)
    return module


def _ensure_backend(backends: Mapping[str, str]) -> None:
    """Makes nanobind's backend importable where the package brings its own for this version."""
    tag = f"cp{sys.version_info[0]}{sys.version_info[1]}"
    own = backends.get(tag)
    if own is None or _BACKEND_MODULE in sys.modules or importlib.util.find_spec(_BACKEND_MODULE) is not None:
        return
    if not os.path.isfile(own):
        # A set that was copied out of its package: the backend stayed behind.
        folder = os.path.join(PACKAGE, f"_backend_{tag}")
        names = os.listdir(folder) if os.path.isdir(folder) else []
        found = [n for n in names if n.startswith(_BACKEND_MODULE) and n.endswith(".so")]
        own = os.path.join(folder, found[0]) if found else own
    load_extension(_BACKEND_MODULE, own)


def _load_core(artifact: Artifact) -> None:
    """A set outside of the package finds the core only if it is in the process already; one inside finds it itself."""
    if not artifact.root.startswith(os.path.realpath(PACKAGE) + os.sep):
        ctypes = importlib.import_module("ctypes")
        ctypes.CDLL(os.path.join(PACKAGE, "lib", "libge_compiler.so"))


def warn(lines: List[str], logger_name: str) -> None:
    """Logs each line as a warning."""
    # Imported here: it takes as long as a native module, and there is nothing to say as a rule.
    logger = importlib.import_module("logging").getLogger(logger_name)
    for line in lines:
        logger.warning("%s", line)


class NativeLoader:
    """The native module of one kind of set: loaded once a process, by whoever asks first.

    Args:
        kind: which sets.
        last_resort: gives a set where none of the installed ones fits, or raises an exception whose text says why not.
    """

    def __init__(self, kind: ArtifactKind, last_resort: Optional[Callable[[bool], Artifact]] = None) -> None:
        self._kind = kind
        self._last_resort = last_resort
        self._lock = threading.RLock()
        self._loaded: Optional[Artifact] = None

    @property
    def artifact_dir(self) -> Optional[str]:
        """Folder of the set in use; None before it is loaded."""
        return None if self._loaded is None else self._loaded.root

    def load(self, artifact: Artifact) -> ModuleType:
        """Loads the module of that set.

        Raises:
            ImportError: it cannot be loaded.
        """
        try:
            _load_core(artifact)
        except OSError as error:
            raise ImportError(f"the core cannot be loaded: {error}") from error
        _ensure_backend(artifact.backends)
        module = load_extension(self._kind.native_module, artifact.native)
        self._loaded = artifact
        return module

    def load_chosen(self, root: str) -> ModuleType:
        """Loads the module of the set in `root`, the one that a native host has chosen.

        Raises:
            ImportError: the set does not fit, or another one is loaded already.
        """
        with self._lock:
            module = sys.modules.get(self._kind.native_module)
            try:
                artifact = load_artifact(root, self._kind)
            except UnusableSet as reason:
                raise ImportError(f"artifact set '{root}' cannot be used: {reason}") from reason
            if module is None:
                return self.load(artifact)
            # Sets of one kind share their types; one that was compiled here has types of its own.
            if self._loaded is not None and self._loaded.python_abi != artifact.python_abi:
                raise ImportError(
                    f"artifact set '{root}' is for the ABI '{artifact.python_abi}', but the native module of "
                    f"'{self._loaded.root}' for '{self._loaded.python_abi}' is loaded already"
                )
            return module

    def ensure(self, allow_build: bool = True) -> ModuleType:
        """The module, loaded from the first set that fits if it is not there yet.

        Args:
            allow_build: what the last resort is told.

        Raises:
            ImportError: no set fits; the text says what was searched, what was found and why it was passed over.
        """
        module = sys.modules.get(self._kind.native_module)
        if module is not None:
            return module
        with self._lock:
            module = sys.modules.get(self._kind.native_module)
            if module is not None:
                return module
            fitting, problems = find_artifacts(self._kind)
            for artifact in fitting:
                try:
                    module = self.load(artifact)
                except ImportError as error:
                    problems.append(f"artifact set '{artifact.root}' does not load: {error}")
                    continue
                if problems:
                    warn(problems, self._kind.package)
                return module
            if self._last_resort is None:
                raise ImportError(self._nothing_fits(problems))
            try:
                return self.load(self._last_resort(allow_build))
            except Exception as error:
                reason = str(error)
                raise ImportError(self._nothing_fits(problems, f"compiled on this machine: {reason}; ")) from error

    def _nothing_fits(self, problems: List[str], more: str = "") -> str:
        found = "; ".join(problems) if problems else "no artifact set there"
        return (
            f"cannot load the native module of {self._kind.package}: searched '{self._kind.sets_root}' for an artifact "
            f"set for Python '{this_python()}' on '{this_platform()}', found: {found}; {more}"
            "reinstall the wheel of ge-py that fits this machine (pip install --force-reinstall ge-py)"
        )
