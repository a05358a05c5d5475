"""Reads from libraries of macOS (Mach-O) and Windows (PE) what scripts/abi_audit.py judges; with the package lief."""

from __future__ import annotations

import re

from elf_facts import Binary

LIBRARY = re.compile(r"\.(so|dylib|pyd|dll)$")
_MACH_O = {bytes.fromhex(magic) for magic in ("cffaedfe", "cefaedfe", "cafebabe", "cafebabf")}
# As platform tags name them.
_MACHINES = {"ARM64": "arm64", "X86_64": "x86_64", "AMD64": "amd64", "I386": "win32"}


def is_other(path: str, data: bytes) -> bool:
    """Whether the file is such a library."""
    return LIBRARY.search(path) is not None and (data[:4] in _MACH_O or data[:2] == b"MZ")


def read(path: str, data: bytes) -> list[Binary]:
    """The facts of the file called `path`: one binary, or one for each machine that it is for.

    Raises:
        ImportError: lief is not installed.
        ValueError: the bytes are no readable library.
    """
    import lief

    lief.logging.disable()
    if data[:2] == b"MZ":
        library = lief.PE.parse(data)
        if library is None:
            raise ValueError("no PE file")
        return [_of_pe(path, library)]
    slices = lief.MachO.parse(data)
    if slices is None or not all(library.has_symbol_command for library in slices):
        raise ValueError("no Mach-O file with a table of symbols")
    return [_of_mach_o(path, library) for library in slices]


def _of_pe(path: str, library) -> Binary:
    return Binary(
        path,
        system="windows",
        machine=_MACHINES.get(library.header.machine.name, ""),
        needed=[entry.name for entry in library.imports],
        imports={symbol.name for entry in library.imports for symbol in entry.entries if symbol.name},
        exports={function.name for function in library.exported_functions},
    )


def _of_mach_o(path: str, library) -> Binary:
    # Names have an underscore before that of C. A library is the first of its own libraries.
    exports = {symbol.name[1:] for symbol in library.exported_symbols}
    return Binary(
        path,
        system="macos",
        machine=_MACHINES.get(library.header.cpu_type.name, ""),
        needed=[entry.name for entry in library.libraries if entry.command.name != "ID_DYLIB"],
        imports={symbol.name[1:] for symbol in library.imported_symbols} - exports,
        exports=exports,
    )
