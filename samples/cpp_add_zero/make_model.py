"""Writes model.onnx: (x + 0) + y, and 0 + the sum."""

from __future__ import annotations

from pathlib import Path


def make():
    import numpy as np
    from onnx import TensorProto, checker, helper, numpy_helper

    def tensor(name):
        return helper.make_tensor_value_info(name, TensorProto.FLOAT, ["batch", 2])

    graph = helper.make_graph(
        [
            helper.make_node("Add", ["x", "zero"], ["same"]),
            helper.make_node("Add", ["same", "y"], ["sum"]),
            helper.make_node("Add", ["zeros", "sum"], ["z"]),
        ],
        "add_zero",
        [tensor("x"), tensor("y")],
        [tensor("z")],
        [
            numpy_helper.from_array(np.array(0, np.float32), "zero"),
            numpy_helper.from_array(np.zeros((1, 2), np.float32), "zeros"),
        ],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    checker.check_model(model, full_check=True)
    return model


if __name__ == "__main__":
    Path(__file__).with_name("model.onnx").write_bytes(make().SerializeToString())
