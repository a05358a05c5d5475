"""Files that once did harm, or that fuzzing found worth keeping: read, inferred and written without a crash."""

from __future__ import annotations

import pathlib
import subprocess
import sys
import textwrap

import pytest

CORPUS = pathlib.Path(__file__).resolve().parent / "data" / "fuzz"

# What the fuzz targets of tests/fuzz do, and the passes.
REPLAY = textwrap.dedent(
    """
    import contextlib, pathlib, sys
    import ge.onnx
    import ge.passes
    from ge.graph import Graph
    from ge.passes.runtime import ensure_native_module

    def load_air(path):
        graph = Graph("before")
        graph.load_from_air(str(path))
        return graph

    native = ensure_native_module()
    kinds = {
        "onnx": (ge.onnx.load, ge.onnx.save),
        "air": (load_air, lambda graph, path: graph.save_to_air(str(path))),
        "om": (lambda path: native.om_load(str(path)), lambda graph, path: native.om_save(graph, str(path))),
    }
    load, save = kinds[sys.argv[1]]
    target = pathlib.Path(sys.argv[2])

    @contextlib.contextmanager
    def may_fail():
        try:
            yield
        except (ValueError, OSError, RuntimeError) as error:
            assert str(error), "an error without text"

    for name in sys.argv[3:]:
        print(name, flush=True)
        with may_fail():
            graph = load(name)
            with may_fail():
                save(graph, target / "out")
                try:
                    load(target / "out")
                except Exception as error:
                    raise AssertionError("what was written cannot be read") from error
            for _, save_other in kinds.values():
                with may_fail():
                    save_other(graph, target / "other")
            with may_fail():
                ge.passes.apply(graph, passes=[], options={"ge.oo.level": "O3"})
                ge.onnx.save(graph, target / "out.onnx", opset=21, external_data_threshold=16)
    """
)


def replay(kind, files, folder):
    done = subprocess.run(
        [sys.executable, "-c", REPLAY, kind, str(folder), *files], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    last = done.stdout.splitlines()[-1:]
    assert done.returncode == 0, f"{last}: {done.stderr[-2000:]}"
    assert last == files[-1:]


@pytest.mark.parametrize("kind", ["onnx", "air", "om"])
def test_past_findings_do_no_harm(kind, tmp_path):
    files = sorted(str(f) for f in (CORPUS / kind).iterdir())
    assert files
    replay(kind, files, tmp_path)


@pytest.mark.parametrize("kind", ["air", "om"])
def test_findings_of_the_onnx_reader_do_no_harm_in_other_forms(kind, tmp_path):
    """One kind of model may look like another to its reader."""
    replay(kind, sorted(str(f) for f in (CORPUS / "onnx").iterdir()), tmp_path)
