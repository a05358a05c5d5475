"""What a module says that makes its members on demand, asked for one that it does not have."""

from __future__ import annotations

import sys
from types import FrameType
from typing import Iterable, Optional

__all__ = ["unknown_name"]


def unknown_name(module: str, name: str, known: Iterable[str], what: str = "attribute") -> Exception:
    """The error to raise in a module's `__getattr__`: an AttributeError with the name that was probably meant.

    `from module import name` would drop the text of an AttributeError, so there it is an ImportError.

    Args:
        module: its full name.
        name: what was asked for.
        known: what could have been meant; what lives in another module, with the full name of that.
    """
    text = f"module '{module}' has no {what} '{name}'{_hint(name, known)}"
    if _is_import_from(sys._getframe(1).f_back) and f"{module}.{name}" not in sys.modules:
        return ImportError(text, name=module)
    error = AttributeError(text)
    error.name = None  # type: ignore[attr-defined, unused-ignore]  # or Python, from 3.12 on, says it once more
    return error


def _hint(name: str, known: Iterable[str]) -> str:
    if name.startswith("_"):  # asked by tools, not by people
        return ""
    import difflib  # not at the start of every program that uses ge

    by_name = {full.rpartition(".")[2].lower(): full for full in known}
    close = difflib.get_close_matches(name.lower(), by_name, 1)
    return f"; did you mean '{by_name[close[0]]}'?" if close else ""


def _is_import_from(frame: Optional[FrameType]) -> bool:
    from opcode import opmap

    return frame is not None and frame.f_lasti >= 0 and frame.f_code.co_code[frame.f_lasti] == opmap["IMPORT_FROM"]
