"""ge.utils.GeUtils: inference over a graph, and what an AI core takes."""

from __future__ import annotations

import json

import pytest
from ge.es import GraphBuilder
from ge.es.all import Add, ConcatV2, MatMul, Relu
from ge.graph import DataType, Format, Graph, TensorDesc
from ge.utils import GeUtils

from _graphs import build, node_of, only


def matmul():
    builder = GraphBuilder("mm")
    x, w = builder.create_input(0), builder.create_input(1, data_type=DataType.DT_FLOAT)
    return builder.build_and_reset([Relu(MatMul(x, w))])


# ---- infer_shape ---------------------------------------------------------------------------------------------------------


@pytest.mark.smoke
def test_shapes_of_the_inputs_reach_all_nodes():
    graph = matmul()
    before = sorted(n.name for n in graph.get_all_nodes())
    assert GeUtils.infer_shape(graph, [[2, 3], [3, 4]]) is None
    assert only(graph, "Relu").get_output_desc(0).shape == [2, 4]
    data = [n for n in graph.get_direct_nodes() if n.type == "Data"]
    for node, shape in zip(data, ([2, 3], [3, 4])):
        for desc in (node.get_input_desc(0), node.get_output_desc(0)):
            assert (desc.shape, desc.origin_shape, desc.data_type) == (shape, shape, DataType.DT_FLOAT)
    assert sorted(n.name for n in graph.get_all_nodes()) == before
    GeUtils.infer_shape(graph, [[-1, 3], [3, 4]])
    assert only(graph, "Relu").get_output_desc(0).shape == [-1, 4]


def test_as_many_shapes_as_inputs():
    assert GeUtils.infer_shape(Graph("empty"), []) is None
    with pytest.raises(RuntimeError, match="Failed to infer shape"):
        GeUtils.infer_shape(Graph("empty"), [[1]])
    with pytest.raises(RuntimeError, match="Failed to infer shape"):
        GeUtils.infer_shape(matmul(), [[2, 3]])


def test_shapes_that_contradict_the_operators():
    with pytest.raises(RuntimeError, match="Failed to infer shape.*MatMul"):
        GeUtils.infer_shape(matmul(), [[2, 3], [4, 5]])


@pytest.mark.parametrize("shapes", ["bad", [1, 2], [[1, "bad"]], [(1,)], None], ids=str)
def test_shapes_are_lists_of_lists_of_ints(shapes):
    with pytest.raises(TypeError):
        GeUtils.infer_shape(Graph(), shapes)


# ---- check_node_support_on_aicore ------------------------------------------------------------------------------------------


@pytest.fixture(autouse=True)
def no_cann(monkeypatch):
    monkeypatch.delenv("ASCEND_OPP_PATH", raising=False)


def typed(dtype, layout=Format.FORMAT_ND):
    """An Add whose inputs and output have that type and layout."""
    node = node_of("Add", lambda x, y: Add(x, y), 2)
    for index in (0, 1):
        node.update_input_desc(index, TensorDesc([2], layout, dtype))
    node.update_output_desc(0, TensorDesc([2], layout, dtype))
    return node


def test_without_a_cann_the_registry_decides():
    supported, reason = GeUtils.check_node_support_on_aicore(typed(DataType.DT_FLOAT))
    assert supported is True and "operator registry" in reason
    supported, reason = GeUtils.check_node_support_on_aicore(typed(DataType.DT_RESOURCE))
    assert supported is False and "'x1' does not take DT_RESOURCE" in reason and "operator registry" in reason


def test_only_nodes_are_checked():
    with pytest.raises(TypeError, match="node must be a Node"):
        GeUtils.check_node_support_on_aicore("Add")
    graph = build(lambda x: Relu(x))
    node = only(graph, "Relu")
    graph.remove_node(node)
    with pytest.raises(RuntimeError, match="expired"):
        GeUtils.check_node_support_on_aicore(node)


ADD = {
    "input0": {"name": "x1", "dtype": "float16,float,int32", "format": "ND,ND,NCHW", "paramType": "required"},
    "input1": {"name": "x2", "dtype": "float16,float,int32", "format": "ND,ND,NCHW", "paramType": "required"},
    "output0": {"name": "y", "dtype": "float16,float,int32", "format": "ND,ND,NCHW", "paramType": "required"},
}
CONCAT = {
    "input0": {"name": "x", "dtype": "float", "format": "ND", "paramType": "dynamic"},
    "input1": {"name": "concat_dim", "dtype": "int64", "format": "ND", "paramType": "required"},
    "output0": {"name": "y", "dtype": "float", "format": "ND", "paramType": "required"},
}


@pytest.fixture
def cann(tmp_path, monkeypatch):
    """Writes the operator information of a chip: cann("ascend910b", {...})."""

    def write(chip, operators):
        folder = tmp_path / "built-in" / "op_impl" / "ai_core" / "tbe" / "config" / chip
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"aic-{chip}-ops-info.json"
        path.write_text(operators if isinstance(operators, str) else json.dumps(operators))
        monkeypatch.setenv("ASCEND_OPP_PATH", str(tmp_path))
        return str(path)

    return write


@pytest.mark.parametrize(
    "dtype, layout, supported, word",
    [
        (DataType.DT_FLOAT, Format.FORMAT_ND, True, "supported by"),
        (DataType.DT_INT32, Format.FORMAT_NCHW, True, "supported by"),
        (DataType.DT_INT8, Format.FORMAT_ND, False, "does not take DT_INT8, only float, float16, int32"),
        (DataType.DT_INT32, Format.FORMAT_NHWC, False, "layout NHWC"),
    ],
)
def test_an_installed_cann_decides(cann, dtype, layout, supported, word):
    path = cann("ascend910b", {"Add": ADD})
    found, reason = GeUtils.check_node_support_on_aicore(typed(dtype, layout))
    assert found is supported and word in reason and path in reason


def test_types_must_fit_in_one_combination(cann):
    cann("ascend910b", {"Add": ADD})
    node = typed(DataType.DT_FLOAT)
    node.update_input_desc(1, TensorDesc([2], Format.FORMAT_ND, DataType.DT_FLOAT16))
    supported, reason = GeUtils.check_node_support_on_aicore(node)
    assert supported is False and "no combination" in reason


def test_one_chip_that_takes_the_node_is_enough(cann):
    cann("ascend310p", {"Relu": {}})
    assert "'Add' is not in it" in GeUtils.check_node_support_on_aicore(typed(DataType.DT_FLOAT))[1]
    second = cann("ascend910b", {"Add": ADD})
    supported, reason = GeUtils.check_node_support_on_aicore(typed(DataType.DT_FLOAT))
    assert supported is True and second in reason


def test_dynamic_inputs_are_checked_one_by_one(cann):
    cann("ascend910b", {"ConcatV2": CONCAT})
    builder = GraphBuilder()
    parts = [builder.create_input(i, shape=[2]) for i in range(3)]
    graph = builder.build_and_reset([ConcatV2(parts, 0, N=3)])
    GeUtils.infer_shape(graph, [[2], [2], [2]])
    node = only(graph, "ConcatV2")
    assert GeUtils.check_node_support_on_aicore(node)[0] is True
    node.update_input_desc(2, TensorDesc([2], Format.FORMAT_ND, DataType.DT_INT8))
    assert "'x' does not take DT_INT8" in GeUtils.check_node_support_on_aicore(node)[1]


def test_a_damaged_file_is_an_error(cann):
    for damage in ("{", "[]"):
        path = cann("ascend910b", damage)
        with pytest.raises(RuntimeError, match=path):
            GeUtils.check_node_support_on_aicore(typed(DataType.DT_FLOAT))
