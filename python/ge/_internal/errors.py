"""Exceptions of user code in a form that C++ can carry."""

from __future__ import annotations

import inspect
import os
import sys
import traceback
from types import TracebackType
from typing import Any, Optional, Tuple

from ge._internal.artifact_utils import PACKAGE

__all__ = ["describe_exception", "encodable", "flush", "source_file"]

_OWN = tuple(os.path.join(PACKAGE, part) + os.sep for part in ("_internal", "custom_op", "onnx_plugin", "passes"))


def encodable(text: str) -> str:
    """`text` with what has no UTF-8 form (bytes of odd file names) shown as escapes."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def source_file(thing: Any) -> str:
    """The file that holds a class or function, or its module's name when there is none."""
    name: str = thing.__module__
    try:
        return inspect.getsourcefile(thing) or name
    except (OSError, TypeError):  # typed in, or given to python -c
        return name


def flush() -> None:
    """Lets what plugins printed appear before what the host prints next; nothing gets lost without a finalise."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (AttributeError, OSError, ValueError):  # none, or closed
            pass


def _user_frames(trace: Optional[TracebackType]) -> Optional[TracebackType]:
    """The traceback from the first frame of a user on; None if there is none."""
    while trace is not None and trace.tb_frame.f_code.co_filename.startswith((*_OWN, "<frozen importlib")):
        trace = trace.tb_next
    return trace


def _drop_own_causes(told: traceback.TracebackException) -> None:
    """Leaves out what was raised and caught in this package alone: its text is part of what it led to."""
    for name in ("__cause__", "__context__"):
        other: Optional[traceback.TracebackException] = getattr(told, name)
        if other is None:
            continue
        if all(frame.filename.startswith(_OWN) for frame in other.stack):
            setattr(told, name, None)
        else:
            _drop_own_causes(other)


def describe_exception(error: BaseException) -> Tuple[str, str, bool]:
    """An exception as `(message in one line, traceback, whether it means stop)`."""
    kind = type(error).__name__
    try:
        text = str(error)
    except Exception:  # a user's own exception class may fail to print itself
        text = "(its text cannot be made)"
    lines = text.strip().splitlines()
    message = f"{kind}: {lines[0]}" if lines else kind
    trace = _user_frames(error.__traceback__)
    try:
        told = traceback.TracebackException(type(error), error, trace)
        _drop_own_causes(told)
        # A syntax error names its place although no frame of the user's was entered.
        needed = trace is not None or isinstance(error, SyntaxError) or told.__cause__ is not None
        shown = "".join(told.format()) if needed else ""
    except Exception:
        shown = ""
    return encodable(message), encodable(shown), isinstance(error, (KeyboardInterrupt, SystemExit))
