"""What the README and the docs show is true."""

from __future__ import annotations

import pathlib
import re

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
    (impl,) = registry.get_registered_op_impls()
    assert ops.validate_op_impl_descriptor(impl.descriptor_key, told[impl.op_type]) is True
    try:
        x = numpy.float32([1, 2])
        (y,) = check("ScaledSum", [x, [x, 10 * x]], {"factor": 0.5})
        assert y.tolist() == [6, 12]
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
