"""Custom operators in the native host: when a Python is needed for them, and what stops a compile."""

from __future__ import annotations

import sys

import pytest

from _onnx_models import operators
from _programs import PACKAGE, needs_shared_python

NO_PYTHON = {"GE_PYTHON_EXECUTABLE": "/nonexistent/python"}
THIS_PYTHON = {"GE_PYTHON_EXECUTABLE": sys.executable}
OPERATOR = """
from ge.custom_op import register_op
from ge.runtime import TensorDesc

print("imported", __file__)

@register_op(op_type="HostScale")
def host_scale(x: TensorDesc, *, factor: float = 2.0) -> TensorDesc: ...
"""


@pytest.fixture
def compile_natively(atc, model):
    def compile_with(path, python, check=0):
        env = {**python, "ASCEND_CUSTOM_OPP_PATH": str(path)}
        return atc.compile(model, command=[str(PACKAGE / "bin" / "atc.bin")], env=env, check=check)

    return compile_with


@pytest.mark.parametrize("path", ["", ":", "missing_folder", "missing.so", "text.txt", "empty"])
def test_no_python_is_started_where_no_operators_are_named(path, compile_natively, tmp_path):
    (tmp_path / "empty").mkdir()
    (tmp_path / "text.txt").write_text("no operators")
    named = path if path in ("", ":") else tmp_path / path
    assert operators(compile_natively(named, NO_PYTHON).path) == {"Relu": 1}


def test_a_missing_python_file_ends_the_compile(compile_natively, tmp_path):
    done = compile_natively(tmp_path / "missing.py", NO_PYTHON, check=255)
    assert "E13024" in done.text and str(tmp_path / "missing.py") in done.text and not done.path.exists()


def test_operators_without_an_interpreter_end_the_compile(compile_natively, tmp_path):
    (tmp_path / "op.py").write_text(OPERATOR)
    done = compile_natively(tmp_path, NO_PYTHON, check=255)
    assert "E13029" in done.text and "/nonexistent/python" in done.text and not done.path.exists()


@needs_shared_python
def test_the_native_host_loads_operators(compile_natively, tmp_path):
    (tmp_path / "op.py").write_text(OPERATOR)
    done = compile_natively(tmp_path / "op.py", THIS_PYTHON)
    assert operators(done.path) == {"Relu": 1} and f"imported {tmp_path / 'op.py'}" in done.stdout


@needs_shared_python
def test_a_plugin_that_fails_ends_the_compile_with_its_traceback(compile_natively, tmp_path):
    (tmp_path / "op.py").write_text(OPERATOR + "raise ValueError('from the plugin')\n")
    done = compile_natively(tmp_path / "op.py", THIS_PYTHON, check=255)
    assert "E13029" in done.text and "ValueError: from the plugin" in done.text and 'op.py", line 9' in done.text
    assert not done.path.exists()
