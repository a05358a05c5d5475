"""ge.graph.Tensor: made of lists and files, read as lists."""

from __future__ import annotations

import copy
import ctypes
import math
import struct

import pytest
from ge.es import GraphBuilder
from ge.graph import DataType, Format, Placement, Shape, Tensor, TensorDesc
from ge.graph._numeric import float_list_to_fp16_bits, float_to_fp16_bits
from ge.graph.tensor import _parse_str_list, unflatten_tensor_data

INTEGERS = [DataType[f"DT_{s}INT{n}"] for s in ("", "U") for n in (8, 16, 32, 64)]
SIX = [1, 2, 3, 4, 5, 6]


# ---- lists -------------------------------------------------------------------------------------------------------------


@pytest.mark.smoke
@pytest.mark.parametrize("dtype", INTEGERS, ids=lambda d: d.name)
def test_an_integer_tensor_gives_its_data_back(dtype):
    tensor = Tensor(SIX, data_type=dtype, shape=[1, 2, 3])
    assert tensor.data == [[[1, 2, 3], [4, 5, 6]]] and tensor.data_type == dtype and tensor.shape == [1, 2, 3]
    assert all(type(x) is int for x in tensor.get_data()[0][0])
    # Floats are cut, and what does not fit wraps around.
    assert Tensor([2.9], data_type=dtype).data == 2
    assert Tensor([-1], data_type=dtype).data == (-1 if dtype.name.startswith("DT_INT") else 2 ** int(dtype.name[7:]) - 1)


def test_a_scalar_is_one_number():
    assert Tensor([7], data_type=DataType.DT_INT32, shape=[]).get_data() == 7
    # A flat list of one and no shape is a scalar, as in GE.
    assert Tensor([7], data_type=DataType.DT_INT32).shape == []
    assert Tensor([7], data_type=DataType.DT_INT32, shape=[1]).get_data() == [7]


@pytest.mark.parametrize("data", [[1, 2, 3], [[1, 2], [3, 4], [5, 6]], [[[1]]], [[], []], []], ids=str)
def test_without_a_shape_that_of_the_list_is_taken(data):
    tensor = Tensor(data, data_type=DataType.DT_INT16)
    assert tensor.get_data() == data


@pytest.mark.smoke
@pytest.mark.parametrize(
    "dtype, values",
    [
        (DataType.DT_FLOAT, [0.1, 1.1, -2.5, 1e-7, 3e38, 16777216.0, 1073741824.0, 0.0]),
        (DataType.DT_FLOAT16, [0.0999755859375, 1.0, -2.5, 65504.0, 2.0**-24]),
        (DataType.DT_BF16, [0.10009765625, 1.0, -2.5, 2.0**127]),
        (DataType.DT_FLOAT8_E5M2, [1.0, -1.5, 57344.0, 2.0**-16]),
        (DataType.DT_FLOAT8_E4M3FN, [1.0, -1.75, 448.0, 2.0**-9]),
        (DataType.DT_FLOAT8_E8M0, [1.0, 2.0, 0.25, 2.0**127]),
        (DataType.DT_FLOAT6_E3M2, [1.0, -28.0, 0.0625, 3.5, 0.5]),
        (DataType.DT_FLOAT6_E2M3, [1.0, -7.5, 0.125, 3.5, 0.5]),
        (DataType.DT_FLOAT4_E2M1, [0.5, 1.0, 1.5, -6.0, 0.0]),
        (DataType.DT_INT4, [7, -8, 0, -1, 3]),
        (DataType.DT_INT2, [1, -2, 0]),
        (DataType.DT_UINT2, [3, 0, 2, 1, 3]),
        (DataType.DT_UINT1, [1, 0, 1, 1, 0, 0, 0, 1, 1]),
        (DataType.DT_QINT8, [-5, 5]),
        (DataType.DT_BOOL, [True, False, True]),
        (DataType.DT_STRING, ["a", "", "\u4e2d"]),
        (DataType.DT_COMPLEX64, [1 + 2j, 0.5j]),
        (DataType.DT_COMPLEX128, [0.1 + 2j, 3 + 0j]),
        (DataType.DT_COMPLEX32, [1 + 0.5j]),
    ],
    ids=lambda v: getattr(v, "name", ""),
)
def test_numbers_that_a_type_has_come_back_as_they_were(dtype, values):
    tensor = Tensor(values, data_type=dtype, shape=[len(values)])
    found = tensor.get_data()
    assert found == values and [type(v) for v in found] == [type(v) for v in values]


@pytest.mark.parametrize(
    "dtype, nan, largest",
    [
        (DataType.DT_FLOAT16, True, math.inf),
        (DataType.DT_BF16, True, math.inf),
        (DataType.DT_FLOAT8_E5M2, True, math.inf),
        (DataType.DT_FLOAT8_E4M3FN, True, math.nan),
        (DataType.DT_FLOAT4_E2M1, False, 6.0),
        (DataType.DT_FLOAT6_E3M2, False, 28.0),
    ],
    ids=lambda v: getattr(v, "name", ""),
)
def test_what_is_too_large_for_a_small_float(dtype, nan, largest):
    found = Tensor([1e300, -1e300, math.inf], data_type=dtype).get_data()
    assert [str(v) for v in found] == [str(largest), str(-largest if largest == largest else largest), str(largest)]
    if nan:
        assert math.isnan(Tensor([math.nan], data_type=dtype).get_data())


def test_every_half_survives_being_written_and_read():
    bits = [b for b in range(0x10000) if (b & 0x7C00) != 0x7C00]
    values = [struct.unpack("<e", struct.pack("<H", b))[0] for b in bits]
    assert float_list_to_fp16_bits(values) == bits
    read = Tensor(values, data_type=DataType.DT_FLOAT16).get_data()
    assert [struct.pack("<e", v) for v in read] == [struct.pack("<H", b) for b in bits]


@pytest.mark.parametrize(
    "value, bits",
    [
        (1.0, 0x3C00),
        (-0.0, 0x8000),
        (65519.9, 0x7BFF),
        (65520.0, 0x7C00),
        (-math.inf, 0xFC00),
        (math.nan, 0x7E00),
        (2.0**-24, 1),
        (2.0**-26, 0),
        (-(2.0**-26), 0x8000),
        (1 + 2.0**-11, 0x3C00),
        (1 + 3 * 2.0**-11, 0x3C02),
        # A subnormal that rounds up to the smallest normal number.
        (2.0**-14 - 2.0**-26, 0x0400),
    ],
)
def test_bits_of_halves(value, bits):
    assert float_to_fp16_bits(value) == bits


def test_bool_elements_go_into_any_type():
    assert Tensor([True, False], data_type=DataType.DT_INT32).get_data() == [1, 0]
    for wrong in ([1, 2], [True, 1], [True, int]):
        with pytest.raises(RuntimeError, match="Failed to create Tensor"):
            Tensor(wrong, None, DataType.DT_BOOL, Format.FORMAT_ND, [2])


def test_a_tensor_of_nothing_has_what_it_was_given():
    tensor = Tensor()
    assert (tensor.data_type, tensor.format, tensor.shape, tensor.data) == (DataType.DT_FLOAT, Format.FORMAT_ND, [], [])
    assert tensor.set_data_type(DataType.DT_INT8).get_data_type() == DataType.DT_INT8
    given = Tensor(data_type=DataType.DT_BOOL, format=Format.FORMAT_NCHW, shape=[2, 3])
    assert (given.data_type, given.format, given.shape) == (DataType.DT_BOOL, Format.FORMAT_NCHW, [2, 3])
    assert Tensor(shape=[2, 0]).get_data() == [[], []] == Tensor([], shape=[2, 0]).get_data()


@pytest.mark.parametrize("data, shape", [(SIX, [1, 2, 2]), ([1, 2], []), ([1], [2]), ([[1, 2]], [3])], ids=str)
def test_as_many_elements_as_the_shape_has(data, shape):
    with pytest.raises(RuntimeError, match="Failed to create Tensor: expected . elements for shape"):
        Tensor(data, shape=shape)


@pytest.mark.parametrize(
    "arguments, error, text",
    [
        ({"shape": 1}, TypeError, "Shape must be a list of integers"),
        ({"shape": [1.0], "placement": 0}, TypeError, "Shape must be a list of integers"),
        ({"placement": 0}, TypeError, "Placement must be a Placement"),
        ({"data": [1], "file_path": "x"}, RuntimeError, "Tensor should be created either by data or by file"),
        ({"data": 1}, TypeError, "data should be List"),
        ({"data": 1, "shape": [1, 2, 3]}, TypeError, "data should be List"),
        ({"data": b"1234"}, TypeError, "data should be List"),
        ({"data": [1], "data_type": 3}, TypeError, "Data_type must be a DataType"),
        ({"data": [1], "format": 2}, TypeError, "Format must be a Format"),
        ({"data": [1.0], "data_type": DataType.DT_DOUBLE}, RuntimeError, "DT_DOUBLE is not supported in python Tensor"),
        ({"data": [1], "data_type": DataType.DT_RESOURCE}, RuntimeError, "Failed to create Tensor"),
        ({"data": [1, [2]]}, RuntimeError, "Failed to create Tensor.*irregular"),
        ({"data": [[1], [2, 3]]}, RuntimeError, "Failed to create Tensor.*irregular"),
        ({"data": [[1], 2]}, RuntimeError, "Failed to create Tensor.*irregular"),
        ({"data": [1], "shape": [-1]}, RuntimeError, "Failed to create Tensor.*known sizes"),
        ({"data": [1], "placement": Placement.PLACEMENT_DEVICE}, RuntimeError, "no device runtime"),
        ({"data": ["x"]}, TypeError, "must be real number"),
    ],
    ids=str,
)
def test_a_tensor_checks_its_arguments(arguments, error, text):
    with pytest.raises(error, match=text):
        Tensor(**arguments)


def test_a_list_may_change_while_it_is_read():
    values = [1.0, None, 3.0]

    class Clearing:
        def __float__(self):
            values.clear()
            return 2.0

    values[1] = Clearing()
    assert Tensor(values).get_data() == [1.0, 2.0, 3.0]


# ---- files -------------------------------------------------------------------------------------------------------------


def test_a_tensor_reads_a_file(tmp_path):
    path = tmp_path / "data.bin"
    path.write_bytes(struct.pack("<iiB", 1, 2, 9))
    assert Tensor(file_path=str(path), data_type=DataType.DT_INT32, shape=[2]).get_data() == [1, 2]
    assert Tensor(file_path=str(path), data_type=DataType.DT_DOUBLE).shape == []
    assert Tensor(file_path=str(path), data_type=DataType.DT_BOOL, shape=[1]).get_data() == [True]
    path.write_bytes(b"")
    empty = tmp_path / "empty.bin"
    empty.write_bytes(b"")
    for wrong in (tmp_path / "missing", empty, path, tmp_path):
        with pytest.raises(RuntimeError, match="Failed to create Tensor"):
            Tensor(file_path=str(wrong), data_type=DataType.DT_INT32, shape=[3])
    with pytest.raises(RuntimeError, match="Failed to create Tensor.*DT_STRING"):
        Tensor(file_path=str(path), data_type=DataType.DT_STRING)


def test_a_large_file_is_used_where_it_lies(tmp_path):
    path = tmp_path / "weights.bin"
    path.write_bytes(struct.pack("<100000f", *range(100000)))
    tensor = Tensor(file_path=str(path), shape=[100, 1000])
    with open("/proc/self/maps") as maps:
        assert str(path) in maps.read()
    path.unlink()
    assert tensor.get_data()[99][999] == 99999.0
    del tensor
    with open("/proc/self/maps") as maps:
        assert str(path) not in maps.read()


# ---- what a tensor says and keeps ----------------------------------------------------------------------------------------


def test_the_properties_are_those_of_the_getters():
    tensor = Tensor(SIX, data_type=DataType.DT_INT8, shape=[1, 2, 3])
    assert (tensor.get_format(), tensor.get_data_type()) == (Format.FORMAT_ND, DataType.DT_INT8)
    assert tensor.placement is tensor.get_placement() is Placement.PLACEMENT_HOST
    shape = tensor.get_shape()
    assert isinstance(shape, Shape) and len(shape) == 3 and list(shape) == [1, 2, 3]
    desc = tensor.get_tensor_desc()
    assert isinstance(desc, TensorDesc) and desc.get_shape() == [1, 2, 3] and desc.get_shape().get_shape_size() == 6
    assert (desc.format, desc.data_type) == (Format.FORMAT_ND, DataType.DT_INT8)
    desc.set_shape([6])
    assert tensor.shape == [1, 2, 3]
    assert tensor.set_format(Format.FORMAT_NCHW) is tensor and tensor.format == Format.FORMAT_NCHW
    assert tensor.set_data_type(DataType.DT_UINT8) is tensor and tensor.data_type == DataType.DT_UINT8
    with pytest.raises(TypeError, match="Format must be a Format"):
        tensor.set_format("")
    with pytest.raises(TypeError, match="Data_type must be a DataType"):
        tensor.set_data_type("")
    assert not hasattr(tensor, "set_shape")


def test_a_new_type_is_only_a_label():
    tensor = Tensor([1.0], shape=[1])
    assert tensor.set_data_type(DataType.DT_INT32).get_data() == [0x3F800000]
    tensor.set_data_type(DataType.DT_INT64)
    with pytest.raises(RuntimeError, match="Failed to get Tensor data"):
        tensor.get_data()


def test_there_is_no_device_to_move_to():
    tensor = Tensor([1.0])
    with pytest.raises(ValueError, match=r"to_host\(\) only supports device tensors"):
        tensor.to_host()
    with pytest.raises(RuntimeError, match="no device runtime"):
        tensor.to_device()
    assert tensor.placement == Placement.PLACEMENT_HOST


def test_the_text_of_a_tensor():
    tensor = Tensor(SIX, data_type=DataType.DT_INT8, shape=[1, 2, 3])
    lines = ["Tensor format is 2,", "data_type is 2,", "shape is [1, 2, 3],", "data is [[[1, 2, 3], [4, 5, 6]]]", ""]
    assert str(tensor) == "\n" + "\n".join(" " * 8 + line for line in lines)


def test_a_tensor_is_not_copied():
    for copier, word in ((copy.copy, "copy"), (copy.deepcopy, "deepcopy")):
        with pytest.raises(RuntimeError, match=f"Tensor does not support {word}"):
            copier(Tensor())


def test_a_tensor_belongs_to_one_builder():
    tensor, builder = Tensor([1.0]), GraphBuilder()
    assert tensor._owns_handle is True and tensor._owner is None
    tensor._transfer_ownership_when_pass_as_attr(builder)
    assert tensor._owns_handle is False and tensor._owner is builder and tensor._handle is not None
    with pytest.raises(
        RuntimeError, match="Tensor already has an new owner builder :graph, cannot transfer ownership again"
    ):
        tensor._transfer_ownership_when_pass_as_attr(GraphBuilder())
    assert tensor.get_data() == 1.0


def test_a_tensor_of_a_handle():
    tensor = Tensor([1, 2], data_type=DataType.DT_INT32)
    other = Tensor._create_from(tensor._handle)
    assert other.get_data() == [1, 2] and int(other._handle) != 0 and other._handle == tensor._handle
    other._owns_handle = False
    assert other._owns_handle is False and tensor._owns_handle is True
    for null in (None, ctypes.c_void_p(), 0):
        with pytest.raises(ValueError, match="Tensor pointer cannot be None"):
            Tensor._create_from(null)
    for made_up in (12345, "x", GraphBuilder()):
        with pytest.raises(TypeError, match="Tensor handle must be"):
            Tensor._create_from(made_up)


@pytest.mark.parametrize(
    "call, text",
    [
        (lambda t: t.get_data(), "Failed to get Tensor data"),
        (lambda t: t.set_format(Format.FORMAT_NCHW), "Failed to set format 0"),
        (lambda t: t.set_data_type(DataType.DT_INT64), "Failed to set datatype 9"),
        (lambda t: t.get_tensor_desc(), "tensor handle has expired"),
    ],
)
def test_a_tensor_whose_handle_was_taken_away(call, text):
    for null in (None, ctypes.c_void_p()):
        tensor = Tensor([1.0])
        tensor._handle = null
        with pytest.raises(RuntimeError, match=text):
            call(tensor)


# ---- texts of elements ---------------------------------------------------------------------------------------------------


def test_numbers_are_read_from_a_text():
    assert _parse_str_list("[]") == []
    assert _parse_str_list(" [1, -3,2.5, -3.2,1e3] ") == [1, -3, 2.5, -3.2, 1000.0]
    assert [type(x) for x in _parse_str_list("[1,2.0]")] == [int, float]
    with pytest.raises(ValueError, match="Invalid item: '2;23'"):
        _parse_str_list("[1,2;23]")
    for wrong in ("1,2", "[1,2", "1]"):
        with pytest.raises(ValueError):
            _parse_str_list(wrong)


def test_elements_are_nested_as_a_shape_says():
    assert str(unflatten_tensor_data("[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]", [3, 2, 1])) == (
        "[[[1.0], [2.0]], [[3.0], [4.0]], [[5.0], [6.0]]]"
    )
    assert unflatten_tensor_data("[7]", []) == 7
    for text, shape in (("[1, 2]", []), ("[]", []), ("[1, 2, 3]", [2])):
        with pytest.raises(ValueError):
            unflatten_tensor_data(text, shape)
