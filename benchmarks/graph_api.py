#!/usr/bin/env python3
"""Costs of the graph API: walking, reading attributes and building, beside onnx_ir and a bare ctypes call.

usage: graph_api.py [--nodes N] [--runs K]

All sides hold a chain of N nodes of the same kinds in this process and take turns; a row is the best of K runs. onnx_ir is
pure Python. Times are of the CPU. The ctypes column is one call of libc's labs for each of the N nodes.
"""

from __future__ import annotations

import argparse
import ctypes
import gc
import math
import time
from typing import Any, Callable, Dict, List, Tuple

import onnx_ir as ir
from ge.es import GraphBuilder
from ge.es.all import Add, Elu

Case = Callable[[], Any]


def ge_graph(nodes: int) -> Any:
    """A chain in which every node but the first reads two others."""
    builder = GraphBuilder("chain")
    x = previous = builder.create_input(0, shape=[8])
    for i in range(nodes // 2):
        previous, x = x, Add(Elu(x, alpha=0.5), previous)
    return builder.build_and_reset([x])


def ir_graph(nodes: int) -> Any:
    x = previous = first = ir.val("x", shape=ir.Shape([8]), type=ir.TensorType(ir.DataType.FLOAT))
    made = []
    for i in range(nodes // 2):
        elu = ir.node("Elu", [x], attributes={"alpha": 0.5}, name=f"Elu_{i}")
        add = ir.node("Add", [elu.outputs[0], previous], name=f"Add_{i}")
        made += [elu, add]
        previous, x = x, add.outputs[0]
    return ir.Graph([first], [x], nodes=made, name="chain")


def ge_walk(graph: Any) -> int:
    found = 0
    for node in graph.get_direct_nodes():
        if node.type == "Add":
            for i in range(node.get_inputs_size()):
                producer, _ = node.get_in_data_nodes_and_port_indexes(i)
                found += producer.type == "Elu"
    return found


def ir_walk(graph: Any) -> int:
    found = 0
    for node in graph:
        if node.op_type == "Add":
            for value in node.inputs:
                producer = value.producer()
                found += producer is not None and producer.op_type == "Elu"
    return found


def ge_attributes(nodes: List[Any]) -> float:
    total = 0.0
    for node in nodes:
        total += node.get_attr("alpha")
    return total


def ir_attributes(nodes: List[Any]) -> float:
    total = 0.0
    for node in nodes:
        total += node.attributes["alpha"].as_float()
    return total


def ge_types(nodes: List[Any]) -> int:
    return sum(node.type == "Elu" for node in nodes)


def ir_types(nodes: List[Any]) -> int:
    return sum(node.op_type == "Elu" for node in nodes)


def calls(function: Any, nodes: int) -> None:
    for i in range(nodes):
        function(i)


def take_turns(cases: List[Tuple[str, Case]], runs: int) -> Dict[str, float]:
    """CPU seconds of the best run of each."""
    best = {name: math.inf for name, _ in cases}
    for _ in range(runs):
        for name, case in cases:
            gc.collect()
            start = time.process_time()
            kept = case()
            best[name] = min(best[name], time.process_time() - start)
            del kept
    return best


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nodes", type=int, default=100_000)
    parser.add_argument("--runs", type=int, default=5)
    args = parser.parse_args()

    labs = ctypes.CDLL(None).labs
    labs.argtypes, labs.restype = [ctypes.c_long], ctypes.c_long
    ours, theirs = ge_graph(args.nodes), ir_graph(args.nodes)
    our_elus = [n for n in ours.get_direct_nodes() if n.type == "Elu"]
    their_elus = [n for n in theirs if n.op_type == "Elu"]
    assert ge_walk(ours) == ir_walk(theirs) and ge_attributes(our_elus) == ir_attributes(their_elus)

    rows: Dict[str, Tuple[Case, Case, int]] = {
        "walk, types and input producers": (lambda: ge_walk(ours), lambda: ir_walk(theirs), args.nodes),
        "get_attr": (lambda: ge_attributes(our_elus), lambda: ir_attributes(their_elus), len(our_elus)),
        "type of a node at hand": (lambda: ge_types(our_elus), lambda: ir_types(their_elus), len(our_elus)),
        "build": (lambda: ge_graph(args.nodes), lambda: ir_graph(args.nodes), args.nodes),
    }
    print("| what, a node | ge-py | onnx_ir | ctypes call |\n|---|---:|---:|---:|")
    for what, (our_case, their_case, count) in rows.items():
        best = take_turns([("ge", our_case), ("ir", their_case), ("c", lambda: calls(labs, count))], args.runs)
        ge_time, ir_time, c_time = (best[name] / count * 1e9 for name in ("ge", "ir", "c"))
        print(f"| {what} | {ge_time:.0f} ns | {ir_time:.0f} ns ({ir_time / ge_time:.1f}x) | {c_time:.0f} ns |")


if __name__ == "__main__":
    main()
