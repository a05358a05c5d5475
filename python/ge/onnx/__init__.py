"""ONNX files in and out."""

from __future__ import annotations

import os
from typing import Optional, Union

from ge._internal import custom_ops
from ge.graph import Graph
from ge.passes.runtime import ensure_native_module

__all__ = ["load", "save"]

_native = ensure_native_module()


def load(path: Union[str, bytes, os.PathLike[str]]) -> Graph:
    """Reads an ONNX model.

    Weights stay in the file (and in its external data files) until they are asked for: the files must not change while
    the graph is in use.

    Nodes of custom operators, which this process has registered or which ASCEND_CUSTOM_OPP_PATH names, become theirs.

    Args:
        path: the .onnx file.

    Returns:
        The model's graph.

    Raises:
        ge.error.CustomOpError: a custom operator cannot be loaded.
        ge.error.OnnxFileNotFoundError: there is no such file (also a FileNotFoundError).
        ge.error.OnnxError: it is no ONNX model, or one that cannot be read; the text names file, place and reason.
    """
    custom_ops.ensure_known()
    graph: Graph = _native.onnx_load(path)
    return graph


def save(
    graph: Graph,
    path: Union[str, bytes, os.PathLike[str]],
    opset: Optional[int] = None,
    external_data_threshold: Optional[int] = None,
) -> None:
    """Writes a graph as an ONNX model.

    The file appears under its name when it is complete; on an error nothing is left behind. Weights go from file to file
    without a copy in memory. External data is written to one file, ``<path>.data``.

    Args:
        graph: the graph.
        path: the .onnx file.
        opset: operator set to write; None keeps the model's own, raised if an operator needs a later one.
        external_data_threshold: tensors of this many bytes and more become external data, -1: none does. None keeps
            external what was (those of 1 KiB and more), and makes external what would not fit into one file (2 GiB).

    Raises:
        ge.error.OnnxError: the graph cannot be written as ONNX, or the file cannot be written.
    """
    _native.onnx_save(graph, path, opset, external_data_threshold)
