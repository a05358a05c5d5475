"""Shapes and types that follow from a model, against what its operators really return."""

from __future__ import annotations

import pathlib
import re

import pytest

from _backend_cases import node_cases
from _inference_oracle import is_plain, judge

DOCS = pathlib.Path(__file__).resolve().parent.parent / "docs" / "inference.md"
LEAST_AGREEMENT = 0.97


def listed():
    """Cases that docs/inference.md names as not agreeing: lines '| `case` | reason |', '*' standing for any text."""
    rows = re.findall(r"^\| `(test_[\w*]+)` \| (.+) \|$", DOCS.read_text(), re.M)
    return {name: reason for name, reason in rows}


def matches(name, pattern):
    return re.fullmatch(pattern.replace("*", ".*"), name) is not None


@pytest.fixture(scope="module")
def judged(tmp_path_factory):
    path = tmp_path_factory.mktemp("oracle") / "model.onnx"
    return {
        name: judge(model, inputs, outputs, path) for name, model, inputs, outputs in node_cases() if is_plain(model)
    }


def test_inference_agrees_with_the_node_tests_of_onnx(judged):
    assert len(judged) > 1500, "the onnx package has fewer node tests than expected"
    failing = {name: problems for name, problems in judged.items() if problems}
    patterns = listed()
    unlisted = {n: p for n, p in failing.items() if not any(matches(n, pattern) for pattern in patterns)}
    text = "\n".join(f"{name}: {'; '.join(problems)}" for name, problems in unlisted.items())
    assert not unlisted, f"{len(unlisted)} cases disagree and are not in docs/inference.md:\n{text}"
    share = 1 - len(failing) / len(judged)
    assert share >= LEAST_AGREEMENT, f"{len(failing)} of {len(judged)} cases disagree"


def test_every_listed_disagreement_is_one(judged):
    for pattern in listed():
        cases = [name for name in judged if matches(name, pattern)]
        agreeing = [name for name in cases if not judged[name]]
        assert not agreeing, f"docs/inference.md lists '{pattern}', yet these agree: {agreeing}"
