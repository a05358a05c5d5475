"""Random inputs that fit the signature of a model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np

__all__ = ["Attempt", "Input", "find_upper_bounds", "make_inputs", "parse_shapes"]

Dim = Union[int, str, None]

_DTYPES: Mapping[str, Any] = {
    "tensor(float)": np.float32,
    "tensor(double)": np.float64,
    "tensor(float16)": np.float16,
    "tensor(int8)": np.int8,
    "tensor(uint8)": np.uint8,
    "tensor(int16)": np.int16,
    "tensor(uint16)": np.uint16,
    "tensor(int32)": np.int32,
    "tensor(uint32)": np.uint32,
    "tensor(int64)": np.int64,
    "tensor(uint64)": np.uint64,
    "tensor(bool)": np.bool_,
    "tensor(string)": np.object_,
}

# Operators whose first output holds elements of their first input (Concat: of all), so that a bound goes through.
_PASSING = frozenset(
    "Cast Concat Expand Flatten Gather Identity Reshape Slice Split Squeeze Tile Transpose Unsqueeze".split()
)


@dataclass(frozen=True)
class Input:
    """One input of a model as onnxruntime describes it."""

    name: str
    type: str
    shape: Sequence[Dim]


@dataclass(frozen=True)
class Attempt:
    """Sizes for what the model leaves open.

    Attributes:
        first: Size of a dynamic first dim.
        other: Size of every other dynamic dim.
        integers: Integers without a bound of their own are drawn from [0, integers).
        trust_names: Whether dims of one name get one size; some exporters give every dim the same name.
    """

    first: int
    other: int
    integers: int
    trust_names: bool = True


def parse_shapes(text: str) -> Dict[str, List[int]]:
    """``"x:1,3,-1;y:"`` as dims by name; -1 stays free."""
    shapes: Dict[str, List[int]] = {}
    for item in filter(None, (part.strip() for part in text.split(";"))):
        name, colon, dims = item.rpartition(":")
        if not colon:
            raise ValueError(
                f"'{item}' has no ':' after the name of an input; use for example 'x:1,3,224,224'"
            )
        shapes[name.strip()] = [int(dim) for dim in dims.split(",") if dim.strip()]
    return shapes


def _graphs(graph: Any) -> Iterator[Any]:
    yield graph
    for node in graph.node:
        for attribute in node.attribute:
            for subgraph in ([attribute.g] if attribute.HasField("g") else []) + list(attribute.graphs):
                yield from _graphs(subgraph)


def _constant_scalar(node: Any) -> Optional[Any]:
    for attribute in node.attribute:
        if attribute.name == "value" and attribute.HasField("t"):
            return attribute.t
    return None


def _bound_of(node: Any, slot: int, tensors: Mapping[str, Any]) -> Optional[int]:
    """Number of values that `node` allows in its input `slot`; None if it doesn't say."""
    from onnx import numpy_helper

    attributes = {a.name: a for a in node.attribute}
    if node.op_type in ("Gather", "GatherElements", "ScatterElements", "Scatter") and slot == 1:
        table = tensors.get(node.input[0])
        axis = attributes["axis"].i if "axis" in attributes else 0
        if table is not None and -len(table.dims) <= axis < len(table.dims):
            return int(table.dims[axis])
    if node.op_type == "GatherND" and slot == 1 and node.input[0] in tensors:
        return int(min(tensors[node.input[0]].dims, default=1))
    if node.op_type == "OneHot" and slot == 0 and node.input[1] in tensors:
        return int(numpy_helper.to_array(tensors[node.input[1]]).reshape(-1)[0])
    if node.op_type == "Equal" and node.input[1 - slot] in tensors:
        # One-hot written out: compared with every class.
        classes = numpy_helper.to_array(tensors[node.input[1 - slot]])
        return int(classes.max()) + 1 if classes.dtype.kind in "iu" and classes.size > 1 else None
    if node.op_type in ("Loop", "Range", "ConstantOfShape", "TopK") or (
        node.op_type in ("Reshape", "Expand", "Tile", "Resize") and slot > 0
    ):
        return 4
    return None


def find_upper_bounds(model_path: str, names: Sequence[str]) -> Dict[str, int]:
    """How large the integers of each input may get, read from what consumes them (an index into a table, a depth).

    Args:
        model_path: The model; its external data is not read.
        names: Inputs to look at.

    Returns:
        Exclusive bounds; an input is missing if nothing bounds it.
    """
    import onnx

    graph = onnx.load(model_path, load_external_data=False).graph
    consumers: Dict[str, List[Tuple[Any, int]]] = {}
    tensors: Dict[str, Any] = {}
    for part in _graphs(graph):
        tensors.update((tensor.name, tensor) for tensor in part.initializer)
        for node in part.node:
            if node.op_type == "Constant":
                value = _constant_scalar(node)
                if value is not None:
                    tensors[node.output[0]] = value
            for slot, name in enumerate(node.input):
                consumers.setdefault(name, []).append((node, slot))
    bounds: Dict[str, int] = {}
    for name in names:
        seen = {name}
        pending = [name]
        found: List[int] = []
        while pending:
            for node, slot in consumers.get(pending.pop(), []):
                bound = _bound_of(node, slot, tensors)
                if bound is not None:
                    found.append(bound)
                elif node.op_type in _PASSING and (slot == 0 or node.op_type == "Concat"):
                    new = [output for output in node.output if output and output not in seen]
                    seen.update(new)
                    pending.extend(new)
        if found:
            bounds[name] = max(1, min(found))
    return bounds


def _resolve_dims(
    inputs: Sequence[Input], given: Mapping[str, Sequence[int]], attempt: Attempt
) -> Dict[str, List[int]]:
    """Sizes of all dims; dims of one name get one size, given ones come first."""
    named: Dict[str, int] = {}
    for item in inputs:
        for dim, size in zip(item.shape, given.get(item.name, ())):
            if isinstance(dim, str) and size >= 0:
                named.setdefault(dim, size)
    result: Dict[str, List[int]] = {}
    for item in inputs:
        wanted = given.get(item.name)
        dims: List[Dim] = list(item.shape)
        if wanted is not None and not dims:
            dims = [None] * len(wanted)
        sizes: List[int] = []
        for position, dim in enumerate(dims):
            size = wanted[position] if wanted is not None and position < len(wanted) else -1
            if size < 0 and isinstance(dim, int) and dim >= 0:
                size = dim
            if size < 0 and attempt.trust_names and isinstance(dim, str) and dim in named:
                size = named[dim]
            if size < 0:
                size = attempt.first if position == 0 else attempt.other
            if isinstance(dim, str):
                named.setdefault(dim, size)
            sizes.append(size)
        result[item.name] = sizes
    return result


def _random(dtype: Any, shape: Sequence[int], bound: int, random: np.random.Generator) -> np.ndarray:
    if dtype is np.object_:
        letters = random.integers(ord("a"), ord("z") + 1, size=(*shape, 8), dtype=np.uint8)
        flat = [bytes(word).decode("ascii") for word in letters.reshape(-1, 8)]
        return np.array(flat, dtype=np.object_).reshape(shape)
    if dtype is np.bool_:
        return random.integers(0, 2, size=shape).astype(np.bool_)
    if np.issubdtype(dtype, np.integer):
        return random.integers(0, min(bound, np.iinfo(dtype).max), size=shape).astype(dtype)
    return random.standard_normal(size=shape).astype(dtype)


def make_inputs(
    inputs: Sequence[Input],
    given: Mapping[str, Sequence[int]],
    bounds: Mapping[str, int],
    attempt: Attempt,
    seed: int,
) -> Dict[str, np.ndarray]:
    """Random values for every input: normal floats, integers within their bounds, either truth value.

    Args:
        inputs: What the model takes.
        given: Dims by input name where the user chose them; -1 is free.
        bounds: Exclusive upper bounds of integers by input name.
        attempt: Sizes for what is open.
        seed: The same seed gives the same values.

    Raises:
        ValueError: An input is no tensor, or of an element type that numpy lacks.
    """
    random = np.random.default_rng(seed)
    shapes = _resolve_dims(inputs, given, attempt)
    values: Dict[str, np.ndarray] = {}
    for item in inputs:
        dtype = _DTYPES.get(item.type)
        if dtype is None:
            raise ValueError(f"no random values can be made for input '{item.name}' of type '{item.type}'")
        # Bytes are pictures or quantised values: all of them are sane.
        default = 256 if dtype is np.uint8 else 127 if dtype is np.int8 else attempt.integers
        values[item.name] = _random(dtype, shapes[item.name], bounds.get(item.name, default), random)
    return values
