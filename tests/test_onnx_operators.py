"""Every operator of ai.onnx in every opset from 7 on, with few and with all of its attributes, comes back as it was."""

from __future__ import annotations

import ge.onnx
import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

FIRST, NEWEST = 7, onnx.defs.onnx_opset_version()
Kind = onnx.defs.OpSchema.AttrType


def body():
    return helper.make_graph(
        [helper.make_node("Identity", ["inside"], ["result"])],
        "body",
        [helper.make_tensor_value_info("inside", TensorProto.FLOAT, None)],
        [helper.make_tensor_value_info("result", TensorProto.FLOAT, None)],
    )


SAMPLES = {
    Kind.FLOAT: 0.625,
    Kind.INT: 1,
    Kind.STRING: "text",
    Kind.TENSOR: numpy_helper.from_array(np.arange(3, dtype=np.float32)),
    Kind.FLOATS: [0.25, 4.0],
    Kind.INTS: [1, 1],
    Kind.STRINGS: ["a", "b"],
    Kind.TENSORS: [numpy_helper.from_array(np.arange(2, dtype=np.int64))],
    Kind.SPARSE_TENSOR: helper.make_sparse_tensor(
        numpy_helper.from_array(np.array([1.0], np.float32), "values"),
        numpy_helper.from_array(np.array([1], np.int64), "indices"),
        [3],
    ),
}


def sample(attribute):
    if attribute.type == Kind.STRING and attribute.default_value.name:  # only few texts mean something
        return helper.get_attribute_value(attribute.default_value)
    if attribute.type == Kind.GRAPH:
        return body()
    if attribute.type == Kind.GRAPHS:
        return [body()]
    if attribute.type == Kind.TYPE_PROTO:
        return helper.make_tensor_type_proto(TensorProto.FLOAT, [2])
    return SAMPLES[attribute.type]


def schemas(opset):
    """What each operator is in that opset."""
    newest = {}
    for schema in onnx.defs.get_all_schemas_with_history():
        if schema.domain == "" and schema.since_version <= opset:
            known = newest.get(schema.name)
            if known is None or known.since_version < schema.since_version:
                newest[schema.name] = schema
    return [s for s in newest.values() if not s.deprecated]


def formals(parameters, least, most, every):
    """How many values a node gets: as few as allowed, or one for each parameter, three for a variadic one."""
    count = 0
    for parameter in parameters:
        variadic = parameter.option == onnx.defs.OpSchema.FormalParameterOption.Variadic
        count += (3 if every else max(least, 1)) if variadic else 1
    return min(count, most) if every else max(least, 1 if parameters and least else least)


def node_of(schema, every, prefix):
    every_input = every or schema.name == "Resize"  # which cannot do without all of its optional ones
    attributes = {}
    for name, attribute in schema.attributes.items():
        if attribute.required or every:
            attributes[name] = sample(attribute)
    if schema.name == "Constant":  # exactly one of its attributes
        attributes = {k: v for k, v in attributes.items() if k == "value"} or {"value": SAMPLES[Kind.TENSOR]}
    inputs = [f"{prefix}_in{i}" for i in range(formals(schema.inputs, schema.min_input, schema.max_input, every_input))]
    count = max(1, formals(schema.outputs, schema.min_output, schema.max_output, every))
    outputs = [f"{prefix}_out{i}" for i in range(count)]
    return helper.make_node(schema.name, inputs, outputs, name=prefix, **attributes)


def model_of(opset, every):
    nodes = [node_of(s, every, f"{s.name}_{opset}") for s in schemas(opset)]
    inputs = [helper.make_empty_tensor_value_info(name) for node in nodes for name in node.input]
    outputs = [helper.make_empty_tensor_value_info(name) for node in nodes for name in node.output]
    graph = helper.make_graph(nodes, "all", inputs, outputs)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=10)


def told(node):
    attributes = {a.name: a.SerializeToString(deterministic=True) for a in node.attribute}
    return node.op_type, list(node.input), list(node.output), attributes


@pytest.mark.parametrize("every", [False, True], ids=["few", "all"])
@pytest.mark.parametrize("opset", range(FIRST, NEWEST + 1))
def test_operators_come_back_as_they_were(opset, every, tmp_path):
    model = model_of(opset, every)
    assert len(model.graph.node) > 100
    path = tmp_path / "model.onnx"
    path.write_bytes(model.SerializeToString())
    ge.onnx.save(ge.onnx.load(path), path)
    after = onnx.load(str(path))
    found = {node.name: told(node) for node in after.graph.node}
    wanted = {node.name: told(node) for node in model.graph.node}
    different = [f"{wanted[name]} became {found.get(name)}" for name in wanted if wanted[name] != found.get(name)]
    assert not different, "\n".join(different)
    assert len(after.graph.node) == len(model.graph.node) and after.opset_import == model.opset_import
