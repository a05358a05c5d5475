"""The custom operators of this process: what Python has registered, made known to the compiler core.

`atc` loads and unloads by itself. A process that builds or runs graphs with operators of its own need not call anything
here either: `ge.es.custom` and `ge.custom_op.executor` load what is registered when they are used.
"""

from __future__ import annotations

from typing import List

from ge.custom_op._artifact_utils import ensure_native_module

__all__ = ["is_known", "load", "registered_op_types", "unload"]


def load() -> None:
    """Makes every registered prototype, implementation and ONNX plugin known to the core.

    Files and packages that ASCEND_CUSTOM_OPP_PATH names are imported first. What is known already stays as it is, so that
    a second call only adds what came since.

    Raises:
        ge.error.CustomOpError: a plugin cannot be imported, an implementation does not fit its prototype, or an operator
            is taken; the text names it, and after that no custom operator is known to the core.
    """
    ensure_native_module().load_custom_ops()


def unload() -> None:
    """Takes all Python operators out of the core, and forgets what came out of ASCEND_CUSTOM_OPP_PATH."""
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
