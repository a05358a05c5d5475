"""Prototypes of operators: what a function's signature says about inputs, attributes and outputs."""

from __future__ import annotations

import inspect
from dataclasses import dataclass, field
from typing import Any, Callable, Dict, Iterable, List, Optional, Tuple, TypeVar

from ge._internal import plugin_loader
from ge._internal.descriptors import DescriptorRegistry, executing_module
from ge._internal.same_source import cure_of_two, is_same_source, place_of
from ge.custom_op import _parse
from ge.custom_op._ir_types import AttrType, InputType, OutputType
from ge.custom_op._values import frozen, same, thawed
from ge.custom_op.registry import PLUGIN_KIND

__all__ = [
    "AttrType",
    "InputType",
    "OpAttr",
    "OpInput",
    "OpOutput",
    "OpProtoDescriptor",
    "OutputType",
    "clear_registered_op_protos",
    "get_registered_op_proto_by_descriptor_key",
    "get_registered_op_proto_dicts",
    "get_registered_op_protos",
    "register_op",
]

_Function = TypeVar("_Function", bound=Callable[..., Any])


@dataclass(frozen=True)
class OpInput:
    """An input; `index` is its position in the prototype."""

    name: str
    index: int
    kind: InputType


@dataclass(frozen=True)
class OpAttr:
    """An attribute; `type` is a constant of AttrType. Lists in its default become tuples."""

    name: str
    index: int
    type: str
    is_required: bool
    default: Any = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "default", frozen(self.default))


@dataclass(frozen=True)
class OpOutput:
    """An output. One that has the name of an input is that input, changed in place."""

    name: str
    index: int
    kind: OutputType


@dataclass(frozen=True)
class OpProtoDescriptor:
    """A prototype and where it comes from.

    Attributes:
        func_name: qualified name of the function.
        infer_func: the function; it describes the outputs to inputs and attributes.
    """

    descriptor_key: str
    op_type: str
    module_name: str
    func_name: str
    inputs: Tuple[OpInput, ...]
    attrs: Tuple[OpAttr, ...]
    outputs: Tuple[OpOutput, ...]
    infer_func: Callable[..., Any] = field(compare=False, repr=False)

    def __post_init__(self) -> None:
        for name in ("inputs", "attrs", "outputs"):
            object.__setattr__(self, name, tuple(getattr(self, name)))

    def to_bridge_dict(self) -> Dict[str, Any]:
        """The prototype in plain values, which the caller may change."""
        return {
            "descriptor_key": self.descriptor_key,
            "op_type": self.op_type,
            "module_name": self.module_name,
            "func_name": self.func_name,
            "inputs": [{"name": item.name, "kind": int(item.kind)} for item in self.inputs],
            "attrs": [
                {
                    "name": attr.name,
                    "type": attr.type,
                    "is_required": attr.is_required,
                    "default": thawed(attr.default),
                }
                for attr in self.attrs
            ],
            "outputs": [{"name": item.name, "kind": int(item.kind)} for item in self.outputs],
        }


def _content(descriptor: OpProtoDescriptor) -> Tuple[Any, ...]:
    return (
        descriptor.op_type,
        tuple((i.name, i.index, int(i.kind)) for i in descriptor.inputs),
        tuple((a.name, a.index, a.type, a.is_required, a.default) for a in descriptor.attrs),
        tuple((o.name, o.index, int(o.kind)) for o in descriptor.outputs),
    )


def _settle(descriptor: OpProtoDescriptor, others: Iterable[OpProtoDescriptor]) -> Optional[OpProtoDescriptor]:
    for other in others:
        if other.descriptor_key == descriptor.descriptor_key:
            if same(_content(other), _content(descriptor)):
                return other
            raise ValueError(f"descriptor content changed; {_sources(other, descriptor)}; restart to change a prototype")
    for other in others:
        if other.op_type == descriptor.op_type:
            # A file that was imported, and is named by ASCEND_CUSTOM_OPP_PATH too: the first one stays.
            if is_same_source(other.infer_func, descriptor.infer_func) and same(_content(other), _content(descriptor)):
                return other
            raise ValueError(
                f"op type '{other.op_type}' already registered; {_sources(other, descriptor)}; "
                f"{cure_of_two(other.infer_func, descriptor.infer_func)}"
            )
    return None


def _sources(existing: OpProtoDescriptor, current: OpProtoDescriptor) -> str:
    return "; ".join(
        f"{word} source: module_name.func_name '{d.module_name}.{d.func_name}', descriptor_key '{d.descriptor_key}', "
        f"in '{place_of(d.infer_func)}'"
        for word, d in (("existing", existing), ("current", current))
    )


_registry: DescriptorRegistry[OpProtoDescriptor] = DescriptorRegistry(_settle, follows=True)
plugin_loader.track(PLUGIN_KIND, _registry)


def register_op(*, op_type: str, mutates_args: Any = ()) -> Callable[[_Function], _Function]:
    """Function decorator that registers a prototype.

    Positional parameters are inputs: `TensorDesc`, `Optional[TensorDesc]`, `List[TensorDesc]`. Keyword-only parameters are
    attributes, optional if they have a default. The return annotation tells the outputs: `None`, `TensorDesc`,
    `List[TensorDesc]`, or a `Tuple` of the latter two. Registering does not call the function.

    Args:
        op_type: the op type; the same text in a graph and in `register_op_impl`.
        mutates_args: inputs that are changed in place: names, of which the first is output 0 and so on, or pairs
            `(name, output index)`.

    Raises:
        TypeError: `op_type` is no text or empty; the signature is none of a prototype, or `mutates_args` of another form.
        ValueError: `mutates_args` does not fit the signature, a default does not fit the type of its attribute in the IR,
            or the op type has another prototype.
    """
    if not isinstance(op_type, str) or not op_type:
        raise TypeError(f"register_op op_type must be a non-empty string, got {op_type!r}")

    def decorate(function: _Function) -> _Function:
        owner = executing_module()
        try:
            described = _describe(function)
        except (TypeError, ValueError) as error:
            where = f"; function '{function.__qualname__}' in '{place_of(function)}'" if inspect.isfunction(function) else ""
            raise _failure(error, where) from error
        try:
            descriptor = _registry.add(owner or described.module_name, described)
        except (TypeError, ValueError) as error:
            raise _failure(error) from error
        function.__ge_op_proto_descriptor__ = descriptor  # type: ignore[attr-defined]
        return function

    def _failure(error: Exception, where: str = "") -> Exception:
        kind = TypeError if isinstance(error, TypeError) else ValueError
        return kind(f"register_op op_type '{op_type}' failed: {error}{where}")

    def _describe(function: Any) -> OpProtoDescriptor:
        if not inspect.isfunction(function):
            raise TypeError(f"register_op expects a Python function, got '{type(function).__name__}'")
        parsed = _parse.parse_function(function, mutates_args)
        return OpProtoDescriptor(
            descriptor_key=f"{function.__module__}:{function.__qualname__}:{op_type}",
            op_type=op_type,
            module_name=function.__module__,
            func_name=function.__qualname__,
            inputs=tuple(OpInput(name, i, kind) for i, (name, kind) in enumerate(parsed.inputs)),
            attrs=tuple(
                OpAttr(a.name, i, a.type, a.is_required, a.default) for i, a in enumerate(parsed.attrs)
            ),
            outputs=tuple(OpOutput(name, i, kind) for i, (name, kind) in enumerate(parsed.outputs)),
            infer_func=function,
        )

    return decorate


def get_registered_op_protos() -> List[OpProtoDescriptor]:
    """Prototypes, by op type."""
    return sorted(_registry.all(), key=lambda descriptor: descriptor.op_type)


def get_registered_op_proto_dicts() -> List[Dict[str, Any]]:
    """The same as plain dicts."""
    return [descriptor.to_bridge_dict() for descriptor in get_registered_op_protos()]


def get_registered_op_proto_by_descriptor_key(descriptor_key: str) -> Optional[OpProtoDescriptor]:
    """The prototype of that key, or None."""
    return _registry.get(descriptor_key)


def generation() -> int:
    """Grows when something is declared anew by a module that is executed again, and when all is forgotten."""
    return _registry.generation


def clear_registered_op_protos() -> None:
    """Forgets all registered prototypes."""
    _registry.clear()
