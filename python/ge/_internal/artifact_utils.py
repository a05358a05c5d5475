"""Artifact sets: folders with a manifest, a bridge and a native module; which of them fits this interpreter."""

from __future__ import annotations

import json
import os
import re
import sys
from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Tuple

__all__ = [
    "FORMAT_VERSION",
    "MANIFEST",
    "PACKAGE",
    "Artifact",
    "ArtifactKind",
    "UnusableSet",
    "find_artifacts",
    "is_free_threaded",
    "load_artifact",
    "this_abi",
    "this_platform",
    "this_python",
    "this_version",
]

MANIFEST = "manifest.json"
FORMAT_VERSION = 1
# Not resolved: a staged package may be made of links to single files.
PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


class ArtifactKind(NamedTuple):
    """What tells the sets of one part of ge from those of another.

    Attributes:
        package: the Python package they serve, "ge.passes".
        native_module: full name of their native module.
        sets_folder: where they lie below the folder of ge.
        bridge_abi: the ABI that their bridge must speak.
        override: the environment variable that names a set to prefer.
    """

    package: str
    native_module: str
    sets_folder: str
    bridge_abi: int
    override: str

    @property
    def sets_root(self) -> str:
        """The folder that holds the sets of the installed package."""
        return os.path.join(PACKAGE, self.sets_folder)


class UnusableSet(Exception):
    """Says in its text why a set was passed over."""


class Artifact(NamedTuple):
    """A set that fits this interpreter; all paths are real and absolute."""

    root: str
    bridge: str
    native: str
    python_abi: str
    ge_version: str
    backends: Mapping[str, str]


def this_platform() -> str:
    """The platform name as manifests write it, "linux-x86_64"."""
    system = os.uname()
    return f"{system.sysname.lower()}-{system.machine}"


def this_python() -> str:
    """The interpreter's version, "3.11"."""
    return f"{sys.version_info[0]}.{sys.version_info[1]}"


def this_version() -> str:
    """The version of this package, "0.1.0".

    Raises:
        UnusableSet: the package does not tell; it is not whole.
    """
    path = os.path.join(PACKAGE, "passes", "fallback_codegen", "VERSION")
    try:
        with open(path, encoding="ascii") as file:
            return file.read().strip()
    except OSError as error:
        raise UnusableSet(f"the version of this package cannot be read: '{path}': {error.strerror}") from error


def is_free_threaded() -> bool:
    """Whether this interpreter was built without a GIL."""
    return "t" in sys.abiflags


def this_abi() -> str:
    """The ABI of this interpreter alone, "cp311" or "cp313t"."""
    return f"cp{sys.version_info[0]}{sys.version_info[1]}{'t' if is_free_threaded() else ''}"


def _no_duplicates(pairs: List[Tuple[str, Any]]) -> Dict[str, Any]:
    found: Dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise ValueError(f"member '{key}' appears twice")
        found[key] = value
    return found


def _member(manifest: Mapping[str, Any], name: str, kind: type) -> Any:
    value = manifest.get(name)
    # bool is an int to isinstance, and JSON keeps them apart.
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        found = "nothing" if name not in manifest else repr(value)
        raise UnusableSet(f"its manifest needs '{name}' of type '{kind.__name__}', found '{found}'")
    return value


def _inside(root: str, text: Any, what: str) -> str:
    if not isinstance(text, str) or not text:
        raise UnusableSet(f"its manifest names no file for '{what}'")
    path = os.path.realpath(os.path.join(root, text))
    if not path.startswith(root + os.sep) or not os.path.isfile(path):
        raise UnusableSet(f"its manifest names '{text}' for '{what}', which is no file inside the set")
    return path


def _floor(text: str) -> Tuple[int, int]:
    match = re.fullmatch(r"(\d+)\.(\d+)", text)
    if match is None:
        raise UnusableSet(f"its manifest gives '{text}' as abi3_floor, expected a version like '3.9'")
    return int(match.group(1)), int(match.group(2))


def load_artifact(root: str, kind: ArtifactKind) -> Artifact:
    """Reads the set in `root`.

    Raises:
        UnusableSet: it cannot be used by this interpreter.
    """
    root = os.path.realpath(root)
    try:
        with open(os.path.join(root, MANIFEST), encoding="utf-8") as file:
            manifest = json.load(file, object_pairs_hook=_no_duplicates)
    except OSError as error:
        raise UnusableSet(f"its manifest cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise UnusableSet(f"its manifest is not well formed: {error}") from error
    if not isinstance(manifest, dict):
        raise UnusableSet("its manifest is not a JSON object")
    version = _member(manifest, "format_version", int)
    if version != FORMAT_VERSION:
        raise UnusableSet(
            f"its manifest has format_version '{version}', this package reads '{FORMAT_VERSION}'"
        )
    abi = _member(manifest, "python_abi", str)
    stable = "abi3t" if is_free_threaded() else "abi3"
    if abi not in ("abi3", stable, this_abi()):
        raise UnusableSet(f"it is built for the Python ABI '{abi}', expected '{stable}' or '{this_abi()}'")
    platform_name = _member(manifest, "platform", str)
    if platform_name != this_platform():
        raise UnusableSet(f"it is built for '{platform_name}', this is '{this_platform()}'")
    bridge_abi = _member(manifest, "bridge_abi", int)
    if bridge_abi != kind.bridge_abi:
        raise UnusableSet(f"its bridge speaks ABI '{bridge_abi}', this package needs '{kind.bridge_abi}'")
    ge_version = _member(manifest, "ge_version", str)
    if ge_version != this_version():
        raise UnusableSet(f"it belongs to ge-py '{ge_version}', this package is '{this_version()}'")
    floor = _member(manifest, "abi3_floor", str)
    if sys.version_info[:2] < _floor(floor):
        raise UnusableSet(f"it needs Python '{floor}' or later, this is '{this_python()}'")
    if is_free_threaded() and not _member(manifest, "free_threaded", bool):
        raise UnusableSet("it needs an interpreter with a GIL, this one is free-threaded")
    artifacts = _member(manifest, "artifacts", dict)
    backends = _member(manifest, "backends", dict) if "backends" in manifest else {}
    if not all(isinstance(path, str) for path in backends.values()):
        raise UnusableSet("its manifest needs texts as members of 'backends'")
    return Artifact(
        root=root,
        bridge=_inside(root, artifacts.get("bridge"), "bridge"),
        native=_inside(root, artifacts.get("native"), "native"),
        python_abi=abi,
        ge_version=ge_version,
        # A backend belongs to the package, not to one set, and so may lie outside of it.
        backends={tag: os.path.realpath(os.path.join(root, path)) for tag, path in backends.items()},
    )


def artifact_folders(sets_root: str, override: Optional[str]) -> List[str]:
    """Folders that may hold a set, the preferred ones first."""
    folders = [override] if override else []
    children = sorted(os.listdir(sets_root)) if os.path.isdir(sets_root) else []
    for folder in [sets_root, *(os.path.join(sets_root, child) for child in children)]:
        if os.path.isfile(os.path.join(folder, MANIFEST)):
            folders.append(folder)
    return folders


def find_artifacts(kind: ArtifactKind, sets_root: Optional[str] = None) -> Tuple[List[Artifact], List[str]]:
    """All sets below `sets_root` (by default that of the kind) that fit, and a line for each that does not."""
    fitting: List[Artifact] = []
    passed_over: List[str] = []
    for folder in artifact_folders(sets_root or kind.sets_root, os.environ.get(kind.override)):
        try:
            fitting.append(load_artifact(folder, kind))
        except UnusableSet as reason:
            passed_over.append(f"artifact set '{folder}' was passed over: {reason}")
    return fitting, passed_over
