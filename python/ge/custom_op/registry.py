"""Which implementations of operators this process knows, by descriptor."""

from __future__ import annotations

import inspect
from dataclasses import dataclass, field
from typing import Any, Callable, Dict, Iterable, List, Optional, TypeVar

from ge._internal import plugin_loader
from ge._internal.descriptors import DescriptorRegistry, executing_module
from ge._internal.same_source import cure_of_two, is_same_source, place_of

__all__ = [
    "OpImplDescriptor",
    "clear_registered_op_impls",
    "get_registered_op_impl_by_descriptor_key",
    "get_registered_op_impl_dicts",
    "get_registered_op_impls",
    "register_op_impl",
]

PLUGIN_KIND = "python custom op"
# What a class can do, by the method that does it.
_INTERFACES = {"execute": "eager_execute", "declare_launch_args": "annotated_args"}

_Class = TypeVar("_Class", bound=type)


@dataclass(frozen=True)
class OpImplDescriptor:
    """What is known of an implementation before any instance exists.

    Attributes:
        interfaces: what it can do: "eager_execute", "annotated_args", in this order.
    """

    descriptor_key: str
    op_type: str
    module_name: str
    class_name: str
    interfaces: List[str]
    cls: type = field(compare=False, repr=False)

    def to_bridge_dict(self) -> Dict[str, Any]:
        """The descriptor in plain values."""
        return {
            "descriptor_key": self.descriptor_key,
            "op_type": self.op_type,
            "module_name": self.module_name,
            "class_name": self.class_name,
            "interfaces": list(self.interfaces),
        }


def _settle(descriptor: OpImplDescriptor, others: Iterable[OpImplDescriptor]) -> Optional[OpImplDescriptor]:
    name = f"{descriptor.module_name}.{descriptor.class_name}"
    for other in others:
        if other.descriptor_key == descriptor.descriptor_key:
            raise ValueError(
                f"cannot register '{name}' as implementation of op type '{descriptor.op_type}': descriptor_key already "
                f"exists: '{descriptor.descriptor_key}'; a module registers a class once for an op type"
            )
        if other.op_type == descriptor.op_type:
            # A file that was imported, and is named by ASCEND_CUSTOM_OPP_PATH too: the first one stays.
            if is_same_source(other.cls, descriptor.cls):
                return other
            raise ValueError(
                f"cannot register '{name}' in '{place_of(descriptor.cls)}' as implementation of op type "
                f"'{descriptor.op_type}': op impl type already exists, it belongs to "
                f"'{other.module_name}.{other.class_name}' in '{place_of(other.cls)}'; "
                f"{cure_of_two(other.cls, descriptor.cls)}"
            )
    return None


_registry: DescriptorRegistry[OpImplDescriptor] = DescriptorRegistry(_settle, follows=True)
plugin_loader.track(PLUGIN_KIND, _registry)


def register_op_impl(*, op_type: str) -> Callable[[_Class], _Class]:
    """Class decorator that registers the implementation of an op type.

    The class needs no base. It has `execute`, `declare_launch_args` or both, and a constructor without arguments.

    Args:
        op_type: the type of the nodes that it computes.

    Raises:
        TypeError: `op_type` is no text or empty; what is decorated is no class, is abstract, or has neither method.
        ValueError: the op type has an implementation.
    """
    if not isinstance(op_type, str) or not op_type:
        raise TypeError(f"register_op_impl op_type must be a non-empty string, got {op_type!r}")

    def decorate(cls: _Class) -> _Class:
        if not isinstance(cls, type):
            raise TypeError(f"register_op_impl expects a class, got '{type(cls).__name__}'")
        name = f"{cls.__module__}.{cls.__qualname__}"
        if inspect.isabstract(cls):
            missing = ", ".join(sorted(getattr(cls, "__abstractmethods__", ())))
            raise TypeError(f"register_op_impl expects a concrete class, '{name}' lacks: {missing}")
        interfaces = [text for method, text in _INTERFACES.items() if callable(getattr(cls, method, None))]
        if not interfaces:
            raise TypeError(
                f"class '{name}' must implement at least one supported method: {', '.join(_INTERFACES)}"
            )
        descriptor = OpImplDescriptor(
            descriptor_key=f"{cls.__module__}:{cls.__name__}:{op_type}",
            op_type=op_type,
            module_name=cls.__module__,
            class_name=cls.__name__,
            interfaces=interfaces,
            cls=cls,
        )
        descriptor = _registry.add(executing_module() or cls.__module__, descriptor)
        cls.__ge_op_impl_descriptor__ = descriptor  # type: ignore[attr-defined]
        return cls

    return decorate


def get_registered_op_impls() -> List[OpImplDescriptor]:
    """Descriptors in the order of registration."""
    return _registry.all()


def get_registered_op_impl_dicts() -> List[Dict[str, Any]]:
    """The same as plain dicts."""
    return [descriptor.to_bridge_dict() for descriptor in get_registered_op_impls()]


def get_registered_op_impl_by_descriptor_key(descriptor_key: str) -> Optional[OpImplDescriptor]:
    """The descriptor of that key, or None."""
    return _registry.get(descriptor_key)


def generation() -> int:
    """Grows when something is declared anew by a module that is executed again, and when all is forgotten."""
    return _registry.generation


def clear_registered_op_impls() -> None:
    """Forgets all registered implementations."""
    _registry.clear()
