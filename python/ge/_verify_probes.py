"""Further outputs that make a comparison tell more: what goes into a squashing operator at the end of a model.

A sigmoid of -16 is zero for every practical purpose, and so is that of -12: of a model that sees noise, the output
alone shows little. The values before it do.
"""

from __future__ import annotations

import os
from typing import Dict, Optional, Sequence, Tuple

__all__ = ["add_probes", "find_probes"]

_SQUASHING = frozenset(["HardSigmoid", "Sigmoid", "Softmax", "Softsign", "Tanh"])
# The model is rewritten in memory; above this that costs more than it tells.
_LARGEST_FILE = 512 << 20


def find_probes(path: str, outputs: Sequence[str]) -> Dict[str, Tuple[str, str]]:
    """Operator and its input tensor, by the name of the output that it makes; {} if the file is not looked into."""
    import onnx

    if os.path.getsize(path) > _LARGEST_FILE:
        return {}
    graph = onnx.load(path, load_external_data=False).graph
    if any(tensor.data_location == onnx.TensorProto.EXTERNAL for tensor in graph.initializer):
        return {}  # a model in memory has no folder to find its data in
    taken = set(outputs) | {value.name for value in graph.input}
    return {
        node.output[0]: (node.op_type, node.input[0])
        for node in graph.node
        if node.op_type in _SQUASHING and node.domain in ("", "ai.onnx")
        if node.output[0] in outputs and node.input[0] not in taken
    }


def add_probes(path: str, tensors: Sequence[str]) -> Optional[bytes]:
    """The model with these tensors as further outputs; None if there are none."""
    import onnx

    if not tensors:
        return None
    model = onnx.load(path)
    model.graph.output.extend(onnx.ValueInfoProto(name=name) for name in dict.fromkeys(tensors))
    data: bytes = model.SerializeToString()
    return data
