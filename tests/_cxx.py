"""Building C++ pass libraries against the installed headers, and the folders that atc finds them in."""

from __future__ import annotations

import pathlib
import shutil
import subprocess

import ge.config
import pytest

SOURCES = pathlib.Path(__file__).resolve().parent / "cxx_passes"


def build(source: pathlib.Path, target: pathlib.Path, *flags: str) -> pathlib.Path:
    """Compiles one source file to a shared library that links libge_compiler.so."""
    compiler = shutil.which("g++")
    if compiler is None:
        pytest.skip("needs g++")
    target.parent.mkdir(parents=True, exist_ok=True)
    command = [compiler, "-std=c++17", "-O0", "-Wall", "-Wextra", "-Werror", "-fPIC", "-shared", "-o", str(target), str(source)]
    command += ["-I", ge.config.get_include(), "-L", ge.config.get_library_dir(), "-lge_compiler", *flags]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return target


class Libraries:
    """The libraries made of tests/cxx_passes, each built when first asked for."""

    def __init__(self, folder: pathlib.Path) -> None:
        self.folder = folder
        self.built: dict = {}

    def __call__(self, name: str, *flags: str) -> pathlib.Path:
        if (name, flags) not in self.built:
            target = self.folder / f"{len(self.built)}" / f"lib{name}.so"
            self.built[name, flags] = build(SOURCES / f"{name}.cc", target, *flags)
        return self.built[name, flags]

    def opp(self, root: pathlib.Path, **vendors: "list[str]") -> dict:
        """A folder with these libraries by vendor; the environment that names it."""
        for vendor, names in vendors.items():
            folder = root / "vendors" / vendor / "custom_fusion_passes"
            folder.mkdir(parents=True)
            for name in names:
                shutil.copy(self(name), folder / f"lib{name}.so")
        return {"ASCEND_OPP_PATH": str(root)}
