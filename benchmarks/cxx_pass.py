#!/usr/bin/env python3
"""One pattern as a Python pass, as a Python pass with a static replacement, and as a C++ pass, over the same graph.

usage: cxx_pass.py [--matches N] [--runs K]

MatMul + Add becomes GEMM. Times are the best of K runs in this process, as the report of the pass gives them. Needs g++.
"""

from __future__ import annotations

import argparse
import math
import subprocess
import tempfile
from pathlib import Path

import ge.config
from ge.es import GraphBuilder
from ge.es.all import GEMM, Add, BatchMatMulV2
from ge.graph import Graph
from ge.passes import PassStage, PatternFusionPass, load_pass_library, pattern, register_fusion_pass
from ge.passes._native import refresh_python_passes, run_passes

SOURCE = r"""
#include "es_all_ops.h"
#include "ge/fusion/pass/pattern_fusion_pass.h"
using namespace ge;
using namespace ge::fusion;
class CxxFuse : public PatternFusionPass {
 protected:
  std::vector<PatternUniqPtr> Patterns() override {
    es::EsGraphBuilder builder("matmul_add");
    auto [a, b, c] = builder.CreateInputs<3>();
    std::vector<PatternUniqPtr> patterns;
    auto graph = builder.BuildAndReset({es::Add(es::BatchMatMulV2(a, b), c)});
    patterns.push_back(std::make_unique<Pattern>(std::move(*graph)));
    return patterns;
  }
  GraphUniqPtr Replacement(const std::unique_ptr<MatchResult> &) override {
    es::EsGraphBuilder builder("gemm");
    auto [a, b, c] = builder.CreateInputs<3>();
    return builder.BuildAndReset({es::GEMM(a, b, c, 1.0f, 1.0f)});
  }
};
REG_FUSION_PASS(CxxFuse);
"""


@register_fusion_pass(name="Fuse", stage=PassStage.BEFORE_INFER_SHAPE)
class Fuse(PatternFusionPass):
    @pattern
    def matmul_add(self, inputs):
        return Add(BatchMatMulV2(inputs[0], inputs[1]), inputs[2])

    def replacement(self, inputs):
        return GEMM(inputs[0], inputs[1], inputs[2], 1.0, 1.0)


@register_fusion_pass(name="FuseStatic", stage=PassStage.BEFORE_INFER_SHAPE)
class FuseStatic(Fuse):
    static_replacement = True


def chain(matches: int) -> Graph:
    """`matches` times MatMul + Add, one after the other."""
    builder = GraphBuilder("chain")
    tensor, weight, bias = (builder.create_input(i) for i in range(3))
    for _ in range(matches):
        tensor = Add(BatchMatMulV2(tensor, weight), bias)
    return builder.build_and_reset([tensor])


def best(name: str, matches: int, runs: int) -> float:
    """Seconds of the pass over a fresh graph."""
    found = math.inf
    for _ in range(runs):
        report = run_passes(chain(matches), [name], infer_shapes=False)["passes"][0]
        assert report["rewrites"] == matches and not report["failed"], report
        found = min(found, report["seconds"])
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--matches", type=int, default=100_000)
    parser.add_argument("--runs", type=int, default=5)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        source, library = Path(folder) / "fuse.cc", Path(folder) / "libfuse.so"
        source.write_text(SOURCE)
        paths = ["-I", ge.config.get_include(), "-L", ge.config.get_library_dir()]
        command = ["g++", "-std=c++17", "-O2", "-shared", "-fPIC", str(source), "-o", str(library), *paths, "-lge_compiler"]
        subprocess.run(command, check=True)
        load_pass_library(str(library))
        refresh_python_passes()
        times = {name: best(name, args.matches, args.runs) for name in ("CxxFuse", "Fuse", "FuseStatic")}
    print(f"| {args.matches} matches | time | a match | times the C++ pass |")
    print("|---|---:|---:|---:|")
    for name, seconds in times.items():
        ratio = seconds / times["CxxFuse"]
        print(f"| {name} | {seconds * 1e3:.1f} ms | {seconds / args.matches * 1e6:.2f} us | {ratio:.2f} |")
    # What the static form does not do is the callback: the GIL, the match as an object, the hook, its graph.
    callback = times["Fuse"] - times["FuseStatic"]
    share = callback / times["Fuse"] * 100
    print(f"\nA replacement hook in Python: {callback / args.matches * 1e6:.2f} us, {share:.0f} % of the pass under the GIL.")


if __name__ == "__main__":
    main()
