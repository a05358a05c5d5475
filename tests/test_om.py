"""Offline models and the modes of atc that show models: --emit, --mode=1, 3, 5 and 6, and debug dumps."""

from __future__ import annotations

import json
import os
import pathlib
import re
import shutil

import ge.onnx
import numpy as np
import onnx
import pytest
from ge.es import GraphBuilder
from ge.es.all import Const, Relu
from ge.graph import DataType, Graph, Tensor
from ge.passes.runtime import ensure_native_module
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import test_air
import test_onnx_operators
from _ge_ir import message
from _graphs import only
from _onnx_models import Net, assert_same_numbers


@pytest.fixture(scope="module")
def relus():
    net = Net()
    x = net.input("x", ["batch", 3])
    net.output(net.op("Relu", net.op("Add", x, net.const([1.0, 2.0, 3.0], name="w"))), ["batch", 3])
    return net.build("relus")


@pytest.fixture
def model(relus, atc):
    path = atc.folder / "model.onnx"
    path.write_bytes(relus.SerializeToString())
    return path


def om_save(graph, path):
    ensure_native_module().om_save(graph, str(path))


def om_load(path) -> Graph:
    return ensure_native_module().om_load(str(path))


def build(atc, model, *options, output="out", framework=5, **more):
    more.setdefault("check", 0)
    return atc(f"--framework={framework}", f"--model={model}", f"--output={output}", "--soc_version=Ascend910B1", *options, **more)


# ---- what a compile writes -------------------------------------------------------------------------------------------------


@pytest.mark.smoke
def test_the_default_is_an_om_that_says_what_it_is_not(model, atc):
    done = build(atc, model)
    assert sorted(os.listdir(atc.folder)) == ["model.onnx", "out.om"]
    assert re.search(r"Output .*out\.om \(.*\): graph and weights, no device kernels\n", done.stdout)


@pytest.mark.parametrize(
    "emit, files",
    [
        ("om", ["out.om"]),
        ("onnx", ["out.onnx"]),
        ("air,om", ["out.air", "out.om"]),
        ("om, onnx, air, txt", ["out.air", "out.om", "out.onnx", "out.txt"]),
        ("txt,txt", ["out.txt"]),
    ],
)
def test_emit_chooses_the_files(model, atc, emit, files):
    done = build(atc, model, f"--emit={emit}")
    assert sorted(os.listdir(atc.folder)) == sorted(["model.onnx", *files])
    assert sorted(re.findall(r"^Output .*/(\S+) \(", done.stdout, re.M)) == files


@pytest.mark.parametrize("emit", ["pb", "om,pb", "om,", "om;onnx"])
def test_other_kinds_are_refused(model, atc, emit):
    done = build(atc, model, f"--emit={emit}", check=255)
    assert "[ERROR] E10001" in done.stdout and "om, onnx, air, txt" in done.stdout
    assert os.listdir(atc.folder) == ["model.onnx"]


@pytest.mark.parametrize("output, file", [("a.om", "a.om"), ("a.onnx", "a.onnx.om"), ("a.b", "a.b.om")])
def test_a_suffix_is_not_added_twice(model, atc, output, file):
    build(atc, model, output=output)
    assert (atc.folder / file).exists()


@pytest.mark.parametrize("emit", ["om", "air", "onnx", "txt,om"])
def test_verify_compares_whatever_is_written(model, atc, emit, tmp_path):
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    done = build(atc, model, "--verify", f"--emit={emit}", env={"TMPDIR": str(temporary)})
    assert re.search(r"relative", done.stdout), done.stdout
    assert list(temporary.glob("atc-*")) == []


def test_verify_compares_an_air_with_what_came_of_it(model, atc):
    build(atc, model, "--emit=air", output="m")
    done = build(atc, "m.air", "--verify", framework=1)
    assert re.search(r"relative", done.stdout), done.stdout


def test_a_model_goes_through_air_unharmed(relus, model, atc):
    build(atc, model, "--emit=air,onnx", output="a")
    build(atc, "a.air", "--emit=onnx", output="b", framework=1)
    direct, through = (onnx.load(str(atc.folder / name)) for name in ("a.onnx", "b.onnx"))
    assert_same_numbers(relus, through, {"x": np.ones((2, 3), np.float32)})
    assert [i.name for i in through.graph.input] == ["x"]
    assert through.graph.input[0].type.tensor_type.shape.dim[0].dim_param == "batch"
    assert [n.output for n in through.graph.node] == [n.output for n in direct.graph.node]


def test_a_model_without_outputs_gives_out_its_leaves(atc):
    made = message("ModelDef")()
    graph = made.graph.add(name="g")
    for name, kind, inputs in (("x", "Data", [""]), ("a", "Relu", ["x:0"]), ("b", "Relu", ["a:0"]), ("c", "Sigmoid", ["a:0"])):
        op = graph.op.add(name=name, type=kind, input=inputs)
        for descs in (op.input_desc, op.output_desc):
            descs.add(dtype=1, layout="ND").shape.dim.append(2)
    (atc.folder / "m.air").write_bytes(made.SerializeToString())
    build(atc, "m.air", "--emit=onnx", framework=1)
    after = onnx.load(str(atc.folder / "out.onnx"))
    assert [n.op_type for n in after.graph.node] == ["Relu", "Relu", "Sigmoid"] and len(after.graph.output) == 2
    assert_same_numbers(after, after, {"x": np.array([-1, 1], np.float32)})


def test_the_same_compile_gives_the_same_om(model, atc):
    build(atc, model)
    first = (atc.folder / "out.om").read_bytes()
    build(atc, model)
    assert (atc.folder / "out.om").read_bytes() == first


def test_a_graph_that_onnx_cannot_hold_leaves_no_other_file(atc):
    made = message("ModelDef")()
    graph = made.graph.add(name="g")
    for name, kind, inputs in (("x", "Data", [""]), ("a", "NoSuchOp", ["x:0"])):
        op = graph.op.add(name=name, type=kind, input=inputs)
        op.output_desc.add(dtype=1, layout="ND").shape.dim.append(2)
    (atc.folder / "m.air").write_bytes(made.SerializeToString())
    done = build(atc, "m.air", "--emit=om,air,txt,onnx", framework=1, check=255)
    assert "'NoSuchOp' cannot be written as ONNX" in done.stdout and os.listdir(atc.folder) == ["m.air"]


def test_save_original_model_keeps_the_model_as_it_was_read(model, atc, samples):
    original = samples / "hard_swish" / "model.onnx"
    build(atc, original, "--save_original_model=true", passes=[samples / "hard_swish"])
    before, after = (om_load(atc.folder / name) for name in ("out_original.om", "out.om"))
    assert not any(n.type == "HardSwish" for n in before.get_direct_nodes())
    assert any(n.type == "HardSwish" for n in after.get_direct_nodes())


def test_element_types_that_viewers_refuse_are_named(tmp_path, atc):
    builder = GraphBuilder("g")
    x = builder.create_input(0, shape=[2], data_type=DataType.DT_FLOAT8_E5M2)
    builder.build_and_reset([Relu(x)]).save_to_air(str(atc.folder / "m.air"))
    done = build(atc, "m.air", framework=1)
    assert re.search(r"\[WARNING\] out\.om: .*Netron.*node 'input_0' \(Data\), output 0 has the type DT_FLOAT8_E5M2", done.stdout)


@pytest.mark.parametrize("content", [b"", b"garbage", bytes(300)])
def test_an_air_that_is_none_has_a_code_of_its_own(atc, content):
    (atc.folder / "m.air").write_bytes(content)
    done = build(atc, "m.air", framework=1, check=255)
    assert "[ERROR] E10041" in done.stdout and "m.air" in done.stdout


# ---- reading back ----------------------------------------------------------------------------------------------------------


def test_a_graph_comes_back_out_of_an_om(tmp_path):
    graph = test_air.sample()
    om_save(graph, tmp_path / "m.om")
    again = om_load(tmp_path / "m.om")
    assert test_air.text(again) == test_air.text(graph) and str(again) == str(graph)


def test_equal_weights_are_there_once(tmp_path):
    builder = GraphBuilder("g")
    graph = builder.build_and_reset([Relu(Const(builder, value=Tensor([1.5] * 1000, shape=[1000]))) for _ in range(8)])
    om_save(graph, tmp_path / "m.om")
    assert (tmp_path / "m.om").stat().st_size < 8 * 1000 * 4
    assert test_air.text(om_load(tmp_path / "m.om")) == test_air.text(graph)


def drop_input_descs(made):
    """At any depth: graphs may be attributes."""
    if made.DESCRIPTOR.name == "OpDef":
        del made.input_desc[:]
    for field, value in made.ListFields():
        if field.message_type is None:
            continue
        if field.message_type.GetOptions().map_entry:
            value = [entry for entry in value.values() if hasattr(entry, "ListFields")]
        for one in value if isinstance(value, list) or hasattr(value, "__len__") else [value]:
            drop_input_descs(one)


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck), derandomize=bool(os.environ.get("CI")))
@given(st.data())
def test_any_graph_comes_back_out_of_an_om(tmp_path_factory, data):
    made = data.draw(test_air.models())
    folder = tmp_path_factory.mktemp("any")
    # Inputs that contradict their producers are written as the producers are, for readers that compare.
    drop_input_descs(made)
    (folder / "m.air").write_bytes(made.SerializeToString(deterministic=True))
    graph = test_air.load(folder / "m.air")
    om_save(graph, folder / "m.om")
    again = om_load(folder / "m.om")
    assert test_air.text(again) == test_air.text(graph)
    again.save_to_air(str(folder / "n.air"))
    found, wanted = test_air.model(folder / "n.air"), made
    for one in (found, wanted):
        test_air.drop_metadata(one)
        drop_input_descs(one)
    assert list(found.graph) == list(wanted.graph)


def test_an_om_cut_anywhere_ends_in_an_error(tmp_path):
    builder = GraphBuilder("g")
    graph = builder.build_and_reset([Relu(builder.create_const_float(2.0))])
    path = tmp_path / "m.om"
    om_save(graph, path)
    whole = path.read_bytes()
    for cut in range(len(whole)):
        path.write_bytes(whole[:cut])
        with pytest.raises(RuntimeError, match="model '.*m.om'"):
            om_load(path)


def test_flipped_bytes_in_an_om_never_crash(tmp_path):
    path = tmp_path / "m.om"
    om_save(test_air.sample(), path)
    whole = path.read_bytes()
    for at in [*range(0, 400), *range(400, len(whole), 7)]:
        damaged = bytearray(whole)
        damaged[at] ^= 1 << (at % 8)
        path.write_bytes(damaged)
        try:
            str(om_load(path))
        except RuntimeError:
            pass


def compressed(model):
    """The same model with its attributes as numbers into tables, as the reference writes it."""
    names, values, flags = [], [], []

    def code(index):
        digits = bytearray([0])
        while True:
            digits.append(index % 127 + 1)
            index //= 127
            if index == 0:
                return digits.decode("latin-1")

    def rewrite(attributes):
        for key in list(attributes):
            if re.match("_(input|output)_name_", key):
                continue
            value = message("AttrDef").FromString(attributes[key].SerializeToString())
            if key not in names:
                names.append(key)
                flags.append(value.WhichOneof("value") == "s" or bool(value.list.s))
            index = names.index(key)
            if flags[index]:
                texts = [value.s] if value.WhichOneof("value") == "s" else list(value.list.s)
                values.extend(t for t in texts if t not in values)
                numbers = [values.index(t) for t in texts]
                value = message("AttrDef")(i=numbers[0]) if value.WhichOneof("value") == "s" else message("AttrDef")()
                if value.WhichOneof("value") is None:
                    value.list.i.extend(numbers)
                    value.list.val_type = 2
            del attributes[key]
            attributes[code(index)].CopyFrom(value)

    # Names with more than one digit.
    names.extend(f"unused{i}" for i in range(130))
    flags.extend([False] * 130)
    for graph in model.graph:
        for op in graph.op:
            op.attr.pop("_ir_attr_names", None)
            rewrite(op.attr)
            for desc in [*op.input_desc, *op.output_desc]:
                rewrite(desc.attr)
    model.attr["om_compress_version"].i = 1
    for key, field, kind, content in (
        ("attr_name_enum", "s", 1, [n.encode() for n in names]),
        ("attr_value_enum", "s", 1, values),
        ("attrs_use_string_value", "b", 4, flags),
    ):
        model.attr[key].list.val_type = kind
        getattr(model.attr[key].list, field).extend(content)
    return model.SerializeToString(deterministic=True)


def container(*parts):
    import struct

    table = struct.pack("<II", len(parts), 0)
    offset = 0
    for kind, content in parts:
        table += struct.pack("<IIQQ", kind, 0, offset, len(content))
        offset += len(content)
    body = table + b"".join(content for _, content in parts)
    header = bytearray(256)
    header[:12] = b"IMOD" + struct.pack("<II", 256, 0x20000000)
    struct.pack_into("<Q", header, 184, len(body))
    return bytes(header) + body


def test_compressed_attributes_are_read(tmp_path):
    graph = test_air.sample()
    graph.save_to_air(str(tmp_path / "m.air"))
    model = test_air.model(tmp_path / "m.air")
    (tmp_path / "m.om").write_bytes(container((0, compressed(model)), (2, b"")))
    # Protobuf maps have no order of their own.
    read = pytest.importorskip("google.protobuf.text_format").Parse
    found, wanted = (read(test_air.text(g), message("ModelDef")()) for g in (om_load(tmp_path / "m.om"), graph))
    assert found == wanted


@pytest.mark.parametrize("damage", ["names", "values"])
def test_compressed_attributes_without_their_tables_are_refused(tmp_path, damage):
    test_air.sample().save_to_air(str(tmp_path / "m.air"))
    model = message("ModelDef").FromString(compressed(test_air.model(tmp_path / "m.air")))
    del model.attr["attr_name_enum" if damage == "names" else "attr_value_enum"].list.s[:]
    (tmp_path / "m.om").write_bytes(container((0, model.SerializeToString()), (2, b"")))
    with pytest.raises(RuntimeError, match="compressed"):
        om_load(tmp_path / "m.om")


# ---- modes that show -------------------------------------------------------------------------------------------------------


def fields(attributes):
    return {entry["key"]: entry["value"] for entry in attributes}


def test_mode_1_shows_an_om_as_json(model, atc):
    build(atc, model)
    atc("--mode=1", "--om=out.om", "--json=out.json", check=0)
    shown = json.loads((atc.folder / "out.json").read_text())
    assert shown["version"] == 2 and shown["graph"][0]["name"] == "relus"
    ops = {op["type"]: op for op in shown["graph"][0]["op"]}
    assert fields(ops["Data"]["attr"])["index"] == {"i": 0}  # a member of a oneof is there even when it is zero
    assert ops["Data"]["output_desc"][0]["dtype"] == "DT_FLOAT" and ops["Data"]["output_desc"][0]["shape"] == {"dim": [-1, 3]}
    assert ops["Add"]["input"] == ["x:0", "w:0"] and ops["Add"]["id"] == 2
    assert "id" not in ops["Data"]
    texts = (atc.folder / "out.json").read_text()
    for hidden in ("output", "data_offset", "data", "workspace", "weight_size", "size", "bt"):
        assert f'"{hidden}":' not in texts
    attributes = fields(shown["attr"])
    assert attributes["framework_type"] == {"s": "Onnx"} and attributes["om_info_list"]["list"]["val_type"] == "VT_LIST_INT"


def test_numbers_and_bytes_in_json(tmp_path, atc):
    graph = test_air.sample()
    om_save(graph, tmp_path / "m.om")
    atc("--mode=1", "--om=m.om", "--json=m.json", check=0)
    shown = json.loads((tmp_path / "m.json").read_text())
    attributes = fields(next(op for op in shown["graph"][0]["op"] if op["type"] == "If")["attr"])
    assert attributes["a0"] == {"s": 'quote \\" and \\\\ and \\344\\270\\255\\n'}
    assert attributes["a1"] == {"f": "0.1"} and attributes["a2"] == {"b": True}
    assert attributes["a4"] == {"i": -(2**63)} and attributes["a5"] == {"dt": 2}
    assert attributes["a6"] == {"list": {"f": [1.5], "val_type": "VT_LIST_FLOAT"}}
    assert attributes["a9"] == {"list": {"s": ["a", ""], "val_type": "VT_LIST_STRING"}}


def test_mode_5_shows_a_text_dump_like_the_model_it_is_of(model, atc):
    build(atc, model, "--emit=om,txt")
    for options in (("--mode=1", "--om=out.om", "--json=om.json"), ("--mode=5", "--om=out.txt", "--json=txt.json")):
        atc(*options, check=0)
    of_om, of_text = (json.loads((atc.folder / name).read_text()) for name in ("om.json", "txt.json"))
    for one, other in zip(of_om["graph"][0]["op"], of_text["graph"][0]["op"]):
        for key in ("name", "type", "input", "output_desc", "subgraph_name"):
            assert one.get(key) == other.get(key)


def test_mode_1_shows_an_onnx_model_in_its_own_words(model, relus, atc):
    atc("--mode=1", "--framework=5", f"--om={model}", "--json=m.json", check=0)
    shown = json.loads((atc.folder / "m.json").read_text())
    assert [n["op_type"] for n in shown["graph"]["node"]] == [n.op_type for n in relus.graph.node]
    assert shown["graph"]["input"][0]["type"]["tensor_type"]["shape"]["dim"][0] == {"dim_param": "batch"}
    assert "raw_data" not in shown["graph"]["initializer"][0]
    atc("--mode=1", "--framework=5", "--dump_mode=1", f"--om={model}", "--json=n.json", check=0)
    ops = json.loads((atc.folder / "n.json").read_text())["graph"][0]["op"]
    assert next(op for op in ops if op["type"] == "Add")["output_desc"][0]["shape"] == {"dim": [-1, 3]}


def test_mode_6_shows_what_an_om_says_of_itself(model, atc):
    done = build(atc, model, "--display_model_info=1")
    shown = atc("--mode=6", "--om=out.om", check=0).stdout
    lines = shown[shown.index("====") : shown.rindex("====") + 5].splitlines()
    assert "\n".join(lines) in done.stdout
    assert lines[0] == "============ Display Model Info start ============"
    assert lines[1].startswith("Original Atc command line: ") and lines[1].endswith("--soc_version=Ascend910B1 --display_model_info=1")
    assert re.fullmatch(r"system   info: atc_version\[ge-py .*\], soc_version\[Ascend910B1\], framework_type\[Onnx\]\.", lines[2])
    assert lines[3] == "resource info: memory_size[0 B], weight_size[1024 B], stream_num[1], event_num[0]."
    assert re.fullmatch(
        r"om       info: modeldef_size\[\d+ B\], weight_data_size\[1024 B\], tbe_kernels_size\[0 B\], "
        r"cust_aicpu_kernel_store_size\[0 B\], task_info_size\[5 B\], so_store_size\[0 B\]\.",
        lines[4],
    )
    assert lines[5] == "============ Display Model Info end   ============"


def test_mode_6_of_a_model_that_says_nothing(tmp_path, atc):
    (tmp_path / "m.om").write_bytes(container((0, message("ModelDef")(name="m").SerializeToString()), (2, b"")))
    shown = atc("--mode=6", "--om=m.om", check=0).stdout
    assert "soc_version[], framework_type[]." in shown and "memory_size[-1 B]" in shown and "stream_num[-1]" in shown


def test_mode_3_reports_operators_without_a_ge_counterpart(model, atc):
    atc("--mode=3", "--framework=5", f"--model={model}", "--soc_version=x", check=0)
    report = json.loads((atc.folder / "check_result.json").read_text())
    assert (report["name"], report["result"]) == ("relus", "success")
    assert (report["total"], report["pass"], report["fail"]) == (2, 2, 0)
    assert [op["type"] for op in report["op"]] == ["Add", "Relu"] and "cause" not in report["op"][0]
    net = Net(mine=1)
    net.output(net.op("Strange", net.input("x", [2]), domain="mine"))
    (atc.folder / "s.onnx").write_bytes(net.build().SerializeToString())
    done = atc("--mode=3", "--framework=5", "--model=s.onnx", "--soc_version=x", "--check_report=r.json", check=255)
    report = json.loads((atc.folder / "r.json").read_text())
    assert "[ERROR] E16002" in done.stdout and "Strange" in done.stdout
    assert report["result"] == report["op"][0]["result"] == "failed" and report["op"][0]["cause"][0]["code"] == 1
    assert not (atc.folder / "out.om").exists()


def check_report(atc, net, exit_status):
    (atc.folder / "c.onnx").write_bytes(net.build().SerializeToString())
    done = atc("--mode=3", "--framework=5", "--model=c.onnx", "--soc_version=x", check=exit_status)
    return done, json.loads((atc.folder / "check_result.json").read_text())


def body(net_of, name):
    net = Net()
    net.output(net_of(net), None)
    return net.build(name).graph


def test_mode_3_takes_what_ge_can_read_but_is_kept_whole_here(atc):
    net = Net(opset=17)
    x, y = net.input("x", [2, 2]), net.input("y", [2, 2], onnx.TensorProto.BOOL)
    net.output(net.op("Mean", x, x))
    net.output(net.op("Xor", y, y), None, onnx.TensorProto.BOOL)
    net.output(net.op("MaxPool", net.input("image", [1, 1, 8, 8]), kernel_shape=[2, 2], dilations=[2, 2]))
    net.output(net.op("AscendQuant", x, scale=1.0, offset=0.0))
    branch = body(lambda inner: inner.op("Relu", "x"), "branch")
    net.output(net.op("If", net.input("flag", [], onnx.TensorProto.BOOL), then_branch=branch, else_branch=branch))
    done, report = check_report(atc, net, 0)
    assert (report["result"], report["total"], report["pass"], report["fail"]) == ("success", 5, 5, 0)
    assert "5 operators, 0 unknown" in done.stdout and not any("cause" in op for op in report["op"])


def test_mode_3_names_what_ge_lacks_in_a_body_and_in_onnx(atc):
    net = Net(opset=17)
    x = net.input("x", [2, 2])
    relu = body(lambda inner: inner.op("Relu", "x"), "relu")
    shrink = body(lambda inner: inner.op("Shrink", "x"), "shrink")
    window = body(lambda inner: inner.op("HannWindow", "x"), "window")
    flag = net.input("flag", [], onnx.TensorProto.BOOL)
    net.output(net.op("If", flag, then_branch=relu, else_branch=shrink))
    net.output(net.op("If", flag, then_branch=relu, else_branch=window))
    net.output(net.op("DynamicQuantizeLinear", x, outputs=3)[0], None, onnx.TensorProto.UINT8)
    done, report = check_report(atc, net, 255)
    assert [op["result"] for op in report["op"]] == ["success", "failed", "failed"] and report["fail"] == 2
    assert [op["cause"][0]["code"] for op in report["op"][1:]] == [1, 1]
    assert "'ai.onnx::HannWindow'" in report["op"][1]["cause"][0]["message"] and "[ERROR] E16002" in done.stdout
    assert "2 of 3 operators" in done.stdout


LACKING = """BlackmanWindow CenterCropPad ConvInteger DFT DequantizeLinear DynamicQuantizeLinear HammingWindow HannWindow Loop
MatMulInteger MelWeightMatrix NegativeLogLikelihoodLoss Optional OptionalGetElement OptionalHasElement QLinearConv QLinearMatMul
QuantizeLinear RNN STFT Scan SequenceMap StringNormalizer""".split()


def test_mode_3_knows_every_operator_of_onnx_as_ge_does(atc):
    (atc.folder / "all.onnx").write_bytes(test_onnx_operators.model_of(18, every=False).SerializeToString())
    atc("--mode=3", "--framework=5", "--model=all.onnx", check=255)
    report = json.loads((atc.folder / "check_result.json").read_text())
    assert sorted(op["type"] for op in report["op"] if op["result"] == "failed") == [f"ai.onnx::{op}" for op in LACKING]
    # What the docs say is opaque by choice is opaque, and no failure.
    whole = {op["type"] for op in report["op"] if op["result"] == "success" and op["type"].startswith("ai.onnx::")}
    docs = (pathlib.Path(__file__).resolve().parent.parent / "docs" / "onnx.md").read_text()
    told = re.search(r"several nodes for \((.*?)\)", docs, re.S)
    assert told
    names = re.findall(r"`(\w+)`", told.group(1))
    assert len(names) == 20 and {f"ai.onnx::{name}" for name in names} <= whole


def test_mode_3_reports_nodes_that_share_a_name(atc):
    net = Net()
    x = net.input("x", [2])
    for op in ("Relu", "Neg", "Exp"):
        net.output(net.op(op, x))
    net.nodes[0].name = net.nodes[2].name = "conv1"
    net.nodes[1].name = "x"  # that of an input, which is no node
    done, report = check_report(atc, net, 255)
    assert sorted((op["name"], op["type"], op["result"]) for op in report["op"]) == [
        ("conv1", "Exp", "failed"),
        ("conv1", "Relu", "failed"),
        ("x", "Neg", "success"),
    ]
    assert [c["code"] for op in report["op"] for c in op.get("cause", [])] == [9, 9]
    assert (report["pass"], report["fail"]) == (1, 2) and "[ERROR] E13009" in done.stdout and "'conv1'" in done.stdout


def test_mode_3_gives_every_cause_and_no_name_twice_to_nodes_without_one(atc):
    net = Net(opset=17, mine=1)
    x = net.input("x", [2])
    for op, domain in (("Strange", "mine"), ("Relu", ""), ("Relu", ""), ("Relu", "")):
        net.output(net.op(op, x, domain=domain))
    net.nodes[0].name = net.nodes[1].name = "same"
    net.nodes[2].name = net.nodes[3].name = ""
    _, report = check_report(atc, net, 255)
    causes = {op["name"]: [c["code"] for c in op.get("cause", [])] for op in report["op"] if op["name"] != "same"}
    same = sorted([c["code"] for c in op["cause"]] for op in report["op"] if op["name"] == "same")
    assert same == [[1, 9], [9]] and list(causes.values()) == [[], []]


def test_the_report_of_mode_3_is_json_whatever_the_names_are(atc):
    net = Net()
    net.output(net.op("Relu", net.input("x", [2]), outputs="y"), [2])
    net.nodes[0].name = "placeholder"
    (atc.folder / "odd.onnx").write_bytes(net.build().SerializeToString().replace(b"placeholder", b"place\xff\"lder"))
    atc("--mode=3", "--framework=5", "--model=odd.onnx", "--soc_version=x", check=0)
    report = json.loads((atc.folder / "check_result.json").read_text(encoding="utf-8"))
    assert [op["name"] for op in report["op"]] == ["place\ufffd\"lder"]


@pytest.mark.parametrize(
    "options, code",
    [
        (["--mode=1", "--json=x.json"], "E10004"),
        (["--mode=1", "--om=out.om"], "E10004"),
        (["--mode=5", "--json=x.json"], "E10004"),
        (["--mode=6"], "E10004"),
        (["--mode=1", "--om=missing.om", "--json=x.json"], "E10001"),
        (["--mode=1", "--om=out.om", "--json=model.onnx/x.json"], "E10001"),
        (["--mode=1", "--om=out.om", "--json=x.json", "--framework=1"], "E10001"),
        (["--mode=1", "--om=out.om", "--json=x.json", "--framework=3"], "E10055"),
        (["--mode=1", "--om=model.onnx", "--json=x.json"], "E10041"),
        (["--mode=1", "--om=zip.om", "--json=x.json"], "E10055"),
        (["--mode=5", "--om=out.om", "--json=x.json"], "E10001"),
        (["--mode=5", "--om=bad.txt", "--json=x.json"], "E10041"),
        (["--mode=6", "--om=out.om", "--framework=5"], "E10057"),
        (["--mode=6", "--om=model.onnx"], "E10041"),
        (["--mode=7", "--framework=5"], "E10055"),
        (["--mode=30", "--framework=5"], "E10055"),
    ],
)
def test_what_these_modes_refuse(model, atc, options, code):
    build(atc, model)
    (atc.folder / "zip.om").write_bytes(b"PK\3\4" + bytes(400))
    (atc.folder / "bad.txt").write_text('graph {\n  name: "g"\n  nothing: 1\n}\n')
    done = atc(*options, check=255)
    assert f"[ERROR] {code}" in done.stdout, done.stdout
    if "bad.txt" in str(options):
        assert "line 3" in done.stdout and "'nothing'" in done.stdout
    assert not (atc.folder / "x.json").exists()


# ---- debug dumps -----------------------------------------------------------------------------------------------------------


def dumped(atc, model, passes=(), options=(), **variables):
    shutil.rmtree(atc.folder / "dumps", ignore_errors=True)
    build(atc, model, *options, env={"DUMP_GRAPH_PATH": str(atc.folder / "dumps"), **variables}, passes=passes)
    folders = list((atc.folder / "dumps").glob("*")) if (atc.folder / "dumps").exists() else []
    assert all(re.fullmatch(r"pid_\d+_deviceid_0", f.name) for f in folders)
    return sorted(path.name for folder in folders for path in folder.iterdir()), folders[0] if folders else None


def test_dumps_follow_the_environment(model, atc, samples):
    assert dumped(atc, model)[0] == dumped(atc, model, DUMP_GE_GRAPH="0")[0] == []
    stages = ["PreRunBegin", "AfterInfershape", "PreRunAfterOptimizeGraphBeforeBuild", "Build"]
    names, _ = dumped(atc, model, DUMP_GE_GRAPH="2")
    assert names == sorted(
        [f"ge_proto_{i:08}_graph_0_{s}.txt" for i, s in enumerate(stages)]
        + [f"ge_onnx_{i:08}_graph_0_{s}.pbtxt" for i, s in enumerate(stages)]
    )
    only_readable = {"DUMP_GE_GRAPH": "2", "DUMP_GRAPH_FORMAT": "Readable"}
    assert dumped(atc, model, DUMP_GRAPH_LEVEL="3", **only_readable)[0] == ["ge_readable_00000000_graph_0_Build.txt"]
    assert dumped(atc, model, DUMP_GRAPH_LEVEL="4", **only_readable)[0] == ["ge_readable_00000000_graph_0_PreRunBegin.txt"]
    assert len(dumped(atc, model, DUMP_GRAPH_LEVEL="Infershape|Build", **only_readable)[0]) == 3
    with_passes, _ = dumped(atc, model, passes=[samples / "add_zero"], DUMP_GRAPH_LEVEL="RunCustomPass", **only_readable)
    assert len(with_passes) == 1 and "RunCustomPass" in with_passes[0]


@pytest.mark.parametrize(
    "variables, found",
    [
        ({"DUMP_GRAPH_PATH": "model.onnx"}, "'model.onnx/pid_"),
        ({"DUMP_GRAPH_FORMAT": "onnx|pictures"}, "'pictures' is not one of"),
    ],
)
def test_dumps_that_cannot_be_written_are_one_warning(model, atc, variables, found):
    done = build(atc, model, env={"DUMP_GE_GRAPH": "2", **variables})
    (line,) = [line for line in done.stdout.splitlines() if line.startswith("[WARNING]")]
    assert "debug dumps" in line and found in line


def dump_at(atc, model, level, **more):
    """The two dumps of the last stage: the model of GE, the graph of the ONNX text."""
    text_format = pytest.importorskip("google.protobuf.text_format")
    _, folder = dumped(atc, model, DUMP_GE_GRAPH=level, DUMP_GRAPH_LEVEL="3", **more)
    dump = text_format.Parse(next(folder.glob("*.txt")).read_text(), message("ModelDef")())
    return dump, text_format.Parse(next(folder.glob("*.pbtxt")).read_text(), onnx.ModelProto()).graph


def test_dumps_hold_weights_or_none_or_relations_only(model, atc):
    weights = np.array([1, 2, 3], "<f4").tobytes()

    def constant(level):
        dump, graph = dump_at(atc, model, level)
        op = next(op for op in dump.graph[0].op if op.type == "Const")
        return op.attr, graph, {a.name: a for n in graph.node if n.op_type == "ge:Const" for a in n.attribute}

    attributes, _, shown = constant("1")
    assert attributes["value"].t.data == weights and shown["value_data"].s == weights
    attributes, graph, shown = constant("2")
    assert "value" not in attributes and attributes
    assert all(n.attribute for n in graph.node)
    assert shown["value_desc_shape"].ints == [3] and "value_data" not in shown
    attributes, graph, _ = constant("3")
    assert "value" not in attributes and attributes
    assert not any(n.attribute for n in graph.node) and graph.node[2].input


def test_onnx_dumps_have_texts_of_operators_with_everything_only(tmp_path, atc):
    """Those of descriptions are there whenever attributes are."""
    image = onnx.helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, [1, 1, 4, 4])
    node = onnx.helper.make_node("MaxPool", ["x"], ["y"], kernel_shape=[2, 2])
    graph = onnx.helper.make_graph([node], "g", [image], [onnx.ValueInfoProto(name="y")])
    path = tmp_path / "pool.onnx"
    onnx.save(onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 13)]), str(path))

    def attributes(level):
        nodes = dump_at(atc, path, level)[1].node
        return {a.name: a for n in nodes if n.op_type not in ("ge:Data", "ge:NetOutput") for a in n.attribute}

    everything, without = attributes("1"), attributes("2")
    assert everything["data_format"].s == b"NCHW"
    texts = {name for name, a in everything.items() if a.type == onnx.AttributeProto.STRING}
    assert {name for name in everything if name not in without} == {name for name in texts if "_desc_" not in name}
    assert {"input_desc_dtype:0", "output_desc_layout:0", "strides"} <= set(without)


def test_dumps_tell_the_options_of_the_compile(model, atc, samples):
    keys = ("GraphOptions", "GlobalOptions", "SessionOptions")
    switches = ("--optimization_switch=FuseAdd:on", "--deterministic=1", "--oo_level=O1")

    def options(level):
        attributes = dump_at(atc, model, level, options=switches)[0].graph[0].attr
        return {key: {k: v.s.decode() for k, v in attributes[key].func.attr.items()} for key in keys if key in attributes}

    for level in ("1", "2"):
        found = options(level)
        given = found["GraphOptions"]
        assert (given["ge.optimizationSwitch"], given["ge.deterministic"], given["ge.oo.level"]) == ("FuseAdd:on", "1", "O1")
        assert "ge.fusionSwitchFile" not in given
        assert found["GlobalOptions"] == found["SessionOptions"] == {}
    assert options("3") == {}


def test_dumps_are_onnx_files_too(model, atc):
    names, folder = dumped(atc, model, DUMP_GE_GRAPH="2", DUMP_GRAPH_LEVEL="3", DUMP_GRAPH_FORMAT="onnx|onnx_model")
    assert names == ["ge_onnx_00000000_graph_0_Build.onnx", "ge_onnx_00000000_graph_0_Build.pbtxt"]
    from google.protobuf import text_format

    binary = onnx.load(str(folder / names[0]))
    assert binary == text_format.Parse((folder / names[1]).read_text(), onnx.ModelProto())
    assert [n.op_type for n in binary.graph.node] == ["ge:Data", "ge:Const", "ge:Add", "ge:Relu", "ge:NetOutput"]


@pytest.mark.parametrize("kind", ["air", "om"])
@pytest.mark.parametrize("to", ["air", "om", "onnx"])
def test_a_model_that_changed_since_it_was_read_is_not_written(tmp_path, kind, to):
    """Graphs that come from no ONNX model: their weights still lie in the file."""
    builder = GraphBuilder("g")
    graph = builder.build_and_reset([Relu(Const(builder, value=Tensor([1.5] * 1000, shape=[1000])))])
    save = {"air": lambda g, p: g.save_to_air(str(p)), "om": om_save, "onnx": lambda g, p: ge.onnx.save(g, p)}
    load = {"air": lambda p: test_air.load(p), "om": om_load}
    save[kind](graph, tmp_path / "m")
    read = load[kind](tmp_path / "m")
    with open(tmp_path / "m", "r+b") as file:
        file.seek(-100, os.SEEK_END)
        file.write(b"changed")
    os.utime(tmp_path / "m", (1, 1))  # two times within a tick of the file system's clock are one
    with pytest.raises(RuntimeError, match="was changed after the model was loaded"):
        save[to](read, tmp_path / "out")
    assert os.listdir(tmp_path) == ["m"]
