"""declare_launch_args: what makes an implementation declare its launches, and how it is called."""

from __future__ import annotations

import contextvars

import pytest
from _fake_contexts import FakeAnnotatedContext, ir
from ge.custom_op import (
    AnnotatedArgsContext,
    AnnotatedKernelArgs,
    AnnotatedKernelLaunchInfo,
    EagerExecuteOp,
    WorkspaceAddr,
    get_declare_launch_args_ctx,
    register_op_impl,
)
from ge.custom_op._artifact_utils import BRIDGE_ABI_VERSION
from ge.custom_op.context import _declare_launch_args_ctx_scope

IR = ir("Type", "rod", "rd", alpha="VT_INT")


class Plain:
    def declare_launch_args(self, x, bias, rest, y, parts, *, alpha) -> None: ...


class Both(Plain):
    def execute(self, ctx): ...


class BothWithBase(EagerExecuteOp):
    def declare_launch_args(self, x) -> None: ...

    def execute(self, ctx): ...


class NoMethod:
    declare_launch_args = 7


class NoMethodBesideExecute:
    declare_launch_args = 7

    def execute(self, ctx): ...


@pytest.fixture
def declare(ops):
    """declare(cls) -> the descriptor key, with an instance known as "id"."""

    def register(cls):
        key = register_op_impl(op_type="Type")(cls).__ge_op_impl_descriptor__.descriptor_key
        assert ops.create_op_impl_holder("id", key) is True
        return key

    return register


@pytest.mark.parametrize(
    "cls, interfaces",
    [
        (Plain, ["annotated_args"]),
        (Both, ["eager_execute", "annotated_args"]),
        (BothWithBase, ["eager_execute", "annotated_args"]),
        (NoMethodBesideExecute, ["eager_execute"]),
    ],
)
def test_methods_are_interfaces_in_a_fixed_order(ops, cls, interfaces):
    assert register_op_impl(op_type="Type")(cls).__ge_op_impl_descriptor__.interfaces == interfaces


def test_an_attribute_of_that_name_is_no_method(ops):
    with pytest.raises(TypeError, match="must implement at least one supported method"):
        register_op_impl(op_type="Type")(NoMethod)


def test_the_context_is_there_in_a_callback_only():
    with pytest.raises(RuntimeError, match="only available inside declare_launch_args"):
        get_declare_launch_args_ctx()


def test_scopes_nest_and_close():
    def nothing_there(where):
        with pytest.raises(RuntimeError):
            where.run(get_declare_launch_args_ctx)

    with _declare_launch_args_ctx_scope("outer"):
        outer = contextvars.copy_context()
        with pytest.raises(KeyError), _declare_launch_args_ctx_scope("inner"):
            assert get_declare_launch_args_ctx() == "inner"
            inner = contextvars.copy_context()
            raise KeyError
        assert get_declare_launch_args_ctx() == "outer"
        nothing_there(inner)
        assert outer.run(get_declare_launch_args_ctx) == "outer"
    nothing_there(outer)
    with pytest.raises(RuntimeError):
        get_declare_launch_args_ctx()


def test_inputs_outputs_and_attributes_are_bound_in_their_order(ops, declare):
    class Bound:
        def declare_launch_args(self, *arguments, **attrs) -> None:
            Bound.seen = (arguments, attrs, get_declare_launch_args_ctx())

    declare(Bound)
    ctx = FakeAnnotatedContext(attrs=[5], absent=[1], counts={("input", 2): 2, ("output", 1): 1})
    assert ops.call_declare_launch_args("id", IR, ctx) is None
    assert Bound.seen == (("input0", None, ["input2.0", "input2.1"], "output0", ["output1.0"]), {"alpha": 5}, ctx)
    assert ctx.calls == [
        ("get_required_input_tensor", 0),
        ("get_optional_input_tensor", 1),
        ("get_dynamic_input_num", 2),
        ("get_dynamic_input_tensor", 2, 0),
        ("get_dynamic_input_tensor", 2, 1),
        ("get_required_output_tensor", 0),
        ("get_dynamic_output_num", 1),
        ("get_dynamic_output_tensor", 1, 0),
        ("get_attrs",),
        ("get_int", 0),
    ]
    assert ctx.invalidated == 1
    with pytest.raises(RuntimeError):
        get_declare_launch_args_ctx()


def test_signatures_are_checked_at_load_only(ops, declare, monkeypatch):
    def fail(*arguments, **more):
        raise AssertionError("checked again")

    class Short:
        def declare_launch_args(self, *, wrong=0): ...

    declare(Short)
    monkeypatch.setattr(ops, "_validate_args_signature", fail)
    ops.call_declare_launch_args("id", ir("Type"), FakeAnnotatedContext())


def test_without_an_ir_nothing_can_be_bound(ops, declare):
    key = declare(Plain)
    with pytest.raises(RuntimeError, match="canonical IR not found for schema-bound declare_launch_args.*Type"):
        ops.validate_op_impl_descriptor(key, None)
    ctx = FakeAnnotatedContext()
    with pytest.raises(RuntimeError, match="canonical IR not found.*Type"):
        ops.call_declare_launch_args("id", None, ctx)
    assert ctx.invalidated == 1 and ctx.calls == []


def test_the_method_returns_nothing(ops, declare):
    class Gives:
        def declare_launch_args(self):
            return True

    declare(Gives)
    ctx = FakeAnnotatedContext()
    with pytest.raises(TypeError, match="declare_launch_args must return None.*Type.*bool"):
        ops.call_declare_launch_args("id", ir("Type"), ctx)
    assert ctx.invalidated == 1


def test_an_implementation_without_the_method_is_refused(ops, declare):
    class Eager:
        def execute(self, ctx): ...

    declare(Eager)
    ctx = FakeAnnotatedContext()
    with pytest.raises(TypeError, match="'Eager' does not implement callable declare_launch_args"):
        ops.call_declare_launch_args("id", ir("Type"), ctx)
    with pytest.raises(KeyError, match="holder is not created"):
        ops.call_declare_launch_args("other", ir("Type"), ctx)
    assert ctx.invalidated == 2


def test_the_abi_of_the_bridge():
    assert BRIDGE_ABI_VERSION == 1


@pytest.mark.parametrize("cls", [AnnotatedArgsContext, AnnotatedKernelArgs, WorkspaceAddr])
def test_what_a_callback_is_lent_cannot_be_made(cls):
    with pytest.raises(TypeError):
        cls()


def test_the_context_has_the_readers_that_are_bound_and_none_for_attributes():
    for name in (
        "required_input_tensor optional_input_tensor dynamic_input_num dynamic_input_tensor required_output_tensor "
        "dynamic_output_num dynamic_output_tensor attrs"
    ).split():
        assert hasattr(AnnotatedArgsContext, f"_get_{name}")
    assert not hasattr(AnnotatedArgsContext, "get_attrs") and hasattr(AnnotatedArgsContext, "_invalidate")


def test_a_launch_is_described_by_keyword():
    whole = {"kernel_name": "add", "kernel_bin": b"elf", "block_dim": 8, "stream_id": 0}
    AnnotatedKernelLaunchInfo(**whole)
    for name, nothing in ("kernel_name", ""), ("kernel_bin", b""), ("block_dim", 0):
        with pytest.raises(ValueError, match=name):
            AnnotatedKernelLaunchInfo(**{**whole, name: nothing})
    with pytest.raises(TypeError):
        AnnotatedKernelLaunchInfo("add", b"elf", 8, 0)
