"""What the Python function of an operator looks like: parameters, result, documentation, stub.

An operator with several outputs returns an object of a class `<Operator>Output`.
"""

from __future__ import annotations

import keyword
import struct
from typing import Any, Dict, List, NamedTuple, Optional, Sequence

__all__ = ["Parameter", "Signature"]

# Outputs of these names are renamed in operators with a dynamic output, as those of Python keywords always are.
_CPP_KEYWORDS = frozenset(
    "alignas alignof and_eq asm auto bitand bitor bool case catch char char16_t char32_t char8_t co_await co_return "
    "co_yield compl concept const const_cast consteval constexpr constinit decltype default delete do double "
    "dynamic_cast enum explicit export extern false float friend goto inline int long mutable namespace new noexcept "
    "not_eq nullptr operator or_eq private protected public register reinterpret_cast requires short signed sizeof "
    "static static_assert static_cast struct switch template this thread_local throw true typedef typeid typename "
    "union unsigned using virtual void volatile wchar_t xor xor_eq".split()
)


class Parameter(NamedTuple):
    """One parameter; `default` is an expression, None where there is none."""

    name: str
    annotation: str
    default: Optional[str] = None


class _Input:
    def __init__(self, name: str, kind: str, dtypes: List[str]) -> None:
        self.name = name
        self.parameter = f"in_{name}" if keyword.iskeyword(name) else name
        self.kind = kind
        self.dtypes = dtypes


class _Output:
    def __init__(self, name: str, kind: str, dtypes: List[str]) -> None:
        self.name = name
        self.attribute = name
        self.dynamic = kind == "dynamic"
        self.dtypes = dtypes

    @property
    def count(self) -> str:
        return f"{self.attribute}_num"

    @property
    def annotation(self) -> str:
        return "List[TensorHolder]" if self.dynamic else "TensorHolder"


class _Attr:
    def __init__(self, name: str, kind: str, required: bool, default: Any, taken: bool) -> None:
        self.name = name
        self.parameter = f"attr_{name}" if taken or keyword.iskeyword(name) else name
        self.kind = kind
        self.required = required
        self.default = default
        if default is not None and kind == "float":
            self.default = _short_float(default)
        elif default is not None and kind == "List[float]":
            self.default = [_short_float(v) for v in default]

    def default_text(self) -> str:
        """The default as Python writes it."""
        if self.kind == "Tensor":
            return "Tensor()"
        return _shown(self.default)


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


def _shown(value: Any) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_shown, value))}]"
    # Members of DataType are ints too.
    return f"DataType.{value.name}" if hasattr(value, "name") else repr(value)


class Signature:
    """The function of one operator.

    Args:
        facts: what the native operator says of itself.
        summary: what the documentation begins with, where there is something better than the operator's name.
    """

    def __init__(self, facts: Dict[str, Any], summary: Optional[str] = None) -> None:
        self.type: str = facts["type"]
        self._summary = summary or f"Makes a node of type {self.type}."
        self.inputs = [_Input(*io) for io in facts["inputs"]]
        self.outputs = [_Output(*io) for io in facts["outputs"]]
        names = {i.name for i in self.inputs}
        self.attrs = [_Attr(*attr, taken=attr[0] in names) for attr in facts["attrs"]]
        self.subgraphs = [_Subgraph(*s) for s in facts["subgraphs"]]
        self.counted = [o for o in self.outputs if o.dynamic]
        self.all_optional = all(i.kind == "optional" for i in self.inputs)
        self.tensor_like = len(self.inputs) > 1 or self.all_optional
        for o in self.outputs:
            if o.name in names:
                o.attribute = f"ref_{o.name}"
            elif keyword.iskeyword(o.name) or (self.counted and o.name in _CPP_KEYWORDS):
                o.attribute = f"out_{o.name}"

    @property
    def output_class(self) -> Optional[str]:
        """Name of the class that holds the outputs of an operator with several."""
        return f"{self.type}Output" if len(self.outputs) > 1 else None

    @property
    def result(self) -> str:
        """Annotation of what the function returns."""
        if self.output_class:
            return self.output_class
        return "List[TensorHolder]" if self.counted else "TensorHolder"

    def _input_annotation(self, i: _Input) -> str:
        one = "Union[TensorHolder, TensorLike]" if self.tensor_like else "TensorHolder"
        if i.kind == "dynamic":
            return f"List[{one}]"
        return f"Optional[{one}]" if i.kind == "optional" else one

    def _may_be_left_out(self, position: int) -> bool:
        # What follows must have a default too: later inputs, and there are no counts or subgraphs.
        if self.counted or self.subgraphs:
            return False
        return all(i.kind == "optional" for i in self.inputs[position:])

    def positional(self) -> List[Parameter]:
        """Inputs, the builder where it is needed, counts of dynamic outputs, subgraphs."""
        parameters = []
        if not self.inputs:
            parameters.append(Parameter("owner_graph_builder", "GraphBuilder"))
        left_out = False
        for position, i in enumerate(self.inputs):
            left_out = self._may_be_left_out(position)
            parameters.append(Parameter(i.parameter, self._input_annotation(i), "None" if left_out else None))
        if self.inputs and self.all_optional:
            builder = ("Optional[GraphBuilder]", "None") if left_out else ("GraphBuilder", None)
            parameters.append(Parameter("owner_builder", *builder))
        parameters += [Parameter(o.count, "int") for o in self.counted]
        parameters += [Parameter(s.parameter, "List[Graph]" if s.dynamic else "Graph") for s in self.subgraphs]
        return parameters

    def keyword_only(self) -> List[Parameter]:
        """Attributes, required ones first."""
        return [Parameter(a.parameter, a.kind, None if a.required else a.default_text()) for a in self.attrs]

    # ---- texts ----------------------------------------------------------------------------------------------------

    def doc(self) -> str:
        """The docstring."""
        arguments = [f"{i.parameter}: {i.kind} input; {_accepted(i.dtypes)}." for i in self.inputs]
        if not self.inputs:
            arguments.append("owner_graph_builder: builder of the graph the node goes into.")
        elif self.all_optional:
            arguments.append("owner_builder: builder of the graph the node goes into; needed if no input is a tensor.")
        arguments += [f"{o.count}: number of tensors in output {o.name}." for o in self.counted]
        arguments += [
            f"{s.parameter}: {'subgraphs, each used once' if s.dynamic else 'subgraph, used once'}."
            for s in self.subgraphs
        ]
        arguments += [
            f"{a.parameter}: attribute, {a.kind}, " + ("required." if a.required else f"default {a.default_text()}.")
            for a in self.attrs
        ]
        outputs = [
            f"{o.attribute}: {'list of tensors' if o.dynamic else 'tensor'}; {_accepted(o.dtypes)}."
            for o in self.outputs
        ]
        lines = [*self._summary.split("\n"), ""]
        if arguments:
            lines += ["Args:", *(_wrapped(a) for a in arguments), ""]
        lines.append("Returns:")
        if self.output_class:
            lines += [f"    {self.output_class} with", *(_wrapped(o) for o in outputs)]
        else:
            lines.append(_wrapped(outputs[0] if outputs else "what stands for the node; it has no output to connect."))
        lines += [
            "",
            "Raises:",
            "    TypeError: an argument of the wrong kind.",
            "    ValueError: no builder to be found, or two, or one that has built its graph.",
        ]
        return "\n".join(lines)

    def stub(self) -> str:
        """Declaration of the function, and of the class of its outputs, for a .pyi file."""

        def declared(parameters: Sequence[Parameter]) -> List[str]:
            # Calling Tensor() is nothing for a stub; what the default is stands in the docstring.
            return [
                f"{p.name}: {p.annotation}"
                + ("" if p.default is None else f" = {'...' if p.default == 'Tensor()' else p.default}")
                for p in parameters
            ]

        # To a type checker a list of tensors is no List[Union[...]], but it is a sequence of them.
        parameters = [p.replace(": List[Union", ": Sequence[Union") for p in declared(self.positional())]
        if self.attrs:
            parameters += ["*", *declared(self.keyword_only())]
        lines = []
        if self.output_class:
            lines.append(f"class {self.output_class}:")
            lines += [f"    {o.attribute}: {o.annotation}" for o in self.outputs]
            made_of = ", ".join(f"{o.attribute}: {o.annotation}" for o in self.outputs)
            lines += [f"    def __init__(self, {made_of}) -> None: ...", ""]
        lines += [f"def {self.type}(", *(f"    {p}," for p in parameters), f") -> {self.result}:"]
        doc = self.doc().replace("\\", "\\\\").split("\n")
        lines += [f'    """{doc[0]}', *(f"    {line}".rstrip() for line in doc[1:]), '    """', ""]
        return "\n".join(lines)


def _wrapped(text: str) -> str:
    # With the first operator, not with the module.
    import textwrap

    return textwrap.fill(text, 100, initial_indent="    ", subsequent_indent="        ", break_on_hyphens=False)


def _accepted(dtypes: List[str]) -> str:
    return ", ".join(dtypes) if dtypes else "any type"
