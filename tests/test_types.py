"""ge.graph.types: the enumerations and their numbers."""

from __future__ import annotations

import enum

import pytest
from ge.graph import DataType, DumpFormat, Format, Placement
from ge.graph.types import AttrValueType

# Names in the order of their numbers, "-" where a number is not used.
DATA_TYPES = (
    "FLOAT FLOAT16 INT8 INT32 UINT8 - INT16 UINT16 UINT32 INT64 UINT64 DOUBLE BOOL STRING DUAL_SUB_INT8 DUAL_SUB_UINT8 "
    "COMPLEX64 COMPLEX128 QINT8 QINT16 QINT32 QUINT8 QUINT16 RESOURCE STRING_REF DUAL VARIANT BF16 UNDEFINED INT4 UINT1 "
    "INT2 UINT2 COMPLEX32 HIFLOAT8 FLOAT8_E5M2 FLOAT8_E4M3FN FLOAT8_E8M0 FLOAT6_E3M2 FLOAT6_E2M3 FLOAT4_E2M1 "
    "FLOAT4_E1M2 HIFLOAT4 MAX"
)
FORMATS = (
    "NCHW NHWC ND NC1HWC0 FRACTAL_Z NC1C0HWPAD NHWC1C0 FSR_NCHW FRACTAL_DECONV C1HWNC0 FRACTAL_DECONV_TRANSPOSE "
    "FRACTAL_DECONV_SP_STRIDE_TRANS NC1HWC0_C04 FRACTAL_Z_C04 CHWN FRACTAL_DECONV_SP_STRIDE8_TRANS HWCN NC1KHKWHWC0 "
    "BN_WEIGHT FILTER_HWCK HASHTABLE_LOOKUP_LOOKUPS HASHTABLE_LOOKUP_KEYS HASHTABLE_LOOKUP_VALUE "
    "HASHTABLE_LOOKUP_OUTPUT HASHTABLE_LOOKUP_HITS C1HWNCoC0 MD NDHWC FRACTAL_ZZ FRACTAL_NZ NCDHW DHWCN NDC1HWC0 "
    "FRACTAL_Z_3D CN NC DHWNC FRACTAL_Z_3D_TRANSPOSE FRACTAL_ZN_LSTM FRACTAL_Z_G RESERVED ALL NULL ND_RNN_BIAS "
    "FRACTAL_ZN_RNN NYUV NYUV_A NCL FRACTAL_Z_WINO C1HWC0 FRACTAL_NZ_C0_16 FRACTAL_NZ_C0_32 END MAX"
)
KINDS = {
    0: "NONE STRING FLOAT BOOL INT TENSOR_DESC TENSOR BYTES GRAPH NAMED_ATTRS LIST_LIST_INT DATA_TYPE LIST_LIST_FLOAT",
    1000: "LIST_BASE LIST_STRING LIST_FLOAT LIST_BOOL LIST_INT LIST_TENSOR_DESC LIST_TENSOR LIST_BYTES LIST_GRAPH "
    "LIST_NAMED_ATTRS - LIST_DATA_TYPE",
}


def numbered(prefix, names, start=0):
    return {prefix + name: i for i, name in enumerate(names.split(), start) if name != "-"}


@pytest.mark.smoke
@pytest.mark.parametrize(
    "enumeration, expected",
    [
        (DataType, numbered("DT_", DATA_TYPES)),
        (Format, numbered("FORMAT_", FORMATS)),
        (Placement, {"PLACEMENT_HOST": 0, "PLACEMENT_DEVICE": 1}),
        (AttrValueType, {k: v for start, names in KINDS.items() for k, v in numbered("VT_", names, start).items()}),
        (DumpFormat, {"kOnnx": 0, "kTxt": 1, "kReadable": 2}),
    ],
    ids=lambda e: getattr(e, "__name__", ""),
)
def test_every_member_has_its_number(enumeration, expected):
    assert {member.name: member.value for member in enumeration} == expected


@pytest.mark.parametrize("enumeration", [DataType, Format, Placement, AttrValueType])
def test_members_are_ints_in_the_order_of_their_values(enumeration):
    members = list(enumeration)
    assert all(isinstance(m, int) and m == m.value >= 0 and hash(m) == hash(m.value) for m in members)
    assert sorted(members) == sorted(members, key=lambda m: m.value) and f"{members[1]:d}" == str(members[1].value)


def test_members_show_name_and_number():
    assert repr(DataType.DT_INT32) == "<DataType.DT_INT32: 3>"
    assert repr(AttrValueType.VT_LIST_STRING) == "<AttrValueType.VT_LIST_STRING: 1001>"
    assert repr(Placement.PLACEMENT_DEVICE) == "<Placement.PLACEMENT_DEVICE: 1>"


def test_dump_formats_are_no_ints():
    assert not isinstance(DumpFormat.kOnnx, int) and issubclass(DumpFormat, enum.Enum)


def test_the_names_of_the_modules():
    import ge.graph
    import ge.graph.tensor_desc as tensor_desc

    names = "DataType DumpFormat Format Graph Node Operator Placement Shape Tensor TensorDesc"
    assert sorted(ge.graph.__all__) == names.split()
    assert not hasattr(ge.graph, "AttrValueType")
    assert (tensor_desc.UNKNOWN_DIM, tensor_desc.UNKNOWN_DIM_NUM, tensor_desc.UNKNOWN_DIM_SIZE) == (-1, -2, -1)
