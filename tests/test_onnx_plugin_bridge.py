"""Nodes handed to ONNX plugins: what the function gets, and what is left afterwards."""

from __future__ import annotations

import sys
import types

import ge.graph
import ge.onnx_plugin
import pytest
from ge.graph import Operator
from ge.onnx_plugin import OnnxNode, _bridge, onnx_plugin
from ge.passes.runtime import ensure_native_module

pytestmark = pytest.mark.usefixtures("ops")


def draft(op_type, name="node"):
    return ensure_native_module().OperatorDraft(name, op_type)


def node(**attrs):
    """What a function reads of an OnnxNode."""
    return types.SimpleNamespace(name="n", inputs=("a", "b", "c"), outputs=("y",), attrs=attrs)


def plugin(function, source="Elu", opsets=(11,)):
    onnx_plugin(source=source, domain="ai.onnx", opsets=opsets, target=f"Ge{source}").parse_node(function)


def test_the_public_names():
    assert ge.onnx_plugin.__all__ == ["OnnxNode", "OnnxPlugin", "onnx_plugin"]
    assert all(getattr(ge.onnx_plugin, name).__name__ == name for name in ge.onnx_plugin.__all__)
    assert set(ge.onnx_plugin.__all__) <= set(dir(ge.onnx_plugin))
    assert "Operator" in ge.graph.__all__
    with pytest.raises(AttributeError, match="module 'ge.onnx_plugin' has no attribute 'nothing'"):
        ge.onnx_plugin.nothing


def test_what_a_function_gets_and_does_not():
    with pytest.raises(TypeError):
        OnnxNode()
    native = sys.modules["ge.custom_op._ge_custom_op_native"]
    assert [name for name in dir(native) if "onnx" in name.lower()] == ["OnnxNode"], "nothing else makes one"
    for name in "get_attr", "update_input_desc", "update_output_desc":
        assert not hasattr(Operator, name)
    for name in "name", "origin_type", "inputs", "outputs", "attrs":
        assert hasattr(OnnxNode, name)


def test_a_function_sets_an_attribute_with_its_default():
    def parse(node, target):
        target.set_attr("alpha", node.attrs.get("alpha", 1.0))
        target.register_input("x")
        target.register_output("y")

    plugin(parse)
    for given, expected in ({}, 1.0), ({"alpha": 0.5}, 0.5):
        handle = draft("GeElu")
        assert _bridge.call_parse_node("ai.onnx::11::Elu", node(**given), handle) is None
        graph = ge.graph.Graph("g")
        made = handle.add_to(graph)
        assert made.type == "GeElu" and made.get_attr("alpha") == expected
        assert [port[0] for port in handle.inputs] == ["x"] and [port[0] for port in handle.outputs] == ["y"]


def test_a_function_registers_as_many_inputs_as_the_node_has():
    def parse(node, target):
        target.register_dynamic_input("x", len(node.inputs))
        target.set_attr("N", len(node.inputs))
        target.register_output("y")

    plugin(parse, "Sum")
    handle = draft("GeSum")
    _bridge.call_parse_node("ai.onnx::11::Sum", node(), handle)
    assert handle.inputs[0][0] == "x" and handle.inputs[0][2] == 3


def test_the_node_is_handed_on_as_it_is():
    seen = []
    plugin(lambda node, target: seen.append((node, target.name, target.type)))
    given = node()
    _bridge.call_parse_node("ai.onnx::11::Elu", given, draft("GeElu", "n1"))
    assert seen[0][0] is given and seen[0][1:] == ("n1", "GeElu")


def test_an_unknown_origin_type_is_refused_before_anything_is_made(monkeypatch):
    import ge.graph.operator

    monkeypatch.setattr(ge.graph.operator, "create_operator", lambda handle: pytest.fail("made an operator"))
    with pytest.raises(KeyError, match="'ai.onnx::12::Elu' is not registered"):
        _bridge.call_parse_node("ai.onnx::12::Elu", node(), None)


@pytest.mark.parametrize("handle", [None, 0])
def test_an_operator_needs_a_handle(handle):
    plugin(lambda node, target: None)
    with pytest.raises(ValueError, match="operator handle"):
        _bridge.call_parse_node("ai.onnx::11::Elu", node(), handle)


@pytest.mark.parametrize("ends", ["returns", "raises", "gives"])
def test_the_operator_ends_with_the_call(ends):
    kept = []

    def parse(node, target):
        kept.append(target)
        if ends == "raises":
            raise OSError("attribute")
        return target if ends == "gives" else None

    plugin(parse)
    call = lambda: _bridge.call_parse_node("ai.onnx::11::Elu", node(), draft("GeElu"))  # noqa: E731
    if ends == "returns":
        call()
    else:
        with pytest.raises((OSError, TypeError), match="attribute|parse_node must return None.*'Operator'"):
            call()
    with pytest.raises(RuntimeError, match="only valid inside parse_node"):
        kept[0].register_input("x")


@pytest.mark.parametrize("answer", [0, False, "", []])
def test_even_an_empty_answer_is_one(answer):
    plugin(lambda node, target: answer)
    with pytest.raises(TypeError, match="parse_node must return None"):
        _bridge.call_parse_node("ai.onnx::11::Elu", node(), draft("GeElu"))


def test_the_source_of_a_plugin_is_its_file():
    plugin(lambda node, target: None)
    assert _bridge.source_of("ai.onnx::11::Elu") == __file__
    with pytest.raises(KeyError, match="not registered"):
        _bridge.source_of("ai.onnx::12::Elu")


def test_discovery_tells_all_plugins(monkeypatch, tmp_path):
    plugin(lambda node, target: None, "Own")
    (tmp_path / "elu.py").write_text(
        "from ge.onnx_plugin import onnx_plugin\n"
        "@onnx_plugin(source='Elu', domain='my.domain', opsets=[1], target='Elu').parse_node\n"
        "def parse(node, target): ...\n"
    )
    monkeypatch.setenv("ASCEND_CUSTOM_OPP_PATH", str(tmp_path))
    told = _bridge.load_and_get_onnx_plugin_descriptors()
    assert [d["origin_types"] for d in told] == [["ai.onnx::11::Own"], ["my.domain::1::Elu"]]
    assert told[1]["module_name"].startswith("_ge_py_onnx_plugin_elu_")
    _bridge.reset()
    assert [d["source"] for d in _bridge.load_and_get_onnx_plugin_descriptors()] == ["Own", "Elu"]
