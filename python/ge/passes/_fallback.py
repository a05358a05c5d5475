"""The cache of artifact sets that were compiled on this machine, for interpreters that no prebuilt set serves."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import os
import shutil
import stat
import sys
import tempfile
from typing import Any, Dict, Iterator, List, NamedTuple

from ge.passes import _fallback_build as build
from ge.passes._artifact_utils import (
    BRIDGE_ABI,
    FORMAT_VERSION,
    MANIFEST,
    Artifact,
    UnusableSet,
    is_free_threaded,
    load_artifact,
    this_abi,
    this_platform,
    this_python,
)

__all__ = ["ENV_FALLBACK", "CacheEntry", "cache_folder", "clean", "entries", "find", "find_or_build", "is_enabled"]

ENV_FALLBACK = "GE_PY_FALLBACK"


class CacheEntry(NamedTuple):
    """A set in the cache.

    Attributes:
        folder: where it lies.
        problem: why it cannot be used; empty if it can.
        current: whether it is the one that this interpreter and this package would use.
    """

    folder: str
    problem: str
    current: bool


def is_enabled() -> bool:
    """Whether sets of the cache are used and made; GE_PY_FALLBACK=0 turns both off."""
    return os.environ.get(ENV_FALLBACK, "") != "0"


def cache_folder() -> str:
    """The folder of the cache, which need not exist."""
    home = os.environ.get("XDG_CACHE_HOME", "")
    if not os.path.isabs(home):
        home = os.path.join(os.path.expanduser("~"), ".cache")
    return os.path.join(home, "ge-py", "bridges")


def _check_private(folder: str, forbidden: int, remedy: str) -> None:
    status = os.lstat(folder)
    if not stat.S_ISDIR(status.st_mode):
        raise build.BuildError(f"cache folder '{folder}' is no folder; remove it")
    if status.st_uid != os.geteuid():
        raise build.BuildError(
            f"cache folder '{folder}' belongs to user '{status.st_uid}', expected '{os.geteuid()}'; "
            "set XDG_CACHE_HOME to a folder of your own"
        )
    if status.st_mode & forbidden:
        raise build.BuildError(
            f"cache folder '{folder}' has mode '{stat.S_IMODE(status.st_mode):o}', so others can change what is loaded "
            f"from it; {remedy}"
        )


def _private_folder(create: bool) -> str:
    """The cache folder, after a look at whose it is.

    Raises:
        BuildError: others can write to it, or it cannot be made.
        FileNotFoundError: it does not exist, and was not to be made.
    """
    folder = cache_folder()
    parent = os.path.dirname(folder)
    if create:
        try:
            os.makedirs(os.path.dirname(parent), exist_ok=True)
            for path in (parent, folder):
                with contextlib.suppress(FileExistsError):
                    os.mkdir(path, 0o700)
        except OSError as error:
            raise build.BuildError(
                f"cache folder '{folder}' cannot be made: {error.strerror}; set XDG_CACHE_HOME to a folder that can be "
                "written to"
            ) from error
    _check_private(parent, 0o022, f"run 'chmod go-w {parent}'")
    _check_private(folder, 0o077, f"remove it, it is made anew: 'rm -r {folder}'")
    return folder


def _digest(path: str) -> str:
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def _key() -> Dict[str, Any]:
    """Everything that decides what comes out of the compiler, or whether it can be used."""
    return {
        "python": sys.version,
        "abi": this_abi(),
        "platform": this_platform(),
        "ge_version": build.ge_version(),
        "core": build.core_build_id(),
        "sources": build.sources_digest(),
        "nanobind": build.nanobind_version(),
        "flags": build.compile_flags(),
    }


def _entry_name(key: Dict[str, Any]) -> str:
    digest = hashlib.sha256(json.dumps(key, sort_keys=True).encode()).hexdigest()[:16]
    return f"{this_abi()}-{this_platform()}-{digest}"


def _checked(folder: str) -> Artifact:
    """The set in that folder, if its files are those that were put there.

    Raises:
        UnusableSet: they are not, or it does not fit.
    """
    artifact = load_artifact(folder)
    with open(os.path.join(artifact.root, MANIFEST), encoding="utf-8") as file:
        manifest = json.load(file)
    if manifest.get("core") != build.core_build_id():
        raise UnusableSet("it was compiled for another build of this package")
    digests = manifest.get("sha256")
    for name, path in (("bridge", artifact.bridge), ("native", artifact.native)):
        if not isinstance(digests, dict) or digests.get(name) != _digest(path):
            raise UnusableSet(f"its file '{os.path.basename(path)}' is not the one that was compiled")
    return artifact


@contextlib.contextmanager
def _locked(cache: str) -> Iterator[None]:
    """One process at a time; the kernel lets go of the lock when a process dies."""
    descriptor = os.open(os.path.join(cache, ".lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _remove(folder: str) -> None:
    # Renamed first: another process sees all of it or nothing.
    away = tempfile.mkdtemp(prefix=".old-", dir=os.path.dirname(folder))
    with contextlib.suppress(OSError):
        os.rename(folder, os.path.join(away, "set"))
    shutil.rmtree(away, ignore_errors=True)


def _make(cache: str, name: str, key: Dict[str, Any]) -> Artifact:
    work = tempfile.mkdtemp(prefix=".work-", dir=cache)
    try:
        made = os.path.join(work, "set")
        os.mkdir(made, 0o700)
        bridge, native = build.compile_set(os.path.join(work, "objects"), made)
        files = {"bridge": os.path.join(made, bridge), "native": os.path.join(made, native)}
        manifest = {
            "format_version": FORMAT_VERSION,
            "python_abi": this_abi(),
            "abi3_floor": this_python(),
            "free_threaded": is_free_threaded(),
            "platform": this_platform(),
            "bridge_abi": BRIDGE_ABI,
            "ge_version": key["ge_version"],
            "core": key["core"],
            "artifacts": {"bridge": bridge, "native": native},
            "sizes": {what: os.path.getsize(path) for what, path in files.items()},
            "sha256": {what: _digest(path) for what, path in files.items()},
            "built_from": {**key, "compiler": build.compiler_words()},
        }
        with open(os.path.join(made, MANIFEST), "w", encoding="utf-8") as file:
            json.dump(manifest, file, indent=1)
            file.flush()
            os.fsync(file.fileno())
        os.rename(made, os.path.join(cache, name))
    finally:
        shutil.rmtree(work, ignore_errors=True)
    return _checked(os.path.join(cache, name))


def find() -> Artifact:
    """The cached set for this interpreter.

    Raises:
        UnusableSet: there is none, or it cannot be used.
        BuildError: one could not even be built here, so there is none either.
    """
    try:
        cache = _private_folder(create=False)
    except FileNotFoundError:
        raise UnusableSet("there is none in the cache") from None
    folder = os.path.join(cache, _entry_name(_key()))
    if not os.path.isdir(folder):
        raise UnusableSet("there is none in the cache")
    return _checked(folder)


def find_or_build(rebuild: bool = False) -> Artifact:
    """The cached set for this interpreter, compiled now if it is not there or is damaged.

    Raises:
        BuildError: it cannot be compiled; the text says what is missing.
    """
    key = _key()
    cache = _private_folder(create=True)
    name = _entry_name(key)
    folder = os.path.join(cache, name)
    if not rebuild:
        with contextlib.suppress(UnusableSet):
            return _checked(folder)
    build.check_tools()
    with _locked(cache):
        # Another process may have made it meanwhile.
        if not rebuild:
            with contextlib.suppress(UnusableSet):
                return _checked(folder)
        for left in os.listdir(cache):
            if left.startswith((".work-", ".old-")):  # of a process that died
                shutil.rmtree(os.path.join(cache, left), ignore_errors=True)
        if os.path.lexists(folder):
            _remove(folder)
        try:
            return _make(cache, name, key)
        except UnusableSet as problem:
            raise build.BuildError(f"the set that was compiled cannot be used: {problem}") from problem
        except OSError as error:
            raise build.BuildError(f"cache folder '{cache}' cannot be written to: {error.strerror}") from error


def _names(cache: str) -> List[str]:
    return sorted(name for name in os.listdir(cache) if not name.startswith("."))


def entries() -> List[CacheEntry]:
    """All sets of the cache.

    Raises:
        BuildError: others can write to the cache.
    """
    try:
        cache = _private_folder(create=False)
    except FileNotFoundError:
        return []
    try:
        current = _entry_name(_key())
    except build.BuildError:
        current = ""
    found: List[CacheEntry] = []
    for name in _names(cache):
        folder = os.path.join(cache, name)
        try:
            _checked(folder)
            problem = ""
        except UnusableSet as reason:
            problem = str(reason)
        found.append(CacheEntry(folder, problem, name == current))
    return found


def clean() -> int:
    """Removes all sets of the cache; the number of them."""
    try:
        cache = _private_folder(create=False)
    except FileNotFoundError:
        return 0
    with _locked(cache):
        names = _names(cache)
        for name in os.listdir(cache):
            if name != ".lock":
                _remove(os.path.join(cache, name))
    return len(names)
