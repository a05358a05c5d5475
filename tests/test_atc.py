"""The atc command: grammar, what it prints, exit codes, passes that fail."""

from __future__ import annotations

import json
import os
import pathlib
import re
import subprocess
import sys
import textwrap

import numpy as np
import onnx
import pytest

from _onnx_models import Net, assert_same_numbers, operators, signature


@pytest.fixture
def relus():
    net = Net()
    net.output(net.op("Relu", net.op("Abs", net.op("Relu", net.input("x", ["n", 3]))), outputs="y"), ["n", 3])
    return net.build()


def plugin(folder, name, body, preamble=""):
    """A pass file with one class; `body` is what stands in the class."""
    path = folder / f"{name.lower()}.py"
    path.write_text(
        textwrap.dedent(
            """\
            from ge.es.all import Abs, Exp, Neg, Relu
            from ge.passes import *
            {preamble}
            @register_fusion_pass(name="{name}", stage=PassStage.BEFORE_INFER_SHAPE)
            class {name}(PatternFusionPass):
                @pattern
                def find(self, inputs):
                    return Relu(inputs[0])

                def replacement(self, inputs):
                    return Neg(inputs[0])
            """
        ).format(name=name, preamble=textwrap.dedent(preamble))
        + textwrap.indent(textwrap.dedent(body), "    ")
    )
    return path


RELU_TO_NEG = ""


def errors(done):
    return [line for line in done.text.splitlines() if line.startswith("[ERROR]")]


# --- the command ------------------------------------------------------------------------------------------------------


@pytest.mark.smoke
def test_the_main_job(relus, atc):
    path = plugin(atc.folder, "ReluToNeg", RELU_TO_NEG)
    done = atc.compile(relus, "--log=info", passes=[path])
    assert operators(done.path) == {"Neg": 2, "Abs": 1}
    lines = done.stdout.splitlines()
    assert lines[0].startswith("ATC start working now")
    assert any(line.startswith("ATC run success") for line in lines)
    row = next(line for line in lines if "ReluToNeg" in line and "BeforeInferShape" in line)
    assert re.findall(r"\b2\b", row), row
    assert str(done.path) in done.text


@pytest.mark.smoke
def test_the_console_script_is_the_same_command(relus, atc):
    script = pathlib.Path(sys.executable).with_name("atc")
    if not script.exists():
        pytest.skip("this environment has no scripts folder beside its interpreter")
    done = atc.compile(relus, passes=[plugin(atc.folder, "ReluToNeg", RELU_TO_NEG)], command=[str(script)])
    assert operators(done.path) == {"Neg": 2, "Abs": 1}


def test_main_can_be_called_from_python(relus, atc):
    (atc.folder / "m.onnx").write_bytes(relus.SerializeToString())
    code = (
        "import ge.pyatc.__main__ as m\n"
        "try:\n    m.main('/opt/bin/pyatc', ['--framework=5', '--model=m.onnx', '--output=o', '--soc_version=Ascend310P3'])\n"
        "except SystemExit as e:\n    print('code', e.code)"
    )
    done = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, cwd=atc.folder)
    assert "code 0" in done.stdout and (atc.folder / "o.om").exists()


@pytest.mark.parametrize("word", ["--help", "-help", "-h", "--h"])
def test_help_lists_every_option(word, atc):
    done = atc(word, check=0)
    assert done.stdout.startswith("ATC start working now")
    assert "usage: " in done.stdout and "===== Basic Functionality =====" in done.stdout
    for option in ("--framework", "--model", "--output", "--input_shape", "--verify", "--py_pass_on_error", "--log"):
        assert option in done.stdout


FORMS = [
    ["--framework=5", "--model=model.onnx", "--output=out"],
    ["--framework", "5", "--model", "model.onnx", "--output", "out"],
    ["-framework=5", "-model=model.onnx", "-output=out"],
    ["--frame=5", "--model=model.onnx", "--output=out"],
    ["--framework=5", "--model=other", "--model=model.onnx", "--output=out"],
    ["--framework=5", "--model=model.onnx", "--output=out", "--virtual-type=0"],
]


@pytest.mark.parametrize("options", FORMS, ids=lambda o: " ".join(o[:2]))
def test_ways_to_write_options(options, relus, atc):
    (atc.folder / "model.onnx").write_bytes(relus.SerializeToString())
    atc(*options, "--soc_version=Ascend910B1", check=0)
    assert (atc.folder / "out.om").exists()


@pytest.mark.parametrize("options", [["--no_such_option=1"], ["stray"], ["--model"], ["--", "--model=x"]])
def test_words_that_are_no_options_are_errors_on_stderr(options, atc):
    done = atc(*options, check=255)
    assert re.search(r"^(\[ERROR\]|ERROR: )", done.stderr, re.M) and "ATC run failed" in done.stdout


@pytest.mark.parametrize(
    "options, code",
    [
        (["--framework=7"], "E10007"),
        (["--framework=x"], "E10003"),
        (["--mode=2"], "E10001"),
        (["--log=loud"], "E10010"),
        (["--verify=perhaps"], "E10003"),
        (["--precision_mode=fast"], "E10001"),
        (["--sparsity=2"], "E10006"),
        (["--emit=pickle"], "E10001"),
        (["--py_pass_on_error=panic"], "E10001"),
        (["--framework=0"], "E1\\d{4}"),
        (["--framework=3"], "E1\\d{4}"),
        (["--mode=30"], "E1\\d{4}"),
        (["--out_nodes=y:0"], "E1\\d{4}"),
        (["--insert_op_conf=x"], "E1\\d{4}"),
        (["--output="], "E100(04|54|58)"),
        (["--model="], "E100(04|54|58)"),
        (["--verify_tolerance=x"], "E1\\d{4}"),
    ],
    ids=lambda o: o[0] if isinstance(o, list) else o,
)
def test_a_wrong_value_has_its_code(options, code, relus, atc):
    done = atc.compile(relus, *options, check=255)
    assert len(errors(done)) == 1 and re.match(rf"\[ERROR\] {code}: ", errors(done)[0]), done.text
    assert "ATC run failed" in done.stdout and not done.path.exists()


@pytest.mark.parametrize("missing", ["--framework", "--model", "--output"])
def test_required_options(missing, relus, atc):
    (atc.folder / "model.onnx").write_bytes(relus.SerializeToString())
    options = {"--framework": "5", "--model": "model.onnx", "--output": "out"}
    del options[missing]
    done = atc(*(f"{k}={v}" for k, v in options.items()), check=255)
    assert len(errors(done)) == 1 and missing.strip("-") in errors(done)[0]


def test_no_arguments_is_a_failure(atc):
    assert atc().returncode != 0


def test_options_without_effect_are_accepted_and_named(relus, atc):
    done = atc.compile(relus, "--precision_mode=force_fp32", "--log=warning")
    assert "precision_mode" in done.text


@pytest.mark.parametrize(
    "shape, dims",
    [("x:4,3", [4, 3]), ("x:-1,3", ["n", 3]), ("x:1~8,3", ["n", 3]), (" x : 4 , 3 ", [4, 3]), ("x:4,3;", [4, 3])],
)
def test_input_shapes_are_set(shape, dims, relus, atc):
    done = atc.compile(relus, f"--input_shape={shape}")
    (_, _, found), (_, _, out) = (side[0] for side in signature(onnx.load(str(done.path))))
    assert found[1:] == dims[1:] and (
        found[0] == dims[0] if isinstance(dims[0], int) else not isinstance(found[0], int)
    )
    assert out[1] == 3


# --- verify -----------------------------------------------------------------------------------------------------------


def test_verify_prints_the_largest_differences(relus, atc):
    done = atc.compile(relus, "--verify")
    assert re.search(r"absolute.*\d", done.text) and re.search(r"relative.*\d", done.text)


WRONG = """
@pattern
def find(self, inputs):
    return Abs(inputs[0])
"""


def test_verify_finds_a_pass_that_changes_the_numbers(relus, atc):
    net = Net()
    net.output(net.op("Sub", net.input("x", [4]), net.op("Abs", "x"), outputs="y"), [4])
    path = plugin(atc.folder, "AbsToNeg", WRONG)
    done = atc.compile(net.build(), "--verify", passes=[path], check=255)
    assert len(errors(done)) == 1 and "ATC run failed" in done.stdout
    atc.compile(net.build(), "--verify", "--verify_tolerance=100", passes=[path], check=0, output="lenient")


def test_verify_makes_inputs_of_every_type(atc):
    net = Net()
    total = []
    for i, element in enumerate((1, 6, 7, 9, 10, 11, 2, 3)):
        x = net.input(f"x{i}", [2, "k"], element)
        total.append(net.op("Cast", x, to=1))
    net.output(net.op("Sum", *total, outputs="y"), [2, "k"])
    atc.compile(net.build(), "--verify")


def test_verify_gives_dynamic_dims_the_sizes_of_the_input_shape(relus, atc):
    atc.compile(relus, "--verify", "--input_shape=x:5,3")


def test_verify_sees_nan_in_the_same_places(atc):
    net = Net()
    x = net.input("x", [3])
    net.output(net.op("Log", net.op("Neg", net.op("Abs", x)), outputs="y"), [3])
    atc.compile(net.build(), "--verify")


# --- passes -----------------------------------------------------------------------------------------------------------


RAISING = {
    "replacement": "def replacement(self, match_result):\n    raise ValueError('what the user did wrong')\n",
    "patterns": "find = None\ndef patterns(self):\n    raise ValueError('what the user did wrong')\n",
    "__init__": "def __init__(self):\n    raise ValueError('what the user did wrong')\n",
}


@pytest.mark.parametrize("hook", RAISING)
def test_a_pass_that_raises_is_named_with_file_class_hook_and_traceback(hook, relus, atc):
    bad = plugin(atc.folder, "Raising", RAISING[hook])
    good = plugin(atc.folder, "AbsToNeg", "@pattern\ndef find(self, inputs):\n    return Abs(inputs[0])\n")
    done = atc.compile(relus, passes=[bad, good])
    assert operators(done.path) == {"Relu": 2, "Neg": 1}, done.text
    for word in ("raising.py", "Raising", hook, "ValueError: what the user did wrong"):
        assert word in done.text
    assert "ATC run success" in done.stdout


@pytest.mark.parametrize("how", ["option", "variable"])
def test_on_error_fail_writes_nothing(how, relus, atc):
    bad = plugin(atc.folder, "Raising", RAISING["replacement"])
    options, env = (["--py_pass_on_error=fail"], {}) if how == "option" else ([], {"GE_PY_PASS_ON_ERROR": "fail"})
    done = atc.compile(relus, *options, passes=[bad], check=255, env=env)
    assert errors(done) and not done.path.exists() and "what the user did wrong" in done.text
    assert "Raising" in done.text and "raising.py" in done.text


def test_a_requirement_that_raises_skips_the_match_only(relus, atc):
    path = plugin(
        atc.folder, "Picky", "def meet_requirements(self, m):\n    return 1 / ('0' in m.get_matched_nodes()[0].name)\n"
    )
    done = atc.compile(relus, passes=[path])
    assert done.path.exists() and "ZeroDivisionError" in done.text


IMPORT_ERRORS = {
    "syntax.py": "def broken(:\n",
    "raises.py": "raise RuntimeError('at import')\n",
    "missing.py": "import no_such_module_anywhere\n",
}


@pytest.mark.parametrize("name", IMPORT_ERRORS)
def test_a_file_that_cannot_be_imported_does_not_stop_the_others(name, relus, atc):
    bad = atc.folder / name
    bad.write_text(IMPORT_ERRORS[name])
    done = atc.compile(relus, passes=[bad, plugin(atc.folder, "ReluToNeg", RELU_TO_NEG)])
    assert operators(done.path)["Neg"] == 2 and name in done.text and "Error" in done.text
    atc.compile(relus, "--py_pass_on_error=fail", passes=[bad], check=255, output="other")
    assert not (atc.folder / "other.onnx").exists()


@pytest.mark.parametrize("path", ["nowhere.py", "nowhere", "file.txt"])
def test_a_pass_path_that_is_none_is_an_error(path, relus, atc):
    (atc.folder / "file.txt").write_text("")
    done = atc.compile(relus, passes=[atc.folder / path], check=255)
    assert len(errors(done)) == 1 and path in errors(done)[0] and not done.path.exists()
    assert "Traceback" not in done.text


def test_a_folder_gives_its_files_and_packages_by_name(relus, atc):
    folder = atc.folder / "plugins"
    (folder / "package").mkdir(parents=True)
    plugin(folder, "ReluToNeg", RELU_TO_NEG, preamble="import helper_beside_it\n")
    (folder / "helper_beside_it.py").write_text("")
    (folder / "_skipped.py").write_text("raise RuntimeError('must not be imported')\n")
    (folder / "notes.txt").write_text("")
    made = plugin(folder, "AbsToNeg", "@pattern\ndef find(self, inputs):\n    return Abs(inputs[0])\n")
    made.rename(folder / "package" / "__init__.py")
    done = atc.compile(relus, passes=[folder])
    assert operators(done.path) == {"Neg": 3}, done.text


def test_two_passes_of_one_name_are_reported_with_both_owners(relus, atc):
    first, second = atc.folder / "a", atc.folder / "b"
    first.mkdir(), second.mkdir()
    files = [plugin(first, "ReluToNeg", RELU_TO_NEG), plugin(second, "ReluToNeg", RELU_TO_NEG)]
    done = atc.compile(relus, passes=files)
    assert "ReluToNeg" in done.text and "exists" in done.text and operators(done.path)["Neg"] == 2


@pytest.mark.parametrize(
    "options, runs",
    [
        (["--optimization_switch=ReluToNeg:off"], False),
        (["--optimization_switch=ReluToNeg:on;Other:off"], True),
        (["--fusion_switch_file=switch.json"], False),
        (["--fusion_switch_file=switch.json", "--optimization_switch=ReluToNeg:on"], True),
        (["--fusion_switch_file=all.json"], False),
    ],
)
def test_passes_are_switched_off(options, runs, relus, atc):
    (atc.folder / "switch.json").write_text(json.dumps({"Switch": {"GraphFusion": {"ReluToNeg": "off", "ALL": "on"}}}))
    (atc.folder / "all.json").write_text(json.dumps({"Switch": {"GraphFusion": {"ALL": "off"}}}))
    path = plugin(atc.folder, "ReluToNeg", RELU_TO_NEG)
    done = atc.compile(relus, *options, passes=[path])
    assert operators(done.path)["Neg"] == (2 if runs else 0)


@pytest.mark.parametrize(
    "text, code, found",
    [
        ("", "E21001", "it is empty"),
        ("{", "E21001", "not JSON"),
        ("[]", "E21001", "no JSON object"),
        ("ReluToNeg:off\nReluToNeg", "E20003", "line 2, 'ReluToNeg'"),
        ("ReluToNeg:of", "E20003", "line 1"),
        (":on", "E20003", "line 1"),
        ('{"Switch": 1}', "E21001", "'Switch' is no object"),
        ('{"Switch": {"GraphFusion": []}}', "E21001", "'Switch.GraphFusion' is no object"),
        ('{"Switch": {"GraphFusion": {"ReluToNeg": true}}}', "E20003", "'ReluToNeg'"),
        ('{"Switch": {"GraphFusion": {"ReluToNeg": "of"}}}', "E20003", '"of"'),
    ],
)
def test_malformed_switch_file_is_an_error(text, code, found, relus, atc):
    (atc.folder / "broken.json").write_text(text)
    done = atc.compile(relus, "--fusion_switch_file=broken.json", check=255)
    assert f"[ERROR] {code}" in done.text and "broken.json" in done.text and found in done.text


def test_a_switch_file_of_lines(relus, atc):
    (atc.folder / "lines.cfg").write_text("\n  ReluToNeg : off \r\nOther:on\n")
    path = plugin(atc.folder, "ReluToNeg", RELU_TO_NEG)
    done = atc.compile(relus, "--fusion_switch_file=lines.cfg", passes=[path])
    assert operators(done.path)["Neg"] == 0 and "'Other', which is not registered" in done.text


@pytest.mark.parametrize("text", ["{}", '{"Switch": {}}', '{"Switch": {"UBFusion": {"A": "off"}}}'])
def test_switch_file_without_graph_passes_switches_none(text, relus, atc):
    (atc.folder / "switch.json").write_text(text)
    path = plugin(atc.folder, "ReluToNeg", RELU_TO_NEG)
    assert operators(atc.compile(relus, "--fusion_switch_file=switch.json", passes=[path]).path)["Neg"] == 2


def test_subgraphs_of_onnx_nodes_pass_through_unchanged(atc):
    branches = []
    for name in ("a", "b"):
        nodes = [onnx.helper.make_node("Relu", ["x"], [name])]
        branches.append(onnx.helper.make_graph(nodes, name, [], [onnx.helper.make_tensor_value_info(name, 1, [2])]))
    net = Net()
    condition, _ = net.input("c", [], onnx.TensorProto.BOOL), net.input("x", [2])
    net.output(net.op("If", condition, outputs="y", then_branch=branches[0], else_branch=branches[1]), [2])
    done = atc.compile(net.build(), passes=[plugin(atc.folder, "ReluToNeg", RELU_TO_NEG)])
    after = onnx.load(str(done.path))
    kinds = [[n.op_type for n in a.g.node] for a in after.graph.node[0].attribute]
    assert kinds == [["Relu"], ["Relu"]]


def test_print_and_logging_of_a_pass_reach_the_user(relus, atc):
    path = plugin(
        atc.folder, "Chatty", "def meet_requirements(self, m):\n    print('hello from the pass')\n    return True\n"
    )
    assert "hello from the pass" in atc.compile(relus, passes=[path]).stdout


def test_sys_exit_in_a_pass_ends_the_compile_and_names_the_pass(relus, atc):
    path = plugin(atc.folder, "Leaving", "def meet_requirements(self, m):\n    raise SystemExit('enough')\n")
    done = atc.compile(relus, passes=[path], check=255)
    (error,) = errors(done)
    assert not done.path.exists()
    for word in ("Leaving", "leaving.py", "meet_requirements", "SystemExit: enough"):
        assert word in error


def test_sys_exit_at_import_names_the_file(relus, atc):
    path = atc.folder / "leaving.py"
    path.write_text("import sys\nsys.exit('enough')\n")
    done = atc.compile(relus, passes=[path], check=255)
    (error,) = errors(done)
    assert "leaving.py" in error and "SystemExit: enough" in error and not done.path.exists()


def test_an_interrupt_in_a_pass_ends_the_compile_as_a_shell_expects(relus, atc):
    path = plugin(atc.folder, "Stopped", "def meet_requirements(self, m):\n    raise KeyboardInterrupt\n")
    done = atc.compile(relus, passes=[path], check=130)
    assert not done.path.exists() and "interrupted" in done.text


ODD_TEXT = "'no file ' + b'\\xff'.decode('utf-8', 'surrogateescape')"


def test_an_exception_whose_text_has_no_utf8_form_is_shown_with_escapes(relus, atc):
    at_import = atc.folder / "at_import.py"
    at_import.write_text(f"raise ValueError({ODD_TEXT})\n")
    in_run = atc.folder / "in_run.py"
    in_run.write_text(
        "from ge.passes import *\n"
        "@register_fusion_pass(name='InRun', stage=PassStage.BEFORE_INFER_SHAPE)\n"
        "class InRun(FusionBasePass):\n"
        f"    def run(self, graph, context):\n        raise ValueError({ODD_TEXT})\n"
    )
    good = plugin(atc.folder, "ReluToNeg", RELU_TO_NEG)
    done = atc.compile(relus, passes=[at_import, in_run, good])
    assert done.text.count("ValueError: no file \\udcff") >= 2 and operators(done.path)["Neg"] == 2


def test_a_pass_file_whose_name_is_not_utf8_is_loaded(relus, atc):
    folder = atc.folder / "plugins"
    folder.mkdir()
    plugin(folder, "ReluToNeg", RELU_TO_NEG)
    os.rename(os.fsencode(folder / "relutoneg.py"), os.fsencode(folder) + b"/odd\xff.py")
    assert operators(atc.compile(relus, passes=[folder]).path)["Neg"] == 2


def test_verify_says_that_onnxruntime_takes_no_such_name(relus, tmp_path):
    from ge._verify import VerifyError, verify

    model = os.fsdecode(os.fsencode(tmp_path) + b"/odd\xff.onnx")
    with open(model, "wb") as file:
        file.write(relus.SerializeToString())
    with pytest.raises(VerifyError, match="only files whose path is UTF-8"):
        verify(model, model)


def test_a_pass_that_breaks_the_shapes_is_named(atc):
    net = Net()
    x = net.input("x", [2, 3])
    net.output(net.op("MatMul", net.op("Relu", x), net.const(np.ones((3, 4)))), [2, 4])
    path = atc.folder / "flatten.py"
    path.write_text(
        "from ge.es.all import Relu, Reshape\n"
        "from ge.passes import *\n"
        "@register_fusion_pass(name='Flatten', stage=PassStage.BEFORE_INFER_SHAPE)\n"
        "class Flatten(PatternFusionPass):\n"
        "    @pattern\n    def p(self, inputs):\n        return Relu(inputs[0])\n"
        "    def replacement(self, inputs):\n        return Reshape(inputs[0], [1, 2, 3])\n"
    )
    done = atc.compile(net.build(), passes=[path], check=255)
    assert "'Flatten'" in errors(done)[0]


@pytest.fixture
def two_outputs():
    net = Net()
    x = net.input("x", [3])
    net.output(net.op("Relu", x, outputs="first"), [3])
    net.output(net.op("Abs", x, outputs="second"), [3])
    return net.build()


def walking(folder, name, body):
    """A pass file whose class has this `run`."""
    path = folder / f"{name.lower()}.py"
    path.write_text(
        "from ge.es.all import Neg\nfrom ge.passes import *\n"
        f"@register_fusion_pass(name='{name}', stage=PassStage.BEFORE_INFER_SHAPE)\n"
        f"class {name}(FusionBasePass):\n    def run(self, graph, context):\n"
        "        nodes = {node.type: node for node in graph.get_direct_nodes()}\n" + textwrap.indent(body, " " * 8)
    )
    return path


@pytest.mark.parametrize(
    "body", ["graph.remove_node(nodes['Abs'])\n", "graph.remove_edge(nodes['Abs'], 0, nodes['NetOutput'], 1)\n"]
)
def test_a_pass_that_loses_an_output_is_named_with_the_output(body, two_outputs, atc):
    done = atc.compile(two_outputs, passes=[walking(atc.folder, "Losing", body), walking(atc.folder, "Other", "pass\n")])
    (warning,) = [line for line in done.text.splitlines() if line.startswith("[WARNING]")]
    assert warning.startswith("[WARNING] E13028: pass 'Losing': the model has lost output 1 ('second')"), warning


def test_a_pass_that_loses_all_outputs_is_named_with_each(two_outputs, atc):
    path = walking(atc.folder, "Losing", "graph.remove_node(nodes['NetOutput'])\n")
    done = atc.compile(two_outputs, passes=[path], check=None)
    assert "pass 'Losing': the model has lost output 0 ('first'), output 1 ('second')" in done.text


def test_a_pass_that_fails_has_lost_nothing(two_outputs, atc):
    path = walking(atc.folder, "Losing", "graph.remove_node(nodes['Abs'])\nraise ValueError('later')\n")
    done = atc.compile(two_outputs, passes=[path])
    assert "ValueError: later" in done.text and "has lost" not in done.text


def test_another_producer_of_an_output_is_no_loss(two_outputs, atc):
    body = "graph.remove_node(nodes['Abs'])\ngraph.add_data_edge(nodes['Relu'], 0, nodes['NetOutput'], 1)\n"
    done = atc.compile(two_outputs, passes=[walking(atc.folder, "Moving", body)])
    assert "[WARNING]" not in done.text and signature(onnx.load(done.path))[1] == signature(two_outputs)[1]


def test_the_longest_file_name_can_be_written(relus, atc):
    done = atc.compile(relus, output="m" * 250)
    assert done.path.exists() and sorted(p.name for p in atc.folder.iterdir() if "tmp" in p.name) == []


def test_a_file_size_limit_is_an_error_and_leaves_nothing_behind(atc, tmp_path):
    import ge

    net = Net()
    net.output(net.op("Add", net.input("x", [1]), net.const(np.arange(65536, dtype=np.float32))), [65536])
    (tmp_path / "big.onnx").write_bytes(net.build().SerializeToString())
    program = pathlib.Path(ge.__file__).parent / "bin" / "atc.bin"
    before = sorted(tmp_path.iterdir())
    command = f"ulimit -f 64; exec '{program}' --framework=5 --model=big.onnx --output=out --soc_version=x --emit=onnx"
    done = subprocess.run(["sh", "-c", command], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 255 and "[ERROR]" in done.stdout + done.stderr
    assert sorted(tmp_path.iterdir()) == before


def test_a_comparison_that_does_not_fit_into_memory_is_one_error(atc):
    net = Net()
    net.output(net.op("ReduceMax", net.input("x", [1 << 22, 1 << 22]), keepdims=0), [])
    done = atc.compile(net.build(), "--verify", check=255)
    assert len(errors(done)) == 1 and "Traceback" not in done.text


# --- odds and ends ----------------------------------------------------------------------------------------------------


def test_an_existing_output_is_replaced_and_kept_on_failure(relus, atc):
    (atc.folder / "out.onnx").write_bytes(b"old")
    atc.compile(relus, "--input_shape=nothing:1", check=255)
    assert (atc.folder / "out.onnx").read_bytes() == b"old"
    atc.compile(relus)
    assert_same_numbers(relus, onnx.load(str(atc.folder / "out.onnx")), {"x": np.ones((2, 3), np.float32)})


def test_paths_with_blanks_and_letters_beyond_ascii(relus, atc):
    folder = atc.folder / "a folder with ümläute"
    folder.mkdir()
    (folder / "mödel.onnx").write_bytes(relus.SerializeToString())
    done = atc(
        "--framework=5", f"--model={folder / 'mödel.onnx'}", f"--output={folder / 'öut'}", "--soc_version=x", check=None
    )
    assert done.returncode == 0 or re.search(r"E10001", done.text), done.text


def test_the_output_of_one_compile_is_the_input_of_the_next(relus, atc):
    first = atc.compile(relus, output="first")
    second = atc.compile(first.path, output="second")
    assert first.path.read_bytes() == second.path.read_bytes()


def test_nothing_is_left_beside_the_output(relus, atc):
    atc.compile(relus)
    assert sorted(os.listdir(atc.folder)) == ["model.onnx", "out.onnx"]
