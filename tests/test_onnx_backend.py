"""The onnx package's backend tests, in and out without passes: the same numbers, nodes and names."""

from __future__ import annotations

import collections
import pathlib
import re

import onnx
import pytest

from _backend_cases import FOLDERS, cases
from _roundtrip_oracle import judge

DOCS = pathlib.Path(__file__).resolve().parent.parent / "docs" / "onnx.md"
LEAST_IDENTICAL = 0.97


def listed():
    """Cases that docs/onnx.md names: lines '| `case` | reason |', '*' standing for any text."""
    return dict(re.findall(r"^\| `((?:test_)?[\w*]+)` \| (.+) \|$", DOCS.read_text(), re.M))


def matches(name, pattern):
    return re.fullmatch(pattern.replace("*", ".*"), name) is not None


@pytest.fixture(scope="module")
def verdicts(tmp_path_factory):
    folder = tmp_path_factory.mktemp("oracle")
    return [judge(case, folder) for case in cases()]


def test_nearly_all_cases_come_back_the_same_and_docs_name_the_rest(verdicts):
    total, identical = collections.Counter(), collections.Counter()
    failing = {}
    for verdict in verdicts:
        total[verdict.case.kind] += 1
        identical[verdict.case.kind] += verdict.good
        if not verdict.good:
            failing[verdict.case.name] = f"{verdict.numbers or 'same numbers'}; {verdict.structure or 'same structure'}"
    assert set(total) == {"node", *FOLDERS} and total["node"] > 1500
    unlisted = {n: why for n, why in failing.items() if not any(matches(n, p) for p in listed())}
    text = "\n".join(f"{name}: {why}" for name, why in unlisted.items())
    assert not unlisted, f"{len(unlisted)} cases are not in docs/onnx.md:\n{text}"
    shares = {kind: identical[kind] / count for kind, count in total.items()}
    assert all(share >= LEAST_IDENTICAL for share in shares.values()), shares


def test_every_case_that_the_docs_name_differs(verdicts):
    for pattern in listed():
        named = [v for v in verdicts if matches(v.case.name, pattern)]
        assert named, f"docs/onnx.md lists '{pattern}', which is no case"
        good = [v.case.name for v in named if v.good]
        assert not good, f"docs/onnx.md lists '{pattern}', yet these are the same: {good}"


def test_the_numbers_were_really_compared(verdicts):
    evaluators = collections.Counter(v.evaluator for v in verdicts)
    # An older onnxruntime leaves more to onnx.reference.
    assert evaluators["onnxruntime"] > 0.4 * len(verdicts) and evaluators["reference"] > 100, evaluators
    assert evaluators["none"] <= 0.01 * len(verdicts), evaluators


def test_the_newest_opset_is_among_them(verdicts):
    newest = max(o.version for v in verdicts for o in v.case.model.opset_import if o.domain == "")
    assert newest == onnx.defs.onnx_opset_version()


# Operators that the table maps to one of GE's; all others are ai.onnx::<name>.
MAPPED_FOR_CERTAIN = {
    "Add", "AffineGrid", "AveragePool", "BatchNormalization", "Cast", "Concat", "ConcatFromSequence", "Conv", "Gemm", "GRU",
    "GridSample", "LRN", "LSTM", "MatMul", "MaxPool", "MaxRoiPool", "MeanVarianceNormalization",
    "Relu", "Reshape", "Resize", "SequenceAt", "SequenceConstruct", "SequenceEmpty", "SequenceInsert", "Slice", "Softmax",
    "Split", "SplitToSequence", "TfIdfVectorizer", "Transpose",
}  # fmt: skip


def test_models_of_one_operator_reach_that_of_ge(verdicts):
    """So that passes written for GE find it."""
    types = collections.defaultdict(set)
    for verdict in verdicts:
        nodes = verdict.case.model.graph.node
        if len(nodes) == 1 and nodes[0].op_type in MAPPED_FOR_CERTAIN:
            types[nodes[0].op_type].update(verdict.types)
    opaque = [op for op, found in types.items() if all("::" in t for t in found)]
    never_alone = {"ConcatFromSequence", "MaxRoiPool", "SequenceAt", "SequenceConstruct", "SequenceEmpty"}
    assert not opaque and types.keys() >= MAPPED_FOR_CERTAIN - never_alone
