"""Python functions for the operators of the compiler's registry, made when they are first asked for.

Python carries only the signature; the body of every function is one native call. A function `Op` of an operator with
several outputs comes with a class `OpOutput` that holds them.
"""

from __future__ import annotations

import __future__

import keyword
import struct
from typing import Any, Callable, Dict, List, Optional, Tuple

from ge.es.graph_builder import GraphBuilder
from ge.es.tensor_holder import TensorHolder
from ge.es.tensor_like import TensorLike
from ge.graph import DataType, Graph, Tensor
from ge.passes.runtime import ensure_native_module

__all__ = ["OperatorModule"]

_native = ensure_native_module()

# Made by the builder itself, or control flow that has no form as a function.
_SKIPPED = frozenset(
    "AippData AnnData AnyData Data Enter Exit LoopCond Merge NetOutput NextIteration RefData StreamMerge StreamSwitch "
    "Switch Variable".split()
)

# What a function's annotations and defaults refer to.
_NAMES: Dict[str, Any] = {
    "DataType": DataType,
    "Graph": Graph,
    "GraphBuilder": GraphBuilder,
    "List": List,
    "Optional": Optional,
    "Tensor": Tensor,
    "TensorHolder": TensorHolder,
    "TensorLike": TensorLike,
}


class _Input:
    def __init__(self, name: str, kind: str, dtypes: List[str]) -> None:
        self.name = name
        self.parameter = f"in_{name}" if keyword.iskeyword(name) else name
        self.kind = kind
        self.dtypes = dtypes


class _Output:
    def __init__(self, name: str, kind: str, dtypes: List[str], inputs: List[_Input]) -> None:
        self.name = name
        self.attribute = f"out_{name}" if keyword.iskeyword(name) else name
        if any(name == i.name for i in inputs):
            self.attribute = f"ref_{name}"
        self.count = f"{self.attribute}_num"
        self.dynamic = kind == "dynamic"
        self.dtypes = dtypes


class _Attr:
    def __init__(self, name: str, kind: str, required: bool, default: Any, inputs: List[_Input]) -> None:
        self.name = name
        taken = keyword.iskeyword(name) or any(name == i.name for i in inputs)
        self.parameter = f"attr_{name}" if taken else name
        self.kind = kind
        self.required = required
        self.default = _short_float(default) if kind == "float" and default is not None else default
        if kind == "List[float]" and default is not None:
            self.default = [_short_float(v) for v in default]


class _Subgraph:
    def __init__(self, name: str, dynamic: bool) -> None:
        self.name = name
        self.parameter = f"subgraph_{name}" if keyword.iskeyword(name) else name
        self.dynamic = dynamic


def _short_float(value: float) -> float:
    """The shortest decimal that is `value` as a 32-bit float: 0.1 instead of 0.10000000149."""
    packed = struct.pack("f", value)
    for digits in range(6, 9):
        short = float(f"{value:.{digits}g}")
        if struct.pack("f", short) == packed:
            return short
    return value


class _Operator:
    """An operator and the function that makes it."""

    def __init__(self, native: Any) -> None:
        self.native = native
        facts = native.describe()
        self.type: str = facts["type"]
        self.inputs = [_Input(*io) for io in facts["inputs"]]
        self.outputs = [_Output(*io, self.inputs) for io in facts["outputs"]]
        self.attrs = [_Attr(*attr, self.inputs) for attr in facts["attrs"]]
        self.subgraphs = [_Subgraph(*s) for s in facts["subgraphs"]]
        self.counted = [o for o in self.outputs if o.dynamic]
        self.all_optional = all(i.kind == "optional" for i in self.inputs)
        self.tensor_like = len(self.inputs) > 1 or self.all_optional

    @property
    def output_class_name(self) -> Optional[str]:
        return f"{self.type}Output" if len(self.outputs) > 1 else None

    # ---- the signature ------------------------------------------------------------------------------------------

    def _input_annotation(self, i: _Input) -> str:
        one = "TensorHolder | TensorLike" if self.tensor_like else "TensorHolder"
        if i.kind == "dynamic":
            return f"List[{one}]"
        return f"Optional[{one}]" if i.kind == "optional" else one

    def _has_none_default(self, position: int) -> bool:
        if self.inputs[position].kind != "optional" or self.counted or self.subgraphs:
            return False
        return all(i.kind == "optional" for i in self.inputs[position:])

    def _parameters(self) -> List[str]:
        parameters = []
        if not self.inputs:
            parameters.append("owner_graph_builder: GraphBuilder")
        defaults = False
        for position, i in enumerate(self.inputs):
            defaults = self._has_none_default(position)
            parameters.append(f"{i.parameter}: {self._input_annotation(i)}" + (" = None" if defaults else ""))
        if self.inputs and self.all_optional:
            parameters.append("owner_builder: " + ("Optional[GraphBuilder] = None" if defaults else "GraphBuilder"))
        parameters += [f"{o.count}: int" for o in self.counted]
        parameters += [f"{s.parameter}: {'List[Graph]' if s.dynamic else 'Graph'}" for s in self.subgraphs]
        if self.attrs:
            parameters.append("*")
            for number, a in enumerate(self.attrs):
                parameters.append(f"{a.parameter}: {a.kind}" + ("" if a.required else f" = _default_{number}"))
        return parameters

    def _result_annotation(self) -> str:
        if self.output_class_name:
            return self.output_class_name
        return "List[TensorHolder]" if self.counted else "TensorHolder"

    # ---- the text -----------------------------------------------------------------------------------------------

    def _doc(self) -> str:
        def accepted(dtypes: List[str]) -> str:
            return ", ".join(dtypes) if dtypes else "any type"

        lines = [f"Makes a node of type {self.type}.", ""]
        arguments = [f"{i.parameter}: {i.kind} input; {accepted(i.dtypes)}" for i in self.inputs]
        if not self.inputs:
            arguments.append("owner_graph_builder: builder of the graph the node goes into")
        elif self.all_optional:
            arguments.append("owner_builder: builder of the graph the node goes into; needed if no input is a tensor")
        arguments += [f"{o.count}: number of tensors in output {o.name}" for o in self.counted]
        arguments += [f"{s.parameter}: subgraph{'s' if s.dynamic else ''}" for s in self.subgraphs]
        arguments += [f"{a.parameter}: attribute, {'required' if a.required else 'optional'}" for a in self.attrs]
        if arguments:
            lines += ["Args:", *(f"    {a}" for a in arguments), ""]
        outputs = [
            f"{o.attribute}: {'list of tensors' if o.dynamic else 'tensor'}; {accepted(o.dtypes)}" for o in self.outputs
        ]
        if self.output_class_name:
            lines += ["Returns:", f"    {self.output_class_name} with", *(f"    {o}" for o in outputs), ""]
        elif outputs:
            lines += ["Returns:", f"    {outputs[0]}", ""]
        lines += ["Raises:", "    TypeError: an argument of the wrong kind.", "    ValueError: no builder to be found, or two."]
        return "\n".join(lines)

    def _body(self) -> str:
        def packed(names: List[str]) -> str:
            return "(" + "".join(f"{n}, " for n in names).rstrip(" ") + ")"

        inputs = packed([i.parameter for i in self.inputs])
        attrs = packed(
            [
                f"None if {a.parameter} is _default_{n} else {a.parameter}"
                if a.kind == "Tensor" and not a.required
                else a.parameter
                for n, a in enumerate(self.attrs)
            ]
        )
        if self.inputs and not self.all_optional and not self.counted and not self.subgraphs:
            return f"_call(_op, {inputs}, {attrs})"
        builder = "None"
        if not self.inputs:
            builder = "owner_graph_builder"
        elif self.all_optional:
            builder = "owner_builder"
        counts = packed([o.count for o in self.counted])
        subgraphs = packed([s.parameter for s in self.subgraphs])
        return f"_call_full(_op, {inputs}, {attrs}, {builder}, {counts}, {subgraphs})"

    def make(self, namespace: Dict[str, Any]) -> None:
        """Puts the function, and the class of its outputs if it has several, into the namespace of a module."""
        defaults = [
            Tensor() if a.kind == "Tensor" and not a.required else a.default for a in self.attrs
        ]
        closure = ["_op", "_call", "_call_full", *(f"_default_{n}" for n in range(len(defaults)))]
        source = [
            f"def _make({', '.join(closure)}):",
            f"    def {self.type}({', '.join(self._parameters())}) -> {self._result_annotation()}:",
            f"        return {self._body()}",
            f"    return {self.type}",
        ]
        scope: Dict[str, Any] = {}
        flags = __future__.annotations.compiler_flag
        code = compile("\n".join(source), f"<ge.es operator {self.type}>", "exec", flags, dont_inherit=True)
        # Annotations are looked up in the function's globals.
        exec(code, namespace, scope)
        function = scope["_make"](self.native, _native.es_call, _native.es_call_full, *defaults)
        function.__qualname__ = self.type
        function.__doc__ = self._doc()
        if self.output_class_name:
            self.native.output_class = self._make_output_class(namespace)
        namespace[self.type] = function

    def _make_output_class(self, namespace: Dict[str, Any]) -> type:
        names = [o.attribute for o in self.outputs]
        source = [f"def __init__(self, {', '.join(names)}):", *(f"    self.{n} = {n}" for n in names)]
        scope: Dict[str, Any] = {}
        exec(compile("\n".join(source), f"<ge.es outputs of {self.type}>", "exec", dont_inherit=True), namespace, scope)
        members = {
            "__init__": scope["__init__"],
            "__module__": namespace["__name__"],
            "__doc__": f"The outputs of {self.type}.",
            "__annotations__": {o.attribute: "List[TensorHolder]" if o.dynamic else "TensorHolder" for o in self.outputs},
        }
        made = type(f"{self.type}Output", (), members)
        namespace[made.__name__] = made
        return made


class OperatorModule:
    """What a module `ge.es.<group>` answers with.

    Args:
        name: the module's full name; its last part is the group, `all` stands for every operator.
        namespace: the module's globals, where functions are kept once they are made.
    """

    def __init__(self, name: str, namespace: Dict[str, Any]) -> None:
        self._name = name
        self._group = name.rpartition(".")[2]
        self._namespace = namespace

    def hooks(self) -> Tuple[Callable[[str], Any], Callable[[], List[str]]]:
        """`__getattr__` and `__dir__` of the module."""
        return self.get, self.names

    def names(self) -> List[str]:
        """Names of the group's operators."""
        return _names_of(self._group)

    def get(self, name: str) -> Any:
        """The operator function of that name, or the class of an operator's outputs."""
        if name == "__all__":
            return self.names()
        if not name.startswith("__"):
            operator = self._find(name) or (self._find(name[: -len("Output")]) if name.endswith("Output") else None)
            if operator is not None:
                for key, value in _NAMES.items():
                    self._namespace.setdefault(key, value)
                operator.make(self._namespace)
                if name in self._namespace:
                    return self._namespace[name]
            if name in _NAMES:
                return _NAMES[name]
        raise AttributeError(f"module '{self._name}' has no operator '{name}'")

    def _find(self, op_type: str) -> Optional[_Operator]:
        if op_type in _SKIPPED:
            return None
        native = _native.es_operator(op_type)
        if native is None or not native.offered_by(self._group):
            return None
        return _Operator(native)


def _names_of(group: str) -> List[str]:
    return [name for name in _native.es_operator_names(group) if name not in _SKIPPED]
