#!/usr/bin/env python3
"""Generates the models that are measured.

usage: models.py FOLDER [NAME ...]     names such as mlp-1k, mlp-100k, bert-10k; by default all six

mlp-N   layers of MatMul + Add + Relu on [4, 8] tensors, N nodes
bert-N  an encoder in elementary operators with dynamic batch and length, as exporters write it: LayerNorm in nine
        nodes, GELU in five around Erf, heads split by Shape, Gather, Unsqueeze, Concat, Reshape and Transpose;
        about N nodes

Every value has a value_info. Weights are small and seeded, so the same name gives the same bytes.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from onnx import GraphProto, ModelProto, TensorProto, helper, numpy_helper

SIZES = {"1k": 1_000, "10k": 10_000, "100k": 100_000}
NAMES = [f"{kind}-{size}" for kind in ("mlp", "bert") for size in SIZES]

FLOAT, INT64 = TensorProto.FLOAT, TensorProto.INT64


class Writer:
    """Appends nodes and constants to one graph."""

    def __init__(self, name: str) -> None:
        self.model = ModelProto(ir_version=10, producer_name="ge-py benchmarks")
        self.model.opset_import.append(helper.make_opsetid("", 20))
        self.graph: GraphProto = self.model.graph
        self.graph.name = name
        self.random = np.random.default_rng(7)

    def constant(self, name: str, value: np.ndarray) -> str:
        self.graph.initializer.append(numpy_helper.from_array(value, name))
        return name

    def weight(self, name: str, *shape: int, spread: float = 0.05) -> str:
        return self.constant(name, self.random.normal(0, spread, shape).astype(np.float32))

    def node(self, kind: str, operands: list, shape: list, element: int = FLOAT, **attributes) -> str:
        number = len(self.graph.node)
        result = f"t{number}"
        node = self.graph.node.add(op_type=kind, name=f"{kind}_{number}", input=operands, output=[result])
        node.attribute.extend(helper.make_attribute(key, attributes[key]) for key in sorted(attributes))
        self.graph.value_info.append(helper.make_tensor_value_info(result, element, shape))
        return result

    def input(self, name: str, shape: list, element: int = FLOAT) -> str:
        self.graph.input.append(helper.make_tensor_value_info(name, element, shape))
        return name

    def finish(self, result: str) -> ModelProto:
        info = self.graph.value_info.pop()  # an output is declared in one place only
        assert info.name == result
        self.graph.output.append(info)
        return self.model


def mlp(nodes: int) -> ModelProto:
    w = Writer(f"mlp of {nodes}")
    shape = [4, 8]
    x = w.input("x", shape)
    for layer in range(nodes // 3):
        # Near the identity, so that values neither die out nor overflow in a deep chain.
        matrix = (0.9 * np.eye(8) + w.random.uniform(-0.02, 0.02, (8, 8))).astype(np.float32)
        bias = w.random.uniform(0, 0.2, 8).astype(np.float32)
        x = w.node("MatMul", [x, w.constant(f"layer{layer}.weight", matrix)], shape)
        x = w.node("Add", [x, w.constant(f"layer{layer}.bias", bias)], shape)
        x = w.node("Relu", [x], shape)
    return w.finish(x)


class Bert:
    HIDDEN, HEADS, INNER, LENGTH, WORDS = 32, 4, 64, 8, 100

    def __init__(self, name: str) -> None:
        self.w = Writer(name)
        self.states = ["batch", "length", self.HIDDEN]
        scalar = {
            "two": 2.0,
            "eps": 1e-5,
            "half": 0.5,
            "one": 1.0,
            "sqrt2": 2**0.5,
            "scale": (self.HIDDEN // self.HEADS) ** 0.5,
            "far": -10000.0,
        }
        for key, value in scalar.items():
            self.w.constant(key, np.float32(value))
        for key, value in {
            "last": [-1],
            "first": [0],
            "heads": [self.HEADS],
            "head": [self.HIDDEN // self.HEADS],
            "hidden": [self.HIDDEN],
            "between": [1, 2],
        }.items():
            self.w.constant(key, np.array(value, np.int64))
        for key, value in {"at0": 0, "at1": 1}.items():
            self.w.constant(key, np.int64(value))

    def norm(self, x: str, tag: str) -> str:
        node, mean_shape = self.w.node, ["batch", "length", 1]
        self.w.constant(f"{tag}.scale", self.w.random.uniform(0.5, 1.5, self.HIDDEN).astype(np.float32))
        self.w.weight(f"{tag}.shift", self.HIDDEN)
        centred = node("Sub", [x, node("ReduceMean", [x, "last"], mean_shape, keepdims=1)], self.states)
        square = node("Pow", [centred, "two"], self.states)
        variance = node("ReduceMean", [square, "last"], mean_shape, keepdims=1)
        deviation = node("Sqrt", [node("Add", [variance, "eps"], mean_shape)], mean_shape)
        scaled = node("Mul", [node("Div", [centred, deviation], self.states), f"{tag}.scale"], self.states)
        return node("Add", [scaled, f"{tag}.shift"], self.states)

    def linear(self, x: str, tag: str, rows: int, columns: int) -> str:
        shape = ["batch", "length", columns]
        product = self.w.node("MatMul", [x, self.w.weight(f"{tag}.weight", rows, columns)], shape)
        return self.w.node("Add", [product, self.w.weight(f"{tag}.bias", columns)], shape)

    def sizes(self, x: str, rank: int) -> list:
        """The first two dims of x as vectors of one element."""
        found = []
        for place in ("at0", "at1"):
            shape = self.w.node("Shape", [x], [rank], INT64)
            dim = self.w.node("Gather", [shape, place], [], INT64, axis=0)
            found.append(self.w.node("Unsqueeze", [dim, "first"], [1], INT64))
        return found

    def heads(self, x: str, tag: str, order: list) -> str:
        y = self.linear(x, tag, self.HIDDEN, self.HIDDEN)
        target = self.w.node("Concat", [*self.sizes(y, 3), "heads", "head"], [4], INT64, axis=0)
        dims = ["batch", "length", self.HEADS, self.HIDDEN // self.HEADS]
        y = self.w.node("Reshape", [y, target], dims)
        return self.w.node("Transpose", [y], [dims[i] for i in order], perm=order)

    def gelu(self, x: str) -> str:
        shape = ["batch", "length", self.INNER]
        erf = self.w.node("Erf", [self.w.node("Div", [x, "sqrt2"], shape)], shape)
        product = self.w.node("Mul", [x, self.w.node("Add", [erf, "one"], shape)], shape)
        return self.w.node("Mul", [product, "half"], shape)

    def layer(self, x: str, mask: str, tag: str) -> str:
        node = self.w.node
        query, key, value = (
            self.heads(x, f"{tag}.{part}", order)
            for part, order in (("query", [0, 2, 1, 3]), ("key", [0, 2, 3, 1]), ("value", [0, 2, 1, 3]))
        )
        square = ["batch", self.HEADS, "length", "length"]
        scores = node("Div", [node("MatMul", [query, key], square), "scale"], square)
        weights = node("Softmax", [node("Add", [scores, mask], square)], square, axis=-1)
        size = self.HIDDEN // self.HEADS
        mixed = node("MatMul", [weights, value], ["batch", self.HEADS, "length", size])
        mixed = node("Transpose", [mixed], ["batch", "length", self.HEADS, size], perm=[0, 2, 1, 3])
        target = node("Concat", [*self.sizes(mixed, 4), "hidden"], [3], INT64, axis=0)
        mixed = self.linear(node("Reshape", [mixed, target], self.states), f"{tag}.out", self.HIDDEN, self.HIDDEN)
        x = self.norm(node("Add", [mixed, x], self.states), f"{tag}.norm1")
        inner = self.gelu(self.linear(x, f"{tag}.up", self.HIDDEN, self.INNER))
        return self.norm(
            node("Add", [self.linear(inner, f"{tag}.down", self.INNER, self.HIDDEN), x], self.states), f"{tag}.norm2"
        )

    def build(self, layers: int) -> ModelProto:
        w, ids = self.w, ["batch", "length"]
        words, kinds, mask = (w.input(name, ids, INT64) for name in ("input_ids", "token_type_ids", "attention_mask"))
        w.constant("positions", np.arange(self.LENGTH, dtype=np.int64)[None])
        parts = [
            w.node("Gather", [w.weight("words", self.WORDS, self.HIDDEN, spread=0.5), words], self.states, axis=0),
            w.node("Gather", [w.weight("kinds", 2, self.HIDDEN, spread=0.5), kinds], self.states, axis=0),
            w.node(
                "Gather",
                [w.weight("places", self.LENGTH, self.HIDDEN, spread=0.5), "positions"],
                [1, self.LENGTH, self.HIDDEN],
                axis=0,
            ),
        ]
        x = w.node("Add", [w.node("Add", parts[:2], self.states), parts[2]], self.states)
        x = self.norm(x, "embedding")
        flat = ["batch", 1, 1, "length"]
        hidden = w.node("Cast", [w.node("Unsqueeze", [mask, "between"], flat, INT64)], flat, to=FLOAT)
        mask = w.node("Mul", [w.node("Sub", ["one", hidden], flat), "far"], flat)
        for layer in range(layers):
            x = self.layer(x, mask, f"layer{layer}")
        return w.finish(x)


def bert(nodes: int) -> ModelProto:
    small = Bert("size").build(2).graph.node, Bert("size").build(1).graph.node
    a_layer = len(small[0]) - len(small[1])
    return Bert(f"bert of {nodes}").build(max(1, round((nodes - len(small[1])) / a_layer) + 1))


def make(name: str, folder: Path) -> Path:
    """Writes the model of that name unless it is there."""
    path = folder / f"{name}.onnx"
    if not path.exists():
        kind, size = name.split("-")
        model = {"mlp": mlp, "bert": bert}[kind](SIZES.get(size) or int(size))
        folder.mkdir(parents=True, exist_ok=True)
        partial = path.with_suffix(".part")
        partial.write_bytes(model.SerializeToString())
        partial.rename(path)
    return path


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    for wanted in sys.argv[2:] or NAMES:
        made = make(wanted, Path(sys.argv[1]))
        print(f"{made} {made.stat().st_size} bytes")
