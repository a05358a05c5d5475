"""Checks, once at load, that the methods of an implementation take what the operator's IR has."""

from __future__ import annotations

import inspect
from types import FunctionType, MethodType
from typing import Any, Dict, List, Mapping, NoReturn, Optional

from ge._internal.errors import source_file
from ge.custom_op._annotations import ATTR_ANNOTATIONS, canonical, resolve, show, signature_of
from ge.custom_op._ir_types import InputType, OutputType
from ge.custom_op.registry import OpImplDescriptor
from ge.runtime import Tensor

__all__ = ["takes_context_only", "unbound_method", "validate_args_signature"]

_INPUTS = {
    InputType.REQUIRED: Tensor,
    InputType.OPTIONAL: Optional[Tensor],
    InputType.DYNAMIC: List[Tensor],
}
_OUTPUTS = {OutputType.REQUIRED: Tensor, OutputType.DYNAMIC: List[Tensor]}
_POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


def takes_context_only(method: Any) -> bool:
    """Whether a bound method is called as `method(ctx)`: its one parameter has that name and may be positional."""
    try:
        parameters = list(signature_of(method).parameters.values())
    except (TypeError, ValueError):  # a callable that does not tell
        return False
    return len(parameters) == 1 and parameters[0].name == "ctx" and parameters[0].kind in _POSITIONAL


def unbound_method(cls: type, name: str) -> Any:
    """The method as an instance would have it, without making one: `self` is bound to a mere object."""
    found = inspect.getattr_static(cls, name)
    if isinstance(found, staticmethod):
        return found.__func__
    if isinstance(found, classmethod):
        return found.__get__(None, cls)
    return MethodType(found, object()) if isinstance(found, FunctionType) else found


class _Check:
    """One method against one IR; every failure is a TypeError that names both."""

    def __init__(self, method: Any, ir_meta: Mapping[str, Any], descriptor: OpImplDescriptor, method_name: str) -> None:
        self._method = method
        self._ir_meta = ir_meta
        self._descriptor = descriptor
        self._name = method_name
        self._declares = method_name == "declare_launch_args"
        self._hints: Dict[str, Any] = {}

    def _refuse(self, expected: str, actual: str) -> NoReturn:
        raise TypeError(
            f"invalid {self._name} signature for op type {self._descriptor.op_type}, descriptor key "
            f"{self._descriptor.descriptor_key}, method {self._name}: expected {expected}, actual {actual}; in "
            f"'{source_file(self._descriptor.cls)}'"
        )

    def run(self) -> None:
        inputs = [_INPUTS[InputType(item["kind"])] for item in self._ir_meta["inputs"]]
        outputs = [_OUTPUTS[OutputType(item["kind"])] for item in self._ir_meta["outputs"]] if self._declares else []
        attrs = [(item["name"], _attr_annotation(item["type"])) for item in self._ir_meta["attrs"]]
        parameters = list(signature_of(self._method).parameters.values())
        self._check_form(parameters, len(inputs) + len(outputs), len(attrs))
        self._resolve()
        slots = [("input", i, a) for i, a in enumerate(inputs)] + [("output", i, a) for i, a in enumerate(outputs)]
        for parameter, (what, index, annotation) in zip(parameters, slots):
            self._check_annotation(parameter, annotation, f"{what} parameter at index {index}")
        for parameter, (name, annotation) in zip(parameters[len(slots) :], attrs):
            if parameter.name != name:
                self._refuse(f"attr name {name}", f"attr name {parameter.name}")
            self._check_annotation(parameter, annotation, f"attr {name}")
        if self._declares:
            self._check_return()

    def _check_form(self, parameters: List[inspect.Parameter], positional: int, keyword_only: int) -> None:
        for parameter in parameters:
            if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
                self._refuse("no variadic parameters", f"variadic parameter {parameter}")
        found = [sum(p.kind in _POSITIONAL for p in parameters), sum(p.kind is p.KEYWORD_ONLY for p in parameters)]
        if found != [positional, keyword_only]:
            groups = "inputs, outputs" if self._declares else "inputs"
            self._refuse(
                f"{positional} positional ({groups}) and {keyword_only} keyword-only (attrs) parameters",
                f"{found[0]} positional and {found[1]} keyword-only in ({', '.join(map(str, parameters))})",
            )

    def _resolve(self) -> None:
        # What a class method or bound function is made of; other callables are seen through their __call__.
        function = getattr(self._method, "__func__", self._method)
        if not isinstance(function, FunctionType):
            function = getattr(type(function), "__call__", None)
        if not isinstance(function, FunctionType):
            return
        try:
            self._hints = resolve(function, skip_return=not self._declares)
        except Exception as error:
            self._refuse("resolvable type annotations", f"{type(error).__name__}: {error}")

    def _check_annotation(self, parameter: inspect.Parameter, expected: Any, what: str) -> None:
        if parameter.name in self._hints and canonical(self._hints[parameter.name]) != expected:
            self._refuse(f"{what} annotation {show(expected)}", show(self._hints[parameter.name]))

    def _check_return(self) -> None:
        written = signature_of(self._method).return_annotation
        found = self._hints.get("return", written)
        if found not in (None, type(None), "None"):
            actual = "no return annotation" if found is inspect.Signature.empty else show(found)
            self._refuse("None as return annotation", actual)


def _attr_annotation(ir_type: str) -> Any:
    if ir_type not in ATTR_ANNOTATIONS:
        raise ValueError(f"unsupported attr type '{ir_type}', expected one of {', '.join(ATTR_ANNOTATIONS)}")
    return ATTR_ANNOTATIONS[ir_type]


def validate_args_signature(
    method: Any,
    ir_meta: Mapping[str, Any],
    descriptor: OpImplDescriptor,
    *,
    method_name: str = "declare_launch_args",
) -> None:
    """Compares the parameters of a bound method with the IR.

    Inputs, then (for `declare_launch_args`) outputs, are positional, in order, under any name; attributes are keyword-only,
    by name and in order. Annotations may be left out, but the `-> None` of `declare_launch_args`.

    Raises:
        TypeError: they do not fit; the text says what was expected and what is there.
        ValueError: the IR has a kind or type that is none.
    """
    _Check(method, ir_meta, descriptor, method_name).run()
