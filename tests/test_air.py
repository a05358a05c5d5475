"""Files of GE's IR (.air): what goes in comes out, and what is no such file is refused with the reason."""

from __future__ import annotations

import os
import re
import struct

import pytest
from ge.es import GraphBuilder
from ge.es.all import Add, Concat, Const, If, MatMul, Relu, Reshape, Split, Transpose
from ge.graph import DataType, DumpFormat, Format, Graph, Tensor
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from _ge_ir import TYPES, message
from _graphs import only
from _onnx_models import Net

LIST_FIELDS = {1: "s", 2: "i", 3: "f", 4: "b", 5: "bt", 6: "td", 7: "t", 9: "na", 10: "dt"}


def text(graph):
    """All there is to a graph, weights included."""
    os.environ["DUMP_GE_GRAPH"] = "1"
    try:
        return graph.dump_to_stream(DumpFormat.kTxt)
    finally:
        del os.environ["DUMP_GE_GRAPH"]


def load(path):
    graph = Graph("before")
    assert graph.load_from_air(str(path)) is None
    return graph


def model(path):
    return message("ModelDef").FromString(path.read_bytes())


def branch(name):
    builder = GraphBuilder(name)
    return builder.build_and_reset([Relu(builder.create_input(0))])


def sample():
    builder = GraphBuilder("sample")
    x = builder.create_input(0, shape=[2, 3])
    y = Reshape(Transpose(x, [1, 0]), [6])
    chosen = If(x, [y], 1, branch("then"), branch("else"))[0]
    parts = Split(0, chosen, 2, num_split=2)
    joined = Concat(0, [parts[1], parts[0]], N=2)
    graph = builder.build_and_reset([Add(joined, 1.5), MatMul(x, x, None)])
    graph.add_control_edge(only(graph, "Data"), only(graph, "If"))
    values = ('quote " and \\ and \u4e2d\n', 0.1, True, 7, -(2**63), DataType.DT_INT8, [1.5], [True], [1, -2], ["a", ""])
    for i, value in enumerate(values):
        only(graph, "If").set_attr(f"a{i}", value)
        graph.set_attr(f"g{i}", value)
    only(graph, "MatMul").set_attr("tensor", Tensor([1, 2, 3], data_type=DataType.DT_INT4, shape=[3]))
    return graph


# ---- round trips -----------------------------------------------------------------------------------------------------------


@pytest.mark.smoke
def test_a_graph_comes_back_as_it_was(tmp_path):
    graph = sample()
    before = text(graph)
    path = tmp_path / "anything.at_all"
    assert graph.save_to_air(str(path)) is None
    assert text(graph) == before
    again = load(path)
    assert text(again) == before and again.name == "sample" and str(again) == str(graph)
    assert [g.name for g in again.get_all_subgraphs()] == ["then", "else"]
    assert only(again, "If").get_attr("a0") == 'quote " and \\ and \u4e2d\n'
    assert only(again, "MatMul").get_attr("tensor").get_data() == [1, 2, 3]


def test_the_same_graph_gives_the_same_bytes_and_so_does_a_file(tmp_path):
    paths = [tmp_path / f"{i}.air" for i in range(4)]
    sample().save_to_air(str(paths[0]))
    sample().save_to_air(str(paths[1]))
    load(paths[0]).save_to_air(str(paths[2]))
    load(paths[2]).save_to_air(str(paths[3]))
    assert len({path.read_bytes() for path in paths}) == 1


def test_a_graph_is_saved_over_the_file_that_holds_its_weights(tmp_path):
    builder = GraphBuilder("g")
    graph = builder.build_and_reset([Const(builder, value=Tensor([0.5] * 5000, shape=[5000]))])
    path = tmp_path / "m.air"
    graph.save_to_air(str(path))
    bytes_before = path.read_bytes()
    again = load(path)
    again.save_to_air(str(path))
    assert path.read_bytes() == bytes_before
    assert only(again, "Const").get_attr("value").get_data() == [0.5] * 5000
    assert os.listdir(tmp_path) == ["m.air"]


def test_descs_keep_formats_and_original_shapes(tmp_path):
    builder = GraphBuilder("g")
    x = builder.create_input(0, shape=[1, 2, 3, 4])
    graph = builder.build_and_reset([Relu(x)])
    node = only(graph, "Relu")
    desc = node.get_output_desc(0)
    desc.set_format(Format.FORMAT_NC1HWC0).set_shape([1, 1, 3, 4, 16]).set_data_type(DataType.DT_BF16)
    desc.set_origin_format(Format.FORMAT_HASHTABLE_LOOKUP_KEYS).set_origin_shape([1, 2, -1, 4])
    node.update_output_desc(0, desc)
    graph.save_to_air(str(tmp_path / "m.air"))
    again = load(tmp_path / "m.air")
    found = only(again, "Relu").get_output_desc(0)
    assert (found.format, found.origin_format, found.data_type) == (
        Format.FORMAT_NC1HWC0,
        Format.FORMAT_HASHTABLE_LOOKUP_KEYS,
        DataType.DT_BF16,
    )
    assert (found.shape, found.origin_shape) == ([1, 1, 3, 4, 16], [1, 2, -1, 4])


def test_a_subgraph_alone_is_a_model_of_its_own(tmp_path):
    graph = sample()
    graph.get_subgraph("else").save_to_air(str(tmp_path / "m.air"))
    again = load(tmp_path / "m.air")
    assert again.name == "else" and again.get_all_subgraphs() == []


def test_what_front_ends_call_outputs_ends_in_a_net_output(tmp_path):
    made = message("ModelDef")()
    graph = made.graph.add(name="g", output=["b:0", "a:0"])
    for name, inputs in (("b", ["a:0"]), ("a", [""])):
        op = graph.op.add(name=name, type="Relu" if inputs[0] else "Data", input=inputs)
        op.output_desc.add(dtype=1, layout="ND")
        op.input_desc.add(dtype=1, layout="ND")
    (tmp_path / "m.air").write_bytes(made.SerializeToString())
    assert "return (output_0=%b, output_1=%a)" in str(load(tmp_path / "m.air"))


# ---- the bytes -------------------------------------------------------------------------------------------------------------


def test_the_file_is_a_model_of_ge(tmp_path):
    sample().save_to_air(str(tmp_path / "m.air"))
    found = model(tmp_path / "m.air")
    assert (found.name, found.version, found.custom_version) == ("", 0, "")
    assert {k: v.i for k, v in found.attr.items() if v.WhichOneof("value") == "i"} == dict.fromkeys(
        ("memory_size", "p2p_memory_size", "stream_num", "event_num", "label_num", "weight_size"), 0
    )
    assert found.attr["target_type"].s == b"MINI"
    root, then, other = found.graph
    assert (root.name, then.name, other.name) == ("sample", "then", "else")
    assert list(root.input) == ["input_0:0"] and len(root.output) == 2
    ops = {op.type: op for op in root.op}
    chosen = ops["If"]
    assert list(chosen.input) == ["input_0:0", ops["Reshape"].name + ":0", "input_0:-1"]
    assert list(chosen.subgraph_name) == ["then", "else"]
    assert [op.id for op in root.op] == list(range(len(root.op)))
    # Index i here is index i in `input`, open inputs included.
    assert all(len([i for i in op.input if not i.endswith(":-1")]) == len(op.input_desc) for op in root.op)
    assert list(ops["MatMul"].input)[2:] == [""] and ops["MatMul"].input_desc[2].ByteSize() == 0
    assert list(ops["Data"].input) == [""] and ops["Data"].input_desc[0] == ops["Data"].output_desc[0]
    end = ops["NetOutput"]
    assert [f"{n}:{i}" for n, i in zip(end.src_name, end.src_index)] == list(root.output) == list(end.input)


def test_index_metadata_is_there_without_a_kind(tmp_path):
    graph = sample()
    graph.save_to_air(str(tmp_path / "m.air"))
    op = next(op for op in model(tmp_path / "m.air").graph[0].op if op.type == "MatMul")

    def metadata(key):
        found = op.attr[key].list
        assert found.val_type == 0
        return [v.decode() for v in found.s] or list(found.i)

    assert metadata("_input_name_key") == ["x1", "x2", "bias"] and metadata("_input_name_value") == [0, 1, 2]
    assert metadata("_output_name_key") == ["y"] and metadata("_output_name_value") == [0]
    assert metadata("_opt_input") == ["bias"] and metadata("_ir_attr_names") == ["transpose_x1", "transpose_x2"]
    assert metadata("_ir_inputs_key") == ["x1", "x2", "bias"] and metadata("_ir_inputs_value") == [0, 0, 1]
    assert metadata("_ir_outputs_key") == ["y"] and metadata("_ir_outputs_value") == [0]
    with pytest.raises(RuntimeError):
        only(load(tmp_path / "m.air"), "MatMul").get_attr("_input_name_key")


def test_bodies_say_which_input_of_their_owner_they_take(tmp_path):
    sample().save_to_air(str(tmp_path / "m.air"))
    then = model(tmp_path / "m.air").graph[1]
    ops = {op.type: op for op in then.op}
    # Input 0 of If is the condition.
    assert ops["Data"].attr["_parent_node_index"].i == 1
    assert ops["NetOutput"].input_desc[0].attr["_parent_node_index"].i == 0


def test_descs_say_formats_as_text_and_number(tmp_path):
    sample().save_to_air(str(tmp_path / "m.air"))
    desc = model(tmp_path / "m.air").graph[0].op[0].output_desc[0]
    assert desc.layout == "ND" and desc.attr["format_for_int"].i == 2
    assert desc.attr["origin_format"].s == b"ND" and desc.attr["origin_format_for_int"].i == 2
    assert desc.attr["origin_shape_initialized"].b and list(desc.attr["origin_shape"].list.i) == [2, 3]
    assert desc.attr["origin_shape"].list.val_type == 2


# ---- any model -------------------------------------------------------------------------------------------------------------

NAMES = st.text("abc/._-:\u4e2d", min_size=1, max_size=6)
INTS = st.integers(-(2**63), 2**63 - 1)
FLOATS = st.floats(width=32, allow_nan=False)
SHAPES = st.one_of(st.just([-2]), st.lists(st.integers(-1, 9), max_size=5))


@st.composite
def descs(draw):
    made = message("TensorDescriptor")(dtype=draw(st.integers(0, len(TYPES) - 1)), layout="NCHW")
    made.shape.dim.extend(draw(SHAPES))
    made.attr["format_for_int"].i = draw(st.sampled_from([0, 2, 3, 29, 4 | 16 << 8]))
    made.attr["origin_format"].s = b"NHWC"
    made.attr["origin_format_for_int"].i = 1
    made.attr["origin_shape_initialized"].b = True
    made.attr["origin_shape"].list.val_type = 2
    made.attr["origin_shape"].list.i.extend(draw(st.one_of(st.just(list(made.shape.dim)), SHAPES)))
    if made.attr["format_for_int"].i & 0xFF:
        made.layout = {2: "ND", 3: "NC1HWC0", 29: "FRACTAL_NZ", 4: "FRACTAL_Z:16"}[made.attr["format_for_int"].i & 0xFF]
    if draw(st.booleans()):
        ranges = made.attr["shape_range"].list_list_int
        ranges.list_list_i.add(list_i=[1, draw(INTS)])
        ranges.list_list_i.add()
    if draw(st.booleans()):
        made.attr_groups.attr_group_def.add().tensor_attr_group.origin_symbol_shape.extend(["s0", "2*s1"])
        made.device_type = "CPU"
        made.reuse_input_index = draw(INTS)
    return made


@st.composite
def attributes(draw, depth=0):
    made = message("AttrDef")()
    kinds = "s i f b bt dt lists list_list_int list_list_float expression".split()
    kind = draw(st.sampled_from(kinds if depth > 1 else [*kinds, "func", "td", "t", "g"]))
    if kind in ("s", "bt", "expression"):
        setattr(made, kind, draw(st.binary(max_size=8)))
    elif kind == "i":
        made.i = draw(INTS)
    elif kind == "f":
        made.f = draw(FLOATS)
    elif kind == "b":
        made.b = draw(st.booleans())
    elif kind == "dt":
        made.dt = draw(st.integers(0, 42))
    elif kind == "lists":
        number = draw(st.sampled_from(sorted(LIST_FIELDS)))
        made.list.val_type = number
        values = {
            1: st.binary(max_size=4),
            2: INTS,
            3: FLOATS,
            4: st.booleans(),
            5: st.binary(max_size=4),
            6: plain_descs(),
            7: tensors(depth + 1),
            9: st.builds(lambda a: message("NamedAttrs")(name="n", attr={"k": a}), attributes(depth + 2)),
            10: st.integers(0, 42),
        }[number]
        getattr(made.list, LIST_FIELDS[number]).extend(draw(st.lists(values, max_size=3)))
    elif kind == "list_list_int":
        for one in draw(st.lists(st.lists(INTS, max_size=3), max_size=3)):
            made.list_list_int.list_list_i.add(list_i=one)
        made.list_list_int.SetInParent()
    elif kind == "list_list_float":
        for one in draw(st.lists(st.lists(FLOATS, max_size=3), max_size=3)):
            made.list_list_float.list_list_f.add(list_f=one)
        made.list_list_float.SetInParent()
    elif kind == "func":
        made.func.name = draw(st.sampled_from(["", "f"]))
        made.func.attr["inner"].CopyFrom(draw(attributes(depth + 1)))
    elif kind == "td":
        made.td.CopyFrom(draw(plain_descs()))
    elif kind == "t":
        made.t.CopyFrom(draw(tensors(depth + 1)))
    else:
        made.g.CopyFrom(draw(graphs(draw(NAMES), depth + 1)))
    return made


@st.composite
def plain_descs(draw):
    """What a desc that belongs to no node has room for."""
    made = draw(descs())
    for key in ("shape_range",):
        made.attr.pop(key, None)
    made.ClearField("attr_groups")
    made.ClearField("device_type")
    made.ClearField("reuse_input_index")
    if made.attr["format_for_int"].i == (4 | 16 << 8):
        made.attr["format_for_int"].i, made.layout = 4, "FRACTAL_Z"
    return made


@st.composite
def tensors(draw, depth=0):
    made = message("TensorDef")(desc=draw(plain_descs()))
    made.desc.dtype = 1
    dims = draw(st.lists(st.integers(0, 3), max_size=3))
    del made.desc.shape.dim[:]
    made.desc.shape.dim.extend(dims)
    count = 1
    for dim in dims:
        count *= dim
    made.data = draw(st.binary(min_size=4 * count, max_size=4 * count))
    return made


@st.composite
def graphs(draw, name, depth=0):
    made = message("GraphDef")(name=name)
    names = draw(st.lists(NAMES, min_size=1, max_size=4 if depth == 0 else 2, unique=True))
    for i, op_name in enumerate(names):
        op = made.op.add(name=op_name, type=draw(st.sampled_from(["Add", "Unknown", "Mine"])), has_out_attr=True, id=i)
        for k in range(draw(st.integers(0, 2))):
            op.output_desc.append(draw(descs()))
        earlier = [f"{other.name}:{k}" for other in list(made.op)[:-1] for k in range(len(other.output_desc))]
        for k in range(draw(st.integers(0, 3))):
            op.input.append(draw(st.sampled_from([*earlier, ""])))
            op.input_desc.append(draw(descs()))
        controls = [f"{other.name}:-1" for other in list(made.op)[:-1]]
        op.input.extend(draw(st.lists(st.sampled_from(controls), unique=True, max_size=2)) if controls else [])
        for k in range(draw(st.integers(0, 2))):
            op.attr[draw(NAMES)].CopyFrom(draw(attributes(depth)))
    if draw(st.booleans()):
        made.attr["of_graph"].CopyFrom(draw(attributes(depth)))
    return made


@st.composite
def models(draw):
    made = message("ModelDef")(name=draw(st.sampled_from(["", "m"])), version=draw(st.sampled_from([0, 2])))
    made.graph.append(draw(graphs("root")))
    for name in draw(st.lists(st.sampled_from(["one", "two", "three"]), unique=True)):
        made.graph.append(draw(graphs(name)))
        # Bodies hang at nodes of the graphs before them, or at none.
        owner = draw(st.sampled_from(list(made.graph)[:-1]))
        if draw(st.booleans()):
            draw(st.sampled_from(list(owner.op))).subgraph_name.append(name)
    made.attr["of_model"].CopyFrom(draw(attributes()))
    return made


def drop_metadata(made):
    """Takes off what saving adds: index metadata, default attributes of models, and what repeats edges."""
    for graph in made.graph:
        clean(graph)
    for value in made.attr.values():
        clean_value(value)
    for key in ("memory_size", "p2p_memory_size", "stream_num", "event_num", "label_num", "weight_size", "target_type"):
        made.attr.pop(key, None)


def clean(graph):
    del graph.input[:], graph.output[:]
    for op in graph.op:
        for key in [k for k in op.attr if re.match("_(input|output)_name_|_opt_input|_ir_|_subgraph_slots", k)]:
            del op.attr[key]
        for value in op.attr.values():
            clean_value(value)
    for value in graph.attr.values():
        clean_value(value)


def clean_value(value):
    if value.WhichOneof("value") == "g":
        clean(value.g)
    if value.WhichOneof("value") == "func":
        for inner in value.func.attr.values():
            clean_value(inner)
    for named in value.list.na if value.WhichOneof("value") == "list" else []:
        for inner in named.attr.values():
            clean_value(inner)


ANY = settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck), derandomize=bool(os.environ.get("CI")))


@ANY
@given(st.data())
def test_any_model_comes_back_as_protobuf_reads_it(tmp_path_factory, data):
    made = data.draw(models())
    folder = tmp_path_factory.mktemp("any")
    (folder / "m.air").write_bytes(made.SerializeToString(deterministic=True))
    load(folder / "m.air").save_to_air(str(folder / "n.air"))
    found = model(folder / "n.air")
    drop_metadata(made)
    drop_metadata(found)
    assert found == made


# ---- what is refused -------------------------------------------------------------------------------------------------------


def write(path, edit):
    made = message("ModelDef")()
    graph = made.graph.add(name="g")
    first = graph.op.add(name="a", type="Data", input=[""])
    first.output_desc.add(dtype=1, layout="ND")
    first.input_desc.add(dtype=1, layout="ND")
    second = graph.op.add(name="b", type="Relu", input=["a:0"])
    second.output_desc.add(dtype=1, layout="ND")
    second.input_desc.add(dtype=1, layout="ND")
    edit(made, graph, first, second)
    path.write_bytes(made.SerializeToString())


DAMAGES = {
    "names no node": lambda m, g, a, b: b.input.__setitem__(0, "c:0"),
    "past the 1 outputs of 'a'": lambda m, g, a, b: b.input.__setitem__(0, "a:1"),
    "expected an input such as": lambda m, g, a, b: b.input.__setitem__(0, "a"),
    "from the node to itself": lambda m, g, a, b: b.input.append("b:-1"),
    "two nodes are named 'a'": lambda m, g, a, b: setattr(b, "name", "a"),
    "has no name": lambda m, g, a, b: setattr(b, "name", ""),
    "expected an operator type": lambda m, g, a, b: setattr(b, "type", ""),
    "cycle": lambda m, g, a, b: a.input.append("b:-1"),
    "which is not in the model": lambda m, g, a, b: b.subgraph_name.append("nobody"),
    "which is the whole model": lambda m, g, a, b: b.subgraph_name.append("g"),
    "two graphs are named 'g'": lambda m, g, a, b: m.graph.add(name="g"),
    "layout, found 'XYZ'": lambda m, g, a, b: setattr(b.output_desc[0], "layout", "XYZ"),
    "data type, found 99": lambda m, g, a, b: setattr(b.output_desc[0], "dtype", 99),
    "data type, found 44": lambda m, g, a, b: setattr(b.attr["x"], "dt", 44),
    "kind 0 to 10, found kind 11": lambda m, g, a, b: setattr(b.attr["x"].list, "val_type", 11),
    "dims of 0 or more": lambda m, g, a, b: b.output_desc[0].shape.dim.append(-17),
    "found -17": lambda m, g, a, b: b.output_desc[0].attr["origin_shape"].list.i.append(-17),
    "an attribute with a name": lambda m, g, a, b: setattr(b.attr[""], "i", 1),
    "has 3 bytes, expected 4": lambda m, g, a, b: (
        setattr(b.attr["x"].t.desc, "dtype", 1),
        setattr(b.attr["x"].t, "data", b"abc"),
    ),
    "expected many more": lambda m, g, a, b: (
        setattr(b.attr["x"].t.desc, "dtype", 1),
        b.attr["x"].t.desc.shape.dim.extend([2**40, 2**40]),
        setattr(b.attr["x"].t, "data", b"abc"),
    ),
    "no output of one of its nodes": lambda m, g, a, b: g.output.append("b:7"),
}


@pytest.mark.parametrize("expected", DAMAGES)
def test_damage_is_named_with_its_place(tmp_path, expected):
    write(tmp_path / "m.air", DAMAGES[expected])
    graph = Graph("kept")
    with pytest.raises(RuntimeError, match="Failed to load graph from AIR format") as caught:
        graph.load_from_air(str(tmp_path / "m.air"))
    assert expected in str(caught.value) and str(tmp_path / "m.air") in str(caught.value)
    assert graph.name == "kept"


def test_subgraphs_that_hold_each_other_are_refused(tmp_path):
    made = message("ModelDef")()
    made.graph.add(name="root")
    for name, other in (("one", "two"), ("two", "one")):
        made.graph.add(name=name).op.add(name="n", type="If", subgraph_name=[other])
    (tmp_path / "m.air").write_bytes(made.SerializeToString())
    with pytest.raises(RuntimeError, match="is a subgraph of itself"):
        load(tmp_path / "m.air")


def test_deep_nesting_ends_in_an_error(tmp_path):
    def entry(payload):
        body = b"\n\1k" + b"\x12" + varint(len(payload)) + payload
        return b"\x12" + varint(len(body)) + body

    def varint(n):
        out = b""
        while n > 127:
            out += bytes([n & 127 | 128])
            n >>= 7
        return out + bytes([n])

    value = b""
    for _ in range(20000):
        named = entry(value)
        value = b"\x52" + varint(len(named)) + named
    attr = b"\n\1k" + b"\x12" + varint(len(value)) + value
    (tmp_path / "m.air").write_bytes(b"\x5a" + varint(len(attr)) + attr + b":\0")
    with pytest.raises(RuntimeError, match="nested at most"):
        load(tmp_path / "m.air")


def test_a_file_cut_anywhere_ends_in_an_error(tmp_path):
    path = tmp_path / "m.air"
    sample().save_to_air(str(path))
    whole = path.read_bytes()
    for cut in range(len(whole)):
        path.write_bytes(whole[:cut])
        with pytest.raises(RuntimeError, match="Failed to load graph from AIR format"):
            load(path)


def test_flipped_bytes_never_crash(tmp_path):
    path = tmp_path / "m.air"
    sample().save_to_air(str(path))
    whole = path.read_bytes()
    for at in range(0, len(whole), 3):
        damaged = bytearray(whole)
        damaged[at] ^= 1 << (at % 8)
        path.write_bytes(damaged)
        try:
            graph = load(path)
        except RuntimeError:
            continue
        text(graph)
        str(graph)


@pytest.mark.parametrize("bytes_", [b"", b"not a model", b"IMOD" + bytes(300), bytes(40), b"\xff" * 40])
def test_other_files_are_no_models(tmp_path, bytes_):
    (tmp_path / "m.air").write_bytes(bytes_)
    with pytest.raises(RuntimeError, match="Failed to load graph from AIR format: .*expected a"):
        load(tmp_path / "m.air")


def test_an_onnx_model_is_told_from_a_model_of_ge(tmp_path):
    net = Net()
    net.output(net.op("Relu", net.input("x", [2])), [2])
    path = tmp_path / "m.air"
    path.write_bytes(net.build().SerializeToString())
    with pytest.raises(RuntimeError, match="as ONNX has it; an ONNX model is passed with --framework=5"):
        load(path)


def test_paths_are_texts_and_files_must_be_there(tmp_path):
    graph = sample()
    for call in (graph.save_to_air, graph.load_from_air):
        with pytest.raises(TypeError, match="file_path must be a string"):
            call(233)
    with pytest.raises(RuntimeError, match="Failed to load graph from AIR format.*No such file"):
        graph.load_from_air(str(tmp_path / "missing.air"))
    with pytest.raises(RuntimeError, match="Failed to save graph to AIR format.*missing"):
        graph.save_to_air(str(tmp_path / "missing" / "m.air"))
    with pytest.raises(RuntimeError, match="Failed to save graph to AIR format"):
        graph.save_to_air("")
    assert os.listdir(tmp_path) == []


def test_nodes_of_the_replaced_graph_expire(tmp_path):
    graph = sample()
    graph.save_to_air(str(tmp_path / "m.air"))
    node = only(graph, "If")
    graph.load_from_air(str(tmp_path / "m.air"))
    with pytest.raises(RuntimeError, match="expired"):
        node.get_attr("a0")


def test_a_graph_in_use_elsewhere_is_not_replaced(tmp_path):
    graph = sample()
    graph.save_to_air(str(tmp_path / "m.air"))
    with pytest.raises(RuntimeError, match="Failed to load graph from AIR format.*used by another graph"):
        graph.get_subgraph("then").load_from_air(str(tmp_path / "m.air"))


# ---- weights in other files ------------------------------------------------------------------------------------------------


def file_constant(path, location, length=8, offset=4):
    made = message("ModelDef")()
    op = made.graph.add(name="g", output=["w:0"]).op.add(name="w", type="FileConstant")
    op.attr["location"].s = location.encode()
    op.attr["offset"].i = offset
    op.attr["length"].i = length
    op.output_desc.add(dtype=1, layout="ND").shape.dim.append(2)
    path.write_bytes(made.SerializeToString())


def test_constants_in_files_of_their_own_are_read_where_they_lie(tmp_path):
    (tmp_path / "weight").mkdir()
    (tmp_path / "weight" / "one").write_bytes(struct.pack("<4f", 0, 1, 2, 3))
    file_constant(tmp_path / "m.air", "weight/one")
    graph = load(tmp_path / "m.air")
    assert only(graph, "Const").get_attr("value").get_data() == [1, 2]
    graph.save_to_air(str(tmp_path / "n.air"))
    assert only(load(tmp_path / "n.air"), "Const").get_attr("value").get_data() == [1, 2]


@pytest.mark.parametrize("location", ["/etc/passwd", "../secret", "link", "missing", ""])
def test_files_outside_the_models_folder_are_refused(tmp_path, location):
    (tmp_path / "secret").write_bytes(bytes(16))
    folder = tmp_path / "models"
    folder.mkdir()
    (folder / "link").symlink_to(tmp_path / "secret")
    file_constant(folder / "m.air", location)
    with pytest.raises(RuntimeError, match="external data"):
        load(folder / "m.air")


@pytest.mark.parametrize("length, offset", [(8, 12), (8, -1), (-8, 0), (12, 0)])
def test_places_outside_such_a_file_are_refused(tmp_path, length, offset):
    (tmp_path / "w").write_bytes(bytes(16))
    file_constant(tmp_path / "m.air", "w", length, offset)
    with pytest.raises(RuntimeError, match="external data 'w'"):
        load(tmp_path / "m.air")


# ---- models from ONNX ------------------------------------------------------------------------------------------------------


def test_every_onnx_operator_goes_through_air_and_om_unharmed(tmp_path):
    """What comes out as ONNX has the same bytes with and without the way through GE's own files."""
    import warnings

    import ge.onnx
    from ge.passes.runtime import ensure_native_module

    cases = pytest.importorskip("onnx.backend.test.case.node")
    native = ensure_native_module()
    source, direct, through = (str(tmp_path / name) for name in ("m.onnx", "direct.onnx", "through.onnx"))
    air, om = str(tmp_path / "m.air"), str(tmp_path / "m.om")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        models = [(case.name, case.model) for case in cases.collect_testcases(None) if case.model is not None]
    assert len(models) > 1000
    for name, proto in models:
        with open(source, "wb") as f:
            f.write(proto.SerializeToString())
        graph = ge.onnx.load(source)
        ge.onnx.save(graph, direct)
        graph.save_to_air(air)
        ge.onnx.save(load(air), through)
        with open(direct, "rb") as expected, open(through, "rb") as found:
            assert found.read() == expected.read(), name
        native.om_save(graph, om)
        assert native.om_load(om).dump_to_stream(DumpFormat.kTxt) == graph.dump_to_stream(DumpFormat.kTxt), name


def test_functions_and_metadata_of_an_onnx_model_survive(tmp_path):
    import ge.onnx

    onnx = pytest.importorskip("onnx")
    from onnx import helper

    x, y = (helper.make_tensor_value_info(n, onnx.TensorProto.FLOAT, ["n", 2]) for n in "xy")
    body = helper.make_function("mine", "Twice", ["a"], ["b"], [helper.make_node("Add", ["a", "a"], ["b"])], [helper.make_opsetid("", 17)])
    graph = helper.make_graph([helper.make_node("Twice", ["x"], ["y"], domain="mine")], "g", [x], [y], doc_string="about")
    made = helper.make_model(
        graph, functions=[body], opset_imports=[helper.make_opsetid("", 17), helper.make_opsetid("mine", 1)], producer_name="me"
    )
    helper.set_model_props(made, {"key": "value"})
    onnx.save(made, str(tmp_path / "m.onnx"))
    ge.onnx.load(str(tmp_path / "m.onnx")).save_to_air(str(tmp_path / "m.air"))
    ge.onnx.save(load(tmp_path / "m.air"), str(tmp_path / "n.onnx"))
    again = onnx.load(str(tmp_path / "n.onnx"))
    assert again.opset_import == made.opset_import and again.metadata_props == made.metadata_props
    assert again.functions == made.functions and again.producer_name == "me"
    assert again.graph.doc_string == "about" and again.graph.node == made.graph.node and again.graph.input == made.graph.input
