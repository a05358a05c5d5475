"""ge.es.TensorHolder: descriptions, operators, how long it lives."""

from __future__ import annotations

import copy
import gc

import pytest
from ge.es import GraphBuilder, TensorHolder
from ge.es.all import TopKV2
from ge.es.graph_builder import TensorHolder as SameTensorHolder
from ge.graph import DataType, Format, Node


@pytest.fixture
def builder():
    return GraphBuilder()


@pytest.fixture
def x(builder):
    return builder.create_input(0, name="x", shape=[2])


def node(holder):
    return holder._get_node_snapshot()


def operands(holder):
    """Names or constant values of what feeds a node."""
    found = [node(holder).get_in_data_nodes_and_port_indexes(i)[0] for i in range(node(holder).get_inputs_size())]
    return [n.get_attr("value").get_data() if n.type == "Const" else n.name for n in found]


def test_there_is_one_class(x):
    assert SameTensorHolder is TensorHolder and type(x) is TensorHolder and x._handle is not None


def test_holders_are_made_by_builders_only(builder, x):
    with pytest.raises(RuntimeError, match="should not be created directly"):
        TensorHolder()
    with pytest.raises(ValueError, match="Tensor handle cannot be None"):
        TensorHolder._create_from(None, builder)
    with pytest.raises(ValueError, match="Owner builder cannot be None"):
        TensorHolder._create_from(x._handle, None)
    for handle, owner, error in ((0, builder, ValueError), ("x", builder, ValueError), (x._handle, "b", TypeError)):
        with pytest.raises(error):
            TensorHolder._create_from(handle, owner)
    with pytest.raises(ValueError):
        TensorHolder._create_from(x._handle, GraphBuilder("other"))


def test_a_handle_stands_for_one_output(builder, x):
    top = TopKV2(x, 1)
    again = TensorHolder._create_from(top.indices._handle, builder)
    graph = builder.build_and_reset([again])
    (end,) = [n for n in graph.get_direct_nodes() if n.type == "NetOutput"]
    assert end.get_in_data_nodes_and_port_indexes(0)[1] == 1


@pytest.mark.parametrize("data_type", [DataType.DT_FLOAT, DataType.DT_INT64, DataType.DT_BOOL, DataType.DT_STRING])
@pytest.mark.parametrize("format", [Format.FORMAT_ND, Format.FORMAT_NCHW, Format.FORMAT_NC1HWC0])
@pytest.mark.parametrize("shape", [[], [1], [2, -1], [-2], [1, 2, 3, 4]], ids=str)
def test_descriptions_are_set_in_a_chain(x, data_type, format, shape):
    assert x.set_data_type(data_type).set_format(format).set_shape(shape) is x
    desc = node(x).get_output_desc(0)
    assert (desc.data_type, desc.format, desc.shape) == (data_type, format, shape)
    assert (desc.origin_format, desc.origin_shape) == (format, shape)


@pytest.mark.parametrize(
    "method, value, text",
    [
        ("set_data_type", "x", "Data type must be a DataType enum"),
        ("set_data_type", 0, "Data type must be a DataType enum"),
        ("set_format", "x", "Format must be a Format enum"),
        ("set_format", None, "Format must be a Format enum"),
        ("set_shape", "x", "Shape must be a list of integers"),
        ("set_shape", (1,), "Shape must be a list of integers"),
        ("set_shape", [1, "x"], "All shape dimensions must be integers"),
        ("set_shape", [1.0], "All shape dimensions must be integers"),
    ],
)
def test_descriptions_are_checked(x, method, value, text):
    with pytest.raises(TypeError, match=text):
        getattr(x, method)(value)


@pytest.mark.parametrize(
    "method, value, operation",
    [
        ("set_data_type", DataType.DT_INT8, "set data type"),
        ("set_format", Format.FORMAT_ND, "set format"),
        ("set_shape", [1], "set shape"),
        ("add", 1, "add"),
        ("sub", 1, "sub"),
        ("mul", 1, "mul"),
        ("div", 1, "div"),
    ],
)
def test_nothing_changes_once_the_graph_is_built(builder, x, method, value, operation):
    builder.build_and_reset([x])
    text = f"Cannot {operation}: GraphBuilder has already been built. Create a new GraphBuilder to build another graph"
    with pytest.raises(RuntimeError) as caught:
        getattr(x, method)(value)
    assert text in str(caught.value)


# ---- operators ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method, kind", [("add", "Add"), ("sub", "Sub"), ("mul", "Mul"), ("div", "Div")])
def test_methods_make_operators(builder, x, method, kind):
    y = builder.create_input(1, name="y")
    made = getattr(x, method)(y)
    assert node(made).type == kind and operands(made) == ["x", "y"] and made._builder is builder
    assert operands(getattr(x, method)([1, 2])) == ["x", [1, 2]]


@pytest.mark.parametrize(
    "expression, kind, fed",
    [
        (lambda x: x + 1, "Add", ["x", 1]),
        (lambda x: 1 + x, "Add", ["x", 1]),
        (lambda x: x - 1.5, "Sub", ["x", 1.5]),
        (lambda x: 1.5 - x, "Sub", [1.5, "x"]),
        (lambda x: x * [1, 2], "Mul", ["x", [1, 2]]),
        (lambda x: [1, 2] * x, "Mul", ["x", [1, 2]]),
        (lambda x: [1, 2] + x, "Add", ["x", [1, 2]]),
        (lambda x: x / [[1, 2.5]], "Div", ["x", [[1.0, 2.5]]]),
        (lambda x: [[1, 2.5]] / x, "Div", [[[1.0, 2.5]], "x"]),
        (lambda x: [3, 4] - x, "Sub", [[3, 4], "x"]),
    ],
)
def test_operators_with_values_on_either_side(x, expression, kind, fed):
    made = expression(x)
    assert node(made).type == kind and operands(made) == fed


def test_in_place_forms_make_new_tensors(x):
    y = x
    y += 1
    y -= 1
    y *= 2
    y /= 2
    assert y is not x and [node(y).type, operands(y)[1]] == ["Div", 2]


def test_numbers_of_numpy_that_are_floats_stay_on_their_side(x):
    numpy = pytest.importorskip("numpy")
    assert operands(numpy.float64(2.5) - x) == [2.5, "x"]
    with pytest.raises(TypeError):
        x + numpy.zeros(2)


@pytest.mark.parametrize("expression", [lambda x: -x, lambda x: x @ x, lambda x: x // 2, lambda x: x % 2, lambda x: x**2])
def test_there_are_no_other_operators(x, expression):
    with pytest.raises(TypeError):
        expression(x)


@pytest.mark.parametrize("value", [None, "1", (1,), [1, "2"], {}], ids=str)
def test_other_operands_are_refused(x, value):
    for operation in (lambda: x + value, lambda: value - x, lambda: x.mul(value)):
        with pytest.raises(TypeError):
            operation()


def test_a_ragged_list_is_no_operand(x):
    with pytest.raises(ValueError, match="Irregular nested list: all sub-lists must have the same shape"):
        x / [[1], [1, 2]]


@pytest.mark.parametrize("operation", ["add", "sub", "mul", "div"])
def test_tensors_of_two_builders_do_not_meet(x, operation):
    other = GraphBuilder("other").create_input(0)
    with pytest.raises(ValueError, match=f"Cannot perform {operation}: tensors from different GraphBuilders"):
        getattr(x, operation)(other)


def test_types_are_not_adapted(x):
    const = node(x + 1).get_in_data_nodes_and_port_indexes(1)[0]
    assert const.get_attr("value").data_type == DataType.DT_INT64


# ---- lifetime ----------------------------------------------------------------------------------------------------------


def test_a_snapshot_is_the_producing_node(builder, x):
    snapshot = node(x)
    assert isinstance(snapshot, Node) and snapshot.name == x.name and snapshot._owns_handle is False
    assert snapshot.type == "Data" and snapshot._handle is not None
    snapshot.set_attr("k", 1)
    graph = builder.build_and_reset([x])
    assert snapshot.get_attr("k") == 1 and node(x).name == "x" and graph.name == "graph"


def test_a_holder_keeps_its_builder():
    def make(build):
        builder = GraphBuilder("kept")
        const = builder.create_scalar_float(1.0)
        graph = builder.build_and_reset([const]) if build else None
        return const, graph

    for build in (False, True):
        const, _graph = make(build)
        gc.collect()
        assert const.name == "Const_0" and const._builder is not None
        assert const.get_owner_builder() is const._builder and const.get_owner_builder().name == "kept"
        assert node(const).name == "Const_0"


def test_a_holder_may_be_copied_but_not_deeply(builder, x):
    twin = copy.copy(x)
    assert twin is not x and twin.name == "x" and twin.get_owner_builder() is builder
    with pytest.raises(RuntimeError, match="TensorHolder does not support deepcopy"):
        copy.deepcopy(x)
    assert x != twin and len({x, twin}) == 2


def test_outputs_of_a_node_share_its_name(x):
    top = TopKV2(x, 1)
    assert top.values.name == top.indices.name == node(top.values).name


def test_a_tensor_whose_node_is_gone_says_so(builder, x):
    y = x + 1
    graph = builder.build_and_reset([x])
    graph.remove_node(graph.find_node_by_name(y.name))
    with pytest.raises(RuntimeError, match="was removed from its graph"):
        node(y)
