"""onnx_plugin: what can be said about an ONNX operator, and what is known of it afterwards."""

from __future__ import annotations

import dataclasses

import pytest
from ge.onnx_plugin import OnnxPlugin, onnx_plugin, registry
from hypothesis import given, settings
from hypothesis import strategies as st

pytestmark = pytest.mark.usefixtures("ops")

ELU = {"source": "Elu", "domain": "ai.onnx", "opsets": [11], "target": "EluV2"}


def parse(node, target):
    raise AssertionError("called")


def other(node, target): ...


def test_nothing_is_registered_before_the_function_is_there():
    plugin = onnx_plugin(**ELU)
    assert isinstance(plugin, OnnxPlugin) and registry.get_registered_onnx_plugins() == []
    assert plugin.parse_node(parse) is parse
    assert [d.source for d in registry.get_registered_onnx_plugins()] == ["Elu"]


def test_opsets_are_sorted_and_each_is_an_origin_type():
    onnx_plugin(**{**ELU, "opsets": [13, 11, 13, 12]}).parse_node(parse)
    descriptor = parse.__ge_onnx_plugin_descriptor__
    assert descriptor.to_bridge_dict() == {
        "descriptor_key": f"{__name__}:parse:ai.onnx:Elu:11,12,13",
        "source": "Elu",
        "domain": "ai.onnx",
        "opsets": [11, 12, 13],
        "target": "EluV2",
        "origin_types": ["ai.onnx::11::Elu", "ai.onnx::12::Elu", "ai.onnx::13::Elu"],
        "module_name": __name__,
    }
    assert registry.get_registered_onnx_plugin_dicts() == [descriptor.to_bridge_dict()]
    assert registry.get_registered_onnx_plugin_by_origin_type("ai.onnx::12::Elu") is descriptor
    assert registry.get_registered_onnx_plugin_by_origin_type("ai.onnx::10::Elu") is None
    assert descriptor.parser_node is parse and "parser_node" not in repr(descriptor)


def test_a_descriptor_is_frozen_and_its_plain_form_a_copy():
    onnx_plugin(**ELU).parse_node(parse)
    descriptor = parse.__ge_onnx_plugin_descriptor__
    with pytest.raises(dataclasses.FrozenInstanceError):
        descriptor.target = "Other"
    descriptor.to_bridge_dict()["opsets"].clear()
    assert descriptor.opsets == (11,)


@pytest.mark.parametrize("opsets", [{7, 9}, range(7, 10), (9, 8, 7), {9: "nine"}, frozenset([8])])
def test_every_collection_of_ints_will_do(opsets):
    onnx_plugin(**{**ELU, "opsets": opsets}).parse_node(parse)
    assert parse.__ge_onnx_plugin_descriptor__.opsets == tuple(sorted(set(opsets)))


def test_disjoint_opsets_may_share_all_else():
    for opset in 1, 6:
        onnx_plugin(**{**ELU, "opsets": [opset]}).parse_node(parse)
    assert [d.opsets for d in registry.get_registered_onnx_plugins()] == [(1,), (6,)]


def test_an_origin_type_has_one_plugin_and_a_conflict_registers_nothing():
    onnx_plugin(**{**ELU, "opsets": [11, 12]}).parse_node(parse)
    late = onnx_plugin(**{**ELU, "opsets": [12, 13]})
    with pytest.raises(ValueError, match="origin type already exists: ai.onnx::12::Elu.*belongs to.*:parse:"):
        late.parse_node(other)
    assert registry.get_registered_onnx_plugin_by_origin_type("ai.onnx::13::Elu") is None
    assert not hasattr(other, "__ge_onnx_plugin_descriptor__")
    registry.clear_registered_onnx_plugins()
    assert late.parse_node(other) is other


def test_a_key_is_unique():
    onnx_plugin(**ELU).parse_node(parse)
    with pytest.raises(ValueError, match="descriptor_key already exists"):
        onnx_plugin(**{**ELU, "target": "Other"}).parse_node(parse)
    with pytest.raises(ValueError, match="descriptor_key already exists"):
        registry.register_onnx_plugin(parse.__ge_onnx_plugin_descriptor__)


def test_a_plugin_has_one_function():
    plugin = onnx_plugin(**ELU)
    plugin.parse_node(parse)
    with pytest.raises(ValueError, match="parse_node is already bound"):
        plugin.parse_node(other)
    assert len(registry.get_registered_onnx_plugins()) == 1


@pytest.mark.parametrize("thing", [print, OnnxPlugin, [].append, 3])
def test_only_functions_read_nodes(thing):
    plugin = onnx_plugin(**ELU)
    with pytest.raises(TypeError, match="expects a Python function"):
        plugin.parse_node(thing)
    assert registry.get_registered_onnx_plugins() == []
    plugin.parse_node(parse)


@pytest.mark.parametrize("field", ["source", "domain", "target"])
@pytest.mark.parametrize("value", ["", None, 3, b"Elu"])
def test_names_are_texts(field, value):
    with pytest.raises(TypeError, match=f"{field} of an ONNX plugin must be a non-empty string"):
        onnx_plugin(**{**ELU, field: value})


def test_parts_of_an_origin_type_hold_no_separator():
    for field in "source", "domain":
        with pytest.raises(TypeError, match=f"{field} .*'::'"):
            onnx_plugin(**{**ELU, field: "a::b"})
    onnx_plugin(**{**ELU, "target": "a::b"}).parse_node(parse)


@pytest.mark.parametrize(
    "opsets, error",
    [
        ("11", TypeError),
        (b"11", TypeError),
        (11, TypeError),
        (None, TypeError),
        ((n for n in [11]), TypeError),
        ([True], TypeError),
        ([11.0], TypeError),
        (["11"], TypeError),
        ([], ValueError),
        ([0], ValueError),
        ([11, -1], ValueError),
    ],
)
def test_opsets_are_positive_ints(opsets, error):
    with pytest.raises(error, match="opsets of an ONNX plugin"):
        onnx_plugin(**{**ELU, "opsets": opsets})


def test_arguments_are_given_by_name():
    with pytest.raises(TypeError):
        onnx_plugin("Elu", "ai.onnx", [11], "Elu")


@settings(max_examples=60, deadline=None)
@given(first=st.sets(st.integers(1, 8), min_size=1), second=st.sets(st.integers(1, 8), min_size=1))
def test_two_plugins_stand_beside_each_other_exactly_if_their_opsets_are_disjoint(first, second):
    registry.clear_registered_onnx_plugins()
    onnx_plugin(**{**ELU, "opsets": first}).parse_node(parse)
    late = onnx_plugin(**{**ELU, "opsets": second})
    if first & second:
        with pytest.raises(ValueError, match="origin type already exists"):
            late.parse_node(other)
        second = set()
    else:
        late.parse_node(other)
    for opset in range(1, 9):
        found = registry.get_registered_onnx_plugin_by_origin_type(f"ai.onnx::{opset}::Elu")
        expected = parse if opset in first else other if opset in second else None
        assert (found and found.parser_node) is expected
