"""The backend tests that the onnx package holds: its node tests, made by its own generator, and its model files."""

from __future__ import annotations

import pathlib
import warnings

import numpy as np
import onnx
import onnx.backend.test
from onnx import numpy_helper

FOLDERS = ("simple", "pytorch-converted", "pytorch-operator")
DATA = pathlib.Path(onnx.backend.test.__file__).parent / "data"


class Case:
    """One backend test: a model and the values of its inputs."""

    def __init__(self, kind, name, model, feeds):
        self.kind, self.name, self.model, self.feeds = kind, name, model, feeds


def _value_of(path, info):
    data, kind = path.read_bytes(), info.type.WhichOneof("value")
    if kind == "sequence_type":
        return numpy_helper.to_list(onnx.SequenceProto.FromString(data))
    if kind == "optional_type":
        return numpy_helper.to_optional(onnx.OptionalProto.FromString(data))
    return numpy_helper.to_array(onnx.TensorProto.FromString(data))


def _plain(value):
    return numpy_helper.to_array(value) if isinstance(value, onnx.TensorProto) else value


def node_cases():
    """(name, model, inputs, outputs) of the node tests."""
    from onnx.backend.test.case.node import collect_testcases

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with np.errstate(all="ignore"):
            for case in collect_testcases(None):
                inputs, outputs = case.data_sets[0]
                yield case.name, case.model, inputs, outputs


def file_cases(kind):
    for folder in sorted((DATA / kind).iterdir()):
        if not (folder / "model.onnx").exists():
            continue
        model = onnx.load(str(folder / "model.onnx"))
        constants = {t.name for t in model.graph.initializer}
        inputs = [i for i in model.graph.input if i.name not in constants]
        data = folder / "test_data_set_0"
        files = sorted(data.glob("input_*.pb"), key=lambda p: int(p.stem.split("_")[1]))
        # Older sets give the constants a value, too.
        infos = list(model.graph.input) if len(files) > len(inputs) else inputs
        yield Case(kind, folder.name, model, {i.name: _value_of(p, i) for i, p in zip(infos, files)})


def cases():
    for name, model, inputs, _ in node_cases():
        feeds = {i.name: _plain(v) for i, v in zip(model.graph.input, inputs)}
        yield Case("node", name, model, feeds)
    for kind in FOLDERS:
        yield from file_cases(kind)
