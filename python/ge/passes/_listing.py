"""`python -m ge.passes list`: every pass with whence it came and whether it runs."""

from __future__ import annotations

import json
import os
import sys
from typing import Any, Dict, List

from ge.error import GeError
from ge.passes._native import (
    open_pass_libraries,
    refresh_python_passes,
    registered_passes,
    writable_by_others,
)

__all__ = ["list_passes", "print_listing"]

_COLUMNS = ("name", "kind", "stage", "enabled", "source")


def list_passes(optimization_switch: str = "", fusion_switch_file: str = "", oo_level: str = "") -> Dict[str, Any]:
    """Loads all passes that atc would load in this environment and describes them.

    Args:
        optimization_switch: "Name:on;Name:off", as the option of atc.
        fusion_switch_file: path of a switch file, or empty.
        oo_level: "O1", "O3" or empty, as the option of atc.

    Returns:
        `{"passes": [...], "builtin_passes": [...], "problems": [...], "warnings": [...]}`. A pass has name, kind, stage,
        source, enabled and, when it is not, the reason. A problem is a source of passes that could not be used.

    Raises:
        GeError: the switch file cannot be used.
    """
    problems: List[str] = list(open_pass_libraries())
    try:
        for problem in refresh_python_passes():
            problems.append(f"{problem['source']}: {problem['hook']}: {problem['message']}")
    except GeError as error:
        problems.append(str(error))
    found = registered_passes(optimization_switch, fusion_switch_file, oo_level)
    warnings = list(found["warnings"])
    for path in _code_of(found["passes"]):
        why = writable_by_others(path)
        if why and why not in warnings:
            warnings.append(why)
    return {
        "passes": found["passes"],
        "builtin_passes": found["builtin_passes"],
        "problems": problems,
        "warnings": warnings,
    }


def _code_of(passes: List[Dict[str, Any]]) -> List[str]:
    paths = []
    for item in passes:
        origin, _, path = item["source"].partition(" ")
        paths.append(path.rpartition(": ")[0] if origin == "python" else path)
    return [path for path in paths if os.path.exists(path)]


def print_listing(as_json: bool, optimization_switch: str, fusion_switch_file: str, oo_level: str = "") -> int:
    """Prints the list. Returns the exit status: 1 if a source of passes could not be used."""
    try:
        listing = list_passes(optimization_switch, fusion_switch_file, oo_level)
    except GeError as error:
        print(f"[ERROR] {error}", file=sys.stderr)
        return 2
    if as_json:
        print(json.dumps(listing, indent=2, ensure_ascii=False))
        return 1 if listing["problems"] else 0
    if not listing["passes"]:
        print("no pass is registered; ASCEND_GE_PY_PASS_PATH names .py files and folders with passes")
    rows = [_COLUMNS]
    for item in [*listing["passes"], *listing["builtin_passes"]]:
        enabled = "yes" if item["enabled"] else f"no: {item['reason']}"
        rows.append((item["name"], item["kind"], item["stage"], enabled, item["source"]))
    widths = [max(len(row[column]) for row in rows) for column in range(len(_COLUMNS) - 1)]
    for row in rows:
        print("  ".join([*(text.ljust(width) for text, width in zip(row, widths)), row[-1]]))
    for problem in listing["problems"]:
        print(f"[WARNING] not loaded: {problem}")
    for warning in listing["warnings"]:
        print(f"[WARNING] {warning}")
    return 1 if listing["problems"] else 0
