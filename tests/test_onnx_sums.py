"""Sum, and reductions whose GE operators have their axes as an attribute: what they become, and that they come back."""

from __future__ import annotations

import ge.onnx
import numpy as np
import onnx
import pytest
from ge.es import GraphBuilder
from ge.es.all import AccumulateNV2
from ge.utils import GeUtils
from onnx import TensorProto, helper, numpy_helper

from _onnx_models import Net, operators, run

NORMS = {"ReduceL1": "LpNormV2", "ReduceL2": "LpNormV2", "ReduceSumSquare": "SquareSumV1"}
AXES = {"LpNormV2": "axes", "SquareSumV1": "axis"}


def loaded(net, tmp_path):
    path = tmp_path / "in.onnx"
    path.write_bytes(net.build().SerializeToString())
    return ge.onnx.load(path)


def saved(graph, tmp_path, **options):
    ge.onnx.save(graph, tmp_path / "out.onnx", **options)
    return onnx.load(str(tmp_path / "out.onnx"))


def told(model):
    """All that a model says of its nodes, constants and opset."""
    nodes = [
        (n.name, n.op_type, list(n.input), list(n.output), {a.name: helper.get_attribute_value(a) for a in n.attribute})
        for n in model.graph.node
    ]
    constants = {t.name: numpy_helper.to_array(t).tolist() for t in model.graph.initializer}
    return nodes, constants, [(o.domain, o.version) for o in model.opset_import]


def only(graph, node_type):
    nodes = [node for node in graph.get_all_nodes() if node.type == node_type]
    assert len(nodes) == 1, [(node.name, node.type) for node in graph.get_all_nodes()]
    return nodes[0]


def reduction(op, opset, axes_input=None, shape=(2, 3, 4), **attributes):
    net = Net(opset=opset)
    operands = [net.input("x", list(shape))]
    if axes_input is not None:
        operands.append(net.const(np.array(axes_input, np.int64), "where"))
    net.output(net.op(op, *operands, outputs="y", **attributes))
    return net


@pytest.mark.parametrize("opset", [7, 8, 13, 20])
@pytest.mark.parametrize("count", [1, 2, 5])
def test_a_sum_is_accumulate_nv2_and_comes_back(count, opset, tmp_path):
    net = Net(opset=opset)
    names = [net.input(f"x{i}", [2, 3]) for i in range(count)]
    net.output(net.op("Sum", *names, outputs="total"), [2, 3])
    graph = loaded(net, tmp_path)
    node = only(graph, "AccumulateNV2")
    assert node.get_attr("N") == count and node.get_inputs_size() == count and node.name == "n0"
    assert told(saved(graph, tmp_path)) == told(net.build())


@pytest.mark.parametrize("op", NORMS)
@pytest.mark.parametrize("opset", [7, 11, 13, 17])
@pytest.mark.parametrize("attributes", [{}, {"axes": [1]}, {"axes": [0, 2], "keepdims": 0}, {"keepdims": 1}])
def test_norms_with_axes_as_an_attribute_come_back(attributes, opset, op, tmp_path):
    net = reduction(op, opset, **attributes)
    graph = loaded(net, tmp_path)
    node = only(graph, NORMS[op])
    if "axes" in attributes:
        assert node.get_attr(AXES[NORMS[op]]) == attributes["axes"]
    if NORMS[op] == "LpNormV2":
        assert node.get_attr("p") == (1.0 if op == "ReduceL1" else 2.0)
    assert told(saved(graph, tmp_path)) == told(net.build())


@pytest.mark.parametrize("op", NORMS)
@pytest.mark.parametrize("constant", ["initializer", "node"])
@pytest.mark.parametrize("attributes", [{}, {"keepdims": 0}, {"noop_with_empty_axes": 1}, {"noop_with_empty_axes": 0}])
def test_norms_with_constant_axes_as_an_input_come_back(attributes, constant, op, tmp_path):
    net = Net(opset=18)
    x = net.input("x", [2, 3, 4])
    axes = net.const(np.array([-1, 1], np.int64), "where")
    if constant == "node":
        axes = net.op("Constant", outputs="where", value_ints=[-1, 1])
        net.constants.clear()
    first = net.op(op, x, axes, **attributes)
    net.output(net.op(op, net.op("ReduceSum", x, axes), axes, outputs="z"))  # others may use them, too
    net.output(first)
    graph = loaded(net, tmp_path)
    nodes = [node for node in graph.get_all_nodes() if node.type == NORMS[op]]
    assert [node.get_attr(AXES[NORMS[op]]) for node in nodes] == [[-1, 1], [-1, 1]]
    assert [node.get_inputs_size() for node in nodes] == [1, 1]
    assert told(saved(graph, tmp_path)) == told(net.build())


@pytest.mark.parametrize("op", NORMS)
@pytest.mark.parametrize("constant", ["initializer", "node"])
def test_axes_that_only_a_norm_reads_are_written_while_it_is_there(constant, op, tmp_path):
    net = reduction(op, 18, [1])
    if constant == "node":
        net.constants.clear()
        net.op("Constant", outputs="where", value_ints=[1])
        net.nodes.reverse()
    graph = loaded(net, tmp_path)
    assert told(saved(graph, tmp_path)) == told(net.build())
    node = only(graph, NORMS[op])
    node.set_attr(AXES[NORMS[op]], [0, 2])
    after = saved(graph, tmp_path)
    (axes,) = after.graph.initializer
    assert numpy_helper.to_array(axes).tolist() == [0, 2] and operators(after) == {op: 1}
    assert next(n for n in after.graph.node if n.op_type == op).input[1] == axes.name


@pytest.mark.parametrize("op", NORMS)
def test_axes_keep_their_name_when_a_pass_has_removed_their_constant(op, tmp_path):
    net = reduction(op, 18, [1])
    graph = loaded(net, tmp_path)
    graph.remove_node(only(graph, "Const"))
    assert told(saved(graph, tmp_path)) == told(net.build())


@pytest.mark.parametrize("op", NORMS)
def test_norms_whose_axes_ge_cannot_hold_stay_opaque(op, tmp_path):
    variable = Net(opset=18)
    variable.output(variable.op(op, variable.input("x", [2, 3]), variable.input("where", [1], TensorProto.INT64)))
    overridable = reduction(op, 18, [1])
    overridable.input("where", [1], TensorProto.INT64)
    empty = reduction(op, 18, np.array([], np.int64))
    neutral = reduction(op, 18, noop_with_empty_axes=1)
    for net in (variable, overridable, empty, neutral):
        graph = loaded(net, tmp_path)
        only(graph, f"ai.onnx::{op}")
        assert told(saved(graph, tmp_path)) == told(net.build())


@pytest.mark.parametrize("op", NORMS)
@pytest.mark.parametrize("attributes", [{}, {"axes": [-1], "keepdims": 0}, {"axes": [0, 2]}])
def test_norms_give_the_same_numbers_in_a_newer_opset(attributes, op, tmp_path):
    net = reduction(op, 13, **attributes)
    after = saved(loaded(net, tmp_path), tmp_path, opset=18)
    assert after.opset_import[0].version == 18
    for output in after.graph.output:
        output.type.tensor_type.shape.SetInParent()  # the checker wants one; its rank is not looked at
    onnx.checker.check_model(after)
    x = np.random.default_rng(0).normal(size=(2, 3, 4)).astype(np.float32)
    before = net.build()
    np.testing.assert_array_equal(run(after, {"x": x})[0], run(before, {"x": x})[0])


@pytest.mark.parametrize("op", NORMS)
@pytest.mark.parametrize("opset", [13, 18])
@pytest.mark.parametrize(
    "axes, keepdims, wanted",
    [(None, 1, [1, 1, 1]), (None, 0, []), ([1], 1, [2, 1, 4]), ([-1, 0], 0, [3])],
)
def test_shapes_of_norms_are_inferred(axes, keepdims, wanted, opset, op, tmp_path):
    as_attribute = {"axes": axes} if axes and opset < 18 else {}
    net = reduction(op, opset, axes if opset >= 18 else None, keepdims=keepdims, **as_attribute)
    graph = loaded(net, tmp_path)
    GeUtils.infer_shape(graph, [[2, 3, 4]])
    assert list(only(graph, NORMS[op]).get_output_desc(0).shape) == wanted


def test_a_sum_of_several_shapes_is_inferred_and_comes_back(tmp_path):
    net = Net(opset=8)
    net.output(net.op("Sum", net.input("a", [2, 1]), net.input("b", [3]), net.input("c", [])))
    graph = loaded(net, tmp_path)
    GeUtils.infer_shape(graph, [[2, 1], [3], []])
    assert list(only(graph, "AccumulateNV2").get_output_desc(0).shape) == [2, 3]
    assert told(saved(graph, tmp_path)) == told(net.build())


@pytest.mark.parametrize("attribute, value, words", [("p", 3.0, "p 1 and 2 alone"), ("epsilon", 0.5, "'epsilon'")])
def test_a_norm_that_onnx_lacks_is_an_error_with_the_reason(attribute, value, words, tmp_path):
    graph = loaded(reduction("ReduceL2", 13), tmp_path)
    only(graph, "LpNormV2").set_attr(attribute, value)
    with pytest.raises(RuntimeError, match=words):
        ge.onnx.save(graph, tmp_path / "out.onnx")


@pytest.mark.parametrize("shapes, opset", [([[2, 3], [2, 3]], 7), ([[2, 3], [3]], 8)])
def test_sums_that_broadcast_need_opset_8(shapes, opset, tmp_path):
    builder = GraphBuilder("sums")
    inputs = [builder.create_input(i, shape=shape) for i, shape in enumerate(shapes)]
    graph = builder.build_and_reset([AccumulateNV2(inputs, N=2)])
    GeUtils.infer_shape(graph, shapes)
    assert saved(graph, tmp_path, opset=opset).opset_import[0].version == opset
    if opset == 8:
        with pytest.raises(RuntimeError, match="needs opset 8"):
            saved(graph, tmp_path, opset=7)
