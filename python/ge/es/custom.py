"""Operators that were declared with `ge.custom_op.register_op`.

Each function is made when it is first asked for; `dir()` names them all. Files that ASCEND_CUSTOM_OPP_PATH names are imported
at the first look. An installed operator package of the name `custom` has its functions here too.
"""

from __future__ import annotations

import inspect
from types import ModuleType
from typing import Any, Dict, List, Optional

from ge._internal.unknown_name import unknown_name
from ge.es._operators import OperatorModule
from ge.es._plugin_import import loaded_plugins

# Functions by name, and the module that makes them; of one state of the registry.
_functions: Dict[str, Any] = {}
_module = OperatorModule(__name__, _functions)
_version = -1


def _summary(op_type: str) -> Optional[str]:
    """The docstring of the prototype's function."""
    from ge.custom_op import proto

    for descriptor in proto.get_registered_op_protos():
        if descriptor.op_type == op_type:
            return inspect.getdoc(descriptor.infer_func)
    return None


def _current() -> OperatorModule:
    """The operators as they are registered now; functions made of earlier ones are forgotten."""
    global _functions, _module, _version
    from ge.custom_op import runtime
    from ge.custom_op._artifact_utils import ensure_native_module

    runtime.ensure_loaded()
    version = ensure_native_module().registry_version()
    if _version != version:
        _functions, _version = {"__name__": __name__}, version
        _module = OperatorModule(__name__, _functions, summary=_summary)
    return _module


def _is_being_imported(op_type: str) -> bool:
    from ge.custom_op import proto
    from ge.custom_op._artifact_utils import ensure_native_module

    declared = any(descriptor.op_type == op_type for descriptor in proto.get_registered_op_protos())
    return declared and not ensure_native_module().has_prototype(op_type)


def _package() -> Optional[ModuleType]:
    return loaded_plugins().get("custom")


def __getattr__(name: str) -> Any:
    if name == "__all__":
        return __dir__()
    if name.startswith("__"):
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    try:
        module = _current()
        return _functions[name] if name in _functions else module.get(name)
    except AttributeError:
        package = _package()
        if package is not None:
            return getattr(package, name)
        if _is_being_imported(name):
            # Not an AttributeError: `from ge.es.custom import ...` would drop its text.
            raise ImportError(
                f"operator '{name}' is declared by a file that is still being imported, and has no function before its end; "
                "import it from ge.es.custom inside the functions that use it, or in another file",
                name=__name__,
            ) from None
        raise unknown_name(__name__, name, __dir__(), "operator") from None


def __dir__() -> List[str]:
    package = _package()
    return sorted({*_current().names(), *([] if package is None else dir(package))})
