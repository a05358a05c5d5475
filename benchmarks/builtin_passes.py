#!/usr/bin/env python3
"""Built-in passes: what they cost a node, and what they do to real models beside onnxslim and onnxsim.

usage: builtin_passes.py [--models FOLDER] [--peers PYTHON] [--runs K] [--generated FOLDER]

--models      real models as scripts/fetch_real_models.py puts them (files *.onnx); left out: none
--peers       a Python with onnxslim and onnxsim; left out: they are not measured
--generated   where models.py has put, or is to put, bert-100k and mlp-100k; left out: none

Each tool loads, optimises and saves a model in a process of its own, K times; the best time counts, imports do not.
Outputs are compared in onnxruntime without its own optimisations, on seeded inputs.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

TOOLS = {
    "ge-py --oo_level=O3": """
import ge.onnx
from ge.passes._apply import apply
def optimise(source, target):
    graph = ge.onnx.load(source)
    apply(graph, passes=[], on_error="fail", options={"ge.oo.level": "O3"})
    ge.onnx.save(graph, target)
""",
    "onnxslim": """
import onnxslim
def optimise(source, target):
    onnxslim.slim(source, target)
""",
    "onnxsim": """
import onnx, onnxsim
def optimise(source, target):
    model, ok = onnxsim.simplify(onnx.load(source))
    assert ok
    onnx.save(model, target)
""",
}

TIMED = """
import json, re, sys, time
source, target, runs = sys.argv[1], sys.argv[2], int(sys.argv[3])
best = None
for _ in range(runs):
    start = time.perf_counter()
    optimise(source, target)
    taken = time.perf_counter() - start
    best = taken if best is None else min(best, taken)
peak = int(re.search(r"VmHWM:\\s+(\\d+)", open("/proc/self/status").read()).group(1)) / 1024
print("RESULT " + json.dumps({"seconds": best, "peak": peak}))
"""


def measure(tool: str, python: str, source: Path, target: Path, runs: int) -> dict | None:
    command = [python, "-c", TOOLS[tool] + TIMED, str(source), str(target), str(runs)]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=900)
    for line in done.stdout.splitlines():
        if line.startswith("RESULT "):
            return json.loads(line[7:])
    print(f"{tool} failed on {source.name}: {done.stdout.strip().splitlines()[-1:]}", file=sys.stderr)
    return None


def nodes(path: Path) -> int:
    import onnx

    return sum(
        node.op_type != "Constant" for node in onnx.load(str(path), load_external_data=False).graph.node
    )


def outputs(path: Path, sizes: tuple) -> list:
    import numpy as np
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    random = np.random.default_rng(0)
    feeds = {}
    for info in session.get_inputs():
        shape = [d if isinstance(d, int) and d > 0 else sizes[i] for i, d in enumerate(info.shape)]
        if "float" in info.type:
            feeds[info.name] = random.normal(size=shape).astype(
                np.float16 if "16" in info.type else np.float32
            )
        else:
            feeds[info.name] = random.integers(0, 100, shape).astype(
                np.int64 if "64" in info.type else np.int32
            )
    return session.run(None, feeds)


def difference(before: list, after: list) -> float:
    """As atc --verify has it: the largest difference of an output, relative to its largest value or 0.01."""
    import numpy as np

    worst = 0.0
    for one, other in zip(before, after):
        scale = max(float(np.max(np.abs(one.astype(float)), initial=0.0)), 0.01)
        worst = max(
            worst, float(np.max(np.abs(one.astype(float) - other.astype(float)), initial=0.0)) / scale
        )
    return worst


def real_models(folder: Path, peers: str | None, runs: int, scratch: Path) -> None:
    print("| model | tool | nodes before | nodes after | time | peak memory | largest difference |")
    print("|---|---|---|---|---|---|---|")
    for source in sorted(folder.glob("*.onnx")):
        # The detection network wants multiples of 32, the other networks a line of text.
        sizes = (1, 3, 96, 96) if "det" in source.stem else (1, 3, 48, 192)
        expected = outputs(source, sizes)
        for tool in TOOLS:
            python = sys.executable if tool.startswith("ge-py") else peers
            if python is None:
                continue
            target = scratch / "out.onnx"
            result = measure(tool, python, source, target, runs)
            if result is None:
                continue
            diff = difference(expected, outputs(target, sizes))
            print(
                f"| {source.stem} | {tool} | {nodes(source)} | {nodes(target)} | {result['seconds'] * 1e3:.0f} ms "
                f"| {result['peak']:.0f} MiB | {diff:.1e} |",
                flush=True,
            )


def cost_a_node(folder: Path, runs: int) -> None:
    import ge.onnx
    from ge.passes._apply import apply

    for name in ("mlp-100k", "bert-100k"):
        path = folder / f"{name}.onnx"
        if not path.is_file():
            subprocess.run(
                [sys.executable, str(Path(__file__).with_name("models.py")), str(folder), name], check=True
            )
        best: dict = {}
        for _ in range(runs):
            graph = ge.onnx.load(str(path))
            count = len(graph.get_direct_nodes())
            for r in apply(graph, passes=[], on_error="fail", options={"ge.oo.level": "O3"}):
                if r.name not in best or r.seconds < best[r.name].seconds:
                    best[r.name] = r
        print(f"\n| pass, on {name} ({count} nodes, constants included) | rewrites | time | a node |")
        print("|---|---|---|---|")
        for r in best.values():
            print(
                f"| {r.name} | {r.rewrites} | {r.seconds * 1e3:.1f} ms | {r.seconds / count * 1e6:.2f} us |"
            )
        total = sum(r.seconds for r in best.values())
        print(f"| all | | {total * 1e3:.1f} ms | {total / count * 1e6:.2f} us |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description="cost and effect of the built-in passes")
    parser.add_argument("--models", type=Path)
    parser.add_argument("--peers")
    parser.add_argument("--generated", type=Path)
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    if options.models:
        with tempfile.TemporaryDirectory() as scratch:
            real_models(options.models, options.peers, options.runs, Path(scratch))
    if options.generated:
        options.generated.mkdir(parents=True, exist_ok=True)
        cost_a_node(options.generated, options.runs)


if __name__ == "__main__":
    main()
