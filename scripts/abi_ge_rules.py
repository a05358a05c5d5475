"""The rules of scripts/abi_audit.py for the parts of ge-py: manifests, core, export maps."""

from __future__ import annotations

import fnmatch
import os
import posixpath
import re

import elf_facts
from abi_rules import (
    LIBPYTHON,
    PER_MINOR,
    PYTHON_SYMBOL,
    check_libpython,
    check_no_python_inside,
    check_platform,
    check_stable_abi,
    check_tag,
    minor_of,
)
from abi_subject import PROGRAM, Manifest, Subject, Tag

CORE = "libge_compiler.so"
SYSTEM_LIBRARIES = re.compile(
    r"^(libstdc\+\+|libgcc_s|libc|libm|libdl|libpthread|librt|ld-linux-x86-64|ld-linux-aarch64)\.so\."
)
SANITIZER_LIBRARIES = re.compile(r"^lib(asan|ubsan|tsan)\.so\.")
CORE_SYMBOL = re.compile(r"^_Z[A-Z]*N?K?(2ge|4gert)|^(ge_|Ge)")
# A wheel has at least one set of each kind.
SETS = {"passes": "python_pass_artifacts", "custom operators": "python_custom_op_artifacts"}
MANIFEST_FIELDS = {
    "format_version": int,
    "python_abi": str,
    "abi3_floor": str,
    "free_threaded": bool,
    "platform": str,
    "bridge_abi": int,
    "ge_version": str,
    "artifacts": dict,
}


def check_manifest(subject: Subject, manifest: Manifest) -> None:
    for key, kind in MANIFEST_FIELDS.items():
        value = manifest.fields.get(key)
        if type(value) is not kind:
            subject.report(
                "manifest",
                manifest.path,
                f"reading the field '{key}'",
                f"a value of type '{kind.__name__}'",
                f"'{value}'",
                "write the field",
            )
    if isinstance(manifest.fields.get("abi3_floor"), str) and minor_of(manifest.fields["abi3_floor"]) is None:
        subject.report(
            "manifest",
            manifest.path,
            "reading the field 'abi3_floor'",
            "a version like '3.9'",
            f"'{manifest.fields['abi3_floor']}'",
            "name the floor as major.minor",
        )
    for group in ("artifacts", "backends"):
        if not isinstance(manifest.fields.get(group, {}), dict):
            manifest.fields[group] = {}
    for group in ("artifacts", "backends"):
        for key, path in manifest.files(group).items():
            if path not in subject.names:
                subject.report(
                    "missing-file",
                    manifest.path,
                    f"looking for the {group} entry '{key}'",
                    f"the file '{path}'",
                    "no such file",
                    "build it or take the entry out",
                )
            elif group == "artifacts" and not path.startswith(
                manifest.folder + "/" if manifest.folder else ""
            ):
                subject.report(
                    "manifest",
                    manifest.path,
                    f"placing the artifact '{key}'",
                    f"a file inside '{manifest.folder}'",
                    f"'{path}'",
                    "move it into the folder of its set",
                )
    for key in ("bridge", "native"):
        if key not in manifest.fields.get("artifacts", {}):
            subject.report(
                "manifest",
                manifest.path,
                f"looking for the artifact '{key}'",
                "an entry",
                "none",
                "declare it",
            )


def floor_of(subject: Subject, asked: str | None) -> int | None:
    """Minor version of the floor; None, with a finding, where nothing names it."""
    if asked is not None:
        return minor_of(asked)
    # Sets for free-threaded interpreters have a stable ABI of their own, and so a floor of their own.
    manifests = [manifest for manifest in subject.manifests if manifest.fields.get("python_abi") != "abi3t"]
    named = {minor_of(manifest.fields.get("abi3_floor", "")) for manifest in manifests} - {None}
    if len(named) > 1:
        texts = ", ".join(f"'3.{minor}'" for minor in sorted(named))
        subject.report(
            "manifest",
            subject.name,
            "comparing the floors of the manifests",
            "one floor",
            texts,
            "build all sets for one floor",
        )
    if named:
        return min(named)
    if subject.is_wheel and not subject.manifests:
        subject.report(
            "manifest",
            subject.name,
            "looking for the artifact manifest",
            "a file 'manifest.json'",
            "none",
            "build the wheel with its artifact sets",
        )
    noted = {value >> 16 & 0xFF for binary in subject.binaries for value in binary.limited_api}
    return min(noted) if noted else None


def check_ge_tag(subject: Subject, tag: Tag, floor: int | None) -> None:
    """The manifests say what the name of the wheel says."""
    if floor is not None and tag.python != f"cp3{floor}":
        subject.report(
            "wheel-tag",
            subject.name,
            "comparing the Python tag with the floor of the manifest",
            f"'cp3{floor}'",
            f"'{tag.python}'",
            "give the build the same GE_CP39_PYTHON for tag and binaries",
        )
    for manifest in subject.manifests:
        machine = str(manifest.fields.get("platform", "")).replace("-", "_")
        if machine and not re.search(
            rf"(^|_){re.escape(machine.partition('_')[2])}$", tag.platform.split(".")[0]
        ):
            subject.report(
                "wheel-tag",
                manifest.path,
                "comparing its platform with the tag",
                f"'{tag.platform}'",
                f"'{manifest.fields['platform']}'",
                "build the artifacts for the platform of the wheel",
            )
        if "ge_version" in manifest.fields and manifest.fields["ge_version"] != tag.version:
            subject.report(
                "manifest",
                manifest.path,
                "comparing its version with that of the wheel",
                f"'{tag.version}'",
                f"'{manifest.fields['ge_version']}'",
                "build the artifacts anew",
            )


def check_machine(subject: Subject, manifest: Manifest) -> None:
    """The binaries of a set are for the platform that its manifest names."""
    expected = str(manifest.fields.get("platform", "")).partition("-")[2]
    files = set(manifest.files("artifacts").values())
    for binary in subject.binaries:
        if binary.path in files and expected and binary.machine not in ("", expected):
            subject.report(
                "machine",
                binary.path,
                f"comparing its machine with '{manifest.path}'",
                f"'{expected}'",
                f"'{binary.machine}'",
                "build the set for the platform of its manifest",
            )


def check_whole(subject: Subject) -> None:
    """A wheel with artifact sets is of no use without the library and the program that use them."""
    names = {posixpath.basename(name) for name in subject.names}
    for name in (CORE, PROGRAM):
        if name not in names:
            subject.report(
                "missing-file", subject.name, f"looking for '{name}'", "one", "none", "build the whole wheel"
            )
    for what, folder in SETS.items():
        if not any(f"/{folder}/" in manifest.path for manifest in subject.manifests):
            subject.report(
                "missing-file",
                subject.name,
                f"looking for the artifact set of {what}",
                f"a manifest below '{folder}'",
                "none",
                "build the whole wheel",
            )


def check_backends(subject: Subject, floor: int | None) -> dict[str, int]:
    """Declared backends by path, each with the minor version it is for."""
    declared: dict[str, int] = {}
    for manifest in subject.manifests:
        for key, path in manifest.files("backends").items():
            match = re.fullmatch(r"cp3(\d+)", key)
            named = PER_MINOR.search(posixpath.basename(path))
            if not match or not named or named.group(2) != match.group(1):
                subject.report(
                    "backend",
                    manifest.path,
                    f"reading the backend '{key}'",
                    "a key 'cp3N' and a file whose name has the suffix of CPython 3.N",
                    f"'{path}'",
                    "declare the backend of that version",
                )
            declared[path] = int(match.group(1)) if match else -1
    for minor in range(floor if floor is not None else 10, 10):
        if subject.manifests and minor not in declared.values():
            subject.report(
                "backend",
                subject.name,
                f"looking for the backend of the floor, CPython 3.{minor}",
                f"an entry 'cp3{minor}' under 'backends' in a manifest",
                "none",
                "build with GE_CP39_PYTHON, or with the floor 3.10",
            )
    return declared


def check_limited_api(subject: Subject, binary: elf_facts.Binary, floor: int) -> None:
    expected = 0x03000000 | floor << 16
    if binary.limited_api != {expected}:
        found = ", ".join(f"'0x{value:08X}'" for value in sorted(binary.limited_api)) or "no note"
        subject.report(
            "limited-api",
            binary.path,
            "reading what Py_LIMITED_API it was compiled with",
            f"'0x{expected:08X}'",
            found,
            "compile all its files with csrc/abi3_bridge/limited_api.h for that floor",
        )


def check_no_python(subject: Subject, binary: elf_facts.Binary) -> None:
    for name in sorted(filter(PYTHON_SYMBOL.match, binary.imports)):
        subject.report(
            "python-in-core",
            binary.path,
            "reading its imports",
            "no symbol of Python",
            f"'{name}'",
            "move the code into csrc/abi3_bridge",
            symbol=name,
        )


def check_exports(subject: Subject, binary: elf_facts.Binary, maps: str) -> None:
    path = os.path.join(maps, binary.stem + ".map")
    if not os.path.isfile(path):
        subject.report(
            "exports",
            binary.path,
            "looking for its export map",
            f"the file '{path}'",
            "no such file",
            "write the map and link with it",
        )
        return
    with open(path, encoding="utf-8") as stream:
        text = re.sub(r"#.*|/\*.*?\*/", "", stream.read())
    exported = re.search(r"global:(.*?)(local:|\})", text, re.DOTALL)
    patterns = [
        pattern.strip() for pattern in (exported.group(1) if exported else "").split(";") if pattern.strip()
    ]
    matches = re.compile("|".join(fnmatch.translate(pattern) for pattern in patterns) or r"(?!)").match
    for name in sorted(binary.exports):
        if not matches(name):
            subject.report(
                "exports",
                binary.path,
                "comparing its exports with the export map",
                f"a name of '{path}'",
                f"'{name}'",
                "link with the map, or add the name to it",
                symbol=name,
            )
    check_entries(subject, binary, patterns, path)


def check_entries(subject: Subject, binary: elf_facts.Binary, patterns: list[str], path: str) -> None:
    for name in patterns:
        if "*" not in name and name not in binary.exports:
            subject.report(
                "exports",
                binary.path,
                f"looking for '{name}' of '{path}' among its exports",
                "an export",
                "none",
                "mark its definition as exported, or take it out of the map",
                symbol=name,
            )


def check_one_core(subject: Subject, users: list[elf_facts.Binary]) -> None:
    cores = [binary for binary in subject.binaries if binary.name.startswith(CORE)]
    for extra in cores[1:]:
        subject.report(
            "two-cores",
            extra.path,
            f"counting the copies of '{CORE}'",
            f"one, '{cores[0].path}'",
            "another",
            "install the core once; a second copy is a second registry",
        )
    provided = cores[0].exports if cores else set()
    for binary in users:
        for name in sorted(binary.exports & provided):
            subject.report(
                "two-cores",
                binary.path,
                f"looking for functions of '{CORE}' in it",
                "none",
                f"'{name}'",
                f"link '{CORE}' instead of its object files",
                symbol=name,
            )
        if not cores:
            continue
        if CORE not in binary.needed:
            # A program or bridge that calls nothing of the core has no reason to need it.
            if any(CORE_SYMBOL.match(name) for name in binary.imports):
                subject.report(
                    "two-cores",
                    binary.path,
                    "reading the libraries it needs",
                    f"'{CORE}'",
                    "no entry for it",
                    f"link '{CORE}'",
                )
        else:
            places = [
                posixpath.normpath(entry.replace("$ORIGIN", binary.folder or "."))
                for entry in binary.runpath
                if entry.startswith("$ORIGIN")
            ]
            if len(places) != len(binary.runpath) or places != [cores[0].folder or "."]:
                subject.report(
                    "two-cores",
                    binary.path,
                    f"following its run path to '{CORE}'",
                    f"'{cores[0].folder}'",
                    f"'{':'.join(binary.runpath)}'",
                    "set the run path relative to $ORIGIN",
                )
        for name in sorted(binary.imports - provided):
            if CORE_SYMBOL.match(name):
                subject.report(
                    "unresolved",
                    binary.path,
                    f"looking for '{name}' in '{cores[0].path}'",
                    "an export",
                    "none",
                    "mark it GE_API, and build the two together",
                    symbol=name,
                )


def check_libraries(subject: Subject, binary: elf_facts.Binary) -> None:
    check_libpython(subject, binary)
    for library in binary.needed:
        if (
            library != CORE
            and not SYSTEM_LIBRARIES.match(library)
            and not SANITIZER_LIBRARIES.match(library)
            and not LIBPYTHON.search(library)
        ):
            subject.report(
                "foreign-library",
                binary.path,
                "reading the libraries it needs",
                f"'{CORE}' and those of the C++ run time",
                f"'{library}'",
                "link it statically or do without",
            )


def audit_parts(subject: Subject, floor: int | None, maps: str) -> None:
    """All rules for a wheel or folder of ge-py, whose manifests were read before."""
    for manifest in subject.manifests:
        check_machine(subject, manifest)
    if subject.tag is not None:
        check_tag(subject, subject.tag)
        check_ge_tag(subject, subject.tag, floor)
    if subject.is_wheel and subject.manifests:
        check_whole(subject)
    backends = check_backends(subject, floor)
    bridges = {
        path for manifest in subject.manifests for path in [manifest.files("artifacts").get("bridge")] if path
    }
    natives = {
        path for manifest in subject.manifests for path in [manifest.files("artifacts").get("native")] if path
    }

    free_threaded = {
        path: minor_of(str(manifest.fields.get("abi3_floor")))
        for manifest in subject.manifests
        if manifest.fields.get("python_abi") == "abi3t"
        for path in manifest.files("artifacts").values()
    }

    users = []
    for binary in subject.binaries:
        check_libraries(subject, binary)
        check_no_python_inside(subject, binary)
        if subject.tag is not None:
            check_platform(subject, binary, subject.tag.platform)
        if binary.path in backends:
            check_exports(subject, binary, maps)
            continue
        if binary.name.startswith(CORE):
            check_no_python(subject, binary)
            check_exports(subject, binary, maps)
            continue
        if binary.name == PROGRAM:
            check_no_python(subject, binary)
            for name in sorted(binary.exported_functions):
                subject.report(
                    "exports",
                    binary.path,
                    "reading its exports",
                    "no function",
                    f"'{name}'",
                    "link the program without -rdynamic",
                )
            users.append(binary)
            continue
        per_minor = PER_MINOR.search(binary.name)
        if per_minor:
            subject.report(
                "per-minor",
                binary.path,
                "reading its suffix",
                "'.abi3.so' or a declared backend",
                f"'{per_minor.group(0)}'",
                "build it for the stable ABI, or declare it under 'backends'",
            )
            continue
        own_floor = free_threaded.get(binary.path, floor)
        suffix = ".abi3t.so" if binary.path in free_threaded else ".abi3.so"
        is_native = binary.path in natives or any(name.startswith("PyInit_") for name in binary.exports)
        is_bridge = binary.path in bridges or (not subject.manifests and bool(binary.limited_api))
        if is_native and not binary.name.endswith(suffix):
            subject.report(
                "suffix",
                binary.path,
                "reading the suffix of a native module",
                f"'{suffix}'",
                f"'{binary.name}'",
                "name the file so that every version finds it",
            )
        if not is_native and not is_bridge:
            subject.report(
                "unknown-binary",
                binary.path,
                "looking for what it is",
                f"'{CORE}', '{PROGRAM}', or a file that a manifest names",
                "none of them",
                "declare it or leave it out",
            )
        check_stable_abi(subject, binary, own_floor)
        if own_floor is not None:
            check_limited_api(subject, binary, own_floor)
        check_exports(subject, binary, maps)
        users.append(binary)
    check_one_core(subject, users)
