"""The messages of GE's IR (ge_ir.proto) as protobuf classes, made at run time from their numbers."""

from __future__ import annotations

import functools

import pytest

TYPES = (
    "UNDEFINED FLOAT FLOAT16 INT8 UINT8 INT16 UINT16 INT32 INT64 UINT32 UINT64 BOOL DOUBLE STRING DUAL_SUB_INT8 DUAL_SUB_UINT8 "
    "COMPLEX64 COMPLEX128 QINT8 QINT16 QINT32 QUINT8 QUINT16 RESOURCE STRING_REF DUAL VARIANT BF16 INT4 UINT1 INT2 UINT2 "
    "COMPLEX32 HIFLOAT8 FLOAT8_E5M2 FLOAT8_E4M3FN FLOAT8_E8M0 FLOAT6_E3M2 FLOAT6_E2M3 FLOAT4_E2M1 FLOAT4_E1M2 HIFLOAT4"
).split()
LIST_KINDS = "NONE STRING INT FLOAT BOOL BYTES TENSOR_DESC TENSOR GRAPH NAMED_ATTRS DATA_TYPE".split()

# number:name:type; "*" repeated, "!" member of the oneof, "@" map from strings.
MESSAGES = {
    "ShapeDef": "1:dim:*i",
    "TensorDescriptor": "1:name:s 2:dtype:DataType 3:shape:ShapeDef 4:layout:s 5:attr:@AttrDef 6:attr_groups:AttrGroups "
    "9:has_out_attr:b 10:size:i 11:weight_size:i 12:reuse_input:b 13:output_tensor:b 14:device_type:s 15:input_tensor:b "
    "16:real_dim_cnt:i 17:reuse_input_index:i 18:data_offset:i 19:cmps_size:i 20:cmps_tab:s 21:cmps_tab_offset:i",
    "TensorDef": "1:desc:TensorDescriptor 2:data:y",
    "ListValue": "2:s:*y 3:i:*i 4:f:*f 5:b:*b 7:bt:*y 8:td:*TensorDescriptor 9:t:*TensorDef 10:g:*GraphDef 11:na:*NamedAttrs "
    "12:dt:*i 20:val_type:ListKind",
    "ListInt": "1:list_i:*i",
    "ListListInt": "1:list_list_i:*ListInt",
    "ListFloat": "1:list_f:*f",
    "ListListFloat": "1:list_list_f:*ListFloat",
    "AttrDef": "1:list:!ListValue 2:s:!y 3:i:!i 4:f:!f 5:b:!b 7:bt:!y 10:func:!NamedAttrs 11:td:!TensorDescriptor 12:t:!TensorDef "
    "13:g:!GraphDef 14:list_list_int:!ListListInt 15:dt:!i 16:list_list_float:!ListListFloat 17:expression:!y",
    "NamedAttrs": "1:name:s 2:attr:@AttrDef",
    "OpDef": "1:name:s 2:type:s 5:input:*s 10:attr:@AttrDef 11:attr_groups:AttrGroups 20:has_out_attr:b 21:id:i 22:stream_id:i "
    "23:input_name:*s 24:src_name:*s 25:src_index:*i 26:dst_name:*s 27:dst_index:*i 28:input_i:*i 29:output_i:*i 30:workspace:*i "
    "31:workspace_bytes:*i 32:is_input_const:*b 33:input_desc:*TensorDescriptor 34:output_desc:*TensorDescriptor 35:subgraph_name:*s",
    "GraphDef": "1:name:s 4:input:*s 5:output:*s 6:op:*OpDef 11:attr:@AttrDef 12:attr_groups:AttrGroups",
    "ModelDef": "1:name:s 2:version:u 3:custom_version:s 7:graph:*GraphDef 11:attr:@AttrDef 12:attr_groups:AttrGroups",
    "AttrGroups": "1:other_group_def:OtherGroupDef 2:attr_group_def:*AttrGroupDef",
    "OtherGroupDef": "1:attr:@AttributeDef",
    "AttributeDef": "1:s:!y 2:i:!i 3:f:!f 4:b:!b 5:bt:!y",
    "AttrGroupDef": "3:tensor_attr_group:!TensorDescAttrGroupsDef",
    "TensorDescAttrGroupsDef": "1:origin_symbol_shape:*s 2:symbolic_value:*s",
}


@functools.lru_cache(maxsize=None)
def message(name: str):
    """The class of that message of package ge.proto."""
    pytest.importorskip("google.protobuf", reason="needs the package protobuf")
    from google.protobuf import message_factory

    return message_factory.GetMessageClass(_pool().FindMessageTypeByName(f"ge.proto.{name}"))


@functools.lru_cache(maxsize=None)
def _pool():
    from google.protobuf import descriptor_pb2, descriptor_pool

    file = descriptor_pb2.FileDescriptorProto(name="ge_ir_numbers.proto", package="ge.proto", syntax="proto3")
    field = descriptor_pb2.FieldDescriptorProto
    kinds = {
        "s": field.TYPE_STRING,
        "y": field.TYPE_BYTES,
        "i": field.TYPE_INT64,
        "u": field.TYPE_UINT32,
        "f": field.TYPE_FLOAT,
        "b": field.TYPE_BOOL,
    }
    for enum, prefix, values in (("DataType", "DT_", TYPES), ("ListKind", "VT_LIST_", LIST_KINDS)):
        added = file.enum_type.add(name=enum)
        for number, value in enumerate(values):
            added.value.add(name=prefix + value, number=number)
    for name, fields in MESSAGES.items():
        made = file.message_type.add(name=name)
        for text in fields.split():
            number, field_name, kind = text.split(":")
            mark, kind = (kind[0], kind[1:]) if kind[0] in "*!@" else ("", kind)
            added = made.field.add(name=field_name, number=int(number))
            added.label = field.LABEL_REPEATED if mark in ("*", "@") else field.LABEL_OPTIONAL
            if mark == "!":
                if not made.oneof_decl:
                    made.oneof_decl.add(name="value")
                added.oneof_index = 0
            if mark == "@":
                entry = made.nested_type.add(name="AttrEntry")
                entry.options.map_entry = True
                entry.field.add(name="key", number=1, label=field.LABEL_OPTIONAL, type=field.TYPE_STRING)
                value = entry.field.add(name="value", number=2, label=field.LABEL_OPTIONAL, type=field.TYPE_MESSAGE)
                value.type_name = f".ge.proto.{kind}"
                added.type, added.type_name = field.TYPE_MESSAGE, f".ge.proto.{name}.AttrEntry"
            elif kind in kinds:
                added.type = kinds[kind]
            else:
                added.type = field.TYPE_ENUM if kind in ("DataType", "ListKind") else field.TYPE_MESSAGE
                added.type_name = f".ge.proto.{kind}"
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return pool
