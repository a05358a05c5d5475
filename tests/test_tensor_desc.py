"""ge.graph.Shape and TensorDesc."""

from __future__ import annotations

import copy

import pytest
from ge.graph import DataType, Format, Shape, TensorDesc

F, ND = DataType.DT_FLOAT, Format.FORMAT_ND


@pytest.mark.smoke
@pytest.mark.parametrize(
    "dims, size, unknown",
    [
        ([2, 3, 4], 24, False),
        ([1], 1, False),
        ([], 0, False),
        ([0, 3], 0, False),
        ([2, -1, 4], -1, True),
        ([0, -1], -1, True),
        ([-2], -1, True),
    ],
)
def test_a_shape_is_a_list_that_knows_its_size(dims, size, unknown):
    shape = Shape(dims)
    assert shape == dims and isinstance(shape, list) and repr(shape) == repr(dims)
    assert shape.get_shape_size() == size and shape.is_unknown_shape() is unknown
    assert shape[:1] == dims[:1] and list(iter(shape)) == dims


def test_a_shape_of_nothing_is_a_scalar_and_its_dims_are_copied():
    assert Shape() == [] == Shape(None)
    dims = [1, 2]
    shape = Shape(dims)
    dims.append(3)
    assert shape == [1, 2]
    with pytest.raises(TypeError):
        hash(shape)


@pytest.mark.parametrize("dims", ["invalid", [1, "invalid"], [1.0, 2.0], (1, 2)])
def test_a_shape_wants_integers(dims):
    with pytest.raises(TypeError, match="dims must be a list of integers"):
        Shape(dims)


def test_a_new_desc_has_defaults():
    desc = TensorDesc()
    assert (desc.shape, desc.format, desc.data_type) == ([], ND, F) and desc.shape.get_shape_size() == 0
    given = TensorDesc([1, 2, 3], Format.FORMAT_NCHW, DataType.DT_INT8)
    assert isinstance(given.get_shape(), Shape) and given.get_shape().get_shape_size() == 6
    # Origin values do not follow the arguments.
    assert (given.origin_shape, given.origin_format) == ([], ND)


def test_every_setter_returns_the_desc_and_every_getter_reads_it():
    desc = TensorDesc()
    same = (
        desc.set_shape([1, 2])
        .set_data_type(DataType.DT_INT8)
        .set_format(Format.FORMAT_NCHW)
        .set_origin_shape([3])
        .set_origin_format(Format.FORMAT_NHWC)
    )
    assert same is desc
    for read in ("shape", "format", "data_type", "origin_shape", "origin_format"):
        assert getattr(desc, read) == getattr(desc, f"get_{read}")()
    assert (desc.shape, desc.format, desc.data_type) == ([1, 2], Format.FORMAT_NCHW, DataType.DT_INT8)
    assert (desc.origin_shape, desc.origin_format) == ([3], Format.FORMAT_NHWC)
    assert isinstance(desc.format, Format) and isinstance(desc.data_type, DataType)
    desc.set_shape(None).set_origin_shape(None)
    assert desc.shape == [] == desc.origin_shape


def test_what_a_desc_gives_is_a_copy_and_read_only():
    desc = TensorDesc([1])
    desc.shape.append(2)
    assert desc.shape == [1]
    for name in ("shape", "format", "data_type", "origin_shape", "origin_format"):
        with pytest.raises(AttributeError):
            setattr(desc, name, None)
    assert TensorDesc() != TensorDesc() and len({TensorDesc(), TensorDesc()}) == 2


@pytest.mark.parametrize(
    "call, text",
    [
        (lambda: TensorDesc(format="x"), "Format must be a Format"),
        (lambda: TensorDesc(format="x", data_type="x", shape="x"), "Format must be a Format"),
        (lambda: TensorDesc(data_type="x"), "Data type must be a DataType"),
        (lambda: TensorDesc(data_type=0), "Data type must be a DataType"),
        (lambda: TensorDesc(format=2), "Format must be a Format"),
        (lambda: TensorDesc(shape="x"), "shape must be a list of integers"),
        (lambda: TensorDesc().set_shape("x"), "shape must be a list of integers"),
        (lambda: TensorDesc().set_shape([1, "x"]), "shape must be a list of integers"),
        (lambda: TensorDesc().set_shape([1.0]), "shape must be a list of integers"),
        (lambda: TensorDesc().set_origin_shape([1.0]), "origin shape must be a list of integers"),
        (lambda: TensorDesc().set_format("x"), "Format must be a Format"),
        (lambda: TensorDesc().set_origin_format("x"), "Format must be a Format"),
        (lambda: TensorDesc().set_data_type("x"), "Data type must be a DataType"),
    ],
)
def test_a_desc_checks_its_types(call, text):
    with pytest.raises(TypeError, match=text):
        call()


def test_the_text_of_a_desc():
    assert repr(TensorDesc([1, 2])) == "TensorDesc(shape=[1, 2], format=2, data_type=0)"


def test_a_desc_is_not_copied():
    for copier, word in ((copy.copy, "copy"), (copy.deepcopy, "deepcopy")):
        with pytest.raises(RuntimeError, match=f"TensorDesc does not support {word}"):
            copier(TensorDesc())


def test_a_desc_of_a_handle():
    desc = TensorDesc([4])
    assert TensorDesc._create_from(desc._handle).shape == [4]
    with pytest.raises(ValueError, match="TensorDesc pointer cannot be None"):
        TensorDesc._create_from(None)
    with pytest.raises(TypeError, match="TensorDesc handle must be"):
        TensorDesc._create_from(12345)
