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


# ---- modules that are executed again -------------------------------------------------------------------------------------

CELL = (
    "import numpy as np\nfrom ge.custom_op import get_execute_ctx, register_op, register_op_impl\n"
    "from ge.runtime import TensorDesc\n"
    "@register_op(op_type='Cell')\ndef cell(x: TensorDesc, *, factor: int = {0}) -> TensorDesc:\n"
    "    return TensorDesc(x.shape, x.data_type)\n"
    "@register_op_impl(op_type='Cell')\nclass Cell:\n    def execute(self, x, *, factor):\n"
    "        y = get_execute_ctx().malloc_output_tensor(0, x.shape, x.format, x.data_type)\n"
    "        np.multiply(x.numpy(), factor * {1}, out=y.numpy())\n"
)


def _ten_times(op_type):
    import numpy as np
    from ge.custom_op import testing

    return int(testing.check(op_type, [np.array([10], np.int64)])[0][0])


def test_a_cell_of_a_notebook_that_is_run_again_replaces_what_it_declared(custom_ops):
    namespace = {"__name__": "__main__"}
    for factor, weight, expected in ((1, 1, 10), (1, 1, 10), (1, 3, 30), (2, 3, 60)):
        exec(compile(CELL.format(factor, weight), "<cell>", "exec"), namespace)
        assert _ten_times("Cell") == expected


def test_a_module_that_is_reloaded_replaces_what_it_declared(custom_ops, tmp_path, monkeypatch):
    import importlib

    path = tmp_path / "reloaded_operators.py"
    path.write_text(CELL.format(1, 1))
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    module = importlib.import_module(path.stem)
    try:
        assert _ten_times("Cell") == 10
        path.write_text(CELL.format(2, 30))
        importlib.reload(module)
        assert _ten_times("Cell") == 600
    finally:
        del sys.modules[path.stem]


def test_one_execution_of_a_module_declares_a_class_once(custom_ops):
    with pytest.raises(ValueError, match="descriptor_key already exists"):
        exec(compile(CELL.format(1, 1) * 2, "<cell>", "exec"), {"__name__": "__main__"})


def test_what_was_cleared_can_be_declared_in_another_way(custom_ops):
    from ge.custom_op import clear_registered_op_impls
    from ge.custom_op.proto import clear_registered_op_protos

    namespace = {"__name__": "__main__"}
    for factor in (1, 2):
        code = compile(CELL.format(factor, 1), "<cell>", "exec")
        exec(code, namespace)
        assert _ten_times("Cell") == 10 * factor
        clear_registered_op_impls()
        clear_registered_op_protos()


def test_a_session_follows_the_operators_of_the_process(custom_ops):
    import numpy as np
    from ge.custom_op import executor
    from onnx import TensorProto, helper

    namespace = {"__name__": "__main__"}
    exec(compile(CELL.format(1, 1), "<cell>", "exec"), namespace)
    value = [helper.make_tensor_value_info(name, TensorProto.INT64, [1]) for name in "xy"]
    node = helper.make_node("Cell", ["x"], ["y"], domain="my.ops")
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("my.ops", 1)]
    graph = helper.make_graph([node], "g", value[:1], value[1:])
    session = executor.Session(helper.make_model(graph, opset_imports=opsets, ir_version=8))
    feeds = {"x": np.array([10], np.int64)}
    assert session.run(None, feeds)[0][0] == 10
    custom_ops.unload()
    assert session.run(None, feeds)[0][0] == 10
    # The attribute has another name now: what was prepared for the old prototype is of no use.
    exec(compile(CELL.format(5, 1).replace("factor", "weight"), "<cell>", "exec"), namespace)
    assert session.run(None, feeds)[0][0] == 50


def test_a_file_that_asks_for_the_function_of_its_own_operator_is_told_where_to(custom_ops, tmp_path, monkeypatch):
    from ge.error import CustomOpError

    path = tmp_path / "early.py"
    path.write_text(CELL.format(1, 1) + "from ge.es.custom import Cell as function\n")
    monkeypatch.setenv("ASCEND_CUSTOM_OPP_PATH", str(path))
    with pytest.raises(CustomOpError, match="'Cell' is declared by a file that is still being imported.*inside the functions"):
        custom_ops.load()
    path.write_text(CELL.format(1, 1) + "def use():\n    from ge.es.custom import Cell\n    return Cell\n")
    custom_ops.load()
    assert custom_ops.is_known("Cell")
