"""An encoder of BERT-base's size in elementary operators, as exporters write it: in and out unchanged."""

from __future__ import annotations

import ge.onnx
import numpy as np
import onnx
import pytest
from onnx import TensorProto

from _onnx_models import Net, run
from _roundtrip_oracle import same

LAYERS, HIDDEN, HEADS, INNER, LENGTH = 12, 768, 12, 3072, 16


class Encoder(Net):
    def __init__(self):
        super().__init__(opset=17)
        self.random = np.random.default_rng(0)

    def weight(self, *shape):
        return self.const(self.random.standard_normal(shape, np.float32) * np.float32(0.04))

    def linear(self, x, rows, columns):
        return self.op("Add", self.op("MatMul", x, self.weight(rows, columns)), self.weight(columns))

    def norm(self, x):
        centred = self.op("Sub", x, self.op("ReduceMean", x, axes=[-1]))
        variance = self.op("ReduceMean", self.op("Pow", centred, self.const(2.0)), axes=[-1])
        root = self.op("Sqrt", self.op("Add", variance, self.const(1e-12)))
        return self.op("Add", self.op("Mul", self.op("Div", centred, root), self.weight(HIDDEN)), self.weight(HIDDEN))

    def heads(self, x, order):
        sizes = self.const([0, LENGTH, HEADS, HIDDEN // HEADS], dtype=np.int64)
        return self.op("Transpose", self.op("Reshape", x, sizes), perm=order)

    def gelu(self, x):
        gate = self.op("Add", self.op("Erf", self.op("Div", x, self.const(2**0.5))), self.const(1.0))
        return self.op("Mul", self.op("Mul", x, gate), self.const(0.5))

    def layer(self, x, mask):
        q, k, v = (self.linear(x, HIDDEN, HIDDEN) for _ in range(3))
        scores = self.op("MatMul", self.heads(q, [0, 2, 1, 3]), self.heads(k, [0, 2, 3, 1]))
        scores = self.op("Add", self.op("Div", scores, self.const((HIDDEN / HEADS) ** 0.5)), mask)
        mixed = self.op("MatMul", self.op("Softmax", scores, axis=-1), self.heads(v, [0, 2, 1, 3]))
        mixed = self.op("Reshape", self.op("Transpose", mixed, perm=[0, 2, 1, 3]), self.const([0, LENGTH, HIDDEN], dtype=np.int64))
        x = self.norm(self.op("Add", self.linear(mixed, HIDDEN, HIDDEN), x))
        return self.norm(self.op("Add", self.linear(self.gelu(self.linear(x, HIDDEN, INNER)), INNER, HIDDEN), x))


@pytest.fixture(scope="module")
def encoder(tmp_path_factory):
    net = Encoder()
    x = net.input("x", ["batch", LENGTH, HIDDEN])
    mask = net.op("Mul", net.op("Sub", net.const(1.0), net.input("mask", ["batch", 1, 1, LENGTH])), net.const(-1e4))
    for _ in range(LAYERS):
        x = net.layer(x, mask)
    net.output(x, ["batch", LENGTH, HIDDEN], TensorProto.FLOAT)
    path = tmp_path_factory.mktemp("encoder") / "encoder.onnx"
    path.write_bytes(net.build().SerializeToString())
    feeds = {
        "x": net.random.standard_normal((2, LENGTH, HIDDEN), np.float32),
        "mask": (net.random.random((2, 1, 1, LENGTH)) > 0.3).astype(np.float32),
    }
    return path, feeds, run(path, feeds)


@pytest.mark.parametrize("threshold", [None, 1024], ids=["inline", "external"])
def test_in_and_out_gives_the_same_bits(threshold, encoder, tmp_path):
    path, feeds, wanted = encoder
    target = tmp_path / "target.onnx"
    ge.onnx.save(ge.onnx.load(path), target, external_data_threshold=threshold)
    assert path.stat().st_size > 300e6
    assert same(wanted, run(target, feeds))
    before, after = (onnx.load(str(p), load_external_data=False).graph.node for p in (path, target))
    assert [n.name for n in before] == [n.name for n in after]
