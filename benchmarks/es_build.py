#!/usr/bin/env python3
"""What it costs to build a graph in Python: ge.es beside onnx_ir, and what importing ge.es takes.

usage: es_build.py [--nodes 100k] [--runs K]

Both make the same chain of Add, Relu and MatMul in this process, by turns; the MatMuls of the second form carry two
attributes that differ from the default. Times are the best of K runs, a node. The import is measured in fresh processes as
the processor time they take, the best of 5 K.
"""

from __future__ import annotations

import argparse
import gc
import os
import resource
import subprocess
import sys
import tempfile
import time
from typing import Callable, Dict

import onnx_ir as ir
from ge.es import GraphBuilder
from ge.es.all import Add, MatMul, Relu
from ge.graph import DataType, Graph


def with_ge(nodes: int, attributes: bool) -> Graph:
    builder = GraphBuilder("chain")
    x = builder.create_input(0, name="x", data_type=DataType.DT_FLOAT, shape=[4, 4])
    w = builder.create_input(1, name="w", data_type=DataType.DT_FLOAT, shape=[4, 4])
    if attributes:
        for _ in range(nodes // 3):
            x = MatMul(Relu(Add(x, w)), w, transpose_x1=True, transpose_x2=True)
    else:
        for _ in range(nodes // 3):
            x = MatMul(Relu(Add(x, w)), w)
    return builder.build_and_reset([x])


def with_onnx_ir(nodes: int, attributes: bool) -> ir.Graph:
    float_matrix = {"type": ir.TensorType(ir.DataType.FLOAT), "shape": ir.Shape([4, 4])}
    x = start = ir.Value(name="x", **float_matrix)
    w = ir.Value(name="w", **float_matrix)
    made = []
    given = {"transpose_x1": 1, "transpose_x2": 1} if attributes else {}
    for _ in range(nodes // 3):
        added = ir.node("Add", [x, w])
        relu = ir.node("Relu", added.outputs)
        product = ir.node("MatMul", [relu.outputs[0], w], attributes=given)
        made += [added, relu, product]
        x = product.outputs[0]
    return ir.Graph([start, w], [x], nodes=made, name="chain", opset_imports={"": 18})


def best(build: Callable[[int, bool], object], nodes: int, attributes: bool, runs: int) -> float:
    """Microseconds a node."""
    times = []
    for _ in range(runs):
        gc.collect()
        start = time.perf_counter()
        graph = build(nodes, attributes)
        times.append(time.perf_counter() - start)
        del graph
    return min(times) * 1e6 / nodes


def processor_time(code: str, runs: int) -> float:
    """Milliseconds of a process that runs `code`, its modules compiled before."""

    def spent() -> float:
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        return usage.ru_utime + usage.ru_stime

    times = []
    with tempfile.TemporaryDirectory() as compiled:
        environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
        environment["PYTHONPYCACHEPREFIX"] = compiled
        for _ in range(runs + 1):
            before = spent()
            subprocess.run([sys.executable, "-c", code], check=True, env=environment)
            times.append(spent() - before)
    return min(times[1:]) * 1e3


def main() -> None:
    parser = argparse.ArgumentParser(description="Building graphs with ge.es and with onnx_ir.")
    parser.add_argument("--nodes", default="100k")
    parser.add_argument("--runs", type=int, default=5)
    arguments = parser.parse_args()
    nodes = int(arguments.nodes.replace("k", "000"))
    tools: Dict[str, Callable[[int, bool], object]] = {"ge.es": with_ge, f"onnx_ir {ir.__version__}": with_onnx_ir}
    print(f"| {nodes} nodes | " + " | ".join(tools) + " | times |")
    print("|---|---:|---:|---:|")
    for attributes in (False, True):
        found = [best(build, nodes, attributes, arguments.runs) for build in tools.values()]
        what = "with two attributes on a third of them" if attributes else "without attributes"
        shown = " | ".join(f"{f:.2f} us a node" for f in found)
        print(f"| {what} | {shown} | {found[1] / found[0]:.1f} |")
    base = processor_time("import ge", 5 * arguments.runs)
    more = processor_time("import ge, ge.es.math", 5 * arguments.runs) - base
    print(f"\n`import ge` takes {base:.1f} ms in a new process, `import ge.es.math` {more:.1f} ms more.")


if __name__ == "__main__":
    main()
