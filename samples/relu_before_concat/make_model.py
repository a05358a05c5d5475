"""Writes model.onnx: three inputs, concatenated, then Relu."""

from __future__ import annotations

from pathlib import Path


def make():
    from onnx import TensorProto, checker, helper

    def tensor(name, rows):
        return helper.make_tensor_value_info(name, TensorProto.FLOAT, [rows, 8, 16])

    graph = helper.make_graph(
        [
            helper.make_node("Concat", ["a", "b", "c"], ["joined"], axis=0),
            helper.make_node("Relu", ["joined"], ["y"]),
        ],
        "concat_relu",
        [tensor("a", 4), tensor("b", 1), tensor("c", 3)],
        [tensor("y", 8)],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    checker.check_model(model, full_check=True)
    return model


if __name__ == "__main__":
    Path(__file__).with_name("model.onnx").write_bytes(make().SerializeToString())
