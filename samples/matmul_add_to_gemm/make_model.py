"""Writes model.onnx: a small perceptron with float32 and float16 layers, and one with the bias of matcher_config.py."""

from __future__ import annotations

from pathlib import Path


def make():
    import numpy as np
    from onnx import TensorProto, checker, helper, numpy_helper

    random = np.random.default_rng(1)

    def constant(name, *shape, dtype="float32"):
        return numpy_helper.from_array(random.normal(0, 0.3, shape).astype(dtype), name)

    nodes = [
        helper.make_node("MatMul", ["x", "w0"], ["product0"]),
        helper.make_node("Add", ["product0", "b0"], ["sum0"]),
        helper.make_node("Relu", ["sum0"], ["hidden0"]),
        helper.make_node("MatMul", ["hidden0", "w1"], ["product1"]),
        helper.make_node("Add", ["b1", "product1"], ["hidden1"]),
        helper.make_node("Cast", ["hidden1"], ["half"], to=TensorProto.FLOAT16),
        helper.make_node("MatMul", ["half", "w2"], ["product2"]),
        helper.make_node("Add", ["product2", "b2"], ["sum2"]),
        helper.make_node("Cast", ["sum2"], ["float"], to=TensorProto.FLOAT),
        helper.make_node("MatMul", ["float", "w3"], ["product3"]),
        helper.make_node("Add", ["product3", "tenth"], ["y"]),
    ]
    weights = [
        constant("w0", 4, 8),
        constant("b0", 8),
        constant("w1", 8, 8),
        constant("b1", 2, 8),
        constant("w2", 8, 3, dtype="float16"),
        constant("b2", 1, 3, dtype="float16"),
        constant("w3", 3, 2),
        numpy_helper.from_array(np.full((2, 2), 0.1, np.float32), "tenth"),
    ]
    graph = helper.make_graph(
        nodes,
        "perceptron",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [2, 4])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [2, 2])],
        weights,
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    checker.check_model(model, full_check=True)
    return model


if __name__ == "__main__":
    Path(__file__).with_name("model.onnx").write_bytes(make().SerializeToString())
