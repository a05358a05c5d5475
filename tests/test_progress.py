"""Lines about the progress of long work: on a terminal, and nowhere else."""

from __future__ import annotations

import os
import pty
import re
import select
import signal
import subprocess
import sys

import pytest

from _onnx_models import Net

SLOW = """
import time
from ge.passes import *
{}
"""
ONE = """
@register_fusion_pass(name="{name}", stage=PassStage.BEFORE_INFER_SHAPE)
class {name}(FusionBasePass):
    def run(self, graph, context):
        time.sleep({seconds})
        return 0
"""


@pytest.fixture
def model(tmp_path):
    net = Net()
    net.output(net.op("Relu", net.input("x", [2]), outputs="y"), [2])
    path = tmp_path / "model.onnx"
    path.write_bytes(net.build().SerializeToString())
    return path


def passes(folder, **seconds):
    path = folder / "slow.py"
    path.write_text(SLOW.format("".join(ONE.format(name=n, seconds=s) for n, s in seconds.items())))
    return path


def on_a_terminal(folder, model, path, interrupt_at=None, status=0):
    """What a terminal shows of atc that has it as stdout and stderr; Ctrl-C once it shows `interrupt_at`."""
    ours, theirs = pty.openpty()
    words = [sys.executable, "-m", "ge.pyatc", "--framework=5", f"--model={model}", "--output=out", "--emit=onnx"]
    words.append("--soc_version=Ascend910B1")
    env = {**os.environ, "ASCEND_GE_PY_PASS_PATH": str(path), "GE_PY_FALLBACK": "0"}
    # A suite in the background of a script ignores the signal, and what it starts would too.
    listens = lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)  # noqa: E731
    child = subprocess.Popen(
        words, stdin=theirs, stdout=theirs, stderr=theirs, cwd=folder, env=env, preexec_fn=listens
    )
    os.close(theirs)
    text = b""
    while True:
        ready, _, _ = select.select([ours], [], [], 60)
        try:
            got = os.read(ours, 4096) if ready else b""
        except OSError:  # the other end is closed
            got = b""
        if not got:
            break
        text += got
        if interrupt_at is not None and interrupt_at in text:
            child.send_signal(signal.SIGINT)
            interrupt_at = None
    os.close(ours)
    assert child.wait(60) == status, text
    return text.decode().replace("\r\n", "\n")


def lines(text):
    return re.findall(r"^ +\d+\.\d s  (.+)$", text, re.M)


def test_long_work_shows_its_steps(tmp_path, model):
    path = passes(tmp_path, First=1.2, Second=1.2, Third=0)
    shown = lines(on_a_terminal(tmp_path, model, path))
    # Where loading took a second already, the step and its part have a line each.
    first = next(i for i, line in enumerate(shown) if line in ("compiling: pass 'First'", "pass 'First'"))
    assert "pass 'Second'" in shown[first + 1 :] and not any("Third" in line for line in shown)
    assert shown[-1].startswith("saving ")


def test_ctrl_c_stops_work_whose_progress_is_shown(tmp_path, model):
    path = passes(tmp_path, First=100)
    text = on_a_terminal(tmp_path, model, path, interrupt_at=b"pass 'First'", status=130)
    assert "it was interrupted" in text


def test_short_work_shows_none(tmp_path, model):
    assert lines(on_a_terminal(tmp_path, model, passes(tmp_path, Quick=0.0))) == []


def test_a_pipe_gets_none(tmp_path, model, atc):
    done = atc.compile(model, passes=[passes(tmp_path, First=1.3)])
    assert lines(done.text) == []
