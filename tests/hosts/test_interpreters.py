"""Interpreters, artifact sets and bridges that do not fit: Python passes are off for one clear reason, the compile goes on."""

from __future__ import annotations

import json
import pathlib
import shutil
import sys

import pytest

from _cxx import Libraries
from _onnx_models import Net, operators
from _programs import PACKAGE, Host, build, host_flags, needs_shared_python

NEG, RELU = {"Neg": 1}, {"Relu": 1}


def compiled_without_passes(done, path, *words):
    """The compile went on, one warning says why no Python pass ran, and it holds these words."""
    assert operators(path) == RELU, done.text
    reasons = [line for line in done.text.splitlines() if "Python passes are not available" in line]
    assert len(reasons) == 1, done.text
    for word in words:
        assert word in reasons[0], f"no '{word}' in\n{reasons[0]}"
    assert "no Python pass ran" in done.text and "a fake interpreter was used" not in done.text, done.text


@pytest.fixture
def native(atc, model, plugin):
    """Runs atc.bin with a pass: native(GE_PYTHON_EXECUTABLE=...)."""

    def run(**env):
        done = atc.compile(model, passes=[plugin], command=[str(PACKAGE / "bin" / "atc.bin")], env=env)
        return done, done.path

    return run


def fake(folder, version, library="", free_threaded=False):
    """A program that says it is such a Python."""
    flags = [f'-DFAKE_VERSION="{version}"', f'-DFAKE_LIBRARY="{library}"']
    flags.append(f'-DFAKE_FREE_THREADED="{str(free_threaded).lower()}"')
    return build(folder / "python", "fake_python.c", *flags)


def fake_library(folder, version):
    return build(folder / "libpython3.fake.so", "fake_python.c", f'-DFAKE_VERSION="{version}"', "-shared", "-fPIC")


# --- what the chosen interpreter says ---------------------------------------------------------------------------------


def test_an_interpreter_below_the_floor(native, tmp_path):
    done, path = native(GE_PYTHON_EXECUTABLE=fake(tmp_path, "3.8.19 (main)", tmp_path / "libpython3.8.so"))
    compiled_without_passes(done, path, "needs Python", "'3.8'", "GE_PYTHON_EXECUTABLE")


def test_an_interpreter_without_a_gil(native, tmp_path):
    version = "3.13.0 experimental free-threading build (main)"
    done, path = native(
        GE_PYTHON_EXECUTABLE=fake(tmp_path, version, tmp_path / "libpython3.13t.so", free_threaded=True)
    )
    compiled_without_passes(done, path, "free-threaded")


def test_an_interpreter_without_a_shared_library(native, tmp_path):
    done, path = native(GE_PYTHON_EXECUTABLE=fake(tmp_path, "3.12.1 (main)"))
    compiled_without_passes(done, path, "no shared library", "apt-get install", "--enable-shared")


def test_no_interpreter_at_all(native, tmp_path):
    done, path = native(PATH=str(tmp_path), VIRTUAL_ENV="")
    compiled_without_passes(done, path, "'python3'", "GE_PYTHON_EXECUTABLE")


def test_the_library_is_of_another_version_than_the_program_said(native, tmp_path):
    library = fake_library(tmp_path, "3.8.1 (main)")
    done, path = native(GE_PYTHON_EXECUTABLE=fake(tmp_path, "3.12.1 (main)", library))
    compiled_without_passes(done, path, "is Python '3.8'", "expected '3.12'")


def test_the_library_cannot_be_loaded(native, tmp_path):
    library = tmp_path / "libpython3.12.so"
    library.write_bytes(b"no library")
    done, path = native(GE_PYTHON_EXECUTABLE=fake(tmp_path, "3.12.1 (main)", library))
    compiled_without_passes(done, path, "cannot load", str(library))


def test_passes_in_cxx_run_where_no_interpreter_is(atc, plugin, tmp_path):
    env = Libraries(tmp_path / "built").opp(tmp_path / "opp", vendor=["v1"])
    net = Net()
    net.output(net.op("Relu", net.op("Abs", net.input("x", [2])), outputs="y"), [2])
    done = atc.compile(
        net.build(),
        passes=[plugin],
        command=[str(PACKAGE / "bin" / "atc.bin")],
        env={**env, "PATH": str(tmp_path), "VIRTUAL_ENV": ""},
    )
    assert "Python passes are not available" in done.text and "no Python pass ran" in done.text, done.text
    assert operators(done.path) == {"Abs": 1}, done.text


# --- what runs in the process already ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "version, words",
    [
        ("3.8.1 (main)", ["needs Python", "the interpreter in this process is '3.8'"]),
        ("3.13.0 experimental free-threading build (main)", ["the interpreter in this process is free-threaded"]),
        ("2.7.18 (default)", ["the interpreter in this process is '2.7'"]),
        ("4.0.0 (main)", ["the interpreter in this process is '4.0'"]),
        ("nonsense", ["does not tell its version"]),
    ],
)
def test_the_interpreter_of_the_host_does_not_fit(version, words, model, plugin, tmp_path):
    """A fake that aborts when it is really used: everything is decided before."""
    library = fake_library(tmp_path, version)
    flags = ["-Wl,--no-as-needed", library, f"-Wl,-rpath,{tmp_path}"]
    host = Host(build(tmp_path / "host", "host.c", *flags, *host_flags(PACKAGE)), tmp_path)
    done = host("compile", model, "out", "shutdown", passes=[plugin])
    compiled_without_passes(done, tmp_path / "out.onnx", *words)


# --- sets -------------------------------------------------------------------------------------------------------------


@pytest.fixture
def package(tmp_path):
    """A copy of the package to plant defects into."""
    # A build may hold sets for free-threaded interpreters too: these tests make theirs.
    shutil.copytree(PACKAGE, tmp_path / "site" / "ge", ignore=shutil.ignore_patterns("__pycache__", "abi3t-*"))
    return tmp_path / "site" / "ge"


@pytest.fixture
def artifacts(package):
    (folder,) = (package / "passes" / "python_pass_artifacts").glob("abi3-*")
    return folder


def manifest_with(folder, **members):
    path = folder / "manifest.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **members}))


def host_of(package):
    """The host that uses the core of this package."""
    return Host(build(package.parent / "host", "host.c", *host_flags(package)), package.parent)


@pytest.fixture
def run(package, model, plugin):
    host = host_of(package)

    def run(env=None):
        return host("compile", model, "out", "shutdown", passes=[plugin], env={"PYTHONPATH": None, **(env or {})})

    return run


@needs_shared_python
def test_a_set_that_is_pinned_to_one_version_serves_that_one_alone(run, package, artifacts):
    manifest_with(artifacts, python_abi="cp{}{}".format(*sys.version_info))
    done = run()
    assert operators(package.parent / "out.onnx") == NEG, done.text
    for other in ("cp{}{}".format(sys.version_info[0], sys.version_info[1] + 1), "cp{}{}t".format(*sys.version_info)):
        manifest_with(artifacts, python_abi=other)
        compiled_without_passes(run(), package.parent / "out.onnx", f"'{other}'", "'abi3'")


@needs_shared_python
@pytest.mark.parametrize("text", ["{", "", "[]", '{"format_version": 1}', '{"format_version": "1"}', "\0\0"])
def test_a_broken_manifest(text, run, package, artifacts):
    (artifacts / "manifest.json").write_text(text)
    compiled_without_passes(run(), package.parent / "out.onnx", str(artifacts), "manifest")


@needs_shared_python
@pytest.mark.parametrize("missing", ["libge_python_pass_bridge.so", "_ge_pass_native.abi3.so"])
def test_a_missing_file(missing, run, package, artifacts):
    (artifacts / missing).unlink()
    compiled_without_passes(run(), package.parent / "out.onnx", missing)


@needs_shared_python
def test_no_set_at_all(run, package, artifacts):
    shutil.rmtree(artifacts)
    compiled_without_passes(run(), package.parent / "out.onnx", "none found", str(artifacts.parent))


BRIDGES = {
    "later abi": (["-DABI=GE_BRIDGE_ABI_VERSION+1"], "it speaks ABI '3'"),
    "earlier abi": (["-DABI=GE_BRIDGE_ABI_VERSION-1"], "it speaks ABI '1'"),
    "short table": (["-DSIZE=8"], "its table has '8' bytes"),
    "no symbol": (["-DENTRY=another_name"], "does not export 'ge_python_pass_bridge'"),
    "no table": (["-DNO_TABLE"], "returned no table"),
    "empty slots": ([], "empty slot"),
}


@needs_shared_python
@pytest.mark.parametrize("defect", BRIDGES)
def test_a_bridge_that_is_none(defect, run, package, artifacts):
    flags, words = BRIDGES[defect]
    build(artifacts / "libge_python_pass_bridge.so", "fake_bridge.c", "-shared", "-fPIC", *flags)
    compiled_without_passes(run(), package.parent / "out.onnx", "libge_python_pass_bridge.so", words)


@pytest.fixture
def set_without_gil(artifacts):
    """A set for free-threaded interpreters beside the other one; its bridge says that it was opened, and no more."""
    folder = artifacts.with_name(artifacts.name.replace("abi3-", "abi3t-"))
    folder.mkdir()
    (folder / "native.abi3t.so").write_bytes(b"")
    build(folder / "bridge.so", "fake_bridge.c", "-shared", "-fPIC")
    manifest = json.loads((artifacts / "manifest.json").read_text())
    manifest.update(python_abi="abi3t", abi3_floor="3.15", free_threaded=True, backends={})
    manifest["artifacts"] = {"bridge": "bridge.so", "native": "native.abi3t.so"}
    (folder / "manifest.json").write_text(json.dumps(manifest))
    return folder


@pytest.mark.parametrize(
    "version, words",
    [
        ("3.15.0 free-threading build (main)", ["abi3t-", "bridge.so", "empty slot"]),
        ("3.14.0 free-threading build (main)", ["abi3t-", "it needs Python '3.15' or later", "is free-threaded"]),
    ],
)
def test_a_free_threaded_interpreter_gets_the_set_of_its_abi(version, words, package, set_without_gil, model, plugin, tmp_path):
    library = fake_library(tmp_path, version)
    flags = ["-Wl,--no-as-needed", library, f"-Wl,-rpath,{tmp_path}"]
    host = Host(build(package.parent / "host", "host.c", *flags, *host_flags(package)), tmp_path)
    done = host("compile", model, "out", "shutdown", passes=[plugin], env={"PYTHONPATH": None})
    compiled_without_passes(done, tmp_path / "out.onnx", *words)


@needs_shared_python
def test_an_interpreter_with_a_gil_passes_the_set_of_the_other_abi_over(run, package, artifacts, set_without_gil):
    done = run()
    assert operators(package.parent / "out.onnx") == NEG, done.text
    shutil.rmtree(artifacts)
    compiled_without_passes(run(), package.parent / "out.onnx", "abi3t-", "built for the Python ABI 'abi3t'")


@needs_shared_python
def test_a_bridge_that_is_no_library(run, package, artifacts):
    (artifacts / "libge_python_pass_bridge.so").write_bytes(b"no library")
    compiled_without_passes(run(), package.parent / "out.onnx", "cannot open bridge")


def test_a_python_process_passes_the_bad_bridge_over_and_takes_the_next(package, artifacts, model, plugin, atc):
    """The override has a defect; the set of the package serves."""
    for flags, words in BRIDGES.values():
        copy = pathlib.Path(shutil.copytree(artifacts, artifacts.parent.parent / "copy"))
        build(copy / "libge_python_pass_bridge.so", "fake_bridge.c", "-shared", "-fPIC", *flags)
        env = {"GE_PY_ARTIFACT_DIR": str(copy), "PYTHONPATH": str(package.parent)}
        done = atc.compile(model, "--log=info", passes=[plugin], env=env)
        assert operators(done.path) == NEG and words in done.text, done.text
        shutil.rmtree(copy)


@needs_shared_python
def test_a_compile_that_insists_on_its_passes_fails_with_the_reason(package, artifacts, model, plugin, tmp_path):
    (artifacts / "manifest.json").write_text("{")
    done = host_of(package)(
        "compile", model, "out", passes=[plugin], env={"PYTHONPATH": None, "GE_PY_PASS_ON_ERROR": "fail"}
    )
    assert "compile 255" in done.text and "manifest" in done.text and not (package.parent / "out.onnx").exists(), (
        done.text
    )
