"""Loads the native module that fits this interpreter; ``python -m ge.passes.runtime status|build|clean``."""

from __future__ import annotations

import importlib
import sys
from types import ModuleType
from typing import Optional

from ge._internal.native_loader import NativeLoader, warn
from ge.passes._artifact_utils import KIND, Artifact, UnusableSet, this_abi

__all__ = ["artifact_dir", "ensure_native_module", "load_native_module", "run_fallback_codegen"]

NATIVE_MODULE = KIND.native_module
SETS_ROOT = KIND.sets_root


def artifact_dir() -> Optional[str]:
    """Folder of the artifact set in use; None before it is loaded."""
    return _loader.artifact_dir


def load_native_module(root: str) -> ModuleType:
    """Loads the native module of the set in `root`, the one that a native host has chosen.

    Raises:
        ImportError: the set does not fit, or another one is loaded already.
    """
    return _loader.load_chosen(root)


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
            found: Artifact = fallback.find()
            return found
        except UnusableSet as reason:
            fallback.build.check_tools()
            warn(
                [
                    f"no prebuilt artifact set serves Python '{this_abi()}'; compiling one into "
                    f"'{fallback.cache_folder()}', once, which takes a minute or two ({reason})"
                ],
                __name__,
            )
        built: Artifact = fallback.find_or_build()
        return built
    except fallback.build.BuildError as reason:
        raise RuntimeError(str(reason)) from reason


def _fallback(allow_build: bool) -> Artifact:
    if allow_build:
        return run_fallback_codegen()
    fallback = importlib.import_module("ge.passes._fallback")
    if not fallback.is_enabled():
        raise RuntimeError(f"turned off by {fallback.ENV_FALLBACK}=0")
    found: Artifact = fallback.find()
    return found


_loader = NativeLoader(KIND, _fallback)


def ensure_native_module(*, allow_build: bool = True) -> ModuleType:
    """The native module, loaded from the first artifact set that fits if it is not there yet.

    Args:
        allow_build: whether a set may be compiled if none fits; one that was compiled before is used in any case.

    Raises:
        ImportError: no set fits; the text says what was searched, what was found and why it was passed over.
    """
    return _loader.ensure(allow_build)


if __name__ == "__main__":
    sys.exit(importlib.import_module("ge.passes._fallback_cli").main())
