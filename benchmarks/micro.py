#!/usr/bin/env python3
"""What single things cost: a scan that finds nothing, near misses, a Python filter and a Python replacement a match.

usage: micro.py [--sizes 10k,100k] [--runs K] [--folder DIR]

Times are the best of K runs in this process, as the report of the pass gives them.
"""

from __future__ import annotations

import argparse
import math
import sys
import tempfile
import time
from pathlib import Path

import ge.onnx
from ge.es.all import GEMM, Add, BatchMatMulV2, Conv2D, Neg, Relu
from ge.passes import PassStage, PatternFusionPass, apply, pattern, register_fusion_pass

STAGE = PassStage.BEFORE_INFER_SHAPE


@register_fusion_pass(name="Absent", stage=STAGE)
class Absent(PatternFusionPass):
    """Its operators do not occur."""

    @pattern
    def conv_neg(self, inputs):
        return Neg(Conv2D(inputs[0], inputs[1], strides=[1, 1, 1, 1], pads=[0, 0, 0, 0]))


@register_fusion_pass(name="NearMiss", stage=STAGE)
class NearMiss(PatternFusionPass):
    """Fits six nodes backwards from every Relu and not the seventh, an operator that occurs everywhere else."""

    @pattern
    def two_layers(self, inputs):
        hidden = Relu(Add(BatchMatMulV2(Add(inputs[0], inputs[5]), inputs[1]), inputs[2]))
        return Relu(Add(BatchMatMulV2(hidden, inputs[3]), inputs[4]))

    def replacement(self, inputs):
        raise AssertionError("the pattern does not occur")


@register_fusion_pass(name="RefuseNothing", stage=STAGE)
class Match(PatternFusionPass):
    """Matches a third of the nodes and asks Python for each; False leaves the graph alone."""

    @pattern
    def matmul_add(self, inputs):
        return Add(BatchMatMulV2(inputs[0], inputs[1]), inputs[2])

    def meet_requirements(self, match_result):
        return False


@register_fusion_pass(name="ReadFive", stage=STAGE)
class ReadFive(Match):
    """The same, with a filter that reads five properties."""

    def meet_requirements(self, match_result):
        x, weight = match_result.get_captured_tensor(0), match_result.get_captured_tensor(1)
        x_desc, w_desc = x.node.get_output_desc(x.index), weight.node.get_output_desc(weight.index)
        fits = (
            len(x_desc.shape) == 2 and len(w_desc.shape) == 2 and x_desc.data_type == 0 and weight.node.type == "Const"
        )
        return fits and w_desc.shape[0] != 8


@register_fusion_pass(name="Fuse", stage=STAGE)
class Fuse(Match):
    def meet_requirements(self, match_result):
        return True

    def replacement(self, inputs):
        return GEMM(inputs[0], inputs[1], inputs[2], 1.0, 1.0)


@register_fusion_pass(name="FuseStatic", stage=STAGE)
class FuseStatic(Fuse):
    """The same, with one replacement for all matches and no filter."""

    static_replacement = True
    meet_requirements = PatternFusionPass.meet_requirements


@register_fusion_pass(name="Projections", stage=STAGE)
class Projections(PatternFusionPass):
    """Three outputs: the products of one tensor in every role, none of which is taken."""

    @pattern
    def qkv(self, inputs):
        x, *weights = inputs[:4]
        return [BatchMatMulV2(x, w) for w in weights]

    def meet_requirements(self, match_result):
        return False


def best(path: Path, passes: list, runs: int, fresh: bool) -> float:
    """Seconds of one pass (as its report says), or of `apply` when there is none."""
    found = math.inf
    graph = ge.onnx.load(str(path))
    for _ in range(runs):
        if fresh:
            graph = ge.onnx.load(str(path))
        start = time.perf_counter()
        reports = apply(graph, passes=passes)
        found = min(found, sum(report.seconds for report in reports) if passes else time.perf_counter() - start)
    return found


def count(graph) -> int:
    """Its operators."""
    return len([n for n in graph.get_direct_nodes() if n.type not in ("Data", "Const", "NetOutput")])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", default="10k,100k")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--folder", type=Path)
    args = parser.parse_args()
    sys.path.insert(0, str(Path(__file__).resolve().parent))
    import models

    rows = {}
    with tempfile.TemporaryDirectory() as scratch:
        for size in args.sizes.split(","):
            path = models.make(f"mlp-{size}", args.folder or Path(scratch))
            graph = ge.onnx.load(str(path))
            nodes = count(graph)
            matches = nodes / 3
            absent = best(path, [Absent], args.runs, fresh=False)
            near = best(path, [NearMiss], args.runs, fresh=False)
            trivial = best(path, [Match], args.runs, fresh=False)
            reading = best(path, [ReadFive], args.runs, fresh=False)
            fuse = best(path, [Fuse], args.runs, fresh=True)
            static = best(path, [FuseStatic], args.runs, fresh=True)
            bert = models.make(f"bert-{size}", args.folder or Path(scratch))
            bert_nodes = count(ge.onnx.load(str(bert)))
            qkv = best(bert, [Projections], args.runs, fresh=False)
            rows[nodes] = {
                "scan that finds nothing": (absent, f"{absent * 1e3:.2f} ms, {absent / nodes * 1e9:.0f} ns a node"),
                "near misses": (near, f"{near * 1e3:.2f} ms, {near / nodes * 1e9:.0f} ns a node"),
                "Python filter that says no": (trivial, f"{trivial / matches * 1e6:.2f} us a match"),
                "Python filter that reads five properties": (reading, f"{reading / matches * 1e6:.2f} us a match"),
                "Python filter and replacement": (fuse, f"{fuse / matches * 1e6:.2f} us a match"),
                "static replacement, no filter": (static, f"{static / matches * 1e6:.2f} us a match"),
                "three outputs on a BERT": (qkv, f"{qkv * 1e3:.2f} ms, {qkv / bert_nodes * 1e9:.0f} ns a node"),
            }
    print("| what | " + " | ".join(f"{nodes} nodes" for nodes in rows) + " | growth exponent |")
    print("|---|" + "---:|" * (len(rows) + 1))
    first, last = min(rows), max(rows)
    for what in rows[first]:
        growth = "-"
        if first != last:
            growth = f"{math.log(rows[last][what][0] / rows[first][what][0]) / math.log(last / first):.2f}"
        print(f"| {what} | " + " | ".join(row[what][1] for row in rows.values()) + f" | {growth} |")


if __name__ == "__main__":
    main()
