"""--report: what the page and its data hold, and how the page looks in a browser."""

from __future__ import annotations

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
from html.parser import HTMLParser

import pytest

from _onnx_models import Net

SCALE = """
import numpy as np
from ge.es.all import Mul, Relu
from ge.passes import *

@register_fusion_pass(name="{name}", stage=PassStage.AFTER_INFER_SHAPE)
class P(PatternFusionPass):
    @pattern
    def scaled(self, inputs):
        return Mul(Relu(inputs[0]), 2.0)

    def replacement(self, inputs):
        return Relu(inputs[0] + inputs[0])
"""
EVIL = "<img src=x onerror=alert(1)>&\"'"


def model(matches=2, name="x"):
    net = Net()
    value, two = net.input(name, [1, 8]), net.const(2.0)
    for i in range(matches):
        value = net.op("Mul", net.op("Relu", value), two)
    net.output(net.op("Abs", value, outputs="y"), [1, 8])
    return net.build()


def scale(folder, name="ScaleFirst"):
    path = folder / "scale.py"
    path.write_text(SCALE.format(name=name))
    return path


def report_json(atc, onnx_model, *options, **more):
    atc.compile(onnx_model, "--report=report.json", *options, **more)
    return json.loads((atc.folder / "report.json").read_text(encoding="utf-8"))


def report_page(atc, onnx_model, *options, **more):
    done = atc.compile(onnx_model, "--report=report.html", *options, **more)
    assert "Report   report.html" in done.stdout
    return (atc.folder / "report.html").read_text(encoding="utf-8")


class Tags(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.tags, self.text = [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data):
        self.text.append(data)


# --- the data ---------------------------------------------------------------------------------------------------------


def test_the_data_tell_what_each_pass_did(atc):
    data = report_json(atc, model(), "--verify", passes=[scale(atc.folder)])
    assert (data["format"], data["nodes_before"], data["nodes_after"], data["failure"]) == (1, 5, 5, "")
    assert data["operators_before"] == {"Relu": 2, "Mul": 2, "Abs": 1}
    assert data["operators_after"] == {"Relu": 2, "Add": 2, "Abs": 1}
    (one,) = [p for p in data["passes"] if p["name"] == "ScaleFirst"]
    assert (one["matches"], one["rewrites"], one["stage"], one["failed"]) == (2, 2, "AfterInferShape", False)
    assert one["operators"] == {"Mul": -2, "Add": 2} and one["not_shown"] == 0
    before, after = one["shown"][0]["before"], one["shown"][0]["after"]
    assert [n["type"] for n in before["nodes"] if not n["constant"]] == ["Relu", "Mul"]
    assert [n["type"] for n in after["nodes"]] == ["Add", "Relu"]
    relu = next(i for i, n in enumerate(before["nodes"]) if n["type"] == "Relu")
    mul = next(i for i, n in enumerate(before["nodes"]) if n["type"] == "Mul")
    assert {"from": [-1, 0], "to": relu, "slot": 0} in before["edges"]
    assert {"from": [relu, 0], "to": mul, "slot": 0} in before["edges"]
    assert before["outputs"] == [[mul, 0]] and before["inputs"] == ["x: float[1, 8]"]
    assert after["edges"][:2] == [{"from": [-1, 0], "to": 0, "slot": 0}, {"from": [-1, 0], "to": 0, "slot": 1}]
    assert after["nodes"][1]["shape"] == "float[1, 8]"
    steps = [s["name"].split()[0] for s in data["steps"]]
    assert steps[0] == "loading" and steps[-1] == "comparing" and "compiling" in steps and "saving" in steps
    assert [d["output"] for d in data["comparisons"][0]["differences"]] == ["y"]


def test_of_a_hundred_matches_some_are_shown_and_the_rest_counted(atc):
    data = report_json(atc, model(100), passes=[scale(atc.folder)])
    (one,) = [p for p in data["passes"] if p["name"] == "ScaleFirst"]
    assert one["rewrites"] == 100 and len(one["shown"]) + one["not_shown"] == 100 and 5 <= len(one["shown"]) <= 20


def test_a_failing_pass_and_a_failing_run_are_told(atc):
    path = atc.folder / "bad.py"
    path.write_text(SCALE.format(name="Bad").replace("return Relu(inputs[0] + inputs[0])", "raise ValueError('why')"))
    data = report_json(atc, model(), passes=[path])
    (one,) = [p for p in data["passes"] if p["name"] == "Bad"]
    assert one["failed"] and "why" in one["errors"][0]["message"] and one["shown"] == [] and one["operators"] == {}
    data = report_json(atc, model(), "--py_pass_on_error=fail", passes=[path], check=255)
    assert data["failure"].startswith("E13028") and data["outputs"] == []


def test_names_that_are_no_utf8_or_hold_anything_are_valid_json(atc):
    net = Net()
    net.output(net.op("Relu", net.input('q"\\\n\x01é', [2]), outputs="y"), [2])
    path = atc.folder / "p.py"
    path.write_text(SCALE.format(name="Any").replace("Mul(Relu(inputs[0]), 2.0)", "Relu(inputs[0])"))
    data = report_json(atc, net.build(), passes=[path])
    assert data["passes"][-1]["shown"][0]["before"]["inputs"] == ['q"\\\n\x01é: float[2]']


def types_of(part):
    return [n["type"] for n in part["nodes"]]


def places_of(data, name):
    (one,) = [p for p in data["passes"] if p["name"] == name]
    return one, [(types_of(r["before"]), types_of(r["after"])) for r in one["shown"]]


def own_code(folder, body):
    """A pass whose run is that code; `of(type)` gives the nodes of a type."""
    lines = "\n".join(f"        {line}" for line in body.strip().splitlines())
    path = folder / "own.py"
    path.write_text(
        "from ge.passes import *\n\n"
        '@register_fusion_pass(name="Own", stage=PassStage.AFTER_INFER_SHAPE)\n'
        "class P(FusionBasePass):\n"
        "    def run(self, graph, context):\n"
        "        of = lambda kind: [n for n in graph.get_direct_nodes() if n.type == kind]\n" + lines + "\n"
    )
    return path


def test_places_of_built_in_passes_are_found_in_the_graph(atc):
    net = Net()
    x, perm = net.input("x", [2, 3]), {"perm": [1, 0]}
    total = net.op("Add", net.op("Identity", x), net.op("Add", net.const(1.0), net.const(2.0)))
    there = net.op("Transpose", net.op("Transpose", total, **perm), **perm)
    same = net.op("Mul", net.op("Relu", there), net.op("Relu", there))
    net.output(net.op("Abs", same, outputs="y"), [2, 3])
    data = report_json(atc, net.build(), "--oo_level=O3")
    for name, before, after in (
        ("IdentityPass", ["Identity"], []),
        ("ConstantFoldingPass", ["Const", "Const", "Add"], ["Const"]),
        ("TransOpSymmetryEliminationPass", ["Const", "Transpose", "Const", "Transpose"], []),
        ("CommonSubexpressionEliminationPass", ["Relu"], []),
    ):
        one, places = places_of(data, name)
        assert (places, one["not_shown"]) == ([(before, after)], 0), name
    one, _ = places_of(data, "IdentityPass")
    before, after = one["shown"][0]["before"], one["shown"][0]["after"]
    assert before["inputs"] == after["inputs"] == ["x: float[2, 3]"]
    assert (before["outputs"], after["outputs"]) == ([[0, 0]], [[-1, 0]])
    # What reads the node that went reads the other one, which is no part of the place, now.
    (twin,) = [p for p in data["passes"] if p["name"] == "CommonSubexpressionEliminationPass"]
    assert len(twin["shown"][0]["after"]["inputs"]) == 2 and twin["shown"][0]["after"]["outputs"] == [[-1, 1]]


def test_neighbours_are_one_place_and_those_that_share_a_constant_are_two(atc):
    net = Net()
    x, shape = net.input("x", [2, 3]), net.const([2, 3])
    first = net.op("Reshape", x, shape)
    second = net.op("Reshape", net.op("Relu", first), shape)
    third = net.op("Identity", net.op("Identity", net.op("Abs", second)))
    net.output(net.op("Sqrt", third, outputs="y"), [2, 3])
    data = report_json(atc, net.build(), "--oo_level=O3")
    assert places_of(data, "NoUseReshapeRemovePass")[1] == [(["Const", "Reshape"], [])] * 2
    assert places_of(data, "IdentityPass")[1] == [(["Identity", "Identity"], [])]


def test_places_of_passes_with_code_of_their_own(atc):
    change = "of('Mul')[0].set_attr('mine', 7)"
    one, places = places_of(report_json(atc, model(), passes=[own_code(atc.folder, change)]), "Own")
    assert places == [(["Mul"], ["Mul"])]
    assert [one["shown"][0][side]["nodes"][0]["attrs"] for side in ("before", "after")] == [[], ["mine = 7"]]
    assert one["shown"][0]["before"]["outputs"] == one["shown"][0]["after"]["outputs"] == [[0, 0]]
    # One node more on an edge: the place is that edge.
    insert = """
absolute = of('Abs')[0]
from ge.graph.operator import create_operator
from ge.passes.runtime import ensure_native_module
draft = ensure_native_module().OperatorDraft('mine', 'Exp')
create_operator(draft).register_input('x')
create_operator(draft).register_output('y')
new = draft.add_to(graph)
source, index = absolute.get_in_data_nodes_and_port_indexes(0)
graph.remove_edge(source, index, absolute, 0)
graph.add_data_edge(source, index, new, 0)
graph.add_data_edge(new, 0, absolute, 0)
"""
    one, places = places_of(report_json(atc, model(), passes=[own_code(atc.folder, insert)]), "Own")
    assert not one["failed"] and places == [([], ["Exp"])]
    before, after = one["shown"][0]["before"], one["shown"][0]["after"]
    assert before["inputs"] == after["inputs"] and (before["outputs"], after["outputs"]) == ([[-1, 0]], [[0, 0]])
    # Read by another: the reader is the place, with the one it read and the one it reads outside.
    move = """
absolute, relu = of('Abs')[0], of('Relu')[0]
source, index = absolute.get_in_data_nodes_and_port_indexes(0)
graph.remove_edge(source, index, absolute, 0)
graph.add_data_edge(relu, 0, absolute, 0)
"""
    one, places = places_of(report_json(atc, model(), passes=[own_code(atc.folder, move)]), "Own")
    assert places == [(["Abs"], ["Abs"])] and one["shown"][0]["before"]["edges"] != one["shown"][0]["after"]["edges"]
    # A pass that fails has done nothing.
    one, places = places_of(report_json(atc, model(), passes=[own_code(atc.folder, change + "\nraise ValueError")]), "Own")
    assert one["failed"] and places == []


def test_a_place_of_very_many_nodes_is_counted(atc):
    every = "for n in of('Relu') + of('Mul'):\n    n.set_attr('mine', 7)"
    one, places = places_of(report_json(atc, model(300), passes=[own_code(atc.folder, every)]), "Own")
    assert (places, one["not_shown"]) == ([], 1)
    text = report_page(atc, model(300), passes=[own_code(atc.folder, every)])
    assert "1 rewrite of this pass is not drawn: too much for a drawing." in text


# --- the page ---------------------------------------------------------------------------------------------------------


def test_the_page_is_one_file_without_scripts(atc):
    text = report_page(atc, model(), "--verify", passes=[scale(atc.folder)])
    tags = Tags(text).tags
    assert not {"script", "link", "img", "iframe", "object"} & {tag for tag, _ in tags}
    for _, attrs in tags:
        assert not {"src", "onload", "onclick", "onerror"} & set(attrs)
        assert attrs.get("href", "#").startswith("#")
    assert "http://" not in text and "https://" not in text and "url(" not in text
    assert len([1 for tag, _ in tags if tag == "svg"]) == 4, "before and after of both places"
    shown = " ".join(Tags(text).text)
    for word in ("ScaleFirst", "AfterInferShape", "Relu", "Mul", "Add", "loading", "y", "largest relative difference"):
        assert word in shown, word


def test_names_are_escaped_everywhere(atc):
    text = report_page(atc, model(name=EVIL), passes=[scale(atc.folder, name=EVIL.replace('"', ""))])
    assert "<img" not in text
    page = Tags(text)
    assert not any(tag == "img" or "onerror" in attrs for tag, attrs in page.tags)
    assert EVIL in "".join(page.text)


def test_what_is_not_drawn_is_counted(atc):
    text = report_page(atc, model(100), passes=[scale(atc.folder)])
    (left_out,) = re.findall(r"(\d+) more rewrites of this pass are not drawn", text)
    assert int(left_out) + text.count("matched: ") == 100
    assert len(text) < 400_000


def test_without_passes_there_is_a_page_too(atc):
    assert "</html>" in report_page(atc, model())


def test_atc_bin_without_python_says_what_to_do(atc):
    import ge

    program = pathlib.Path(ge.__file__).parent / "bin" / "atc.bin"
    env = {"GE_PYTHON_EXECUTABLE": "/no/such/python", "PATH": "/nonexistent", "VIRTUAL_ENV": ""}
    done = atc.compile(model(), "--report=report.html", command=[str(program)], env=env, check=255)
    assert re.search(r"^\[ERROR\] E13004: cannot write --report .*GE_PYTHON_EXECUTABLE.*NAME\.json", done.text, re.M)
    atc.compile(model(), "--report=report.json", command=[str(program)], env=env)


def test_a_folder_that_takes_no_report_is_told_before_the_work(atc):
    done = atc.compile(model(), "--report=model.onnx/report.html", check=255)
    assert re.search(r"^\[ERROR\] E10001: cannot write --report", done.text, re.M) and "Passes" not in done.text


def test_a_full_disk_leaves_the_old_page(atc):
    passes = [scale(atc.folder)]
    atc.compile(model(), "--report=report.html", passes=passes)
    atc.compile(model(), "--report=report.json", passes=passes)
    page, data = (atc.folder / name for name in ("report.html", "report.json"))
    # More than the data take, which are written for the page, and less than the page; both vary a little with the times.
    limit = (data.stat().st_size + page.stat().st_size) // 2
    assert data.stat().st_size * 1.2 < limit < page.stat().st_size / 1.2
    page.write_text("old")
    limited = [
        sys.executable, "-c",
        f"import os, resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, ({limit}, {limit})); os.execv(sys.argv[1], sys.argv[1:])",
        sys.executable, "-m", "ge.pyatc",
    ]
    done = atc.compile(model(), "--report=report.html", passes=passes, command=limited, check=255)
    assert re.search(r"^\[ERROR\] E13004: cannot write --report .*: File too large; free some space", done.text, re.M)
    assert page.read_text() == "old" and not list(atc.folder.glob(".report-*"))


# --- in a browser -----------------------------------------------------------------------------------------------------

# What the page looks like, measured by a script that is put into a copy of it.
MEASURE = """
<script>
const found = {boxes: 0, spilled: [], overlapping: 0, wide: document.documentElement.scrollWidth - innerWidth};
document.querySelectorAll("details").forEach(d => d.open = true);
document.querySelectorAll("svg").forEach(svg => {
  const rects = [...svg.querySelectorAll(".box rect")].map(r => r.getBBox());
  found.boxes += rects.length;
  svg.querySelectorAll(".box").forEach(box => {
    const r = box.querySelector("rect").getBBox();
    box.querySelectorAll("text").forEach(t => {
      const b = t.getBBox();
      if (b.x < r.x || b.x + b.width > r.x + r.width || b.y + b.height > r.y + r.height + 2) found.spilled.push(t.textContent);
    });
  });
  rects.forEach((a, i) => rects.slice(i + 1).forEach(b => {
    if (a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height) found.overlapping++;
  }));
});
found.background = getComputedStyle(document.body).backgroundColor;
document.body.setAttribute("data-found", JSON.stringify(found));
</script></body>
"""


@pytest.fixture(scope="module")
def browser():
    program = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if program is None:
        pytest.skip("no chromium on PATH: apt-get install chromium")
    return program


def chromium(browser, folder, page, *options):
    done = subprocess.run(
        [browser, "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", f"--user-data-dir={folder / 'profile'}",
         *options, page.as_uri()],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120, env={**os.environ, "HOME": str(folder)},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr.decode(errors="replace")[-2000:]
    return done.stdout.decode()


def measured(browser, folder, text, *options):
    page = folder / "measured.html"
    page.write_text(re.sub(r"<meta http-equiv=[^>]*>", "", text).replace("</body>", MEASURE), encoding="utf-8")
    dom = Tags(chromium(browser, folder, page, "--window-size=1280,1000", "--dump-dom", *options))
    return json.loads(next(attrs["data-found"] for tag, attrs in dom.tags if tag == "body"))


@pytest.fixture
def hard_swish(samples, atc):
    folder = samples / "hard_swish"
    return report_page(atc, folder / "model.onnx", "--verify", passes=[folder / "hard_swish.py"])


def test_in_chromium_all_text_fits_and_no_boxes_overlap(browser, hard_swish, tmp_path):
    found = measured(browser, tmp_path, hard_swish)
    assert found["boxes"] > 10 and found["overlapping"] == 0 and found["spilled"] == [] and found["wide"] <= 0


def test_in_chromium_places_of_built_in_passes_are_drawn(browser, atc, tmp_path):
    net = Net()
    weight = net.const([[[[1.0]]], [[[2.0]]]])
    conv = net.op("Conv", net.input("x", [1, 1, 4, 4]), weight, kernel_shape=[1, 1])
    norm = net.op("BatchNormalization", conv, *[net.const([1.0, 1.0]) for _ in range(4)])
    net.output(net.op("Relu", net.op("Identity", norm), outputs="y"), [1, 2, 4, 4])
    text = report_page(atc, net.build(), "--oo_level=O3")
    assert "before: 7 nodes" in text and "after: 3 nodes" in text and "after: passed through" in text
    found = measured(browser, tmp_path, text)
    assert found["boxes"] > 10 and found["overlapping"] == 0 and found["spilled"] == [] and found["wide"] <= 0


def test_in_chromium_a_hundred_matches_are_readable(browser, atc, tmp_path):
    found = measured(browser, tmp_path, report_page(atc, model(100), passes=[scale(atc.folder)]))
    assert found["boxes"] > 50 and found["overlapping"] == 0 and found["spilled"] == [] and found["wide"] <= 0


def test_in_chromium_there_is_a_dark_and_a_light_scheme(browser, hard_swish, tmp_path):
    light = measured(browser, tmp_path, hard_swish, "--blink-settings=preferredColorScheme=1")
    dark = measured(browser, tmp_path, hard_swish, "--blink-settings=preferredColorScheme=0")
    assert sum(map(int, re.findall(r"\d+", light["background"])[:3])) > 600
    assert sum(map(int, re.findall(r"\d+", dark["background"])[:3])) < 150


def test_in_chromium_the_page_can_be_photographed(browser, hard_swish, atc, tmp_path):
    picture = tmp_path / "page.png"
    chromium(browser, tmp_path, atc.folder / "report.html", f"--screenshot={picture}", "--window-size=1280,2400")
    assert picture.read_bytes()[:8] == b"\x89PNG\r\n\x1a\n" and picture.stat().st_size > 50_000
