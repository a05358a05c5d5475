"""Custom operators written in Python.

A prototype says what an operator's inputs, attributes and outputs are; an implementation computes it.

    from typing import List

    from ge.custom_op import get_execute_ctx, register_op, register_op_impl
    from ge.runtime import TensorDesc

    @register_op(op_type="Scale")
    def scale(x: TensorDesc, *, factor: float = 2.0) -> TensorDesc:
        return TensorDesc(x.shape, x.data_type)

    @register_op_impl(op_type="Scale")
    class Scale:
        def execute(self, x, *, factor):
            y = get_execute_ctx().malloc_output_tensor(0, x.shape, x.format, x.data_type)
            ...

Such files are found through ASCEND_CUSTOM_OPP_PATH.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ge._internal.lazy_exports import lazy_exports

if TYPE_CHECKING:
    from ge.custom_op._native import (
        AnnotatedArgsContext,
        AnnotatedKernelArgs,
        AnnotatedKernelLaunchInfo,
        WorkspaceAddr,
    )
    from ge.custom_op.base import BaseCustomOp, EagerExecuteOp, EagerOpExecutionContext
    from ge.custom_op.context import get_declare_launch_args_ctx, get_execute_ctx
    from ge.custom_op.proto import register_op
    from ge.custom_op.registry import (
        clear_registered_op_impls,
        get_registered_op_impl_by_descriptor_key,
        get_registered_op_impl_dicts,
        get_registered_op_impls,
        register_op_impl,
    )

# Where each export lives; resolved at first use, so that importing ge.custom_op loads no native code.
_HOME = {
    "BaseCustomOp": "base",
    "AnnotatedArgsContext": "_native",
    "AnnotatedKernelArgs": "_native",
    "AnnotatedKernelLaunchInfo": "_native",
    "EagerExecuteOp": "base",
    "EagerOpExecutionContext": "base",
    "WorkspaceAddr": "_native",
    "clear_registered_op_impls": "registry",
    "get_declare_launch_args_ctx": "context",
    "get_execute_ctx": "context",
    "get_registered_op_impl_by_descriptor_key": "registry",
    "get_registered_op_impl_dicts": "registry",
    "get_registered_op_impls": "registry",
    "register_op": "proto",
    "register_op_impl": "registry",
}

__all__ = [
    "BaseCustomOp",
    "AnnotatedArgsContext",
    "AnnotatedKernelArgs",
    "AnnotatedKernelLaunchInfo",
    "EagerExecuteOp",
    "EagerOpExecutionContext",
    "WorkspaceAddr",
    "clear_registered_op_impls",
    "get_declare_launch_args_ctx",
    "get_execute_ctx",
    "get_registered_op_impl_by_descriptor_key",
    "get_registered_op_impl_dicts",
    "get_registered_op_impls",
    "register_op",
    "register_op_impl",
]

__getattr__, __dir__ = lazy_exports(globals(), {name: f"{__name__}.{home}" for name, home in _HOME.items()})
