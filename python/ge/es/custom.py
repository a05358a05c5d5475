"""Operators that were declared with `ge.custom_op.register_op`.

Each function is made when it is first asked for; `dir()` names them all. Files that ASCEND_CUSTOM_OPP_PATH names are imported
at the first look.
"""

from __future__ import annotations

from typing import Any, List

from ge.es._operators import OperatorModule

_module = OperatorModule(__name__, globals())


def _load() -> None:
    from ge.custom_op import runtime

    runtime.load()


def __getattr__(name: str) -> Any:
    if name.startswith("__") and name != "__all__":
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    _load()
    return _module.get(name)


def __dir__() -> List[str]:
    _load()
    return _module.names()
