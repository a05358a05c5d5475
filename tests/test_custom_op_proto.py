"""register_op: what a function's signature declares."""

from __future__ import annotations

import gc
import math
import sys
import typing
from typing import Any, List

import ge.custom_op
import ge.runtime
import pytest
from ge.custom_op import bootstrap, proto, register_op
from ge.custom_op._ir_types import AttrType, InputType, OutputType
from ge.custom_op._values import same
from ge.custom_op.proto import OpAttr, OpInput, OpOutput, OpProtoDescriptor
from ge.graph import DataType, Format
from ge.runtime import StorageShape, Tensor, TensorDesc
from hypothesis import given, settings
from hypothesis import strategies as st

pytestmark = pytest.mark.usefixtures("ops")

NAMES = {
    **vars(typing),
    "TensorDesc": TensorDesc,
    "Tensor": Tensor,
    "DataType": DataType,
    "Format": Format,
    "nan": math.nan,
    "__name__": "my_ops",
}


def function(parameters, returns="TensorDesc", name="function"):
    arrow = f" -> {returns}" if returns else ""
    space = dict(NAMES)
    # Not with this file's own __future__ imports.
    code = compile(f"def {name}({parameters}){arrow}:\n    raise AssertionError('called')", "<op>", "exec", dont_inherit=True)
    exec(code, space)
    return space[name]


def declared(parameters, returns="TensorDesc", mutates_args=(), op_type="Type"):
    registered = register_op(op_type=op_type, mutates_args=mutates_args)(function(parameters, returns))
    return registered.__ge_op_proto_descriptor__


# ---- TensorDesc ----------------------------------------------------------------------------------


def test_tensor_desc_is_the_native_class():
    native = sys.modules["ge.custom_op._ge_custom_op_native"]
    assert ge.runtime.TensorDesc is native.TensorDesc and "TensorDesc" in ge.runtime.__all__


def test_a_tensor_desc_owns_its_shape():
    shape = StorageShape([1, 2], [1, 2, 16])
    desc = TensorDesc(shape, DataType.DT_FLOAT16)
    shape.set_origin_shape([9])
    assert desc.shape.origin_shape.dims == [1, 2] and desc.shape.storage_shape.dims == [1, 2, 16]
    assert desc.data_type is DataType.DT_FLOAT16
    listed = [3, -1]
    desc = TensorDesc(listed, DataType.DT_INT8)
    listed.append(4)
    assert desc.shape.origin_shape.dims == desc.shape.storage_shape.dims == [3, -1]
    assert TensorDesc(None, DataType.DT_INT8).shape.origin_shape.is_scalar()


@pytest.mark.parametrize("shape", [(1, 2), "12", [True], [1.0]])
def test_a_shape_is_a_list_of_ints(shape):
    with pytest.raises(TypeError, match="StorageShape, list of integers, or None"):
        TensorDesc(shape, DataType.DT_FLOAT)


def test_a_shape_has_a_largest_rank():
    with pytest.raises(ValueError, match="maximum dimension count"):
        TensorDesc([1] * 1024, DataType.DT_FLOAT)


@pytest.mark.parametrize("data_type", [0, True, Format.FORMAT_ND, "DT_FLOAT"])
def test_a_data_type_is_a_data_type(data_type):
    with pytest.raises(TypeError, match="data_type must be a DataType"):
        TensorDesc([1], data_type)


def test_the_end_of_the_data_types_is_none():
    with pytest.raises(ValueError, match="less than DataType.DT_MAX"):
        TensorDesc([1], DataType.DT_MAX)


def test_a_view_of_a_shape_ends_with_its_owner():
    desc = TensorDesc([1], DataType.DT_FLOAT)
    shape = desc.shape
    del desc
    gc.collect()
    with pytest.raises(RuntimeError, match="handle has expired"):
        shape.origin_shape.dims


# ---- what a signature says -----------------------------------------------------------------------


def test_everything_that_a_signature_can_declare():
    descriptor = declared(
        "x: TensorDesc, bias: Optional[TensorDesc], rest: List[TensorDesc], *, a: int, b: float = 0.5, c: bool = True, "
        "d: str = '', e: DataType = DataType.DT_FLOAT, f: Tensor, g: List[int] = [1], h: List[float] = [0.5], "
        "i: List[bool] = [False], j: list[str] = ['s'], k: List[DataType] = [DataType.DT_BOOL], "
        "l: List[List[int]] = [[1, 2], []]",
        "Tuple[TensorDesc, list[TensorDesc]]",
        mutates_args=["x"],
    )
    assert descriptor.inputs == (
        OpInput("x", 0, InputType.REQUIRED),
        OpInput("bias", 1, InputType.OPTIONAL),
        OpInput("rest", 2, InputType.DYNAMIC),
    )
    assert descriptor.attrs == (
        OpAttr("a", 0, AttrType.INT, True),
        OpAttr("b", 1, AttrType.FLOAT, False, 0.5),
        OpAttr("c", 2, AttrType.BOOL, False, True),
        OpAttr("d", 3, AttrType.STRING, False, ""),
        OpAttr("e", 4, AttrType.DATA_TYPE, False, DataType.DT_FLOAT),
        OpAttr("f", 5, AttrType.TENSOR, True),
        OpAttr("g", 6, AttrType.LIST_INT, False, (1,)),
        OpAttr("h", 7, AttrType.LIST_FLOAT, False, (0.5,)),
        OpAttr("i", 8, AttrType.LIST_BOOL, False, (False,)),
        OpAttr("j", 9, AttrType.LIST_STRING, False, ("s",)),
        OpAttr("k", 10, AttrType.LIST_DATA_TYPE, False, (DataType.DT_BOOL,)),
        OpAttr("l", 11, AttrType.LIST_LIST_INT, False, ((1, 2), ())),
    )
    assert descriptor.outputs == (OpOutput("x", 0, OutputType.REQUIRED), OpOutput("output1", 1, OutputType.DYNAMIC))
    told = descriptor.to_bridge_dict()
    assert told["descriptor_key"] == "my_ops:function:Type"
    assert (told["op_type"], told["module_name"], told["func_name"]) == ("Type", "my_ops", "function")
    assert told["inputs"] == [{"name": "x", "kind": 0}, {"name": "bias", "kind": 1}, {"name": "rest", "kind": 2}]
    assert told["outputs"] == [{"name": "x", "kind": 0}, {"name": "output1", "kind": 1}]
    defaults = [attr["default"] for attr in told["attrs"]]
    assert defaults == [None, 0.5, True, "", 0, None, [1], [0.5], [False], ["s"], [12], [[1, 2], []]]
    assert told["attrs"][0] == {"name": "a", "type": "VT_INT", "is_required": True, "default": None}
    assert all(type(kind["kind"]) is int for kind in told["inputs"] + told["outputs"])


def test_an_operator_may_have_nothing_at_all():
    descriptor = declared("", "None")
    assert descriptor.inputs == descriptor.attrs == descriptor.outputs == ()


def test_the_decorator_gives_the_function_back_and_is_public():
    plain = function("x: TensorDesc")
    assert register_op(op_type="Type")(plain) is plain
    assert "register_op" in ge.custom_op.__all__ and ge.custom_op.register_op is proto.register_op
    assert proto.get_registered_op_protos()[0].infer_func is plain


def test_positional_only_inputs_and_annotations_as_text_count_too():
    descriptor = declared("x: 'TensorDesc', /, y: 'List[TensorDesc]', *, a: 'list[int]' = [1]", "'None'")
    assert [i.kind for i in descriptor.inputs] == [InputType.REQUIRED, InputType.DYNAMIC]
    assert descriptor.attrs[0].type == AttrType.LIST_INT


@pytest.mark.skipif(sys.version_info < (3, 10), reason="X | None is an expression from 3.10 on")
def test_an_optional_input_may_be_written_with_a_bar():
    assert declared("x: TensorDesc | None").inputs[0].kind == InputType.OPTIONAL


@pytest.mark.parametrize("op_type", [None, "", 1])
def test_an_op_type_is_a_text(op_type):
    with pytest.raises(TypeError, match="register_op op_type must be a non-empty string") as caught:
        register_op(op_type=op_type)
    assert repr(op_type) in str(caught.value)


class Methods:
    def method(self, x: TensorDesc) -> TensorDesc: ...


@pytest.mark.parametrize("thing", [len, Methods, Methods().method, 3], ids=["builtin", "class", "bound", "number"])
def test_only_functions_are_decorated(thing):
    with pytest.raises(TypeError, match="register_op op_type 'Type' failed: register_op expects a Python function"):
        register_op(op_type="Type")(thing)
    assert proto.get_registered_op_protos() == []


def test_descriptors_keep_no_list_of_their_maker():
    nested, inputs = [[1], [2]], [OpInput("x", 0, InputType.REQUIRED)]
    attr = OpAttr("a", 0, AttrType.LIST_LIST_INT, False, nested)
    descriptor = OpProtoDescriptor("k", "T", "m", "f", inputs, [attr], [], len)
    nested[0].append(9)
    inputs.clear()
    assert attr.default == ((1,), (2,))
    assert descriptor.inputs == (OpInput("x", 0, InputType.REQUIRED),) and descriptor.attrs == (attr,)
    assert "infer_func" not in repr(descriptor)


@pytest.mark.parametrize(
    "parameters, names, mutates_args",
    [
        ("output0: TensorDesc, state: TensorDesc", ["output0_1", "output1", "state"], [("state", 2)]),
        ("output0: TensorDesc, output0_1: TensorDesc", ["output0_2", "output1", "output2"], ()),
        ("a: TensorDesc, output1: TensorDesc", ["output0", "output1_1", "a"], (["a", 2],)),
        ("a: TensorDesc, output2: TensorDesc", ["output2", "a", "output2_1"], ("output2", "a")),
        ("*, output0: int", ["output0", "output1", "output2"], []),
    ],
)
def test_outputs_have_the_name_of_their_input_or_one_that_is_free(parameters, names, mutates_args):
    descriptor = declared(parameters, "Tuple[TensorDesc, TensorDesc, TensorDesc]", mutates_args)
    assert [o.name for o in descriptor.outputs] == names


# ---- what it refuses -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "annotation, default",
    [
        ("int", "True"),
        ("int", "1.0"),
        ("int", "DataType.DT_FLOAT"),
        ("int", "None"),
        ("float", "1"),
        ("float", "'1'"),
        ("bool", "1"),
        ("bool", "None"),
        ("str", "b's'"),
        ("DataType", "0"),
        ("DataType", "Format.FORMAT_ND"),
        ("DataType", "DataType.DT_MAX"),
        ("Optional[int]", "None"),
        ("List[int]", "(1,)"),
        ("List[int]", "[True]"),
        ("List[int]", "[1, 2.0]"),
        ("List[float]", "[1]"),
        ("List[bool]", "[1]"),
        ("List[str]", "'text'"),
        ("List[DataType]", "[DataType.DT_MAX]"),
        ("List[DataType]", "[1]"),
        ("List[List[int]]", "[1]"),
        ("List[List[int]]", "[(1,)]"),
        ("List[List[int]]", "[[True]]"),
    ],
)
def test_a_default_has_exactly_the_type_of_its_annotation(annotation, default):
    with pytest.raises(TypeError, match="failed: default value for attr 'a' must be exactly"):
        declared(f"*, a: {annotation} = {default}")


@pytest.mark.parametrize(
    "annotation, default",
    [
        ("int", "2**63"),
        ("List[List[int]]", "[[-2**63 - 1]]"),
        ("float", "1e39"),
        ("List[float]", "[-3.5e38]"),
        ("str", "'a\\0b'"),
        ("List[str]", "['\\udc80']"),
    ],
)
def test_a_default_fits_the_ir(annotation, default):
    with pytest.raises(ValueError, match="failed: default value for attr 'a' must"):
        declared(f"*, a: {annotation} = {default}")


def test_the_ends_of_the_ranges_are_defaults():
    inf = float("inf")
    NAMES["inf"] = inf
    attrs = declared("*, a: List[int] = [-2**63, 2**63 - 1], b: List[float] = [inf, -inf, 3.4028234663852886e38]").attrs
    assert attrs[0].default == (-(2**63), 2**63 - 1) and attrs[1].default == (inf, -inf, 3.4028234663852886e38)
    undefined = declared("*, a: DataType = DataType.DT_UNDEFINED", op_type="Other").attrs[0]
    assert undefined.default is DataType.DT_UNDEFINED


@pytest.mark.parametrize("default", ["None", "3"])
def test_a_tensor_attribute_has_no_default(default):
    with pytest.raises(TypeError, match="Tensor attr 'a' does not support a default"):
        declared(f"*, a: Tensor = {default}")


@pytest.mark.parametrize(
    "parameters, returns, text",
    [
        ("x", "TensorDesc", "input 'x' must have a type annotation"),
        ("x: int", "TensorDesc", "unsupported input annotation for 'x'.*found int"),
        ("x: Tensor", "TensorDesc", "unsupported input annotation for 'x'"),
        ("x: List[Optional[TensorDesc]]", "TensorDesc", "unsupported input annotation for 'x'"),
        ("x: TensorDesc = None", "TensorDesc", "input 'x' must not have a default value"),
        ("*, a", "TensorDesc", "attr 'a' must have a type annotation"),
        ("*, a: TensorDesc", "TensorDesc", "unsupported attr annotation for 'a'"),
        ("*, a: Optional[int] = 3", "TensorDesc", "unsupported attr annotation for 'a'"),
        ("*, a: List[Tensor]", "TensorDesc", "unsupported attr annotation for 'a'"),
        ("*, a: List[List[float]]", "TensorDesc", "unsupported attr annotation for 'a'"),
        ("*, a: list", "TensorDesc", "unsupported attr annotation for 'a'"),
        ("*xs: TensorDesc", "TensorDesc", "does not support variadic parameter 'xs'"),
        ("**attrs: int", "TensorDesc", "does not support variadic parameter 'attrs'"),
        ("x: TensorDesc", "", "return type annotation is required"),
        ("x: TensorDesc", "Optional[TensorDesc]", "unsupported return annotation"),
        ("x: TensorDesc", "int", "unsupported return annotation"),
        ("x: TensorDesc", "tuple", "unsupported return annotation"),
        ("x: TensorDesc", "Tuple", "unsupported return annotation"),
        ("x: TensorDesc", "Tuple[()]", "unsupported return annotation"),
        ("x: TensorDesc", "Tuple[TensorDesc, ...]", "unsupported return annotation"),
        ("x: TensorDesc", "Tuple[TensorDesc, int]", "unsupported return annotation at output index 1"),
        ("x: TensorDesc", "Tuple[List[List[TensorDesc]]]", "unsupported return annotation at output index 0"),
        ("x: 'NoSuchName'", "TensorDesc", "annotations of 'function' cannot be evaluated.*NoSuchName"),
    ],
)
def test_what_is_no_prototype_is_named(parameters, returns, text):
    with pytest.raises(TypeError, match=f"register_op op_type 'Type' failed: .*{text}") as caught:
        declared(parameters, returns)
    assert isinstance(caught.value.__cause__, TypeError)
    assert proto.get_registered_op_protos() == []


def test_other_exceptions_of_an_annotation_go_through():
    with pytest.raises(AttributeError, match="Missing"):
        declared("x: 'DataType.Missing'")


TWO = "Tuple[TensorDesc, TensorDesc]"


@pytest.mark.parametrize(
    "mutates_args, error",
    [
        ("x", TypeError),
        (None, TypeError),
        ({"x"}, TypeError),
        ({"x": 0}, TypeError),
        (iter(["x"]), TypeError),
        (["x", ("y", 1)], TypeError),
        ([3], TypeError),
        ([("x",)], TypeError),
        ([("x", 0, 1)], TypeError),
        ([("x", True)], TypeError),
        ([("x", 0.0)], TypeError),
        ([(0, "x")], TypeError),
        (["x", "y", "z"], ValueError),
        ([("x", 2)], ValueError),
        ([("x", -1)], ValueError),
        ([("x", 0), ("y", 0)], ValueError),
        ([("x", 0), ("x", 1)], ValueError),
        (["x", "x"], ValueError),
        (["a"], ValueError),
        (["nothing"], ValueError),
    ],
)
def test_mutates_args_that_do_not_fit_are_refused(mutates_args, error):
    with pytest.raises(error, match="failed: .*mutates_args"):
        declared("x: TensorDesc, y: TensorDesc, z: TensorDesc, *, a: int", TWO, mutates_args)


@settings(max_examples=150, deadline=None)
@given(data=st.data(), inputs=st.integers(0, 4), outputs=st.integers(0, 4), explicit=st.booleans())
def test_a_binding_holds_exactly_where_the_rules_allow_it(data, inputs, outputs, explicit):
    """Against the rules written as a predicate."""
    names = [f"x{i}" for i in range(inputs)]
    one_name = st.sampled_from([*names, "nothing"])
    if explicit:
        entries: List[Any] = data.draw(st.lists(st.tuples(one_name, st.integers(-1, outputs)), max_size=4))
        pairs = entries
    else:
        entries = data.draw(st.lists(one_name, max_size=4))
        pairs = [(name, i) for i, name in enumerate(entries)]
    allowed = (
        all(name in names and 0 <= index < outputs for name, index in pairs)
        and len({name for name, _ in pairs}) == len(pairs) == len({index for _, index in pairs})
    )
    parameters = ", ".join(f"{name}: TensorDesc" for name in names)
    returns = f"Tuple[{', '.join(['TensorDesc'] * outputs)}]" if outputs else "None"
    proto.clear_registered_op_protos()
    mutates_args = data.draw(st.sampled_from([list, tuple]))(entries)
    if not allowed:
        with pytest.raises(ValueError, match="mutates_args"):
            declared(parameters, returns, mutates_args)
        return
    found = [output.name for output in declared(parameters, returns, mutates_args).outputs]
    assert len(set(found)) == outputs
    assert {i: name for i, name in enumerate(found) if name in names} == {index: name for name, index in pairs}


ANNOTATIONS = {
    "int": st.integers(-(2**63), 2**63 - 1),
    "float": st.floats(width=32),
    "bool": st.booleans(),
    "str": st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=4),
    "DataType": st.sampled_from([d for d in DataType if d is not DataType.DT_MAX]),
}


@st.composite
def annotated(draw):
    """An annotation, a value of it, and the type in the IR."""
    name = draw(st.sampled_from(sorted(ANNOTATIONS)))
    words = {"int": "INT", "float": "FLOAT", "bool": "BOOL", "str": "STRING", "DataType": "DATA_TYPE"}
    value = draw(ANNOTATIONS[name])
    depth = draw(st.integers(0, 2 if name == "int" else 1))
    text, word = name, words[name]
    for _ in range(depth):
        text, word = f"{draw(st.sampled_from(['List', 'list']))}[{text}]", f"LIST_{word}"
        value = [value] * draw(st.integers(0, 2))
    return text, value, getattr(AttrType, word)


@settings(max_examples=100, deadline=None)
@given(item=annotated(), other=annotated())
def test_a_value_is_a_default_of_its_own_annotation_alone(item, other):
    text, value, kind = item
    proto.clear_registered_op_protos()
    NAMES["value"] = value
    attr = declared(f"*, a: {text} = value").attrs[0]
    assert attr.type == kind and not attr.is_required
    told = proto.get_registered_op_proto_dicts()[0]["attrs"][0]["default"]
    assert type(told) is type(value) and (told == value or str(told) == str(value))
    proto.clear_registered_op_protos()
    # An empty list is one of any type.
    if other[2] != kind and not (value == [] and isinstance(other[1], list)) and not (value == [[]] and "LIST_LIST" in other[2]):
        with pytest.raises(TypeError, match="default value for attr 'a'"):
            declared(f"*, a: {other[0]} = value")


# ---- registry ------------------------------------------------------------------------------------


@pytest.mark.parametrize("default", ["1.5", "nan"])
def test_the_same_declaration_twice_is_one(default):
    first = function(f"x: TensorDesc, *, a: float = {default}, b: List[float] = [{default}]")
    second = function(f"x: TensorDesc, *, a: float = {default}, b: List[float] = [{default}]")
    register_op(op_type="Type")(first)
    assert register_op(op_type="Type")(second) is second
    (known,) = proto.get_registered_op_protos()
    assert known.infer_func is first
    assert first.__ge_op_proto_descriptor__ is second.__ge_op_proto_descriptor__ is known


@pytest.mark.parametrize("first, second", [(1, True), (1, 1.0), ((1,), (1, 1)), ((1,), (True,)), (math.nan, 0.0), ("a", "b")])
def test_values_are_compared_exactly(first, second):
    assert same(first, first) and same(second, second)
    assert not same(first, second) and not same(second, first)
    assert same((math.nan, (math.nan,)), (math.nan, (float("nan"),)))


def test_a_changed_declaration_is_refused_with_both_sources():
    declared("x: TensorDesc, *, a: int = 1")
    for changed in "x: TensorDesc, *, a: int = 2", "x: TensorDesc, *, a: bool = True", "y: TensorDesc, *, a: int = 1":
        with pytest.raises(ValueError, match="descriptor content changed") as caught:
            declared(changed)
        source = "source: module_name.func_name 'my_ops.function', descriptor_key 'my_ops:function:Type'"
        assert f"existing {source}" in str(caught.value) and f"current {source}" in str(caught.value)


def test_another_source_for_an_op_type_is_refused_with_both():
    declared("x: TensorDesc")
    with pytest.raises(ValueError, match="failed: op type 'Type' already registered") as caught:
        register_op(op_type="Type")(function("x: TensorDesc", name="other"))
    assert "existing source: module_name.func_name 'my_ops.function'" in str(caught.value)
    assert "current source: module_name.func_name 'my_ops.other', descriptor_key 'my_ops:other:Type'" in str(caught.value)
    assert len(proto.get_registered_op_protos()) == 1


def test_a_function_may_declare_several_op_types():
    shared = function("x: TensorDesc")
    for op_type in "Second", "First":
        register_op(op_type=op_type)(shared)
    assert [d.op_type for d in proto.get_registered_op_protos()] == ["First", "Second"]
    assert shared.__ge_op_proto_descriptor__.op_type == "First"


def test_the_plain_form_is_a_copy_each_time():
    key = declared("x: TensorDesc, *, a: List[List[int]] = [[1]]").descriptor_key
    for told in proto.get_registered_op_proto_dicts(), bootstrap.get_registered_op_protos():
        assert told[0]["attrs"][0]["default"] == [[1]]
        told[0]["attrs"][0]["default"][0].append(2)
        told[0]["inputs"].clear()
    assert proto.get_registered_op_proto_by_descriptor_key(key).attrs[0].default == ((1,),)
    assert proto.get_registered_op_proto_by_descriptor_key("nothing") is None
    proto.clear_registered_op_protos()
    assert proto.get_registered_op_protos() == []
