"""`onnx_plugin`, which says what an ONNX operator becomes."""

from __future__ import annotations

import inspect
from typing import Any, Callable, Collection, Tuple, TypeVar

from ge.onnx_plugin.registry import OnnxPluginDescriptor, register_onnx_plugin

__all__ = ["OnnxPlugin", "onnx_plugin"]

_Function = TypeVar("_Function", bound=Callable[..., None])


class OnnxPlugin:
    """An ONNX operator in some opset versions; `parse_node` gives it the function that reads its nodes."""

    def __init__(self, *, source: str, domain: str, opsets: Collection[int], target: str) -> None:
        self._source = _name("source", source, part_of_type=True)
        self._domain = _name("domain", domain, part_of_type=True)
        self._opsets = _checked_opsets(opsets)
        self._target = _name("target", target)
        self._bound = False

    def parse_node(self, function: _Function) -> _Function:
        """Decorator that registers the function: `function(node, target)` reads the OnnxNode, writes the Operator and
        returns nothing.

        Raises:
            TypeError: what is decorated is no Python function.
            ValueError: the plugin has its function, or another plugin reads this operator in one of these opsets.
        """
        if self._bound:
            raise ValueError(f"parse_node is already bound for '{self._domain}::{self._source}'; make another onnx_plugin")
        if not inspect.isfunction(function):
            raise TypeError(f"parse_node expects a Python function, got '{type(function).__name__}'")
        opsets = ",".join(map(str, self._opsets))
        descriptor = OnnxPluginDescriptor(
            descriptor_key=f"{function.__module__}:{function.__qualname__}:{self._domain}:{self._source}:{opsets}",
            source=self._source,
            domain=self._domain,
            opsets=self._opsets,
            target=self._target,
            origin_types=tuple(f"{self._domain}::{opset}::{self._source}" for opset in self._opsets),
            module_name=function.__module__,
            parser_node=function,
        )
        register_onnx_plugin(descriptor)
        self._bound = True
        function.__ge_onnx_plugin_descriptor__ = descriptor  # type: ignore[attr-defined]
        return function


def onnx_plugin(*, source: str, domain: str, opsets: Collection[int], target: str) -> OnnxPlugin:
    """Says which GE operator an ONNX operator becomes; registers nothing until `parse_node` is used.

    Args:
        source: the ONNX operator, "Elu".
        domain: its domain, "ai.onnx".
        opsets: versions of the domain in which it looks like this.
        target: the op type that it becomes.

    Raises:
        TypeError: a name is no text, is empty or holds "::", or `opsets` is no collection of int.
        ValueError: `opsets` is empty, or holds a number below 1.
    """
    return OnnxPlugin(source=source, domain=domain, opsets=opsets, target=target)


def _name(what: str, value: Any, part_of_type: bool = False) -> str:
    if not isinstance(value, str) or not value:
        raise TypeError(f"{what} of an ONNX plugin must be a non-empty string, got {value!r}")
    if part_of_type and "::" in value:
        raise TypeError(f"{what} of an ONNX plugin must not hold '::', got {value!r}")
    return value


def _checked_opsets(opsets: Any) -> Tuple[int, ...]:
    if isinstance(opsets, (str, bytes)) or not isinstance(opsets, Collection):
        raise TypeError(f"opsets of an ONNX plugin must be a collection of int, got {opsets!r}; write [...]")
    for opset in opsets:
        # A bool is an int to isinstance.
        if type(opset) is not int:
            raise TypeError(f"opsets of an ONNX plugin must hold int alone, got {opset!r} in it")
        if opset <= 0:
            raise ValueError(f"opsets of an ONNX plugin must be 1 or more, got {opset}")
    if not opsets:
        raise ValueError("opsets of an ONNX plugin must name at least one version")
    return tuple(sorted(set(opsets)))
