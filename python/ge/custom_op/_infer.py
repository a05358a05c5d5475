"""Calls the function of a prototype for the descriptions of an operator's outputs."""

from __future__ import annotations

import dis
from functools import lru_cache
from types import CodeType
from typing import Any, List, Mapping, Optional, Sequence, Tuple, Union

from ge._internal.errors import source_file
from ge.custom_op._ir_types import OutputType
from ge.custom_op.proto import OpOutput, OpProtoDescriptor
from ge.runtime import TensorDesc

__all__ = ["Descs", "call_infer_func"]

Descs = List[Union[TensorDesc, List[TensorDesc]]]


def _empty() -> None: ...


def _steps(code: CodeType) -> List[Tuple[str, Any]]:
    return [(step.opname, step.argval) for step in dis.get_instructions(code)]


_NOTHING = _steps(_empty.__code__)


# By code: every node of the operator asks, and a function would keep its module.
@lru_cache(maxsize=256)
def _says_nothing(code: CodeType) -> bool:
    """Whether the body is only `...`, `pass`, a docstring or `return None`."""
    return _steps(code) == _NOTHING


def call_infer_func(
    descriptor: OpProtoDescriptor, inputs: Sequence[Any], attrs: Mapping[str, Any]
) -> Optional[Descs]:
    """Describes the outputs.

    Args:
        inputs: for each input a TensorDesc, a TensorDesc or None, or a list of TensorDesc.
        attrs: values by name.

    Returns:
        For each output a TensorDesc or a list of them; None if the function has no body to say something.

    Raises:
        TypeError: the function gave something else.
        Exception: what it raised.
    """
    function = descriptor.infer_func
    if descriptor.outputs and _says_nothing(function.__code__):
        return None
    answer = function(*inputs, **attrs)
    found = _separate(answer, len(descriptor.outputs))
    if found is None:
        raise _unfit(descriptor, _expected_count(len(descriptor.outputs)), _shown(answer))
    for output, item in zip(descriptor.outputs, found):
        _check(descriptor, output, item)
    return found


def _separate(answer: Any, count: int) -> Optional[List[Any]]:
    """What stands for each output; None if it does not come to `count`."""
    if count == 0:
        return [] if answer is None else None
    if isinstance(answer, tuple):
        return list(answer) if len(answer) == count else None
    return [answer] if count == 1 else None


def _check(descriptor: OpProtoDescriptor, output: OpOutput, item: Any) -> None:
    place = f" for output {output.index} ('{output.name}')"
    if output.kind == OutputType.REQUIRED:
        if not isinstance(item, TensorDesc):
            raise _unfit(descriptor, f"a TensorDesc{place}", _shown(item))
    elif not isinstance(item, list):
        raise _unfit(descriptor, f"a list of TensorDesc{place}", _shown(item))
    else:
        for n, desc in enumerate(item):
            if not isinstance(desc, TensorDesc):
                raise _unfit(descriptor, f"a list of TensorDesc{place}", f"{_shown(desc)} at index {n}")


def _expected_count(count: int) -> str:
    return ("None, as there is no output", "one output")[count] if count < 2 else f"a tuple of {count} outputs"


def _shown(value: Any) -> str:
    if isinstance(value, tuple):
        return f"a tuple of {len(value)}"
    return "None" if value is None else f"'{type(value).__name__}'"


def _unfit(descriptor: OpProtoDescriptor, expected: str, found: str) -> TypeError:
    return TypeError(
        f"function '{descriptor.func_name}' of '{source_file(descriptor.infer_func)}' describes the outputs of op type "
        f"'{descriptor.op_type}': expected {expected}, found {found}"
    )
