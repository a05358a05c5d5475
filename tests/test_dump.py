"""What graphs are written as: the readable form, protobuf texts, and the files they go to."""

from __future__ import annotations

import os
import re

import pytest
from ge.es import GraphBuilder
from ge.es.all import Add, Cast, Concat, Const, If, MatMul, Relu, Reshape, Split, Transpose
from ge.graph import DataType, DumpFormat, Graph, Tensor

from _ge_ir import message
from _graphs import build, only


def readable(graph):
    text = graph.dump_to_stream()
    assert text == str(graph) == graph.dump_to_stream(format=DumpFormat.kReadable)
    return text


# ---- the readable form -----------------------------------------------------------------------------------------------------


@pytest.mark.smoke
def test_a_graph_in_full():
    builder = GraphBuilder("g")
    x = builder.create_input(0)
    total = Add(x, 1.5)
    parts = Split(0, total, 2, num_split=2)
    graph = builder.build_and_reset([parts[0]])
    graph.set_attr("never shown", 1)
    only(graph, "Add").set_attr("neither is this", 1)
    graph.add_control_edge(only(graph, "Data"), only(graph, "Split"))
    assert readable(graph) == (
        'graph("g"):\n'
        "  %input_0 : [#users=1] = Node[type=Data] (attrs = {index: 0})\n"
        "  %Const_0 : [#users=1] = Node[type=Const] (attrs = {value: [1.500000]})\n"
        "  %Add_1 : [#users=1] = Node[type=Add] (inputs = (x1=%input_0, x2=%Const_0))\n"
        "  %Const_2 : [#users=1] = Node[type=Const] (attrs = {value: [0]})\n"
        "  %Split_3 : [#users=2] = Node[type=Split] "
        "(inputs = (split_dim=%Const_2, x=%Add_1), attrs = {num_split: 2})\n"
        "  %ret : [#users=1] = get_element[node=%Split_3](0)\n"
        "  %ret_1 : [#users=0] = get_element[node=%Split_3](1)\n"
        "\n"
        "  return (%ret)\n"
    )


def test_elements_are_numbered_through_a_graph():
    builder = GraphBuilder("g")
    x = builder.create_input(0)
    first, second = Split(0, x, 2, num_split=2), Split(0, x, 2, num_split=2)
    text = readable(builder.build_and_reset([first[1], second[0], Relu(second[1])]))
    assert "%ret_2 : [#users=1] = get_element[node=%Split_3](0)" in text
    assert "%ret_3 : [#users=1] = get_element[node=%Split_3](1)" in text and "(inputs = (x=%ret_3))" in text
    assert text.endswith("  return (output_0=%ret_1, output_1=%ret_2, output_2=%Relu_4)\n")


def test_a_graph_without_outputs_and_one_of_nothing():
    builder = GraphBuilder("g")
    builder.create_input(0)
    assert readable(builder.build_and_reset()) == (
        'graph("g"):\n  %input_0 : [#users=1] = Node[type=Data] (attrs = {index: 0})\n'
    )
    assert readable(Graph("empty")) == 'graph("empty"):\n'


def test_dynamic_inputs_are_numbered_and_open_ones_left_out():
    text = readable(build(lambda x, y: [Concat(0, [x, y], N=2), MatMul(x, y, None)], 2))
    assert "(inputs = (concat_dim=%Const_0, x_0=%input_0, x_1=%input_1), attrs = {N: 2})" in text
    assert re.search(r"Node\[type=MatMul\] \(inputs = \(x1=%input_0, x2=%input_1\)", text)


def test_attributes_are_those_the_operator_declares_in_its_order():
    graph = build(lambda x: MatMul(x, x, transpose_x2=True))
    assert "attrs = {transpose_x2: true})" in readable(graph)
    node = only(graph, "MatMul")
    node.set_attr("transpose_x1", False)
    node.set_attr("other", 1)
    assert "attrs = {transpose_x1: false, transpose_x2: true})" in readable(graph)
    assert "dst_type: 3" in readable(build(lambda x: Cast(x, dst_type=DataType.DT_INT32)))


@pytest.mark.parametrize(
    "tensor, shown",
    [
        (lambda: Tensor([1.5], shape=[]), "[1.500000]"),
        (lambda: Tensor([1, 2, 3, 4, 5, 6], data_type=DataType.DT_INT8, shape=[6]), "[1 2 3 4 5 6]"),
        (lambda: Tensor(list(range(7)), data_type=DataType.DT_UINT16, shape=[7]), "[0 1 2 ... 4 5 6]"),
        (lambda: Tensor([True, False], data_type=DataType.DT_BOOL, shape=[2]), "[true false]"),
        (lambda: Tensor([0.5, -1.0], data_type=DataType.DT_FLOAT16, shape=[2]), "[0.500000 -1.000000]"),
        (lambda: Tensor([1e10, -0.0], shape=[2]), "[10000000000.000000 -0.000000]"),
        (lambda: Tensor([-(2**63), 2**63 - 1], data_type=DataType.DT_INT64), f"[{-(2**63)} {2**63 - 1}]"),
        (lambda: Tensor([2**64 - 1], data_type=DataType.DT_UINT64), f"[{2**64 - 1}]"),
        (lambda: Tensor(), "<empty>"),
        (lambda: Tensor([], shape=[0]), "<empty>"),
        (lambda: Tensor([1, 2], data_type=DataType.DT_INT4), "<not_supported>"),
        (lambda: Tensor([1j], data_type=DataType.DT_COMPLEX64), "<not_supported>"),
    ],
    ids=lambda v: v if isinstance(v, str) else "",
)
def test_tensors(tensor, shown):
    builder = GraphBuilder("g")
    text = readable(builder.build_and_reset([Const(builder, value=tensor())]))
    assert f"(attrs = {{value: {shown}}})" in text


@pytest.mark.parametrize(
    "value, shown",
    [
        ("text", ': "text"'),
        (3.0, ": 3.000000"),
        (True, ": true"),
        (-3, ": -3"),
        (DataType.DT_BF16, ": DT_BF16"),
        ([1, -2], ": {1, -2}"),
        ([0.1, 2.0], ": {0.100000, 2.000000}"),
        ([True, False], ": {true, false}"),
        (["a", "", "b"], ': {"a", "b"}'),
        ("", None),
        ([""], None),
    ],
    ids=str,
)
def test_values_of_attributes(value, shown):
    # Whatever kind the operator declares, the value is shown as it is.
    graph = build(lambda x: MatMul(x, x))
    only(graph, "MatMul").set_attr("transpose_x1", value)
    text = readable(graph)
    assert f"transpose_x1{shown}" in text if shown else "transpose_x1" not in text


def test_operators_that_are_not_registered():
    from ge.graph.operator import create_operator
    from ge.passes.runtime import ensure_native_module

    graph = build(lambda x: Relu(x), name="g")
    draft = ensure_native_module().OperatorDraft("mine", "NobodyKnows")
    create_operator(draft).register_dynamic_input("x", 3)
    create_operator(draft).set_attr("a", 1)
    mine = draft.add_to(graph)
    graph.add_data_edge(only(graph, "Relu"), 0, mine, 2)
    assert "  %mine : [#users=0] = Node[type=NobodyKnows] (inputs = (_input_2=%Relu_0))\n" in readable(graph)


def branch(name, inner=None):
    builder = GraphBuilder(name)
    x = builder.create_input(0)
    return builder.build_and_reset([If(x, [x], 1, *inner)[0] if inner else Relu(x)])


def test_subgraphs_follow_depth_first():
    builder = GraphBuilder("root")
    x = builder.create_input(0)
    deep = branch("then", (branch("then_then"), branch("then_else")))
    graph = builder.build_and_reset([If(x, [x], 1, deep, branch("else"))[0]])
    text = readable(graph)
    assert re.findall(r'^graph\("(\w+)"\):', text, re.M) == ["root", "then", "then_then", "then_else", "else"]
    assert "attrs = {then_branch: %then, else_branch: %else}" in text
    assert '\n\ngraph("then"):\n' in text and not text.endswith("\n\n") and "\n\n\n" not in text
    assert sorted(g.name for g in graph.get_all_subgraphs()) == ["else", "then", "then_else", "then_then"]


# ---- protobuf texts --------------------------------------------------------------------------------------------------------


def sample():
    builder = GraphBuilder("sample")
    x = builder.create_input(0, shape=[2, 3])
    y = Reshape(Transpose(x, [1, 0]), [6])
    graph = builder.build_and_reset([If(x, [y], 1, branch("then"), branch("else"))[0]])
    graph.add_control_edge(only(graph, "Data"), only(graph, "If"))
    for i, value in enumerate(('quote " and \\ and \u4e2d\n', 0.1, True, 7, DataType.DT_INT8, [1.5], [True], [1, 2], ["a"])):
        only(graph, "If").set_attr(f"a{i}", value)
    return graph


def test_the_onnx_form_is_a_model_that_onnx_reads():
    onnx = pytest.importorskip("onnx")
    from google.protobuf import text_format

    model = onnx.ModelProto()
    text_format.Parse(sample().dump_to_stream(DumpFormat.kOnnx), model)
    assert (model.producer_name, model.graph.name, model.ir_version) == ("GE", "sample", 6)
    nodes = {n.name: n for n in model.graph.node}
    chosen = next(n for n in model.graph.node if n.op_type == "ge:If")
    assert list(chosen.input) == ["input_0:0", "Reshape_3:0", "input_0:-1"] and list(chosen.output) == ["If_4:0"]
    assert list(nodes["input_0"].output) == ["input_0:0", "input_0:-1"]
    attributes = {a.name: onnx.helper.get_attribute_value(a) for a in chosen.attribute}
    assert attributes["output_desc_nums"] == 1 and attributes["input_desc_shape:0"] == [2, 3]
    assert attributes["a0"] == 'quote " and \\ and \u4e2d\n'.encode() and attributes["a1"] == pytest.approx(0.1)
    assert [attributes[f"a{i}"] for i in range(2, 9)] == [1, 7, 2, [1.5], [1], [1, 2], [b"a"]]
    subgraphs = [n for n in model.graph.node if n.op_type == "subgraph"]
    assert [n.attribute[0].g.name for n in subgraphs] == ["then", "else"]
    assert model.graph.output[0].name == "If_4"
    # Structure only.
    constants = [n for n in model.graph.node if n.op_type == "ge:Const"]
    assert constants and all(a.type != onnx.AttributeProto.TENSOR for n in constants for a in n.attribute)


def test_the_text_form_tells_the_order_of_consumers(tmp_path):
    """Nodes of a file stand in an order of their own: that of the consumers of an output is told apart."""
    text_format = pytest.importorskip("google.protobuf.text_format")
    key = "_src_out_peer_index_for_ge_txt_load"
    graph = build(lambda x: [Relu(x), Add(x, x)], 1)
    first, x = only(graph, "Relu"), only(graph, "Data")
    graph.add_control_edge(x, first)
    graph.remove_edge(x, 0, first, 0)
    graph.add_data_edge(x, 0, first, 0)

    def consumers(of):
        return [(node.type, slot) for node, slot in only(of, "Data").get_out_data_nodes_and_port_indexes(0)]

    order = consumers(graph)
    assert order == [("Add", 0), ("Add", 1), ("Relu", 0)]
    model = text_format.Parse(graph.dump_to_stream(DumpFormat.kTxt), message("ModelDef")())
    places = {op.type: (list(op.input), list(op.attr[key].list.i)) for op in model.graph[0].op}
    assert places["Data"] == ([""], [-1])
    assert places["Relu"] == ([f"{x.name}:0", f"{x.name}:-1"], [2, 0])
    assert places["Add"] == ([f"{x.name}:0"] * 2, [0, 1])

    # What is read from it, here as a binary, has that order and does not keep the attribute.
    (tmp_path / "dump.air").write_bytes(model.SerializeToString())
    again = Graph()
    again.load_from_air(str(tmp_path / "dump.air"))
    assert consumers(again) == order
    assert not only(again, "Relu").has_attr(key)
    again.save_to_air(str(tmp_path / "again.air"))
    assert key.encode() not in (tmp_path / "again.air").read_bytes()


@pytest.mark.parametrize("weights", [False, True])
def test_the_text_form_is_a_model_of_ge(monkeypatch, weights):
    text_format = pytest.importorskip("google.protobuf.text_format")

    if weights:
        monkeypatch.setenv("DUMP_GE_GRAPH", "1")
    else:
        monkeypatch.delenv("DUMP_GE_GRAPH", raising=False)
    model = message("ModelDef")()
    text_format.Parse(sample().dump_to_stream(DumpFormat.kTxt), model)
    root, then, other = model.graph
    assert (root.name, then.name, other.name) == ("sample", "then", "else")
    assert list(root.input) == ["input_0:0"] and list(root.output) == ["If_4:0"]
    ops = {op.name: op for op in root.op}
    assert list(ops["If_4"].input) == ["input_0:0", "Reshape_3:0", "input_0:-1"]
    assert list(ops["If_4"].subgraph_name) == ["then", "else"] and list(ops["input_0"].input) == [""]
    assert list(ops["input_0"].output_desc[0].shape.dim) == [2, 3] and ops["input_0"].input_desc[0].dtype == 1
    value = ops["Const_0"].attr["value"].t
    assert value.desc.dtype == 8 and list(value.desc.shape.dim) == [2]
    assert value.data == ((1).to_bytes(8, "little") + bytes(8) if weights else b"")
    attributes = ops["If_4"].attr
    assert attributes["a0"].s == 'quote " and \\ and \u4e2d\n'.encode() and attributes["a1"].f == pytest.approx(0.1)
    assert (attributes["a2"].b, attributes["a3"].i, attributes["a4"].dt) == (True, 7, 2)
    lists = [attributes[f"a{i}"].list for i in range(5, 9)]
    assert (list(lists[0].f), list(lists[1].b), list(lists[2].i), list(lists[3].s)) == ([1.5], [True], [1, 2], [b"a"])
    assert [one.val_type for one in lists] == [3, 4, 2, 1]


@pytest.mark.parametrize("wrong", [123, "kReadable", 2, None])
def test_a_form_is_a_dump_format(wrong):
    for call in (Graph().dump_to_stream, Graph().dump_to_file):
        with pytest.raises(TypeError):
            call(format=wrong)


# ---- files -----------------------------------------------------------------------------------------------------------------


@pytest.fixture
def here(tmp_path, monkeypatch):
    for name in ("NPU_COLLECT_PATH", "DUMP_GRAPH_PATH", "ASCEND_WORK_PATH"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    "form, pattern",
    [
        (DumpFormat.kOnnx, r"ge_onnx_(\d{8})_graph_0_mine\.pbtxt"),
        (DumpFormat.kTxt, r"ge_proto_(\d{8})_graph_0_mine\.txt"),
        (DumpFormat.kReadable, r"ge_readable_(\d{8})_graph_0_mine\.txt"),
    ],
)
def test_dumps_are_numbered_files(here, form, pattern):
    graph = sample()
    for _ in range(2):
        assert graph.dump_to_file(form, "mine") is None
    names = sorted(os.listdir(here))
    numbers = [int(re.fullmatch(pattern, name).group(1)) for name in names]
    assert numbers == [numbers[0], numbers[0] + 1]
    assert (here / names[0]).read_text(encoding="utf-8") == graph.dump_to_stream(form)


def test_a_suffix_becomes_part_of_a_file_name(here):
    Graph().dump_to_file(suffix='a/b\\c:d*e?f"g<h>i|j')
    Graph().dump_to_file()
    endings = sorted(re.sub(r"^ge_readable_\d{8}", "", name) for name in os.listdir(here))
    assert endings == ["_graph_0_.txt", "_graph_0_a_b_c_d_e_f_g_h_i_j.txt"]
    with pytest.raises(TypeError, match="suffix must be a string"):
        Graph().dump_to_file(format=123, suffix=123)


@pytest.mark.parametrize(
    "variable, folder",
    [
        ("NPU_COLLECT_PATH", "extra-info/graph/{pid}_0"),
        ("DUMP_GRAPH_PATH", "pid_{pid}_deviceid_0"),
        ("ASCEND_WORK_PATH", "."),
    ],
)
def test_the_environment_says_where_dumps_go(here, monkeypatch, variable, folder):
    monkeypatch.setenv(variable, str(here / "to" / "there"))
    Graph().dump_to_file()
    (found,) = (here / "to" / "there" / folder.format(pid=os.getpid())).iterdir()
    assert found.name.startswith("ge_readable_")


def test_a_folder_that_cannot_be_made(here, monkeypatch):
    (here / "file").write_text("")
    monkeypatch.setenv("ASCEND_WORK_PATH", str(here / "file" / "below"))
    with pytest.raises(RuntimeError, match="failed to dump graph 'graph'.*cannot be"):
        Graph().dump_to_file()
