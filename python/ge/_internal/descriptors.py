"""A registry of descriptors: what decorators know of a pass, an operator or an ONNX plugin before any instance exists."""

from __future__ import annotations

import sys
import threading
from typing import Callable, Dict, Generic, Iterable, List, Optional, Protocol, Tuple, TypeVar

__all__ = ["Descriptor", "DescriptorRegistry", "executing_module"]


class Descriptor(Protocol):
    """What every descriptor has."""

    @property
    def descriptor_key(self) -> str:
        """Unique in its registry."""


_D = TypeVar("_D", bound=Descriptor)


def executing_module() -> str:
    """Name of the module whose body is being executed, up the stack; empty if there is none.

    A decorator asks it to know who is to blame for a registration: the class may come from elsewhere.
    """
    frame = sys._getframe(1)
    while frame.f_code.co_name != "<module>":
        if frame.f_back is None:
            return ""
        frame = frame.f_back
    name: str = frame.f_globals.get("__name__", "")
    return name


class DescriptorRegistry(Generic[_D]):
    """Descriptors in the order of their registration. Every function takes the lock of its own.

    Args:
        settle: is asked, before a descriptor is added, with those that are there. It raises if they do not go together,
            or returns the one that stays in place of the new one; None lets the new one in.
    """

    def __init__(self, settle: Callable[[_D, Iterable[_D]], Optional[_D]]) -> None:
        self._settle = settle
        self._lock = threading.RLock()
        # By descriptor key; the first of each pair is the module that registered it.
        self._entries: Dict[str, Tuple[str, _D]] = {}

    def add(self, owner: str, descriptor: _D) -> _D:
        """Adds it and returns it, or the one that stays in its place.

        Args:
            owner: name of the module that registers it.
        """
        with self._lock:
            kept = self._settle(descriptor, self.all())
            if kept is not None:
                return kept
            self._entries[descriptor.descriptor_key] = (owner, descriptor)
        return descriptor

    def all(self) -> List[_D]:
        """All descriptors."""
        with self._lock:
            return [descriptor for _, descriptor in self._entries.values()]

    def get(self, descriptor_key: str) -> Optional[_D]:
        """The descriptor of that key, or None."""
        with self._lock:
            entry = self._entries.get(descriptor_key)
        return None if entry is None else entry[1]

    def clear(self) -> None:
        """Forgets all."""
        with self._lock:
            self._entries.clear()

    def owners(self) -> Dict[str, str]:
        """Which module registered what: its name by descriptor key."""
        with self._lock:
            return {key: owner for key, (owner, _) in self._entries.items()}

    def take(self, descriptor_keys: Iterable[str]) -> List[Tuple[str, _D]]:
        """Forgets these and gives them in the order of their registration, each with the module that registered it; those
        that are unknown do not matter."""
        wanted = set(descriptor_keys)
        with self._lock:
            known = [key for key in self._entries if key in wanted]
            return [self._entries.pop(key) for key in known]

    def put(self, entries: Iterable[Tuple[str, _D]]) -> None:
        """Puts back what `take` gave: all of it, or nothing if something is taken by now, which raises."""
        with self._lock:
            before = dict(self._entries)
            try:
                for owner, descriptor in entries:
                    self.add(owner, descriptor)
            except BaseException:
                self._entries = before
                raise
