"""ge.graph.Tensor and arrays: shared where possible, alive as long as anybody looks."""

from __future__ import annotations

import array
import gc
import sys
import weakref

import pytest
from ge.es import GraphBuilder
from ge.es.all import Const
from ge.graph import DataType, Format, Graph, Tensor

numpy = pytest.importorskip("numpy")

NAMES = {
    DataType.DT_FLOAT: "float32",
    DataType.DT_FLOAT16: "float16",
    DataType.DT_DOUBLE: "float64",
    DataType.DT_INT8: "int8",
    DataType.DT_INT16: "int16",
    DataType.DT_INT32: "int32",
    DataType.DT_INT64: "int64",
    DataType.DT_UINT8: "uint8",
    DataType.DT_UINT16: "uint16",
    DataType.DT_UINT32: "uint32",
    DataType.DT_UINT64: "uint64",
    DataType.DT_BOOL: "bool",
    DataType.DT_COMPLEX64: "complex64",
    DataType.DT_COMPLEX128: "complex128",
}


@pytest.mark.smoke
@pytest.mark.parametrize("dtype, name", NAMES.items(), ids=lambda v: getattr(v, "name", ""))
def test_an_array_is_shared_both_ways(dtype, name):
    source = numpy.array([[0, 1, 2], [3, 4, 5]]).astype(name)
    tensor = Tensor(source)
    assert (tensor.data_type, tensor.shape, tensor.format) == (dtype, [2, 3], Format.FORMAT_ND)
    back = numpy.asarray(tensor)
    assert back.dtype == source.dtype and (back == source).all() and numpy.shares_memory(back, source)
    assert tensor.get_data() == source.tolist()


def test_a_view_of_a_tensor_is_read_only():
    view = numpy.asarray(Tensor([1.0, 2.0]))
    assert not view.flags.writeable
    with pytest.raises(ValueError):
        view[0] = 3.0
    with pytest.raises(ValueError):
        view.flags.writeable = True


def test_views_outlive_the_tensor():
    tensor = Tensor([1.0, 2.0, 3.0])
    views = [numpy.asarray(tensor)]
    if hasattr(numpy, "from_dlpack") and numpy.lib.NumpyVersion(numpy.__version__) >= "2.1.0":
        views.append(numpy.from_dlpack(tensor))
    del tensor
    gc.collect()
    for view in views:
        assert view.tolist() == [1.0, 2.0, 3.0]
    assert all(numpy.shares_memory(views[0], v) for v in views)


class Watched(numpy.ndarray):
    """An array that can be watched with a weak reference."""


def test_a_tensor_keeps_its_array_and_a_graph_keeps_it_too():
    source = numpy.arange(6, dtype=numpy.int32).view(Watched)
    gone = weakref.ref(source)
    tensor = Tensor(source, shape=[2, 3])
    del source
    gc.collect()
    assert gone() is not None and tensor.get_data() == [[0, 1, 2], [3, 4, 5]]
    builder = GraphBuilder()
    graph = builder.build_and_reset([Const(builder, value=tensor)])
    del tensor, builder
    gc.collect()
    (const,) = [n for n in graph.get_direct_nodes() if n.type == "Const"]
    assert gone() is not None and const.get_attr("value").get_data() == [[0, 1, 2], [3, 4, 5]]
    del graph, const
    gc.collect()
    assert gone() is None


def test_a_tensor_shows_later_changes_of_a_shared_array():
    source = numpy.zeros(3, numpy.float32)
    tensor = Tensor(source)
    source[1] = 5
    assert tensor.get_data() == [0.0, 5.0, 0.0]


def test_arrays_that_are_not_contiguous_are_copied():
    source = numpy.arange(12, dtype=numpy.int64).reshape(3, 4)
    for strange in (source.T, source[::2], source[:, 1:3], source.astype(">i8"), numpy.asfortranarray(source)):
        tensor = Tensor(strange)
        assert tensor.get_data() == strange.tolist() and tensor.shape == list(strange.shape)
        assert not numpy.shares_memory(numpy.asarray(tensor), strange)


def test_a_shape_and_a_type_given_beside_an_array():
    source = numpy.arange(6, dtype=numpy.float64)
    reshaped = Tensor(source, shape=[2, 3], format=Format.FORMAT_NCHW)
    assert reshaped.get_data() == [[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]] and reshaped.format == Format.FORMAT_NCHW
    assert numpy.shares_memory(numpy.asarray(reshaped), source)
    for dtype in (DataType.DT_FLOAT, DataType.DT_INT8, DataType.DT_FLOAT16, DataType.DT_BF16, DataType.DT_INT4):
        converted = Tensor(source.reshape(2, 3), data_type=dtype)
        assert converted.data_type == dtype and converted.get_data() == [[0, 1, 2], [3, 4, 5]]
    with pytest.raises(RuntimeError, match="Failed to create Tensor: expected 4 elements"):
        Tensor(source, shape=[4])


@pytest.mark.parametrize("shape", [(), (0,), (2, 0, 3), (1, 1, 1, 1, 1, 1)], ids=str)
def test_odd_shapes(shape):
    source = numpy.ones(shape, numpy.float32)
    tensor = Tensor(source)
    assert tensor.shape == list(shape) and tensor.get_data() == source.tolist()
    assert numpy.asarray(tensor).shape == shape


def test_what_no_tensor_can_hold():
    for wrong in (numpy.array(["x"]), numpy.array([object()]), numpy.array([1], dtype="datetime64[s]")):
        with pytest.raises(RuntimeError, match="Failed to create Tensor"):
            Tensor(wrong)


def test_conversions_of_numpy_itself():
    tensor = Tensor([1.5, 2.5])
    assert numpy.asarray(tensor, dtype=numpy.int32).tolist() == [1, 2]
    assert numpy.shares_memory(numpy.asarray(tensor, dtype=numpy.float32), numpy.asarray(tensor))
    copied = numpy.array(tensor)
    copied[0] = 9
    assert tensor.get_data() == [1.5, 2.5]


def test_texts_become_an_array_of_objects():
    found = numpy.asarray(Tensor([["a", "b"]], data_type=DataType.DT_STRING))
    assert found.dtype == object and found.tolist() == [["a", "b"]]


def test_other_arrays_than_those_of_numpy():
    assert Tensor(array.array("f", [1.0, 2.0])).get_data() == [1.0, 2.0]
    assert Tensor(memoryview(array.array("q", [1, 2]))).data_type == DataType.DT_INT64


SMALL = {
    DataType.DT_BF16: ("bfloat16", [0.5, -3.0, 1.0]),
    DataType.DT_FLOAT8_E5M2: ("float8_e5m2", [0.5, -3.0, 1.0]),
    DataType.DT_FLOAT8_E4M3FN: ("float8_e4m3fn", [0.5, -3.0, 448.0]),
    DataType.DT_FLOAT8_E8M0: ("float8_e8m0fnu", [0.5, 2.0, 1.0]),
}


@pytest.mark.parametrize("dtype", SMALL, ids=lambda d: d.name)
def test_types_that_numpy_lacks_come_with_ml_dtypes(dtype):
    ml_dtypes = pytest.importorskip("ml_dtypes")
    name, values = SMALL[dtype]
    source = numpy.array(values).astype(getattr(ml_dtypes, name))
    tensor = Tensor(source)
    assert tensor.data_type == dtype and tensor.get_data() == values
    back = numpy.asarray(tensor)
    assert back.dtype == source.dtype and numpy.shares_memory(back, source)
    strided = numpy.array([v for v in values for _ in (0, 1)]).astype(source.dtype)[::2]
    assert Tensor(strided).get_data() == values


@pytest.mark.parametrize("dtype", SMALL, ids=lambda d: d.name)
def test_our_rounding_is_that_of_ml_dtypes(dtype):
    ml_dtypes = pytest.importorskip("ml_dtypes")
    kind = getattr(ml_dtypes, SMALL[dtype][0])
    random = numpy.random.default_rng(0)
    values = numpy.concatenate([random.normal(0, 10.0**e, 300) for e in range(-9, 7)]).astype(numpy.float32)
    if dtype == DataType.DT_FLOAT8_E8M0:
        values = numpy.abs(values)
    ours = numpy.asarray(Tensor(values.tolist(), data_type=dtype)).view(f"u{numpy.dtype(kind).itemsize}")
    assert (ours == values.astype(kind).view(ours.dtype)).all()


def test_without_ml_dtypes_small_floats_become_float32(monkeypatch):
    monkeypatch.setitem(sys.modules, "ml_dtypes", None)
    found = numpy.asarray(Tensor([0.5, -3.0], data_type=DataType.DT_BF16))
    assert found.dtype == numpy.float32 and found.tolist() == [0.5, -3.0]


def test_elements_smaller_than_a_byte_are_unpacked():
    found = numpy.asarray(Tensor([7, -8, 3], data_type=DataType.DT_INT4))
    assert found.dtype == numpy.int8 and found.tolist() == [7, -8, 3]
    assert numpy.asarray(Tensor([0.5, -6.0, 1.0], data_type=DataType.DT_FLOAT4_E2M1)).tolist() == [0.5, -6.0, 1.0]


def test_weights_of_a_mapped_file_are_read_only_views(tmp_path):
    path = tmp_path / "weights.bin"
    numpy.arange(100000, dtype=numpy.float32).tofile(str(path))
    tensor = Tensor(file_path=str(path), shape=[100000])
    one, other = numpy.asarray(tensor), numpy.asarray(tensor)
    assert numpy.shares_memory(one, other) and not one.flags.writeable
    del tensor
    gc.collect()
    assert one[-1] == 99999.0


def test_weights_of_a_model_are_not_copied(tmp_path):
    onnx = pytest.importorskip("onnx")
    import ge.onnx

    weights = numpy.arange(100000, dtype=numpy.float32)
    helper = onnx.helper
    model = helper.make_model(
        helper.make_graph(
            [helper.make_node("Add", ["x", "w"], ["y"])],
            "g",
            [helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, [100000])],
            [helper.make_tensor_value_info("y", onnx.TensorProto.FLOAT, [100000])],
            [onnx.numpy_helper.from_array(weights, "w")],
        )
    )
    path = tmp_path / "model.onnx"
    path.write_bytes(model.SerializeToString())
    graph = ge.onnx.load(str(path))
    (const,) = [n for n in graph.get_direct_nodes() if n.type == "Const"]
    one, other = numpy.asarray(const.get_attr("value")), numpy.asarray(const.get_attr("value"))
    assert numpy.shares_memory(one, other) and not one.flags.writeable
    del graph, const
    gc.collect()
    assert (one == weights).all()


def test_an_attribute_keeps_its_value_when_the_array_it_came_from_changes():
    array = numpy.arange(4, dtype=numpy.float32)
    graph = Graph("graph")
    graph.set_attr("value", Tensor(array))
    array[:] = 7
    assert graph.get_attr("value").get_data() == [0.0, 1.0, 2.0, 3.0]
