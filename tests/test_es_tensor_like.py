"""Numbers and nested lists where tensors are expected."""

from __future__ import annotations

import pytest
from ge.es import GraphBuilder
from ge.es.tensor_like import _flatten_and_infer_shape, _unflatten, convert_to_tensor_holder, resolve_builder
from ge.graph import DataType

IRREGULAR = "Irregular nested list: all sub-lists must have the same shape"
NO_BUILDER = "Please ensure at least one input tensor or an explicit owner_builder is provided when supported"


@pytest.fixture
def builder():
    return GraphBuilder()


def constant(value, builder):
    return convert_to_tensor_holder(value, builder)._get_node_snapshot().get_attr("value")


@pytest.mark.parametrize(
    "values, flat, shape",
    [
        ([1, 2, 3], [1, 2, 3], [3]),
        ([[1, 2], [3, 4], [5, 6]], [1, 2, 3, 4, 5, 6], [3, 2]),
        ([[[1.0], [2]]], [1.0, 2], [1, 2, 1]),
        ([], [], [0]),
    ],
)
def test_flattening(values, flat, shape):
    assert _flatten_and_infer_shape(values) == (flat, shape)


@pytest.mark.parametrize("values", [[[1, 2], [3]], [1, [2]], [[1], 2], [[[1]], [2]]], ids=str)
def test_ragged_lists(values, builder):
    with pytest.raises(ValueError, match=IRREGULAR):
        _flatten_and_infer_shape(values)
    with pytest.raises(ValueError, match=IRREGULAR):
        convert_to_tensor_holder(values, builder)


@pytest.mark.parametrize("values", [["1"], [[]], [[1], []], [None], [(1,)]], ids=str)
def test_lists_of_other_things(values, builder):
    for convert in (_flatten_and_infer_shape, lambda v: convert_to_tensor_holder(v, builder)):
        with pytest.raises(TypeError, match="Value must be int/float or nested lists of int|float"):
            convert(values)


def test_tensors_and_none_stay_what_they_are(builder):
    x = builder.create_input(0)
    assert convert_to_tensor_holder(x, GraphBuilder("other")) is x
    assert convert_to_tensor_holder(None, builder) is None


@pytest.mark.parametrize(
    "value, dtype, shape, data",
    [
        (7, DataType.DT_INT64, [], 7),
        (0, DataType.DT_INT64, [], 0),
        (True, DataType.DT_INT64, [], 1),
        (0.5, DataType.DT_FLOAT, [], 0.5),
        ([5], DataType.DT_INT64, [1], [5]),
        ([[1, 2], [3, 4]], DataType.DT_INT64, [2, 2], [[1, 2], [3, 4]]),
        ([[1, 2], [3, 4.5]], DataType.DT_FLOAT, [2, 2], [[1.0, 2.0], [3.0, 4.5]]),
        ([[[0.5]]], DataType.DT_FLOAT, [1, 1, 1], [[[0.5]]]),
    ],
    ids=str,
)
def test_values_become_constants(builder, value, dtype, shape, data):
    tensor = constant(value, builder)
    assert (tensor.data_type, tensor.get_shape(), tensor.get_data()) == (dtype, shape, data)


def test_an_empty_list_is_a_vector_of_nothing(builder):
    tensor = constant([], builder)
    assert (tensor.data_type, tensor.get_shape()) == (DataType.DT_INT64, [0])


@pytest.mark.parametrize("value", ["invalid", (1, 2), {}, object(), b"1"], ids=str)
def test_other_values_are_refused(builder, value):
    with pytest.raises(TypeError, match="float"):
        convert_to_tensor_holder(value, builder)


def test_arrays_are_refused(builder):
    numpy = pytest.importorskip("numpy")
    with pytest.raises(TypeError, match="float"):
        convert_to_tensor_holder(numpy.zeros(2), builder)
    assert constant(numpy.float64(0.5), builder).get_data() == 0.5


def test_nesting():
    assert _unflatten([1, 2, 3, 4, 5, 6], [2, 3]) == [[1, 2, 3], [4, 5, 6]]
    assert _unflatten([1, 2, 3, 4], [2, 1, 2]) == [[[1, 2]], [[3, 4]]]
    assert _unflatten([], [0]) == [] and _unflatten([], [0, 2]) == []


def test_nesting_is_checked():
    with pytest.raises(ValueError, match="Length of list 5 does not match shape 6"):
        _unflatten([1, 2, 3, 4, 5], [2, 3])
    for shape in (None, []):
        with pytest.raises(ValueError, match="Shape cannot be empty"):
            _unflatten([1], shape)


def test_the_builder_comes_from_the_first_tensor_or_builder(builder):
    other = GraphBuilder("other")
    x, y = builder.create_input(0), other.create_input(0)
    assert resolve_builder(1, [2, 3], x) is builder
    assert resolve_builder(*[None, 2.0, y, x]) is other
    assert resolve_builder(1, builder) is builder
    assert resolve_builder(builder, y) is builder


@pytest.mark.parametrize("values", [(), (None,), (1, [2, 3.0]), ("x",)], ids=str)
def test_without_a_tensor_there_is_no_builder(values):
    with pytest.raises(ValueError, match=NO_BUILDER):
        resolve_builder(*values)


def test_lists_are_not_searched(builder):
    with pytest.raises(ValueError, match=NO_BUILDER):
        resolve_builder([builder.create_input(0)])


def test_a_list_that_holds_itself_is_refused():
    builder = GraphBuilder("graph")
    x = builder.create_input(0)
    endless = []
    endless.append(endless)
    for use in (lambda: x + endless, lambda: endless / x, lambda: convert_to_tensor_holder(endless, builder)):
        with pytest.raises(TypeError, match="64 levels of lists"):
            use()


def test_a_list_that_changes_while_its_items_are_converted_is_read_as_it_was():
    values = []

    class Emptying(int):
        def __float__(self):
            values.clear()
            return 1.0

    values.extend([Emptying(1), 2.0, 3.0] * 50)
    builder = GraphBuilder("graph")
    assert builder.create_const_float(values) is not None
