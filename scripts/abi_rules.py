"""The rules of scripts/abi_audit.py that hold for every abi3 wheel, whatever machine and system it is for."""

from __future__ import annotations

import posixpath
import re

import abi_instead
import elf_facts
from abi_subject import Subject, Tag

PYTHON_SYMBOL = re.compile(r"^_?Py[A-Z_]")
INIT_SYMBOL = re.compile(r"^PyInit|^PyModExport_")
PER_MINOR = re.compile(r"\.cpython-(\d)(\d+)[a-z]*-|\.cp3\d+[a-z]*-win")
# An interpreter of one version. On Windows modules are linked to python3.dll, which hands on to the one that runs.
LIBPYTHON = re.compile(r"(^|/)(libpython\d|Python\.framework/|Python3?$)|^python3\d+\w*\.dll$", re.IGNORECASE)
# What PEP 600 lets a wheel expect of a system with glibc, and what musl's systems have.
SYSTEM_LIBRARIES = re.compile(
    r"^(lib(stdc\+\+|gcc_s|atomic|c|m|mvec|dl|pthread|rt|util|nsl|resolv|anl|X11|Xext|Xrender|ICE|SM|GL|glib-2\.0|"
    r"gobject-2\.0|gthread-2\.0|expat|z)|ld-linux[-\w]*|ld64|ld)\.so\."
)
MUSL_LIBRARIES = re.compile(r"^(libc\.musl-\w+\.so\.1|libc\.so|ld-musl-\w+\.so\.1)$")
OLD_MANYLINUX = {"manylinux1": (2, 5), "manylinux2010": (2, 12), "manylinux2014": (2, 17)}


def minor_of(text: str) -> int | None:
    match = re.fullmatch(r"3\.(\d+)", text)
    return int(match.group(1)) if match else None


def check_tag(subject: Subject, tag: Tag) -> None:
    """The name promises abi3 from one version on, and what installers read inside says the same."""
    if not tag.is_stable:
        subject.report(
            "wheel-tag",
            subject.name,
            "reading the ABI tag",
            "'abi3'",
            f"'{tag.abi}'",
            "set the Python tag of the limited API in the build (wheel.py-api, py_limited_api, abi3-py39, ...)",
        )
    if subject.tags is None:
        subject.report(
            "wheel-tag",
            subject.name,
            "looking for the tags inside",
            "a file '*.dist-info/WHEEL'",
            "none",
            "let the build make the wheel",
        )
        return
    expected = {
        f"{p}-{a}-{m}"
        for p in tag.python.split(".")
        for a in tag.abi.split(".")
        for m in tag.platform.split(".")
    }
    if subject.tags != expected:
        subject.report(
            "wheel-tag",
            subject.name,
            "comparing the tags of its file WHEEL with the file name",
            ", ".join(f"'{text}'" for text in sorted(expected)),
            ", ".join(f"'{text}'" for text in sorted(subject.tags)) or "none",
            "rename it with 'wheel tags', which changes both",
        )


def check_stable_abi(subject: Subject, binary: elf_facts.Binary, floor: int | None) -> None:
    """Every symbol of Python that it imports is in the stable ABI, at the floor if there is one."""
    at = 999 if floor is None else floor
    # Libraries call their own helpers by such names too, across files of one wheel.
    helpers = {name for other in subject.binaries for name in other.exports}
    for name in sorted(binary.imports):
        added = abi_instead.since(name)
        if not PYTHON_SYMBOL.match(name) or (added is None and name in helpers):
            continue
        weak = ", called only where it is there (weak)" if name in binary.weak else ""
        if added is None:
            subject.report(
                "unstable-symbol",
                binary.path,
                f"looking up '{name}' in the stable ABI",
                "an entry",
                f"none{weak}",
                abi_instead.remedy(name, at),
                symbol=name,
            )
        elif added > at:
            subject.report(
                "above-floor",
                binary.path,
                f"looking up '{name}' in the stable ABI of 3.{floor}",
                f"a symbol of 3.{floor} or earlier",
                f"one added in '3.{added}'{weak}",
                abi_instead.remedy(name, at),
                symbol=name,
                since=f"3.{added}",
            )


def check_no_python_inside(subject: Subject, binary: elf_facts.Binary) -> None:
    """No library exports what CPython exports."""
    own = sorted(name for name in binary.exports if abi_instead.since(name) is not None)
    if own:
        subject.report(
            "python-inside",
            binary.path,
            "reading its exports",
            "no function of CPython",
            f"'{own[0]}'" + (f" and {len(own) - 1} more" if len(own) > 1 else ""),
            "link the module without libpython, and hide or rename copies",
            symbol=own[0],
        )


def check_suffix(subject: Subject, binary: elf_facts.Binary) -> bool:
    """Whether the file is one that every version looks for."""
    per_minor = PER_MINOR.search(binary.name)
    if per_minor:
        subject.report(
            "per-minor",
            binary.path,
            "reading its suffix",
            "'.abi3.so', or '.so'",
            f"'{per_minor.group(0)}'",
            "build it for the stable ABI",
        )
    return per_minor is None


def check_libpython(subject: Subject, binary: elf_facts.Binary) -> None:
    for library in binary.needed:
        if LIBPYTHON.search(library):
            windows = binary.system == "windows"
            subject.report(
                "libpython-needed",
                binary.path,
                "reading the libraries it needs",
                "'python3.dll'" if windows else "no libpython",
                f"'{library}'",
                "link python3.lib" if windows else "don't link it: the interpreter is there before the binary is loaded",
            )


def check_libraries(subject: Subject) -> None:
    """What the binaries need is in the wheel, or on every system that the platform tag names."""
    musl = subject.tag is not None and subject.tag.platform.startswith("musllinux")
    there = MUSL_LIBRARIES if musl else SYSTEM_LIBRARIES
    bundled = {posixpath.basename(name) for name in subject.names}
    users: dict[str, list[str]] = {}
    # What macOS and Windows promise is not known here.
    for binary in (binary for binary in subject.binaries if binary.system == "linux"):
        for library in binary.needed:
            if not (library in bundled or there.match(library) or LIBPYTHON.search(library)):
                users.setdefault(library, []).append(binary.path)
    for library, paths in sorted(users.items()):
        subject.report(
            "foreign-library",
            paths[0],
            "reading the libraries it needs",
            "those of the wheel, or those that its platform tag promises",
            f"'{library}'" + (f", as in {len(paths) - 1} more of its files" if len(paths) > 1 else ""),
            "let 'auditwheel repair' put it into the wheel, or declare the package that brings it as a dependency",
        )


def glibc_of(platform: str) -> tuple[int, int] | None:
    """The oldest glibc that a platform tag promises to be enough; None if it promises none."""
    promised = []
    for part in platform.split("."):
        match = re.match(r"manylinux_(\d+)_(\d+)_", part)
        if match:
            promised.append((int(match.group(1)), int(match.group(2))))
        elif part.split("_")[0] in OLD_MANYLINUX:
            promised.append(OLD_MANYLINUX[part.split("_")[0]])
    return min(promised, default=None)


def check_platform(subject: Subject, binary: elf_facts.Binary, platform: str) -> None:
    """Machine and symbol versions are those of the platform tag."""
    machines = {re.sub(r"^((many|musl)?linux|macosx|win)(_\d+_\d+|\d+)?_", "", part) for part in platform.split(".")}
    if "universal2" in machines:
        machines |= {"arm64", "x86_64"}
    if binary.machine and binary.machine not in machines:
        subject.report(
            "machine",
            binary.path,
            "comparing its machine with the platform tag",
            " or ".join(f"'{machine}'" for machine in sorted(machines)),
            f"'{binary.machine}'",
            "build it for the machine of the wheel",
        )
    needed = binary.versions.get("GLIBC")
    promised = glibc_of(platform)
    if needed is None or (promised is None and "musllinux" not in platform):
        return
    if promised is None or needed[:2] > promised:
        subject.report(
            "symbol-version",
            binary.path,
            "comparing the versions of glibc's symbols with the platform tag",
            f"'GLIBC_{promised[0]}.{promised[1]}' or earlier" if promised else "none, as musl has none",
            f"'GLIBC_{'.'.join(map(str, needed))}'",
            "build on an older system, or let 'auditwheel repair' choose the tag",
        )


def audit_modules(subject: Subject, floor: int | None) -> None:
    """All rules for a wheel or folder of somebody else's."""
    if subject.tag is not None:
        check_tag(subject, subject.tag)
        if not subject.tag.is_stable:  # nothing else was promised
            return
    check_libraries(subject)
    for binary in subject.binaries:
        check_libpython(subject, binary)
        check_no_python_inside(subject, binary)
        if subject.tag is not None:
            check_platform(subject, binary, subject.tag.platform)
        if check_suffix(subject, binary):
            check_stable_abi(subject, binary, floor)
