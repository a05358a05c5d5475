"""The operator table against a file of operator facts, where there is one.

GE_OPS_FACTS names the file: one JSON object a line with the type, ES group, inputs, outputs, attributes and subgraphs of
an operator. Without it only what the table must have in itself is checked.
"""

from __future__ import annotations

import json
import os
import struct

import pytest

from ge.es import all as es_all  # noqa: F401  the functions come out of the same table
from ge.passes.runtime import ensure_native_module

_native = ensure_native_module()

GROUPS = {
    "SignedDataType": "INT16 INT32 INT64 INT8",
    "UnsignedDataType": "UINT16 UINT32 UINT64 UINT8",
    "IntegerDataType": "@SignedDataType @UnsignedDataType",
    "IndexNumberType": "INT32 INT64",
    "FloatingDataType": "DOUBLE FLOAT FLOAT16",
    "ComplexDataType": "COMPLEX128 COMPLEX64 COMPLEX32",
    "UnaryDataType": "@FloatingDataType @ComplexDataType BF16",
    "RealNumberType": "@FloatingDataType @IntegerDataType BF16",
    "QuantifiedType": "QINT16 QINT32 QINT8 QUINT16 QUINT8",
    "NumberType": "@RealNumberType @ComplexDataType QINT32 QINT8 QUINT8",
    "BasicType": "@RealNumberType @ComplexDataType @QuantifiedType",
    "OrdinaryType": "@RealNumberType @ComplexDataType BOOL",
    "ALL": "@BasicType BOOL STRING RESOURCE",
}

ATTRS = {
    "Int": "int",
    "Float": "float",
    "Bool": "bool",
    "String": "str",
    "Type": "DataType",
    "Tensor": "Tensor",
    "ListInt": "List[int]",
    "ListFloat": "List[float]",
    "ListBool": "List[bool]",
    "ListString": "List[str]",
    "ListType": "List[DataType]",
    "ListListInt": "List[List[int]]",
}

# Where this table differs on purpose: (operator, what) -> why.
INTENDED = {}


def described(type_name):
    return _native.es_operator(type_name).describe()


def names():
    """Operators of the table; other tests bring in prototypes of their own."""
    own = ("math", "nn", "cv", "transformer", "legacy", "internal")
    return [name for name in _native.es_operator_names("all") if described(name)["group"] in own]


def facts():
    path = os.environ.get("GE_OPS_FACTS")
    if not path:
        pytest.skip("GE_OPS_FACTS is not set: no operator facts to compare with")
    found = {}
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            line = line.strip().rstrip(",")
            if line.startswith("{"):
                fact = json.loads(line)
                found[fact["type"]] = fact
    return found


def types_of(fact, what):
    """A set of names, or None where nothing is said."""
    symbols = fact.get("dtype_syms") or {}
    found = set()

    def add(item):
        if isinstance(item, dict):
            add(item["list"])
        elif isinstance(item, list):
            for one in item:
                add(one)
        elif item.startswith("Promote("):
            for one in item[len("Promote(") : -1].split(","):
                add(one.strip())
        elif item in symbols:
            add(symbols[item])
        elif item.lstrip("@") in GROUPS:
            for one in GROUPS[item.lstrip("@")].split():
                add(one)
        else:
            found.add(item)

    add(what)
    return found


def same_default(kind, ours, fact):
    value = fact.get("default")
    if kind == "Tensor":
        return True  # empty in both
    if kind == "Type":
        return getattr(ours, "name", str(ours)) == value
    if kind == "Float":
        return struct.pack("f", ours) == struct.pack("f", value)
    if kind == "ListFloat":
        return [struct.pack("f", v) for v in ours] == [struct.pack("f", v) for v in value]
    if kind == "ListType":
        return [getattr(v, "name", str(v)) for v in ours] == list(value)
    return ours == value


def differences(type_name, fact):
    ours = described(type_name)
    if ours["group"] != fact["es_group"]:
        yield "group", ours["group"], fact["es_group"]
    for side in ("inputs", "outputs"):
        mine = [(name, kind) for name, kind, _ in ours[side]]
        theirs = [(io["name"], io["kind"]) for io in fact[side]]
        if mine != theirs:
            yield side, mine, theirs
            continue
        for (name, _, dtypes), io in zip(ours[side], fact[side]):
            wanted = types_of(fact, io["dtypes"])
            mine = {t[3:] if t.startswith("DT_") else t for t in dtypes}
            if mine != wanted:
                yield f"dtypes of {name}", sorted(mine - wanted), sorted(wanted - mine)
    ordered = sorted(fact["attrs"], key=lambda a: not a.get("required", False))
    mine = [(name, kind, required) for name, kind, required, _ in ours["attrs"]]
    theirs = [(a["name"], ATTRS[a["type"]], bool(a.get("required", False))) for a in ordered]
    if mine != theirs:
        yield "attributes", mine, theirs
    else:
        for (name, _, required, default), a in zip(ours["attrs"], ordered):
            if not required and not same_default(a["type"], default, a):
                yield f"default of {name}", default, a.get("default")
    mine = [(name, dynamic) for name, dynamic in ours["subgraphs"]]
    theirs = [(s["name"], s["kind"] == "dynamic") for s in fact["subgraphs"]]
    if mine != theirs:
        yield "subgraphs", mine, theirs


def test_there_are_enough_operators():
    assert len(names()) >= 450


def test_definitions_are_complete():
    """What every definition must have, whatever it is compared with."""
    for name in names():
        ours = described(name)
        for side in ("inputs", "outputs"):
            ios = [io for io, _, _ in ours[side]]
            assert len(set(ios)) == len(ios), f"{name}: {side} {ios}"
        attrs = [attr for attr, _, _, _ in ours["attrs"]]
        assert len(set(attrs)) == len(attrs), f"{name}: attributes {attrs}"
        for attr, kind, required, default in ours["attrs"]:
            assert required or default is not None or kind == "Tensor", f"{name}: '{attr}' has no default"


def test_the_table_agrees_with_the_facts():
    known = facts()
    found = {}
    for name in names():
        if name not in known:
            found[(name, "operator")] = "it is not among the facts"
            continue
        for what, ours, theirs in differences(name, known[name]):
            found[(name, what)] = f"here {ours}, facts {theirs}"
    unlisted = {key: text for key, text in found.items() if key not in INTENDED}
    stale = [key for key in INTENDED if key not in found]
    text = "\n".join(f"{name}: {what}: {text}" for (name, what), text in sorted(unlisted.items()))
    assert not unlisted, f"{len(unlisted)} differences:\n{text}"
    assert not stale, f"listed as intended, yet equal: {stale}"
