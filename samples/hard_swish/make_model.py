"""Writes model.onnx: two convolutions, each followed by a hard swish in its parts, as an exporter without it writes."""

from __future__ import annotations

from pathlib import Path


def make():
    import numpy as np
    from onnx import TensorProto, checker, helper, numpy_helper

    random = np.random.default_rng(5)

    def weight(name, *shape):
        return numpy_helper.from_array(random.normal(0, 0.6, shape).astype(np.float32), name)

    graph = helper.make_graph(
        [
            helper.make_node("Conv", ["image", "w0", "b0"], ["c0"], kernel_shape=[3, 3], strides=[2, 2], pads=[1] * 4),
            helper.make_node("Add", ["c0", "three"], ["a0"]),
            helper.make_node("Clip", ["a0", "zero", "six"], ["k0"]),
            helper.make_node("Mul", ["c0", "k0"], ["m0"]),
            helper.make_node("Div", ["m0", "six"], ["h0"]),
            helper.make_node("Conv", ["h0", "w1", "b1"], ["c1"], kernel_shape=[1, 1]),
            helper.make_node("Add", ["three_of_one", "c1"], ["a1"]),
            helper.make_node("Clip", ["a1", "zero", "six"], ["k1"]),
            helper.make_node("Mul", ["k1", "c1"], ["m1"]),
            helper.make_node("Div", ["m1", "six_of_one"], ["features"]),
        ],
        "hard_swish_twice",
        [helper.make_tensor_value_info("image", TensorProto.FLOAT, ["batch", 3, 32, 32])],
        [helper.make_tensor_value_info("features", TensorProto.FLOAT, ["batch", 8, 16, 16])],
        [
            weight("w0", 4, 3, 3, 3),
            weight("b0", 4),
            weight("w1", 8, 4, 1, 1),
            weight("b1", 8),
            numpy_helper.from_array(np.array(3, np.float32), "three"),
            numpy_helper.from_array(np.array(0, np.float32), "zero"),
            numpy_helper.from_array(np.array(6, np.float32), "six"),
            numpy_helper.from_array(np.array([3], np.float32), "three_of_one"),
            numpy_helper.from_array(np.array([6], np.float32), "six_of_one"),
        ],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 12)], ir_version=7)
    checker.check_model(model, full_check=True)
    return model


if __name__ == "__main__":
    Path(__file__).with_name("model.onnx").write_bytes(make().SerializeToString())
