"""register_op_impl: what can be registered, and what is known of it."""

from __future__ import annotations

import dataclasses
import subprocess
import sys

import ge.custom_op
import pytest
from ge.custom_op import EagerExecuteOp, get_execute_ctx, register_op_impl
from ge.custom_op import registry as impls

pytestmark = pytest.mark.usefixtures("ops")


class Eager:
    def execute(self, x, *, factor):
        return (x, factor)


def registered(cls, op_type="Type"):
    return register_op_impl(op_type=op_type)(cls).__ge_op_impl_descriptor__


def test_the_public_names_are_there_in_their_order():
    assert ge.custom_op.__all__ == [
        "BaseCustomOp",
        "AnnotatedArgsContext",
        "AnnotatedKernelArgs",
        "AnnotatedKernelLaunchInfo",
        "EagerExecuteOp",
        "EagerOpExecutionContext",
        "WorkspaceAddr",
        "clear_registered_op_impls",
        "get_declare_launch_args_ctx",
        "get_execute_ctx",
        "get_registered_op_impl_by_descriptor_key",
        "get_registered_op_impl_dicts",
        "get_registered_op_impls",
        "register_op",
        "register_op_impl",
    ]
    assert all(getattr(ge.custom_op, name).__name__ == name for name in ge.custom_op.__all__)
    assert dir(ge.custom_op) == sorted(dir(ge.custom_op)) and set(ge.custom_op.__all__) <= set(dir(ge.custom_op))
    with pytest.raises(AttributeError, match="module 'ge.custom_op' has no attribute 'nothing'"):
        ge.custom_op.nothing


def test_registering_an_implementation_loads_no_native_code():
    code = (
        "import sys, ge.custom_op, ge.onnx_plugin\n"
        "from ge.custom_op import EagerExecuteOp, get_execute_ctx, register_op_impl\n"
        "from ge.onnx_plugin import onnx_plugin\n"
        "@register_op_impl(op_type='T')\n"
        "class T(EagerExecuteOp):\n"
        "    def execute(self, ctx): ...\n"
        "onnx_plugin(source='A', domain='ai.onnx', opsets=[1], target='A').parse_node(lambda node, target: None)\n"
        "print([n for n in sys.modules if 'native' in n.rpartition('.')[2] and 'loader' not in n])\n"
    )
    done = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_class_is_described_by_its_methods():
    descriptor = registered(Eager)
    assert descriptor.to_bridge_dict() == {
        "descriptor_key": f"{__name__}:Eager:Type",
        "op_type": "Type",
        "module_name": __name__,
        "class_name": "Eager",
        "interfaces": ["eager_execute"],
    }
    assert impls.get_registered_op_impl_dicts() == [descriptor.to_bridge_dict()]
    assert impls.get_registered_op_impls() == [descriptor]
    assert impls.get_registered_op_impl_by_descriptor_key(descriptor.descriptor_key) is descriptor
    assert impls.get_registered_op_impl_by_descriptor_key("nothing") is None
    with pytest.raises(dataclasses.FrozenInstanceError):
        descriptor.op_type = "Other"


def test_the_plain_form_of_a_descriptor_is_a_copy():
    registered(Eager).to_bridge_dict()["interfaces"].append("more")
    assert impls.get_registered_op_impl_dicts()[0]["interfaces"] == ["eager_execute"]


def test_a_registered_class_is_the_class_it_was():
    @register_op_impl(op_type="Type")
    class Kept(EagerExecuteOp):
        def execute(self, x, *, factor):
            return (x, factor)

    assert Kept().execute(1, factor=2) == (1, 2)

    @register_op_impl(op_type="Other")
    class WithContext:
        def execute(self, ctx):
            ctx.append("seen")

    seen = []
    assert WithContext().execute(seen) is None and seen == ["seen"]


def test_the_context_is_there_in_a_callback_only():
    with pytest.raises(RuntimeError, match=r"get_execute_ctx\(\) is only available inside schema-bound execute"):
        get_execute_ctx()


@pytest.mark.parametrize("op_type", ["", None, 3, b"Type"])
def test_an_op_type_is_a_text(op_type):
    with pytest.raises(TypeError, match="non-empty string") as caught:
        register_op_impl(op_type=op_type)
    assert repr(op_type) in str(caught.value)


def test_only_concrete_classes_with_a_method_are_registered():
    decorate = register_op_impl(op_type="Type")
    with pytest.raises(TypeError, match="register_op_impl expects a class"):
        decorate(lambda ctx: None)
    with pytest.raises(TypeError, match="register_op_impl expects a concrete class.*execute"):
        decorate(EagerExecuteOp)

    class Nothing:
        execute = "no method"

    with pytest.raises(TypeError, match="Nothing' must implement at least one supported method: execute, declare_launch_args"):
        decorate(Nothing)
    assert impls.get_registered_op_impls() == []


class Inherited(Eager):
    pass


class Static:
    @staticmethod
    def execute(x): ...


class OfClass:
    @classmethod
    def execute(cls, x): ...


class Callable:
    class Run:
        def __call__(self, x): ...

    execute = Run()


@pytest.mark.parametrize("cls", [Inherited, Static, OfClass, Callable], ids=lambda c: c.__name__)
def test_whatever_can_be_called_is_a_method(cls):
    assert registered(cls).interfaces == ["eager_execute"]


def test_an_op_type_has_one_implementation():
    registered(Eager)
    with pytest.raises(ValueError, match="descriptor_key already exists"):
        registered(Eager)
    with pytest.raises(ValueError, match="op impl type already exists.*Eager"):
        registered(Inherited)
    assert [d.class_name for d in impls.get_registered_op_impls()] == ["Eager"]


def test_a_class_may_implement_several_op_types():
    registered(Eager, "First")
    assert registered(Eager, "Second").op_type == "Second"
    assert Eager.__ge_op_impl_descriptor__.op_type == "Second"
    assert [d.op_type for d in impls.get_registered_op_impls()] == ["First", "Second"]


def test_clearing_forgets_all():
    registered(Eager)
    impls.clear_registered_op_impls()
    assert impls.get_registered_op_impls() == []
    registered(Eager)
