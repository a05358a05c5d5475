"""C++ pass libraries: built against the installed headers, loaded by atc, isolated like Python passes."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys

import ge.config
import numpy as np
import onnx
import pytest
from _cxx import Libraries, build
from _onnx_models import operators
from onnx import TensorProto, helper, numpy_helper


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    return Libraries(tmp_path_factory.mktemp("libraries"))


def model(*nodes, constants=()):
    """A chain over x: each node is (type, more inputs)."""
    made, last = [], "x"
    for i, (op, *more) in enumerate(nodes):
        made.append(helper.make_node(op, [last, *more], [f"t{i}"], name=f"n{i}"))
        last = f"t{i}"
    graph = helper.make_graph(
        made,
        "g",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [2, 3])],
        [helper.make_tensor_value_info(last, TensorProto.FLOAT, [2, 3])],
        [numpy_helper.from_array(np.asarray(value, np.float32), name) for name, value in dict(constants).items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def test_passes_of_the_first_form(atc, library, tmp_path):
    env = library.opp(tmp_path / "opp", vendor=["v1"])
    chain = model(("Abs",), ("Relu",), ("Neg",), ("Neg",), ("Sqrt",))
    done = atc.compile(chain, "--verify", env=env)
    assert operators(done.path) == {"Abs": 1, "Identity": 1, "Sqrt": 1}, done.text
    assert "libv1.so" in done.text


def test_passes_of_the_second_form_see_context_and_constant_values(atc, library, tmp_path):
    env = library.opp(tmp_path / "opp", vendor=["v2"])
    chain = model(("Add", "two"), ("Add", "one"), ("Reciprocal",), ("Relu",), constants={"one": 1.0, "two": 2.0})
    done = atc.compile(chain, env=env)
    assert operators(done.path) == {"Add": 1, "Neg": 1, "Div": 1, "Relu": 1}, done.text
    assert "failed" not in done.text


def test_legacy_passes_run_first_in_order_of_registration(atc, library, tmp_path):
    env = library.opp(tmp_path / "opp", vendor=["legacy"])
    switches = tmp_path / "switches.json"
    switches.write_text('{"Switch": {"GraphFusion": {"ALL": "off"}}}')
    done = atc.compile(model(("Relu",), ("Neg",)), f"--fusion_switch_file={switches}", env=env)
    # No switch reaches them. The first one is known under a name that it does not expect.
    assert operators(done.path) == {"Abs": 1, "Neg": 1}, done.text
    lines = done.text
    assert "pass 'ZLegacyFirst' failed" in lines and "second legacy pass ran" in lines
    assert lines.index("ZLegacyFirst") < lines.index("LegacyReluToAbs") < lines.index("ALegacySecond")
    assert "streams allocated up to 1" in lines


def test_failing_passes_have_no_effect_and_are_named(atc, library, tmp_path):
    env = library.opp(tmp_path / "opp", vendor=["bad_hooks"])
    done = atc.compile(model(("Relu",), ("Neg",)), env=env)
    assert operators(done.path) == {"Relu": 1, "Neg": 1}, done.text
    assert "pass 'BadRun' failed" in done.text and "the run went wrong" in done.text
    assert "std::runtime_error" in done.text
    assert "told by the pass" in done.text
    assert "pass 'BadConstructor' failed" in done.text
    assert "input 0 exists already" in done.text
    assert "pass 'BadLegacy' failed" in done.text
    assert "E13030" in done.text and "BadStreams" in done.text
    stopped = atc.compile(model(("Relu",)), "--py_pass_on_error=fail", env=env, output="no", check=255)
    assert "E13028" in stopped.text and not stopped.path.exists()


@pytest.mark.parametrize("name, reason", [("missing_symbol", "ge_no_such_function"), ("throws_at_load", "no licence")])
def test_library_that_cannot_be_loaded_is_left_out(name, reason, atc, library, tmp_path):
    env = library.opp(tmp_path / "opp", a_vendor=[name], b_vendor=["v1"])
    done = atc.compile(model(("Abs",), ("Relu",)), env=env)
    assert "E13029" in done.text and f"lib{name}.so" in done.text and reason in done.text
    assert operators(done.path) == {"Abs": 1}, done.text
    assert "NeverThere" not in done.text
    stopped = atc.compile(model(("Abs",)), "--py_pass_on_error=fail", env=env, output="no", check=255)
    assert "[ERROR] E13029" in stopped.text and not stopped.path.exists()


def test_file_that_is_no_library_is_left_out(atc, library, tmp_path):
    env = library.opp(tmp_path / "opp", vendor=[])
    (tmp_path / "opp/vendors/vendor/custom_fusion_passes/libtext.so").write_text("no library")
    done = atc.compile(model(("Abs",)), env=env)
    assert "E13029" in done.text and "libtext.so" in done.text


PYTHON_PASS = """
from ge.es.all import Abs, Neg
from ge.passes import PassStage, PatternFusionPass, pattern, register_fusion_pass

@register_fusion_pass(name="{name}", stage=PassStage.AFTER_INFER_SHAPE)
class Mine(PatternFusionPass):
    @pattern
    def neg(self, inputs):
        return Abs(inputs[0])

    def replacement(self, inputs):
        return Neg(inputs[0])
"""


def test_python_and_cxx_passes_run_in_one_order(atc, library, tmp_path):
    env = library.opp(tmp_path / "opp", vendor=["v1"])
    own = tmp_path / "own.py"
    own.write_text(PYTHON_PASS.format(name="W after V1"))
    done = atc.compile(model(("Abs",), ("Relu",)), passes=[own], env=env)
    assert operators(done.path) == {"Neg": 1}, done.text
    own.write_text(PYTHON_PASS.format(name="A before V1"))
    done = atc.compile(model(("Abs",), ("Relu",)), passes=[own], env=env)
    assert operators(done.path) == {"Neg": 1, "Relu": 1}, done.text


def test_python_pass_with_the_name_of_a_cxx_pass_is_refused(atc, library, tmp_path):
    env = library.opp(tmp_path / "opp", vendor=["v1"])
    own = tmp_path / "own.py"
    own.write_text(PYTHON_PASS.format(name="V1AbsRelu"))
    done = atc.compile(model(("Abs",), ("Relu",)), passes=[own], env=env)
    assert "V1AbsRelu" in done.text and "libv1.so" in done.text and "own.py" in done.text
    assert operators(done.path) == {"Abs": 1}, done.text


def test_second_library_with_the_same_names_is_told(atc, library, tmp_path):
    env = library.opp(tmp_path / "opp", a_vendor=["v1"], b_vendor=["v1"])
    done = atc.compile(model(("Abs",), ("Relu",)), env=env)
    assert "the name is taken" in done.text and "a_vendor" in done.text
    assert operators(done.path) == {"Abs": 1}


def test_switches_reach_cxx_passes(atc, library, tmp_path):
    env = library.opp(tmp_path / "opp", vendor=["v1"])
    done = atc.compile(model(("Abs",), ("Relu",)), "--optimization_switch=V1AbsRelu:off", env=env)
    assert operators(done.path) == {"Abs": 1, "Relu": 1}


def test_libraries_load_unload_and_load_again_in_one_process(library, tmp_path):
    """Nothing of a closed library stays registered; a library that stays in memory works again too."""
    opp = tmp_path / "opp"
    # GNU_UNIQUE symbols keep the second one in memory.
    library.opp(opp, vendor=["v1", "legacy"])
    unique = tmp_path / "unique.cc"
    unique.write_text(
        '#include "register/register_custom_pass.h"\n'
        "template <int> struct Keeps { static int value; };\ntemplate <int kN> int Keeps<kN>::value = kN;\n"
        'REGISTER_CUSTOM_PASS("Kept").CustomPassFn([](ge::GraphPtr &, ge::CustomPassContext &) -> ge::Status {\n'
        "  return Keeps<3>::value == 3 ? ge::SUCCESS : ge::FAILED;\n});\n"
    )
    build(unique, opp / "vendors/vendor/custom_fusion_passes/libunique.so")
    program = tmp_path / "reload.py"
    onnx.save(model(("Abs",), ("Relu",)), str(tmp_path / "m.onnx"))
    program.write_text(
        "import ctypes, ge, pathlib, sys\n"
        "library = ctypes.CDLL(str(pathlib.Path(ge.__file__).parent / 'lib/libge_compiler.so'))\n"
        "words = [b'atc', b'--framework=5', b'--model=m.onnx', b'--output=out', b'--emit=onnx', b'--soc_version=Ascend910B1']\n"
        "from ge.passes._native import registered_passes\n"
        "for _ in range(3):\n"
        "    assert library.ge_atc_main(len(words), (ctypes.c_char_p * len(words))(*words)) == 0\n"
        "    assert registered_passes()['passes'] == [], registered_passes()\n"
    )
    done = subprocess.run(
        [sys.executable, str(program)],
        cwd=tmp_path,
        env={**os.environ, "ASCEND_OPP_PATH": str(opp)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    for name in ("V1AbsRelu", "LegacyReluToAbs", "Kept"):
        assert sum(line.split()[1:2] == [name] for line in done.stdout.splitlines()) == 3, done.stdout


def test_library_compiled_with_the_old_string_abi(atc, library, tmp_path):
    folder = tmp_path / "opp/vendors/vendor/custom_fusion_passes"
    folder.mkdir(parents=True)
    shutil.copy(library("v1", "-D_GLIBCXX_USE_CXX11_ABI=0"), folder / "libv1.so")
    done = atc.compile(model(("Abs",), ("Relu",)), env={"ASCEND_OPP_PATH": str(tmp_path / "opp")})
    assert operators(done.path) == {"Abs": 1}, done.text


def test_sample_is_built_through_find_package_and_fires(atc, samples, tmp_path):
    if shutil.which("cmake") is None:
        pytest.skip("needs cmake")
    cmake_dir = subprocess.run(
        [sys.executable, "-m", "ge.config", "--cmakedir"], capture_output=True, text=True, check=True
    ).stdout.strip()
    build_dir = tmp_path / "build"
    for command in (
        ["cmake", "-S", samples / "cpp_add_zero", "-B", build_dir, f"-Dge_DIR={cmake_dir}"],
        ["cmake", "--build", build_dir],
    ):
        done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
    folder = tmp_path / "opp/vendors/sample/custom_fusion_passes"
    folder.mkdir(parents=True)
    shutil.copy(build_dir / "libcpp_add_zero.so", folder)
    source = samples / "cpp_add_zero" / "model.onnx"
    done = atc.compile(source, "--verify", env={"ASCEND_OPP_PATH": str(tmp_path / "opp")})
    assert operators(done.path)["Add"] < operators(source)["Add"], done.text


def test_public_headers_compile_in_any_order(tmp_path):
    if shutil.which("g++") is None:
        pytest.skip("needs g++")
    include = ge.config.get_include()
    headers = [
        os.path.relpath(os.path.join(folder, name), include)
        for folder, _, names in os.walk(include)
        for name in names
        if f"{os.sep}ge{os.sep}c" not in folder
    ]
    assert "es_all_ops.h" in headers and "ge/fusion/pattern_matcher.h" in headers
    # A header that leans on another one is met before it in one of the two orders.
    files = []
    for number, order in enumerate((sorted(headers), sorted(headers, reverse=True))):
        file = tmp_path / f"h{number}.cc"
        file.write_text("".join(f'#include "{header}"\n' for header in [*order, *order]))
        files.append(str(file))
    done = subprocess.run(
        ["g++", "-std=c++17", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-I", include, *files],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr


def test_statistics_file_counts_what_passes_did(atc, library, tmp_path):
    env = library.opp(tmp_path / "opp", vendor=["v1", "bad_hooks"])
    atc.compile(model(("Abs",), ("Relu",)), "--optimization_switch=BadReplacement:off", env=env)
    counts = json.loads((tmp_path / "fusion_result.json").read_text())["session_and_graph_id_0_0"]["graph_fusion"]
    assert counts["V1AbsRelu"] == {"match_times": "1", "effect_times": "1"}
    assert counts["V1Square"] == {"match_times": "0", "effect_times": "0"}
    # Neither what failed or was switched off, nor a pass by hand that reported nothing.
    assert set(counts) == {"V1AbsRelu", "V1Square"}
    assert (tmp_path / "fusion_result.json").read_text().startswith('{\n    "session')


def test_statistics_file_goes_where_it_is_asked_for(atc, library, tmp_path):
    env = library.opp(tmp_path / "opp", vendor=["v1"])
    work = tmp_path / "work"
    atc.compile(model(("Abs",)), "--export_compile_stat=2", env={**env, "ASCEND_WORK_PATH": str(work)})
    assert [p.name for p in work.glob("FE/*/*")] == ["fusion_result.json"]
    atc.compile(model(("Abs",)), "--export_compile_stat=0", env=env)
    assert not (tmp_path / "fusion_result.json").exists()


def test_library_that_others_can_write_to_is_named_once(atc, library, tmp_path):
    env = library.opp(tmp_path / "opp", vendor=["v1"])
    path = tmp_path / "opp/vendors/vendor/custom_fusion_passes/libv1.so"
    for place in (path, path.parent):
        place.chmod(place.stat().st_mode & ~0o022)
    assert "can be written to" not in atc.compile(model(("Abs",)), env=env).text
    path.chmod(0o664)
    done = atc.compile(model(("Abs",)), env=env)
    assert done.text.count(f"'{path}' can be written to by its group") == 1
