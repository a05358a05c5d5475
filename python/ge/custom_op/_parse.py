"""Reads a prototype out of the signature of a function."""

from __future__ import annotations

import inspect
from types import FunctionType
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Set, Tuple, Union, get_args, get_origin

from ge.custom_op._annotations import attr_type_of, canonical, resolve, show, signature_of
from ge.custom_op._ir_types import AttrType, InputType, OutputType
from ge.graph.types import DataType
from ge.runtime import TensorDesc

__all__ = ["ParsedAttr", "ParsedFunction", "parse_function"]

_INPUTS = (
    (TensorDesc, InputType.REQUIRED),
    (Optional[TensorDesc], InputType.OPTIONAL),
    (List[TensorDesc], InputType.DYNAMIC),
)
_OUTPUTS = ((TensorDesc, OutputType.REQUIRED), (List[TensorDesc], OutputType.DYNAMIC))
_SCALARS = {
    AttrType.INT: int,
    AttrType.FLOAT: float,
    AttrType.BOOL: bool,
    AttrType.STRING: str,
    AttrType.DATA_TYPE: DataType,
}
_ELEMENTS = {
    AttrType.LIST_INT: AttrType.INT,
    AttrType.LIST_FLOAT: AttrType.FLOAT,
    AttrType.LIST_BOOL: AttrType.BOOL,
    AttrType.LIST_STRING: AttrType.STRING,
    AttrType.LIST_DATA_TYPE: AttrType.DATA_TYPE,
    AttrType.LIST_LIST_INT: AttrType.LIST_INT,
}
_LARGEST_FLOAT = float.fromhex("0x1.fffffep+127")


class ParsedAttr(NamedTuple):
    """An attribute as the signature declares it."""

    name: str
    type: str
    is_required: bool
    default: Any


class ParsedFunction(NamedTuple):
    """What a signature declares, in its order."""

    inputs: List[Tuple[str, InputType]]
    attrs: List[ParsedAttr]
    outputs: List[Tuple[str, OutputType]]


def parse_function(function: FunctionType, mutates_args: Any) -> ParsedFunction:
    """Reads the signature.

    Raises:
        TypeError: it is none of a prototype, or `mutates_args` has another form.
        ValueError: `mutates_args` does not fit the signature, or a default does not fit the IR.
    """
    try:
        hints = resolve(function)
    except (NameError, TypeError) as error:
        raise TypeError(f"annotations of '{function.__qualname__}' cannot be evaluated: {error}") from error
    inputs: List[Tuple[str, InputType]] = []
    attrs: List[ParsedAttr] = []
    for parameter in signature_of(function).parameters.values():
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            raise TypeError(f"a prototype does not support variadic parameter '{parameter.name}'")
        if parameter.kind is parameter.KEYWORD_ONLY:
            attrs.append(_attr(parameter, hints))
        else:
            inputs.append((parameter.name, _input_kind(parameter, hints)))
    if "return" not in hints:
        raise TypeError("a return type annotation is required: None, TensorDesc, List[TensorDesc] or a Tuple of them")
    kinds = _output_kinds(hints["return"])
    bound = _bindings(mutates_args, [name for name, _ in inputs], len(kinds))
    names = _output_names(bound, {name for name, _ in inputs}, len(kinds))
    return ParsedFunction(inputs, attrs, list(zip(names, kinds)))


def _input_kind(parameter: inspect.Parameter, hints: Dict[str, Any]) -> InputType:
    name = parameter.name
    if name not in hints:
        raise TypeError(f"input '{name}' must have a type annotation")
    if parameter.default is not parameter.empty:
        raise TypeError(f"input '{name}' must not have a default value; attributes are keyword-only, after a '*'")
    wanted = canonical(hints[name])
    for known, kind in _INPUTS:
        if wanted == known:
            return kind
    raise TypeError(
        f"unsupported input annotation for '{name}': expected TensorDesc, Optional[TensorDesc] or List[TensorDesc] of "
        f"ge.runtime, found {show(hints[name])}; attributes are keyword-only, after a '*'"
    )


def _attr(parameter: inspect.Parameter, hints: Dict[str, Any]) -> ParsedAttr:
    name, default = parameter.name, parameter.default
    if name not in hints:
        raise TypeError(f"attr '{name}' must have a type annotation")
    wanted = hints[name]
    if default is None:
        # Whoever writes Optional means that None is a value, which no attribute has; that is what must be told.
        arguments = get_args(canonical(wanted))
        if get_origin(canonical(wanted)) is Union and len(arguments) == 2:
            wanted = arguments[0]
    kind = attr_type_of(wanted)
    if kind is None:
        raise TypeError(
            f"unsupported attr annotation for '{name}': expected int, float, bool, str, DataType, Tensor, a List of the "
            f"first five, or List[List[int]], found {show(wanted)}"
        )
    if default is parameter.empty:
        return ParsedAttr(name, kind, True, None)
    if kind == AttrType.TENSOR:
        raise TypeError(f"Tensor attr '{name}' does not support a default")
    if not _is_of(default, kind):
        raise TypeError(f"default value for attr '{name}' must be exactly {show(wanted)}, found {default!r}")
    _check_range(name, default)
    return ParsedAttr(name, kind, False, default)


def _is_of(value: Any, kind: str) -> bool:
    """Whether the type is exactly that: an int is no float, a bool no int, a tuple no list."""
    if kind in _ELEMENTS:
        return type(value) is list and all(_is_of(item, _ELEMENTS[kind]) for item in value)
    return type(value) is _SCALARS[kind] and value is not DataType.DT_MAX


def _check_range(name: str, value: Any) -> None:
    """Says at the declaration what the IR would refuse later."""
    if isinstance(value, list):
        for item in value:
            _check_range(name, item)
    elif type(value) is int and not -(2**63) <= value < 2**63:
        raise ValueError(f"default value for attr '{name}' must fit 64 bits, found {value}")
    elif isinstance(value, float) and _LARGEST_FLOAT < abs(value) < float("inf"):
        raise ValueError(f"default value for attr '{name}' must fit float32, found {value}")
    elif isinstance(value, str) and ("\0" in value or value != value.encode("utf-8", "replace").decode("utf-8")):
        raise ValueError(f"default value for attr '{name}' must be UTF-8 without NUL, found {value!r}")


def _output_kinds(annotation: Any) -> List[OutputType]:
    if annotation is type(None):
        return []
    if get_origin(annotation) is tuple:
        arguments = get_args(annotation)
        if arguments and arguments != ((),) and Ellipsis not in arguments:
            return [_output_kind(argument, f" at output index {i}") for i, argument in enumerate(arguments)]
        raise TypeError(f"unsupported return annotation {annotation}: a Tuple must have a fixed length of 1 or more")
    return [_output_kind(annotation, "")]


def _output_kind(annotation: Any, place: str) -> OutputType:
    wanted = canonical(annotation)
    for known, kind in _OUTPUTS:
        if wanted == known:
            return kind
    expected = "TensorDesc or List[TensorDesc]" if place else "None, TensorDesc, List[TensorDesc] or a Tuple of them"
    raise TypeError(f"unsupported return annotation{place}: expected {expected}, found {show(annotation)}")


def _bindings(mutates_args: Any, inputs: Sequence[str], output_count: int) -> Dict[int, str]:
    """The input that an output is, by the output's index."""
    if not isinstance(mutates_args, (list, tuple)):
        raise TypeError(f"mutates_args must be a list or tuple, found {mutates_args!r}")
    texts = sum(isinstance(item, str) for item in mutates_args)
    if texts not in (0, len(mutates_args)):
        raise TypeError(f"mutates_args must hold names or pairs (name, output index), not both, found {mutates_args!r}")
    pairs = [_pair(item) for item in (zip(mutates_args, range(texts)) if texts else mutates_args)]
    bound: Dict[int, str] = {}
    for name, index in pairs:
        if not 0 <= index < output_count:
            raise ValueError(f"mutates_args binds '{name}' to output {index}, but there are {output_count} outputs")
        if index in bound:
            raise ValueError(f"mutates_args binds output {index} twice, to '{bound[index]}' and '{name}'")
        if name not in inputs:
            raise ValueError(f"mutates_args names '{name}', which is no input; the inputs are {list(inputs)}")
        if name in bound.values():
            raise ValueError(f"mutates_args binds input '{name}' twice")
        bound[index] = name
    return bound


def _pair(item: Any) -> Tuple[str, int]:
    if not isinstance(item, (list, tuple)) or len(item) != 2:
        raise TypeError(f"mutates_args must hold names or pairs (name, output index), found {item!r}")
    name, index = item
    # A bool is an int to isinstance.
    if not isinstance(name, str) or type(index) is not int:
        raise TypeError(f"a pair of mutates_args must be (str, int), found {item!r}")
    return name, index


def _output_names(bound: Dict[int, str], inputs: Set[str], count: int) -> List[str]:
    """Names of the outputs: that of the input, else the first of output<i>, output<i>_1, ... that is free."""
    names: List[str] = []
    for index in range(count):
        name = bound.get(index, "")
        if not name:
            name, again = f"output{index}", 0
            while name in inputs:  # no two outputs come to the same name
                again += 1
                name = f"output{index}_{again}"
        names.append(name)
    return names
