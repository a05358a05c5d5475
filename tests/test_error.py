"""ge.error: the exceptions of the compiler and how they are raised."""

from __future__ import annotations

import subprocess
import sys
import threading

import pytest
from ge.error import GeError, GraphError, OnnxError, OnnxFileNotFoundError, get_ge_error_msg, raise_ge_error


def test_an_error_carries_what_it_was_given():
    error = GeError("all of it", error_message="part", api_name="Do", context={"graph_id": 7})
    assert isinstance(error, RuntimeError) and str(error) == "all of it"
    assert (error.error_message, error.api_name, error.context, error.code) == ("part", "Do", {"graph_id": 7}, "")
    assert GeError("x").context == {} and GeError("x").error_message is None
    assert issubclass(GraphError, GeError) and issubclass(OnnxFileNotFoundError, (OnnxError, FileNotFoundError))


def test_raising_names_call_and_context():
    with pytest.raises(GeError) as error:
        raise_ge_error("RunGraph", 145000, graph_id=7, stream="0x1")
    assert str(error.value).startswith("RunGraph failed; graph_id=7, stream=0x1") and "145000" not in str(error.value)
    assert (error.value.api_name, error.value.context) == ("RunGraph", {"graph_id": 7, "stream": "0x1"})


def test_the_message_of_the_compiler_is_that_of_the_thread(tmp_path):
    import ge.onnx

    seen = []

    def other_thread():
        seen.append(get_ge_error_msg())

    with pytest.raises(OnnxError) as failed:
        ge.onnx.load(str(tmp_path / "missing.onnx"))
    assert get_ge_error_msg() == str(failed.value)
    with pytest.raises(GeError, match="SaveModel failed; .*missing.onnx"):
        raise_ge_error("SaveModel")
    worker = threading.Thread(target=other_thread)
    worker.start()
    worker.join()
    assert seen == [""]


def test_importing_the_exceptions_loads_nothing_else():
    code = "import sys, ge.error; sys.exit(any(m.startswith(('ge.graph', 'ge.passes')) for m in sys.modules))"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0
