#!/usr/bin/env python3
"""Audits the binaries of a wheel, or of a folder, for what the wheel promises.

    scripts/abi_audit.py WHEEL|FOLDER [--json] [--floor 3.9] [--exports DIR]

Promised is: one binary for every CPython from the floor on (stable ABI only), a core without Python, one core a process,
nothing exported beyond the maps in cmake/exports, nothing per minor version but the declared backend. Each breach is a
line. Exit code 0: none, 1: some, 2: the audit could not be made.

A wheel must hold an artifact manifest, which names the floor. A folder may lack one; the floor is then --floor, or what
the binaries say of themselves. Needs the packages of the extra 'audit'.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import zipfile

try:
    from abi_rules import audit, minor_of
    from abi_subject import open_folder, open_wheel
except ImportError as missing:
    print(
        f"[ERROR] Starting the audit: expected the packages 'abi3info' and 'pyelftools', found no '{missing.name}'; "
        "run 'pip install ge-py[audit]' with Python 3.10 or later",
        file=sys.stderr,
    )
    sys.exit(2)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("subject", metavar="WHEEL|FOLDER")
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of lines")
    parser.add_argument("--floor", help="the floor to hold the binaries to, instead of the manifest's")
    parser.add_argument(
        "--exports",
        metavar="DIR",
        help="folder of the export maps; default: cmake/exports of this tree",
        default=os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cmake", "exports"),
    )
    options = parser.parse_args()
    if options.floor is not None and minor_of(options.floor) is None:
        parser.error(f"--floor: expected a version like '3.9', found '{options.floor}'")
    if not os.path.isdir(options.exports):
        parser.error(f"--exports: expected a folder, found '{options.exports}'")

    maps = os.path.relpath(options.exports)
    try:
        if os.path.isdir(options.subject):
            subject = open_folder(options.subject)
        elif options.subject.endswith(".whl"):
            subject = open_wheel(options.subject)
        else:
            parser.error(f"expected a wheel (.whl) or a folder, found '{options.subject}'")
    except (OSError, zipfile.BadZipFile) as error:
        parser.error(f"reading '{options.subject}': expected a wheel or a folder, found '{error}'")

    result = audit(subject, options.floor, maps)
    if options.json:
        print(json.dumps(result, indent=2))
    else:
        for finding in result["findings"]:
            print(finding["message"])
        needs = ", ".join(f"{interface} {version}" for interface, version in result["needs"].items())
        print(
            f"{subject.name}: {len(subject.binaries)} binaries, floor {result['floor']}, needs {needs or 'nothing'}, "
            f"{len(result['findings'])} findings"
        )
    return 1 if result["findings"] else 0


if __name__ == "__main__":
    sys.exit(main())
