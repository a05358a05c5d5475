"""Methods are checked against the IR once, at load."""

from __future__ import annotations

import functools
import sys
import typing
from typing import Any, Dict, List, Optional

import pytest
from _fake_contexts import ir
from ge.custom_op import register_op_impl
from ge.custom_op._ir_types import AttrType
from ge.graph import DataType
from ge.runtime import Tensor
from hypothesis import given, settings
from hypothesis import strategies as st

NAMES: Dict[str, Any] = {**vars(typing), "Tensor": Tensor, "DataType": DataType, "__name__": "my_ops"}
# By IR type: spellings that are right, the typing one first.
SPELLINGS = {
    AttrType.INT: ["int"],
    AttrType.FLOAT: ["float"],
    AttrType.BOOL: ["bool"],
    AttrType.STRING: ["str"],
    AttrType.DATA_TYPE: ["DataType"],
    AttrType.TENSOR: ["Tensor"],
    AttrType.LIST_INT: ["List[int]", "list[int]"],
    AttrType.LIST_FLOAT: ["List[float]", "list[float]"],
    AttrType.LIST_BOOL: ["List[bool]", "list[bool]"],
    AttrType.LIST_STRING: ["List[str]", "list[str]"],
    AttrType.LIST_DATA_TYPE: ["List[DataType]", "list[DataType]"],
    AttrType.LIST_LIST_INT: ["List[List[int]]", "list[list[int]]", "List[list[int]]"],
}
IR = ir("Type", "rod", "rd", alpha=AttrType.INT)
GOOD = "self, x, bias, rest, y, parts, *, alpha"


def method(parameters, returns=" -> None"):
    space = dict(NAMES)
    # Not with this file's own __future__ imports.
    exec(compile(f"def method({parameters}){returns}: ...", "<method>", "exec", dont_inherit=True), space)
    return space["method"]


@pytest.fixture
def validate(ops):
    """validate(meta, execute=..., declare_launch_args=...) checks a class with these methods."""

    def check(meta, **methods):
        def __init__(self):
            raise AssertionError("an instance was made")

        cls = type("Impl", (), {"__init__": __init__, **methods})
        ops.clear_op_impl_holders()
        from ge.custom_op import clear_registered_op_impls

        clear_registered_op_impls()
        key = register_op_impl(op_type="Type")(cls).__ge_op_impl_descriptor__.descriptor_key
        return ops.validate_op_impl_descriptor(key, meta)

    return check


def test_a_fitting_class_passes_without_an_instance(validate):
    assert validate(IR, execute=method("self, x, bias, rest, *, alpha"), declare_launch_args=method(GOOD)) is True
    assert validate(IR, execute=method("self, ctx", ""), declare_launch_args=method(GOOD)) is True


def test_names_of_inputs_and_outputs_are_free_and_defaults_are_allowed(validate):
    parameters = "self, a, b=None, c=(), d=None, e=(), *, alpha=3"
    assert validate(IR, declare_launch_args=method(parameters)) is True


@pytest.mark.parametrize(
    "parameters, returns, fragment",
    [
        ("self, x, bias, rest, y, *, alpha", " -> None", "expected 5 positional"),
        ("self, x, bias, rest, y, parts, more, *, alpha", " -> None", "expected 5 positional"),
        ("self, x, bias, rest, y, parts, alpha", " -> None", "keyword-only"),
        ("self, x, bias, rest, y, parts", " -> None", "keyword-only"),
        ("self, x, bias, rest, y, parts, *, beta", " -> None", "expected attr name alpha, actual attr name beta"),
        ("self, *tensors, alpha", " -> None", "variadic"),
        ("self, x, bias, rest, y, parts, **attrs", " -> None", "variadic"),
        (GOOD, " -> int", "expected None as return annotation, actual int"),
        (GOOD, "", "expected None as return annotation, actual no return annotation"),
        (GOOD, " -> 'no_such_name'", "expected resolvable type annotations"),
        ("self, x: list[Tensor], bias, rest, y, parts, *, alpha", " -> None",
         r"expected input parameter at index 0 annotation Tensor, actual List\[Tensor\]"),
        ("self, x, bias: Tensor, rest, y, parts, *, alpha", " -> None",
         r"input parameter at index 1 annotation Optional\[Tensor\], actual Tensor"),
        ("self, x, bias, rest, y: Optional[Tensor], parts, *, alpha", " -> None",
         r"output parameter at index 0 annotation Tensor, actual Optional\[Tensor\]"),
        ("self, x, bias, rest, y, parts: Tensor, *, alpha", " -> None",
         r"output parameter at index 1 annotation List\[Tensor\], actual Tensor"),
        ("self, x, bias, rest, y, parts, *, alpha: float", " -> None", "attr alpha annotation int, actual float"),
    ],
)
def test_what_does_not_fit_is_named(validate, parameters, returns, fragment):
    with pytest.raises(TypeError, match=fragment) as caught:
        validate(IR, declare_launch_args=method(parameters, returns))
    text = str(caught.value)
    for part in "op type Type", "descriptor key", ":Impl:Type", "method declare_launch_args", "expected", "actual":
        assert part in text


def test_execute_is_checked_for_inputs_and_attributes_alone(validate):
    meta = ir("Type", "r", "rrr", alpha=AttrType.INT, beta=AttrType.FLOAT)
    assert validate(meta, execute=method("self, x, *, alpha, beta", " -> 'no_such_name'")) is True
    with pytest.raises(TypeError, match="expected attr name alpha, actual attr name beta"):
        validate(meta, execute=method("self, x, *, beta, alpha"))
    with pytest.raises(TypeError, match=r"invalid execute signature.*input parameter at index 0 annotation"):
        validate(meta, execute=method("self, x: List[Tensor], *, alpha, beta"))
    with pytest.raises(TypeError, match="expected 1 positional"):
        validate(meta, execute=method("self, *, alpha, beta"))


@pytest.mark.parametrize(
    "wrap",
    [
        lambda function: function,
        lambda function: classmethod(function),
        lambda function: staticmethod(functools.wraps(function)(lambda *a, **k: None)),
    ],
    ids=["plain", "class", "static"],
)
def test_every_form_of_method_is_looked_at(validate, wrap):
    first = "" if isinstance(wrap(method("x")), staticmethod) else "self, "
    meta = ir("Type", "r")
    assert validate(meta, execute=wrap(method(f"{first}x: Tensor"))) is True
    with pytest.raises(TypeError, match="input parameter at index 0 annotation Tensor, actual int"):
        validate(meta, execute=wrap(method(f"{first}x: int")))


def test_a_callable_object_is_looked_at_through_its_call(validate):
    class Run:
        def __call__(self, x: List[Tensor]): ...

    assert validate(ir("Type", "d"), execute=Run()) is True
    with pytest.raises(TypeError, match="input parameter at index 0 annotation Tensor"):
        validate(ir("Type", "r"), execute=Run())


@pytest.mark.parametrize("ir_type", SPELLINGS)
def test_an_attribute_has_its_annotation_in_any_spelling(validate, ir_type):
    meta = ir("Type", a=ir_type)
    for spelling in SPELLINGS[ir_type]:
        assert validate(meta, execute=method(f"self, *, a: {spelling}")) is True
        assert validate(meta, execute=method(f"self, *, a: '{spelling}'")) is True
    others = [s for other, spellings in SPELLINGS.items() if other != ir_type for s in spellings]
    for spelling in [*others, f"Optional[{SPELLINGS[ir_type][0]}]", "List[Tensor]", "list", "Any"]:
        with pytest.raises(TypeError, match="attr a annotation .*, actual"):
            validate(meta, execute=method(f"self, *, a: {spelling}"))


@pytest.mark.skipif(sys.version_info < (3, 10), reason="X | None is an expression from 3.10 on")
def test_an_optional_input_may_be_written_with_a_bar(validate):
    assert validate(ir("Type", "o"), execute=method("self, x: Tensor | None")) is True


def test_without_type_check_only_the_form_counts(validate):
    loose = typing.no_type_check(method("self, x: int, *, a: 'no_such_name'"))
    assert validate(ir("Type", "r", a=AttrType.STRING), execute=loose) is True
    declared = typing.no_type_check(method("self, x: int, *, a: 'no_such_name'", " -> 'None'"))
    assert validate(ir("Type", "r", a=AttrType.STRING), declare_launch_args=declared) is True


def test_without_an_ir_only_the_context_can_be_taken(validate):
    assert validate(None, execute=method("self, ctx")) is True
    with pytest.raises(RuntimeError, match="canonical IR not found for schema-bound execute of op type 'Type'"):
        validate(None, execute=method("self"))
    with pytest.raises(RuntimeError, match="schema-bound declare_launch_args of op type 'Type'"):
        validate(None, execute=method("self, ctx"), declare_launch_args=method("self"))


def test_an_ir_with_an_unknown_kind_or_type_is_refused(validate):
    with pytest.raises(ValueError, match="VT_NOTHING"):
        validate(ir("Type", a="VT_NOTHING"), execute=method("self, *, a"))
    with pytest.raises(ValueError, match="7"):
        validate({**ir("Type"), "inputs": [{"name": "x", "kind": 7}]}, execute=method("self, x"))


_slots = {"r": "Tensor", "o": "Optional[Tensor]", "d": "List[Tensor]"}


@settings(max_examples=60, deadline=None)
@given(data=st.data(), inputs=st.text("rod", max_size=4), outputs=st.text("rd", max_size=3))
def test_a_signature_made_from_an_ir_fits_it_and_a_changed_one_does_not(data, inputs, outputs):
    from ge.custom_op._bridge import _validate_args_signature
    from ge.custom_op.registry import OpImplDescriptor

    kinds = data.draw(st.lists(st.sampled_from(sorted(SPELLINGS)), max_size=4))
    attrs = {f"a{i}": kind for i, kind in enumerate(kinds)}
    slots = [_slots[letter] for letter in inputs + outputs]
    annotated = data.draw(st.lists(st.booleans(), min_size=len(slots) + len(attrs), max_size=len(slots) + len(attrs)))
    spelled = [*slots, *(data.draw(st.sampled_from(SPELLINGS[kind])) for kind in kinds)]
    names = [*(f"x{i}" for i in range(len(slots))), *attrs]
    written = [f"{name}: {a}" if shown else name for name, a, shown in zip(names, spelled, annotated)]

    def check(parameters):
        positional, keywords = parameters[: len(slots)], parameters[len(slots) :]
        text = ", ".join([*positional, *(["*"] if keywords else []), *keywords])
        _validate_args_signature(
            method(text),
            ir("Type", inputs, outputs, **attrs),
            OpImplDescriptor("m:C:Type", "Type", "m", "C", [], object),
        )

    check(written)
    if written:
        place = data.draw(st.integers(0, len(written) - 1))
        broken = [*written]
        broken[place] = f"{names[place]}: Dict[str, int]"
        with pytest.raises(TypeError, match="annotation"):
            check(broken)
