"""Runs ONNX models that hold custom operators, on the host.

Standard operators run in onnxruntime, or in onnx's reference evaluator; custom ones run their Python implementation on NumPy
arrays over the same memory.

    >>> import ge.custom_op.executor
    >>> ge.custom_op.executor.Session.__name__
    'Session'
"""

from __future__ import annotations

import os
import tempfile
from typing import Any, Dict, Iterator, List, Mapping, NamedTuple, Optional, Sequence, Set, Tuple, Union

from ge._internal.onnxruntime_session import open_session
from ge.custom_op import runtime
from ge.custom_op._artifact_utils import ensure_native_module
from ge.error import CustomOpError

__all__ = ["Session", "has_custom_nodes"]

_ONNX_DOMAINS = frozenset(["", "ai.onnx", "ai.onnx.ml", "ai.onnx.training", "ai.onnx.preview.training"])


class Session:
    """A model with custom operators, ready to run; has the methods of `onnxruntime.InferenceSession` that callers need.

    Args:
        model: path of the .onnx file, its bytes, or an onnx.ModelProto.
        backend: "onnxruntime", or "reference" for onnx's reference evaluator. A part whose subgraphs (If, Loop, Scan)
            hold custom nodes runs in the reference evaluator in any case.
        check: compare the outputs of custom nodes with what their prototype's function says of shape and data type.

    Raises:
        ge.error.CustomOpError: an operator cannot be loaded, or a node has no implementation here.
        ImportError: onnx, numpy, or the backend is missing; `pip install 'ge-py[verify]'` brings them.
    """

    def __init__(self, model: Union[str, bytes, os.PathLike[str], Any], backend: str = "onnxruntime", check: bool = True):
        if backend not in ("onnxruntime", "reference"):
            raise ValueError(f"backend must be 'onnxruntime' or 'reference', found '{backend}'")
        runtime.load()
        self._model = _without_functions(_read(model))
        self._backend = backend
        self._check = check
        graph = self._model.graph
        self._initializers = {t.name: t for t in graph.initializer}
        self._initializers.update({t.values.name: t for t in graph.sparse_initializer})
        self._inputs = [i for i in graph.input if i.name not in self._initializers]
        self._types = {v.name: v for v in [*graph.input, *graph.output, *graph.value_info]}
        self._rounds = _Planner(self._model).rounds()
        self._custom = [node for round_ in self._rounds for node in round_.custom]
        self._version: Optional[int] = None
        self._runner_of: Dict[int, Any] = {}
        self._prepare()

    def _prepare(self) -> None:
        """Follows the operators of the process, which may have been unloaded or declared anew since."""
        runtime.ensure_loaded()
        version = ensure_native_module().registry_version()
        if version == self._version:
            return
        # By identity: nodes of protobuf have no hash, and live as long as the model.
        self._runner_of = {id(n): runner for n, runner in zip(self._custom, _runners(self._model, self._custom))}
        for round_ in self._rounds:
            round_.forget_reference()
        self._version = version

    def get_inputs(self) -> List[Any]:
        """Inputs with `name`, `type` and `shape`, as onnxruntime describes them."""
        return [_Argument.of(i) for i in self._inputs]

    def get_outputs(self) -> List[Any]:
        """Outputs with `name`, `type` and `shape`."""
        return [_Argument.of(o) for o in self._model.graph.output]

    def run(self, output_names: Optional[Sequence[str]], feeds: Mapping[str, Any]) -> List[Any]:
        """Values of the outputs named (all: None), for the inputs given by name.

        Raises:
            ge.error.CustomOpError: a custom operator failed, or its outputs are not as its prototype says; the text names
                operator, node and file.
            ValueError: an input is missing, unknown, or has another data type or shape than the model's.
        """
        self._prepare()
        names = [o.name for o in self._model.graph.output] if output_names is None else list(output_names)
        missing = [i.name for i in self._inputs if i.name not in feeds]
        known = {i.name for i in self._model.graph.input}
        unknown = [name for name in feeds if name not in known]
        if missing or unknown:
            raise ValueError(
                f"the model takes {', '.join(repr(i.name) for i in self._inputs)}: "
                + (f"'{missing[0]}' is missing" if missing else f"'{unknown[0]}' is none of them")
            )
        for info in self._inputs:
            _check_feed(info, feeds[info.name])
        values: Dict[str, Any] = dict(feeds)
        for round_ in self._rounds:
            if round_.standard:
                values.update(round_.run(self, values))
            for node in round_.custom:
                self._run_custom(node, values)
        return [self._value(name, values) for name in names]

    def _value(self, name: str, values: Mapping[str, Any]) -> Any:
        if name in values:
            return values[name]
        if name in self._initializers:
            return _array(self._initializers[name])
        raise ValueError(f"the model has no tensor '{name}'")

    def _run_custom(self, node: Any, values: Dict[str, Any]) -> None:
        inputs = [self._value(name, values) if name else None for name in node.input]
        runner = self._runner_of[id(node)]
        # Slots of the core's node may be more than the names given: optional inputs at the end.
        inputs += [None] * (runner.num_input_slots - len(inputs))
        outputs = runner.run(inputs, self._check)
        for name, value in zip(node.output, outputs):
            if name:
                values[name] = value


class _Argument(NamedTuple):
    """An input or output of a model."""

    name: str
    type: str
    shape: List[Union[int, str, None]]

    @classmethod
    def of(cls, info: Any) -> _Argument:
        tensor = info.type.tensor_type
        shape: List[Union[int, str, None]] = []
        for dim in tensor.shape.dim:
            shape.append(dim.dim_value if dim.HasField("dim_value") else dim.dim_param or None)
        return cls(info.name, f"tensor({_ORT_NAMES.get(tensor.elem_type, 'undefined')})", shape)


def _check_feed(info: Any, value: Any) -> None:
    """Refuses an array that the model's input does not take, as onnxruntime does."""
    import onnx

    tensor = info.type.tensor_type
    if not info.type.HasField("tensor_type") or not hasattr(value, "dtype") or not hasattr(value, "shape"):
        return
    argument = _Argument.of(info)
    # Types that NumPy lacks have several forms: those of ml_dtypes, or integers of the same width.
    plain = value.dtype.kind in "biufc" and tensor.elem_type <= onnx.TensorProto.COMPLEX128
    if plain and tensor.elem_type != _element_type(value):
        raise ValueError(f"input '{info.name}' takes {argument.type}, found an array of {value.dtype}")
    if not tensor.HasField("shape"):
        return
    fits = len(value.shape) == len(argument.shape) and all(
        not isinstance(dim, int) or dim == size for dim, size in zip(argument.shape, value.shape)
    )
    if not fits:
        raise ValueError(f"input '{info.name}' takes an array of shape {argument.shape}, found {list(value.shape)}")


# Numbers of TensorProto.DataType as onnxruntime writes them.
_ORT_NAMES = {
    1: "float",
    2: "uint8",
    3: "int8",
    4: "uint16",
    5: "int16",
    6: "int32",
    7: "int64",
    8: "string",
    9: "bool",
    10: "float16",
    11: "double",
    12: "uint32",
    13: "uint64",
    14: "complex64",
    15: "complex128",
    16: "bfloat16",
    17: "float8e4m3fn",
    18: "float8e4m3fnuz",
    19: "float8e5m2",
    20: "float8e5m2fnuz",
    21: "uint4",
    22: "int4",
    23: "float4e2m1",
}


def _read(model: Any, weights: bool = True) -> Any:
    import onnx

    if isinstance(model, bytes):
        return onnx.load_from_string(model)
    if isinstance(model, onnx.ModelProto):
        return model
    return onnx.load(os.fspath(model), load_external_data=weights)


def _without_functions(model: Any) -> Any:
    """The model with the calls of functions that hold custom nodes spelled out."""
    if any(_is_custom(node) for function in model.functions for node in _nodes_below(function.node)):
        from onnx import inliner

        model = inliner.inline_local_functions(model)
    return model


def _array(initializer: Any) -> Any:
    from onnx import numpy_helper

    if hasattr(initializer, "indices"):
        raise ValueError(f"sparse initializer '{initializer.values.name}' as input of a custom operator is not supported")
    return numpy_helper.to_array(initializer)


def has_custom_nodes(model: Union[str, bytes, os.PathLike[str], Any]) -> bool:
    """Whether a model has nodes of operators that the core knows as custom ones; loads what is registered."""
    runtime.load()
    return any(_is_custom(node) for node in _all_nodes(_read(model, weights=False)))


def _is_custom(node: Any) -> bool:
    return node.domain not in _ONNX_DOMAINS and runtime.is_known(node.op_type)


def _bodies(node: Any) -> Iterator[Any]:
    for attribute in node.attribute:
        if attribute.HasField("g"):
            yield attribute.g
        yield from attribute.graphs


def _nodes_below(nodes: Sequence[Any]) -> Iterator[Any]:
    for node in nodes:
        yield node
        for body in _bodies(node):
            yield from _nodes_below(body.node)


def _all_nodes(model: Any) -> Iterator[Any]:
    yield from _nodes_below(model.graph.node)
    for function in model.functions:
        yield from _nodes_below(function.node)


def _reads(node: Any) -> Set[str]:
    """Tensors that a node reads, those that its bodies take from outside included."""
    names = {name for name in node.input if name}
    for body in _bodies(node):
        own = {i.name for i in body.input} | {t.name for t in body.initializer}
        for inner in body.node:
            names |= {name for name in _reads(inner) if name not in own}
            own |= set(inner.output)
        names |= {o.name for o in body.output if o.name not in own}
    return names


class _Round:
    """Standard nodes that run as one model, then the custom nodes that wait for them."""

    def __init__(self) -> None:
        self.standard: List[Any] = []
        self.custom: List[Any] = []
        self.outputs: List[str] = []
        self.reference = False
        self._sessions: Dict[Tuple[Any, ...], Any] = {}

    def forget_reference(self) -> None:
        """Drops the evaluators that hold runners of custom nodes."""
        if self.reference:
            self._sessions.clear()

    def run(self, session: Session, values: Mapping[str, Any]) -> Dict[str, Any]:
        made = {name for node in self.standard for name in node.output}
        needed = sorted({name for node in self.standard for name in _reads(node)} - made)
        feeds = {name: values[name] for name in needed if name in values}
        # onnxruntime wants to know the types of what it is fed with, which may differ from run to run.
        key = tuple((name, str(getattr(value, "dtype", type(value)))) for name, value in feeds.items())
        if key not in self._sessions:
            self._sessions[key] = self._make(session, feeds, needed)
        outputs = [name for name in self.outputs if name]
        return dict(zip(outputs, self._sessions[key].run(outputs, feeds)))

    def _make(self, session: Session, feeds: Mapping[str, Any], needed: Sequence[str]) -> Any:
        import onnx
        from onnx import helper

        model = onnx.ModelProto()
        model.ir_version = session._model.ir_version
        model.opset_import.extend(session._model.opset_import)
        model.functions.extend(session._model.functions)
        graph = model.graph
        graph.name = "part"
        graph.node.extend(self.standard)
        for name, value in feeds.items():
            known = session._types.get(name)
            if known is not None and known.HasField("type") and not hasattr(value, "dtype"):
                graph.input.append(known)  # sequences, optionals
            else:
                graph.input.append(helper.make_tensor_value_info(name, _element_type(value), None))
        for name in needed:
            initializer = session._initializers.get(name)
            if initializer is not None and name not in feeds:
                into = graph.sparse_initializer if hasattr(initializer, "indices") else graph.initializer
                into.append(initializer)
        graph.output.extend(onnx.ValueInfoProto(name=name) for name in self.outputs if name)
        if self.reference or session._backend == "reference":
            from onnx.reference import ReferenceEvaluator

            return ReferenceEvaluator(model, new_ops=_op_runs(session._model, session._check))
        return _onnxruntime_session(model)


def _element_type(value: Any) -> int:
    from onnx import helper

    return int(helper.np_dtype_to_tensor_dtype(value.dtype))


def _onnxruntime_session(model: Any) -> Any:
    import onnx

    if model.ByteSize() < onnx.checker.MAXIMUM_PROTOBUF:
        return open_session(model.SerializeToString())
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "part.onnx")
        onnx.save_model(model, path, save_as_external_data=True)
        return open_session(path)


class _Planner:
    """Cuts the main graph into rounds."""

    def __init__(self, model: Any) -> None:
        self._model = model

    def rounds(self) -> List[_Round]:
        graph = self._model.graph
        round_of: Dict[str, int] = {}  # of the tensor's producer
        from_custom: Set[str] = set()
        rounds: List[_Round] = [_Round()]
        for node in graph.node:
            custom = _is_custom(node) and not any(_bodies(node))
            # A standard node waits for the custom nodes of a round, and so belongs to the next.
            number = max(
                (round_of[n] + (not custom and n in from_custom) for n in _reads(node) if n in round_of), default=0
            )
            while len(rounds) <= number:
                rounds.append(_Round())
            if custom:
                rounds[number].custom.append(node)
                from_custom.update(node.output)
            else:
                rounds[number].standard.append(node)
                rounds[number].reference |= any(_is_custom(n) for n in _nodes_below([node]))
            round_of.update({name: number for name in node.output if name})
        self._find_outputs(rounds)
        return rounds

    def _find_outputs(self, rounds: Sequence[_Round]) -> None:
        wanted = {o.name for o in self._model.graph.output}
        for round_ in rounds:
            for node in round_.custom:
                wanted |= _reads(node)
        for round_ in reversed(rounds):
            made = {name for node in round_.standard for name in node.output}
            round_.outputs = sorted(made & wanted)
            for node in round_.standard:
                wanted |= _reads(node) - made


def _runners(model: Any, nodes: Sequence[Any]) -> List[Any]:
    """A CustomNode for each node, which the core itself reads from a model of nothing but these nodes."""
    import onnx

    import ge.onnx

    if not nodes:
        return []
    part = onnx.ModelProto()
    part.ir_version = model.ir_version
    part.opset_import.extend(model.opset_import)
    part.graph.name = "custom"
    for index, node in enumerate(nodes):
        copy = part.graph.node.add()
        copy.CopyFrom(node)
        # Each by itself: what feeds it is given when it runs.
        for place, name in enumerate(node.input):
            copy.input[place] = f"{index}_in_{place}" if name else ""
            if name:
                part.graph.input.add().name = copy.input[place]
        for place, name in enumerate(node.output):
            copy.output[place] = f"{index}_out_{place}" if name else ""
            if name:
                part.graph.output.add().name = copy.output[place]
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "custom.onnx")
        with open(path, "wb") as file:
            file.write(part.SerializeToString())
        graph = ge.onnx.load(path)
        native = ensure_native_module()
        found = [n for n in graph.get_all_nodes() if n.type not in ("Data", "NetOutput", "Const", "Constant")]
        if len(found) != len(nodes):
            raise CustomOpError(f"expected {len(nodes)} custom node(s), the core read {len(found)}")
        return [native.CustomNode(node, name=original.name or node.name) for node, original in zip(found, nodes)]


def _op_runs(model: Any, check: bool) -> List[Any]:
    """Classes through which the reference evaluator runs custom operators."""
    from onnx.reference.op_run import OpRun

    def make(domain: str, op_type: str) -> Any:
        def _run(self: Any, *inputs: Any, **_: Any) -> Tuple[Any, ...]:
            runner = self.__dict__.get("_ge_runner")
            if runner is None:
                runner = self.__dict__["_ge_runner"] = _runners(model, [self.onnx_node])[0]
            slots = [*inputs] + [None] * (runner.num_input_slots - len(inputs))
            return tuple(runner.run(slots, check))[: max(1, len(self.onnx_node.output))]

        return type(op_type, (OpRun,), {"op_domain": domain, "_run": _run})

    kinds = {(n.domain, n.op_type) for n in _all_nodes(model) if _is_custom(n)}
    return [make(domain, op_type) for domain, op_type in sorted(kinds)]
