"""ONNX in and out without passes: nothing that a model says is lost."""

from __future__ import annotations

import os

import ge.onnx
import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from _onnx_models import Net, assert_same_numbers, meaning, operators, random_feeds, run, signature


def through(model, folder):
    """The model after load and save; both files stay in `folder`."""
    source, target = folder / "source.onnx", folder / "target.onnx"
    source.write_bytes(model.SerializeToString())
    ge.onnx.save(ge.onnx.load(str(source)), str(target))
    return onnx.load(str(target))


def assert_unchanged(model, folder, check=True):
    after = through(model, folder)
    if check:
        onnx.checker.check_model(after, full_check=True)
    assert meaning(after) == meaning(model)
    assert signature(after) == signature(model)
    return after


def raw(name, data_type, dims, data):
    return TensorProto(name=name, data_type=data_type, dims=dims, raw_data=data)


TYPED = {
    "float": (TensorProto.FLOAT, "float_data", [1.5, -2.0, float("inf"), 1e-40]),
    "double": (TensorProto.DOUBLE, "double_data", [1.5, -2.0, 1e300, 5e-324]),
    "int64": (TensorProto.INT64, "int64_data", [1, -1, 2**63 - 1, -(2**63)]),
    "int32": (TensorProto.INT32, "int32_data", [1, -1, 2**31 - 1, -(2**31)]),
    "int16": (TensorProto.INT16, "int32_data", [1, -1, 2**15 - 1, -(2**15)]),
    "int8": (TensorProto.INT8, "int32_data", [1, -1, 127, -128]),
    "uint8": (TensorProto.UINT8, "int32_data", [0, 1, 127, 255]),
    "uint16": (TensorProto.UINT16, "int32_data", [0, 1, 255, 65535]),
    "uint32": (TensorProto.UINT32, "uint64_data", [0, 1, 2**31, 2**32 - 1]),
    "uint64": (TensorProto.UINT64, "uint64_data", [0, 1, 2**63, 2**64 - 1]),
    "bool": (TensorProto.BOOL, "int32_data", [0, 1, 1, 0]),
    "float16": (TensorProto.FLOAT16, "int32_data", [0x3C00, 0xC000, 0x7C00, 1]),
    "bfloat16": (TensorProto.BFLOAT16, "int32_data", [0x3F80, 0xC000, 0x7F80, 1]),
    "float8": (TensorProto.FLOAT8E4M3FN, "int32_data", [0x38, 0xB8, 0x01, 0x7E]),
    "complex64": (TensorProto.COMPLEX64, "float_data", [1.0, 2.0, -3.0, 0.5]),
    "string": (TensorProto.STRING, "string_data", [b"a", b"", b"\xff\x00", "ü".encode()]),
}


@pytest.mark.smoke
@pytest.mark.parametrize("kind", TYPED)
def test_every_typed_field_of_a_tensor_keeps_its_values(kind, tmp_path):
    data_type, field, values = TYPED[kind]
    count = len(values) // (2 if kind == "complex64" else 1)
    tensor = TensorProto(name="t", data_type=data_type, dims=[2, count // 2])
    getattr(tensor, field).extend(values)
    net = Net(opset=21, ir_version=10)
    net.constants.append(tensor)
    net.output(net.op("Identity", "t", outputs="y"), list(tensor.dims), data_type)
    after = through(net.build(), tmp_path)
    onnx.checker.check_model(after, full_check=True)
    found = [t for t in after.graph.initializer] + [
        n.attribute[0].t for n in after.graph.node if n.op_type == "Constant"
    ]
    assert len(found) == 1 and list(found[0].dims) == list(tensor.dims) and found[0].data_type == data_type
    if kind == "string":  # bytes, not necessarily UTF-8
        assert list(found[0].string_data) == values
    else:
        np.testing.assert_array_equal(numpy_helper.to_array(found[0]), numpy_helper.to_array(tensor))


def test_four_bit_tensors_keep_their_bytes(tmp_path):
    net = Net(opset=21, ir_version=10)
    net.constants.append(raw("t", TensorProto.INT4, [3], b"\x21\x03"))
    net.output(net.op("Identity", "t", outputs="y"), [3], TensorProto.INT4)
    after = through(net.build(), tmp_path)
    tensor = after.graph.initializer[0]
    assert list(tensor.dims) == [3]
    np.testing.assert_array_equal(numpy_helper.to_array(tensor).astype(int), [1, 2, 3])


@pytest.mark.parametrize("dims", [[], [0], [2, 0, 3], [1, 1]], ids=str)
def test_scalars_and_empty_tensors_keep_their_shape(dims, tmp_path):
    net = Net()
    net.const(np.zeros(dims, np.float32), "t")
    net.output(net.op("Identity", "t", outputs="y"), dims)
    after = assert_unchanged(net.build(), tmp_path)
    assert_same_numbers(net.build(), after, {})


def external(folder, offset, count, name="weights.bin", length=True):
    values = np.arange(count, dtype=np.float32)
    (folder / name).write_bytes(b"\x01" * offset + values.tobytes() + b"tail")
    tensor = TensorProto(name="t", data_type=TensorProto.FLOAT, dims=[count])
    tensor.data_location = TensorProto.EXTERNAL
    entries = {"location": name, "offset": str(offset)}
    if length:
        entries["length"] = str(values.nbytes)
    for key, value in entries.items():
        tensor.external_data.add(key=key, value=value)
    net = Net()
    net.constants.append(tensor)
    net.output(net.op("Add", net.input("x", [count]), "t", outputs="y"), [count])
    (folder / "source.onnx").write_bytes(net.build().SerializeToString())
    return values


@pytest.mark.parametrize("offset", [0, 4096, 7])
def test_external_data_is_read_from_its_place(offset, tmp_path):
    values = external(tmp_path, offset, 100)
    graph = ge.onnx.load(str(tmp_path / "source.onnx"))
    other = tmp_path / "elsewhere"
    other.mkdir()
    ge.onnx.save(graph, str(other / "target.onnx"))
    x = np.ones(100, np.float32)
    np.testing.assert_array_equal(run(other / "target.onnx", {"x": x})[0], x + values)


def test_external_data_without_a_length_takes_what_the_shape_says(tmp_path):
    values = external(tmp_path, 0, 10, length=False)
    ge.onnx.save(ge.onnx.load(str(tmp_path / "source.onnx")), str(tmp_path / "target.onnx"))
    np.testing.assert_array_equal(run(tmp_path / "target.onnx", {"x": np.zeros(10, np.float32)})[0], values)


def test_a_model_can_be_saved_over_itself(tmp_path):
    values = external(tmp_path, 0, 50)
    path = tmp_path / "source.onnx"
    ge.onnx.save(ge.onnx.load(str(path)), str(path))
    ge.onnx.save(ge.onnx.load(str(path)), str(path))
    np.testing.assert_array_equal(run(path, {"x": np.zeros(50, np.float32)})[0], values)


def test_the_graph_outlives_the_file_it_came_from(tmp_path):
    external(tmp_path, 0, 50)
    graph = ge.onnx.load(str(tmp_path / "source.onnx"))
    os.remove(tmp_path / "source.onnx")
    os.remove(tmp_path / "weights.bin")
    ge.onnx.save(graph, str(tmp_path / "target.onnx"))
    assert run(tmp_path / "target.onnx", {"x": np.zeros(50, np.float32)})[0][49] == 49


@pytest.mark.smoke
def test_names_docs_metadata_and_dynamic_axes_are_kept(tmp_path):
    net = Net()
    x = net.input("the input", ["batch", 3, "?", "height"])
    net.output(net.op("Relu", x, outputs="out/put:0"), ["batch", 3, "?", "height"])
    model = net.build(
        name="the graph",
        producer_name="me",
        producer_version="1.2",
        domain="org.example",
        model_version=7,
        doc_string="what",
    )
    model.graph.doc_string = "graph doc"
    model.graph.input[0].doc_string = "input doc"
    helper.set_model_props(model, {"character": "a\nb", "names": "{}"})
    after = assert_unchanged(model, tmp_path)
    assert after.graph.name == "the graph" and after.graph.doc_string == "graph doc"
    assert after.graph.input[0].doc_string == "input doc"
    assert (after.domain, after.model_version, after.doc_string) == ("org.example", 7, "what")
    assert {p.key: p.value for p in after.metadata_props} == {"character": "a\nb", "names": "{}"}


def test_node_names_are_kept(tmp_path):
    net = Net()
    net.output(net.op("Relu", net.op("Neg", net.input("x", [2])), outputs="y"), [2])
    net.nodes[0].name, net.nodes[1].name = "block/neg", "block/relu"
    after = through(net.build(), tmp_path)
    assert [n.name for n in after.graph.node] == ["block/neg", "block/relu"]


def test_unnamed_and_equally_named_nodes_are_told_apart_inside_and_come_out_as_they_were(tmp_path):
    net = Net()
    x = net.input("x", [2])
    for name in ("", "", "same", "same", "x"):
        x = net.op("Neg", x)
        net.nodes[-1].name = name
    net.output(net.op("Neg", x, outputs="y"), [2])
    after = assert_unchanged(net.build(), tmp_path)
    assert [n.name for n in after.graph.node] == [n.name for n in net.nodes]
    graph = ge.onnx.load(str(tmp_path / "source.onnx"))
    names = [n.name for n in graph.get_direct_nodes()]
    assert len(names) == len(set(names)) and all(names)


@pytest.mark.parametrize("opset", [7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21])
def test_opsets_keep_their_operators(opset, tmp_path):
    """Operators whose form changed between opsets: what was an attribute becomes an input and the like."""
    net = Net(opset=opset, ir_version=10 if opset > 18 else 8)
    x = net.input("x", [2, 3, 4])
    if opset >= 13:
        y = net.op("Squeeze", net.op("Unsqueeze", x, net.const([0], dtype=np.int64)), net.const([0], dtype=np.int64))
        y = net.op("ReduceSum", y, net.const([1], dtype=np.int64), keepdims=1)
    else:
        y = net.op("Squeeze", net.op("Unsqueeze", x, axes=[0]), axes=[0])
        y = net.op("ReduceSum", y, axes=[1], keepdims=1)
    if opset >= 18:
        y = net.op("ReduceMean", y, net.const([2], dtype=np.int64))
    else:
        y = net.op("ReduceMean", y, axes=[2])
    if opset >= 11:
        y = net.op("Clip", y, net.const(-1.0), net.const(1.0))
        y = net.op("Pad", y, net.const([0, 0, 1, 0, 0, 1], dtype=np.int64))
    else:
        y = net.op("Clip", y, min=-1.0, max=1.0)
        y = net.op("Pad", y, pads=[0, 0, 1, 0, 0, 1])
    if opset >= 10:
        y = net.op("Slice", y, *(net.const([v], dtype=np.int64) for v in (0, 2, 2)))
    else:
        y = net.op("Slice", y, starts=[0], ends=[2], axes=[2])
    y = net.op("Softmax", y, axis=-1 if opset >= 11 else 2)
    net.output(
        net.op(
            "Gemm",
            net.op("Reshape", y, net.const([2, 2], dtype=np.int64)),
            net.const(np.eye(2, dtype=np.float32)),
            net.const([1.0, 2.0]),
            outputs="y",
        ),
        [2, 2],
    )
    model = net.build()
    onnx.checker.check_model(model, full_check=True)
    after = through(model, tmp_path)
    onnx.checker.check_model(after, full_check=True)
    assert signature(after) == signature(model)
    assert_same_numbers(model, after)


def test_every_kind_of_attribute_is_kept_on_an_unknown_operator(tmp_path):
    net = Net(my_ops=3)
    subgraph = helper.make_graph(
        [helper.make_node("Neg", ["x"], ["z"])], "sub", [], [helper.make_tensor_value_info("z", 1, [2])]
    )
    tensor = numpy_helper.from_array(np.arange(3, dtype=np.int32))
    x = net.input("x", [2])
    y = net.op(
        "Strange",
        x,
        "",
        x,
        domain="my.ops",
        outputs="y",
        f=0.5,
        i=-3,
        s=b"by\x00tes",
        t=tensor,
        g=subgraph,
        fs=[1.0, 2.0],
        ints=[1, -(2**62)],
        ss=["a", "ü"],
        ts=[tensor, tensor],
        gs=[subgraph],
        tp=helper.make_tensor_type_proto(1, ["n", 2]),
    )
    net.nodes[-1].attribute.append(helper.make_attribute("empty", [], attr_type=onnx.AttributeProto.INTS))
    net.nodes[-1].doc_string = "doc"
    net.output(y, [2])
    model = net.build()
    after = through(model, tmp_path)
    before, found = model.graph.node[0], after.graph.node[0]
    assert (found.domain, found.op_type, list(found.input)) == ("my.ops", "Strange", list(before.input))
    attributes = {a.name: a for a in found.attribute}
    for attribute in before.attribute:
        if attribute.name not in ("g", "gs"):
            assert attributes[attribute.name] == attribute, attribute.name
    assert [n.op_type for n in attributes["g"].g.node] == ["Neg"] and attributes["gs"].graphs[0].output[0].name == "z"
    assert {(o.domain, o.version) for o in after.opset_import} == {("", 13), ("my.ops", 3)}


def if_model():
    net = Net()
    condition, x = net.input("c", [], TensorProto.BOOL), net.input("x", [2])
    shared = net.op("Neg", x, outputs="shared")

    def branch(name, op):
        nodes = [helper.make_node(op, ["shared"], ["t"]), helper.make_node("Add", ["t", "one"], [name])]
        return helper.make_graph(nodes, name, [], [helper.make_tensor_value_info(name, 1, [2])])

    net.const(np.ones(2, np.float32), "one")
    y = net.op("If", condition, outputs="y", then_branch=branch("then", "Exp"), else_branch=branch("else", "Abs"))
    net.output(y, [2])
    assert shared
    return net.build()


def test_subgraphs_see_the_values_around_them(tmp_path):
    after = assert_unchanged(if_model(), tmp_path)
    for condition in (True, False):
        feeds = {"c": np.array(condition), "x": np.array([1, -2], np.float32)}
        assert_same_numbers(if_model(), after, feeds)


def test_a_loop_keeps_its_body(tmp_path):
    body = helper.make_graph(
        [
            helper.make_node("Add", ["carried", "x"], ["next"]),
            helper.make_node("Identity", ["going"], ["still"]),
            helper.make_node("Identity", ["next"], ["scan"]),
        ],
        "body",
        [
            helper.make_tensor_value_info("i", TensorProto.INT64, []),
            helper.make_tensor_value_info("going", TensorProto.BOOL, []),
            helper.make_tensor_value_info("carried", 1, [2]),
        ],
        [
            helper.make_tensor_value_info("still", TensorProto.BOOL, []),
            helper.make_tensor_value_info("next", 1, [2]),
            helper.make_tensor_value_info("scan", 1, [2]),
        ],
    )
    net = Net()
    net.input("x", [2])
    trips, go = net.const(np.array(3, np.int64)), net.const(np.array(True))
    start = net.const(np.zeros(2, np.float32))
    last, scans = net.op("Loop", trips, go, start, outputs=["last", "scans"], body=body)
    net.output(last, [2])
    net.output(scans, [3, 2])
    after = assert_unchanged(net.build(), tmp_path)
    assert_same_numbers(net.build(), after)


def test_functions_of_the_model_are_kept(tmp_path):
    function = helper.make_function(
        "my.ops", "Twice", ["a"], ["b"], [helper.make_node("Add", ["a", "a"], ["b"])], [helper.make_opsetid("", 13)]
    )
    net = Net(my_ops=1)
    net.output(net.op("Twice", net.input("x", [2]), domain="my.ops", outputs="y"), [2])
    model = net.build(functions=[function])
    after = through(model, tmp_path)
    onnx.checker.check_model(after)
    assert [f.name for f in after.functions] == ["Twice"] and operators(after) == {"Twice": 1}
    assert_same_numbers(model, after)


def test_optional_inputs_and_unused_outputs_keep_their_places(tmp_path):
    net = Net()
    x = net.input("x", [1, 1, 4, 4])
    y = net.op("Resize", x, "", net.const([1.0, 1.0, 2.0, 2.0]), outputs="y", mode="nearest")
    net.output(y, [1, 1, 8, 8])
    sequence = net.input("sequence", [3, 1, 2])
    weights = [net.const(np.full(shape, 0.1, np.float32)) for shape in ((1, 12, 2), (1, 12, 3))]
    _, last, _ = net.op("LSTM", sequence, *weights, outputs=["", "last", ""], hidden_size=3)
    net.output(last, [1, 1, 3])
    after = assert_unchanged(net.build(), tmp_path)
    assert_same_numbers(net.build(), after)


def test_outputs_may_be_inputs_constants_and_the_same_value(tmp_path):
    net = Net()
    x = net.input("x", [2])
    net.output(x, [2])
    net.output(net.const([5.0, 6.0], "c"), [2])
    net.output(net.op("Neg", x, outputs="y"), [2])
    net.output(net.op("Identity", "y", outputs="z"), [2])
    after = assert_unchanged(net.build(), tmp_path)
    assert_same_numbers(net.build(), after)


def test_an_initializer_that_is_an_input_is_a_constant(tmp_path):
    net = Net(opset=8, ir_version=3)
    net.input("x", [2])
    net.const([1.0, 2.0], "w")
    net.input("w", [2])
    net.output(net.op("Add", "x", "w", outputs="y"), [2])
    after = through(net.build(), tmp_path)
    onnx.checker.check_model(after, full_check=True)
    np.testing.assert_array_equal(run(after, {"x": np.ones(2, np.float32)})[0], [2, 3])


def test_an_unused_input_stays(tmp_path):
    net = Net()
    net.input("unused", ["n"])
    net.output(net.op("Neg", net.input("x", [2]), outputs="y"), [2])
    after = assert_unchanged(net.build(), tmp_path)
    assert [i.name for i in after.graph.input] == ["unused", "x"]


@pytest.mark.parametrize(
    "kind", ["value_float", "value_floats", "value_int", "value_ints", "value_string", "value_strings"]
)
def test_short_forms_of_constant_keep_their_value(kind, tmp_path):
    value = {"float": 1.5, "int": 7, "string": "text"}[kind.split("_")[1].rstrip("s")]
    value = [value, value] if kind.endswith("s") else value
    element = {"f": TensorProto.FLOAT, "i": TensorProto.INT64, "s": TensorProto.STRING}[kind[6]]
    net = Net()
    constant = net.op("Constant", **{kind: value})
    net.output(net.op("Identity", constant, outputs="y"), [2] if kind.endswith("s") else [], element)
    after = through(net.build(), tmp_path)
    onnx.checker.check_model(after, full_check=True)
    result = run(after, {})[0]
    assert result.tolist() == value


def test_sequences_and_optionals_go_through(tmp_path):
    info = helper.make_tensor_sequence_value_info("s", TensorProto.FLOAT, [2])
    net = Net()
    net.inputs.append(info)
    net.output(net.op("SequenceAt", "s", net.const(np.array(0, np.int64)), outputs="y"), [2])
    after = through(net.build(), tmp_path)
    onnx.checker.check_model(after, full_check=True)
    assert after.graph.input[0].type == info.type
    feeds = {"s": [np.array([1, 2], np.float32), np.array([3, 4], np.float32)]}
    np.testing.assert_array_equal(run(after, feeds)[0], [1, 2])


def test_value_types_declared_in_the_model_are_kept(tmp_path):
    net = Net(my_ops=1)
    strange = net.op("Strange", net.input("x", ["n"]), domain="my.ops", outputs="strange")
    net.info(strange, ["m", 4], TensorProto.FLOAT16)
    net.output(net.op("Relu", strange, outputs="y"), ["m", 4], TensorProto.FLOAT16)
    after = through(net.build(), tmp_path)
    info = next(i for i in after.graph.value_info if i.name == "strange")
    assert info.type.tensor_type.elem_type == TensorProto.FLOAT16
    assert [d.dim_param or d.dim_value for d in info.type.tensor_type.shape.dim] == ["m", 4]


def test_quantization_and_sparse_initializers_are_kept(tmp_path):
    net = Net()
    net.output(net.op("Neg", net.input("x", [2]), outputs="y"), [2])
    model = net.build()
    annotation = model.graph.quantization_annotation.add(tensor_name="x")
    annotation.quant_parameter_tensor_names.add(key="SCALE_TENSOR", value="scale")
    after = through(model, tmp_path)
    assert [a.tensor_name for a in after.graph.quantization_annotation] == ["x"]


def test_the_same_model_gives_the_same_bytes(tmp_path):
    model = if_model()
    through(model, tmp_path)
    first = (tmp_path / "target.onnx").read_bytes()
    through(model, tmp_path)
    assert (tmp_path / "target.onnx").read_bytes() == first


def test_nodes_in_any_order_that_onnx_allows_come_out_sorted(tmp_path):
    """A node may stand before what it does not depend on; results stay the same."""
    net = Net()
    x = net.input("x", [2])
    a, b = net.op("Exp", x), net.op("Neg", x)
    net.output(net.op("Sub", a, b, outputs="y"), [2])
    model = net.build()
    model.graph.node.insert(0, model.graph.node[1])
    del model.graph.node[2]
    after = assert_unchanged(model, tmp_path)
    assert_same_numbers(model, after)


def test_a_wide_model_and_a_deep_model_go_through(tmp_path):
    net = Net()
    x = net.input("x", [2])
    for _ in range(5000):
        x = net.op("Neg", x)
    branches = [net.op("Exp", x) for _ in range(500)]
    net.output(net.op("Sum", *branches, outputs="y"), [2])
    after = assert_unchanged(net.build(), tmp_path, check=False)
    assert operators(after) == {"Neg": 5000, "Exp": 500, "Sum": 1}
    assert random_feeds(after)


def test_of_a_repeated_field_the_last_counts(tmp_path):
    """What protobuf says of a field that stands twice in a message; a file can be made that way by appending."""
    net = Net()
    net.output(net.op("Neg", net.input("x", [2]), outputs="y"), [2])
    model = net.build()
    name = b"\x0a\x01x"
    good = model.SerializeToString()
    info = model.graph.input[0].SerializeToString()
    twice = b"\x0a\x01q" + info
    assert info.startswith(name)
    graph = onnx.GraphProto.FromString(model.graph.SerializeToString())
    del graph.input[:]
    body = graph.SerializeToString() + b"\x5a" + bytes([len(twice)]) + twice
    del model.graph.node[:]
    model.ClearField("graph")
    raw = model.SerializeToString() + b"\x3a" + bytes([len(body)]) + body
    assert onnx.ModelProto.FromString(raw) == onnx.ModelProto.FromString(good)
    onnx.checker.check_model(raw)
    path = tmp_path / "twice.onnx"
    path.write_bytes(raw)
    loaded = ge.onnx.load(str(path))
    assert [n.name for n in loaded.get_direct_nodes() if n.type == "Data"] == ["x"]


@pytest.mark.parametrize("outputs", [["y"], ["y", "v"], ["v", "y"]])
def test_a_tensor_that_bodies_read_under_its_name_may_be_replaced_by_an_equal_one(outputs, atc):
    """`v` is read inside the branches by name, and is an output; the pass makes it the same tensor as `x`."""
    net = Net()
    x, c = net.input("x", [2, 3]), net.input("c", [], TensorProto.BOOL)
    net.op("Identity", x, outputs="v")

    def branch(name, kind):
        value = helper.make_tensor_value_info(name, TensorProto.FLOAT, [2, 3])
        return helper.make_graph([helper.make_node(kind, ["v"], [name])], name + "_graph", [], [value])

    net.op("If", c, outputs="y", then_branch=branch("t", "Relu"), else_branch=branch("e", "Neg"))
    for name in outputs:
        net.output(name, [2, 3])
    plugin = atc.folder / "drop.py"
    plugin.write_text(
        "from ge.es.all import Identity\n"
        "from ge.passes import *\n"
        "@register_fusion_pass(name='Drop', stage=PassStage.BEFORE_INFER_SHAPE)\n"
        "class Drop(PatternFusionPass):\n"
        "    @pattern\n    def p(self, inputs):\n        return Identity(inputs[0])\n"
        "    def replacement(self, inputs):\n        return inputs[0]\n"
    )
    model = net.build()
    done = atc.compile(model, passes=[plugin])
    assert "Drop" in done.text and [o.name for o in onnx.load(str(done.path)).graph.output] == outputs
    for condition in (True, False):
        feeds = {"x": np.arange(6, dtype=np.float32).reshape(2, 3) - 2, "c": np.array(condition)}
        assert_same_numbers(model, onnx.load(str(done.path)), feeds)


def test_a_slice_backwards_from_before_the_first_element_takes_it(tmp_path):
    """ONNX clamps the start to the first element; numpy would take none."""
    net = Net(opset=18)
    x = net.input("x", [3, 3])
    bounds = [net.const(v, dtype=np.int64) for v in ([-5], [-(2**62)], [1], [-1])]
    net.output(net.op("Add", net.op("Slice", x, *bounds), x, outputs="y"), [3, 3])
    path = tmp_path / "slice.onnx"
    path.write_bytes(net.build().SerializeToString())
    from ge.utils import GeUtils

    graph = ge.onnx.load(str(path))
    GeUtils.infer_shape(graph, [[3, 3]])
    (sliced,) = [n for n in graph.get_direct_nodes() if n.type == "StridedSliceV2"]
    assert list(sliced.get_output_desc(0).shape) == [3, 1]
