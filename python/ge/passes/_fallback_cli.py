"""``python -m ge.passes.runtime``: which artifact set serves this interpreter, and the cache of compiled ones."""

from __future__ import annotations

import argparse
import logging
import time
from typing import List, Optional

from ge.passes import _fallback, runtime
from ge.passes._artifact_utils import UnusableSet, find_artifacts, this_abi, this_platform
from ge.passes._fallback_build import BuildError

__all__ = ["main"]


def _status() -> int:
    print(f"Python      {this_abi()} on {this_platform()}")
    fitting, passed_over = find_artifacts(runtime.SETS_ROOT)
    for artifact in fitting:
        print(f"prebuilt    {artifact.root}")
    for line in passed_over:
        print(f"prebuilt    {line}")
    state = "" if _fallback.is_enabled() else f" (off: {_fallback.ENV_FALLBACK}=0)"
    print(f"cache       {_fallback.cache_folder()}{state}")
    try:
        for entry in _fallback.entries():
            use = entry.problem or ("for this Python and package" if entry.current else "for another one")
            print(f"  {entry.folder}: {use}")
    except BuildError as problem:
        print(f"  {problem}")
    logging.disable(logging.WARNING)
    try:
        runtime.ensure_native_module(allow_build=False)
    except ImportError as error:
        print(f"in use      none: {error}")
        return 1
    print(f"in use      {runtime.artifact_dir()}")
    return 0


def _build(force: bool) -> int:
    start = time.monotonic()
    try:
        artifact = _fallback.find_or_build(rebuild=force)
    except (BuildError, UnusableSet) as problem:
        print(getattr(problem, "output", ""), end="")
        print(f"[ERROR] building an artifact set for this Python: {problem}")
        return 1
    print(f"{artifact.root} ({time.monotonic() - start:.1f} s)")
    return 0


def main(arguments: Optional[List[str]] = None) -> int:
    """Runs one command; its exit status."""
    parser = argparse.ArgumentParser(prog="python -m ge.passes.runtime", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("status", help="what there is, what is used, and why not; exit code 1 if nothing can be")
    build = commands.add_parser("build", help="compile a set for this Python into the cache, if it is not there")
    build.add_argument("--force", action="store_true", help="compile it even if it is there")
    commands.add_parser("clean", help="remove all sets of the cache")
    chosen = parser.parse_args(arguments)
    if chosen.command == "status":
        return _status()
    if chosen.command == "build":
        return _build(chosen.force)
    try:
        print(f"removed {_fallback.clean()} sets from '{_fallback.cache_folder()}'")
    except BuildError as problem:
        print(f"[ERROR] cleaning the cache: {problem}")
        return 1
    return 0
