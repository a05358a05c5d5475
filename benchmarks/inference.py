#!/usr/bin/env python3
"""Times shape inference of large models beside onnx's own and onnx_ir's, in one run.

usage: inference.py [--models mlp-100k,bert-100k] [--runs K] [--folder DIR] [--only TOOL]

The models declare their inputs and nothing else. Loading is not timed; every round infers a freshly loaded model. Tools take
turns in processes of their own, and the table has the median of K rounds. onnx's inference works on bytes: parsing and
writing them is what it costs whoever calls it. onnx_ir has no inference of its own: its pass hands the model to onnx and
reads the result back.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
OURS, ONNX, IR = "ge-py", "onnx.shape_inference", "onnx_ir ShapeInferencePass"


def with_ge(path: Path):
    import ge.onnx
    from ge.utils import GeUtils

    graph = ge.onnx.load(path)
    inputs = [n for n in graph.get_direct_nodes() if n.type == "Data"]
    shapes = [list(n.get_output_desc(0).shape) for n in inputs]
    start = time.perf_counter()
    GeUtils.infer_shape(graph, shapes)
    seconds = time.perf_counter() - start
    end = next(n for n in graph.get_direct_nodes() if n.type == "NetOutput")
    producer, port = end.get_in_data_nodes_and_port_indexes(0)
    return seconds, list(producer.get_output_desc(port).shape)


def with_onnx(path: Path):
    import onnx

    data = path.read_bytes()
    start = time.perf_counter()
    inferred = onnx.shape_inference.infer_shapes(data)
    seconds = time.perf_counter() - start
    dims = inferred.graph.output[0].type.tensor_type.shape.dim
    return seconds, [d.dim_value or -1 for d in dims]


def with_onnx_ir(path: Path):
    import onnx_ir
    from onnx_ir.passes.common import ShapeInferencePass

    model = onnx_ir.load(path)
    start = time.perf_counter()
    model = ShapeInferencePass()(model).model
    seconds = time.perf_counter() - start
    shape = model.graph.outputs[0].shape
    return seconds, [d if isinstance(d, int) else -1 for d in shape] if shape is not None else None


TOOLS = {OURS: with_ge, ONNX: with_onnx, IR: with_onnx_ir}


def undeclared(source: Path, folder: Path) -> Path:
    """The model with nothing said about its values but the inputs; outputs keep name and type."""
    import onnx

    path = folder / f"{source.stem}-undeclared.onnx"
    if not path.exists():
        model = onnx.load(str(source))
        del model.graph.value_info[:]
        for output in model.graph.output:
            output.type.tensor_type.ClearField("shape")
        path.write_bytes(model.SerializeToString())
    return path


def measured(tool: str, path: Path) -> dict:
    command = [sys.executable, __file__, "--only", tool, "--folder", str(path)]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode:
        raise SystemExit(f"{tool} on {path.name} failed:\n{done.stderr[-3000:]}")
    return json.loads(done.stdout.splitlines()[-1])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", default="mlp-100k,bert-100k")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--only", choices=list(TOOLS), help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.only:
        # Of the slow ones one round is enough.
        rounds = [TOOLS[args.only](args.folder)]
        while len(rounds) < 3 and sum(r[0] for r in rounds) < 2:
            rounds.append(TOOLS[args.only](args.folder))
        print(json.dumps({"seconds": min(r[0] for r in rounds), "result": rounds[0][1]}))
        return

    import onnx

    sys.path.insert(0, str(HERE))
    import models

    print("| model | nodes | " + " | ".join(TOOLS) + " |")
    print("|---|---:|" + "---:|" * len(TOOLS))
    with tempfile.TemporaryDirectory() as scratch:
        folder = args.folder or Path(scratch)
        for name in args.models.split(","):
            path = undeclared(models.make(name, folder), folder)
            nodes = len(onnx.load(str(path)).graph.node)
            rows = {tool: [] for tool in TOOLS}
            for _ in range(args.runs):
                for tool in TOOLS:
                    rows[tool].append(measured(tool, path))
            ours = statistics.median(r["seconds"] for r in rows[OURS])
            cells = []
            for tool, found in rows.items():
                seconds = statistics.median(r["seconds"] for r in found)
                ratio = "" if tool == OURS else f" ({seconds / ours:.1f}x)"
                cells.append(f"{seconds * 1e3:.1f} ms, {seconds / nodes * 1e6:.2f} us a node{ratio}")
                if found[0]["result"] != rows[OURS][0]["result"]:
                    print(f"{tool} finds {found[0]['result']} for {name}, ge-py {rows[OURS][0]['result']}", file=sys.stderr)
            print(f"| {name} | {nodes} | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main()
