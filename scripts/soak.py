#!/usr/bin/env python3
"""Compiles the models of the samples again and again with all sample passes, and with passes that fail.

usage: soak.py ROUNDS          (ge must be importable)

What scripts/soak.sh runs under valgrind; on its own it prints how much memory the rounds took.
"""

from __future__ import annotations

import gc
import os
import re
import sys
import tempfile
from pathlib import Path

import ge.onnx
import ge.passes
from ge.es.all import Exp, Relu
from ge.passes import PassStage, PatternFusionPass, bootstrap, pattern, register_fusion_pass

SAMPLES = Path(__file__).resolve().parent.parent / "samples"


@register_fusion_pass(name="Failing", stage=PassStage.BEFORE_INFER_SHAPE)
class Failing(PatternFusionPass):
    """Fails after its first replacement, so that everything is undone."""

    @pattern
    def relu(self, inputs):
        return Relu(inputs[0])

    def meet_requirements(self, match_result):
        self.seen = getattr(self, "seen", 0) + 1
        return True

    def replacement(self, inputs):
        if self.seen > 1:
            raise ValueError("on purpose")
        return Exp(inputs[0])


def compile_all(folder: Path) -> None:
    for model in sorted(SAMPLES.glob("*/model.onnx")):
        graph = ge.onnx.load(str(model))
        ge.passes.apply(graph)
        ge.onnx.save(graph, str(folder / "out.onnx"))
    damaged = folder / "damaged.onnx"
    damaged.write_bytes(model.read_bytes()[:-30])
    try:
        ge.onnx.load(str(damaged))
    except Exception as error:  # the point is that it leaves nothing behind
        assert str(error)
    else:
        raise AssertionError("a truncated file was loaded")


def resident_kib() -> int:
    with open("/proc/self/status") as status:
        return int(re.search(r"VmRSS:\s+(\d+)", status.read()).group(1))


def main() -> None:
    rounds = int(sys.argv[1])
    files = [p for p in sorted(SAMPLES.glob("*/*.py")) if p.name != "make_model.py"]
    os.environ[bootstrap.ENV_PY_PASS_PATH] = os.pathsep.join(map(str, files))
    bootstrap.load_pass_plugins()
    with tempfile.TemporaryDirectory() as folder:
        compile_all(Path(folder))
        gc.collect()
        before = resident_kib()
        for _ in range(rounds):
            compile_all(Path(folder))
        gc.collect()
        print(f"{rounds} rounds, {resident_kib() - before} KiB more than before")


if __name__ == "__main__":
    main()
