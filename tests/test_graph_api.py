"""ge.graph: types, descs, tensors, nodes, graphs."""

from __future__ import annotations

import copy

import pytest
from ge.es import GraphBuilder
from ge.es.all import Abs, Add, MatMul, Relu
from ge.graph import DataType, Format, Graph, Node, Placement, Shape, Tensor, TensorDesc

from _graphs import build, kinds, node_of, only

F, ND = DataType.DT_FLOAT, Format.FORMAT_ND


@pytest.mark.smoke
def test_enums_hold_their_numbers():
    numbers = {"DT_FLOAT": 0, "DT_FLOAT16": 1, "DT_INT32": 3, "DT_INT64": 9, "DT_BOOL": 12, "DT_BF16": 27, "DT_MAX": 43}
    assert {name: DataType[name].value for name in numbers} == numbers
    assert (Format.FORMAT_NCHW, Format.FORMAT_NHWC, Format.FORMAT_ND, Format.FORMAT_NCDHW) == (0, 1, 2, 30)
    assert [p.value for p in Placement] == [0, 1]
    assert isinstance(F, int) and repr(DataType.DT_INT32) == "<DataType.DT_INT32: 3>" and f"{F:d}" == "0"
    assert 5 not in [d.value for d in DataType]


@pytest.mark.parametrize(
    "dims, size, unknown",
    [([2, 3, 4], 24, False), ([], 0, False), ([0, 3], 0, False), ([2, -1], -1, True), ([-2], -1, True)],
)
def test_shape_is_a_list_that_knows_its_size(dims, size, unknown):
    shape = Shape(dims)
    assert shape == dims and isinstance(shape, list)
    assert shape.get_shape_size() == size and shape.is_unknown_shape() is unknown


@pytest.mark.parametrize("dims", ["invalid", [1, "invalid"], [1.0, 2.0]])
def test_shape_wants_integers(dims):
    with pytest.raises(TypeError, match="dims must be a list of integers"):
        Shape(dims)


def test_a_tensor_desc_is_set_and_read():
    desc = TensorDesc()
    assert (desc.shape, desc.format, desc.data_type) == ([], ND, F)
    same = (
        desc.set_shape([1, 2])
        .set_data_type(DataType.DT_INT8)
        .set_format(Format.FORMAT_NCHW)
        .set_origin_shape([3])
        .set_origin_format(Format.FORMAT_NHWC)
    )
    assert same is desc
    assert (desc.get_shape(), desc.get_format(), desc.get_data_type()) == ([1, 2], Format.FORMAT_NCHW, DataType.DT_INT8)
    assert (desc.origin_shape, desc.origin_format) == ([3], Format.FORMAT_NHWC)
    assert isinstance(desc.shape, Shape) and "shape=[1, 2]" in repr(desc) and "TensorDesc" in repr(desc)


@pytest.mark.parametrize(
    "call, text",
    [
        (lambda: TensorDesc(format="x"), "Format must be a Format"),
        (lambda: TensorDesc(data_type="x"), "Data type must be a DataType"),
        (lambda: TensorDesc(data_type=0), "Data type must be a DataType"),
        (lambda: TensorDesc(shape="x"), "shape must be a list of integers"),
        (lambda: TensorDesc().set_shape([1.0]), "shape must be a list of integers"),
        (lambda: TensorDesc().set_format("x"), "Format must be a Format"),
        (lambda: TensorDesc().set_data_type("x"), "Data type must be a DataType"),
    ],
)
def test_a_tensor_desc_checks_its_types(call, text):
    with pytest.raises(TypeError, match=text):
        call()


def test_descs_tensors_and_graphs_are_not_copied():
    for thing in (TensorDesc(), Tensor(), Graph()):
        for copier in (copy.copy, copy.deepcopy):
            with pytest.raises(RuntimeError, match="does not support"):
                copier(thing)


INTEGERS = [DataType[f"DT_{s}INT{n}"] for s in ("", "U") for n in (8, 16, 32, 64)]


@pytest.mark.parametrize("dtype", INTEGERS, ids=lambda d: d.name)
def test_an_integer_tensor_gives_its_data_back(dtype):
    tensor = Tensor([1, 2, 3, 4, 5, 6], data_type=dtype, shape=[1, 2, 3])
    assert tensor.data == [[[1, 2, 3], [4, 5, 6]]] and tensor.data_type == dtype and tensor.shape == [1, 2, 3]


def test_float_half_and_scalar_tensors():
    assert Tensor([1.5, -2.0], shape=[2]).get_data() == [1.5, -2.0]
    assert Tensor([0.1], data_type=DataType.DT_FLOAT16, shape=[1]).get_data()[0] == pytest.approx(0.1, abs=1e-3)
    assert Tensor([7], data_type=DataType.DT_INT32, shape=[]).get_data() == 7
    assert Tensor([1.0]).placement == Placement.PLACEMENT_HOST


@pytest.mark.parametrize(
    "arguments, error, text",
    [
        ({"shape": "x"}, TypeError, "Shape must be a list of integers"),
        ({"placement": 0}, TypeError, "Placement must be a Placement"),
        ({"data": [1], "file_path": "x"}, RuntimeError, "either by data or by file"),
        ({"data": 1}, TypeError, "data should be List"),
        ({"file_path": "/nowhere"}, RuntimeError, "Failed to create Tensor"),
        ({"data": [1.0], "data_type": DataType.DT_DOUBLE}, RuntimeError, "DT_DOUBLE is not supported"),
    ],
)
def test_a_tensor_checks_its_arguments(arguments, error, text):
    with pytest.raises(error, match=text):
        Tensor(**arguments)


def test_a_tensor_reads_a_file(tmp_path):
    path = tmp_path / "data.bin"
    path.write_bytes(bytes([1, 0, 0, 0, 2, 0, 0, 0, 9]))
    assert Tensor(file_path=str(path), data_type=DataType.DT_INT32, shape=[2]).get_data() == [1, 2]
    with pytest.raises(RuntimeError, match="Failed to create Tensor"):
        Tensor(file_path=str(path), data_type=DataType.DT_INT32, shape=[3])


def test_the_text_of_a_tensor():
    tensor = Tensor([1, 2, 3, 4, 5, 6], data_type=DataType.DT_INT8, shape=[1, 2, 3])
    lines = [
        "",
        "Tensor format is 2,",
        "data_type is 2,",
        "shape is [1, 2, 3],",
        "data is [[[1, 2, 3], [4, 5, 6]]]",
        "",
    ]
    assert str(tensor) == "\n".join([lines[0]] + [" " * 8 + line for line in lines[1:]])


ATTRIBUTES = [
    "text",
    1.5,
    True,
    7,
    -(2**63),
    DataType.DT_INT32,
    [1.5, -2.0],
    [True, False],
    [1, 2],
    ["a", "b"],
]


@pytest.mark.smoke
@pytest.mark.parametrize("value", ATTRIBUTES, ids=str)
def test_attributes_come_back_as_they_were_set(value):
    graph = build(lambda x: Relu(x))
    node = only(graph, "Relu")
    for owner in (node, graph):
        owner.set_attr("key", value)
        found = owner.get_attr("key")
        assert found == value and type(found) is type(value)
    assert node.has_attr("key") and not node.has_attr("other")
    node.set_input_attr("in", 0, value)
    node.set_output_attr("out", 0, value)
    assert node.get_input_attr("in", 0) == value and node.get_output_attr("out", 0) == value


@pytest.mark.parametrize("value", [{"key": "value"}, None, (1,), [1, "x"], [[1]]], ids=str)
def test_other_values_are_no_attributes(value):
    node = node_of("Relu", lambda x: Relu(x))
    with pytest.raises(ValueError, match="Unsupported attribute type"):
        node.set_attr("key", value)
    with pytest.raises(ValueError, match="Empty list is not supported"):
        node.set_attr("key", [])
    with pytest.raises(TypeError, match="Attribute key must be a string"):
        node.set_attr(3, 3)
    with pytest.raises(RuntimeError):
        node.get_attr("key")


def test_a_tensor_attribute_is_a_copy():
    node = node_of("Relu", lambda x: Relu(x))
    node.set_attr("key", Tensor([1, 2], data_type=DataType.DT_INT32, shape=[2]))
    assert node.get_attr("key").get_data() == [1, 2]


@pytest.mark.smoke
def test_a_node_knows_its_neighbours():
    graph = build(lambda x, y: Add(Relu(x), y), 2)
    add, relu = only(graph, "Add"), only(graph, "Relu")
    assert (add.name, add.type, add.get_inputs_size(), add.get_outputs_size()) == ("Add_1", "Add", 2, 1)
    producer, port = add.get_in_data_nodes_and_port_indexes(0)
    assert (producer.name, port) == ("Relu_0", 0)
    assert [(n.name, i) for n, i in relu.get_out_data_nodes_and_port_indexes(0)] == [("Add_1", 0)]
    assert relu.get_out_data_nodes_and_port_indexes(7) == []
    for wrong in (2, -1):
        with pytest.raises(RuntimeError):
            add.get_in_data_nodes_and_port_indexes(wrong)
    with pytest.raises(TypeError, match="Input index must be an integer"):
        add.get_in_data_nodes_and_port_indexes("0")
    with pytest.raises(RuntimeError):
        Node()


def test_an_open_optional_input_is_not_counted():
    node = node_of("MatMul", lambda a, b: MatMul(a, b), 2)
    assert node.get_inputs_size() == 2
    with pytest.raises(RuntimeError):
        node.get_in_data_nodes_and_port_indexes(2)


def test_descs_of_a_node_are_snapshots():
    node = node_of("Relu", lambda x: Relu(x))
    desc = node.get_output_desc(0)
    desc.set_shape([5])
    assert node.get_output_desc(0).shape != [5]
    node.update_output_desc(0, desc)
    assert node.get_output_desc(0).shape == [5]
    node.update_input_desc(0, TensorDesc([6], ND, DataType.DT_INT8))
    assert node.get_input_desc(0).shape == [6] and node.get_input_desc(0).data_type == DataType.DT_INT8
    for call in (node.get_output_desc, node.get_input_desc):
        with pytest.raises(RuntimeError):
            call(9)
    with pytest.raises(TypeError, match="tensor_desc must be a TensorDesc"):
        node.update_output_desc(0, [5])


def test_edges_are_removed_and_added():
    graph = build(lambda x, y: [Add(Relu(x), y), Abs(y)], 2)
    add, relu, absolute = only(graph, "Add"), only(graph, "Relu"), only(graph, "Abs")
    with pytest.raises(
        RuntimeError, match="Failed to add DataEdge from Node Abs_2, Port Index 0 to Node Add_1, Port Index 0"
    ):
        graph.add_data_edge(absolute, 0, add, 0)
    graph.remove_edge(relu, 0, add, 0)
    graph.add_data_edge(absolute, 0, add, 0)
    assert add.get_in_data_nodes_and_port_indexes(0)[0].type == "Abs"
    with pytest.raises(RuntimeError):
        graph.remove_edge(relu, 0, add, 0)
    graph.remove_node(relu)
    assert kinds(graph) == ["Abs", "Add"]
    with pytest.raises(RuntimeError):
        relu.get_attr("x")
    graph.add_control_edge(absolute, add)
    assert [n.name for n in add.get_in_control_nodes()] == ["Abs_2"]
    graph.remove_edge(absolute, -1, add, -1)
    assert add.get_in_control_nodes() == [] and absolute.get_out_control_nodes() == []


def test_nodes_are_found_by_name():
    graph = build(lambda x: Relu(x), name="mine")
    assert graph.name == "mine" and graph.find_node_by_name("Relu_0").type == "Relu"
    with pytest.raises(RuntimeError, match="Failed to find Node name nothing"):
        graph.find_node_by_name("nothing")
    with pytest.raises(TypeError, match="name must be a string"):
        graph.find_node_by_name(3)
    assert [n.type for n in graph.get_all_nodes()] == ["Data", "Relu", "NetOutput"]


def test_a_node_of_another_graph_is_refused():
    one, other = build(lambda x: Relu(x)), build(lambda x: Relu(x))
    with pytest.raises(RuntimeError):
        one.remove_node(only(other, "Relu"))
    with pytest.raises(RuntimeError):
        one.add_control_edge(only(one, "Relu"), only(other, "Relu"))


def test_a_node_outlives_neither_its_graph_nor_its_removal():
    graph = build(lambda x: Relu(x))
    node = only(graph, "Relu")
    del graph
    import gc

    gc.collect()
    for call in (lambda: node.name, lambda: node.get_attr("x"), lambda: node.get_output_desc(0)):
        with pytest.raises(RuntimeError):
            call()


def test_graph_wants_a_name():
    assert Graph().name == "graph" and Graph("mine").name == "mine" and Graph().get_all_nodes() == []
    with pytest.raises(TypeError, match="Graph name must be a string"):
        Graph(None)


def test_the_text_of_a_graph_names_every_node():
    builder = GraphBuilder("mine")
    x = builder.create_input(0, name="left", shape=[2, 3])
    text = str(builder.build_and_reset([Relu(Add(x, 1.0))]))
    assert all(word in text for word in ("mine", "left", "Relu", "Add", "Const"))
