"""What scripts/abi_audit.py audits, a wheel or a folder, and what it finds there."""

from __future__ import annotations

import json
import os
import posixpath
import re
import zipfile
from dataclasses import dataclass, field
from typing import NamedTuple

import elf_facts
import other_facts

PROGRAM = "atc.bin"
LIBRARY = re.compile(r"\.so(\.\d+)*$")
GE_NAME = re.compile(r"^ge_py-|(^|/)libge_compiler\.so|(^|/)python_(pass|custom_op)_artifacts/")


@dataclass
class Finding:
    kind: str
    file: str
    tried: str
    expected: str
    found: str
    remedy: str
    #: The symbol that it is about, if it is about one.
    symbol: str | None = None
    #: The version that took the symbol into the stable ABI.
    since: str | None = None

    def __str__(self) -> str:
        return f"{self.file}: {self.kind}: {self.tried}: expected {self.expected}, found {self.found}; {self.remedy}"


class Tag(NamedTuple):
    """What the name of a wheel promises."""

    version: str
    python: str
    abi: str
    platform: str

    @property
    def is_stable(self) -> bool:
        return bool({"abi3", "abi3t"} & set(self.abi.split(".")))

    @property
    def floor(self) -> int | None:
        """The first minor version that the wheel is for."""
        minors = [re.fullmatch(r"cp3(\d+)", part) for part in self.python.split(".")]
        return min((int(match.group(1)) for match in minors if match), default=None)


def tag_of(name: str) -> Tag | None:
    """That of a file name; None if the name is not that of a wheel."""
    parts = name[: -len(".whl")].split("-")
    return Tag(parts[1], *parts[-3:]) if len(parts) in (5, 6) else None


@dataclass
class Manifest:
    path: str
    fields: dict

    @property
    def folder(self) -> str:
        return posixpath.dirname(self.path)

    def files(self, group: str) -> dict[str, str]:
        """Paths of the files a group ('artifacts', 'backends') names, seen from the root of the subject."""
        named = self.fields.get(group, {})
        return {
            key: posixpath.normpath(posixpath.join(self.folder, str(path))) for key, path in named.items()
        }


@dataclass
class Subject:
    """What is audited: a wheel or a folder."""

    name: str
    is_wheel: bool
    names: set[str]
    binaries: list[elf_facts.Binary] = field(default_factory=list)
    manifests: list[Manifest] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    # What the file WHEEL says that the wheel is for; None without that file.
    tags: set[str] | None = None
    # What its name promises; None for a folder, or a wheel with a name of its own.
    tag: Tag | None = None
    # Whether it holds parts of ge-py, and so promises what those promise.
    is_ge: bool = False
    _broken_manifests: list[tuple[str, str]] = field(default_factory=list)

    def report(
        self,
        kind: str,
        file: str,
        tried: str,
        expected: str,
        found: str,
        remedy: str,
        *,
        symbol: str | None = None,
        since: str | None = None,
    ) -> None:
        finding = Finding(kind, file, tried, expected, found, remedy, symbol, since)
        if finding not in self.findings:  # a library for two machines has each fault twice
            self.findings.append(finding)

    def take(self, path: str, data: bytes) -> None:
        if data.startswith(elf_facts.MAGIC):
            try:
                self.binaries.append(elf_facts.read(path, data))
            except ValueError as error:
                self.report(
                    "unreadable", path, "reading the ELF file", "a whole file", f"'{error}'", "build it again"
                )
        elif other_facts.is_other(path, data):
            try:
                self.binaries += other_facts.read(path, data)
            except ValueError as error:
                self.report("unreadable", path, "reading the library", "a whole file", f"'{error}'", "build it again")
        elif LIBRARY.search(path) or posixpath.basename(path) == PROGRAM:
            found = "an empty file" if not data else f"one that begins with {data[:4]!r}"
            self.report("unreadable", path, "reading the file", "an ELF file", found, "build it again")
        elif self.is_wheel and path.endswith(".dist-info/WHEEL"):
            lines = data.decode("utf-8", "replace").splitlines()
            self.tags = {line.partition(":")[2].strip() for line in lines if line.startswith("Tag:")}
        elif posixpath.basename(path) == "manifest.json":
            try:
                fields = json.loads(data)
                if not isinstance(fields, dict):
                    raise ValueError("not an object")
                self.manifests.append(Manifest(path, fields))
            except ValueError as error:
                self._broken_manifests.append((path, str(error)))

    def close(self) -> None:
        """Says whose the subject is, once all of it is there. What others call manifest.json is none of ours."""
        self.is_ge = (
            any(GE_NAME.search(name) for name in (self.name, *self.names))
            or any(binary.limited_api for binary in self.binaries)
            or any("bridge_abi" in manifest.fields for manifest in self.manifests)
        )
        if not self.is_ge:
            self.manifests.clear()
            return
        for path, error in self._broken_manifests:
            self.report("manifest", path, "reading the manifest", "a JSON object", f"'{error}'", "write it anew")


def open_wheel(path: str) -> Subject:
    with zipfile.ZipFile(path) as wheel:
        name = os.path.basename(path)
        subject = Subject(name, True, set(wheel.namelist()), tag=tag_of(name))
        for name in sorted(subject.names):
            subject.take(name, wheel.read(name))
    subject.close()
    return subject


def open_file(path: str) -> Subject:
    name = os.path.basename(path)
    subject = Subject(name, False, {name})
    with open(path, "rb") as stream:
        subject.take(name, stream.read())
    subject.close()
    return subject


def open_folder(path: str) -> Subject:
    subject = Subject(path, False, set())
    for folder, folders, files in os.walk(path):
        # Hidden folders hold builds in progress.
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for file in sorted(files):
            full = os.path.join(folder, file)
            name = posixpath.join(*os.path.relpath(full, path).split(os.sep))
            subject.names.add(name)
            if os.path.isfile(full):
                with open(full, "rb") as stream:
                    subject.take(name, stream.read())
    subject.close()
    return subject
