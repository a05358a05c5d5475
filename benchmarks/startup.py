#!/usr/bin/env python3
"""What it takes to begin: `import ge`, `import ge.passes` and `atc --help` beside a Python that does nothing; the wheel's size.

usage: startup.py [--runs K] [--wheel WHEEL]

Every measurement is a process of its own, from its start to its end; the commands take turns, the numbers are medians but
for the fastest. On a busy machine the CPU time (user and system) and its ratio to `python -c pass` say more than the clock.
"""

from __future__ import annotations

import argparse
import os
import platform
import shutil
import statistics
import subprocess
import sys
import time
from typing import Dict, List, Tuple

MIB = 1024 * 1024
#: Milliseconds that a whole process may take, and bytes of a wheel.
AIMS = {"import ge": 60, "atc --help": 150}
WHEEL_AIM = 8 * MIB


def commands() -> Dict[str, List[str]]:
    python = sys.executable
    atc = shutil.which("atc", path=os.path.dirname(python) + os.pathsep + os.environ.get("PATH", ""))
    if atc is None:
        sys.exit(
            "[ERROR] Looking for 'atc': expected it beside this Python or on PATH, found none; "
            "install the wheel into this Python"
        )
    return {
        "python -c pass": [python, "-c", "pass"],
        "import ge": [python, "-c", "import ge"],
        "import ge.passes": [python, "-c", "import ge.passes"],
        "atc --help": [atc, "--help"],
    }


def milliseconds(command: List[str]) -> Tuple[float, float]:
    """By the clock, and of CPU time."""
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    passed = time.perf_counter() - start
    process.returncode = status
    if status != 0:
        sys.exit(f"[ERROR] Running {command}: expected exit code 0, found wait status {status}; see above")
    return passed * 1000, (used.ru_utime + used.ru_stime) * 1000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=21)
    parser.add_argument("--wheel", help="the wheel whose size is printed too")
    options = parser.parse_args()

    all_of_them = commands()
    taken: Dict[str, List[Tuple[float, float]]] = {name: [] for name in all_of_them}
    for run in range(options.runs + 1):
        for name, command in all_of_them.items():
            time_taken = milliseconds(command)
            # The first turn reads the files from the disk and writes __pycache__.
            if run > 0:
                taken[name].append(time_taken)

    nothing = statistics.median(cpu for _, cpu in taken["python -c pass"])
    print(f"CPython {platform.python_version()}, {options.runs} runs")
    print()
    print("| command | clock | fastest | CPU | CPU to `python -c pass` | aim (clock) |")
    print("|---|---:|---:|---:|---:|---:|")
    for name, times in taken.items():
        clocks, cpus = zip(*times)
        cpu = statistics.median(cpus)
        aim = f"< {AIMS[name]} ms" if name in AIMS else "-"
        print(
            f"| `{name}` | {statistics.median(clocks):.1f} ms | {min(clocks):.1f} ms | {cpu:.1f} ms "
            f"| {cpu / nothing:.2f}x | {aim} |"
        )
    if options.wheel:
        size = os.path.getsize(options.wheel)
        print()
        print(f"{os.path.basename(options.wheel)}: {size / MIB:.2f} MiB (aim: < {WHEEL_AIM / MIB:.0f} MiB)")


if __name__ == "__main__":
    main()
