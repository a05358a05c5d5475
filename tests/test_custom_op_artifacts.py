"""Artifact sets of ge.custom_op: which one serves this interpreter."""

from __future__ import annotations

import json
import os
import pathlib
import subprocess
import sys

import ge.custom_op
import pytest
from ge._internal.artifact_utils import this_abi, this_platform, this_version
from ge._internal.native_loader import load_extension
from ge.custom_op import _artifact_utils as sets


@pytest.fixture(autouse=True)
def no_override(monkeypatch):
    monkeypatch.delenv("GE_PY_CUSTOM_OP_ARTIFACT_DIR", raising=False)


def make_set(folder, **changes):
    folder.mkdir(parents=True)
    (folder / "native.so").write_bytes(b"")
    (folder / "bridge.so").write_bytes(b"")
    manifest = {
        "format_version": 1,
        "python_abi": this_abi(),
        "abi3_floor": "3.9",
        "free_threaded": False,
        "platform": this_platform(),
        "bridge_abi": sets.BRIDGE_ABI_VERSION,
        "ge_version": this_version(),
        "artifacts": {"bridge": "bridge.so", "native": "native.so"},
        **changes,
    }
    (folder / "manifest.json").write_text(json.dumps(manifest))
    return folder


def test_a_set_that_fits_is_found_with_its_files(tmp_path):
    folder = make_set(tmp_path / "sets" / "mine").resolve()
    (found,) = sets.iter_artifacts(str(tmp_path / "sets"))
    assert found == sets.PrebuiltArtifact(
        root=str(folder),
        manifest_path=str(folder / "manifest.json"),
        python_tag=this_abi(),
        platform_tag=this_platform(),
        abi=1,
        native_path=str(folder / "native.so"),
        bridge_path=str(folder / "bridge.so"),
    )
    assert list(sets.iter_artifacts(str(folder))) == [found]


@pytest.mark.parametrize(
    "changes",
    [
        {"bridge_abi": sets.BRIDGE_ABI_VERSION + 1},
        {"platform": "plan9-mips"},
        {"python_abi": "cp27"},
        {"ge_version": "0.0.1"},
        {"artifacts": {"bridge": "bridge.so", "native": "gone.so"}},
        {"artifacts": {"native": "native.so"}},
    ],
)
def test_a_set_that_does_not_fit_is_passed_over(tmp_path, changes):
    make_set(tmp_path / "a", **changes)
    fitting = make_set(tmp_path / "b")
    assert [found.root for found in sets.iter_artifacts(str(tmp_path))] == [str(fitting.resolve())]


def test_the_package_has_a_set_of_its_own():
    root = pathlib.Path(ge.custom_op.__file__).parent / "python_custom_op_artifacts"
    assert pathlib.Path(sets.artifacts_root()) == root
    found = sets.find_prebuilt_artifact()
    assert found is not None and pathlib.Path(found.root).parent == root.resolve()
    assert pathlib.Path(found.native_path).name.startswith("_ge_custom_op_native")
    assert sets.NATIVE_MODULE_NAME == "ge.custom_op._ge_custom_op_native"


def ask(code, **env):
    return subprocess.run(
        [sys.executable, "-c", code],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, **env},
    )


def test_the_native_module_is_loaded_once_under_its_name():
    done = ask(
        "import sys, ge.runtime, ge.custom_op._artifact_utils as sets\n"
        "module = sys.modules[sets.NATIVE_MODULE_NAME]\n"
        "import ge.custom_op._ge_custom_op_native as imported\n"
        "found = sets.find_prebuilt_artifact()\n"
        "assert module is imported is sets.ensure_native_module() is ge.custom_op._ge_custom_op_native\n"
        "assert module is sets.load_native_module(found.root) is sets.load_native_module(found.native_path)\n"
        "assert sets.artifact_dir() == found.root\n"
        "try:\n"
        "    sets.load_native_module('/no/such/set')\n"
        "except ImportError as error:\n"
        "    print(error)\n"
    )
    assert done.returncode == 0, done.stderr
    assert "artifact set '/no/such/set' cannot be used: its manifest cannot be read" in done.stdout


def test_a_file_that_is_no_module_leaves_its_name_unknown(tmp_path):
    (tmp_path / "native.so").write_bytes(b"no library")
    with pytest.raises(ImportError):
        load_extension("ge.custom_op._no_such_native", str(tmp_path / "native.so"))
    assert "ge.custom_op._no_such_native" not in sys.modules and not hasattr(ge.custom_op, "_no_such_native")


def test_the_set_that_the_variable_names_comes_first(tmp_path):
    make_set(tmp_path / "broken")  # its files are no libraries
    code = "import ge.runtime, ge.custom_op._artifact_utils as s; print(s.artifact_dir())"
    done = ask(code, GE_PY_CUSTOM_OP_ARTIFACT_DIR=str(tmp_path / "broken"))
    assert done.stdout.strip() == sets.find_prebuilt_artifact().root
    assert f"artifact set '{(tmp_path / 'broken').resolve()}' does not load" in done.stderr


def test_without_a_set_that_fits_the_import_says_what_was_searched(tmp_path):
    make_set(tmp_path / "sets" / "newer", bridge_abi=2)
    code = (
        "import ge.custom_op._artifact_utils as s\n"
        f"s._loader._kind = s.KIND._replace(sets_folder={str(tmp_path / 'sets')!r})\n"
        "import ge.runtime\n"
    )
    done = ask(code)
    assert done.returncode != 0
    text = done.stderr.splitlines()[-1]
    assert "ImportError: cannot load the native module of ge.custom_op: searched" in text
    assert "its bridge speaks ABI '2', this package needs '1'" in text and "reinstall" in text
