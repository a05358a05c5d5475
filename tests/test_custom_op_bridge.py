"""What the native bridge calls: instances, execute with arguments from the IR, inference, errors."""

from __future__ import annotations

import contextvars
import functools
import typing
from typing import List, Optional, Tuple

import pytest
from _fake_contexts import FakeContext, ir
from ge.custom_op import get_execute_ctx, register_op, register_op_impl
from ge.custom_op._ir_types import AttrType
from ge.graph import DataType
from ge.runtime import TensorDesc

NOTHING = ir("Type")


@pytest.fixture
def holder(ops):
    """holder(cls) makes an instance known as "id" and gives the descriptor key."""

    def make(cls, instance_id="id", op_type="Type"):
        key = register_op_impl(op_type=op_type)(cls).__ge_op_impl_descriptor__.descriptor_key
        assert ops.create_op_impl_holder(instance_id, key) is True
        return key

    return make


def desc(op_type="Type"):
    """A function to register as a prototype that must not be called."""

    @register_op(op_type=op_type)
    def function(x: TensorDesc) -> TensorDesc:
        raise AssertionError("executed")

    return function


# ---- descriptors and instances -------------------------------------------------------------------


def test_prototypes_and_implementations_are_told_together(ops):
    function = desc()

    @register_op_impl(op_type="Type")
    class Impl:
        def execute(self, ctx): ...

    told = ops.load_and_get_op_descriptors()
    assert told == {
        "protos": [function.__ge_op_proto_descriptor__.to_bridge_dict()],
        "impls": [Impl.__ge_op_impl_descriptor__.to_bridge_dict()],
    }
    assert ops.load_and_get_op_impl_descriptors() == told["impls"]


def test_a_prototype_needs_no_implementation(ops):
    desc()
    told = ops.load_and_get_op_descriptors()
    assert len(told["protos"]) == 1 and told["impls"] == []


def test_an_instance_is_made_once_for_an_id(ops):
    made = []

    @register_op_impl(op_type="Type")
    class Impl:
        def __init__(self):
            made.append(self)

        def execute(self, ctx): ...

    key = Impl.__ge_op_impl_descriptor__.descriptor_key
    assert ops.create_op_impl_holder("id", key) is True and ops.create_op_impl_holder("id", key) is True
    assert len(made) == 1 and ops._get_eager_execute_op("id") is made[0]
    assert ops._OP_IMPL_HOLDERS["id"].descriptor_key == key
    assert ops.create_op_impl_holder("other", key) is True and len(made) == 2
    assert ops.destroy_op_impl_holder("id") is True and ops.destroy_op_impl_holder("id") is False
    ops.clear_op_impl_holders()
    assert ops.destroy_op_impl_holder("other") is False


def test_unknown_keys_and_ids_are_refused(ops):
    with pytest.raises(KeyError, match="descriptor_key not found"):
        ops.create_op_impl_holder("id", "nothing")
    with pytest.raises(KeyError, match="descriptor_key not found"):
        ops.validate_op_impl_descriptor("nothing", NOTHING)
    ctx = FakeContext()
    with pytest.raises(KeyError, match="holder is not created"):
        ops.call_execute("id", NOTHING, ctx)
    assert ctx.invalidated == 1


def test_a_constructor_that_raises_leaves_no_instance(ops):
    @register_op_impl(op_type="Type")
    class Impl:
        def __init__(self):
            raise OSError("no device")

        def execute(self, ctx): ...

    with pytest.raises(OSError, match="no device"):
        ops.create_op_impl_holder("id", Impl.__ge_op_impl_descriptor__.descriptor_key)
    assert ops.destroy_op_impl_holder("id") is False


def test_an_instance_without_the_method_is_refused(ops):
    class Instance:
        execute = None

    ops._OP_IMPL_HOLDERS["id"] = ops._OpImplHolder("m:Instance:Type", "id", Instance())
    ctx = FakeContext()
    with pytest.raises(TypeError, match="does not implement callable execute"):
        ops._get_eager_execute_op("id")
    with pytest.raises(TypeError, match="does not implement callable execute"):
        ops.call_execute("id", NOTHING, ctx)
    assert ctx.invalidated == 1


# ---- execute -------------------------------------------------------------------------------------


def test_execute_may_take_the_context_itself(ops, holder):
    seen = []

    class Impl:
        def execute(self, ctx, /):
            seen.append(ctx)
            with pytest.raises(RuntimeError):
                get_execute_ctx()
            return True

    holder(Impl)
    ctx = FakeContext()
    assert ops.call_execute("id", None, ctx) is None
    assert ops.call_execute("id", ir("Type", "r", alpha="VT_INT"), ctx) is None
    assert seen == [ctx, ctx] and ctx.calls == [] and ctx.invalidated == 2
    assert ops.destroy_op_impl_holder("id") is True


@pytest.mark.parametrize("wrap", [staticmethod, classmethod, lambda function: function], ids=["static", "class", "plain"])
def test_inputs_and_attributes_are_bound_in_their_order(ops, holder, wrap):
    seen = []

    def execute(*arguments, **attrs):
        seen.append((arguments, attrs))

    cls = type("Impl", (), {"execute": wrap(execute)})
    holder(cls)
    meta = ir("Type", "rod", "r", alpha=AttrType.FLOAT, axes=AttrType.LIST_INT)
    ctx = FakeContext(attrs=[0.5, [1, 2]], absent=[1], counts={("input", 2): 2})
    assert ops.call_execute("id", meta, ctx) is None
    ((arguments, attrs),) = seen
    assert arguments[-3:] == ("input0", None, ["input2.0", "input2.1"])
    assert len(arguments) == (3 if wrap is staticmethod else 4)
    assert attrs == {"alpha": 0.5, "axes": [1, 2]}
    assert ctx.calls == [
        ("get_required_input_tensor", 0),
        ("get_optional_input_tensor", 1),
        ("get_dynamic_input_num", 2),
        ("get_dynamic_input_tensor", 2, 0),
        ("get_dynamic_input_tensor", 2, 1),
        ("get_attrs",),
        ("get_float", 0),
        ("get_list_int", 1),
    ]
    assert ctx.invalidated == 1


def test_the_return_annotation_means_nothing(ops, holder):
    class Impl:
        def execute(self, x) -> "no_such_name": ...  # noqa: F821

    key = holder(Impl)
    assert ops.validate_op_impl_descriptor(key, ir("Type", "r", "rdr")) is True
    ops.call_execute("id", ir("Type", "r", "rdr"), FakeContext())


def test_signatures_are_checked_at_load_only(ops, holder, monkeypatch):
    def fail(*arguments, **more):
        raise AssertionError("checked again")

    class Impl:
        def execute(self, *, wrong=0): ...

    holder(Impl)
    monkeypatch.setattr(ops, "_validate_args_signature", fail)
    ops.call_execute("id", NOTHING, FakeContext())


def test_the_context_is_there_inside_alone(ops, holder):
    class Impl:
        def execute(self):
            assert get_execute_ctx() is ctx and get_execute_ctx().get_stream() == 7

    holder(Impl)
    ctx = FakeContext(stream=7)
    ops.call_execute("id", NOTHING, ctx)
    assert ctx.calls == [] and ctx.invalidated == 1
    with pytest.raises(RuntimeError):
        get_execute_ctx()


def test_the_form_is_that_of_the_method_at_the_call(ops, holder):
    seen = []

    class Impl:
        def execute(self, ctx):
            seen.append(("context", ctx))

    def with_input(self, x):
        seen.append(("input", x))

    holder(Impl)
    first, second, third = FakeContext(), FakeContext(), FakeContext()
    ops.call_execute("id", ir("Type", "r"), first)
    Impl.execute = with_input
    ops.call_execute("id", ir("Type", "r"), second)
    ops._get_eager_execute_op("id").execute = lambda ctx: seen.append(("instance", ctx))
    ops.call_execute("id", ir("Type", "r"), third)
    assert seen == [("context", first), ("input", "input0"), ("instance", third)]


def test_one_function_may_be_static_and_then_a_method(ops, holder):
    seen = []

    def execute(ctx):
        seen.append(ctx)

    class Impl:
        pass

    Impl.execute = staticmethod(execute)
    holder(Impl)
    ctx = FakeContext()
    ops.call_execute("id", NOTHING, ctx)
    Impl.execute = execute
    ops.call_execute("id", NOTHING, FakeContext())
    assert seen[0] is ctx and isinstance(seen[1], Impl)


@pytest.mark.parametrize("parameters, takes_context", [
    ("ctx", True),
    ("ctx=None", True),
    ("ctx: int", True),
    ("context", False),
    ("*ctx", False),
    ("*, ctx=None", False),
    ("ctx, more", False),
    ("", False),
])
def test_only_a_single_parameter_called_ctx_is_the_context(ops, holder, parameters, takes_context):
    space = {}
    exec(f"def execute(self{', ' if parameters else ''}{parameters}): pass", space)
    key = holder(type("Impl", (), {"execute": space["execute"]}))
    if takes_context:
        assert ops.validate_op_impl_descriptor(key, None) is True
    else:
        with pytest.raises(RuntimeError, match="canonical IR not found"):
            ops.validate_op_impl_descriptor(key, None)


def test_wrapped_methods_are_told_apart_though_they_share_their_code(ops, holder):
    def noted(function):
        @functools.wraps(function)
        def call(*arguments, **more):
            seen.append((function.__name__, *arguments[1:]))

        return call

    seen = []

    class First:
        @noted
        def execute(self, ctx): ...

    class Second:
        @noted
        def execute(self, x): ...

    holder(First)
    holder(Second, "second", "Other")
    ctx = FakeContext()
    ops.call_execute("id", ir("Type", "r"), ctx)
    ops.call_execute("second", ir("Other", "r"), FakeContext())
    assert seen == [("execute", ctx), ("execute", "input0")]


def test_an_ir_of_another_operator_is_bound_anew(ops, holder):
    seen = []

    class Impl:
        def execute(self, *inputs):
            seen.append(inputs)

    holder(Impl)
    for meta in ir("Type", "r"), ir("Type", "rr"), ir("Type", "r"):
        ops.call_execute("id", meta, FakeContext())
    assert seen == [("input0",), ("input0", "input1"), ("input0",)]


def test_an_exception_ends_the_context(ops, holder):
    class Impl:
        def execute(self):
            Impl.kept = contextvars.copy_context()
            raise OSError("kernel")

    holder(Impl)
    ctx = FakeContext()
    with pytest.raises(OSError, match="kernel"):
        ops.call_execute("id", NOTHING, ctx)
    assert ctx.invalidated == 1
    with pytest.raises(RuntimeError):
        Impl.kept.run(get_execute_ctx)


def test_a_call_inside_a_call_has_its_own_context(ops, holder):
    contexts = {"outer": FakeContext(), "inner": FakeContext(), "legacy": FakeContext()}

    class Inner:
        def execute(self):
            assert get_execute_ctx() is contexts["inner"]

    class Legacy:
        def execute(self, ctx):
            with pytest.raises(RuntimeError):
                get_execute_ctx()

    class Outer:
        def execute(self):
            ops.call_execute("inner", NOTHING, contexts["inner"])
            ops.call_execute("legacy", NOTHING, contexts["legacy"])
            assert get_execute_ctx() is contexts["outer"]

    holder(Outer, "outer", "Outer")
    holder(Inner, "inner", "Inner")
    holder(Legacy, "legacy", "Legacy")
    ops.call_execute("outer", NOTHING, contexts["outer"])
    assert [ctx.invalidated for ctx in contexts.values()] == [1, 1, 1]


READERS = {
    AttrType.INT: "get_int",
    AttrType.FLOAT: "get_float",
    AttrType.BOOL: "get_bool",
    AttrType.STRING: "get_str",
    AttrType.DATA_TYPE: "get_data_type",
    AttrType.TENSOR: "get_tensor",
    AttrType.LIST_INT: "get_list_int",
    AttrType.LIST_FLOAT: "get_list_float",
    AttrType.LIST_BOOL: "get_list_bool",
    AttrType.LIST_STRING: "get_list_str",
    AttrType.LIST_DATA_TYPE: "get_list_data_type",
    AttrType.LIST_LIST_INT: "get_list_list_int",
}


@pytest.mark.parametrize("ir_type, reader", READERS.items())
def test_every_attribute_type_has_its_reader(ops, ir_type, reader):
    ctx = FakeContext(attrs=[None, None, "value"])
    assert ops._read_runtime_attr(ctx.get_attrs(), 2, ir_type) == "value"
    assert ctx.calls[-1] == (reader, 2)


def test_the_native_classes_have_the_readers_that_are_bound():
    from ge.custom_op._native import EagerOpExecutionContext, RuntimeAttrs

    for name in [*READERS.values(), "get_attr_num"]:
        assert callable(getattr(RuntimeAttrs, name))
    for name in (
        "get_required_input_tensor get_optional_input_tensor get_dynamic_input_num get_dynamic_input_tensor get_attrs "
        "_invalidate"
    ).split():
        assert callable(getattr(EagerOpExecutionContext, name))


def test_unknown_kinds_and_types_are_refused(ops, holder):
    class Impl:
        def execute(self, x, *, a=0): ...

    holder(Impl)
    with pytest.raises(ValueError, match="VT_NOTHING"):
        ops._read_runtime_attr(None, 0, "VT_NOTHING")
    ctx = FakeContext()
    with pytest.raises(ValueError, match="VT_NOTHING"):
        ops.call_execute("id", ir("Type", a="VT_NOTHING"), ctx)
    with pytest.raises(ValueError, match="9"):
        ops.call_execute("id", {**NOTHING, "inputs": [{"name": "x", "kind": 9}]}, ctx)
    assert ctx.invalidated == 2


def test_without_an_ir_nothing_can_be_bound(ops, holder):
    class Impl:
        def execute(self, x): ...

    holder(Impl)
    ctx = FakeContext()
    with pytest.raises(RuntimeError, match="canonical IR not found for schema-bound execute.*'Type'"):
        ops.call_execute("id", None, ctx)
    assert ctx.invalidated == 1


# ---- inference -----------------------------------------------------------------------------------


def infer(ops, function, inputs=(), attrs=None):
    return ops.call_infer_meta(function.__ge_op_proto_descriptor__.descriptor_key, list(inputs), attrs or {})


@pytest.fixture
def tensors():
    return [TensorDesc([n], DataType.DT_FLOAT) for n in range(4)]


def test_the_function_of_a_prototype_describes_the_outputs(ops, tensors):
    a, b, c, d = tensors
    seen = []

    @register_op(op_type="Type")
    def function(
        x: TensorDesc, bias: Optional[TensorDesc], rest: List[TensorDesc], *, axis: int, keep: bool = True
    ) -> Tuple[TensorDesc, List[TensorDesc]]:
        seen.append((x, bias, rest, axis, keep))
        return d, [a, b]

    assert infer(ops, function, [a, None, [b, c]], {"axis": 1, "keep": False}) == [d, [a, b]]
    assert seen == [(a, None, [b, c], 1, False)]


def test_a_single_output_may_come_in_a_tuple(ops, tensors):
    @register_op(op_type="Type")
    def function(x: TensorDesc) -> Tuple[TensorDesc]:
        return (x,)

    assert infer(ops, function, tensors[:1]) == tensors[:1]


def test_an_operator_without_outputs_has_none_described(ops, tensors):
    @register_op(op_type="Type")
    def function(x: TensorDesc) -> None: ...

    assert infer(ops, function, tensors[:1]) == []


@pytest.mark.parametrize("body", ["...", "pass", "'''What it is.'''", "return None"])
def test_a_function_without_a_body_says_nothing(ops, body):
    space = {"TensorDesc": TensorDesc}
    exec(f"def function(x: TensorDesc) -> TensorDesc:\n    {body}", space)
    assert infer(ops, register_op(op_type="Type")(space["function"]), ["x"]) is None


@pytest.mark.parametrize(
    "returns, answer, expected",
    [
        ("TensorDesc", "None if x else 0", "expected one output, found None|expected a TensorDesc.*found None"),
        ("TensorDesc", "3", r"expected a TensorDesc for output 0 \('output0'\), found 'int'"),
        ("TensorDesc", "[x]", "expected a TensorDesc for output 0.*found 'list'"),
        ("TensorDesc", "(x, x)", "expected one output, found a tuple of 2"),
        ("None", "x", "expected None, as there is no output, found 'TensorDesc'"),
        ("List[TensorDesc]", "x", "expected a list of TensorDesc for output 0.*found 'TensorDesc'"),
        ("List[TensorDesc]", "[x, 1]", "expected a list of TensorDesc for output 0.*found 'int' at index 1"),
        ("Tuple[TensorDesc, TensorDesc]", "x", "expected a tuple of 2 outputs, found 'TensorDesc'"),
        ("Tuple[TensorDesc, TensorDesc]", "[x, x]", "expected a tuple of 2 outputs, found 'list'"),
        ("Tuple[TensorDesc, TensorDesc]", "(x, None)", "for output 1.*found None"),
    ],
)
def test_what_does_not_fit_the_outputs_is_refused_whole(ops, tensors, returns, answer, expected):
    space = {**vars(typing), "TensorDesc": TensorDesc, "__name__": "my_ops"}
    exec(f"def function(x: TensorDesc) -> {returns}:\n    return {answer}", space)
    with pytest.raises(TypeError, match=expected) as caught:
        infer(ops, register_op(op_type="Type")(space["function"]), tensors[:1])
    assert "'Type'" in str(caught.value) and "'function' of 'my_ops'" in str(caught.value)


def test_an_exception_of_the_function_goes_on(ops):
    @register_op(op_type="Type")
    def function(x: TensorDesc) -> TensorDesc:
        raise OSError("shape")

    with pytest.raises(OSError, match="shape"):
        infer(ops, function, ["x"])
    with pytest.raises(KeyError, match="descriptor_key not found"):
        ops.call_infer_meta("nothing", [], {})


# ---- errors --------------------------------------------------------------------------------------


def test_an_exception_is_described_from_the_user_s_frame_on(ops, holder):
    class Impl:
        def execute(self):
            raise OSError("kernel\nmore")

    holder(Impl)
    with pytest.raises(OSError) as caught:
        ops.call_execute("id", NOTHING, FakeContext())
    # As the bridge sees it: without the frame of this test.
    message, text = ops.describe_exception(caught.value.with_traceback(caught.value.__traceback__.tb_next))
    assert message == "OSError: kernel"
    assert text.splitlines()[1].endswith("in execute") and "custom_op" + "/_bridge.py" not in text


def test_the_source_of_a_descriptor_is_its_file(ops, holder):
    class Impl:
        def execute(self): ...

    assert ops.source_of(holder(Impl)) == __file__
    assert ops.source_of(desc("Other").__ge_op_proto_descriptor__.descriptor_key) == __file__
    assert ops.source_of("nothing") == ""
