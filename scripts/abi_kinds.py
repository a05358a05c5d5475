"""The kinds of findings of scripts/abi_audit.py: what each is and why it matters. docs/audit.md lists them."""

from __future__ import annotations

from typing import NamedTuple


class Kind(NamedTuple):
    """`level` is that of SARIF; `ours`: only in wheels with artifact sets of ge-py."""

    level: str
    summary: str
    why: str
    ours: bool = False


KINDS = {
    "unstable-symbol": Kind(
        "error",
        "A symbol of CPython that is not in the stable ABI",
        "It may be gone or mean something else in the next minor version: the import fails, or the process.",
    ),
    "above-floor": Kind(
        "error",
        "A symbol that came into the stable ABI after the version that the wheel is tagged for",
        "On the versions between, the import fails with 'undefined symbol'.",
    ),
    "per-minor": Kind(
        "error",
        "A module whose suffix is that of one minor version, in a wheel for all of them",
        "Every other version does not see the file.",
    ),
    "libpython-needed": Kind(
        "error",
        "A library that needs libpython, or on Windows that of one version",
        "Many interpreters have none; where there is one, a second interpreter comes into the process.",
    ),
    "python-inside": Kind(
        "error",
        "Functions with the names of CPython's inside a library",
        "A libpython that was linked in is a second interpreter in the process; a copy of one function displaces, or is "
        "displaced by, the real one.",
    ),
    "foreign-library": Kind(
        "warning",
        "A needed library that is neither in the wheel nor promised by the platform tag",
        "On a machine without it the import fails, unless another package brings it.",
    ),
    "symbol-version": Kind(
        "error",
        "A version of glibc's symbols that is later than the platform tag",
        "pip installs the wheel on systems where it cannot be loaded.",
    ),
    "machine": Kind(
        "error",
        "A binary of another machine than the wheel's tag or the manifest says",
        "It cannot be loaded there.",
    ),
    "wheel-tag": Kind(
        "error",
        "A file name, tag or manifest that contradict each other",
        "Installers go by the one, loaders by the other.",
    ),
    "unreadable": Kind(
        "error",
        "A library that is not whole",
        "It cannot be loaded, and nothing can be said about it.",
    ),
    "no-binary": Kind("error", "No binary at all", "There is nothing to audit: the build lost it, or the tag is wrong."),
    "suffix": Kind(
        "error", "A native module without the suffix '.abi3.so'", "The name is what tells the next reader.", True
    ),
    "manifest": Kind("error", "A manifest that is not as the loader reads it", "The loader passes the set over.", True),
    "missing-file": Kind("error", "A part that is not there", "Passes or operators in Python do not work.", True),
    "backend": Kind("error", "A backend of nanobind that is missing or misnamed", "Its Python cannot load the set.", True),
    "limited-api": Kind(
        "error",
        "Object files compiled for another limited API than the floor",
        "Struct layouts and macros may differ although every symbol is in order.",
        True,
    ),
    "python-in-core": Kind(
        "error", "A symbol of Python in the core", "The core must run where there is no Python.", True
    ),
    "exports": Kind(
        "error",
        "Exports that are not those of the export map",
        "A symbol too many can displace another library's; one too few, and the loader finds no entry.",
        True,
    ),
    "two-cores": Kind(
        "error", "More than one copy of the core", "Two copies are two registries: passes vanish.", True
    ),
    "unresolved": Kind("error", "A symbol of the core that the core does not export", "The library cannot be loaded.", True),
    "unknown-binary": Kind("warning", "A binary that nothing declares", "Nobody loads it, or somebody unexpected does.", True),
}
