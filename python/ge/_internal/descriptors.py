"""A registry of descriptors: what decorators know of a pass, an operator or an ONNX plugin before any instance exists."""

from __future__ import annotations

import sys
import threading
from types import CodeType, FrameType
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
    frame = _module_frame()
    name: str = "" if frame is None else frame.f_globals.get("__name__", "")
    return name


def _module_frame() -> Optional[FrameType]:
    frame: Optional[FrameType] = sys._getframe(1)
    # Some versions of IPython call the code of a cell so.
    while frame is not None and not frame.f_code.co_name.startswith(("<module>", "<cell line")):
        frame = frame.f_back
    return frame


class DescriptorRegistry(Generic[_D]):
    """Descriptors in the order of their registration. Every function takes the lock of its own.

    Args:
        settle: is asked, before a descriptor is added, with those that are there. It raises if they do not go together,
            or returns the one that stays in place of the new one; None lets the new one in.
        follows: whether a descriptor takes the place of the one with its key when its module is executed again, as cells of
            a notebook and importlib.reload do.
    """

    def __init__(self, settle: Callable[[_D, Iterable[_D]], Optional[_D]], follows: bool = False) -> None:
        self._settle = settle
        self._follows = follows
        # Code of the module that was executing when a descriptor came, by its key.
        self._codes: Dict[str, Optional[CodeType]] = {}
        # How often one took the place of another, or all were forgotten.
        self.generation = 0
        self._lock = threading.RLock()
        # By descriptor key; the first of each pair is the module that registered it.
        self._entries: Dict[str, Tuple[str, _D]] = {}

    def add(self, owner: str, descriptor: _D) -> _D:
        """Adds it and returns it, or the one that stays in its place.

        Args:
            owner: name of the module that registers it.
        """
        key = descriptor.descriptor_key
        frame = _module_frame() if self._follows else None
        code = None if frame is None else frame.f_code
        with self._lock:
            known = self._entries.get(key)
            again = known is not None and known[0] == owner and self._is_other(code, self._codes.get(key))
            others = [other for other in self.all() if not again or other.descriptor_key != key]
            kept = self._settle(descriptor, others)
            if kept is not None:
                return kept
            self._entries[key] = (owner, descriptor)
            self._codes[key] = code
            self.generation += again
        return descriptor

    @staticmethod
    def _is_other(code: Optional[CodeType], before: Optional[CodeType]) -> bool:
        # Not by value: a cell that is run again unchanged is another execution.
        return code is not None and before is not None and code is not before

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
            self.generation += bool(self._entries)
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
