"""The custom operators of this process for those who work with graphs, which may have none."""

from __future__ import annotations

import os
import sys

__all__ = ["are_registered", "ensure_known"]

_REGISTRIES = (
    ("ge.custom_op.registry", "get_registered_op_impls"),
    ("ge.custom_op.proto", "get_registered_op_protos"),
    ("ge.onnx_plugin.registry", "get_registered_onnx_plugins"),
)


def are_registered() -> bool:
    """Whether this process has registered operators or ONNX plugins; asking does not import the registries."""
    for name, function in _REGISTRIES:
        module = sys.modules.get(name)
        if module is not None and getattr(module, function)():
            return True
    return False


def ensure_known() -> None:
    """Makes operators that the process has registered, or that ASCEND_CUSTOM_OPP_PATH names, known to the core.

    Raises:
        ge.error.CustomOpError: one cannot be loaded.
    """
    if not are_registered() and not os.environ.get("ASCEND_CUSTOM_OPP_PATH"):
        return
    from ge.custom_op import runtime

    runtime.ensure_loaded()
