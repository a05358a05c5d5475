"""Writes model.onnx: rows repeated twice, then three times, by nodes of the domain my.ops."""

from __future__ import annotations

from pathlib import Path


def make():
    from onnx import TensorProto, helper

    def tensor(name, rows):
        return helper.make_tensor_value_info(name, TensorProto.FLOAT, [rows, 2])

    graph = helper.make_graph(
        [
            helper.make_node("Neg", ["x"], ["a"]),
            helper.make_node("RepeatRows", ["a"], ["b"], domain="my.ops", times=2),
            helper.make_node("RepeatRows", ["b"], ["c"], domain="my.ops", times=3),
            helper.make_node("Relu", ["c"], ["z"]),
        ],
        "custom_op_repeat",
        [tensor("x", 3)],
        [tensor("z", 18)],
    )
    opsets = [helper.make_opsetid("", 13), helper.make_opsetid("my.ops", 1)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=8)


if __name__ == "__main__":
    Path(__file__).with_name("model.onnx").write_bytes(make().SerializeToString())
