#!/usr/bin/env python3
"""What it costs that a failed pass can be undone: the same replacements outside of a pass, where nothing is noted, and inside.

usage: transaction.py [--nodes N] [--runs K]

Every second node of a chain is replaced by one other node: boundaries and replacements are made before, so that the time is
that of the rewriter. CPU time, the median of K turns that alternate.
"""

from __future__ import annotations

import argparse
import gc
import statistics
import time
from typing import Any, Callable, List, Tuple

from ge.es import GraphBuilder
from ge.es.all import Abs, Exp, Relu
from ge.graph import Graph
from ge.passes import FusionBasePass, SubgraphBoundary, SubgraphInput, SubgraphOutput, SubgraphRewriter, apply


def chain(nodes: int) -> Graph:
    builder = GraphBuilder("chain")
    x = builder.create_input(0, shape=[8])
    for _ in range(nodes):
        x = Abs(Relu(x))
    return builder.build_and_reset([x])


def places(graph: Graph) -> List[Tuple[SubgraphBoundary, Graph]]:
    """A boundary and a replacement for every Relu."""
    made = []
    for node in graph.get_direct_nodes():
        if node.type != "Relu":
            continue
        boundary = SubgraphBoundary()
        boundary.add_input(0, SubgraphInput([(node, 0)]))
        boundary.add_output(0, SubgraphOutput(node, 0))
        builder = GraphBuilder("replacement")
        made.append((boundary, builder.build_and_reset([Exp(builder.create_input(0))])))
    return made


def replace_all(work: List[Tuple[SubgraphBoundary, Graph]]) -> float:
    """CPU seconds."""
    start = time.process_time()
    for boundary, replacement in work:
        SubgraphRewriter.replace(boundary, replacement)
    return time.process_time() - start


def outside(nodes: int) -> float:
    graph = chain(nodes)
    return replace_all(places(graph))


def inside(nodes: int) -> float:
    spent: List[float] = []

    class Rewrite(FusionBasePass):
        def run(self, graph: Graph, context: Any) -> None:
            spent.append(replace_all(places(graph)))

    (result,) = apply(chain(nodes), passes=[Rewrite])
    assert not result.failed, result
    return spent[0]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nodes", type=int, default=20_000)
    parser.add_argument("--runs", type=int, default=9)
    args = parser.parse_args()
    cases: "dict[str, Callable[[int], float]]" = {"outside": outside, "inside": inside}
    times: "dict[str, List[float]]" = {name: [] for name in cases}
    for _ in range(args.runs):
        for name, case in cases.items():
            gc.collect()
            times[name].append(case(args.nodes) / args.nodes * 1e6)
    plain, noted = statistics.median(times["outside"]), statistics.median(times["inside"])
    print("| replacements | outside of a pass | inside a pass | times |\n|---|---:|---:|---:|")
    print(f"| {args.nodes} | {plain:.2f} us | {noted:.2f} us | {noted / plain:.2f} |")


if __name__ == "__main__":
    main()
