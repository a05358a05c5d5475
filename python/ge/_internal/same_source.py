"""Functions and classes by the place in a file that they come from: a file may be executed twice, under two module names."""

from __future__ import annotations

import os
from types import CodeType
from typing import Any, Dict

from ge._internal.errors import source_file

__all__ = ["cure_of_two", "is_same_source", "place_of"]


def _codes(thing: Any) -> Dict[str, CodeType]:
    """The code of a function, or of the methods that a class has of its own."""
    members = vars(thing) if isinstance(thing, type) else {"": thing}
    found = {name: getattr(getattr(m, "__func__", m), "__code__", None) for name, m in members.items()}
    return {name: code for name, code in found.items() if isinstance(code, CodeType)}


def place_of(thing: Any) -> str:
    """`file:line` of a function, or of the first method of a class; the file alone if there is no line."""
    lines = [(code.co_firstlineno, code.co_filename) for code in _codes(thing).values()]
    if not lines:
        return source_file(thing)
    line, file = min(lines)
    return f"{file}:{line}"


def _file_of_two(one: Any, other: Any) -> bool:
    """Whether the two come from one file that was executed under two module names."""
    paths = {os.path.realpath(code.co_filename) for thing in (one, other) for code in _codes(thing).values()}
    return len(paths) == 1 and os.path.isfile(*paths) and one.__module__ != other.__module__


def is_same_source(one: Any, other: Any) -> bool:
    """Whether two functions, or two classes, are the same lines of a file that was executed twice."""
    # Code is compared with its line, but without its file.
    return _file_of_two(one, other) and _codes(one) == _codes(other)


def cure_of_two(one: Any, other: Any) -> str:
    """What to do about two that claim the same."""
    if _file_of_two(one, other):
        return "the file was executed twice, and is not what it was the first time; start a new process"
    return "remove one of the two"
