"""What every test shares: the installed package (never the source tree), atc as a subprocess, a clean registry."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys

import ge
import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent
SAMPLES = ROOT / "samples"


def pytest_configure(config):
    # Where a test takes a set away, none is compiled in its place; tests/test_fallback.py turns this on.
    os.environ["GE_PY_FALLBACK"] = "0"
    config.addinivalue_line("markers", "fallback: compiles an artifact set; .ci/run does it on one Python")
    config.addinivalue_line("markers", "smoke: the short set that runs on every supported Python")
    home = pathlib.Path(ge.__file__).absolute()
    if (ROOT / "python") in home.parents:
        raise pytest.UsageError(f"testing the installed wheel: expected ge outside of the source tree, found '{home}'")


def pytest_report_header(config):
    return f"ge: {pathlib.Path(ge.__file__).parent}"


class Atc:
    """Runs atc in a fresh process and keeps what it printed."""

    def __init__(self, folder: pathlib.Path):
        self.folder = folder

    def __call__(self, *options, passes=(), env=None, command=None, check=None, timeout=120):
        """passes: files or folders for ASCEND_GE_PY_PASS_PATH. check: the exit code that is expected."""
        environment = {k: v for k, v in os.environ.items() if not k.startswith(("ASCEND_", "GE_", "DUMP_"))}
        environment["GE_PY_FALLBACK"] = "0"
        if passes:
            environment["ASCEND_GE_PY_PASS_PATH"] = os.pathsep.join(str(p) for p in passes)
        environment.update(env or {})
        done = subprocess.run(
            [*(command or [sys.executable, "-m", "ge.pyatc"]), *map(str, options)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=self.folder,
            env=environment,
            timeout=timeout,
        )
        done.text = done.stdout + done.stderr
        if check is not None:
            assert done.returncode == check, f"exit code {done.returncode}\n{done.text}"
        return done

    def compile(self, model, *options, output="out", passes=(), check=0, **more):
        """Compiles an ONNX file (or an onnx.ModelProto) to <output>.onnx; the result has `.path` and `.text`."""
        if not isinstance(model, (str, os.PathLike)):
            path = self.folder / "model.onnx"
            path.write_bytes(model.SerializeToString())
            model = path
        target = self.folder / output
        done = self(
            "--framework=5",
            f"--model={model}",
            f"--output={target}",
            "--soc_version=Ascend910B1",
            "--emit=onnx",
            *options,
            passes=passes,
            check=check,
            **more,
        )
        done.path = target.with_name(target.name + ".onnx")
        return done


@pytest.fixture
def atc(tmp_path) -> Atc:
    return Atc(tmp_path)


@pytest.fixture
def samples() -> pathlib.Path:
    return SAMPLES


@pytest.fixture
def run_pass(registry):
    """Applies pass classes, registered or not, to a graph: run_pass(graph, Class, ...) -> the reports."""

    def run(graph, *classes):
        return registry.apply(graph, passes=list(classes))

    return run


@pytest.fixture
def registry():
    """ge.passes with an empty registry, before and after."""
    import ge.passes

    ge.passes.clear_registered_passes()
    yield ge.passes
    ge.passes.clear_registered_passes()


@pytest.fixture
def ops(monkeypatch):
    """ge.custom_op._bridge, with nothing registered before and after."""
    from _fake_contexts import clean_registries

    with clean_registries(monkeypatch) as bridge:
        yield bridge


@pytest.fixture
def custom_ops(ops):
    """ge.custom_op.runtime: the core knows no Python operator before and after."""
    from ge.custom_op import runtime

    runtime.unload()
    yield runtime
    runtime.unload()


@pytest.fixture(scope="session")
def models():
    """Real models by name, kept between runs in GE_TEST_MODELS, else in the user's cache folder."""
    sys.path.insert(0, str(ROOT / "scripts"))
    import fetch_real_models

    cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    folder = pathlib.Path(os.environ.get("GE_TEST_MODELS") or os.path.join(cache, "ge-py-test-models"))
    return {path.stem: path for path in fetch_real_models.fetch(folder)}
