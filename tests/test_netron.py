"""Does a reader that nobody here wrote see in our .om and dump files what we put there? Netron's own JavaScript, under node."""

from __future__ import annotations

import json
import os
import pathlib
import shutil
import struct
import subprocess

import numpy as np
import pytest

from _ge_ir import message

READER = pathlib.Path(__file__).with_name("netron_reader.mjs")
REAL_MODELS = ("ppocr_v4_det", "ppocr_v4_rec", "ppocr_v2_cls", "magika")
NUMPY_TYPES = {"float32": "<f4", "float16": "<f2", "int64": "<i8", "int32": "<i4", "boolean": "?", "uint8": "u1", "int8": "i1"}
NETRON_TYPES = {1: "float32", 2: "float16", 3: "int8", 4: "uint8", 7: "int32", 8: "int64", 11: "boolean", 12: "float64"}


def missing(reason):
    # In CI both are installed; what is not there was forgotten.
    (pytest.fail if os.environ.get("CI") else pytest.skip)(reason)


@pytest.fixture(scope="session")
def netron():
    """netron(path, ...) -> what Netron sees in each file."""
    node = shutil.which("node") or shutil.which("nodejs")
    if node is None:
        missing("needs node (Debian: nodejs) to run Netron's readers")
    try:
        import netron as package
    except ImportError:
        missing("needs the package netron")

    def read(*paths):
        done = subprocess.run(
            [node, str(READER), os.path.dirname(package.__file__), *map(str, paths)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            timeout=120,
        )
        assert done.returncode == 0, done.stderr
        found = [json.loads(line) for line in done.stdout.splitlines()]
        assert len(found) == len(paths)
        for path, one in zip(paths, found):
            assert "error" not in one and one["problems"] == [], (str(path), one.get("error"), one["problems"])
        return found

    return read


# ---- what Netron should see ------------------------------------------------------------------------------------------------


def shown(value):
    """An attribute as Netron gives it out; None for the kinds that it leaves blank."""
    kind = value.WhichOneof("value")
    if kind in ("i", "b", "f"):
        return getattr(value, kind)
    if kind == "dt":
        return NETRON_TYPES[value.dt]  # it takes the number for one of TensorDescriptor.dtype
    if kind == "s":
        return value.s.decode() if all(32 <= c <= 128 for c in value.s) else list(value.s)
    if kind == "list_list_int":
        return [list(one.list_i) for one in value.list_list_int.list_list_i]
    if kind == "list":
        if value.list.s:
            ascii_ = all(32 <= c <= 128 for text in value.list.s for c in text)
            return ", ".join(text.decode() for text in value.list.s) if ascii_ else None
        return list(value.list.i) or list(value.list.f) or list(value.list.b) or None
    return None


def assert_same_attributes(op, node):
    # The last is in dumps only.
    hidden = ("device", "original_op_names", "value" if op.type == "Const" else "", "_src_out_peer_index_for_ge_txt_load")
    for key, value in op.attr.items():
        expected = shown(value)
        if key in hidden or expected is None:
            continue
        found = node["attributes"][key]
        if isinstance(expected, float) or (isinstance(expected, list) and expected and isinstance(expected[0], float)):
            assert np.allclose(found, expected, equal_nan=True), (op.name, key)
        else:
            # Integers that JavaScript has no number for come as text.
            found = int(found) if isinstance(expected, int) and isinstance(found, str) else found
            assert found == expected, (op.name, key)


def assert_same_type(desc, type_, where):
    assert type_["dtype"] == NETRON_TYPES.get(desc.dtype, type_["dtype"]), where
    assert type_["shape"] == list(desc.shape.dim), where


def assert_same_tensor(tensor, found, where):
    assert_same_type(tensor.desc, found, where)
    assert found["bytes"] == len(tensor.data), where
    if tensor.data and found["dtype"] in NUMPY_TYPES:
        count = min(8, len(tensor.data) // np.dtype(NUMPY_TYPES[found["dtype"]]).itemsize)
        expected = np.frombuffer(tensor.data, NUMPY_TYPES[found["dtype"]], count)
        values = np.array([float(v) if isinstance(v, str) and "n" in v else int(v) if isinstance(v, str) else v for v in found["values"]])
        assert np.array_equal(values.astype(expected.dtype), expected, equal_nan=expected.dtype.kind == "f"), where


def assert_same_graph(graph, found, weights):
    """graph: of our dump. weights: name of a Const -> its tensor, with the bytes that dumps leave out."""
    assert found["name"] == graph.name
    nodes = {node["name"]: node for node in found["nodes"]}
    ops = [op for op in graph.op if op.type != "Const"]
    assert [(op.name, op.type) for op in ops] == [(node["name"], node["type"]) for node in found["nodes"]]
    for op in ops:
        node = nodes[op.name]
        assert_same_attributes(op, node)
        edges = [value for port in node["inputs"] for value in port]
        wanted = [(name, desc) for name, desc in zip(op.input, op.input_desc) if name and not name.endswith(":-1")]
        assert [edge["name"] for edge in edges] == [name for name, _ in wanted], op.name
        for edge, (name, desc) in zip(edges, wanted):
            producer = name.rsplit(":", 1)[0]
            if producer in weights:
                assert_same_tensor(weights[producer], edge["initializer"], (op.name, name))
            else:
                assert "initializer" not in edge
        outputs = [value for port in node["outputs"] for value in port]
        assert [value["name"] for value in outputs] == [f"{op.name}:{i}" for i in range(len(op.output_desc))]
        for value, desc in zip(outputs, op.output_desc):
            assert_same_type(desc, value["type"], value["name"])


def dump_of(path):
    text_format = pytest.importorskip("google.protobuf.text_format", reason="needs the package protobuf")
    return text_format.Parse(path.read_text(), message("ModelDef")())


def assert_netron_sees(netron, base):
    """Compares <base>.om as Netron reads it with <base>.txt, and with the weights in <base>.air."""
    dump, air = dump_of(base.with_suffix(".txt")), message("ModelDef").FromString(base.with_suffix(".air").read_bytes())
    (found,) = netron(base.with_suffix(".om"))
    assert found["format"] == "DaVinci OM"
    assert len(found["graphs"]) == len(dump.graph) == len(air.graph)
    for graph, with_weights, seen in zip(dump.graph, air.graph, found["graphs"]):
        weights = {op.name: op.attr["value"].t for op in with_weights.op if op.type == "Const"}
        assert_same_graph(graph, seen, weights)
    return found


def emit(atc, model, output, *options, framework=5):
    atc(f"--framework={framework}", f"--model={model}", f"--output={output}", "--emit=om,air,txt", "--soc_version=x", *options, check=0)
    return atc.folder / output


# ---- models ----------------------------------------------------------------------------------------------------------------


def compare_both_ways(atc, netron, model):
    """From the model itself, and from the .air that came of it."""
    direct = assert_netron_sees(netron, emit(atc, model, "direct"))
    again = assert_netron_sees(netron, emit(atc, atc.folder / "direct.air", "again", framework=1))
    assert again["graphs"] == direct["graphs"]


def test_samples(samples, atc, netron):
    models = sorted(samples.glob("*/*.onnx"))
    assert len(models) >= 5
    for model in models:
        compare_both_ways(atc, netron, model)


@pytest.mark.parametrize("name", REAL_MODELS)
def test_real_models(name, models, atc, netron):
    compare_both_ways(atc, netron, models[name])


def test_a_graph_with_bodies_and_every_kind_of_attribute(tmp_path, netron):
    from ge.graph import DataType, DumpFormat
    from ge.passes.runtime import ensure_native_module
    from test_air import sample

    graph = sample()
    node = next(n for n in graph.get_direct_nodes() if n.type == "If")
    node.set_attr("type", DataType.DT_INT8)
    base = tmp_path / "m"
    ensure_native_module().om_save(graph, str(base) + ".om")
    graph.save_to_air(str(base) + ".air")
    base.with_suffix(".txt").write_text(graph.dump_to_stream(DumpFormat.kTxt))
    found = assert_netron_sees(netron, base)
    assert [g["name"] for g in found["graphs"]] == ["sample", "then", "else"]


# ---- the container ---------------------------------------------------------------------------------------------------------


def test_parts_lie_where_the_header_says(samples, atc):
    base = emit(atc, samples / "hard_swish" / "model.onnx", "m")
    data = base.with_suffix(".om").read_bytes()
    assert data[:4] == b"IMOD" and struct.unpack_from("<II", data, 4) == (256, 0x20000000)
    assert struct.unpack_from("<Q", data, 184) == (len(data) - 256,)
    assert data[84:116].rstrip(b"\0") == b"hard_swish_twice" and struct.unpack_from("<I", data, 156) == (1,)
    assert data[193] == 1  # the batch is not known
    (count, _) = struct.unpack_from("<II", data, 256)
    table = [struct.unpack_from("<IIQQ", data, 264 + 24 * i) for i in range(count)]
    assert [entry[0] for entry in table] == [8, 0, 1, 2]
    ends = [0] + [offset + size for _, _, offset, size in table]
    assert [entry[2] for entry in table] == ends[:-1] and 264 + 24 * count + ends[-1] == len(data)
    parts = {kind: data[264 + 24 * count + offset :][:size] for kind, _, offset, size in table}
    model = message("ModelDef").FromString(parts[0])
    assert model.version == 2 and "no" in model.attr["device_kernels"].s.decode()
    assert "--output=m" in model.attr["atc_cmdline"].s.decode() and model.attr["soc_version"].s == b"x"
    sizes = list(model.attr["om_info_list"].list.i)
    assert sizes == [len(parts[1]), 0, 0, len(parts[2]), 0]
    weights = message("ModelDef").FromString(base.with_suffix(".air").read_bytes()).graph[0]
    inline = {op.name: op.attr["value"].t.data for op in weights.op if op.type == "Const"}
    for op in model.graph[0].op:
        if op.type == "Const":
            desc = op.attr["value"].t.desc
            assert op.attr["value"].t.data == b"" and desc.data_offset % 512 == 0 and desc.data_offset >= 512
            assert parts[1][desc.data_offset :][: desc.weight_size] == inline[op.name]
        elif op.type == "Conv2D":
            assert list(op.is_input_const) == [False, True, True, False]
