#!/usr/bin/env python3
"""What it costs to run a node of a custom operator, above the Python function itself.

usage: custom_op.py [--calls N] [--runs K]

A dispatch goes through the core's factory, its adapter, the bridge and ge.custom_op, which reads two inputs and an attribute and calls
the method. What the method itself costs is found by a second one that does the same eleven times. Around a dispatch an executor makes
inputs of arrays, and an array of the output. CPU time, the median of K turns that alternate.
"""

from __future__ import annotations

import argparse
import statistics
import time
from typing import Any, Callable, Dict, List

import numpy as np

from ge.custom_op import get_execute_ctx, register_op, register_op_impl
from ge.custom_op._artifact_utils import ensure_native_module
from ge.es import GraphBuilder
from ge.runtime import TensorDesc

@register_op(op_type="BenchTwo")
def bench_two(x1: TensorDesc, x2: TensorDesc, *, alpha: float = 1.0) -> TensorDesc:
    return TensorDesc(x1.shape, x1.data_type)


@register_op_impl(op_type="BenchTwo")
class BenchTwo:
    def execute(self, x1, x2, *, alpha: float):
        get_execute_ctx().malloc_output_tensor(0, x1.shape, x1.format, x1.data_type)


@register_op(op_type="BenchTwice")
def bench_twice(x1: TensorDesc, x2: TensorDesc, *, alpha: float = 1.0) -> TensorDesc:
    return TensorDesc(x1.shape, x1.data_type)


@register_op_impl(op_type="BenchTwice")
class BenchTwice:
    # The body of BenchTwo eleven times: a tenth of the difference is what the body costs.
    def execute(self, x1, x2, *, alpha: float):
        for _ in range(11):
            get_execute_ctx().malloc_output_tensor(0, x1.shape, x1.format, x1.data_type)


def runner(op_type: str) -> Any:
    from ge.es import custom

    builder = GraphBuilder(op_type)
    x, y = builder.create_inputs(2)
    graph = builder.build_and_reset([getattr(custom, op_type)(x, y, alpha=0.5)])
    return ensure_native_module().CustomNode(next(n for n in graph.get_all_nodes() if n.type == op_type))


def timed(work: Callable[[], object]) -> float:
    """CPU seconds."""
    start = time.process_time()
    work()
    return time.process_time() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--calls", type=int, default=20_000)
    parser.add_argument("--runs", type=int, default=9)
    options = parser.parse_args()
    arrays = [np.ones((2, 3), np.float32), np.ones((2, 3), np.float32)]
    one, eleven = runner("BenchTwo"), runner("BenchTwice")
    times: Dict[str, List[float]] = {"dispatch": [], "run": [], "eleven": []}
    for _ in range(options.runs):
        times["dispatch"].append(timed(lambda: one.dispatch(arrays, options.calls)) / options.calls)
        times["run"].append(timed(lambda: [one.run(arrays, False) for _ in range(options.calls)]) / options.calls)
        few = options.calls // 5
        times["eleven"].append(timed(lambda: eleven.dispatch(arrays, few)) / few)
    median = {name: statistics.median(values) * 1e6 for name, values in times.items()}
    body = (median["eleven"] - median["dispatch"]) / 10
    print("| | us |\n|---|---:|")
    print(f"| the method's own body | {body:.2f} |")
    print(f"| one dispatch above it | {median['dispatch'] - body:.2f} |")
    print(f"| with two arrays made inputs and the output made an array | {median['run'] - body:.2f} |")


if __name__ == "__main__":
    main()
