"""Choosing and opening an artifact set; the native host. Defects are planted into a copy of the installed package."""

from __future__ import annotations

import json
import os
import pathlib
import shutil
import subprocess
import sys
import sysconfig

import ge
import pytest

from _onnx_models import Net, operators

PACKAGE = pathlib.Path(ge.__file__).parent
PASS = """
from ge.es.all import Neg, Relu
from ge.passes import PassStage, PatternFusionPass, pattern, register_fusion_pass

@register_fusion_pass(name="ReluToNeg", stage=PassStage.BEFORE_INFER_SHAPE)
class ReluToNeg(PatternFusionPass):
    @pattern
    def relu(self, inputs):
        return Relu(inputs[0])

    def replacement(self, inputs):
        return Neg(inputs[0])
"""


@pytest.fixture
def model():
    net = Net()
    net.output(net.op("Relu", net.input("x", [2]), outputs="y"), [2])
    return net.build()


@pytest.fixture
def plugin(tmp_path):
    path = tmp_path / "relu_to_neg.py"
    path.write_text(PASS)
    return path


def artifact_set(package: pathlib.Path) -> pathlib.Path:
    (folder,) = (package / "passes" / "python_pass_artifacts").glob("abi3-*")
    return folder


def edit(folder, **members):
    path = folder / "manifest.json"
    manifest = {**json.loads(path.read_text()), **members}
    path.write_text(json.dumps({k: v for k, v in manifest.items() if v is not None}))


@pytest.fixture
def copied_set(tmp_path):
    """A copy of the artifact set alone, for GE_PY_ARTIFACT_DIR."""
    return pathlib.Path(shutil.copytree(artifact_set(PACKAGE), tmp_path / "set"))


@pytest.fixture
def copied_package(tmp_path):
    """A copy of the whole package; importable with PYTHONPATH = its parent."""
    shutil.copytree(PACKAGE, tmp_path / "site" / "ge", ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path / "site" / "ge"


def test_the_manifest_says_what_the_set_is():
    folder = artifact_set(PACKAGE)
    manifest = json.loads((folder / "manifest.json").read_text())
    floor = tuple(map(int, manifest["abi3_floor"].split(".")))
    assert manifest["format_version"] == 1 and manifest["python_abi"] == "abi3" and manifest["bridge_abi"] == 2
    assert floor <= sys.version_info[:2] and manifest["free_threaded"] is False
    assert folder.name == f"abi3-{manifest['platform']}"
    for name in manifest["artifacts"].values():
        assert (folder / name).is_file()


def defects():
    def text(content):
        return lambda folder: (folder / "manifest.json").write_text(content)

    def members(**changed):
        return lambda folder: edit(folder, **changed)

    def outside(folder):
        shutil.copy(folder / "libge_python_pass_bridge.so", folder.parent / "outside.so")
        native = json.loads((folder / "manifest.json").read_text())["artifacts"]["native"]
        edit(folder, artifacts={"bridge": "../outside.so", "native": native})

    def link(folder):
        bridge = folder / "libge_python_pass_bridge.so"
        shutil.move(str(bridge), folder.parent / "outside.so")
        bridge.symlink_to(folder.parent / "outside.so")

    return {
        "no manifest": lambda folder: (folder / "manifest.json").unlink(),
        "broken json": text("{"),
        "json of another kind": text("[]"),
        "a member twice": text('{"format_version": 1, "format_version": 1}'),
        "later format": members(format_version=2),
        "no format": members(format_version=None),
        "other platform": members(platform="linux-pdp11"),
        "other bridge abi": members(bridge_abi=1),
        "other version of ge-py": members(ge_version="0.0.1"),
        "bridge abi as text": members(bridge_abi="1"),
        "other python abi": members(python_abi="cp38"),
        "later floor": members(abi3_floor="3.100"),
        "floor as number": members(abi3_floor=3.9),
        "floor in words": members(abi3_floor="three"),
        "no artifacts": members(artifacts=None),
        "missing file": members(artifacts={"bridge": "nowhere.so", "native": "_ge_pass_native.abi3.so"}),
        "file outside": outside,
        "link to outside": link,
        "missing native": lambda folder: (folder / "_ge_pass_native.abi3.so").unlink(),
    }


@pytest.mark.parametrize("defect", defects())
def test_a_set_with_a_defect_is_passed_over_with_the_reason(defect, copied_set, model, plugin, atc):
    defects()[defect](copied_set)
    done = atc.compile(model, "--log=info", passes=[plugin], env={"GE_PY_ARTIFACT_DIR": str(copied_set)})
    assert operators(done.path) == {"Neg": 1}, done.text  # with the set of the wheel
    assert any(str(copied_set) in line and "passed over" in line for line in done.text.splitlines()), done.text


@pytest.mark.parametrize("defect", ["no manifest", "broken json", "other platform", "later floor", "missing native"])
def test_without_a_usable_set_python_says_why(defect, copied_package):
    defects()[defect](artifact_set(copied_package))
    done = subprocess.run(
        [sys.executable, "-c", "import ge.passes; ge.passes.Pattern"],
        env={**os.environ, "PYTHONPATH": str(copied_package.parent)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    last = done.stderr.strip().splitlines()[-1]
    assert done.returncode == 1 and last.startswith("ImportError: ") and str(copied_package) in last, done.stderr


def test_without_a_usable_set_atc_compiles_without_python_passes(copied_package, model, plugin, atc):
    edit(artifact_set(copied_package), platform="linux-pdp11")
    environment = {"PYTHONPATH": str(copied_package.parent)}
    done = atc.compile(model, passes=[plugin], env=environment)
    assert operators(done.path) == {"Relu": 1} and "linux-pdp11" in done.text
    done = atc.compile(model, "--py_pass_on_error=fail", passes=[plugin], env=environment, check=255, output="strict")
    assert "linux-pdp11" in done.text and not done.path.exists()


def test_a_floor_of_3_10_is_later_than_3_9(copied_set, model, plugin, atc):
    edit(copied_set, abi3_floor="3.10")
    done = atc.compile(model, "--log=info", passes=[plugin], env={"GE_PY_ARTIFACT_DIR": str(copied_set)})
    assert ("passed over" in done.text) == (sys.version_info < (3, 10))


def test_the_override_comes_first(copied_set, model, plugin, atc):
    done = atc.compile(model, "--log=info", passes=[plugin], env={"GE_PY_ARTIFACT_DIR": str(copied_set)})
    assert operators(done.path) == {"Neg": 1} and str(copied_set) in done.text


# --- the native host --------------------------------------------------------------------------------------------------

SHARED = bool(sysconfig.get_config_var("Py_ENABLE_SHARED"))


def native(atc, model, plugin, env, **more):
    return atc.compile(
        model, passes=[plugin] if plugin else [], command=[str(PACKAGE / "bin" / "atc.bin")], env=env, **more
    )


@pytest.mark.smoke
def test_the_native_host_runs_python_passes(model, plugin, atc):
    done = native(atc, model, plugin, {"GE_PYTHON_EXECUTABLE": sys.executable})
    if SHARED:
        assert operators(done.path) == {"Neg": 1}, done.text
    else:
        assert operators(done.path) == {"Relu": 1} and "libpython" in done.text


def test_the_native_host_needs_no_python_without_passes(model, atc):
    done = native(atc, model, None, {"PATH": "/nonexistent", "GE_PYTHON_EXECUTABLE": "/nonexistent/python"})
    assert operators(done.path) == {"Relu": 1}


@pytest.mark.parametrize("python", ["/nonexistent/python", "/bin/false", "/bin/echo"])
def test_an_interpreter_that_is_none_is_named(python, model, plugin, atc):
    done = native(atc, model, plugin, {"GE_PYTHON_EXECUTABLE": python})
    assert operators(done.path) == {"Relu": 1} and python in done.text
    done = native(
        atc, model, plugin, {"GE_PYTHON_EXECUTABLE": python, "GE_PY_PASS_ON_ERROR": "fail"}, check=255, output="b"
    )
    assert python in done.text and not done.path.exists()


@pytest.mark.skipif(not SHARED, reason="this Python has no shared library to embed")
def test_the_native_host_sees_the_packages_of_its_virtual_environment(model, plugin, atc):
    plugin.write_text("import numpy, sys\nprint('prefix', sys.prefix, 'numpy', numpy.__version__)\n" + PASS)
    done = native(atc, model, plugin, {"GE_PYTHON_EXECUTABLE": sys.executable})
    assert f"prefix {sys.prefix} numpy" in done.stdout, done.text


@pytest.mark.skipif(not SHARED, reason="this Python has no shared library to embed")
def test_a_failing_pass_in_the_native_host_is_reported_the_same(model, plugin, atc):
    plugin.write_text(PASS.replace("return Neg(inputs[0])", "raise ValueError('from the pass')"))
    done = native(atc, model, plugin, {"GE_PYTHON_EXECUTABLE": sys.executable})
    assert (
        "ValueError: from the pass" in done.text
        and "relu_to_neg.py" in done.text
        and operators(done.path) == {"Relu": 1}
    )


def test_there_is_one_compiler_library_in_a_process():
    code = (
        "import ge.onnx, ge.passes, re; ge.passes.Pattern\n"
        "maps = open('/proc/self/maps').read()\n"
        "print(sorted(set(re.findall(r'/\\S*libge_compiler\\S*', maps))))"
    )
    done = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, check=True)
    assert done.stdout.count("libge_compiler") == 1
