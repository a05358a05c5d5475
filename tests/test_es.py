"""ge.es: building graphs."""

from __future__ import annotations

import copy
import importlib

import pytest
from ge.es import GraphBuilder, TensorHolder
from ge.es.all import Add, Cast, ConcatV2, Conv2D, MatMul, Relu, Reshape, Split, TopKV2
from ge.graph import DataType, Format

from _graphs import build, kinds, node_of, only, producers, results


@pytest.mark.smoke
def test_a_graph_is_built_from_inputs_and_operators():
    builder = GraphBuilder("mine")
    x = builder.create_input(0, name="x", data_type=DataType.DT_FLOAT16, format=Format.FORMAT_NCHW, shape=[1, 2, 3, 4])
    graph = builder.build_and_reset([Relu(x)])
    assert graph.name == "mine" and kinds(graph) == ["Relu"] and results(graph) == [("Relu", 0)]
    data = only(graph, "Data")
    desc = data.get_output_desc(0)
    assert (data.name, data.get_attr("index")) == ("x", 0)
    assert (desc.shape, desc.data_type, desc.format) == ([1, 2, 3, 4], DataType.DT_FLOAT16, Format.FORMAT_NCHW)
    assert [n.type for n in graph.get_direct_nodes()][-1] == "NetOutput"


def test_names_count_up_per_builder():
    builder = GraphBuilder()
    x = builder.create_input(0)
    assert [builder.create_scalar_float(1.0).name, Relu(x).name, (x + 1).name] == ["Const_0", "Relu_1", "Add_3"]
    assert builder.name == "graph" and x.name == "input_0"


@pytest.mark.parametrize(
    "expression, kind, operands",
    [
        (lambda x, y: x + y, "Add", ["x", "y"]),
        (lambda x, y: x - y, "Sub", ["x", "y"]),
        (lambda x, y: x * y, "Mul", ["x", "y"]),
        (lambda x, y: x / y, "Div", ["x", "y"]),
        (lambda x, y: x + 1, "Add", ["x", "c"]),
        (lambda x, y: 1 + x, "Add", ["x", "c"]),
        (lambda x, y: 2.0 * x, "Mul", ["x", "c"]),
        (lambda x, y: 1 - x, "Sub", ["c", "x"]),
        (lambda x, y: 1 / x, "Div", ["c", "x"]),
        (lambda x, y: x - [1, 2], "Sub", ["x", "c"]),
    ],
)
def test_arithmetic(expression, kind, operands):
    builder = GraphBuilder()
    x, y = builder.create_input(0, name="x"), builder.create_input(1, name="y")
    node = only(builder.build_and_reset([expression(x, y)]), kind)
    found = [node.get_in_data_nodes_and_port_indexes(i)[0] for i in (0, 1)]
    assert ["c" if n.type == "Const" else n.name for n in found] == operands


@pytest.mark.parametrize(
    "value, dtype, shape, data",
    [
        (7, DataType.DT_INT64, [], 7),
        (True, DataType.DT_INT64, [], 1),
        (0.5, DataType.DT_FLOAT, [], 0.5),
        ([1, 2], DataType.DT_INT64, [2], [1, 2]),
        ([5], DataType.DT_INT64, [1], [5]),
        ([[1, 2.5]], DataType.DT_FLOAT, [1, 2], [[1.0, 2.5]]),
    ],
    ids=str,
)
def test_python_values_become_constants(value, dtype, shape, data):
    const = node_of("Const", lambda x: Add(x, value)).get_attr("value")
    assert (const.data_type, const.shape, const.get_data()) == (dtype, shape, data)


def test_an_empty_list_is_a_constant_of_no_elements():
    assert node_of("Const", lambda x: Add(x, [])).get_attr("value").get_shape() == [0]


@pytest.mark.parametrize(
    "value, error",
    [([[1], [1, 2]], ValueError), ([[]], TypeError), (["1"], TypeError), ("x", TypeError), ((1,), TypeError)],
)
def test_other_values_are_refused(value, error):
    with pytest.raises(error):
        build(lambda x: Add(x, value))


CONSTANTS = [
    ("create_const_int64", [1, 2, 3, 4], [2, 2], DataType.DT_INT64),
    ("create_const_int32", 3, None, DataType.DT_INT32),
    ("create_const_uint64", [1], None, DataType.DT_UINT64),
    ("create_const_uint32", [1, 2], [2, 1], DataType.DT_UINT32),
    ("create_const_float", [1.5, 2], None, DataType.DT_FLOAT),
]


@pytest.mark.parametrize("method, value, shape, dtype", CONSTANTS)
def test_constants_of_every_kind(method, value, shape, dtype):
    builder = GraphBuilder()
    holder = getattr(builder, method)(value, shape)
    tensor = only(builder.build_and_reset([holder]), "Const").get_attr("value")
    expected = shape if shape is not None else ([len(value)] if isinstance(value, list) else [])
    assert (tensor.data_type, list(tensor.get_shape())) == (dtype, expected)


@pytest.mark.parametrize(
    "call, error, text",
    [
        (lambda b: GraphBuilder(123), TypeError, "Graph name must be a string"),
        (lambda b: b.create_input("0"), TypeError, "Input index must be an integer"),
        (lambda b: b.create_input(0, shape="x"), TypeError, "Shape must be a list of integers"),
        (lambda b: b.create_inputs(0), TypeError, "Number of inputs must be a positive integer"),
        (lambda b: b.create_inputs(1, start_index=-1), TypeError, "Start index must be a non-negative integer"),
        (lambda b: b.create_const_int64("x"), TypeError, "Value must be an integer or list of integers"),
        (lambda b: b.create_const_float("x"), TypeError, "Value must be a float or list of floats"),
        (lambda b: b.create_const_float([1, 2, 3], [2, 2]), ValueError, r"Value count \(3\) doesn't match shape"),
        (lambda b: b.create_vector_int64("x"), TypeError, "Value must be a list of integers"),
        (lambda b: b.create_scalar_uint64(-1), ValueError, "Value must be non-negative"),
        (lambda b: b.create_scalar_uint32(2**32), ValueError, "Value must be in range"),
        (lambda b: b.build_and_reset("x"), TypeError, "Outputs must be a list"),
        (lambda b: b.build_and_reset([None]), TypeError, "All outputs must be TensorHolder objects"),
        (lambda b: b.set_graph_output("x", 0), TypeError, "Tensor must be a TensorHolder"),
        (lambda b: TensorHolder(), RuntimeError, "TensorHolder"),
        (lambda b: copy.copy(b), RuntimeError, "GraphBuilder does not support copy"),
        (lambda b: copy.deepcopy(b), RuntimeError, "GraphBuilder does not support deepcopy"),
    ],
)
def test_the_builder_checks_its_arguments(call, error, text):
    with pytest.raises(error, match=text):
        call(GraphBuilder())


def test_a_builder_builds_once():
    builder = GraphBuilder()
    x = builder.create_input(0)
    builder.build_and_reset([x])
    for call in (
        lambda: builder.create_input(1),
        lambda: builder.build_and_reset([x]),
        lambda: builder.create_scalar_float(1),
    ):
        with pytest.raises(RuntimeError, match="GraphBuilder has already been built"):
            call()
    assert x.name == "input_0"


def test_input_indexes_must_have_no_gap():
    builder = GraphBuilder()
    x = builder.create_input(1)
    with pytest.raises(RuntimeError):
        builder.build_and_reset([x])
    with pytest.raises(RuntimeError):
        builder.create_input(1)
    builder.create_input(0)
    assert results(builder.build_and_reset()) == []


def test_tensors_of_two_builders_do_not_mix():
    one, other = GraphBuilder("one").create_input(0), GraphBuilder("other").create_input(0)
    with pytest.raises(ValueError, match="Cannot perform add: tensors from different GraphBuilders"):
        one + other
    with pytest.raises(ValueError):
        Add(one, other)
    with pytest.raises(ValueError, match="at least one input tensor or an explicit owner_builder"):
        Add(1, 2)


def test_a_holder_sets_type_format_and_shape():
    builder = GraphBuilder()
    x = builder.create_input(0)
    assert x.set_data_type(DataType.DT_INT8).set_format(Format.FORMAT_NHWC).set_shape([3]) is x
    desc = only(builder.build_and_reset([x]), "Data").get_output_desc(0)
    assert (desc.data_type, desc.format, desc.shape) == (DataType.DT_INT8, Format.FORMAT_NHWC, [3])
    assert x.get_owner_builder() is builder


def test_operators_take_attributes_by_keyword_and_write_what_differs_from_the_default():
    graph = build(lambda a, b: MatMul(a, b, transpose_x1=True), 2)
    node = only(graph, "MatMul")
    assert node.get_attr("transpose_x1") is True and not node.has_attr("transpose_x2")
    conv = node_of("Conv2D", lambda x, w: Conv2D(x, w, strides=[1, 1, 1, 1], pads=[0, 0, 0, 0]), 2)
    assert conv.get_attr("strides") == [1, 1, 1, 1]
    with pytest.raises(TypeError):
        build(lambda x, w: Conv2D(x, w), 2)
    assert node_of("Cast", lambda x: Cast(x, dst_type=DataType.DT_INT32)).has_attr("dst_type")


def test_dynamic_inputs_and_outputs_are_lists():
    graph = build(lambda x, y: ConcatV2([x, y, x], 0, N=3), 2)
    assert [kind for kind, _ in producers(only(graph, "ConcatV2"))] == ["Data", "Data", "Data", "Const"]
    parts = []
    graph = build(lambda x: parts.extend(Split(0, x, 3, num_split=3)) or parts)
    assert len(parts) == 3 and results(graph) == [("Split", 0), ("Split", 1), ("Split", 2)]


def test_several_outputs_come_by_name():
    graph = build(_top)
    assert results(graph) == [("TopKV2", 1), ("TopKV2", 0)]


def _top(x):
    top = TopKV2(x, 2)
    return [top.indices, top.values]


def test_groups_offer_the_same_operators():
    import ge.es.all
    import ge.es.math
    import ge.es.nn

    assert ge.es.math.Add is not None and ge.es.nn.Relu is not None and ge.es.all.MatMul is not None
    with pytest.raises(ImportError):
        from ge.es.all import NoSuchOperator  # noqa: F401
    with pytest.raises(AttributeError):
        ge.es.math.Relu  # noqa: B018


def test_signatures_can_be_read():
    import inspect

    parameters = inspect.signature(MatMul).parameters
    assert list(parameters) == ["x1", "x2", "bias", "transpose_x1", "transpose_x2"]
    assert parameters["bias"].default is None
    assert parameters["transpose_x1"].kind is inspect.Parameter.KEYWORD_ONLY
    assert parameters["transpose_x1"].default is False
    assert list(inspect.signature(Split).parameters) == ["split_dim", "x", "y_num", "num_split"]
    assert list(inspect.signature(Reshape).parameters)[:2] == ["x", "shape"]


def test_attribute_and_control_scopes():
    from ge.es.graph_builder import attr_scope, control_dependency_scope

    builder = GraphBuilder()
    x = builder.create_input(0)
    with attr_scope({"label": "outer", "only": 1}):
        outer = Relu(x)
        with attr_scope({"label": "inner"}):
            inner = Relu(x)
    with control_dependency_scope([outer, inner]):
        last = Add(x, x)
    free = Relu(x)
    graph = builder.build_and_reset([outer, inner, last, free])
    found = [graph.find_node_by_name(h.name) for h in (outer, inner, last, free)]
    assert [n.get_attr("label") for n in found[:2]] == ["outer", "inner"] and found[1].get_attr("only") == 1
    assert not found[3].has_attr("label")
    assert [n.name for n in found[2].get_in_control_nodes()] == [outer.name, inner.name]


@pytest.mark.parametrize(
    "group, name",
    [("nn", "TopK"), ("nn", "Rsqrt"), ("nn", "Adds"), ("math", "InplaceAdd"), ("cv", "Resize"), ("math", "MatMul")],
)
def test_an_operator_that_two_groups_declare_is_in_both(group, name):
    module = importlib.import_module(f"ge.es.{group}")
    assert getattr(module, name) is not None and name in dir(module)
