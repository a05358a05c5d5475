"""Models as people export them, fetched out of PyPI packages: compiled with and without passes, computing the same."""

from __future__ import annotations

import re

import onnx
import pytest

from _onnx_models import operators

HARD_SWISHES = {"ppocr_v4_det": 24, "ppocr_v4_rec": 28, "ppocr_v2_cls": 18, "magika": 0}
SAMPLE_FILES = (
    "add_zero/add_zero.py",
    "grouped_conv/grouped_conv.py",
    "hard_swish/hard_swish.py",
    "matmul_add_to_gemm/plain.py",
    "relu_before_concat/relu_before_concat.py",
)


def largest_relative_difference(text) -> float:
    found = re.search(r"relative[^0-9]*([0-9.eE+-]+)", text)
    assert found, text
    return float(found.group(1))


@pytest.mark.parametrize("name", HARD_SWISHES)
def test_without_passes_the_model_computes_the_same(name, models, atc):
    done = atc.compile(models[name], "--verify", "--verify_tolerance=1e-5")
    assert largest_relative_difference(done.text) <= 1e-5
    assert operators(done.path) == operators(models[name])


@pytest.mark.parametrize("name", HARD_SWISHES)
def test_with_the_samples_the_model_computes_the_same(name, models, samples, atc):
    files = [samples / f for f in SAMPLE_FILES]
    done = atc.compile(models[name], "--verify", "--verify_tolerance=1e-4", passes=files)
    assert largest_relative_difference(done.text) <= 1e-4
    before, after = operators(models[name]), operators(done.path)
    assert after["HardSwish"] == HARD_SWISHES[name], done.text
    assert after["Clip"] == before["Clip"] - HARD_SWISHES[name]
    onnx.checker.check_model(str(done.path), full_check=True)


# Nodes, Constants not counted: as exported, and at most after the built-in passes.
SIZES = {"ppocr_v4_det": (330, 269), "ppocr_v4_rec": (440, 360), "ppocr_v2_cls": (258, 180), "magika": (95, 93)}


@pytest.mark.parametrize("name", SIZES)
def test_with_the_built_in_passes_the_model_is_smaller_and_computes_the_same(name, models, atc):
    done = atc.compile(models[name], "--oo_level=O3", "--verify", "--verify_tolerance=1e-4")
    assert largest_relative_difference(done.text) <= 1e-4
    exported, left = SIZES[name]
    assert sum(operators(models[name]).values()) == exported
    assert sum(operators(done.path).values()) <= left
    onnx.checker.check_model(str(done.path), full_check=True)


def test_the_same_input_gives_the_same_bytes(models, samples, atc):
    files = [samples / f for f in SAMPLE_FILES]
    first, second = (atc.compile(models["ppocr_v2_cls"], output=name, passes=files).path.read_bytes() for name in "ab")
    assert first == second


def test_a_fixed_input_shape_goes_through_the_whole_model(models, atc):
    done = atc.compile(models["ppocr_v2_cls"], "--input_shape=x:1,3,48,192", "--verify")
    dims = onnx.load(str(done.path)).graph.input[0].type.tensor_type.shape.dim
    assert [d.dim_value for d in dims] == [1, 3, 48, 192]
