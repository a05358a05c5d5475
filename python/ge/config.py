"""Where the parts for building C++ passes are: `python -m ge.config --cmakedir`, `--includedir`, `--libdir`."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Optional, Sequence

__all__ = ["get_cmake_dir", "get_include", "get_library_dir"]

_PACKAGE = Path(__file__).absolute().parent


def get_include() -> str:
    """The folder for the compiler's -I."""
    return str(_PACKAGE / "include")


def get_cmake_dir() -> str:
    """The folder of geConfig.cmake, for CMake's -Dge_DIR."""
    return str(_PACKAGE / "cmake" / "ge")


def get_library_dir() -> str:
    """The folder of libge_compiler.so."""
    return str(_PACKAGE / "lib")


def main(args: Optional[Sequence[str]] = None) -> int:
    """Prints what is asked for, a line each."""
    parser = argparse.ArgumentParser(prog="python -m ge.config", description="Paths for building C++ passes.")
    parser.add_argument("--includedir", action="store_true", help=(get_include.__doc__ or "").rstrip("."))
    parser.add_argument("--cmakedir", action="store_true", help=(get_cmake_dir.__doc__ or "").rstrip("."))
    parser.add_argument("--libdir", action="store_true", help=(get_library_dir.__doc__ or "").rstrip("."))
    options = parser.parse_args(args)
    if not (options.includedir or options.cmakedir or options.libdir):
        parser.error("expected --includedir, --cmakedir or --libdir")
    for wanted, path in (
        (options.includedir, get_include()),
        (options.cmakedir, get_cmake_dir()),
        (options.libdir, get_library_dir()),
    ):
        if wanted:
            print(path)
    return 0


if __name__ == "__main__":
    sys.exit(main())
