"""Writes model.onnx: a convolution with three groups and a bias, then a max pool."""

from __future__ import annotations

from pathlib import Path


def make():
    import numpy as np
    from onnx import TensorProto, checker, helper, numpy_helper

    random = np.random.default_rng(3)
    graph = helper.make_graph(
        [
            helper.make_node(
                "Conv", ["x", "w", "b"], ["conv"], group=3, kernel_shape=[3, 3], strides=[2, 1], pads=[1, 0, 1, 2]
            ),
            helper.make_node("MaxPool", ["conv"], ["y"], kernel_shape=[3, 3], strides=[3, 3]),
        ],
        "grouped_conv",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 6, 9, 9])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 6, 1, 3])],
        [
            numpy_helper.from_array(random.normal(0, 0.3, (6, 2, 3, 3)).astype(np.float32), "w"),
            numpy_helper.from_array(random.normal(0, 0.3, 6).astype(np.float32), "b"),
        ],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    checker.check_model(model, full_check=True)
    return model


if __name__ == "__main__":
    Path(__file__).with_name("model.onnx").write_bytes(make().SerializeToString())
