"""Every intermediate tensor of whole models: what inference says beside what onnxruntime computes."""

from __future__ import annotations

import importlib.util
import pathlib
import sys

import numpy as np
import onnx
import pytest

from _inference_oracle import inferred
from _onnx_models import random_feeds, run

ROOT = pathlib.Path(__file__).resolve().parent.parent

# Two sizes for the inputs of each model: dims that differ between them depend on the input, all others do not.
REAL = {
    "ppocr_v4_det": ([1, 3, 64, 96], [2, 3, 96, 160]),
    "ppocr_v4_rec": ([1, 3, 48, 64], [2, 3, 80, 128]),
    "ppocr_v2_cls": ([1, 3, 48, 96], [2, 3, 96, 192]),
    "magika": None,
}


def size_of(dim, default):
    return dim.dim_value if dim.HasField("dim_value") and dim.dim_value > 0 else default


def shapes_for(model, given, batch, free):
    """Shapes for the inputs: as given, or the model's own with its open dims filled in (the first one with `batch`)."""
    constants = {t.name for t in model.graph.initializer}
    inputs = [i for i in model.graph.input if i.name not in constants]
    if given is not None:
        return {inputs[0].name: given}
    return {
        i.name: [size_of(d, batch if n == 0 else free) for n, d in enumerate(i.type.tensor_type.shape.dim)]
        for i in inputs
    }


def exposed(model):
    """The model with every tensor that a node makes as an output, and nothing declared about them."""
    bare = onnx.ModelProto()
    bare.CopyFrom(model)
    del bare.graph.value_info[:]
    del bare.graph.output[:]
    for node in bare.graph.node:
        bare.graph.output.extend(onnx.ValueInfoProto(name=name) for name in node.output if name)
    return bare


def feeds_for(model, shapes):
    fixed = onnx.ModelProto()
    fixed.CopyFrom(model)
    for info in fixed.graph.input:
        if info.name in shapes:
            for dim, size in zip(info.type.tensor_type.shape.dim, shapes[info.name]):
                dim.dim_value = size
    # Indices stay inside any table.
    return {name: np.minimum(v, 1) if v.dtype.kind == "i" else v for name, v in random_feeds(fixed).items()}


def compute(model, shapes):
    return run(model, feeds_for(model, shapes))


def check(model, given, path):
    """Shapes and types with fixed inputs are exact; with open ones they are true, and what cannot change is known."""
    bare = exposed(model)
    small, large = given if given is not None else (None, None)
    sizes = [shapes_for(model, small, 1, 8), shapes_for(model, large, 2, 8)]
    names = [o.name for o in bare.graph.output]
    results = []
    for shapes in sizes:
        values = compute(bare, shapes)
        results.append([np.shape(v) for v in values])
        found = inferred(bare, [shapes[i.name] for i in bare.graph.input if i.name in shapes], path)
        for name, value, (dims, dtype) in zip(names, values, found):
            assert dims == list(value.shape), f"'{name}': computed {list(value.shape)}, inferred {dims}"
            assert dtype != 28, f"'{name}': no type inferred for {value.dtype}"
    open_shapes = [[-1] * len(sizes[0][i.name]) for i in bare.graph.input if i.name in sizes[0]]
    open_dims = 0
    for name, one, other, (dims, _) in zip(names, *results, inferred(bare, open_shapes, path)):
        assert dims is not None and len(dims) == len(one), f"'{name}': computed {one}, inferred {dims}"
        for dim, a, b in zip(dims, one, other):
            assert dim in (-1, a) and dim in (-1, b), f"'{name}': computed {one} and {other}, inferred {dims}"
            open_dims += dim == -1 and a == b
    # Different sizes meet again where windows round, and what that comes to cannot be known beforehand.
    total = sum(len(shape) for shape in results[0])
    assert open_dims <= 0.02 * total, f"{open_dims} of {total} dims stay the same, yet are left open"


@pytest.mark.parametrize("name", REAL)
def test_real_models(name, models, tmp_path):
    check(onnx.load(str(models[name])), REAL[name], tmp_path / "model.onnx")


def test_a_decomposed_transformer_encoder(tmp_path):
    spec = importlib.util.spec_from_file_location("benchmark_models", ROOT / "benchmarks" / "models.py")
    generator = importlib.util.module_from_spec(spec)
    sys.modules["benchmark_models"] = generator
    spec.loader.exec_module(generator)
    check(generator.bert(200), None, tmp_path / "model.onnx")
