"""Attribute values: what may be set, and what comes back, on _AttrValue, graphs and nodes."""

from __future__ import annotations

import copy
import math

import pytest
from ge.es.all import Relu
from ge.graph import DataType, Format, Graph, Placement, Tensor, TensorDesc
from ge.graph._attr import _AttrValue
from ge.graph.types import AttrValueType

from _graphs import build, node_of, only

KINDS = {
    "string": (["", "plain", "\u4e2d\u6587", "a\nb\tc", "!@#$%^&*()", "x\0y"], AttrValueType.VT_STRING),
    "int": ([42, -100, 0, 1, -1, 2**31 - 1, -(2**31), 2**63 - 1, -(2**63)], AttrValueType.VT_INT),
    "float": ([3.14, -2.718, 0.0, 1.0, -1.0, 1e10, 1e-10, 0.1, math.inf], AttrValueType.VT_FLOAT),
    "bool": ([True, False], AttrValueType.VT_BOOL),
    "data_type": ([DataType.DT_INT64, DataType.DT_FLOAT], AttrValueType.VT_DATA_TYPE),
    "list_string": ([["a"], ["a", "", "\u4e2d"]], AttrValueType.VT_LIST_STRING),
    "list_int": ([[1], [1, -2, 2**63 - 1]], AttrValueType.VT_LIST_INT),
    "list_float": ([[0.5], [0.1, -2.5, 1e10]], AttrValueType.VT_LIST_FLOAT),
    "list_bool": ([[True], [True, False]], AttrValueType.VT_LIST_BOOL),
    "list_data_type": ([[DataType.DT_INT8], [DataType.DT_BOOL, DataType.DT_INT8]], AttrValueType.VT_LIST_DATA_TYPE),
}
CASES = [(kind, value, number) for kind, (values, number) in KINDS.items() for value in values]


@pytest.mark.smoke
@pytest.mark.parametrize("kind, value, number", CASES, ids=str)
def test_a_value_of_every_kind_is_set_and_read(kind, value, number):
    attr = _AttrValue()
    assert getattr(attr, f"set_{kind}")(value) is True
    get = getattr(attr, f"get_{kind}")
    assert get() == value == get() and type(get()) is type(value)
    assert attr.value_type is attr.get_value_type() is number
    assert attr.get_value() == value
    text = str(attr)
    assert text == repr(attr) and text.startswith("AttrValue(type: ") and str(attr.get_value()) in text


def test_an_empty_attribute_value():
    attr = _AttrValue()
    assert attr.value_type is AttrValueType.VT_NONE is attr._value_type and attr._cached_value is None
    assert isinstance(attr._av_ptr, int) and "AttrValue" in str(attr)
    for read in (attr.get_value, attr.get_int, attr.get_tensor):
        with pytest.raises(RuntimeError):
            read()


def test_reading_another_kind_is_an_error():
    attr = _AttrValue()
    attr.set_int(3)
    for kind in set(KINDS) - {"int"}:
        with pytest.raises(RuntimeError, match="VT_INT|AttrValueType|4"):
            getattr(attr, f"get_{kind}")()
    attr.set_string("now a text")
    assert attr.get_value() == attr.get_string() == "now a text"
    with pytest.raises(RuntimeError):
        attr.get_int()


def test_a_tensor_as_attribute_value():
    attr = _AttrValue()
    attr.set_tensor(Tensor([7], data_type=DataType.DT_INT32, shape=[]))
    found = attr.get_tensor()
    assert (found.data_type, found.shape, found.data) == (DataType.DT_INT32, [], 7)
    assert attr.value_type == AttrValueType.VT_TENSOR and isinstance(attr.get_value(), Tensor)


def test_numbers_that_setters_take_besides_their_own():
    attr = _AttrValue()
    attr.set_float(3)
    assert attr.get_float() == 3.0 and type(attr.get_float()) is float
    attr.set_int(True)
    assert attr.get_int() == 1
    attr.set_list_float([1, 2.5])
    assert attr.get_list_float() == [1.0, 2.5]


WRONG = {
    "string": [123, None, b"x"],
    "int": ["x", 3.14, None],
    "bool": ["x", 1, None],
    "float": ["x", None],
    "data_type": [0, "x"],
    "tensor": [1, None],
    "list_int": ["x", [1.5], (1,)],
    "list_string": [123, [1]],
    "list_bool": [[1], None],
    "list_float": [["x"], 1.0],
    "list_data_type": [[0], DataType.DT_INT8],
}


@pytest.mark.parametrize("kind, value", [(k, v) for k, values in WRONG.items() for v in values], ids=str)
def test_a_setter_refuses_other_kinds(kind, value):
    attr = _AttrValue()
    with pytest.raises(TypeError):
        getattr(attr, f"set_{kind}")(value)
    assert attr.value_type == AttrValueType.VT_NONE


@pytest.mark.parametrize("kind", [k for k in KINDS if k.startswith("list")])
def test_an_empty_list_has_no_kind(kind):
    with pytest.raises(ValueError, match="Empty list is not supported"):
        getattr(_AttrValue(), f"set_{kind}")([])


def test_values_do_not_share_anything():
    one, other = _AttrValue(), _AttrValue()
    one.set_value([1, 2])
    other.set_value("x")
    one.get_value().append(3)
    assert one.get_value() == [1, 2] and other.get_value() == "x"
    one.set_value(1.5)
    assert (one.value_type, other.value_type) == (AttrValueType.VT_FLOAT, AttrValueType.VT_STRING)
    for copier in (copy.copy, copy.deepcopy):
        with pytest.raises(RuntimeError, match="does not support"):
            copier(one)


# ---- graphs and nodes ----------------------------------------------------------------------------------------------------

ATTRIBUTES = ["text", "", 1.5, 0.1, True, False, 7, -(2**63), DataType.DT_INT32, [1.5, 0.1], [True, False], [1, 2], ["a", ""]]


@pytest.mark.smoke
@pytest.mark.parametrize("value", ATTRIBUTES, ids=str)
def test_attributes_come_back_as_they_were_set(value):
    graph = build(lambda x: Relu(x))
    node = only(graph, "Relu")
    for owner in (node, graph):
        owner.set_attr("key", value)
        found = owner.get_attr("key")
        assert found == value and type(found) is type(value)
    node.set_input_attr("in", 0, value)
    node.set_output_attr("out", 0, value)
    assert node.get_input_attr("in", 0) == value and node.get_output_attr("out", 0) == value


@pytest.mark.parametrize(
    "value, found",
    [
        (Format.FORMAT_NHWC, 1),
        (Placement.PLACEMENT_DEVICE, 1),
        ([True, 2], [1, 2]),
        ([DataType.DT_INT8, DataType.DT_BOOL], [2, 12]),
        (2**64 + 5, 5),
        (2**63, -(2**63)),
    ],
    ids=str,
)
def test_values_that_come_back_as_ints(value, found):
    graph = Graph()
    graph.set_attr("key", value)
    read = graph.get_attr("key")
    assert read == found and all(type(x) is int for x in (read if isinstance(read, list) else [read]))


@pytest.mark.parametrize(
    "value", [{"key": "value"}, None, (1,), [1, "x"], [1, 2.5], [[1]], [None], TensorDesc(), b"x"], ids=str
)
def test_other_values_are_no_attributes(value):
    node = node_of("Relu", lambda x: Relu(x))
    with pytest.raises(ValueError, match="Unsupported attribute type: <class '.*'> for value: "):
        node.set_attr("key", value)
    with pytest.raises(ValueError, match="Empty list is not supported"):
        node.set_attr("key", [])
    assert not node.has_attr("key")


def test_the_text_for_an_unsupported_value():
    with pytest.raises(ValueError) as error:
        Graph().set_attr("key", {"key": "value"})
    assert str(error.value) == "Unsupported attribute type: <class 'dict'> for value: {'key': 'value'}"


@pytest.mark.parametrize("value", [3.4028235e38, 1.17549435e-38, 1e-45, 16777216.0, 2.0**30, 123456.79, 1 / 3])
def test_a_float_is_the_nearest_of_32_bits(value):
    import struct

    graph = Graph()
    graph.set_attr("key", value)
    read = graph.get_attr("key")
    assert struct.pack("<f", read) == struct.pack("<f", value) and len(repr(read)) <= max(len(repr(value)), 13)


def test_a_tensor_attribute_is_a_value_of_its_own():
    node = node_of("Relu", lambda x: Relu(x))
    tensor = Tensor([1, 2], data_type=DataType.DT_INT32, shape=[2])
    node.set_attr("key", tensor)
    node.set_attr("again", tensor)
    tensor.set_data_type(DataType.DT_FLOAT)
    first, second = node.get_attr("key"), node.get_attr("key")
    assert first.get_data() == [1, 2] == second.get_data() and first is not second and first._owns_handle is True
    assert tensor._owner is None


def test_numpy_floats_are_floats():
    numpy = pytest.importorskip("numpy")
    graph = Graph()
    graph.set_attr("key", numpy.float64(0.1))
    assert graph.get_attr("key") == 0.1
    with pytest.raises(ValueError, match="Unsupported attribute type"):
        graph.set_attr("key", numpy.int64(1))


def test_ten_attributes_beside_each_other():
    graph = Graph()
    values = dict(zip("abcdefghij", ATTRIBUTES[2:]))
    for key, value in values.items():
        graph.set_attr(key, value)
    assert {key: graph.get_attr(key) for key in values} == values
    with pytest.raises(RuntimeError, match="failed to get attribute 'missing'"):
        graph.get_attr("missing")
    for call in (lambda: graph.get_attr(123), lambda: graph.set_attr(123, {})):
        with pytest.raises(TypeError, match="Attribute key must be a string"):
            call()
