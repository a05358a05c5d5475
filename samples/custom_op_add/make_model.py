"""Writes model.onnx: AddCustom(AddCustom(x, 0), y) of the domain my.ops, between standard operators."""

from __future__ import annotations

from pathlib import Path


def make():
    import numpy as np
    from onnx import TensorProto, helper, numpy_helper

    def tensor(name):
        return helper.make_tensor_value_info(name, TensorProto.FLOAT, [2, 3])

    graph = helper.make_graph(
        [
            helper.make_node("Relu", ["x"], ["positive"]),
            helper.make_node("AddCustom", ["positive", "zeros"], ["same"], domain="my.ops"),
            helper.make_node("AddCustom", ["same", "y"], ["sum"], domain="my.ops", alpha=0.5),
            helper.make_node("Tanh", ["sum"], ["z"]),
        ],
        "custom_op_add",
        [tensor("x"), tensor("y")],
        [tensor("z")],
        [numpy_helper.from_array(np.zeros((2, 3), np.float32), "zeros")],
    )
    opsets = [helper.make_opsetid("", 13), helper.make_opsetid("my.ops", 1)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=8)


if __name__ == "__main__":
    Path(__file__).with_name("model.onnx").write_bytes(make().SerializeToString())
