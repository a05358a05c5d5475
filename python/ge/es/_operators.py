"""Python functions for the operators of the compiler's registry, made when they are first asked for.

Python carries only the signature; the body of every function is one native call.
"""

from __future__ import annotations

import __future__

import keyword
from typing import Any, Callable, Collection, Dict, Iterable, Iterator, List, Optional, Sequence, Tuple, Union

from ge._internal.unknown_name import unknown_name
from ge.es._signature import Parameter, Signature
from ge.es.graph_builder import GraphBuilder
from ge.es.tensor_holder import TensorHolder
from ge.es.tensor_like import TensorLike
from ge.graph import DataType, Graph, Tensor
from ge.passes.runtime import ensure_native_module

__all__ = ["SKIPPED", "OperatorModule", "stub_of_module"]

_native = ensure_native_module()

# Made by the builder itself, or control flow that has no form as a function.
SKIPPED = frozenset(
    "AippData AnnData AnyData Data Enter Exit LoopCond Merge NetOutput NextIteration RefData StreamMerge StreamSwitch "
    "Switch Variable".split()
)

# What signatures refer to; a module of operators has these names too.
_EXPORTED: Dict[str, Any] = {
    "DataType": DataType,
    "Graph": Graph,
    "GraphBuilder": GraphBuilder,
    "Tensor": Tensor,
    "TensorHolder": TensorHolder,
    "TensorLike": TensorLike,
}
_NAMES: Dict[str, Any] = {**_EXPORTED, "List": List, "Optional": Optional, "Sequence": Sequence, "Union": Union}


def _has_function(op_type: str) -> bool:
    """Whether a function can have that name; the type of a custom operator may be any text."""
    return op_type.isidentifier() and not keyword.iskeyword(op_type) and not op_type.startswith("__")


def _with_function(op_types: Iterable[str]) -> List[str]:
    return [name for name in op_types if name not in SKIPPED and _has_function(name)]


def _packed(names: List[str]) -> str:
    return "(" + "".join(f"{n}, " for n in names).rstrip(" ") + ")"


def _body(signature: Signature) -> str:
    inputs = _packed([i.parameter for i in signature.inputs])
    # The default tensor is one object for all calls; the native side takes None for it, and so never takes it over.
    attrs = _packed(
        [
            f"None if {a.parameter} is _default_{n} else {a.parameter}"
            if a.kind == "Tensor" and not a.required
            else a.parameter
            for n, a in enumerate(signature.attrs)
        ]
    )
    if signature.inputs and not signature.all_optional and not signature.counted and not signature.subgraphs:
        return f"_call(_op, {inputs}, {attrs})"
    builder = "None"
    if not signature.inputs:
        builder = "owner_graph_builder"
    elif signature.all_optional:
        builder = "owner_builder"
    counts = _packed([o.count for o in signature.counted])
    subgraphs = _packed([s.parameter for s in signature.subgraphs])
    return f"_call_full(_op, {inputs}, {attrs}, {builder}, {counts}, {subgraphs})"


def _make(native: Any, namespace: Dict[str, Any], summary: Optional[str]) -> None:
    """Puts the function of an operator, and the class of its outputs if it has several, into a module's namespace."""
    signature = Signature(native.describe(), summary)

    def declared(p: Parameter, default: Optional[str]) -> str:
        return f"{p.name}: {p.annotation}" + ("" if default is None else f" = {default}")

    parameters = [declared(p, p.default) for p in signature.positional()]
    if signature.attrs:
        parameters.append("*")
        for n, p in enumerate(signature.keyword_only()):
            parameters.append(declared(p, None if p.default is None else f"_default_{n}"))
    defaults = [Tensor() if a.kind == "Tensor" and not a.required else a.default for a in signature.attrs]
    closure = ["_op", "_call", "_call_full", *(f"_default_{n}" for n in range(len(defaults)))]
    source = [
        f"def _make({', '.join(closure)}):",
        f"    def {signature.type}({', '.join(parameters)}) -> {signature.result}:",
        f"        return {_body(signature)}",
        f"    return {signature.type}",
    ]
    scope: Dict[str, Any] = {}
    flags = __future__.annotations.compiler_flag
    code = compile("\n".join(source), f"<ge.es operator {signature.type}>", "exec", flags, dont_inherit=True)
    # Annotations are looked up in the function's globals.
    exec(code, namespace, scope)
    function = scope["_make"](native, _native.es_call, _native.es_call_full, *defaults)
    function.__qualname__ = signature.type
    function.__doc__ = signature.doc()
    if signature.output_class:
        native.output_class = namespace[signature.output_class] = _make_output_class(signature, namespace)
    namespace[signature.type] = function


def _make_output_class(signature: Signature, namespace: Dict[str, Any]) -> type:
    names = [o.attribute for o in signature.outputs]
    source = [f"def __init__(self, {', '.join(names)}):", *(f"    self.{n} = {n}" for n in names)]
    scope: Dict[str, Any] = {}
    where = f"<ge.es outputs of {signature.type}>"
    exec(compile("\n".join(source), where, "exec", dont_inherit=True), namespace, scope)
    members = {
        "__init__": scope["__init__"],
        "__module__": namespace["__name__"],
        "__doc__": f"The outputs of {signature.type}.",
        "__annotations__": {o.attribute: o.annotation for o in signature.outputs},
    }
    return type(f"{signature.type}Output", (), members)


class OperatorModule:
    """What a module of operators answers with.

    Args:
        name: the module's full name.
        namespace: the module's globals, where functions are kept once they are made.
        operators: types of its operators; None: those of the group that the last part of the name names, `all` being
            every operator.
        summary: gives the first lines of an operator's documentation, None for the usual one.
    """

    def __init__(
        self,
        name: str,
        namespace: Dict[str, Any],
        operators: Optional[Collection[str]] = None,
        summary: Callable[[str], Optional[str]] = lambda op_type: None,
    ) -> None:
        self._name = name
        self._group = name.rpartition(".")[2]
        self._namespace = namespace
        self._operators = operators
        self._summary = summary

    def hooks(self) -> Tuple[Callable[[str], Any], Callable[[], List[str]]]:
        """`__getattr__` and `__dir__` of the module."""
        return self.get, self.names

    def operators(self) -> List[str]:
        """Types of the module's operators that have a function."""
        return _with_function(_native.es_operator_names(self._group) if self._operators is None else sorted(self._operators))

    def names(self) -> List[str]:
        """What the module exports: its operators, and the types that their signatures speak of."""
        return sorted({*self.operators(), *_EXPORTED})

    def get(self, name: str) -> Any:
        """The operator function of that name, or the class of an operator's outputs."""
        if name == "__all__":
            return self.names()
        if not name.startswith("__"):
            native = self._find(name) or (self._find(name[: -len("Output")]) if name.endswith("Output") else None)
            if native is not None:
                for key, value in _NAMES.items():
                    self._namespace.setdefault(key, value)
                _make(native, self._namespace, self._summary(native.describe()["type"]))
                if name in self._namespace:
                    return self._namespace[name]
            if name in _EXPORTED:
                return _EXPORTED[name]
        raise unknown_name(self._name, name, self._known(), "operator")

    def _known(self) -> Iterator[str]:
        if self._operators is None:
            for operator in _with_function(_native.es_operator_names("all")):
                yield f"ge.es.all.{operator}"
        yield from self.names()

    def _find(self, op_type: str) -> Any:
        if op_type in SKIPPED or not _has_function(op_type) or (self._operators is not None and op_type not in self._operators):
            return None
        native = _native.es_operator(op_type)
        if native is None or (self._operators is None and not native.offered_by(self._group)):
            return None
        return native


def stub_of_module(
    doc: str, operators: Collection[str], summary: Callable[[str], Optional[str]] = lambda op_type: None
) -> str:
    """Text of the .pyi file of a module with these operators."""
    lines = [
        f'"""{doc}"""',
        "",
        "from typing import List, Optional, Sequence, Union",
        "",
        "from ge.es.graph_builder import GraphBuilder as GraphBuilder",
        "from ge.es.tensor_holder import TensorHolder as TensorHolder",
        "from ge.es.tensor_like import TensorLike as TensorLike",
        "from ge.graph import DataType as DataType, Graph as Graph, Tensor as Tensor",
        "",
    ]
    for operator in sorted(operators):
        lines.append(Signature(_native.es_operator(operator).describe(), summary(operator)).stub())
    return "\n".join(lines)
