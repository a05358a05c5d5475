"""Where passes come from: installed packages, legacy passes in Python, and the list of all of them."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import ge.passes
import pytest
from _onnx_models import Net, operators
from ge.es import GraphBuilder
from ge.es.all import Neg, Relu

PASS = """
from ge.es.all import Neg, Relu
from ge.passes import PassStage, PatternFusionPass, pattern, register_fusion_pass

@register_fusion_pass(name="{name}", stage=PassStage.BEFORE_INFER_SHAPE)
class ReluToNeg(PatternFusionPass):
    @pattern
    def relu(self, inputs):
        return Relu(inputs[0])

    def replacement(self, inputs):
        return Neg(inputs[0])
"""


@pytest.fixture
def relu():
    net = Net()
    net.output(net.op("Relu", net.input("x", [2]), outputs="y"), [2])
    return net.build()


@pytest.fixture
def package(tmp_path):
    """Makes an installed package in a folder of its own: package(value, **files) -> environment."""
    site = tmp_path / "site"

    def install(value, name="my-passes", **files):
        info = site / f"{name.replace('-', '_')}-1.0.dist-info"
        info.mkdir(parents=True)
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text(f"[console_scripts]\nx = y:z\n\n[ge.passes.plugins]\nmine = {value}\n")
        for file, text in files.items():
            path = site / file.replace("__", "/") if "__" in file else site / file
            path = path.with_suffix(".py")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        own = os.environ.get("PYTHONPATH", "")
        return {"PYTHONPATH": os.pathsep.join([str(site), *([own] if own else [])])}

    return install


def ask(*words, env=None, cwd=None):
    environment = {k: v for k, v in os.environ.items() if not k.startswith("ASCEND_")}
    environment.update(env or {})
    return subprocess.run([sys.executable, *words], capture_output=True, text=True, env=environment, cwd=cwd)


def test_atc_runs_the_passes_of_an_installed_package(relu, atc, package):
    env = package("my_passes", my_passes=PASS.format(name="Installed"))
    done = atc.compile(relu, env=env)
    assert operators(done.path) == {"Neg": 1}, done.text
    assert "my_passes-1.0.dist-info" in done.text


def test_entry_point_may_be_a_function_that_returns_a_module(relu, atc, package):
    loader = "def load():\n    from deep import passes\n    return passes\n"
    env = package("deep.start:load", deep__start=loader, deep__passes=PASS.format(name="Deep"), deep____init__="")
    (atc.folder / "site/deep/__init__.py").write_text("")
    assert operators(atc.compile(relu, env=env).path) == {"Neg": 1}


@pytest.mark.parametrize(
    "value, found",
    [("no_such_module", "ModuleNotFoundError"), ("wrong:what", "must be a module"), ("raising", "RuntimeError: no luck")],
)
def test_package_that_cannot_be_loaded_is_named_and_left_out(value, found, relu, atc, package):
    env = package(value, wrong="def what():\n    return 3\n", raising="raise RuntimeError('no luck')\n")
    done = atc.compile(relu, env=env)
    assert operators(done.path) == {"Relu": 1}
    assert found in done.text and f"mine = {value}" in done.text and "my-passes" in done.text


def test_without_plugins_no_interpreter_is_started(relu, atc):
    home = os.path.dirname(ge.passes.__file__)
    native = os.path.join(os.path.dirname(home), "bin", "atc.bin")
    # An interpreter that cannot be started would be complained about.
    done = atc.compile(relu, command=[native], env={"GE_PYTHON_EXECUTABLE": "/no/such/python"})
    assert "WARNING" not in done.text and "Python" not in done.text.replace("ASCEND_GE_PY_PASS_PATH", "")


def test_package_passes_register_again_after_an_unload(package, tmp_path, relu):
    env = package("my_passes", my_passes=PASS.format(name="Again"))
    code = (
        "from ge.passes import _bridge, bootstrap, registry\n"
        "for _ in range(3):\n"
        "    assert [m.__name__ for m in bootstrap.load_pass_plugins()] == ['my_passes']\n"
        "    bootstrap.load_pass_plugins()\n"
        "    assert [d.pass_name for d in registry.get_registered_passes()] == ['Again']\n"
        "    _bridge.reset()\n"
        "    assert registry.get_registered_passes() == []\n"
    )
    done = ask("-c", code, env=env)
    assert done.returncode == 0, done.stderr


def test_plugin_that_fails_does_not_take_along_a_good_one_that_it_imported(relu, atc, package):
    env = package("bad", good=PASS.format(name="Good"), bad="import good\nraise OSError('bad')\n")
    done = atc.compile(relu, env=env)
    assert "OSError: bad" in done.text and operators(done.path) == {"Neg": 1}, done.text


def test_what_a_plugin_registered_before_it_failed_is_forgotten(relu, atc, package):
    env = package("bad", bad=PASS.format(name="Half") + "\nraise OSError('bad')\n")
    done = atc.compile(relu, env=env)
    assert "OSError: bad" in done.text and operators(done.path) == {"Relu": 1}, done.text


@pytest.mark.parametrize("name", ["caf\\udce9", "cut\\0off"])
def test_name_that_the_core_cannot_hold_leaves_out_its_pass_alone(name, relu, atc):
    (atc.folder / "odd.py").write_text(PASS.format(name=name))
    (atc.folder / "sound.py").write_text(PASS.format(name="Sound"))
    done = atc.compile(relu, passes=[atc.folder / "odd.py", atc.folder / "sound.py"])
    assert "odd.py" in done.text and "no UTF-8 form" in done.text, done.text
    assert operators(done.path) == {"Neg": 1}, done.text


def test_wishes_that_contradict_each_other_are_named(relu, atc):
    for name, other in ("First", "Second"), ("Second", "First"):
        text = PASS.format(name=name).replace("name=", f"before=['{other}'], name=")
        (atc.folder / f"{name}.py").write_text(text)
    done = atc.compile(relu, passes=[atc.folder / "First.py", atc.folder / "Second.py"])
    assert "[WARNING]" in done.text and "wish to run before each other" in done.text and "First, Second" in done.text


def test_unload_keeps_what_the_process_registered_itself(tmp_path, relu):
    (tmp_path / "own.py").write_text(PASS.format(name="Own"))
    (tmp_path / "plugin.py").write_text(PASS.format(name="Plugin"))
    code = (
        "import os, own\n"
        "from ge.passes import _bridge, bootstrap, registry\n"
        "def names():\n"
        "    return [d.pass_name for d in registry.get_registered_passes()]\n"
        "for _ in range(3):\n"
        "    os.environ['ASCEND_GE_PY_PASS_PATH'] = 'plugin.py'\n"
        "    bootstrap.load_pass_plugins()\n"
        "    assert names() == ['Own', 'Plugin'], names()\n"
        "    _bridge.reset()\n"
        "    assert names() == ['Own'], names()\n"
    )
    done = ask("-c", code, cwd=tmp_path)
    assert done.returncode == 0, done.stderr


LEGACY = """
from ge.passes import LegacyCustomPass, PassStage, register_custom_pass

@register_custom_pass(name="{name}")
class Legacy(LegacyCustomPass):
    def run(self, graph, context):
        print("ran", context.get_pass_name(), len(graph.get_direct_nodes()))
        {body}
"""


def test_legacy_pass_in_python_runs_first_and_no_switch_turns_it_off(relu, atc):
    own = atc.folder / "own.py"
    own.write_text(PASS.format(name="A first by name") + LEGACY.format(name="Z legacy", body="return 0"))
    done = atc.compile(relu, "--optimization_switch=Z legacy:off", passes=[own])
    assert "ran Z legacy 3" in done.text
    table = [line for line in done.text.splitlines() if line.startswith("  BeforeInferShape")]
    assert "Z legacy" in table[0] and "A first by name" in table[1]


@pytest.mark.parametrize("body", ["raise ValueError('bad day')", "return False", "return 0x50104040", "return 3"])
def test_legacy_pass_that_fails_is_undone(body, relu, atc):
    own = atc.folder / "own.py"
    cut = "graph.remove_node(next(n for n in graph.get_direct_nodes() if n.type == 'Relu')); " + body
    own.write_text(LEGACY.format(name="Bad legacy", body=cut))
    done = atc.compile(relu, passes=[own])
    assert "ran Bad legacy 3" in done.text
    assert "E13028" in done.text and "pass 'Bad legacy' failed" in done.text
    assert operators(done.path) == {"Relu": 1}
    assert atc.compile(relu, "--py_pass_on_error=fail", passes=[own], output="no", check=255)


def test_legacy_pass_runs_on_the_top_graph_through_apply(registry):
    seen = []

    class Legacy(registry.LegacyCustomPass):
        def run(self, graph, context):
            seen.append((graph.name, context.get_pass_name()))

    builder = GraphBuilder("top")
    graph = builder.build_and_reset([Relu(builder.create_input(0))])
    (result,) = registry.apply(graph, passes=[Legacy])
    assert result.kind == "legacy_custom" and not result.failed and seen == [("top", "Legacy")]
    registry.register_custom_pass(name="registered")(Legacy)
    assert [r.name for r in registry.apply(graph)] == ["registered"]


def test_decorators_refuse_the_wrong_kind_of_class(registry):
    class Legacy(registry.LegacyCustomPass):
        pass

    class Base(registry.FusionBasePass):
        pass

    with pytest.raises(TypeError, match="register_custom_pass decorates a subclass of ge.passes.LegacyCustomPass"):
        registry.register_custom_pass(name="x")(Base)
    with pytest.raises(TypeError, match="register it with register_custom_pass"):
        registry.register_fusion_pass(name="x", stage=registry.PassStage.BEFORE_INFER_SHAPE)(Legacy)


def test_list_shows_every_pass_and_why_it_is_off(package, tmp_path):
    env = package("my_passes", my_passes=PASS.format(name="Installed"))
    own = tmp_path / "own.py"
    own.write_text(PASS.format(name="Own") + LEGACY.format(name="Old", body="return 0"))
    broken = tmp_path / "broken.py"
    broken.write_text("import no_such_module\n")
    env["ASCEND_GE_PY_PASS_PATH"] = f"{own}{os.pathsep}{broken}"
    done = ask("-m", "ge.passes", "list", "--json", "--optimization_switch", "Own:off;Old:off", env=env)
    assert done.returncode == 1, done.stderr
    listing = json.loads(done.stdout)
    found = {item["name"]: item for item in listing["passes"]}
    assert set(found) == {"Installed", "Own", "Old"}
    assert found["Own"]["reason"] == "switched off by --optimization_switch" and not found["Own"]["enabled"]
    assert found["Old"]["enabled"] and found["Old"]["kind"] == "legacy_custom"
    assert str(own) in found["Own"]["source"] and "my_passes.py" in found["Installed"]["source"]
    assert len(listing["problems"]) == 1 and str(broken) in listing["problems"][0]
    text = ask("-m", "ge.passes", "list", "--optimization_switch", "Own:off", env=env)
    assert "no: switched off by --optimization_switch" in text.stdout and "not loaded" in text.stdout


def test_list_of_nothing_says_so(tmp_path):
    done = ask("-m", "ge.passes", "list", cwd=tmp_path)
    assert done.returncode == 0 and "no pass is registered" in done.stdout


def test_module_of_a_package_that_others_can_write_to_is_named(relu, atc, package):
    env = package("my_passes", my_passes=PASS.format(name="Installed"))
    module = atc.folder / "site" / "my_passes.py"
    for place in (module.parent, *module.parent.iterdir()):
        place.chmod(place.stat().st_mode & ~0o022)
    module.chmod(0o666)
    done = atc.compile(relu, env=env)
    assert done.text.count(f"'{module}' can be written to by everybody") == 1, done.text


def test_pass_path_that_others_can_write_to_is_named_once(relu, atc):
    folder = atc.folder / "plugins"
    folder.mkdir(mode=0o755)
    (folder / "own.py").write_text(PASS.format(name="Own"))
    assert "can be written to" not in atc.compile(relu, passes=[folder]).text
    folder.chmod(0o777)
    done = atc.compile(relu, passes=[folder])
    assert done.text.count(f"'{folder}' can be written to by everybody") == 1
    assert operators(done.path) == {"Neg": 1}


@pytest.mark.parametrize("dump, recorded", [(None, False), ("0", False), ("1", True), ("3", True), ("4", False)])
def test_report_fuse_keeps_the_old_attributes_where_graphs_are_dumped(dump, recorded, registry, monkeypatch, tmp_path):
    seen = []

    class Reports(registry.FusionBasePass):
        def run(self, graph, context):
            relu, neg = (next(n for n in graph.get_direct_nodes() if n.type == t) for t in ("Relu", "Neg"))
            registry.report_fuse([relu], [neg], context)
            seen.append(neg.has_attr("_original_op_attrs_map"))

    monkeypatch.chdir(tmp_path)  # dumps are written there
    monkeypatch.delenv("DUMP_GE_GRAPH", raising=False)
    if dump is not None:
        monkeypatch.setenv("DUMP_GE_GRAPH", dump)
    builder = GraphBuilder("g")
    graph = builder.build_and_reset([Neg(Relu(builder.create_input(0)))])
    (result,) = registry.apply(graph, passes=[Reports])
    assert not result.failed and result.matches == result.rewrites == 1 and seen == [recorded]


CYCLE_GUARD = """
from ge.es import GraphBuilder
from ge.es.all import Abs, Neg, Relu, Sqrt
from ge.passes import PassStage, PatternFusionPass, pattern, register_fusion_pass
from ge.passes._native import refresh_python_passes, run_passes

@register_fusion_pass(name="P", stage=PassStage.BEFORE_INFER_SHAPE)
class ReluToAbs(PatternFusionPass):
    @pattern
    def relu(self, inputs):
        return Relu(inputs[0])

    def replacement(self, inputs):
        return Abs(inputs[0])

builder = GraphBuilder("g")
x = builder.create_input(0)
graph = builder.build_and_reset([Relu(x), Sqrt(Neg(x))])
by_type = {n.type: n for n in graph.get_direct_nodes()}
graph.add_control_edge(by_type["Sqrt"], by_type["Neg"])
refresh_python_passes()
(report,) = run_passes(graph, ["P"], infer_shapes=False)["passes"]
print(report["failed"], report["error"], sorted(n.type for n in graph.get_direct_nodes()))
"""


@pytest.mark.parametrize("level, caught", [("0", True), ("1", False)])
def test_cycle_in_the_graph_fails_the_pass_at_debug_level(level, caught):
    done = ask("-c", CYCLE_GUARD, env={"ASCEND_GLOBAL_LOG_LEVEL": level})
    assert done.stdout.startswith("True CycleGuard: graph 'g' has a cycle" if caught else "False "), done.stdout + done.stderr
    assert ("'Relu'" if caught else "'Abs'") in done.stdout.splitlines()[-1]
