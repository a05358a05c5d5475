"""ge.graph.Node."""

from __future__ import annotations

import copy
import ctypes
import gc

import pytest
from ge.es import GraphBuilder
from ge.es.all import Add, MatMul, Relu, Split
from ge.graph import DataType, Format, Node, Tensor, TensorDesc

from _graphs import build, node_of, only

F, ND = DataType.DT_FLOAT, Format.FORMAT_ND


@pytest.fixture
def graph():
    """Add of an image and a constant."""
    builder = GraphBuilder("example")
    image = builder.create_input(0, name="test_input", data_type=F, format=ND, shape=[1, 3, 224, 224])
    return builder.build_and_reset([Add(image, builder.create_const_float(1.0))])


def test_a_node_is_not_made_by_its_user():
    with pytest.raises(RuntimeError):
        Node()


@pytest.mark.smoke
def test_the_nodes_of_a_built_graph(graph):
    nodes = graph.get_all_nodes()
    assert [n.type for n in nodes] == ["Data", "Const", "Add", "NetOutput"] and all(type(n) is Node for n in nodes)
    assert [n.name for n in nodes] == ["test_input", "Const_0", "Add_1", "NetOutput_example"]
    assert only(graph, "Add") != only(graph, "Add") and nodes[0].type is graph.get_all_nodes()[0].type


@pytest.mark.smoke
def test_a_node_knows_its_neighbours(graph):
    add, data = only(graph, "Add"), only(graph, "Data")
    assert (add.get_inputs_size(), add.get_outputs_size()) == (2, 1)
    producer, port = add.get_in_data_nodes_and_port_indexes(0)
    assert (type(producer), producer.type, port, type(port)) == (Node, "Data", 0, int)
    assert [(n.type, i) for n, i in data.get_out_data_nodes_and_port_indexes(0)] == [("Add", 0)]
    assert add.get_in_control_nodes() == [] == add.get_out_control_nodes()
    for index in (7, -1):
        assert data.get_out_data_nodes_and_port_indexes(index) == []
        with pytest.raises(RuntimeError):
            add.get_in_data_nodes_and_port_indexes(index)
    with pytest.raises(TypeError, match="Input index must be an integer"):
        add.get_in_data_nodes_and_port_indexes("0")
    with pytest.raises(TypeError, match="Output index must be an integer"):
        add.get_out_data_nodes_and_port_indexes("0")


def test_consumers_come_in_the_order_of_their_edges():
    graph = build(lambda x: [Relu(x), Add(x, x), Relu(x)])
    (data,) = [n for n in graph.get_direct_nodes() if n.type == "Data"]
    found = [(n.name, i) for n, i in data.get_out_data_nodes_and_port_indexes(0)]
    assert found == [("Relu_0", 0), ("Add_1", 0), ("Add_1", 1), ("Relu_2", 0)]


def test_control_neighbours_come_in_the_order_of_their_edges():
    graph = build(lambda x: [Relu(x), Relu(x), Relu(x)])
    first, second, third = [n for n in graph.get_direct_nodes() if n.type == "Relu"]
    graph.add_control_edge(second, third)
    graph.add_control_edge(first, third)
    assert [n.name for n in third.get_in_control_nodes()] == [second.name, first.name]
    assert [n.name for n in first.get_out_control_nodes()] == [third.name]


def test_an_open_optional_input_is_not_counted():
    node = node_of("MatMul", lambda a, b: MatMul(a, b), 2)
    assert node.get_inputs_size() == 2
    for read in (node.get_in_data_nodes_and_port_indexes, node.get_input_desc):
        with pytest.raises(RuntimeError):
            read(2)


def test_outputs_are_counted():
    node = node_of("Split", lambda x: Split(0, x, 3, num_split=3))
    assert node.get_outputs_size() == 3


# ---- descs -------------------------------------------------------------------------------------------------------------


def test_nothing_is_inferred_while_a_graph_is_built(graph):
    desc = only(graph, "NetOutput").get_input_desc(0)
    assert type(desc) is TensorDesc and isinstance(desc.shape, list)
    assert (desc.shape, desc.format, desc.data_type) == ([], ND, F)


def test_descs_are_snapshots_until_they_are_given_back(graph):
    output = only(graph, "NetOutput")
    desc = output.get_input_desc(0)
    desc.set_shape([1, 3, 224, 224]).set_format(Format.FORMAT_NCHW).set_data_type(DataType.DT_INT32)
    assert output.get_input_desc(0).shape == []
    assert output.update_input_desc(0, desc) is None
    read = output.get_input_desc(0)
    assert (read.shape, read.format, read.data_type) == ([1, 3, 224, 224], Format.FORMAT_NCHW, DataType.DT_INT32)
    assert read.shape.get_shape_size() == 150528 and read.shape.is_unknown_shape() is False


def test_the_desc_of_an_input(graph):
    data = only(graph, "Data")
    desc = data.get_output_desc(0)
    assert (desc.shape, desc.format, desc.data_type) == ([1, 3, 224, 224], ND, F)
    assert desc.shape.get_shape_size() == 150528 and desc.shape.is_unknown_shape() is False
    data.update_output_desc(0, TensorDesc([1, 3, -1, 224], Format.FORMAT_NCHW, DataType.DT_INT32))
    read = data.get_output_desc(0)
    assert (read.format, read.data_type) == (Format.FORMAT_NCHW, DataType.DT_INT32)
    assert read.shape.get_shape_size() == -1 and read.shape.is_unknown_shape() is True
    # What is fed is what is given out.
    assert data.get_input_desc(0).shape == [1, 3, -1, 224]


@pytest.mark.parametrize("side, word", [("input", "Input"), ("output", "Output")])
def test_descs_are_asked_for_with_an_index_that_exists(graph, side, word):
    add = only(graph, "Add")
    read, update = getattr(add, f"get_{side}_desc"), getattr(add, f"update_{side}_desc")
    for call in (lambda: read("0"), lambda: update("0", "desc")):
        with pytest.raises(TypeError, match=f"{word} index must be an integer"):
            call()
    with pytest.raises(TypeError, match="tensor_desc must be a TensorDesc"):
        update(0, "desc")
    for index in (-1, 2, 2**40):
        with pytest.raises(RuntimeError, match=side):
            read(index)
        with pytest.raises(RuntimeError, match=side):
            update(index, TensorDesc())


# ---- attributes ----------------------------------------------------------------------------------------------------------


def test_the_value_of_a_constant(graph):
    value = only(graph, "Const").get_attr("value")
    assert type(value) is Tensor and (value.data_type, value.shape, value.data) == (F, [], 1.0)


def test_attributes_of_a_node(graph):
    add = only(graph, "Add")
    assert add.has_attr("key") is False
    add.set_attr("key", "value")
    assert add.has_attr("key") is True and add.get_attr("key") == "value"
    with pytest.raises(RuntimeError, match="has_attr"):
        add.get_attr("other")
    assert add.has_attr("") is False
    for call in (lambda: add.get_attr(""), lambda: add.set_attr("", 1)):
        with pytest.raises(RuntimeError):
            call()
    with pytest.raises(TypeError, match="attr_name must be a string"):
        add.has_attr(True)
    for call in (lambda: add.get_attr(123), lambda: add.set_attr(123, 1)):
        with pytest.raises(TypeError, match="Attribute key must be a string"):
            call()


@pytest.mark.parametrize("side, word", [("input", "Input"), ("output", "Output")])
def test_attributes_of_a_slot(graph, side, word):
    add = only(graph, "Add")
    read, write = getattr(add, f"get_{side}_attr"), getattr(add, f"set_{side}_attr")
    write("key", 0, "value")
    assert read("key", 0) == "value" and not add.has_attr("key")
    for call in (lambda: read(1, 0), lambda: write(1, "0", "value")):
        with pytest.raises(TypeError, match="Attribute name must be a string"):
            call()
    for call in (lambda: read("key", "0"), lambda: write("key", "0", "value")):
        with pytest.raises(TypeError, match=f"{word} index must be an integer"):
            call()
    for call in (lambda: read("key", 9), lambda: write("key", -1, 1), lambda: read("missing", 0)):
        with pytest.raises(RuntimeError):
            call()
    with pytest.raises(ValueError, match="Unsupported attribute type"):
        write("key", 0, {})


# ---- lifetime ------------------------------------------------------------------------------------------------------------


def test_a_node_is_not_copied(graph):
    for copier in (copy.copy, copy.deepcopy):
        with pytest.raises(RuntimeError, match="Node does not support"):
            copier(only(graph, "Add"))


def test_a_node_of_a_handle(graph):
    add = only(graph, "Add")
    assert add._owns_handle is False and Node._create_from(add._handle).name == "Add_1"
    assert add._handle == only(graph, "Add")._handle != only(graph, "Data")._handle
    with pytest.raises(ValueError):
        Node._create_from(None)
    short_lived = build(lambda x: Relu(x))
    handle = only(short_lived, "Relu")._handle
    del short_lived
    gc.collect()
    with pytest.raises(RuntimeError, match="expired"):
        Node._create_from(handle)


def test_a_node_whose_handle_was_taken_away(graph):
    add = only(graph, "Add")
    for null in (None, ctypes.c_void_p()):
        add._handle = null
        with pytest.raises(RuntimeError, match="Failed to get output data node for index 0"):
            add.get_out_data_nodes_and_port_indexes(0)
        with pytest.raises(RuntimeError, match="expired"):
            add.name
