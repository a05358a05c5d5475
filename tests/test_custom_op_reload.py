"""Plugins in and out of the compiler core: everything comes back, edited files are read again."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

OP = """
from ge.custom_op import register_op, register_op_impl
from ge.onnx_plugin import onnx_plugin
from ge.runtime import TensorDesc

@register_op(op_type="{0}")
def proto(x: TensorDesc, *, factor: float = 2.0) -> TensorDesc: ...

@register_op_impl(op_type="{0}")
class Impl:
    def execute(self, x, *, factor): ...
    def declare_launch_args(self, x, y, *, factor) -> None: ...

@onnx_plugin(source="{0}", domain="ai.onnx", opsets=[11], target="{0}").parse_node
def parse(node, target): ...
"""

HEAD = """
from ge.custom_op import runtime
from ge.error import CustomOpError
from ge.onnx_plugin import registry

def onnx():
    return [d.source for d in registry.get_registered_onnx_plugins()]

"""


@pytest.fixture
def drive(tmp_path):
    """drive(code) runs it in a process of its own, in whose ASCEND_CUSTOM_OPP_PATH the folder `ops` is."""
    (tmp_path / "ops").mkdir()

    def run(code):
        done = subprocess.run(
            [sys.executable, "-c", HEAD + code],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            cwd=tmp_path,
            env={**os.environ, "ASCEND_CUSTOM_OPP_PATH": "ops"},
            timeout=120,
        )
        assert done.returncode == 0, done.stdout
        return done.stdout

    run.folder = tmp_path / "ops"
    return run


def test_everything_comes_back_after_an_unload_and_edited_files_are_read_again(drive):
    (drive.folder / "op.py").write_text(OP.format("First"))
    drive(
        "for _ in range(3):\n"
        "    runtime.load()\n"
        "    assert runtime.is_known('First') and onnx() == ['First']\n"
        "    runtime.unload()\n"
        "    assert not runtime.is_known('First') and onnx() == runtime.registered_op_types() == []\n"
        f"open('ops/op.py', 'w').write({OP.format('Second')!r})\n"
        "runtime.load()\n"
        "assert runtime.is_known('Second') and not runtime.is_known('First') and onnx() == ['Second']\n"
    )


def test_what_the_process_declares_itself_stays_through_an_unload(drive):
    (drive.folder / "op.py").write_text(OP.format("Plugin"))
    drive(
        OP.format("Own") + "for _ in range(2):\n"
        "    runtime.load()\n"
        "    assert runtime.is_known('Own') and runtime.is_known('Plugin')\n"
        "    runtime.unload()\n"
        "    assert runtime.registered_op_types() == ['Own'] and onnx() == ['Own']\n"
    )


@pytest.mark.parametrize(
    "text, reason",
    [
        (OP.format("Op") + "\nraise OSError('no device')\n", "OSError: no device"),
        (OP.format("Op").replace("self, x, *", "self, x, y, *"), "invalid execute signature for op type Op"),
        (OP.format("Op").replace("def proto(x: TensorDesc", "def proto(x: int"), "unsupported input annotation for 'x'"),
    ],
    ids=["import", "signature", "prototype"],
)
def test_a_plugin_that_fails_fails_the_load_with_its_reason_and_can_be_mended(drive, text, reason):
    (drive.folder / "op.py").write_text(text)
    printed = drive(
        "try:\n"
        "    runtime.load()\n"
        "except CustomOpError as error:\n"
        "    print(error)\n"
        "assert not runtime.is_known('Op')\n"
        f"open('ops/op.py', 'w').write({OP.format('Op')!r})\n"
        "runtime.load()\n"
        "assert runtime.is_known('Op') and onnx() == ['Op']\n"
    )
    assert reason in printed
