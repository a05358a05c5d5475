"""The command `atc`. It lies beside the package `ge`, not in it: a CANN installation has a package of that name too, and its
set_env.sh puts that one first on the path."""

from __future__ import annotations

import importlib
import importlib.util
import os
import sys

__all__ = ["main"]

_HOME = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def _is_ge_py(package: str) -> bool:
    """Whether the package in that folder is ge-py, of whatever version."""
    return os.path.isfile(os.path.join(package, "lib", "libge_compiler.so"))


def _import_ge() -> None:
    """Imports ge: the first ge-py on the path, and the one beside this package if another `ge` hides it."""
    spec = importlib.util.find_spec("ge")
    origin = spec.origin if spec is not None else None
    own = os.path.join(_HOME, "ge")
    if origin is not None:
        found = os.path.dirname(origin)
        # One's own that is not whole: what is missing is said where it is needed.
        if _is_ge_py(found) or os.path.realpath(found) == os.path.realpath(own):
            return
    sys.path.insert(0, _HOME)
    try:
        importlib.import_module("ge")
    finally:
        sys.path.remove(_HOME)
    if origin is not None:
        print(
            f"[WARNING] Looking for the package 'ge': expected that of ge-py, found '{origin}' first on the path; "
            f"atc uses '{own}', take the other one off PYTHONPATH",
            file=sys.stderr,
        )


def main() -> None:
    """Runs atc with the command line of this process, and ends it."""
    _import_ge()
    importlib.import_module("ge.pyatc.__main__").main()
