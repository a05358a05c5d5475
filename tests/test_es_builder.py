"""ge.es.GraphBuilder: inputs, constants, attributes, the end of construction."""

from __future__ import annotations

import copy

import pytest
from ge.es import GraphBuilder, TensorHolder
from ge.es.all import Add, Relu, TopKV2
from ge.es.graph_builder import InputType
from ge.graph import DataType, Format, Graph

from _graphs import only


@pytest.fixture
def builder():
    return GraphBuilder()


def snapshot(holder):
    return holder._get_node_snapshot()


def desc_of(holder):
    return snapshot(holder).get_output_desc(0)


def value_of(holder):
    return snapshot(holder).get_attr("value")


# ---- names -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("given, name", [((), "graph"), ((None,), "graph"), (("",), "graph"), (("mine",), "mine")])
def test_the_graph_is_named_as_the_builder(given, name):
    builder = GraphBuilder(*given)
    assert builder.name == name and builder._handle is not None and builder._is_built is False
    assert builder.build_and_reset().name == name and builder._is_built is True


def test_the_name_is_a_text_and_cannot_be_changed(builder):
    with pytest.raises(TypeError, match="Graph name must be a string"):
        GraphBuilder(123)
    with pytest.raises(AttributeError):
        builder.name = "other"


@pytest.mark.parametrize("how", ["copy", "deepcopy"])
def test_a_builder_is_not_copied(builder, how):
    with pytest.raises(RuntimeError, match=f"GraphBuilder does not support {how}$"):
        getattr(copy, how)(builder)


def test_the_counter_names_constants_and_operators_only(builder):
    x = builder.create_input(0)
    names = [builder.create_const_int64(0).name, builder.create_scalar_int64(0).name, Relu(x).name]
    builder.create_variable(0, "v")
    names.append(builder.create_vector_int64([1]).name)
    assert names == ["Const_0", "Const_1", "Relu_2", "Const_3"]
    assert GraphBuilder().create_const_int64(0).name == "Const_0"


# ---- inputs ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("data_type", ["FLOAT", "INT32", "INT64", "BOOL", "STRING", "FLOAT16", "BF16"])
@pytest.mark.parametrize("format", ["NCHW", "NHWC", "ND", "NC1HWC0", "FRACTAL_Z"])
def test_inputs_of_every_kind(builder, data_type, format):
    dtype, layout = DataType[f"DT_{data_type}"], Format[f"FORMAT_{format}"]
    for rank in range(5):
        x = builder.create_input(rank, name=f"x{rank}", data_type=dtype, format=layout, shape=list(range(1, rank + 1)))
        desc = desc_of(x)
        assert (desc.data_type, desc.format, desc.shape) == (dtype, layout, list(range(1, rank + 1)))
        assert (desc.origin_format, desc.origin_shape) == (layout, desc.shape)
        assert x.name == f"x{rank}" and snapshot(x).type == "Data" and snapshot(x).get_attr("index") == rank


def test_an_input_is_a_scalar_of_float_unless_told_otherwise(builder):
    for index, more in enumerate([{}, {"shape": None}, {"shape": []}, {"name": ""}, {"name": None}]):
        x = builder.create_input(index, **more)
        desc = desc_of(x)
        assert (desc.data_type, desc.format, desc.shape) == (DataType.DT_FLOAT, Format.FORMAT_ND, [])
        assert x.name == f"input_{index}"


@pytest.mark.parametrize("kind", list(InputType))
def test_input_types_are_node_types(builder, kind):
    x = builder.create_input(0, type_str=kind)
    assert snapshot(x).type == kind.value
    assert {k.name: k.value for k in InputType} == {
        "DATA": "Data", "REF_DATA": "RefData", "AIPP_DATA": "AippData", "ANY_DATA": "AnyData",
    }  # fmt: skip


@pytest.mark.parametrize("wrong", [{"type_str": 7}, {"type_str": "Data"}, {"data_type": 0}, {"format": "ND"}])
def test_enumerations_of_an_input_are_members(builder, wrong):
    with pytest.raises(AttributeError):
        builder.create_input(0, **wrong)


def test_options_of_an_input_are_keywords(builder):
    with pytest.raises(TypeError):
        builder.create_input(0, "name")


def test_several_inputs_at_once(builder):
    assert [x.name for x in builder.create_inputs(3)] == ["input_0", "input_1", "input_2"]
    assert [x.name for x in builder.create_inputs(2, start_index=3)] == ["input_3", "input_4"]
    assert [x.name for x in builder.create_inputs(1, 5)] == ["input_5"]


@pytest.mark.parametrize("index", [-1, 0])
def test_an_index_is_used_once_and_not_negative(builder, index):
    builder.create_input(0)
    with pytest.raises(RuntimeError):
        builder.create_input(index)


def test_a_variable_has_the_name_it_is_given(builder):
    variable = builder.create_variable(3, "my_variable")
    node = snapshot(variable)
    assert (node.name, node.type, node.get_attr("index")) == ("my_variable", "Variable", 3)
    assert (node.get_inputs_size(), node.get_outputs_size()) == (0, 1)


# ---- constants ---------------------------------------------------------------------------------------------------------

WIDTHS = {"int64": DataType.DT_INT64, "int32": DataType.DT_INT32, "uint64": DataType.DT_UINT64,
          "uint32": DataType.DT_UINT32, "float": DataType.DT_FLOAT}  # fmt: skip


@pytest.mark.parametrize("width", list(WIDTHS))
@pytest.mark.parametrize(
    "value, shape, expected, data",
    [
        (42, None, [], 42),
        (0, None, [], 0),
        (7, [], [], 7),
        ([7], [], [], 7),
        (7, [1], [1], [7]),
        ([7], None, [1], [7]),
        ([1, 2, 3, 4], None, [4], [1, 2, 3, 4]),
        ([1, 2, 3, 4], [2, 2], [2, 2], [[1, 2], [3, 4]]),
        ([], None, [0], []),
        ([True, False], None, [2], [1, 0]),
    ],
    ids=str,
)
def test_constants(builder, width, value, shape, expected, data):
    const = getattr(builder, f"create_const_{width}")(value, shape)
    tensor = value_of(const)
    assert (tensor.data_type, tensor.format, tensor.get_shape()) == (WIDTHS[width], Format.FORMAT_ND, expected)
    assert desc_of(const).data_type == WIDTHS[width] and desc_of(const).shape == expected
    if data != []:
        assert tensor.get_data() == data


@pytest.mark.parametrize(
    "values, shape", [([1, 2, 3], [2, 2]), ([1, 2, 3, 4, 5], [2, 2]), ([1, 2, 3, 4], [3, 3]), ([1, 2], []), ([1], [-1]),
                      ([1], [2**40, 2**40])]
)  # fmt: skip
def test_the_count_of_values_fits_the_shape(builder, values, shape):
    for width in WIDTHS:
        with pytest.raises(ValueError, match=rf"Value count \({len(values)}\) doesn't match shape"):
            getattr(builder, f"create_const_{width}")(values, shape)


@pytest.mark.parametrize("value", ["invalid", None, 1.5, [1, "2"], (1,), {}])
def test_integer_constants_are_made_of_integers(builder, value):
    for width in ("int64", "int32", "uint64", "uint32"):
        with pytest.raises(TypeError, match="Value must be an integer or list of integers"):
            getattr(builder, f"create_const_{width}")(value)


@pytest.mark.parametrize("value", ["invalid", None, [1.0, "2"], (1.0,)])
def test_float_constants_are_made_of_numbers(builder, value):
    with pytest.raises(TypeError, match="Value must be a float or list of floats"):
        builder.create_const_float(value)


def test_vectors(builder):
    assert value_of(builder.create_vector_int64([1, 2, 3, 4])).get_data() == [1, 2, 3, 4]
    assert value_of(builder.create_vector_int64([])).get_shape() == [0]
    for wrong in ("invalid", 1, [1, "2"], None):
        with pytest.raises(TypeError, match="Value must be a list of integers"):
            builder.create_vector_int64(wrong)


@pytest.mark.parametrize(
    "kind, value, stored",
    [
        ("int64", 42, 42), ("int64", -(2**63), -(2**63)), ("int64", 2**63, -(2**63)), ("int64", True, 1),
        ("int32", -7, -7), ("int32", 2**31, -(2**31)), ("float", 2, 2.0), ("float", 0.5, 0.5),
        ("uint64", 0, 0), ("uint64", 2**63 - 1, 2**63 - 1), ("uint64", 2**64 - 1, 2**64 - 1),
        ("uint32", 0, 0), ("uint32", 2**32 - 1, 2**32 - 1),
    ],
)  # fmt: skip
def test_scalars(builder, kind, value, stored):
    tensor = value_of(getattr(builder, f"create_scalar_{kind}")(value))
    assert (tensor.get_data(), tensor.get_shape(), tensor.data_type) == (stored, [], WIDTHS[kind])


@pytest.mark.parametrize("kind", ["int64", "int32", "uint64", "uint32", "float"])
@pytest.mark.parametrize("value", ["invalid", None, [1]])
def test_scalars_are_made_of_one_number(builder, kind, value):
    with pytest.raises(TypeError, match="Value must be a float" if kind == "float" else "Value must be an integer"):
        getattr(builder, f"create_scalar_{kind}")(value)


@pytest.mark.parametrize("method", ["create_scalar_uint64", "create_const_uint64"])
def test_one_unsigned_number_of_64_bits_is_not_negative(builder, method):
    with pytest.raises(ValueError, match="Value must be non-negative for uint64"):
        getattr(builder, method)(-1)


@pytest.mark.parametrize("method", ["create_scalar_uint32", "create_const_uint32"])
@pytest.mark.parametrize("value", [-1, 2**32, 2**70])
def test_one_unsigned_number_of_32_bits_is_in_range(builder, method, value):
    with pytest.raises(ValueError, match="^Value must be in range"):
        getattr(builder, method)(value)


def test_elements_of_unsigned_constants_wrap_around(builder):
    assert value_of(builder.create_const_uint32([-1, 2**32 + 1])).get_data() == [2**32 - 1, 1]


# ---- attributes --------------------------------------------------------------------------------------------------------


def test_graph_attributes_are_in_the_graph(builder):
    builder.set_graph_attr_int64("i", 42)
    builder.set_graph_attr_string("s", "text")
    builder.set_graph_attr_bool("b", True)
    graph = builder.build_and_reset()
    assert (graph.get_attr("i"), graph.get_attr("s"), graph.get_attr("b")) == (42, "text", True)


def test_attributes_of_tensors_and_nodes_are_there_at_once(builder):
    x = builder.create_input(0)
    builder.set_tensor_attr_int64(x, "i", 1)
    builder.set_tensor_attr_string(x, "s", "t")
    builder.set_tensor_attr_bool(x, "b", False)
    builder.set_node_attr_int64(x, "i", 2)
    builder.set_node_attr_string(x, "s", "n")
    builder.set_node_attr_bool(x, "b", True)
    node = snapshot(x)
    assert [node.get_output_attr(k, 0) for k in "isb"] == [1, "t", False]
    assert [node.get_attr(k) for k in "isb"] == [2, "n", True]


def test_a_tensor_attribute_belongs_to_its_output(builder):
    top = TopKV2(builder.create_input(0, shape=[4]), 2)
    builder.set_tensor_attr_int64(top.indices, "k", 5)
    assert snapshot(top.values).get_output_attr("k", 1) == 5
    with pytest.raises(RuntimeError):
        snapshot(top.values).get_output_attr("k", 0)


@pytest.mark.parametrize("target", ["graph", "tensor", "node"])
@pytest.mark.parametrize(
    "kind, good, bad, text",
    [
        ("int64", 1, "x", "Value must be an integer"),
        ("int64", 1, 1.0, "Value must be an integer"),
        ("string", "x", 1, "Value must be a string"),
        ("bool", True, 1, "Value must be a boolean"),
    ],
)
def test_attribute_setters_check_their_arguments(builder, target, kind, good, bad, text):
    setter = getattr(builder, f"set_{target}_attr_{kind}")
    x = () if target == "graph" else (builder.create_input(0),)
    with pytest.raises(TypeError, match="Attribute name must be a string"):
        setter(*x, 123, good)
    with pytest.raises(TypeError, match=text):
        setter(*x, "name", bad)
    with pytest.raises(RuntimeError, match="name is empty"):
        setter(*x, "", good)
    if x:
        with pytest.raises(TypeError, match="Tensor must be a TensorHolder"):
            setter("x", "name", good)


# ---- control dependencies and outputs ----------------------------------------------------------------------------------


def test_control_dependencies_keep_the_order_of_the_list(builder):
    a, b, c = builder.create_inputs(3)
    builder.add_control_dependency(c, [b, a])
    builder.add_control_dependency(c, [])
    assert [n.name for n in snapshot(c).get_in_control_nodes()] == ["input_1", "input_0"]
    assert [n.name for n in snapshot(a).get_out_control_nodes()] == ["input_2"]


def test_control_dependencies_are_checked(builder):
    x = builder.create_input(0)
    foreign = GraphBuilder("foreign").create_input(0)
    for dst, sources in (("x", [x]), (x, x), (x, (x,)), (x, [x, "y"]), (None, [])):
        with pytest.raises(TypeError):
            builder.add_control_dependency(dst, sources)
    for sources in ([foreign], [x]):
        with pytest.raises(RuntimeError):
            builder.add_control_dependency(x, sources)
    assert snapshot(x).get_in_control_nodes() == []


def test_outputs_are_set_by_index(builder):
    a, b = builder.create_inputs(2)
    builder.set_graph_output(b, 1)
    builder.set_graph_output(a, 0)
    end = only(builder.build_and_reset(), "NetOutput")
    assert [end.get_in_data_nodes_and_port_indexes(i)[0].name for i in (0, 1)] == ["input_0", "input_1"]
    assert end.name == "NetOutput_graph"


@pytest.mark.parametrize("index", [-1, 0])
def test_an_output_index_is_used_once_and_not_negative(builder, index):
    x = builder.create_input(0)
    builder.set_graph_output(x, 0)
    with pytest.raises(RuntimeError):
        builder.set_graph_output(x, index)


def test_outputs_are_checked(builder):
    x = builder.create_input(0)
    with pytest.raises(TypeError, match="Tensor must be a TensorHolder"):
        builder.set_graph_output("x", 0)
    with pytest.raises(TypeError, match="Output index must be an integer"):
        builder.set_graph_output(x, "0")


def test_a_graph_output_goes_to_the_builder_of_the_tensor(builder):
    other = GraphBuilder("other")
    x = other.create_input(0)
    builder.set_graph_output(x, 0)
    assert only(other.build_and_reset(), "NetOutput").get_inputs_size() == 1
    assert only(builder.build_and_reset(), "NetOutput").get_inputs_size() == 0


def test_outputs_without_gaps(builder):
    x = builder.create_input(0)
    builder.set_graph_output(x, 1)
    with pytest.raises(RuntimeError, match="output 0 is not set"):
        builder.build_and_reset()
    builder.set_graph_output(x, 0)
    assert only(builder.build_and_reset(), "NetOutput").get_inputs_size() == 2


def test_inputs_without_gaps(builder):
    x = builder.create_input(2)
    with pytest.raises(RuntimeError, match="input 0 is missing"):
        builder.build_and_reset([x])
    builder.create_inputs(2)
    assert only(builder.build_and_reset([x]), "NetOutput").get_inputs_size() == 1


def test_outputs_of_the_last_call_come_after_those_that_were_set(builder):
    a, b = builder.create_inputs(2)
    builder.set_graph_output(a, 1)
    with pytest.raises(RuntimeError, match="graph output 1"):
        builder.build_and_reset([b, b])
    end = only(builder.build_and_reset([b]), "NetOutput")
    assert [end.get_in_data_nodes_and_port_indexes(i)[0].name for i in (0, 1)] == ["input_1", "input_0"]


@pytest.mark.parametrize(
    "outputs, text",
    [
        (lambda x: x, "Outputs must be a list"),
        (lambda x: (x,), "Outputs must be a list"),
        (lambda x: [x, "y"], "All outputs must be TensorHolder objects"),
        (lambda x: [x, None], "All outputs must be TensorHolder objects"),
    ],
)
def test_wrong_outputs_leave_the_builder_usable(builder, outputs, text):
    x = builder.create_input(0)
    with pytest.raises(TypeError, match=text):
        builder.build_and_reset(outputs(x))
    assert isinstance(builder.build_and_reset([x]), Graph)


def test_outputs_of_another_builder_are_refused(builder):
    foreign = GraphBuilder("foreign").create_input(0)
    with pytest.raises(RuntimeError, match="made by another GraphBuilder"):
        builder.build_and_reset([foreign])
    assert isinstance(builder.build_and_reset(), Graph)


def test_a_builder_that_made_nothing_builds_an_empty_graph(builder):
    graph = builder.build_and_reset()
    assert [n.type for n in graph.get_all_nodes()] == ["NetOutput"]
    assert graph._owns_handle is True and graph._owner is None and graph._handle is not None


OPERATIONS = {
    "create input": lambda b, x: b.create_input(9),
    "create inputs": lambda b, x: b.create_inputs(1),
    "create constant": lambda b, x: b.create_const_float(1.0),
    "create vector": lambda b, x: b.create_vector_int64([1]),
    "create scalar": lambda b, x: b.create_scalar_int32(1),
    "create variable": lambda b, x: b.create_variable(0, "v"),
    "set graph output": lambda b, x: b.set_graph_output(x, 1),
    "set graph attribute": lambda b, x: b.set_graph_attr_int64("k", 1),
    "set tensor attribute": lambda b, x: b.set_tensor_attr_bool(x, "k", True),
    "set node attribute": lambda b, x: b.set_node_attr_string(x, "k", "v"),
    "add control dependency": lambda b, x: b.add_control_dependency(x, []),
    "build_and_reset": lambda b, x: b.build_and_reset(),
}


@pytest.mark.parametrize("operation", list(OPERATIONS))
def test_nothing_can_be_added_once_the_graph_is_built(builder, operation):
    x = builder.create_input(0)
    builder.build_and_reset([x])
    text = f"Cannot {operation}: GraphBuilder has already been built. Create a new GraphBuilder to build another graph"
    with pytest.raises(RuntimeError) as caught:
        OPERATIONS[operation](builder, x)
    assert text in str(caught.value)


def test_whether_the_graph_is_built_is_asked_before_the_arguments(builder):
    builder.build_and_reset()
    with pytest.raises(RuntimeError, match="Cannot create input"):
        builder.create_input("invalid")


def test_nodes_without_a_use_stay_in_the_graph(builder):
    x = builder.create_input(0, name="x")
    builder.create_const_float(1.0)
    builder.create_variable(0, "v")
    graph = builder.build_and_reset([x])
    assert [n.name for n in graph.get_direct_nodes()] == ["x", "Const_0", "v", "NetOutput_graph"]


# ---- all together ------------------------------------------------------------------------------------------------------


def test_everything_in_one_graph(builder):
    a = builder.create_input(0, name="a", data_type=DataType.DT_FLOAT16, format=Format.FORMAT_NCHW, shape=[1, 2])
    b = builder.create_input(1)
    made = [builder.create_const_float([1.0, 2.0]), builder.create_scalar_int32(1), builder.create_vector_int64([1])]
    builder.create_variable(0, "v")
    builder.set_graph_attr_string("g", "s")
    builder.set_node_attr_bool(made[0], "n", True)
    builder.set_tensor_attr_int64(made[1], "t", 3)
    result = Add(a, b)
    graph = builder.build_and_reset([result, b])
    assert all(isinstance(m, TensorHolder) for m in made)
    assert [n.type for n in graph.get_all_nodes()] == [
        "Data", "Data", "Const", "Const", "Const", "Variable", "Add", "NetOutput",
    ]  # fmt: skip
    assert graph.find_node_by_name("Const_1").get_output_attr("t", 0) == 3
