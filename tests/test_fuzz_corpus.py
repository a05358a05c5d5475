"""Files that once did harm, or that fuzzing found worth keeping: read, inferred and written without a crash."""

from __future__ import annotations

import pathlib
import subprocess
import sys
import textwrap

import pytest

CORPUS = pathlib.Path(__file__).resolve().parent / "data" / "fuzz"

REPLAY = textwrap.dedent(
    """
    import pathlib, sys
    import ge.onnx
    import ge.passes
    target = pathlib.Path(sys.argv[1])
    for name in sys.argv[2:]:
        print(name, flush=True)
        try:
            graph = ge.onnx.load(name)
            ge.onnx.save(graph, target / "out.onnx")
            ge.onnx.load(target / "out.onnx")
            ge.passes.apply(graph, passes=[])
            ge.onnx.save(graph, target / "out.onnx", opset=21, external_data_threshold=16)
        except (ValueError, OSError, RuntimeError) as error:
            assert str(error), "an error without text"
    """
)


@pytest.mark.parametrize("kind", ["onnx"])
def test_past_findings_do_no_harm(kind, tmp_path):
    files = sorted(str(f) for f in (CORPUS / kind).iterdir())
    assert files
    done = subprocess.run(
        [sys.executable, "-c", REPLAY, str(tmp_path), *files], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    last = done.stdout.splitlines()[-1:]
    assert done.returncode == 0, f"{last}: {done.stderr[-2000:]}"
    assert last == files[-1:]
