"""attr_scope and control_dependency_scope: what every node made in their body gets."""

from __future__ import annotations

import threading

import pytest
from ge.es import GraphBuilder
from ge.es.all import TopKV2
from ge.es.graph_builder import attr_scope, control_dependency_scope


@pytest.fixture
def builder():
    return GraphBuilder()


def snapshot(holder):
    return holder._get_node_snapshot()


ATTRIBUTES = {"s": "text", "i": 7, "b": True, "ints": [1, 2], "bools": [True, False], "texts": ["a", "b"]}


@pytest.mark.parametrize(
    "make",
    [
        lambda b: b.create_const_float(1.0),
        lambda b: b.create_const_int64([1, 2]),
        lambda b: b.create_vector_int64([1]),
        lambda b: b.create_input(0),
        lambda b: b.create_inputs(1)[0],
        lambda b: b.create_variable(0, "v"),
        lambda b: b.create_input(0) + 1,
    ],
)
def test_an_attr_scope_reaches_whatever_is_made_in_it(builder, make):
    with attr_scope({**ATTRIBUTES, "floats": [0.5, 0.1]}) as nothing:
        inside = snapshot(make(builder))
    assert nothing is None
    assert {name: inside.get_attr(name) for name in ATTRIBUTES} == ATTRIBUTES
    assert inside.get_attr("floats") == pytest.approx([0.5, 0.1], abs=1e-6) and inside.get_attr("b") is True
    outside = snapshot(builder.create_const_float(1.0))
    for name in ATTRIBUTES:
        with pytest.raises(RuntimeError):
            outside.get_attr(name)


def test_inner_attr_scopes_win_and_end(builder):
    with attr_scope({"both": "outer", "outer": 1}):
        with attr_scope({"both": "inner", "inner": 2}):
            deep = snapshot(builder.create_scalar_int64(1))
        after = snapshot(builder.create_scalar_int64(1))
    assert (deep.get_attr("both"), deep.get_attr("outer"), deep.get_attr("inner")) == ("inner", 1, 2)
    assert (after.get_attr("both"), after.get_attr("outer"), after.has_attr("inner")) == ("outer", 1, False)


@pytest.mark.parametrize("value", [{"key": "value"}, [1, "hello", True, 3.14]], ids=str)
def test_a_value_that_no_attribute_can_have_is_refused_at_the_node(builder, value):
    x = builder.create_input(0)
    with attr_scope({"wrong": value}):
        with pytest.raises(ValueError) as caught:
            builder.create_const_float(1.0)
        with pytest.raises(ValueError):
            x + x
    assert f"Unsupported attribute type: {type(value)} for value: {value}" in str(caught.value)
    # Neither the scope nor a half-made node is left.
    assert builder.create_const_float(1.0).name == "Const_0"
    assert [n.name for n in builder.build_and_reset().get_direct_nodes()] == ["input_0", "Const_0", "NetOutput_graph"]


def test_an_exception_ends_the_scope(builder):
    with pytest.raises(KeyError), attr_scope({"k": 1}), control_dependency_scope([builder.create_input(0)]):
        raise KeyError
    node = snapshot(builder.create_scalar_int64(1))
    assert not node.has_attr("k") and node.get_in_control_nodes() == []


@pytest.mark.parametrize("wrong", [None, [("k", 1)], "k"])
def test_an_attr_scope_takes_a_dict(wrong):
    with pytest.raises(TypeError), attr_scope(wrong):
        pass


def test_nodes_in_a_dependency_scope_wait_for_its_tensors(builder):
    t0, t1 = builder.create_inputs(2)
    const = builder.create_const_float(2.0)
    with control_dependency_scope([t0, t1]):
        inside = snapshot(const + 1.0)
    outside = snapshot(const + 1.0)
    assert inside.type == "Add" and [n.name for n in inside.get_in_control_nodes()] == ["input_0", "input_1"]
    assert outside.get_in_control_nodes() == []
    implicit = inside.get_in_data_nodes_and_port_indexes(1)[0]
    assert implicit.type == "Const" and len(implicit.get_in_control_nodes()) == 2


def test_outer_dependencies_come_first(builder):
    t0, t1 = builder.create_inputs(2)
    with control_dependency_scope([t1]):
        one = snapshot(builder.create_scalar_int64(1))
        with control_dependency_scope([t0]):
            two = snapshot(builder.create_scalar_int64(1))
    assert [n.name for n in one.get_in_control_nodes()] == ["input_1"]
    assert [n.name for n in two.get_in_control_nodes()] == ["input_1", "input_0"]


def test_a_node_of_several_outputs_gets_a_scope_once(builder):
    x = builder.create_input(0, shape=[4])
    k = builder.create_scalar_int32(2)
    with control_dependency_scope([x]), attr_scope({"k": 1}):
        top = TopKV2(x, k)
    assert [n.name for n in snapshot(top.indices).get_in_control_nodes()] == ["input_0"]
    assert snapshot(top.values).get_attr("k") == 1


@pytest.mark.parametrize("wrong", [None, (), "x", ["x"], [None]])
def test_a_dependency_scope_takes_a_list_of_tensors(wrong):
    with pytest.raises(TypeError), control_dependency_scope(wrong):
        pass


def test_tensors_of_another_builder_cannot_be_waited_for(builder):
    foreign = GraphBuilder("foreign").create_input(0)
    with control_dependency_scope([foreign]), pytest.raises(RuntimeError, match="same GraphBuilder"):
        builder.create_input(0)
    assert builder.create_input(0).name == "input_0"


def test_scopes_belong_to_their_thread(builder):
    seen = []

    def work():
        seen.append(snapshot(builder.create_scalar_int64(1)).has_attr("k"))

    with attr_scope({"k": 1}):
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        other = GraphBuilder("other")
        seen.append(snapshot(other.create_scalar_int64(1)).has_attr("k"))
    assert seen == [False, True]
