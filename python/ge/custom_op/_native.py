"""The native classes behind ge.custom_op and ge.runtime, from the artifact set that fits this interpreter."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ge.custom_op._artifact_utils import ensure_native_module

_module = ensure_native_module()

if TYPE_CHECKING:
    from ge.custom_op._ge_custom_op_native import (
        AnnotatedArgsContext,
        AnnotatedKernelArgs,
        AnnotatedKernelLaunchInfo,
        EagerOpExecutionContext,
        ExpandDimsType,
        OnnxNode,
        RuntimeAttrs,
        Shape,
        StorageFormat,
        StorageShape,
        Tensor,
        TensorDesc,
        WorkspaceAddr,
    )
else:
    AnnotatedArgsContext = _module.AnnotatedArgsContext
    AnnotatedKernelArgs = _module.AnnotatedKernelArgs
    AnnotatedKernelLaunchInfo = _module.AnnotatedKernelLaunchInfo
    EagerOpExecutionContext = _module.EagerOpExecutionContext
    ExpandDimsType = _module.ExpandDimsType
    OnnxNode = _module.OnnxNode
    RuntimeAttrs = _module.RuntimeAttrs
    Shape = _module.Shape
    StorageFormat = _module.StorageFormat
    StorageShape = _module.StorageShape
    Tensor = _module.Tensor
    TensorDesc = _module.TensorDesc
    WorkspaceAddr = _module.WorkspaceAddr

__all__ = [
    "AnnotatedArgsContext",
    "AnnotatedKernelArgs",
    "AnnotatedKernelLaunchInfo",
    "EagerOpExecutionContext",
    "ExpandDimsType",
    "OnnxNode",
    "RuntimeAttrs",
    "Shape",
    "StorageFormat",
    "StorageShape",
    "Tensor",
    "TensorDesc",
    "WorkspaceAddr",
]
