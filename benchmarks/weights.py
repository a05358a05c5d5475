#!/usr/bin/env python3
"""Loads and saves models that are nearly all weights: this project beside its peers and a plain copy of the files.

usage: weights.py [--runs K] [--folder DIR] [--gib-external 4] [--gib-inline 1,3] [--tools ...]

Prints Markdown tables: seconds to load, to save into another folder, and the most memory the process had. The processor time
counts where other work runs on the machine. Every
measurement is a process of its own, begun after a rest with nothing left to be written to disk; the tools take turns, in an
order of its own each time: a machine that gets the memory another tool has just freed copies twice as fast. All results
are checked for size and deleted. Needs three times the largest model of free disk space.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
OURS = "ge_py"
TOOLS = [OURS, "onnx_ir", "onnx", "graphsurgeon", "copy"]
SIDE = 2048  # of a weight matrix: 16 MiB
DATA = "weights.data"
REST = 3  # seconds; virtual machines give memory that is free for a second back to their host


# ---- the tools: each returns what it loaded ---------------------------------------------------------------------------


def use_ge_py(external):
    import ge
    import ge.onnx

    return f"ge-py {ge.__version__}", ge.onnx.load, ge.onnx.save


def use_onnx_ir(external):
    import onnx_ir

    def save(model, path):
        # Without external_data the new file would go on naming the old data file.
        onnx_ir.save(model, path, **({"external_data": Path(path).name + ".data"} if external else {}))

    return f"onnx-ir {onnx_ir.__version__}", onnx_ir.load, save


def use_onnx(external):
    import onnx

    def save(model, path):
        if external:
            onnx.save(model, path, save_as_external_data=True, location=Path(path).name + ".data")
        else:
            onnx.save(model, path)

    return f"onnx {onnx.__version__}", onnx.load, save


def use_graphsurgeon(external):
    import onnx
    import onnx_graphsurgeon

    def save(graph, path):
        model = onnx_graphsurgeon.export_onnx(graph)
        use_onnx(external)[2](model, path)

    return (
        f"onnx-graphsurgeon {onnx_graphsurgeon.__version__}",
        lambda path: onnx_graphsurgeon.import_onnx(onnx.load(path)),
        save,
    )


def use_copy(external):
    def save(source, path):
        shutil.copyfile(source, path)
        if external:
            shutil.copyfile(Path(source).with_name(DATA), Path(path).with_name(DATA))

    return "copy of the files", lambda path: path, save


def work(tool, source, target, external):
    from measure import memory_mib

    version, load, save = globals()[f"use_{tool}"](external)
    imported = memory_mib("VmRSS")
    used = os.times()
    start = time.perf_counter()
    model = load(source)
    loaded = time.perf_counter()
    save(model, target)
    saved = time.perf_counter()
    done = os.times()
    print(
        json.dumps(
            {
                "version": version,
                "load": loaded - start,
                "save": saved - loaded,
                "total": saved - start,
                "processor": done.user + done.system - used.user - used.system,
                "peak": memory_mib("VmHWM"),
                "over import": memory_mib("VmHWM") - imported,
            }
        )
    )


# ---- the models -------------------------------------------------------------------------------------------------------


def _varint(value):
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def make(path, gib, external):
    """A chain of MatMuls. Written piece by piece: no protobuf library writes more than 2 GiB."""
    import numpy as np
    from onnx import TensorProto, helper

    count, size = gib * 64, SIDE * SIDE * 4
    values = [f"v{i}" for i in range(count + 1)]
    nodes = [helper.make_node("MatMul", [values[i], f"w{i}"], [values[i + 1]], name=f"n{i}") for i in range(count)]
    info = helper.make_tensor_value_info
    graph = helper.make_graph(nodes, "weights", [info("v0", 1, ["n", SIDE])], [info(values[-1], 1, ["n", SIDE])])
    head = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    head.ClearField("graph")
    block = np.random.default_rng(0).normal(size=SIDE * SIDE).astype(np.float32)
    tensors, length = [], len(graph.SerializeToString())
    for i in range(count):
        tensor = TensorProto(name=f"w{i}", dims=[SIDE, SIDE], data_type=TensorProto.FLOAT)
        if external:
            tensor.data_location = TensorProto.EXTERNAL
            for key, value in (("location", DATA), ("offset", i * size), ("length", size)):
                tensor.external_data.add(key=key, value=str(value))
        text = tensor.SerializeToString()
        raw = b"" if external else b"\x4a" + _varint(size)
        prefix = b"\x2a" + _varint(len(text) + len(raw) + (0 if external else size)) + text + raw
        tensors.append(prefix)
        length += len(prefix) + (0 if external else size)
    with open(path, "wb") as model, open(path.with_name(DATA) if external else os.devnull, "wb") as data:
        model.write(head.SerializeToString() + b"\x3a" + _varint(length) + graph.SerializeToString())
        for i, prefix in enumerate(tensors):
            model.write(prefix)
            block[0] = i  # no two alike
            (data if external else model).write(block.tobytes())
    return path


# ---- the tables -------------------------------------------------------------------------------------------------------


def measure(tool, source, external, folder):
    out = folder / "out"
    out.mkdir()
    os.sync()
    time.sleep(REST)
    try:
        command = [sys.executable, str(HERE / "weights.py"), "--work", tool, str(source), str(out / "out.onnx")]
        done = subprocess.run(
            command + ["external" if external else "inline"], cwd=HERE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        if done.returncode:
            lines = done.stderr.strip().splitlines() or [f"exit code {done.returncode}"]
            return {"version": tool, "failure": lines[-1][:120]}
        row = json.loads(done.stdout.splitlines()[-1])
        # A tool that wrote less left a model behind that still names the old file.
        row["written"] = sum(f.stat().st_size for f in out.iterdir()) / 2**30
        return row
    finally:
        shutil.rmtree(out)


def table(title, rows):
    ours = rows[OURS]["total"]
    lines = [f"### {title}", "", "| tool | load | save | total | processor time | peak memory | of that above import |"]
    lines.append("|---|---:|---:|---:|---:|---:|---:|")
    for row in rows.values():
        if "failure" in row:
            lines.append(f"| {row['version']} | - | - | {row['failure']} | - | - | - |")
            continue
        lines.append(
            f"| {row['version']} | {row['load'] * 1000:.1f} ms | {row['save']:.2f} s | "
            f"{row['total']:.2f} s ({row['total'] / ours:.1f}x) | {row['processor']:.2f} s | {row['peak']:.0f} MiB | {row['over import']:.0f} MiB |"
        )
    return "\n".join(lines) + "\n"


def median(found):
    failed = [row for row in found if "failure" in row]
    if failed:
        return failed[0]
    return {k: v if isinstance(v, str) else statistics.median(r[k] for r in found) for k, v in found[0].items()}


def main():
    if sys.argv[1:2] == ["--work"]:
        tool, source, target, kind = sys.argv[2:]
        return work(tool, source, target, kind == "external")
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--folder", type=Path, help="where there is room; by default the folder for temporary files")
    parser.add_argument("--gib-external", default="4")
    parser.add_argument("--gib-inline", default="1,3")
    parser.add_argument("--tools", default=",".join(TOOLS))
    args = parser.parse_args()
    jobs = [(int(g), True) for g in args.gib_external.split(",") if g]
    jobs += [(int(g), False) for g in args.gib_inline.split(",") if g]
    tools = args.tools.split(",")
    with tempfile.TemporaryDirectory(dir=args.folder) as scratch:
        folder = Path(scratch)
        free, needed = shutil.disk_usage(folder).free, 3 * max(g for g, _ in jobs) * 2**30
        if free < needed:
            raise SystemExit(f"'{folder}' has {free / 2**30:.0f} GiB free, expected {needed / 2**30:.0f}; use --folder")
        sys.path.insert(0, str(HERE))
        from run import machine

        print(machine() + "\n")
        for gib, external in jobs:
            home = folder / "model"
            home.mkdir()
            source = make(home / "model.onnx", gib, external)
            rows = {tool: [] for tool in tools}
            order = random.Random(0)
            for _ in range(args.runs):
                for tool in order.sample(tools, len(tools)):
                    rows[tool].append(measure(tool, source, external, folder))
            kind = "of external data" if external else "of inline initializers"
            print(table(f"{gib} GiB {kind}", {t: median(r) for t, r in rows.items()}), flush=True)
            for tool, found in rows.items():
                for row in found:
                    if "failure" not in row and row["written"] < gib:
                        print(f"{tool} wrote {row['written']:.2f} GiB of {gib}: the result is not whole")
            shutil.rmtree(home)
    return 0


if __name__ == "__main__":
    sys.exit(main())
