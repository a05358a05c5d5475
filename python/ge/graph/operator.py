"""`Operator`, the node that a parser plugin is asked to describe."""

from __future__ import annotations

from types import TracebackType
from typing import Any, Optional, Type

from ge.passes.runtime import ensure_native_module

__all__ = ["Operator", "create_operator"]

_Draft = ensure_native_module().OperatorDraft
_LARGEST_COUNT = 2**32 - 1


class Operator:
    """Ports and attributes of a node to be; usable inside the plugin call that received it.

    As a context manager it ends when the block does.
    """

    __slots__ = ("_handle",)

    _handle: Any

    def __init__(self) -> None:
        raise RuntimeError("Operator objects should not be created directly; a plugin's parse_node receives one")

    def _draft(self) -> Any:
        if self._handle is None:
            raise RuntimeError("operator handle has expired: an Operator is only valid inside parse_node")
        return self._handle

    @property
    def name(self) -> str:
        """Name of the node."""
        name: str = self._draft().name
        return name

    @property
    def type(self) -> str:
        """Type of the node."""
        kind: str = self._draft().type
        return kind

    def set_attr(self, name: str, value: Any) -> None:
        """Sets an attribute, by the rules of `Node.set_attr`; an empty list is one of floats, which a prototype may make
        one of its own kind.

        Raises:
            TypeError: the name is no text or empty.
            ValueError: a value that no attribute can have.
        """
        self._draft().set_attr(_named(name, "attribute"), value)

    def register_input(self, name: str) -> None:
        """Declares an input that must be connected."""
        self._draft().add_input(_named(name, "input"))

    def register_optional_input(self, name: str) -> None:
        """Declares an input that may stay unconnected."""
        self._draft().add_optional_input(_named(name, "input"))

    def register_output(self, name: str) -> None:
        """Declares an output."""
        self._draft().add_output(_named(name, "output"))

    def register_dynamic_input(self, name: str, count: int) -> None:
        """Declares `count` inputs under one name.

        Raises:
            TypeError: the name is no text or empty, or `count` is no int.
            ValueError: `count` is negative or does not fit 32 bits.
        """
        self._draft().add_dynamic_input(_named(name, "input"), _counted(count))

    def register_dynamic_output(self, name: str, count: int) -> None:
        """Declares `count` outputs under one name; errors as in `register_dynamic_input`."""
        self._draft().add_dynamic_output(_named(name, "output"), _counted(count))

    def __enter__(self) -> Operator:
        self._draft()
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        traceback: Optional[TracebackType],
    ) -> None:
        self._handle = None

    def __copy__(self) -> Operator:
        raise RuntimeError("Operator does not support copy")

    def __deepcopy__(self, memo: Any) -> Operator:
        raise RuntimeError("Operator does not support deepcopy")


def _named(name: Any, what: str) -> str:
    if not isinstance(name, str) or not name:
        raise TypeError(f"name of an {what} must be a non-empty string, found '{name}'")
    return name


def _counted(count: Any) -> int:
    if type(count) is not int:
        raise TypeError(f"count must be an integer, found '{type(count).__name__}'")
    if not 0 <= count <= _LARGEST_COUNT:
        raise ValueError(f"count must be in 0..{_LARGEST_COUNT}, found {count}")
    return count


def create_operator(handle: Any) -> Operator:
    """The Operator onto a draft; for what calls plugins.

    Args:
        handle: an OperatorDraft of the native module.

    Raises:
        ValueError: there is no handle, or a null pointer.
        TypeError: it is none of an operator.
    """
    if handle is None or not handle:
        raise ValueError("operator handle cannot be None")
    if not isinstance(handle, _Draft):
        raise TypeError(f"operator handle must be an OperatorDraft, found '{type(handle).__name__}'")
    operator = Operator.__new__(Operator)
    operator._handle = handle
    return operator
