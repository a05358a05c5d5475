"""How this project opens a model in onnxruntime."""

from __future__ import annotations

from typing import Any, Union

__all__ = ["open_session"]


def open_session(model: Union[str, bytes]) -> Any:
    """A session that runs the model as it is written: rewriting by onnxruntime would hide or add differences.

    Args:
        model: path of an .onnx file, or its bytes.

    Raises:
        ImportError: onnxruntime is missing.
        Exception: what onnxruntime says of a model that it does not load.
    """
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 4
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
