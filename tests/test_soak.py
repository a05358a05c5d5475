"""Random models, random good and bad passes: nothing they do breaks a compile or leaves a trace after a failure."""

from __future__ import annotations

import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent


def test_random_passes_leave_no_trace_when_they_fail(tmp_path):
    done = subprocess.run(
        [sys.executable, str(ROOT / "scripts" / "soak_passes.py"), "60"],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        cwd=tmp_path,
        env={k: v for k, v in os.environ.items() if not k.startswith(("ASCEND_", "GE_"))},
        timeout=300,
        check=False,
    )
    last = done.stdout.strip().splitlines()[-1]
    assert done.returncode == 0, done.stdout[-5000:]
    # Both kinds of passes were there.
    compiles, ran, failed = map(int, re.findall(r"\d+", last))
    assert compiles >= 60 and 0 < failed < ran, last
