#!/usr/bin/env python3
"""Checks a wheel that auditwheel has tagged: a manylinux tag of glibc 2.28 or older, and one copy of the core.

    python scripts/check_manylinux.py WHEEL
"""

from __future__ import annotations

import posixpath
import re
import sys
import zipfile

OLDEST_PROMISED = (2, 28)


def problems(wheel: str) -> list[str]:
    found = []
    floors = [(int(a), int(b)) for a, b in re.findall(r"manylinux_(\d+)_(\d+)_", posixpath.basename(wheel))]
    if not floors or min(floors) > OLDEST_PROMISED:
        found.append(
            f"reading the tag of '{posixpath.basename(wheel)}': expected manylinux_2_28 or older, found "
            f"{floors or 'none'}; 'auditwheel show' names the symbols that ask for more"
        )
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    cores = [name for name in names if "libge_compiler" in posixpath.basename(name)]
    if cores != ["ge/lib/libge_compiler.so"]:
        found.append(f"looking for the core: expected 'ge/lib/libge_compiler.so' alone, found {cores}")
    grafted = [name for name in names if ".libs/" in name]
    if grafted:
        found.append(f"looking for libraries that auditwheel copied in: expected none, found {grafted}")
    return found


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    errors = problems(sys.argv[1])
    for error in errors:
        print(f"[ERROR] {error}", file=sys.stderr)
    sys.exit(bool(errors))
