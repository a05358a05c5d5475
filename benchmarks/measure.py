#!/usr/bin/env python3
"""Loads, rewrites and saves one model with one tool in this process; prints what it took as one line of JSON.

usage: measure.py TOOL MODEL OUTPUT [repeats]
"""

from __future__ import annotations

import gc
import importlib
import json
import re
import sys
import time


def memory_mib(field: str) -> float:
    """VmHWM: most that was ever resident, VmRSS: now. (ru_maxrss would also count what the parent process had.)"""
    with open("/proc/self/status") as status:
        return int(re.search(rf"{field}:\s+(\d+)", status.read()).group(1)) / 1024


def main() -> None:
    tool_name, model_path, output = sys.argv[1:4]
    repeats = int(sys.argv[4]) if len(sys.argv) > 4 else 1
    start = time.perf_counter()
    tool = importlib.import_module(f"tools.{tool_name}")
    result = {"tool": tool_name, "version": tool.VERSION, "import": time.perf_counter() - start}
    imported = memory_mib("VmRSS")
    kind = model_path.rsplit("/", 1)[-1].split("-")[0]
    runs = []
    for _ in range(repeats):
        times = [time.perf_counter()]
        model = tool.load(model_path)
        times.append(time.perf_counter())
        if hasattr(tool, "rewrite"):
            model, result["rewrites"] = tool.rewrite(model, kind)
        times.append(time.perf_counter())
        tool.save(model, output)
        times.append(time.perf_counter())
        phases = [b - a for a, b in zip(times, times[1:])]
        runs.append(dict(zip(("load", "rewrite", "save"), phases), total=sum(phases)))
        if len(runs) == 1:
            result["peak"] = memory_mib("VmHWM")
            result["peak_over_import"] = result["peak"] - imported
        del model
        gc.collect()
    best = min(runs, key=lambda run: run["total"])
    print(json.dumps({**result, **best}))


if __name__ == "__main__":
    main()
