"""Writes model.onnx: SumCustom([SumCustom([x, y]), x]) of the domain my.ops."""

from __future__ import annotations

from pathlib import Path


def make():
    from onnx import TensorProto, helper

    def tensor(name):
        return helper.make_tensor_value_info(name, TensorProto.FLOAT, ["batch", 4])

    graph = helper.make_graph(
        [
            helper.make_node("Sigmoid", ["x"], ["a"]),
            helper.make_node("SumCustom", ["a", "y"], ["s"], domain="my.ops"),
            helper.make_node("SumCustom", ["s", "x"], ["z"], domain="my.ops"),
        ],
        "custom_op_sum",
        [tensor("x"), tensor("y")],
        [tensor("z")],
    )
    opsets = [helper.make_opsetid("", 13), helper.make_opsetid("my.ops", 1)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=8)


if __name__ == "__main__":
    Path(__file__).with_name("model.onnx").write_bytes(make().SerializeToString())
