"""Which nodes an AI core can run: by the operator information of an installed CANN, else by the operator registry."""

from __future__ import annotations

import glob
import json
import os
from functools import lru_cache
from typing import Any, Dict, List, Optional, Tuple

from ge.graph import DataType, Format, Node
from ge.passes.runtime import ensure_native_module

__all__ = ["check"]

_native = ensure_native_module()

_OPP_PATH = "ASCEND_OPP_PATH"
_FILES = "**/aic-*-ops-info.json"

Slot = Tuple[str, str, DataType, Format]

# Names of element types in operator information files, where they are not those of DataType in lower case.
_TYPE_NAMES = {DataType.DT_FLOAT: ("float", "float32"), DataType.DT_BF16: ("bfloat16", "bf16")}


def information_files() -> List[str]:
    """The operator information files of the CANN that ASCEND_OPP_PATH names, sorted; none without one."""
    root = os.environ.get(_OPP_PATH)
    if not root:
        return []
    return sorted(glob.glob(os.path.join(glob.escape(root), _FILES), recursive=True))


@lru_cache(maxsize=8)
def _read(path: str, mtime_ns: int) -> Dict[str, Any]:
    with open(path, encoding="utf-8") as file:
        content = json.load(file)
    if not isinstance(content, dict):
        raise ValueError(f"expected an object of operators, found '{type(content).__name__}'")
    return content


def _names_of(data_type: DataType) -> Tuple[str, ...]:
    return _TYPE_NAMES.get(data_type, (data_type.name[len("DT_") :].lower(),))


def _listed(text: Any) -> List[str]:
    return [word.strip() for word in str(text or "").split(",") if word.strip()]


def _ports(operator: Dict[str, Any], side: str) -> Dict[str, Dict[str, Any]]:
    found = [value for key, value in operator.items() if key.startswith(side) and key[len(side) :].isdigit()]
    return {str(port.get("name", "")): port for port in found if isinstance(port, dict)}


def _combinations(slots: List[Tuple[str, Slot, Dict[str, Any]]]) -> Optional[str]:
    """Type and format lists run in parallel over all ports: one column must hold for every slot. The objection, or None."""
    columns: Optional[set] = None
    for side, (name, _, data_type, layout), port in slots:
        types = _listed(port.get("dtype"))
        formats = _listed(port.get("format")) or _listed(port.get("unknownshape_format"))
        wanted = _names_of(data_type)
        fitting = {i for i, known in enumerate(types) if known in wanted}
        if types and not fitting:
            return f"{side} '{name}' does not take {data_type.name}, only {', '.join(sorted(set(types)))}"
        layout_name = layout.name[len("FORMAT_") :]
        # ND stands for any layout, on both sides.
        if formats and layout is not Format.FORMAT_ND:
            fitting = {i for i in fitting if i >= len(formats) or formats[i] in (layout_name, "ND")}
            if not fitting:
                return f"{side} '{name}' does not take {data_type.name} in layout {layout_name}"
        if types:
            columns = fitting if columns is None else columns & fitting
    if columns is not None and not columns:
        return "no combination of types has all of its inputs and outputs"
    return None


def _objection(node: Node, operators: Dict[str, Any]) -> Optional[str]:
    operator = operators.get(node.type)
    if not isinstance(operator, dict):
        return f"operator type '{node.type}' is not in it"
    inputs, outputs = _native.node_slots(node)
    known: List[Tuple[str, Slot, Dict[str, Any]]] = []
    for side, slots in (("input", inputs), ("output", outputs)):
        ports = _ports(operator, side)
        for slot in slots:
            port = ports.get(slot[0])
            if port is None:
                return f"{side} '{slot[0]}' is not in it"
            if slot[2] != DataType.DT_UNDEFINED:
                known.append((side, slot, port))
    return _combinations(known)


def check(node: Node) -> Tuple[bool, str]:
    """Whether a node is supported, and by what that was decided.

    Raises:
        RuntimeError: the node has expired, its operator is unknown to the registry, or a file cannot be read.
    """
    files = information_files()
    if not files:
        objection = _native.registry_objection(node)
        source = f"by the operator registry, no aic-*-ops-info.json below {_OPP_PATH}"
        return (not objection, f"{objection} ({source})" if objection else f"supported {source}")
    objections = []
    for path in files:
        try:
            operators = _read(path, os.stat(path).st_mtime_ns)
        except (OSError, ValueError) as error:
            raise RuntimeError(f"failed to check node '{node.name}': file '{path}' cannot be read: {error}") from error
        objection = _objection(node, operators)
        if objection is None:
            return True, f"supported by '{path}'"
        objections.append(f"{objection} (by '{path}')")
    return False, "; ".join(objections)
