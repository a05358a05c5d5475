"""Libraries of macOS and Windows, made here: as much of them as says what they need."""

from __future__ import annotations

import struct

ARM64, X86_64 = 0x0100000C, 0x01000007


def mach_o(symbols: list[str], libraries: list[str], cpu: int = ARM64) -> bytes:
    """A bundle that asks for these symbols and libraries."""
    names, table = b"\0", b""
    for symbol in symbols:
        table += struct.pack("<IBBHQ", len(names), 1, 0, 0, 0)  # undefined, external
        names += b"_" + symbol.encode() + b"\0"
    commands = b""
    for library in libraries:
        text = library.encode() + b"\0"
        text += b"\0" * (-len(text) % 8)
        commands += struct.pack("<IIIIII", 0xC, 24 + len(text), 24, 0, 0x10000, 0x10000) + text
    size = 72 + 24 + len(commands)
    data = 32 + size
    header = struct.pack("<IiiIIIII", 0xFEEDFACF, cpu, 0, 8, 2 + len(libraries), size, 0, 0)
    ends = len(table) + len(names)
    segment = struct.pack("<II16sQQQQiiII", 0x19, 72, b"__LINKEDIT", 0x4000, 0x1000, data, ends, 1, 1, 0, 0)
    symtab = struct.pack("<IIIIII", 2, 24, data, len(symbols), data + len(table), len(names))
    return header + segment + symtab + commands + table + names


def universal(slices: list[tuple[int, bytes]]) -> bytes:
    """One file with a library for each machine."""
    header, body, at = struct.pack(">II", 0xCAFEBABE, len(slices)), b"", 0x1000
    for cpu, data in slices:
        header += struct.pack(">iiIII", cpu, 0, at, len(data), 12)
        body += data + b"\0" * (-len(data) % 0x1000)
        at += len(data) + -len(data) % 0x1000
    return header + b"\0" * (0x1000 - len(header)) + body


def pe(imports: dict[str, list[str]]) -> bytes:
    """A DLL for x86-64 that asks these libraries for these symbols."""
    import lief

    lief.logging.disable()
    factory = lief.PE.Factory.create(lief.PE.PE_TYPE.PE32_PLUS)
    section = lief.PE.Section(".text")
    section.content = [0xC3] * 64
    section.virtual_size = 0x1000
    factory.add_section(section)
    library = factory.get()
    for name, symbols in imports.items():
        entry = library.add_import(name)
        for symbol in symbols:
            entry.add_entry(symbol)
    config = lief.PE.Builder.config_t()
    config.imports = True
    return library.write_to_bytes(config)
