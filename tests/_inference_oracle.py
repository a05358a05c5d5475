"""What the shape inference is held to: cases of the onnx package, and when a dim may be left open."""

from __future__ import annotations

import ge.onnx
import numpy as np
import onnx
from ge.utils import GeUtils
from onnx import helper, numpy_helper

# Operators whose output sizes follow from what some inputs hold, and those inputs. Everything else must be exact.
SIZE_INPUTS = {
    "AffineGrid": (1,),
    "BlackmanWindow": (0,),
    "CenterCropPad": (1,),
    "Col2Im": (1, 2),
    "Compress": (1,),
    "ConstantOfShape": (0,),
    "DFT": (1, 2),
    "Expand": (1,),
    "HammingWindow": (0,),
    "HannWindow": (0,),
    "ImageDecoder": (0,),
    "MaxUnpool": (2,),
    "MelWeightMatrix": (0, 1),
    "NonMaxSuppression": (0, 1, 2, 3, 4),
    "NonZero": (0,),
    "OneHot": (1,),
    "Pad": (1, 3),
    "Range": (0, 1, 2),
    "Reshape": (1,),
    "Resize": (1, 2, 3),
    "STFT": (1, 3),
    "Slice": (1, 2, 3, 4),
    "Split": (1,),
    "SplitToSequence": (1,),
    "Squeeze": (1,),
    "StringNormalizer": (0,),
    "StringSplit": (0,),
    "Tile": (1,),
    "TopK": (1,),
    "Unique": (0,),
    "Unsqueeze": (1,),
    "Upsample": (1,),
    **{
        f"Reduce{kind}": (1,)
        for kind in ("L1", "L2", "LogSum", "LogSumExp", "Max", "Mean", "Min", "Prod", "Sum", "SumSquare")
    },
    # How often a body runs, or which one.
    "If": (0,),
    "Loop": (0, 1),
}
# Those where even the rank follows from contents: which axes go, or which body runs.
RANK_INPUTS = {name for name in SIZE_INPUTS if name.startswith("Reduce")} | {"If", "Loop", "Squeeze"}
# Their outputs depend on sizes alone, whatever the values are.
SIZES_ONLY = {"Shape", "Size"}

# ONNX element type -> number in GE; the others have none.
GE_TYPES = {1: 0, 2: 4, 3: 2, 4: 7, 5: 6, 6: 3, 7: 9, 8: 13, 9: 12, 10: 1, 11: 11, 12: 8, 13: 10, 14: 16, 15: 17}
GE_TYPES.update({16: 27, 17: 36, 19: 35, 22: 29, 23: 40, 24: 37, 25: 32, 26: 31})
UNDEFINED, RESOURCE = 28, 23


def is_plain(model) -> bool:
    return all(node.domain in ("", "ai.onnx") for node in model.graph.node)


def dims_of(value):
    """The shape of a tensor in any of the forms the cases use; None for sequences and absent optional values."""
    if isinstance(value, onnx.TensorProto):
        return list(value.dims)
    return None if value is None or isinstance(value, (list, tuple)) else list(np.shape(value))


def tensor_of(value, name):
    if not isinstance(value, onnx.TensorProto):
        return numpy_helper.from_array(np.asarray(value), name)
    tensor = onnx.TensorProto()
    tensor.CopyFrom(value)
    tensor.name = name
    return tensor


def undeclared(model, constants):
    """The model without anything that says what its results are, some inputs made constants."""
    bare = onnx.ModelProto()
    bare.CopyFrom(model)
    del bare.graph.value_info[:]
    for output in bare.graph.output:
        output.ClearField("type")
    bare.graph.initializer.extend(tensor_of(value, name) for name, value in constants.items())
    kept = [i for i in bare.graph.input if i.name not in constants]
    del bare.graph.input[:]
    bare.graph.input.extend(kept)
    return bare


def inferred(model, shapes, path):
    """(dims, type number) by tensor name, for what the graph returns; dims are None when the rank is unknown."""
    path.write_bytes(model.SerializeToString())
    graph = ge.onnx.load(path)
    GeUtils.infer_shape(graph, shapes)
    end = next(n for n in graph.get_direct_nodes() if n.type == "NetOutput")
    found = []
    for i in range(end.get_inputs_size()):
        producer, port = end.get_in_data_nodes_and_port_indexes(i)
        desc = producer.get_output_desc(port)
        dims = list(desc.shape)
        found.append((None if dims == [-2] else dims, int(desc.data_type)))
    return found


class Openness:
    """Which tensors may have open dims, because their size follows from values that are not in the model."""

    def __init__(self, model):
        self.values = {i.name for i in model.graph.input}  # with contents the model does not hold
        self.dims, self.ranks = set(), set()
        self._visit(model.graph)

    def _visit(self, graph):
        for node in graph.node:
            sizes = [node.input[i] for i in SIZE_INPUTS.get(node.op_type, ()) if i < len(node.input)]
            bodies = [a.g for a in node.attribute if a.type == onnx.AttributeProto.GRAPH]
            inner = set()
            for body in bodies:
                if node.op_type in ("Loop", "Scan", "SequenceMap"):
                    self.values.update(i.name for i in body.input)  # another in every round
                self._visit(body)
                inner.update(o.name for o in body.output)
            used = set(node.input) | inner
            decisive = bool(self.values.intersection(sizes))
            outputs = set(node.output) - {""}
            if decisive or self.dims & used:
                self.dims |= outputs
            if (decisive and node.op_type in RANK_INPUTS) or self.ranks & used:
                self.ranks |= outputs
            if (self.values & used or self.dims & set(node.input)) and (
                node.op_type not in SIZES_ONLY or self.dims & set(node.input)
            ):
                self.values |= outputs


def disagreements(model, outputs, found):
    openness = Openness(model)
    for output, value, (dims, dtype) in zip(model.graph.output, outputs, found):
        wanted = dims_of(value)
        if wanted is None:
            if dtype != RESOURCE:
                yield f"'{output.name}' is a sequence, found type {dtype}"
            continue
        kind = tensor_of(value, "").data_type
        if kind not in GE_TYPES:
            yield f"'{output.name}' has the ONNX type {helper.tensor_dtype_to_string(kind)}, which GE lacks"
        elif dtype != GE_TYPES[kind]:
            yield f"'{output.name}' has type {GE_TYPES[kind]}, found {dtype}"
        if dims is None:
            if output.name not in openness.ranks:
                yield f"'{output.name}' is {wanted}, found an unknown rank"
        elif len(dims) != len(wanted) or any(d not in (w, -1) for d, w in zip(dims, wanted)):
            yield f"'{output.name}' is {wanted}, found {dims}"
        elif dims != wanted and output.name not in openness.dims:
            yield f"'{output.name}' is {wanted}, found {dims}; nothing leaves it open"


def contradictions(outputs, found):
    """What is said with open inputs must still be true."""
    for i, (value, (dims, _)) in enumerate(zip(outputs, found)):
        wanted = dims_of(value)
        if wanted is None or dims is None:
            continue
        if len(dims) != len(wanted) or any(d not in (w, -1) for d, w in zip(dims, wanted)):
            yield f"output {i} is {wanted}, found {dims} with open inputs"


def judge(model, inputs, outputs, path):
    """Problems of one case: as it is, with short inputs as constants, and with every dim open."""
    feeds = {info.name: value for info, value in zip(model.graph.input, inputs)}
    shapes = {name: dims_of(value) for name, value in feeds.items()}
    short = {name for name, dims in shapes.items() if dims is not None and len(dims) <= 1 and np.prod(dims) <= 64}
    if len(short) == len(feeds):  # something must be left to infer from
        short = {n for n in short if np.issubdtype(np.asarray(feeds[n]).dtype, np.integer)} if len(feeds) > 1 else set()
    problems = []
    for what in ("as it is", "with constants", "open"):
        constants = {name: feeds[name] for name in short} if what == "with constants" else {}
        if what == "with constants" and not constants:
            continue
        bare = undeclared(model, constants)
        given = [shapes[i.name] if shapes[i.name] is not None else [-2] for i in bare.graph.input]
        if what == "open":
            given = [[-1] * len(dims) if dims != [-2] else dims for dims in given]
        try:
            found = inferred(bare, given, path)
        except Exception as error:  # any failure is a finding
            problems.append(f"{what}: {error}")
            continue
        check = contradictions(outputs, found) if what == "open" else disagreements(bare, outputs, found)
        problems.extend(f"{what}: {problem}" for problem in check)
    return problems
