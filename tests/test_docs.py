"""What the README and the docs show is true."""

from __future__ import annotations

import os
import pathlib
import re
import shutil
import subprocess
import sys

import numpy
import pytest

from _onnx_models import Net, operators

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")), *sorted((ROOT / "samples").rglob("README.md"))]


def test_the_first_pass_of_the_readme_works(atc):
    code = next(
        b for b in re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.S) if "register" in b
    )
    assert len(code.splitlines()) <= 15
    path = atc.folder / "one_relu.py"
    path.write_text(code)
    net = Net()
    net.output(net.op("Relu", net.op("Relu", net.input("x", [2])), outputs="y"), [2])
    assert operators(atc.compile(net.build(), "--verify", passes=[path]).path) == {"Relu": 1}


def test_the_pass_of_the_guide_works(atc):
    text = (ROOT / "docs" / "writing_a_pass.md").read_text()
    path = atc.folder / "guide.py"
    path.write_text(re.search(r"```python\n(.*?)```", text, re.S).group(1))
    net = Net()
    x = net.input("x", [2])
    net.output(net.op("Add", x, x, outputs="y"), [2])
    assert operators(atc.compile(net.build(), "--verify", passes=[path]).path) == {"Mul": 1}


def test_the_other_passes_of_the_guide_work(atc):
    text = (ROOT / "docs" / "writing_a_pass.md").read_text()
    path = atc.folder / "guide.py"
    path.write_text("".join(b for b in re.findall(r"```python\n(.*?)```", text, re.S) if "@register" in b))
    net = Net()
    x = net.op("Concat", net.input("x", [2, 3]), axis=0)
    for axis, name in enumerate("yz"):
        net.output(net.op("Log", net.op("Softmax", x, axis=axis), outputs=name), [2, 3])
    assert operators(atc.compile(net.build(), "--verify", passes=[path]).path) == {"LogSoftmax": 2}


def test_the_model_of_the_readme_is_one_for_its_pass(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    exec(next(b for b in CODE.findall((ROOT / "README.md").read_text()) if "import onnx\n" in b), {})
    assert operators(tmp_path / "model.onnx") == {"Relu": 2}


def test_the_page_on_graphs_works(capsys, tmp_path):
    text = (ROOT / "docs" / "building_graphs.md").read_text()
    exec("\n".join(re.findall(r"```python\n(.*?)```", text, re.S)), {})
    assert "Node[type=TopKV2]" in capsys.readouterr().out
    header = tmp_path / "scaled_gelu.h"
    header.write_text(re.search(r"```cpp\n(.*?)```", text, re.S).group(1))
    from ge.es.gen import main

    name = re.search(r"ge\.es\.gen .* --name (\w+)", text).group(1)
    assert main(["--proto", str(header), "--name", name, "--out", str(tmp_path / "out")]) == 0


def test_the_operators_of_the_page_on_custom_operators_work(ops):
    from ge.custom_op import proto, registry, runtime
    from ge.custom_op.testing import check

    text = (ROOT / "docs" / "custom_op.md").read_text()
    exec("\n".join(re.findall(r"```python\n(.*?)```", text, re.S)), {"__name__": "page"})
    told = {p["op_type"]: p for p in proto.get_registered_op_proto_dicts()}
    assert [o["name"] for o in told["Accumulate"]["outputs"]] == ["state", "output1"]
    impl = next(impl for impl in registry.get_registered_op_impls() if impl.op_type == "ScaledSum")
    assert ops.validate_op_impl_descriptor(impl.descriptor_key, told[impl.op_type]) is True
    try:
        x = numpy.float32([1, 2])
        (y,) = check("ScaledSum", [x, [x, 10 * x]], {"factor": 0.5})
        assert y.tolist() == [6, 12]
        (found,) = check("RowArgMax", [numpy.float32([[1, 3, 2], [5, 4, 0]])])
        assert found.tolist() == [1, 0] and found.dtype == numpy.int64
    finally:
        runtime.unload()


def test_the_output_in_the_readme_is_what_atc_prints(samples, atc):
    """Line by line, numbers and paths aside."""
    shown = re.search(r"```text\n(.*?)```", (ROOT / "README.md").read_text(), re.S).group(1)
    done = atc.compile(
        samples / "hard_swish" / "model.onnx", "--verify", passes=[samples / "hard_swish" / "hard_swish.py"]
    )

    def shape(text):
        text = re.sub(r"\S*/\S*|out\.onnx", "PATH", text)
        return [
            re.sub(r"[\d.e+-]*\d[\d.e+-]*|ms\b|us\b| s\b", "N", line).split()
            for line in text.splitlines()
            if line.strip()
        ]

    assert shape(done.stdout) == shape(shown)


# --- everything that a page shows to be run -----------------------------------------------------------------------------

# Pages whose code has a test of its own above, which looks closer.
LOOKED_AT = {"docs/building_graphs.md", "docs/custom_op.md"}
CODE = re.compile(r"^```python\n(.*?)^```$", re.S | re.M)
# A command of atc or Python with nothing left out: indented or in a block, with what comes before it on its line.
COMMAND = re.compile(r"^ {0,4}((?:[A-Z_]+=\S+ )*(?:\S*/)?(?:atc|python -c|python -m ge) (?:.*\\\n)*.*)$", re.M)


def name(page):
    return str(page.relative_to(ROOT))


@pytest.fixture
def folder(tmp_path, samples, atc):
    """What the pages take for granted: models, passes, and `atc` and `python` on PATH."""
    net = Net()
    x = net.input("x", [1, 3, 224, 224])
    net.output(net.op("Relu", net.op("Relu", net.op("Add", x, x)), outputs="y"), [1, 3, 224, 224])
    shapes = Net()
    batch = shapes.input("x", ["N", 3, 224, 224])
    shapes.output(shapes.op("Relu", batch, outputs="y"), ["N", 3, 224, 224])
    for file in ("m.onnx", "model.onnx", *(f"models/{model}.onnx" for model in ("det", "cls", "rec"))):
        path = tmp_path / file
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(net.build().SerializeToString())
    shutil.copytree(samples, tmp_path / "samples")
    for target, source in {"passes/hard_swish.py": "hard_swish/hard_swish.py", "my_pass.py": "add_zero/add_zero.py"}.items():
        (tmp_path / target).parent.mkdir(exist_ok=True)
        shutil.copy(samples / source, tmp_path / target)
    for tool, words in {"atc": "-m ge.pyatc", "python": ""}.items():
        for place in ("bin", ".venv/bin"):
            script = tmp_path / place / tool
            script.parent.mkdir(parents=True, exist_ok=True)
            script.write_text(f'#!/bin/sh\nexec "{sys.executable}" {words} "$@"\n')
            script.chmod(0o755)
    return tmp_path


def run_in(folder, command, tools):
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("ASCEND_", "GE_", "DUMP_"))}
    environment.update(PATH=f"{tools / 'bin'}{os.pathsep}{os.environ['PATH']}", GE_PY_FALLBACK="0")
    done = subprocess.run(
        command, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300
    )
    assert done.returncode == 0, f"{command}\n{done.stdout}"


@pytest.mark.parametrize("page", [p for p in PAGES if CODE.search(p.read_text()) and name(p) not in LOOKED_AT], ids=name)
def test_the_code_of_a_page_runs_from_top_to_bottom(page, folder):
    (folder / "page.py").write_text("\n".join(CODE.findall(page.read_text())))
    run_in(folder, [sys.executable, "page.py"], folder)


def commands(page):
    return [c for c in COMMAND.findall(page.read_text()) if " ... " not in c and "cpp_add_zero" not in name(page)]


@pytest.mark.parametrize("page", [p for p in PAGES if commands(p)], ids=name)
def test_the_commands_of_a_page_work_in_their_order(page, folder):
    place = folder
    if "samples" in page.parts and page.parent != ROOT / "samples":
        place = folder / "samples" / page.parent.name
    if name(page) == "README.md":
        (folder / "one_relu.py").write_text(CODE.search(page.read_text()).group(1))
    if name(page) == "docs/files.md":
        # The page shows what is there after a compile with dumps.
        options = "--framework=5 --model=m.onnx --output=out --soc_version=Ascend910B1"
        run_in(folder, ["sh", "-c", f"DUMP_GE_GRAPH=1 DUMP_GRAPH_LEVEL=3 atc {options}"], folder)
    for command in commands(page):
        run_in(place, ["sh", "-ec", command], folder)


def test_most_pages_that_show_atc_are_tried():
    """The pattern that finds commands finds some: it would fail silently otherwise."""
    assert {"README.md", "docs/files.md", "docs/writing_a_pass.md", "samples/add_zero/README.md"} <= {
        name(p) for p in PAGES if commands(p)
    }


def test_every_page_is_in_the_table_of_contents():
    text = (ROOT / "docs" / "index.md").read_text()
    listed = [line for block in re.findall(r"```\{toctree\}\n(.*?)```", text, re.S) for line in block.split() if line.isidentifier()]
    pages = [p.stem for p in (ROOT / "docs").glob("*.md") if p.stem != "index"]
    assert sorted(word for word in listed if word in pages) == sorted(pages)


@pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(ROOT)))
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text()):
        assert (page.parent / target).exists(), target


def test_files_named_in_the_docs_exist():
    for page in PAGES:
        for name in re.findall(
            r"`((?:samples|scripts|tests|csrc|docs|python|include|benchmarks)/[\w./]+)`", page.read_text()
        ):
            assert (ROOT / name).exists(), f"{page.name}: {name}"
