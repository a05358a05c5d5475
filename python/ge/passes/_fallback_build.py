"""Compiles bridge and native module from the sources in the package, for the Python that runs this."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from typing import Dict, List, Optional, Sequence, Tuple

__all__ = ["BuildError", "check_tools", "compile_set", "core_build_id", "ge_version", "sources_digest"]

ENV_FLAGS = "GE_PY_FALLBACK_CXXFLAGS"

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
_SOURCES = os.path.join(_PACKAGE, "passes", "fallback_codegen")
_CORE = os.path.join(_PACKAGE, "lib", "libge_compiler.so")
_MIN_NANOBIND = (3, 1)
_HOW_ELSE = "; or install the package 'nanobind-backend', which prebuilt sets need on a Python with a GIL"


class BuildError(Exception):
    """Says in its text why no set can be compiled here, and what to do.

    Attributes:
        output: what the compiler said; empty if it was not reached.
    """

    output = ""


def compiler_words() -> List[str]:
    """$CXX, else the first C++ compiler on PATH; empty if there is none."""
    chosen = os.environ.get("CXX", "").strip()
    if chosen:
        return shlex.split(chosen)
    found = next((name for name in ("c++", "g++", "clang++") if shutil.which(name)), None)
    return [found] if found else []


def compile_flags() -> List[str]:
    """Flags that decide what is compiled, GE_PY_FALLBACK_CXXFLAGS last; paths are not among them."""
    flags = ["-std=c++20", "-O1", "-fPIC", "-fvisibility=hidden", "-fvisibility-inlines-hidden", "-fno-strict-aliasing"]
    flags += ["-ffunction-sections", "-fdata-sections", "-DNDEBUG", "-DNB_DOMAIN=ge", f'-DGE_VERSION="{ge_version()}"']
    if sysconfig.get_config_var("Py_GIL_DISABLED"):
        flags.append("-DNB_FREE_THREADED")
    return flags + shlex.split(os.environ.get(ENV_FLAGS, ""))


@lru_cache(maxsize=None)
def ge_version() -> str:
    """The version that the sources belong to."""
    try:
        with open(os.path.join(_SOURCES, "VERSION"), encoding="ascii") as file:
            return file.read().strip()
    except OSError:
        raise BuildError(f"the package lacks the sources: expected '{_SOURCES}'; reinstall ge-py") from None


@lru_cache(maxsize=None)
def core_build_id() -> str:
    """The linker's identity of the core that a set is compiled against."""
    try:
        with open(_CORE, "rb") as file:
            head = file.read(1 << 16)
    except OSError as error:
        raise BuildError(f"the core '{_CORE}' cannot be read: {error.strerror}; reinstall ge-py") from error
    # An ELF note: name of 4 bytes, 20 bytes, type 3.
    note = head.find(b"\x04\0\0\0\x14\0\0\0\x03\0\0\0GNU\0")
    if note < 0:
        raise BuildError(f"the core '{_CORE}' has no build id; reinstall ge-py")
    return head[note + 16 : note + 36].hex()


@lru_cache(maxsize=None)
def sources_digest() -> str:
    """Of names and contents of all sources."""
    digest = hashlib.sha256()
    for folder, folders, names in os.walk(_SOURCES):
        folders.sort()
        for name in sorted(names):
            path = os.path.join(folder, name)
            digest.update(f"{os.path.relpath(path, _SOURCES)}\0".encode())
            with open(path, "rb") as file:
                digest.update(hashlib.sha256(file.read()).digest())
    return digest.hexdigest()


def _nanobind() -> Optional[str]:
    """The folder of the installed nanobind."""
    spec = importlib.util.find_spec("nanobind")
    places = list(spec.submodule_search_locations or ()) if spec is not None else []
    return places[0] if places else None


def nanobind_version() -> str:
    """That of the installed nanobind, "3.1.0".

    Raises:
        BuildError: it is missing or too old, or this Python is.
    """
    if sys.version_info < (3, 10):
        raise BuildError(f"nanobind needs Python '3.10' or later, this is '{sys.version.split()[0]}'")
    folder = _nanobind()
    header = os.path.join(folder or "", "include", "nanobind", "nanobind.h")
    if folder is None or not os.path.isfile(header):
        raise BuildError(f"nanobind is not installed for '{sys.executable}': run 'pip install nanobind'{_HOW_ELSE}")
    with open(header, encoding="utf-8") as file:
        text = file.read()
    parts = re.findall(r"#define NB_VERSION_(?:MAJOR|MINOR|PATCH)\s+(\d+)", text)
    if tuple(map(int, parts[:2])) < _MIN_NANOBIND:
        raise BuildError(
            f"nanobind '{'.'.join(parts)}' in '{folder}' is too old, expected "
            f"'{'.'.join(map(str, _MIN_NANOBIND))}' or later: run 'pip install -U nanobind'{_HOW_ELSE}"
        )
    return ".".join(parts)


def _includes() -> List[str]:
    nanobind = _nanobind() or ""
    ours = [os.path.join(_SOURCES, "csrc"), os.path.join(_PACKAGE, "include")]
    theirs = [sysconfig.get_path("include"), sysconfig.get_path("platinclude")]
    theirs += [os.path.join(nanobind, "include"), os.path.join(nanobind, "ext", "robin_map", "include")]
    return [f"-I{path}" for path in ours] + [word for path in theirs for word in ("-isystem", path)]


def check_tools() -> None:
    """Asks for everything a build needs.

    Raises:
        BuildError: one is missing.
    """
    ge_version()
    nanobind_version()
    words = compiler_words()
    if not words or shutil.which(words[0]) is None:
        asked = f"'{words[0]}' of CXX" if words else "'c++', 'g++' and 'clang++' on PATH"
        raise BuildError(
            f"there is no C++ compiler: looked for {asked}; install one (Debian: apt-get install g++), or set CXX{_HOW_ELSE}"
        )
    header = os.path.join(sysconfig.get_path("include"), "Python.h")
    if not os.path.isfile(header):
        raise BuildError(
            f"the headers of this Python are missing: expected '{header}'; install them (Debian: apt-get install "
            f"python{sys.version_info[0]}.{sys.version_info[1]}-dev){_HOW_ELSE}"
        )


def _run(command: Sequence[str]) -> None:
    try:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False
        )
    except OSError as error:
        raise BuildError(f"the compiler '{command[0]}' cannot be started: {error.strerror}") from error
    if done.returncode != 0:
        said = done.stdout.decode("utf-8", "replace").strip()
        lines = said.splitlines() or ["nothing"]
        first = next((line for line in lines if "error" in line), lines[-1])
        failure = BuildError(
            f"the compiler '{command[0]}' failed with code '{done.returncode}' and said '{first}'; "
            "'python -m ge.passes.runtime build' shows all of it"
        )
        failure.output = f"{' '.join(command)}\n{said}\n"
        raise failure


def _sources(name: str) -> List[str]:
    folder = os.path.join(_SOURCES, "csrc", "abi3_bridge", name)
    return [os.path.join(folder, file) for file in sorted(os.listdir(folder)) if file.endswith(".cc")]


def compile_set(objects: str, target: str) -> Tuple[str, str]:
    """Compiles everything.

    Args:
        objects: a folder to be made, for what is needed meanwhile.
        target: the folder that gets the two libraries.

    Returns:
        The names of bridge and native module.

    Raises:
        BuildError: the compiler failed; the text has what it said.
    """
    os.makedirs(objects)
    compile_command = [*compiler_words(), *compile_flags(), *_includes()]
    shared = [os.path.join(_nanobind() or "", "src", "nb_combined.cpp")]
    groups = {"shared": shared, "native": _sources("native"), "bridge": _sources("bridge")}
    jobs: List[List[str]] = []
    made: Dict[str, List[str]] = {name: [] for name in groups}
    for name, sources in groups.items():
        for source in sources:
            stem = os.path.splitext(os.path.basename(source))[0]
            made[name].append(os.path.join(objects, f"{name}_{stem}.o"))
            # nanobind's own code is compiled as the library, with whatever warnings it has.
            more = ["-w", "-DNB_BUILD"] if name == "shared" else []
            jobs.append([*compile_command, *more, "-c", source, "-o", made[name][-1]])
    with ThreadPoolExecutor(max_workers=os.cpu_count() or 1) as pool:
        list(pool.map(_run, jobs))

    bridge, native = "libge_python_pass_bridge.so", f"_ge_pass_native{sysconfig.get_config_var('EXT_SUFFIX')}"
    # No path of the core: it is in the process before, and stands for its name there.
    core = [f"-L{os.path.dirname(_CORE)}", "-lge_compiler", "-ldl"]
    for output, kind, exports in (
        (bridge, "bridge", "libge_python_pass_bridge.map"),
        (native, "native", "_ge_pass_native.map"),
    ):
        script = os.path.join(_SOURCES, "exports", exports)
        link = ["-shared", "-fPIC", "-Wl,--gc-sections", "-Wl,--strip-debug", f"-Wl,--version-script={script}"]
        _run([*compiler_words(), *link, "-o", os.path.join(target, output), *made[kind], *made["shared"], *core])
    return bridge, native
