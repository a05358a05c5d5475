"""Many compiles in one process: memory stays where it is."""

from __future__ import annotations

import gc
import os
import re
import sys

import ge.onnx
import pytest
from ge.es.all import Neg, Relu
from ge.passes import PassStage, PatternFusionPass, pattern, register_fusion_pass

from _onnx_models import Net

SANITIZED = "libasan" in os.environ.get("LD_PRELOAD", "")
measured = pytest.mark.skipif(
    SANITIZED or sys.platform != "linux", reason="reads /proc; a sanitizer keeps freed memory"
)


def resident_kib() -> int:
    with open("/proc/self/status") as status:
        return int(re.search(r"VmRSS:\s+(\d+)", status.read()).group(1))


def chain(length):
    net = Net()
    x = net.input("x", [2, 3])
    for _ in range(length):
        x = net.op("Add", net.op("Relu", x), net.const([[1.0, 2.0, 3.0]]))
    net.output(x, [2, 3])
    return net.build()


@measured
def test_memory_does_not_grow_with_the_number_of_compiles(registry, tmp_path):
    @register_fusion_pass(name="ReluToNeg", stage=PassStage.BEFORE_INFER_SHAPE)
    class ReluToNeg(PatternFusionPass):
        @pattern
        def relu(self, inputs):
            return Relu(inputs[0])

        def meet_requirements(self, match_result):
            return match_result.get_captured_tensor(1).node.type == "Relu"

        def replacement(self, inputs):
            return Neg(inputs[0])

    source, target = tmp_path / "source.onnx", tmp_path / "target.onnx"
    source.write_bytes(chain(100).SerializeToString())

    def compile_once():
        graph = ge.onnx.load(str(source))
        registry.apply(graph, passes=[ReluToNeg])
        ge.onnx.save(graph, str(target))

    for _ in range(50):
        compile_once()
    gc.collect()
    before = resident_kib()
    for _ in range(300):
        compile_once()
    gc.collect()
    grown = resident_kib() - before
    assert grown < 2048, f"{grown} KiB after 300 compiles of 200 nodes"


@measured
def test_failed_loads_do_not_leak(tmp_path):
    path = tmp_path / "bad.onnx"
    path.write_bytes(chain(200).SerializeToString()[:-10])

    def load():
        with pytest.raises((ValueError, OSError, RuntimeError)):
            ge.onnx.load(str(path))

    for _ in range(20):
        load()
    gc.collect()
    before = resident_kib()
    for _ in range(300):
        load()
    gc.collect()
    assert resident_kib() - before < 2048


@measured
def test_weights_are_not_held_in_memory(tmp_path):
    """Loading and saving a model with 256 MiB of weights takes a small part of that."""
    import subprocess

    import numpy as np

    net = Net()
    x = net.input("x", [1, 4096])
    for _ in range(4):
        x = net.op("MatMul", x, net.const(np.zeros((4096, 4096), np.float32)))
    net.output(x, [1, 4096])
    source, target = tmp_path / "source.onnx", tmp_path / "target.onnx"
    source.write_bytes(net.build().SerializeToString())
    code = (
        "import re, sys, ge.onnx\n"
        "def anonymous(): return int(re.search(r'RssAnon:\\s+(\\d+)', open('/proc/self/status').read()).group(1))\n"
        "before = anonymous()\n"
        "graph = ge.onnx.load(sys.argv[1]); loaded = anonymous()\n"
        "ge.onnx.save(graph, sys.argv[2])\n"
        "print(loaded - before, anonymous() - before)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(source), str(target)], stdout=subprocess.PIPE, text=True, check=True
    )
    assert all(int(kib) < 32 * 1024 for kib in done.stdout.split()), done.stdout
    assert target.stat().st_size == pytest.approx(source.stat().st_size, rel=0.01)
