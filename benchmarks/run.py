#!/usr/bin/env python3
"""Times this project beside its peers and prints Markdown tables: seconds, peak memory, and ratios to this project.

usage: run.py [--sizes 1k,10k,100k] [--kinds mlp,bert] [--tools ...] [--runs K] [--folder DIR] [--at-least R]

Every measurement is a process of its own. The tools take turns, so that a slow moment of the machine hits all alike;
the table has the median of K turns. With --at-least the exit code is 1 if the fastest peer at the largest size is not
R times slower than this project.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import platform
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
OURS, BARE = "ge_py", "bare_onnx"
TOOLS = [OURS, "onnxscript_rewriter", "graphsurgeon", BARE]
PHASES = ("load", "rewrite", "save", "total")


def measure(tool: str, model: Path, output: Path, repeats: int) -> dict:
    command = [sys.executable, str(HERE / "measure.py"), tool, str(model), str(output), str(repeats)]
    done = subprocess.run(command, cwd=HERE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode:
        raise SystemExit(f"{tool} on {model.name} failed:\n{done.stderr[-3000:]}")
    return json.loads(done.stdout.splitlines()[-1])


def median(rows: list) -> dict:
    numbers = {
        key: statistics.median(row[key] for row in rows) for key in (*PHASES, "peak", "peak_over_import", "import")
    }
    return {**rows[0], **numbers}


def duration(seconds: float) -> str:
    return f"{seconds * 1000:.1f} ms" if seconds < 1 else f"{seconds:.2f} s"


def times(ratio: float) -> str:
    return f"{ratio:.1f}x" if ratio < 100 else f"{ratio:.0f}x"


def table(name: str, nodes: int, rows: dict) -> str:
    """One model: absolute numbers, and in brackets how many times more than this project."""
    ours = rows[OURS]
    lines = [
        f"### {name} ({nodes} nodes)",
        "",
        "| tool | load | rewrite | save | total | peak memory | of that above import | rewrites |",
        "|---|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for tool, row in rows.items():
        cells = []
        for phase in PHASES:
            none = phase == "rewrite" and "rewrites" not in row
            # A tool without a rewrite is compared with our load and save alone.
            base = ours["load"] + ours["save"] if phase == "total" and "rewrites" not in row else ours[phase]
            cells.append(
                "-" if none else duration(row[phase]) + ("" if tool == OURS else f" ({times(row[phase] / base)})")
            )
        for key in ("peak", "peak_over_import"):
            cells.append(f"{row[key]:.0f} MiB" + ("" if tool == OURS else f" ({times(row[key] / max(ours[key], 1))})"))
        lines.append(f"| {row['version']} | {' | '.join(cells)} | {row.get('rewrites', '-')} |")
    return "\n".join(lines) + "\n"


def exponents(medians: dict, sizes: list, kinds: list) -> str:
    """How time grows with nodes between the sizes: 1 is linear."""
    lines = ["### Growth: exponent of time over nodes, last two sizes", "", "| tool | " + " | ".join(kinds) + " |"]
    lines.append("|---|" + "---:|" * len(kinds))
    for tool in next(iter(medians.values())):
        cells = []
        for kind in kinds:
            (n0, small), (n1, large) = (
                (medians[f"{kind}-{s}"][tool]["nodes"], medians[f"{kind}-{s}"][tool]) for s in sizes[-2:]
            )
            cells.append(f"{math.log(large['total'] / small['total']) / math.log(n1 / n0):.2f}")
        lines.append(f"| {tool} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def machine() -> str:
    with open("/proc/cpuinfo") as cpuinfo:
        model = next(
            (line.split(":", 1)[1].strip() for line in cpuinfo if line.startswith("model name")), "unknown CPU"
        )
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return f"{os.cpu_count()} x {model}, {memory:.0f} GiB, {platform.platform(terse=True)}, Python {platform.python_version()}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", default="1k,10k,100k")
    parser.add_argument("--kinds", default="mlp,bert")
    parser.add_argument("--tools", default=",".join(TOOLS))
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--folder", type=Path, help="where models are kept; by default a temporary folder")
    parser.add_argument("--at-least", type=float, default=0)
    args = parser.parse_args()
    sizes, kinds, tools = args.sizes.split(","), args.kinds.split(","), args.tools.split(",")

    sys.path.insert(0, str(HERE))
    import onnx

    import models

    with tempfile.TemporaryDirectory() as scratch:
        folder = args.folder or Path(scratch)
        print(machine() + "\n")
        medians = {}
        for size in sizes:
            for kind in kinds:
                name = f"{kind}-{size}"
                path = models.make(name, folder)
                nodes = len(onnx.load(str(path)).graph.node)
                rows = {tool: [] for tool in tools}
                repeats = 5 if nodes < 5000 else 1  # a short run is measured warm
                for _ in range(args.runs):
                    for tool in tools:
                        rows[tool].append(measure(tool, path, Path(scratch) / "out.onnx", repeats))
                medians[name] = {tool: {**median(found), "nodes": nodes} for tool, found in rows.items()}
                print(table(name, nodes, medians[name]), flush=True)
        if len(sizes) > 1:
            print(exponents(medians, sizes, kinds))

    worst = math.inf
    for kind in kinds:
        rows = medians[f"{kind}-{sizes[-1]}"]
        ours = rows[OURS]
        peers = {tool: row["total"] / ours["total"] for tool, row in rows.items() if tool not in (OURS, BARE)}
        text = [f"{kind}-{sizes[-1]}:"]
        if peers:
            fastest = min(peers, key=peers.get)
            worst = min(worst, peers[fastest])
            text.append(f"{times(peers[fastest])} the speed of {fastest}, the fastest peer;")
        if BARE in rows:
            text.append(
                f"load + save {times(rows[BARE]['total'] / (ours['load'] + ours['save']))} the speed of bare onnx"
            )
        print(" ".join(text))
    return 0 if worst >= args.at_least else 1


if __name__ == "__main__":
    sys.exit(main())
