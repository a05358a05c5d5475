"""The custom operators of this process: what Python has registered, made known to the compiler core.

`atc` loads and unloads by itself. A process that builds or runs graphs with operators of its own need not call anything
here either: `ge.es.custom` and `ge.custom_op.executor` load what is registered when they are used.
"""

from __future__ import annotations

import os
from typing import Any, List, Optional, Tuple

from ge.custom_op._artifact_utils import ensure_native_module
from ge.custom_op.bootstrap import ENV_PY_CUSTOM_OP_PATH

__all__ = ["ensure_loaded", "is_known", "load", "registered_op_types", "unload"]

# What was there after the last load, and of which generation.
_loaded: Optional[Tuple[Any, ...]] = None
_generation = 0


def _state() -> Tuple[Any, ...]:
    from ge.custom_op import proto, registry
    from ge.onnx_plugin import registry as plugins

    keys = [d.descriptor_key for d in [*proto.get_registered_op_protos(), *registry.get_registered_op_impls()]]
    keys += [d.descriptor_key for d in plugins.get_registered_onnx_plugins()]
    return os.environ.get(ENV_PY_CUSTOM_OP_PATH), ensure_native_module().registry_version(), _current(), tuple(keys)


def _current() -> int:
    from ge.custom_op import proto, registry

    return proto.generation() + registry.generation()


def load() -> None:
    """Makes every registered prototype, implementation and ONNX plugin known to the core.

    Files and packages that ASCEND_CUSTOM_OPP_PATH names are imported first. What is known already stays as it is, so that
    a second call only adds what came since. What a cell of a notebook or a reload has declared anew takes the place of
    the old one.

    Raises:
        ge.error.CustomOpError: a plugin cannot be imported, an implementation does not fit its prototype, or an operator
            is taken; the text names it, and after that no custom operator is known to the core.
    """
    global _loaded, _generation
    _loaded = None
    generation = _current()
    if generation != _generation:
        # The core holds on to what it knows by the same key.
        ensure_native_module().unload_custom_ops()
        _generation = generation
    ensure_native_module().load_custom_ops()
    _loaded = _state()


def ensure_loaded() -> None:
    """`load`, unless nothing has changed since the last one: for what is called often.

    A file that was added to a folder of ASCEND_CUSTOM_OPP_PATH meanwhile is not noticed.
    """
    if _loaded is None or _loaded != _state():
        load()


def unload() -> None:
    """Takes all Python operators out of the core, and forgets what came out of ASCEND_CUSTOM_OPP_PATH."""
    global _loaded
    _loaded = None
    ensure_native_module().unload_custom_ops()


def is_known(op_type: str) -> bool:
    """Whether the core knows an implementation or a Python prototype of that type."""
    native = ensure_native_module()
    return bool(native.has_implementation(op_type) or native.has_prototype(op_type))


def registered_op_types() -> List[str]:
    """Types of all operators that this process has registered a prototype or an implementation for, sorted."""
    from ge.custom_op import proto, registry

    types = {d.op_type for d in proto.get_registered_op_protos()}
    return sorted(types | {d.op_type for d in registry.get_registered_op_impls()})
