#!/usr/bin/env python3
"""What it takes to begin: `import ge`, `import ge.passes` and `atc --help` beside a Python that does nothing; the wheel's size.

usage: startup.py [--runs K] [--wheel WHEEL]

Every measurement is a process of its own, from its start to its end; the commands take turns, the numbers are medians. The
ratio to `python -c pass` says more than the milliseconds, which depend on the machine.
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
from typing import Dict, List

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


def milliseconds(command: List[str]) -> float:
    start = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return (time.perf_counter() - start) * 1000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=21)
    parser.add_argument("--wheel", help="the wheel whose size is printed too")
    options = parser.parse_args()

    all_of_them = commands()
    taken: Dict[str, List[float]] = {name: [] for name in all_of_them}
    for run in range(options.runs + 1):
        for name, command in all_of_them.items():
            time_taken = milliseconds(command)
            # The first turn reads the files from the disk and writes __pycache__.
            if run > 0:
                taken[name].append(time_taken)

    medians = {name: statistics.median(times) for name, times in taken.items()}
    nothing = medians["python -c pass"]
    print(f"CPython {platform.python_version()}, {options.runs} runs")
    print()
    print("| command | median | fastest | above `python -c pass` | ratio to it | aim |")
    print("|---|---:|---:|---:|---:|---:|")
    for name, median in medians.items():
        aim = f"< {AIMS[name]} ms" if name in AIMS else "-"
        fastest = min(taken[name])
        print(
            f"| `{name}` | {median:.1f} ms | {fastest:.1f} ms | {median - nothing:.1f} ms "
            f"| {median / nothing:.2f}x | {aim} |"
        )
    if options.wheel:
        size = os.path.getsize(options.wheel)
        print()
        print(f"{os.path.basename(options.wheel)}: {size / MIB:.2f} MiB (aim: < {WHEEL_AIM / MIB:.0f} MiB)")


if __name__ == "__main__":
    main()
