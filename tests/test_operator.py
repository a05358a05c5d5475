"""ge.graph.Operator: what a parser plugin fills in."""

from __future__ import annotations

import copy
import ctypes

import pytest
from ge.graph import DataType, Graph, Operator
from ge.graph.operator import create_operator
from ge.passes.runtime import ensure_native_module


@pytest.fixture
def draft():
    return ensure_native_module().OperatorDraft("mine", "Mine")


def test_an_operator_is_not_made_by_its_user():
    with pytest.raises(RuntimeError, match="should not be created directly"):
        Operator()
    for null in (None, 0, ctypes.c_void_p()):
        with pytest.raises(ValueError, match="handle cannot be (None|null)"):
            create_operator(null)
    with pytest.raises(TypeError, match="OperatorDraft"):
        create_operator(12345)


def test_what_is_declared_becomes_a_node(draft):
    with create_operator(draft) as operator:
        assert (operator.name, operator.type) == ("mine", "Mine")
        operator.register_input("x")
        operator.register_optional_input("bias")
        operator.register_dynamic_input("rest", 3)
        operator.register_output("y")
        operator.register_dynamic_output("parts", 0)
        operator.set_attr("axis", 1)
        operator.set_attr("dtype", DataType.DT_INT8)
    assert draft.inputs == [("x", "required", 1), ("bias", "optional", 1), ("rest", "dynamic", 3)]
    assert draft.outputs == [("y", "required", 1), ("parts", "dynamic", 0)]
    graph = Graph()
    node = draft.add_to(graph)
    assert (node.name, node.type, node.get_outputs_size()) == ("mine", "Mine", 1)
    assert (node.get_attr("axis"), node.get_attr("dtype")) == (1, DataType.DT_INT8)
    assert [n.name for n in graph.get_direct_nodes()] == ["mine"]
    with pytest.raises(RuntimeError, match="has a node of that name"):
        draft.add_to(graph)


def test_an_operator_ends_with_its_block(draft):
    operator = create_operator(draft)
    with operator as same:
        assert same is operator
    for call in (
        lambda: operator.name,
        lambda: operator.type,
        lambda: operator.set_attr("a", 1),
        lambda: operator.register_input("x"),
        lambda: operator.register_optional_input("x"),
        lambda: operator.register_output("x"),
        lambda: operator.register_dynamic_input("x", 1),
        lambda: operator.register_dynamic_output("x", 1),
        operator.__enter__,
    ):
        with pytest.raises(RuntimeError, match="only valid inside parse_node"):
            call()


@pytest.mark.parametrize("name", ["", None, 3])
def test_names_are_texts(draft, name):
    operator = create_operator(draft)
    for call in (operator.register_input, operator.register_optional_input, operator.register_output):
        with pytest.raises(TypeError):
            call(name)
    with pytest.raises(TypeError):
        operator.set_attr(name, 1)
    with pytest.raises(TypeError):
        operator.register_dynamic_input(name, 1)


def test_counts_are_ints(draft):
    operator = create_operator(draft)
    for register in (operator.register_dynamic_input, operator.register_dynamic_output):
        for wrong in (True, 1.0, "1", None):
            with pytest.raises(TypeError, match="count"):
                register("x", wrong)
        for wrong in (-1, 2**32):
            with pytest.raises(ValueError, match="count"):
                register("x", wrong)


def test_a_port_is_declared_once_and_values_are_checked(draft):
    operator = create_operator(draft)
    operator.register_input("x")
    with pytest.raises(RuntimeError, match="port of that name"):
        operator.register_input("x")
    with pytest.raises(ValueError, match="Unsupported attribute type"):
        operator.set_attr("a", {})
    assert not hasattr(operator, "get_attr") and not hasattr(operator, "__dict__")
    for copier, word in ((copy.copy, "copy"), (copy.deepcopy, "deepcopy")):
        with pytest.raises(RuntimeError, match=f"does not support {word}"):
            copier(operator)
