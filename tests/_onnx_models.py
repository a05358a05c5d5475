"""Building small ONNX models, and comparing models by what they mean."""

from __future__ import annotations

import collections
import hashlib

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper


class Net:
    """A model under construction. Every method returns the name of the value it made."""

    def __init__(self, opset=13, ir_version=8, **more_opsets):
        self.opset, self.ir_version, self.more_opsets = opset, ir_version, more_opsets
        self.nodes, self.inputs, self.outputs, self.constants, self.infos = [], [], [], [], []

    def input(self, name, shape, dtype=TensorProto.FLOAT):
        self.inputs.append(helper.make_tensor_value_info(name, dtype, shape))
        return name

    def const(self, value, name=None, dtype=np.float32):
        name = name or f"const{len(self.constants)}"
        array = value if isinstance(value, np.ndarray) else np.array(value, dtype)
        self.constants.append(numpy_helper.from_array(array, name))
        return name

    def op(self, op_type, *operands, outputs=None, domain="", **attributes):
        """The name of the output, or the list of names if `outputs` is a number or a list."""
        if isinstance(outputs, str):
            names = [outputs]
        elif isinstance(outputs, int):
            names = [f"v{len(self.nodes)}_{i}" for i in range(outputs)]
        else:
            names = outputs or [f"v{len(self.nodes)}"]
        # The operands are names of values.
        node = helper.make_node(op_type, list(operands), names, name=f"n{len(self.nodes)}", domain=domain, **attributes)
        self.nodes.append(node)
        return names[0] if outputs is None or isinstance(outputs, str) else names

    def output(self, name, shape=None, dtype=TensorProto.FLOAT):
        if shape is None:
            info = onnx.ValueInfoProto(name=name)
            info.type.tensor_type.elem_type = dtype
        else:
            info = helper.make_tensor_value_info(name, dtype, shape)
        self.outputs.append(info)
        return name

    def info(self, name, shape, dtype=TensorProto.FLOAT):
        self.infos.append(helper.make_tensor_value_info(name, dtype, shape))

    def build(self, name="net", **fields):
        graph = helper.make_graph(self.nodes, name, self.inputs, self.outputs, self.constants, value_info=self.infos)
        opsets = [helper.make_opsetid("", self.opset)]
        opsets += [helper.make_opsetid(domain.replace("_", "."), v) for domain, v in self.more_opsets.items()]
        return helper.make_model(graph, opset_imports=opsets, ir_version=self.ir_version, **fields)


def operators(model) -> collections.Counter:
    """How many nodes of each type there are; Constant nodes do not count."""
    model = onnx.load(str(model), load_external_data=False) if not isinstance(model, onnx.ModelProto) else model
    return collections.Counter(node.op_type for node in model.graph.node if node.op_type != "Constant")


def run(model, feeds):
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    source = model.SerializeToString() if isinstance(model, onnx.ModelProto) else str(model)
    session = onnxruntime.InferenceSession(source, options, providers=["CPUExecutionProvider"])
    return session.run(None, feeds)


def random_feeds(model, seed=0, sizes=None):
    """Input values by the model's own signature; dims without a number get the size named in `sizes`, else 2."""
    model = onnx.load(str(model)) if not isinstance(model, onnx.ModelProto) else model
    random = np.random.default_rng(seed)
    constants = {t.name for t in model.graph.initializer}
    feeds = {}
    for info in model.graph.input:
        if info.name in constants:
            continue
        tensor = info.type.tensor_type
        shape = [d.dim_value if d.dim_value > 0 else (sizes or {}).get(d.dim_param, 2) for d in tensor.shape.dim]
        dtype = helper.tensor_dtype_to_np_dtype(tensor.elem_type)
        values = random.normal(0, 1, shape) if np.issubdtype(dtype, np.floating) else random.integers(0, 3, shape)
        feeds[info.name] = values.astype(dtype)
    return feeds


def assert_same_numbers(before, after, feeds=None, tolerance=1e-5):
    feeds = feeds if feeds is not None else random_feeds(before)
    for one, other in zip(run(before, feeds), run(after, feeds)):
        np.testing.assert_allclose(other, one, rtol=tolerance, atol=tolerance)


def _digest(*parts) -> str:
    return hashlib.sha256("\0".join(str(p) for p in parts).encode()).hexdigest()[:16]


def _tensor(tensor) -> str:
    return _digest(tensor.data_type, list(tensor.dims), onnx.numpy_helper.to_array(tensor).tobytes().hex())


def _attributes(node, opset, outer) -> list:
    """Attributes as text, those equal to the operator's default left out."""
    try:
        defaults = onnx.defs.get_schema(node.op_type, opset, node.domain).attributes
    except onnx.defs.SchemaError:
        defaults = {}
    found = []
    for attribute in node.attribute:
        if attribute.type == onnx.AttributeProto.GRAPH:
            value = _graph(attribute.g, opset, outer)
        elif attribute.type == onnx.AttributeProto.TENSOR:
            value = _tensor(attribute.t)
        else:
            value = helper.get_attribute_value(attribute)
            default = defaults[attribute.name].default_value if attribute.name in defaults else None
            if default is not None and default.type and helper.get_attribute_value(default) == value:
                continue
        found.append((attribute.name, str(value)))
    return sorted(found)


def _graph(graph, opset, outer) -> str:
    """A digest of what the outputs of a graph are, whatever its values and nodes are called and ordered."""
    known = dict(outer)
    known.update({info.name: f"input {info.name}" for info in graph.input})
    if outer:  # the inputs of a subgraph are known by their place
        known.update({info.name: f"input {place}" for place, info in enumerate(graph.input)})
    known.update({tensor.name: _tensor(tensor) for tensor in graph.initializer})
    known[""] = ""
    for node in graph.node:
        if node.op_type == "Constant" and node.attribute[0].name == "value":
            known[node.output[0]] = _tensor(node.attribute[0].t)
            continue
        if node.op_type == "Identity" and node.domain == "":  # stands for its input
            known[node.output[0]] = known[node.input[0]]
            continue
        operands = [known[name] for name in node.input]
        while operands and not operands[-1]:
            operands.pop()
        digest = _digest(node.domain, node.op_type, operands, _attributes(node, opset, known))
        known.update({name: _digest(digest, place) for place, name in enumerate(node.output) if name})
    return _digest([(known[info.name], "" if outer else info.name) for info in graph.output])


def meaning(model: onnx.ModelProto) -> str:
    opset = next(o.version for o in model.opset_import if o.domain == "")
    return _graph(model.graph, opset, {})


def signature(model: onnx.ModelProto):
    """Inputs (without constants) and outputs with type and dims."""
    constants = {t.name for t in model.graph.initializer}

    def one(info):
        tensor = info.type.tensor_type
        dims = [d.dim_param or (d.dim_value if d.HasField("dim_value") else "?") for d in tensor.shape.dim]
        return info.name, tensor.elem_type, dims if tensor.HasField("shape") else None

    return [one(i) for i in model.graph.input if i.name not in constants], [one(o) for o in model.graph.output]
