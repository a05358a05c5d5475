"""Loads the native module that fits this interpreter; ``python -m ge.passes.runtime status|build|clean``."""

from __future__ import annotations

import importlib
import importlib.machinery
import importlib.util
import os
import sys
import threading
from types import ModuleType
from typing import List, Mapping, Optional

from ge.passes._artifact_utils import (
    Artifact,
    UnusableSet,
    find_artifacts,
    load_artifact,
    this_abi,
    this_platform,
    this_python,
)

__all__ = ["artifact_dir", "ensure_native_module", "load_native_module", "run_fallback_codegen"]

NATIVE_MODULE = "ge.passes._ge_pass_native"
_BACKEND_MODULE = "nanobind_backend"
# Not resolved: a staged package may be made of links to single files.
_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SETS_ROOT = os.path.join(_PACKAGE, "passes", "python_pass_artifacts")

_lock = threading.RLock()
_loaded: Optional[Artifact] = None


def artifact_dir() -> Optional[str]:
    """Folder of the artifact set in use; None before it is loaded."""
    return None if _loaded is None else _loaded.root


def _load_extension(name: str, path: str) -> ModuleType:
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
    return module


def _ensure_backend(backends: Mapping[str, str]) -> None:
    """Makes nanobind's backend importable where the package brings its own for this version."""
    tag = f"cp{sys.version_info[0]}{sys.version_info[1]}"
    own = backends.get(tag)
    if own is None or _BACKEND_MODULE in sys.modules or importlib.util.find_spec(_BACKEND_MODULE) is not None:
        return
    if not os.path.isfile(own):
        # A set that was copied out of its package: the backend stayed behind.
        folder = os.path.join(_PACKAGE, f"_backend_{tag}")
        names = os.listdir(folder) if os.path.isdir(folder) else []
        found = [n for n in names if n.startswith(_BACKEND_MODULE) and n.endswith(".so")]
        own = os.path.join(folder, found[0]) if found else own
    _load_extension(_BACKEND_MODULE, own)


def _load_core(artifact: Artifact) -> None:
    """A set outside of the package finds the core only if it is in the process already; one inside finds it itself."""
    if not artifact.root.startswith(os.path.realpath(_PACKAGE) + os.sep):
        ctypes = importlib.import_module("ctypes")
        ctypes.CDLL(os.path.join(_PACKAGE, "lib", "libge_compiler.so"))


def _load(artifact: Artifact) -> ModuleType:
    global _loaded
    try:
        _load_core(artifact)
    except OSError as error:
        raise ImportError(f"the core cannot be loaded: {error}") from error
    _ensure_backend(artifact.backends)
    module = _load_extension(NATIVE_MODULE, artifact.native)
    _loaded = artifact
    # `import ge.passes._ge_pass_native` binds the name on the parent; loading by path does not.
    setattr(sys.modules["ge.passes"], NATIVE_MODULE.rpartition(".")[2], module)
    return module


def load_native_module(root: str) -> ModuleType:
    """Loads the native module of the set in `root`, the one that a native host has chosen.

    Raises:
        ImportError: the set does not fit, or another one is loaded already.
    """
    with _lock:
        module = sys.modules.get(NATIVE_MODULE)
        try:
            artifact = load_artifact(root)
        except UnusableSet as reason:
            raise ImportError(f"artifact set '{root}' cannot be used: {reason}") from reason
        if module is None:
            return _load(artifact)
        # Sets of one kind share their types; one that was compiled here has types of its own.
        if _loaded is not None and _loaded.python_abi != artifact.python_abi:
            raise ImportError(
                f"artifact set '{root}' is for the ABI '{artifact.python_abi}', but the native module of "
                f"'{_loaded.root}' for '{_loaded.python_abi}' is loaded already"
            )
        return module


def run_fallback_codegen() -> Artifact:
    """The artifact set for this interpreter that is compiled on this machine, out of the cache if it is there.

    Raises:
        RuntimeError: GE_PY_FALLBACK=0, or it cannot be compiled; the text says what is missing.
    """
    fallback = importlib.import_module("ge.passes._fallback")
    if not fallback.is_enabled():
        raise RuntimeError(f"compiling one is turned off by {fallback.ENV_FALLBACK}=0")
    try:
        try:
            return fallback.find()
        except UnusableSet as reason:
            fallback.build.check_tools()
            _warn(
                [
                    f"no prebuilt artifact set serves Python '{this_abi()}'; compiling one into "
                    f"'{fallback.cache_folder()}', once, which takes a minute or two ({reason})"
                ]
            )
        return fallback.find_or_build()
    except fallback.build.BuildError as reason:
        raise RuntimeError(str(reason)) from reason


def ensure_native_module(*, allow_build: bool = True) -> ModuleType:
    """The native module, loaded from the first artifact set that fits if it is not there yet.

    Args:
        allow_build: whether a set may be compiled if none fits; one that was compiled before is used in any case.

    Raises:
        ImportError: no set fits; the text says what was searched, what was found and why it was passed over.
    """
    module = sys.modules.get(NATIVE_MODULE)
    if module is not None:
        return module
    with _lock:
        module = sys.modules.get(NATIVE_MODULE)
        if module is not None:
            return module
        fitting, problems = find_artifacts(SETS_ROOT)
        for artifact in fitting:
            try:
                module = _load(artifact)
            except ImportError as error:
                problems.append(f"artifact set '{artifact.root}' does not load: {error}")
                continue
            if problems:
                _warn(problems)
            return module
        return _load_fallback(problems, allow_build)


def _load_fallback(problems: List[str], allow_build: bool) -> ModuleType:
    try:
        if allow_build:
            return _load(run_fallback_codegen())
        fallback = importlib.import_module("ge.passes._fallback")
        if not fallback.is_enabled():
            raise RuntimeError(f"turned off by {fallback.ENV_FALLBACK}=0")
        return _load(fallback.find())
    except Exception as error:
        reason = str(error)
        raise ImportError(_nothing_fits(problems, reason)) from error


def _warn(problems: List[str]) -> None:
    # Imported here: it takes as long as the native module, and there is nothing to say as a rule.
    logger = importlib.import_module("logging").getLogger(__name__)
    for line in problems:
        logger.warning("%s", line)


def _nothing_fits(problems: List[str], fallback: str) -> str:
    found = "; ".join(problems) if problems else "no artifact set there"
    return (
        f"cannot load the native module of ge.passes: searched '{SETS_ROOT}' for an artifact set for Python "
        f"'{this_python()}' on '{this_platform()}', found: {found}; "
        f"compiled on this machine: {fallback}; "
        "reinstall the wheel of ge-py that fits this machine (pip install --force-reinstall ge-py)"
    )


if __name__ == "__main__":
    sys.exit(importlib.import_module("ge.passes._fallback_cli").main())
