"""The result of scripts/abi_audit.py as text, as JSON and as SARIF 2.1.0."""

from __future__ import annotations

import hashlib
import json
from typing import Any, NamedTuple
from urllib.parse import quote

from abi_kinds import KINDS
from abi_subject import Finding, Subject

SARIF_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
PAGE = "docs/audit.md"
# Of the audit: the second number goes up with a new kind of finding, the first when one goes.
VERSION = "1.0.0"


def highest_versions(subject: Subject) -> dict[str, str]:
    """What the binaries together ask of the system's libraries: {"GLIBC": "2.34"}."""
    needs: dict[str, tuple[int, ...]] = {}
    for binary in subject.binaries:
        for interface, version in binary.versions.items():
            needs[interface] = max(version, needs.get(interface, ()))
    return {interface: ".".join(map(str, version)) for interface, version in sorted(needs.items())}


class Result(NamedTuple):
    """A subject that was audited, and the minor version that it was held to."""

    subject: Subject
    floor: int | None

    @property
    def dotted_floor(self) -> str | None:
        return None if self.floor is None else f"3.{self.floor}"


def as_text(results: list[Result]) -> str:
    """A line a finding; after those of a subject one that sums up."""
    lines: list[str] = []
    for result in results:
        subject = result.subject
        needs = ", ".join(f"{interface} {version}" for interface, version in highest_versions(subject).items())
        lines += map(str, subject.findings)
        lines.append(
            f"{subject.name}: {len(subject.binaries)} binaries, floor {result.dotted_floor or 'unknown'}, "
            f"needs {needs or 'nothing'}, {len(subject.findings)} findings"
        )
    return "\n".join(lines)


def as_json(results: list[Result]) -> str:
    """One object, or a list of them; a finding's parts are those of its line in the text."""
    objects = [
        {
            "subject": result.subject.name,
            "floor": result.dotted_floor,
            "needs": highest_versions(result.subject),
            "binaries": sorted(binary.path for binary in result.subject.binaries),
            "findings": [
                {
                    **vars(finding),
                    "level": KINDS[finding.kind].level,
                    "why": KINDS[finding.kind].why,
                    "message": str(finding),
                }
                for finding in result.subject.findings
            ],
        }
        for result in results
    ]
    return json.dumps(objects[0] if len(objects) == 1 else objects, indent=2)


def as_sarif(results: list[Result]) -> str:
    """A log with one run, for code scanning; the rules are the kinds of findings."""
    kinds = sorted(KINDS)
    rules = [
        {
            "id": kind,
            "shortDescription": {"text": KINDS[kind].summary + "."},
            "fullDescription": {"text": KINDS[kind].why},
            "help": {"text": f"{KINDS[kind].summary}. {KINDS[kind].why} See {PAGE}."},
            "defaultConfiguration": {"level": KINDS[kind].level},
        }
        for kind in kinds
    ]
    run = {
        "tool": {"driver": {"name": "ge-py abi_audit", "semanticVersion": VERSION, "rules": rules}},
        "results": [
            _sarif_result(result.subject, finding, kinds.index(finding.kind))
            for result in results
            for finding in result.subject.findings
        ],
        "columnKind": "utf16CodeUnits",
    }
    return json.dumps({"$schema": SARIF_SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2)


def _sarif_result(subject: Subject, finding: Finding, rule: int) -> dict[str, Any]:
    # A binary has no lines; code scanning shows no result without one.
    place = finding.file if finding.file == subject.name else f"{subject.name}/{finding.file}"
    location: dict[str, Any] = {
        "physicalLocation": {"artifactLocation": {"uri": quote(place)}, "region": {"startLine": 1}}
    }
    if finding.symbol is not None:
        location["logicalLocations"] = [{"name": finding.symbol, "kind": "function"}]
    # The same finding in the next version of the wheel keeps its fingerprint.
    named = "\0".join([finding.kind, finding.file, finding.symbol or finding.tried])
    return {
        "ruleId": finding.kind,
        "ruleIndex": rule,
        "level": KINDS[finding.kind].level,
        "message": {"text": str(finding)},
        "locations": [location],
        "partialFingerprints": {"finding/v1": hashlib.sha256(named.encode()).hexdigest()},
    }

