"""Reads from an ELF file what scripts/abi_audit.py judges: imports, exports, needed libraries, notes."""

from __future__ import annotations

import io
import re
import struct
from dataclasses import dataclass, field

from elftools.common.exceptions import ELFError
from elftools.elf.dynamic import DynamicSection
from elftools.elf.elffile import ELFFile
from elftools.elf.gnuversions import GNUVerNeedSection
from elftools.elf.sections import NoteSection, SymbolTableSection

MAGIC = b"\x7fELF"
_VERSION = re.compile(r"^(GLIBC|GLIBCXX|CXXABI|GCC)_([0-9.]+)$")
# Versions that are no numbers, by the release that brought them.
_NAMED_VERSIONS = {"GLIBC_ABI_DT_RELR": "GLIBC_2.36"}
_GE_NOTE = ".note.ge.abi3"
_MACHINES = {
    "EM_X86_64": ("x86_64",),
    "EM_AARCH64": ("aarch64",),
    "EM_386": ("i686",),
    "EM_ARM": ("armv7l",),
    "EM_PPC64": ("ppc64le", "ppc64"),
    "EM_S390": ("s390x",),
    "EM_RISCV": ("riscv64",),
    "EM_LOONGARCH": ("loongarch64",),
}


@dataclass
class Binary:
    """One shared library or program."""

    path: str
    is_program: bool = False
    #: As platform tags name it, "x86_64"; empty for one that is not known here.
    machine: str = ""
    #: "linux", "macos" or "windows".
    system: str = "linux"
    needed: list[str] = field(default_factory=list)
    runpath: list[str] = field(default_factory=list)
    imports: set[str] = field(default_factory=set)
    #: Those of `imports` that may be missing.
    weak: set[str] = field(default_factory=set)
    exports: set[str] = field(default_factory=set)
    exported_functions: set[str] = field(default_factory=set)
    #: Py_LIMITED_API of the compiled files, as they noted it.
    limited_api: set[int] = field(default_factory=set)
    #: Highest version asked of each system interface: {"GLIBC": (2, 34)}.
    versions: dict[str, tuple[int, ...]] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return self.path.rpartition("/")[2]

    @property
    def folder(self) -> str:
        return self.path.rpartition("/")[0]

    @property
    def stem(self) -> str:
        return self.name.partition(".")[0]


def read(path: str, data: bytes) -> Binary:
    """Reads the facts out of the bytes of the file called `path`.

    Raises:
        ValueError: The bytes are not a readable ELF file.
    """
    binary = Binary(path)
    try:
        elf = ELFFile(io.BytesIO(data))
        segments = {segment.header.p_type for segment in elf.iter_segments()}
        binary.is_program = "PT_INTERP" in segments
        names = _MACHINES.get(elf.header["e_machine"], ("",))
        binary.machine = names[0 if elf.little_endian else -1]
        if "PT_DYNAMIC" in segments and elf.get_section_by_name(".dynsym") is None:
            raise ValueError("no table of dynamic symbols")
        for section in elf.iter_sections():
            if isinstance(section, DynamicSection):
                _read_dynamic(section, binary)
            elif isinstance(section, GNUVerNeedSection):
                _read_versions(section, binary)
            elif isinstance(section, SymbolTableSection) and section.name == ".dynsym":
                _read_symbols(section, binary)
            elif isinstance(section, NoteSection) and section.name == _GE_NOTE:
                _read_notes(section, binary)
    except (ELFError, ValueError, KeyError, IndexError, struct.error, UnicodeDecodeError) as error:
        raise ValueError(str(error) or type(error).__name__) from error
    return binary


def _read_dynamic(section: DynamicSection, binary: Binary) -> None:
    for tag in section.iter_tags():
        if tag.entry.d_tag == "DT_NEEDED":
            binary.needed.append(tag.needed)
        elif tag.entry.d_tag == "DT_RUNPATH":
            binary.runpath += tag.runpath.split(":")
        elif tag.entry.d_tag == "DT_RPATH":
            binary.runpath += tag.rpath.split(":")


def _read_versions(section: GNUVerNeedSection, binary: Binary) -> None:
    for library, auxiliaries in section.iter_versions():
        # libgcc_s has versions of its own that are named GLIBC_2.0, on systems with musl too.
        if library.name.startswith("libgcc_s"):
            continue
        for auxiliary in auxiliaries:
            match = _VERSION.match(_NAMED_VERSIONS.get(auxiliary.name, auxiliary.name))
            if match:
                version = tuple(int(part) for part in match.group(2).split("."))
                binary.versions[match.group(1)] = max(version, binary.versions.get(match.group(1), ()))


def _read_symbols(section: SymbolTableSection, binary: Binary) -> None:
    for symbol in section.iter_symbols():
        if not symbol.name or symbol["st_info"]["bind"] == "STB_LOCAL":
            continue
        if symbol["st_shndx"] == "SHN_UNDEF":
            binary.imports.add(symbol.name)
            if symbol["st_info"]["bind"] == "STB_WEAK":
                binary.weak.add(symbol.name)
        elif symbol["st_other"]["visibility"] in ("STV_DEFAULT", "STV_PROTECTED"):
            binary.exports.add(symbol.name)
            if symbol["st_info"]["type"] in ("STT_FUNC", "STT_GNU_IFUNC", "STT_LOOS"):
                binary.exported_functions.add(symbol.name)


def _read_notes(section: NoteSection, binary: Binary) -> None:
    for note in section.iter_notes():
        if note["n_name"] == "ge" and note["n_descsz"] == 4:
            description = note["n_descdata"] if "n_descdata" in note else note["n_desc"]
            raw = description.encode("latin-1") if isinstance(description, str) else bytes(description)
            binary.limited_api.add(int.from_bytes(raw[:4], "little"))
