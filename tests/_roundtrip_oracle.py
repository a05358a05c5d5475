"""What import and export without passes are held to: the backend tests that the onnx package holds.

Run as a program, it prints a table of what it found: python tests/_roundtrip_oracle.py [part of a case name...]
"""

from __future__ import annotations

import collections
import pathlib
import sys
import warnings

import ge.onnx
import numpy as np
import onnx

from _backend_cases import cases

# Each run gives other numbers, so only the models can be compared.
RANDOM = {"Bernoulli", "Multinomial", "RandomNormal", "RandomNormalLike", "RandomUniform", "RandomUniformLike"}


def _in_runtime(model, feeds):
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    known = {i.name for i in session.get_inputs()} | {i.name for i in session.get_overridable_initializers()}
    return session.run(None, {name: value for name, value in feeds.items() if name in known})


def _in_reference(model, feeds):
    from onnx.reference import ReferenceEvaluator

    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        return ReferenceEvaluator(model).run(None, feeds)


def same(one, other):
    """Bitwise; one NaN is like another."""
    if isinstance(one, (list, tuple)):
        return isinstance(other, (list, tuple)) and len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, dict):
        return isinstance(other, dict) and one.keys() == other.keys() and all(same(v, other[k]) for k, v in one.items())
    if one is None or other is None:
        return one is other
    one, other = np.asarray(one), np.asarray(other)
    if one.dtype != other.dtype or one.shape != other.shape:
        return False
    if one.dtype.kind in "OUS":
        return one.tolist() == other.tolist()
    if one.tobytes() == other.tobytes():
        return True
    with np.errstate(all="ignore"):
        both_nan = (one != one) & (other != other)
    return bool(np.all(both_nan)) or np.where(both_nan, np.zeros_like(one), one).tobytes() == np.where(
        both_nan, np.zeros_like(other), other
    ).tobytes()


def _operators(graph):
    for node in graph.node:
        yield node.op_type
        for attribute in node.attribute:
            for body in [attribute.g, *attribute.graphs]:
                yield from _operators(body)


def _node(node):
    inputs, outputs = list(node.input), list(node.output)
    for names in (inputs, outputs):
        while names and not names[-1]:
            names.pop()
    return (node.domain.replace("ai.onnx", "") if node.domain == "ai.onnx" else node.domain), node.op_type, node.name, tuple(
        inputs
    ), tuple(outputs)


def _facts(model):
    """What must survive besides the numbers: nodes with their names and edges, constants, inputs and outputs."""
    graph = model.graph
    return {
        "nodes": collections.Counter(map(_node, graph.node)),
        "initializers": sorted(t.name for t in graph.initializer) + sorted(t.values.name for t in graph.sparse_initializer),
        "inputs": [i.SerializeToString(deterministic=True) for i in graph.input],
        "outputs": [o.SerializeToString(deterministic=True) for o in graph.output],
        "opsets": sorted((o.domain, o.version) for o in model.opset_import),
        "metadata": sorted((p.key, p.value) for p in model.metadata_props),
        "functions": sorted(f.SerializeToString(deterministic=True) for f in model.functions),
        "graph name": graph.name,
        "ir version": model.ir_version,
    }


def _difference(one, other):
    if isinstance(one, collections.Counter):
        return f"{sorted((one - other).elements())} became {sorted((other - one).elements())}"
    return f"{one} became {other}"


def _passes_checker(model):
    try:
        onnx.checker.check_model(model, full_check=True)
        return True
    except Exception:
        return False


def _results(model, feeds):
    """The name of the first evaluator that can run the model, and what it gave."""
    problems = []
    for name, evaluate in (("onnxruntime", _in_runtime), ("reference", _in_reference)):
        try:
            return name, evaluate(model, feeds)
        except Exception as error:  # whatever it is, the other may do it
            problems.append(f"{name}: {str(error).splitlines()[0] if str(error) else type(error).__name__}")
    return "; ".join(problems), None


class Verdict:
    """What came of a case: `numbers` and `structure` say what differs, None if nothing does."""

    def __init__(self, case):
        self.case, self.numbers, self.structure, self.evaluator = case, None, None, None
        self.types = set()  # of the nodes in GE

    @property
    def good(self):
        return self.numbers is None and self.structure is None


def judge(case, folder):
    verdict = Verdict(case)
    source, target = folder / "source.onnx", folder / "target.onnx"
    source.write_bytes(case.model.SerializeToString())
    try:
        graph = ge.onnx.load(str(source))
        verdict.types = {n.type for n in graph.get_direct_nodes()} - {"Data", "NetOutput"}
        ge.onnx.save(graph, str(target))
    except Exception as error:
        verdict.numbers = verdict.structure = f"{type(error).__name__}: {error}"
        return verdict
    after = onnx.load(str(target))
    one, other = _facts(case.model), _facts(after)
    different = [f"{what}: {_difference(one[what], other[what])}" for what in one if one[what] != other[what]]
    if len(after.graph.node) > len(case.model.graph.node):
        different.insert(0, f"{len(case.model.graph.node)} nodes became {len(after.graph.node)}")
    if _passes_checker(case.model) and not _passes_checker(after):
        different.insert(0, "the checker refuses the result")
    if different:
        verdict.structure = "; ".join(different)
    if RANDOM.intersection(_operators(case.model.graph)):
        verdict.evaluator = "random"
        return verdict
    verdict.evaluator, wanted = _results(case.model, case.feeds)
    if wanted is None:
        verdict.numbers = None if case.model == after else f"cannot be run ({verdict.evaluator}) and the models differ"
        verdict.evaluator = "none"
        return verdict
    try:
        found = (_in_runtime if verdict.evaluator == "onnxruntime" else _in_reference)(after, case.feeds)
    except Exception as error:
        verdict.numbers = f"the result cannot be run: {error}"
        return verdict
    if not same(list(wanted), list(found)):
        verdict.numbers = "other numbers"
    return verdict


def main(parts):
    import tempfile

    counts = collections.defaultdict(collections.Counter)
    with tempfile.TemporaryDirectory() as folder:
        for case in cases():
            if parts and not any(part in case.name for part in parts):
                continue
            verdict = judge(case, pathlib.Path(folder))
            count = counts[case.kind]
            count["cases"] += 1
            count["same numbers"] += verdict.numbers is None
            count["same structure"] += verdict.structure is None
            count[verdict.evaluator or "failed"] += 1
            if not verdict.good:
                print(f"{case.kind}/{case.name}: {verdict.numbers or 'same numbers'}; {verdict.structure or 'same structure'}")
    for kind, count in counts.items():
        print(kind, dict(count))


if __name__ == "__main__":
    main(sys.argv[1:])
