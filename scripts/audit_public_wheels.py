#!/usr/bin/env python3
"""Audits public abi3 wheels from PyPI with scripts/abi_audit.py and with abi3audit, and prints a table for docs/audit.md.

    scripts/audit_public_wheels.py FOLDER

FOLDER keeps the wheels between runs. Needs the packages of the extra 'audit', lief, abi3audit and a package index; it downloads
some 100 MB, and so is no part of .ci/run. Exit code 1: a wheel has other verdicts than the table in docs/audit.md has.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

SCRIPTS = Path(__file__).resolve().parent
PAGE = SCRIPTS.parent / "docs" / "audit.md"
GLIBC = ["manylinux1", "manylinux2010", "manylinux2014", *(f"manylinux_2_{n}" for n in (5, 12, 17, 24, 26, 27, 28, 34))]
MUSL = ["musllinux_1_1", "musllinux_1_2"]


class Subject(NamedTuple):
    package: str
    version: str
    platforms: list[str]


def on(package: str, version: str, machine: str = "x86_64", libc: list[str] = GLIBC) -> Subject:
    return Subject(package, version, [f"{name}_{machine}" for name in libc])


SUBJECTS = [
    on("awscrt", "0.38.1"),
    on("bcrypt", "5.0.0"),
    on("bcrypt", "5.0.0", "aarch64", MUSL),
    Subject("bcrypt", "5.0.0", ["macosx_10_12_universal2"]),
    on("cryptography", "50.0.2"),
    on("cryptography", "50.0.2", "aarch64"),
    on("cryptography", "50.0.2", "x86_64", MUSL),
    Subject("cryptography", "50.0.2", ["win_amd64"]),
    on("drjit", "1.5.0"),
    on("hf-xet", "1.8.0"),
    on("nh3", "0.3.8"),
    on("onnx", "1.23.2"),
    on("protobuf", "7.36.2"),
    on("psutil", "5.9.4"),
    on("psutil", "7.2.2"),
    Subject("psutil", "7.2.2", ["macosx_11_0_arm64"]),
    Subject("psutil", "7.2.2", ["win_arm64"]),
    on("pycryptodome", "3.19.0"),
    on("pynacl", "1.6.2"),
    on("PyQt6", "6.12.0"),
    on("pyzmq", "27.3.0"),
    on("safetensors", "0.8.0"),
    on("safetensors", "0.8.0", "aarch64"),
    on("shiboken2", "5.15.2.1"),
    on("tokenizers", "0.23.3"),
    on("tornado", "6.6.1"),
]


def fetch(subject: Subject, folder: Path) -> Path:
    """The wheel, downloaded unless it is there."""
    place = folder / "-".join([subject.package, subject.version, subject.platforms[0]])
    if not list(place.glob("*.whl")):
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
        command += ["--only-binary=:all:", "--implementation=cp", "--abi=abi3", f"--dest={place}"]
        # An old wheel names the versions that it is for one by one.
        command += ["--python-version=3.10" if subject.package == "shiboken2" else "--python-version=3.13"]
        command += [f"--platform={platform}" for platform in subject.platforms]
        subprocess.run([*command, f"{subject.package}=={subject.version}"], check=True)
    (wheel,) = place.glob("*.whl")
    return wheel


def ours(wheel: Path) -> str:
    """What abi_audit says: kinds of findings with their number."""
    done = subprocess.run(
        [sys.executable, str(SCRIPTS / "abi_audit.py"), str(wheel), "--json"], capture_output=True, text=True, check=False
    )
    if done.returncode == 2:
        raise RuntimeError(done.stderr)
    kinds = [finding["kind"] for finding in json.loads(done.stdout)["findings"]]
    return ", ".join(f"{kinds.count(kind)} {kind}" for kind in sorted(set(kinds))) or "clean"


def theirs(wheel: Path) -> str:
    """What abi3audit says, in the words of `ours`."""
    done = subprocess.run(
        [sys.executable, "-m", "abi3audit", "--report", str(wheel)], capture_output=True, text=True, check=False
    )
    (spec,) = json.loads(done.stdout)["specs"].values()
    results = [module["result"] for module in spec["wheel"]]
    unstable = sum(len(result["non_abi3_symbols"]) for result in results)
    later = sum(len(result["future_abi3_objects"]) for result in results)
    counts = [(later, "above-floor"), (unstable, "unstable-symbol")]
    return ", ".join(f"{count} {kind}" for count, kind in counts if count) or "clean"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    rows = []
    for subject in SUBJECTS:
        wheel = fetch(subject, folder)
        tag = "-".join(wheel.name[: -len(".whl")].split("-")[-3:])
        rows.append(f"| {subject.package} {subject.version} | `{tag}` | {ours(wheel)} | {theirs(wheel)} |")
        print(rows[-1], flush=True)
    known = set(re.findall(r"^\| .*\|$", PAGE.read_text(encoding="utf-8"), re.M)) if PAGE.exists() else set()
    new = [row for row in rows if row not in known]
    if new:
        print(f"\n{len(new)} of {len(rows)} rows are not in {PAGE.name}", file=sys.stderr)
    return 1 if new else 0


if __name__ == "__main__":
    sys.exit(main())
