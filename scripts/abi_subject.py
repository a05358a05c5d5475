"""What scripts/abi_audit.py audits, a wheel or a folder, and what it finds there."""

from __future__ import annotations

import json
import os
import posixpath
import re
import zipfile
from dataclasses import dataclass, field

import elf_facts

PROGRAM = "atc.bin"
LIBRARY = re.compile(r"\.so(\.\d+)*$")


@dataclass
class Finding:
    kind: str
    file: str
    tried: str
    expected: str
    found: str
    remedy: str

    def __str__(self) -> str:
        return f"{self.file}: {self.kind}: {self.tried}: expected {self.expected}, found {self.found}; {self.remedy}"


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

    def report(self, kind: str, file: str, tried: str, expected: str, found: str, remedy: str) -> None:
        self.findings.append(Finding(kind, file, tried, expected, found, remedy))

    def take(self, path: str, data: bytes) -> None:
        if data.startswith(elf_facts.MAGIC):
            try:
                self.binaries.append(elf_facts.read(path, data))
            except ValueError as error:
                self.report(
                    "unreadable", path, "reading the ELF file", "a whole file", f"'{error}'", "build it again"
                )
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
                self.report(
                    "manifest", path, "reading the manifest", "a JSON object", f"'{error}'", "write it anew"
                )


def open_wheel(path: str) -> Subject:
    with zipfile.ZipFile(path) as wheel:
        subject = Subject(os.path.basename(path), True, set(wheel.namelist()))
        for name in sorted(subject.names):
            subject.take(name, wheel.read(name))
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
    return subject
