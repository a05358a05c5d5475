"""Inference of every operator in the table: with usual inputs, with nothing known, with formats; and its errors."""

from __future__ import annotations

import inspect

import ge.es.all as es
import pytest
from ge.es import GraphBuilder
from ge.graph import DataType, Format
from ge.passes.runtime import ensure_native_module
from ge.utils import GeUtils

_native = ensure_native_module()
GROUPS = ("math", "nn", "cv", "transformer", "legacy", "internal")
SAMPLES = {
    "int": 1,
    "float": 1.0,
    "bool": False,
    "str": "NCHW",
    "DataType": DataType.DT_FLOAT,
    "List[int]": [1, 1, 1, 1],
    "List[float]": [1.0],
    "List[bool]": [True],
    "List[str]": ["NCHW"],
    "List[DataType]": [DataType.DT_FLOAT],
    "List[List[int]]": [[0, 0], [0, 0]],
}
SHAPES = {"nothing known": [-2], "a scalar": [], "a vector": [4], "an image": [2, 3, 8, 8], "open": [-1, -1, -1, -1]}


def operators():
    """Those that a function builds; without subgraphs, for which other tests stand."""
    found = []
    for name in _native.es_operator_names("all"):
        facts = describe(name)
        # Other tests bring in prototypes of their own.
        if facts["group"] in GROUPS and not facts["subgraphs"] and hasattr(es, name):
            found.append(name)
    return found


def describe(name):
    return _native.es_operator(name).describe()


def call(name, builder):
    """The operator with samples for everything that must be given; its input nodes count from 0 in the order made."""
    facts = describe(name)
    made = []

    def tensor(dtypes):
        made.append(DataType[dtypes[0]] if dtypes else DataType.DT_FLOAT)
        return builder.create_input(len(made) - 1, name=f"x{len(made) - 1}", data_type=made[-1])

    inputs = []
    for _, kind, dtypes in facts["inputs"]:
        inputs.append([tensor(dtypes), tensor(dtypes)] if kind == "dynamic" else tensor(dtypes))
    if not inputs:
        inputs.append(builder)
    inputs.extend(2 for _, kind, _ in facts["outputs"] if kind == "dynamic")
    attributes = {attr: SAMPLES[kind] for attr, kind, required, _ in facts["attrs"] if required}
    if name == "Einsum":
        attributes["equation"] = "...,...->..."
    parameters = list(inspect.signature(getattr(es, name)).parameters)
    renamed = {p[len("attr_") :]: p for p in parameters if p.startswith("attr_")}
    result = getattr(es, name)(*inputs, **{renamed.get(k, k): v for k, v in attributes.items()})
    return result, len(made)


def outputs_of(name, result):
    if not describe(name)["outputs"]:
        return []
    if isinstance(result, (list, tuple)):
        return list(result)
    if type(result).__name__.endswith("Output"):
        return [o for value in vars(result).values() for o in (value if isinstance(value, list) else [value])]
    return [result]


@pytest.mark.parametrize("what", SHAPES)
def test_no_operator_fails_in_an_unexpected_way(what):
    """Every operator infers something, or refuses with an error that names the node, its type and what was expected."""
    problems = {}
    for name in operators():
        builder = GraphBuilder("graph")
        result, inputs = call(name, builder)
        found = outputs_of(name, result)
        if not found:
            continue
        graph = builder.build_and_reset(found)
        try:
            GeUtils.infer_shape(graph, [SHAPES[what]] * inputs)
        except RuntimeError as error:
            text = str(error)
            if f"({name}): expected " not in text or ", found " not in text:
                problems[name] = text
            if what == "nothing known" and inputs:
                problems[name] = f"refused unknown inputs: {text}"
    assert not problems


def test_every_operator_says_something_of_usual_inputs():
    """Types follow from the inputs or the definition wherever the definition allows to tell."""
    silent = []
    for name in operators():
        builder = GraphBuilder("graph")
        result, inputs = call(name, builder)
        found = outputs_of(name, result)
        if not found or not inputs:
            continue
        graph = builder.build_and_reset(found)
        try:
            GeUtils.infer_shape(graph, [[2, 3, 8, 8]] * inputs)
        except RuntimeError:
            continue
        node = next(n for n in graph.get_direct_nodes() if n.type == name)
        desc = node.get_output_desc(0)
        if desc.data_type == DataType.DT_UNDEFINED and list(desc.shape) == [-2]:
            silent.append(name)
    # What these give is in a handle, or decided by whoever feeds the queue.
    assert set(silent) <= {"SequenceAt", "ConcatFromSequence"}


def formats(make, shape, given=Format.FORMAT_ND):
    builder = GraphBuilder("graph")
    x = builder.create_input(0, name="x", data_type=DataType.DT_FLOAT, format=given)
    graph = builder.build_and_reset([make(builder, x)])
    GeUtils.infer_shape(graph, [shape])
    end = next(n for n in graph.get_direct_nodes() if n.type == "NetOutput")
    producer, port = end.get_in_data_nodes_and_port_indexes(0)
    return producer.get_output_desc(port).format


def test_a_convolution_lays_out_what_follows():
    def net(builder, x):
        weight = builder.create_const_float([0.0] * 54, [2, 3, 3, 3])
        y = es.Conv2D(x, weight, strides=[1, 1, 1, 1], pads=[1, 1, 1, 1], data_format="NCHW")
        return es.Add(es.Relu(y), builder.create_scalar_float(1.0))

    assert formats(net, [1, 3, 8, 8]) == Format.FORMAT_NCHW


def test_formats_follow_operators_that_leave_dims_where_they_are():
    assert formats(lambda b, x: es.Relu(x), [1, 8, 8, 3], Format.FORMAT_NHWC) == Format.FORMAT_NHWC
    turned = formats(lambda b, x: es.Transpose(es.Relu(x), [0, 3, 1, 2]), [1, 8, 8, 3], Format.FORMAT_NHWC)
    assert turned == Format.FORMAT_ND
    flat = formats(lambda b, x: es.Flatten(es.Relu(x)), [1, 8, 8, 3], Format.FORMAT_NHWC)
    assert flat == Format.FORMAT_ND
