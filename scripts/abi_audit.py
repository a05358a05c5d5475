#!/usr/bin/env python3
"""Audits an abi3 wheel, anybody's, for what its name promises: one binary for every CPython from one version on.

    scripts/abi_audit.py WHEEL|FOLDER|LIBRARY... [--json|--sarif] [--output FILE] [--floor 3.9]
                         [--ignore KIND] [--exports DIR]

Of every wheel: symbols outside the stable ABI, or later than the version of the tag, each with what to use instead; needed
libraries, libpython above all; versions of glibc's symbols and the machine beside the platform tag; suffixes; tags. The
binaries may be of another machine than this one, and with the package lief of macOS and Windows. Of a wheel with parts of
ge-py also: manifests, both kinds of artifact sets, a core without Python, one core a process, exports as the maps in
cmake/exports say. docs/audit.md lists the kinds.

The floor is that of --floor, else of the manifests, else of the wheel's tag, else what the binaries say of themselves; without
any, symbols of any version of the stable ABI are let through. Needs the packages of the extra 'audit'.

exit codes:
  0  the audit was made and found nothing
  1  the audit was made and found something
  2  the audit could not be made: bad arguments, no such file, no wheel, a package missing
"""

from __future__ import annotations

import argparse
import os
import sys
import zipfile

try:
    import abi_ge_rules
    import abi_report
    import abi_rules
    import other_facts
    from abi_kinds import KINDS
    from abi_subject import Subject, open_file, open_folder, open_wheel
except ImportError as missing:
    print(
        f"[ERROR] Starting the audit: expected the packages 'abi3info' and 'pyelftools', found no '{missing.name}'; "
        "run 'pip install ge-py[audit]' with Python 3.10 or later",
        file=sys.stderr,
    )
    sys.exit(2)


def audit(subject: Subject, asked_floor: str | None, maps: str) -> int | None:
    """Reports into the subject all that is wrong with it; the minor version that it was held to."""
    if subject.is_wheel and subject.tag is None:
        parts = len(subject.name[: -len(".whl")].split("-"))
        subject.report(
            "wheel-tag",
            subject.name,
            "reading the file name",
            "name-version-python-abi-platform.whl",
            f"{parts} parts",
            "let the build name the wheel",
        )
    if subject.is_ge:
        for manifest in subject.manifests:
            abi_ge_rules.check_manifest(subject, manifest)
        floor = abi_ge_rules.floor_of(subject, asked_floor)
        abi_ge_rules.audit_parts(subject, floor, maps)
    else:
        floor = abi_rules.minor_of(asked_floor or "")
        if floor is None and subject.tag is not None:
            floor = subject.tag.floor
        abi_rules.audit_modules(subject, floor)
    if not subject.binaries:
        subject.report(
            "no-binary", subject.name, "looking for binaries", "at least one", "none", "build them first"
        )
    return floor


def open_subject(path: str) -> Subject:
    """What is at that path, read.

    Raises:
        ValueError: it cannot be audited; the text says why.
    """
    try:
        if os.path.isdir(path):
            subject = open_folder(path)
        elif path.endswith(".whl"):
            subject = open_wheel(path)
        elif other_facts.LIBRARY.search(path):
            subject = open_file(path)
        else:
            raise ValueError(f"expected a wheel (.whl), a folder or a library (.so, .pyd, .dylib, .dll), found '{path}'")
    except ImportError as error:
        raise ValueError(f"reading '{path}', which is for macOS or Windows: expected the package 'lief', found none; run 'pip install lief'") from error
    except (OSError, zipfile.BadZipFile) as error:
        raise ValueError(f"reading '{path}': expected a wheel, a folder or a library, found '{error}'") from error
    return subject


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("subjects", metavar="WHEEL|FOLDER|LIBRARY", nargs="+")
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="JSON instead of lines: an object, a list of them for several subjects")
    form.add_argument("--sarif", action="store_true", help="SARIF 2.1.0, for code scanning, instead of lines")
    parser.add_argument("--output", metavar="FILE", help="write there instead of to standard output")
    parser.add_argument("--floor", help="the version to hold the binaries to, such as 3.9")
    parser.add_argument(
        "--ignore",
        metavar="KIND",
        action="append",
        default=[],
        help="leave findings of that kind out, such as 'foreign-library' where another package brings it; may be repeated",
    )
    parser.add_argument(
        "--exports",
        metavar="DIR",
        help="folder of the export maps of ge-py; default: cmake/exports of this tree",
        default=os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cmake", "exports"),
    )
    options = parser.parse_args()
    if options.floor is not None and abi_rules.minor_of(options.floor) is None:
        parser.error(f"--floor: expected a version like '3.9', found '{options.floor}'")
    for kind in options.ignore:
        if kind not in KINDS:
            parser.error(f"--ignore: expected one of {', '.join(sorted(KINDS))}, found '{kind}'")
    results = []
    for path in options.subjects:
        try:
            subject = open_subject(path)
        except ValueError as error:
            parser.error(str(error))
        if subject.is_ge and not os.path.isdir(options.exports):
            parser.error(f"--exports: expected a folder, found '{options.exports}'")
        floor = audit(subject, options.floor, os.path.relpath(options.exports))
        subject.findings = [finding for finding in subject.findings if finding.kind not in options.ignore]
        results.append(abi_report.Result(subject, floor))

    write = abi_report.as_sarif if options.sarif else abi_report.as_json if options.json else abi_report.as_text
    text = write(results)
    try:
        if options.output is None:
            print(text)
        else:
            with open(options.output, "w", encoding="utf-8") as stream:
                stream.write(text + "\n")
    except OSError as error:
        parser.error(f"--output: expected a file that can be written, found '{error}'")
    return 1 if any(result.subject.findings for result in results) else 0


if __name__ == "__main__":
    sys.exit(main())
