"""The result of scripts/abi_audit.py as text, as JSON and as SARIF 2.1.0."""

from __future__ import annotations

import hashlib
import json
from typing import Any
from urllib.parse import quote

from abi_kinds import KINDS
from abi_subject import Finding, Subject

SARIF_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
PAGE = "docs/audit.md"


def highest_versions(subject: Subject) -> dict[str, str]:
    """What the binaries together ask of the system's libraries: {"GLIBC": "2.34"}."""
    needs: dict[str, tuple[int, ...]] = {}
    for binary in subject.binaries:
        for interface, version in binary.versions.items():
            needs[interface] = max(version, needs.get(interface, ()))
    return {interface: ".".join(map(str, version)) for interface, version in sorted(needs.items())}


def as_text(subject: Subject, floor: int | None) -> str:
    """A line a finding, and one that sums up."""
    needs = ", ".join(f"{interface} {version}" for interface, version in highest_versions(subject).items())
    return "\n".join(
        [
            *map(str, subject.findings),
            f"{subject.name}: {len(subject.binaries)} binaries, floor {_dotted(floor)}, needs {needs or 'nothing'}, "
            f"{len(subject.findings)} findings",
        ]
    )


def as_json(subject: Subject, floor: int | None) -> str:
    """One object; a finding's parts are those of its line in the text."""
    result = {
        "subject": subject.name,
        "floor": _dotted(floor),
        "needs": highest_versions(subject),
        "binaries": sorted(binary.path for binary in subject.binaries),
        "findings": [
            {
                **vars(finding),
                "level": KINDS[finding.kind].level,
                "why": KINDS[finding.kind].why,
                "message": str(finding),
            }
            for finding in subject.findings
        ],
    }
    return json.dumps(result, indent=2)


def as_sarif(subject: Subject) -> str:
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
        "tool": {"driver": {"name": "ge-py abi_audit", "rules": rules}},
        "results": [_sarif_result(subject, finding, kinds.index(finding.kind)) for finding in subject.findings],
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


def _dotted(floor: int | None) -> str | None:
    return None if floor is None else f"3.{floor}"
