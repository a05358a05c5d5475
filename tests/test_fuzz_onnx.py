"""Random models go through unchanged; random damage to a file never brings the process down."""

from __future__ import annotations

import random
import subprocess
import sys
import textwrap

import ge.onnx
import numpy as np
import onnx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from onnx import TensorProto

from _onnx_models import Net, assert_same_numbers, meaning, signature

UNARY = ["Relu", "Abs", "Neg", "Exp", "Sigmoid", "Tanh", "Identity", "Floor", "Softplus"]
BINARY = ["Add", "Sub", "Mul", "Max", "Min"]


@st.composite
def models(draw):
    """A DAG of broadcasting element-wise operators, reshapes, transposes, concats and reductions."""
    opset = draw(st.integers(9, 17))
    net = Net(opset=opset)
    rank = draw(st.integers(1, 3))
    dims = [draw(st.integers(1, 4)) for _ in range(rank)]
    values = [net.input(f"in{i}", dims) for i in range(draw(st.integers(1, 3)))]
    for i in range(draw(st.integers(1, 2))):
        shape = [d if draw(st.booleans()) else 1 for d in dims][draw(st.integers(0, rank)) :]
        values.append(net.const(np.random.default_rng(i).normal(size=shape).astype(np.float32)))
    fresh = []
    for _ in range(draw(st.integers(1, 12))):
        kind = draw(st.sampled_from(["unary", "binary", "binary", "concat", "transpose", "clip"]))
        pick = st.sampled_from(values)
        if kind == "unary":
            made = net.op(draw(st.sampled_from(UNARY)), draw(pick))
        elif kind == "binary":
            made = net.op(draw(st.sampled_from(BINARY)), draw(pick), draw(pick))
        elif kind == "concat":
            part = draw(pick)
            made = net.op("Add", net.op("Identity", part), draw(pick))
        elif kind == "transpose" and rank == 2 and dims[0] == dims[1]:
            made = net.op("Transpose", net.op("Add", values[0], draw(pick)), perm=[1, 0])
        elif opset >= 11:
            made = net.op("Clip", draw(pick), net.const(-1.0), net.const(1.0))
        else:
            made = net.op("Clip", draw(pick), min=-1.0, max=1.0)
        values.append(made)
        fresh.append(made)
    for value in draw(st.lists(st.sampled_from(fresh), min_size=1, max_size=3, unique=True)):
        net.output(value)
    model = net.build(name=draw(st.text("abcäß _/", max_size=8)) or "g")
    model = onnx.shape_inference.infer_shapes(model)
    if draw(st.booleans()):
        del model.graph.value_info[:]
    onnx.checker.check_model(model, full_check=True)
    return model


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(model=models())
def test_a_random_model_goes_through_unchanged(model, tmp_path_factory):
    folder = tmp_path_factory.mktemp("fuzz")
    (folder / "a.onnx").write_bytes(model.SerializeToString())
    graph = ge.onnx.load(str(folder / "a.onnx"))
    ge.onnx.save(graph, str(folder / "b.onnx"))
    after = onnx.load(str(folder / "b.onnx"))
    onnx.checker.check_model(after, full_check=True)
    assert signature(after)[0] == signature(model)[0]
    assert meaning(after) == meaning(model)


@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
@given(model=models())
def test_a_random_model_computes_the_same_after_inference(model, tmp_path_factory):
    import ge.passes

    folder = tmp_path_factory.mktemp("fuzz")
    (folder / "a.onnx").write_bytes(model.SerializeToString())
    graph = ge.onnx.load(str(folder / "a.onnx"))
    ge.passes.apply(graph, passes=[])
    ge.onnx.save(graph, str(folder / "b.onnx"))
    after = onnx.load(str(folder / "b.onnx"))
    onnx.checker.check_model(after, full_check=True)
    assert_same_numbers(model, after)


WORKER = textwrap.dedent(
    """
    import sys
    import ge.onnx
    import ge.passes
    path, log = sys.argv[1:3]
    good = 0
    for line in sys.stdin:
        with open(log, "w") as f:
            f.write(line)
        data = bytes.fromhex(line.strip())
        with open(path, "wb") as f:
            f.write(data)
        try:
            graph = ge.onnx.load(path)
            good += 1
        except (ValueError, OSError, RuntimeError) as error:
            assert str(error), "an error without text"
            continue
        try:
            ge.passes.apply(graph, passes=[])
            ge.onnx.save(graph, path + ".out")
        except (ValueError, OSError, RuntimeError) as error:
            assert str(error), "an error without text"
    print("survived", good)
    """
)


def seeds():
    net = Net()
    x = net.input("x", ["n", 4])
    net.const(np.arange(8, dtype=np.float32).reshape(4, 2), "w")
    y = net.op("Softmax", net.op("MatMul", x, "w"), axis=-1)
    a, b = net.op("Split", y, outputs=2, axis=1)
    net.output(net.op("Concat", a, b, axis=1, outputs="y"), ["n", 2])
    body = onnx.helper.make_graph(
        [onnx.helper.make_node("Neg", ["x"], ["t"])], "t", [], [onnx.helper.make_tensor_value_info("t", 1, None)]
    )
    other = Net(my=1)
    other.input("x", [2])
    condition = other.const(np.array(True))
    y = other.op("If", condition, then_branch=body, else_branch=body)
    other.output(other.op("Odd", y, domain="my", outputs="y", ints=[1, 2, 3], s=b"text"), [2])
    tensor = TensorProto(name="e", data_type=1, dims=[2], data_location=TensorProto.EXTERNAL)
    tensor.external_data.add(key="location", value="nowhere")
    other.constants.append(tensor)
    return [net.build().SerializeToString(), other.build().SerializeToString()]


def mutate(data: bytes, rng: random.Random) -> bytes:
    data = bytearray(data)
    for _ in range(rng.choice([1, 1, 1, 2, 4, 16])):
        place = rng.randrange(len(data)) if data else 0
        kind = rng.randrange(6)
        if kind == 0 and data:
            data[place] = rng.randrange(256)
        elif kind == 1 and data:
            data[place] ^= 1 << rng.randrange(8)
        elif kind == 2:
            del data[place : place + rng.randrange(1, 12)]
        elif kind == 3:
            data[place:place] = bytes(rng.randrange(256) for _ in range(rng.randrange(1, 8)))
        elif kind == 4:
            data[place:place] = data[place : place + rng.randrange(1, 40)]
        else:
            data[place : place + 1] = b"\xff\xff\xff\xff\xff\xff\xff\xff\x7f"[: rng.randrange(1, 10)]
    return bytes(data)


@pytest.mark.parametrize("seed", range(2))
def test_damaged_files_raise_or_load_and_never_crash(seed, tmp_path):
    rng = random.Random(seed)
    files = [mutate(rng.choice(seeds()), rng) for _ in range(1500)]
    log = tmp_path / "last"
    done = subprocess.run(
        [sys.executable, "-c", WORKER, str(tmp_path / "m.onnx"), str(log)],
        input="\n".join(f.hex() for f in files),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, f"{done.stderr[-2000:]}\nlast file: {log.read_text().strip()}"
    assert "survived" in done.stdout
