"""Bad input: one clear error that names the file and the reason, exit code 255, no output file."""

from __future__ import annotations

import os
import re

import ge.onnx
import numpy as np
import onnx
import pytest
from ge.error import OnnxError
from onnx import TensorProto, helper

from _graphs import conditional
from _onnx_models import Net


def good():
    net = Net()
    net.output(
        net.op("Relu", net.op("Add", net.input("x", ["n", 3]), net.const([1.0, 2.0, 3.0])), outputs="y"), ["n", 3]
    )
    return net.build()


def cyclic():
    net = Net()
    x = net.input("x", [2])
    net.nodes.append(helper.make_node("Add", [x, "b"], ["a"], name="first"))
    net.nodes.append(helper.make_node("Neg", ["a"], ["b"], name="second"))
    net.output("b", [2])
    return net.build().SerializeToString()


def undefined_value():
    net = Net()
    net.output(net.op("Add", net.input("x", [2]), "nowhere", outputs="y"), [2])
    return net.build().SerializeToString()


def undefined_output():
    net = Net()
    net.op("Neg", net.input("x", [2]))
    net.output("nowhere", [2])
    return net.build().SerializeToString()


def twice_defined():
    net = Net()
    net.op("Neg", net.input("x", [2]), outputs="y")
    net.output(net.op("Abs", "x", outputs="y"), [2])
    return net.build().SerializeToString()


def external_tensor(**entries):
    tensor = TensorProto(name="t", data_type=TensorProto.FLOAT, dims=[4], data_location=TensorProto.EXTERNAL)
    for key, value in entries.items():
        tensor.external_data.add(key=key, value=value)
    net = Net()
    net.constants.append(tensor)
    net.output(net.op("Add", net.input("x", [4]), "t", outputs="y"), [4])
    return net.build().SerializeToString()


def test_external_data_in_a_pipe_is_refused(atc):
    os.mkfifo(atc.folder / "weights")
    model = onnx.ModelProto.FromString(external_tensor(location="weights"))
    done = atc.compile(model, check=255, timeout=20)
    assert "weights" in done.text and "not a regular file" in done.text


def two_versions():
    model = good()
    model.opset_import.add(domain="ai.onnx", version=7)
    return model.SerializeToString()


def wrong_size():
    net = Net()
    net.constants.append(TensorProto(name="t", data_type=TensorProto.FLOAT, dims=[3], raw_data=b"12345"))
    net.output(net.op("Add", net.input("x", [3]), "t", outputs="y"), [3])
    return net.build().SerializeToString()


def huge_dims():
    net = Net()
    net.constants.append(TensorProto(name="t", data_type=TensorProto.FLOAT, dims=[2**40, 2**40], raw_data=b"1234"))
    net.output(net.op("Add", net.input("x", [3]), "t", outputs="y"), [3])
    return net.build().SerializeToString()


BAD_FILES = {
    "empty file": b"",
    "text": b"this is not a model, not at all\n" * 20,
    "zeros": b"\0" * 100,
    "truncated": good().SerializeToString()[:-20],
    "one byte": b"\x08",
    "no graph": onnx.ModelProto(ir_version=8, opset_import=[helper.make_opsetid("", 13)]).SerializeToString(),
    "cyclic": cyclic(),
    "undefined value": undefined_value(),
    "undefined output": undefined_output(),
    "defined twice": twice_defined(),
    "missing external file": external_tensor(location="nowhere.bin"),
    "no external location": external_tensor(offset="0"),
    "external range": external_tensor(location="short.bin", offset="0", length="16"),
    "external offset": external_tensor(location="short.bin", offset="-4", length="16"),
    "external number": external_tensor(location="short.bin", offset="abc"),
    "external path outside": external_tensor(location="../../../../etc/passwd", length="16"),
    "external absolute path": external_tensor(location="/etc/passwd", length="16"),
    "two versions of an operator set": two_versions(),
    "tensor size": wrong_size(),
    "tensor dims overflow": huge_dims(),
}


@pytest.fixture
def bad(request, tmp_path):
    (tmp_path / "short.bin").write_bytes(b"12345678")
    path = tmp_path / "bad.onnx"
    path.write_bytes(BAD_FILES[request.param])
    return path


@pytest.mark.parametrize("bad", BAD_FILES, indirect=True)
def test_a_bad_file_is_one_error_line_and_no_output(bad, atc):
    done = atc.compile(bad, check=255)
    errors = [line for line in done.text.splitlines() if line.startswith("[ERROR]")]
    assert len(errors) == 1, done.text
    assert re.match(r"\[ERROR\] [EW]\d{5}: ", errors[0]), errors[0]
    assert "bad.onnx" in errors[0] or "nowhere.bin" in errors[0] or "short.bin" in errors[0], errors[0]
    assert "Traceback" not in done.text
    assert not done.path.exists() and sorted(os.listdir(bad.parent)) == ["bad.onnx", "short.bin"]


@pytest.mark.smoke
@pytest.mark.parametrize("bad", BAD_FILES, indirect=True)
def test_load_raises_an_error_that_names_the_file(bad):
    with pytest.raises((ValueError, OSError, RuntimeError)) as caught:
        ge.onnx.load(str(bad))
    assert str(bad) in str(caught.value) or "bin" in str(caught.value) or "passwd" in str(caught.value)


@pytest.mark.parametrize("path", ["missing.onnx", "folder", "folder/missing.onnx"])
def test_a_path_that_is_no_file_is_an_error(path, atc):
    (atc.folder / "folder").mkdir()
    done = atc.compile(atc.folder / path, check=255)
    assert path in next(line for line in done.text.splitlines() if line.startswith("[ERROR]"))


@pytest.mark.skipif(os.geteuid() == 0 and not os.path.exists("/proc/version"), reason="needs /proc")
def test_an_output_folder_that_cannot_be_written_is_an_error(atc):
    done = atc.compile(good(), "--output=/proc/nowhere/out", check=255)
    line = next(line for line in done.text.splitlines() if line.startswith("[ERROR]"))
    assert "/proc/nowhere" in line


def test_an_output_that_is_a_folder_is_an_error(atc):
    (atc.folder / "out.onnx").mkdir()
    done = atc.compile(good(), check=255)
    assert "out.onnx" in next(line for line in done.text.splitlines() if line.startswith("[ERROR]"))
    assert os.listdir(atc.folder / "out.onnx") == []


@pytest.mark.parametrize(
    "shape, code",
    [
        ("x", "E10002"),
        ("x:a,3", "E10002|E10014"),
        ("x:1.5,3", "E10002"),
        (":1,3", "E10002"),
        ("x:0,3", "E10011"),
        ("x:99999999999999999999,3", "E10013"),
        ("y2:1,3", "E10016"),
        ("x:1,3,4", "E1\\d{4}"),
        ("x:1,4", "E1\\d{4}"),
        ("", None),
    ],
)
def test_a_wrong_input_shape_is_an_error_with_its_code(shape, code, atc):
    done = atc.compile(good(), f"--input_shape={shape}", check=255 if code else 0)
    if code:
        line = next(line for line in done.text.splitlines() if line.startswith("[ERROR]"))
        assert re.match(rf"\[ERROR\] ({code}): ", line), line
        assert not done.path.exists()


def test_a_failed_save_leaves_the_old_file(tmp_path):
    source = tmp_path / "source.onnx"
    source.write_bytes(good().SerializeToString())
    graph = ge.onnx.load(str(source))
    with pytest.raises((OSError, RuntimeError)):
        ge.onnx.save(graph, str(tmp_path / "missing" / "folder" / "out.onnx"))
    assert os.listdir(tmp_path) == ["source.onnx"]


@pytest.mark.parametrize("argument", [None, 3, ["a"]])
def test_load_wants_text_or_a_path(argument):
    with pytest.raises(TypeError):
        ge.onnx.load(argument)


def test_a_contradiction_between_declared_and_inferred_shapes_names_the_node(atc):
    net = Net()
    product = net.op("MatMul", net.input("x", [2, 3]), net.const(np.ones((4, 5), np.float32)), outputs="y")
    net.output(product, [2, 5])
    done = atc.compile(net.build(), check=255)
    assert "n0" in next(line for line in done.text.splitlines() if line.startswith("[ERROR]"))


def test_an_opset_that_is_not_known_is_not_written(tmp_path):
    (tmp_path / "m.onnx").write_bytes(good().SerializeToString())
    graph = ge.onnx.load(tmp_path / "m.onnx")
    with pytest.raises(OnnxError, match="opset 99 .* newest that is known here is 28"):
        ge.onnx.save(graph, tmp_path / "out.onnx", opset=99)
    assert os.listdir(tmp_path) == ["m.onnx"]


def test_a_name_is_not_cut_at_a_zero_byte(tmp_path):
    (tmp_path / "m.onnx").write_bytes(good().SerializeToString())
    graph = ge.onnx.load(tmp_path / "m.onnx")
    for refused in (
        lambda: ge.onnx.load(f"{tmp_path}/m.onnx\0.onnx"),
        lambda: ge.onnx.save(graph, f"{tmp_path}/a\0.onnx"),
        lambda: graph.save_to_air(f"{tmp_path}/b\0.air"),
        lambda: graph.load_from_air(f"{tmp_path}/m.onnx\0.air"),
    ):
        with pytest.raises((OSError, RuntimeError, ValueError), match="zero byte"):
            refused()
    assert os.listdir(tmp_path) == ["m.onnx"]


def test_branches_of_ge_are_refused_with_the_true_reason(tmp_path):
    with pytest.raises(RuntimeError, match="of type 'If' cannot be .*: its branches or bodies are graphs of GE") as e:
        ge.onnx.save(conditional(), tmp_path / "out.onnx")
    assert "AIR" in str(e.value) and not list(tmp_path.iterdir())
