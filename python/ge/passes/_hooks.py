"""Checks of hook signatures and their uniform forms, made once when a pass class is created.

Whatever form a user wrote, the engine calls `hook(self, value, context)`; nothing is inspected at call time.
"""

from __future__ import annotations

import functools
import inspect
from typing import Any, Callable, List, Optional, Tuple

from ge.passes.replacement import build_outputs

__all__ = ["Hook", "original_hook", "positional_parameters", "uniform_hook", "wrap_pattern_replacement"]

Hook = Callable[..., Any]

_ORIGINAL = "__ge_original_hook__"

_EXPRESSION_FORMS = (
    "(self, inputs), (self, inputs, context), (self, inputs, match_result) "
    "and (self, inputs, match_result, context)"
)


def positional_parameters(owner: str, name: str, function: Any, forms: str) -> List[str]:
    """Names of the positional parameters, `self` included.

    Raises:
        TypeError: not a plain method, or it has a keyword-only parameter without default.
    """
    if isinstance(function, (staticmethod, classmethod, property)) or not callable(function):
        raise TypeError(
            f"{owner}.{name} must be a plain method, found '{type(function).__name__}'; write {forms}"
        )
    names = []
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD):
            names.append(parameter.name)
        elif parameter.kind is parameter.KEYWORD_ONLY and parameter.default is parameter.empty:
            raise TypeError(
                f"{owner}.{name} has the required keyword-only parameter '{parameter.name}', "
                f"which nobody passes; supported are {forms}"
            )
    return names


def uniform_hook(owner: str, name: str, function: Any, value_name: str) -> Hook:
    """`function(self, value[, context])` as `(self, value, context=None)`.

    Raises:
        TypeError: it takes another number of parameters.
    """
    forms = f"{name}(self, {value_name}) and {name}(self, {value_name}, context)"
    count = len(positional_parameters(owner, name, function, forms))
    if count == 2:

        @functools.wraps(function)
        def without_context(self: Any, value: Any, context: Any = None) -> Any:
            return function(self, value)

        setattr(without_context, _ORIGINAL, (function, 1))
        return without_context
    if count == 3:

        @functools.wraps(function)
        def with_context(self: Any, value: Any, context: Any = None) -> Any:
            return function(self, value, context)

        setattr(with_context, _ORIGINAL, (function, 2))
        return with_context
    raise TypeError(f"{owner}.{name} takes '{count}' positional parameters; supported are {forms}")


def original_hook(uniform: Any) -> Optional[Tuple[Hook, int]]:
    """The function behind a uniform form and how many arguments it takes beside `self`; None for anything else."""
    return getattr(uniform, _ORIGINAL, None)


def wrap_pattern_replacement(owner: str, function: Any) -> Hook:
    """A `replacement` of a PatternFusionPass in uniform form; the second parameter's name decides the style.

    Raises:
        TypeError: the signature is none of the supported ones.
    """
    forms = f"replacement(self, match_result), replacement(self, match_result, context), replacement{_EXPRESSION_FORMS}"
    names = positional_parameters(owner, "replacement", function, forms)
    if len(names) < 2 or names[1] != "inputs":
        return uniform_hook(owner, "replacement", function, "match_result")
    return _uniform_expression(owner, function, names)


def _uniform_expression(owner: str, function: Any, names: List[str]) -> Hook:
    """An expression-style `replacement(self, inputs, ...)` in uniform form."""
    if len(names) == 2:

        @functools.wraps(function)
        def from_inputs(self: Any, match_result: Any, context: Any = None) -> Any:
            return build_outputs(self, function)

        return from_inputs
    if len(names) == 3 and names[2] == "context":

        @functools.wraps(function)
        def from_context(self: Any, match_result: Any, context: Any = None) -> Any:
            return build_outputs(self, function, context)

        return from_context
    if len(names) == 3:

        @functools.wraps(function)
        def from_match(self: Any, match_result: Any, context: Any = None) -> Any:
            return build_outputs(self, function, match_result)

        return from_match
    if len(names) == 4 and names[3] == "context":

        @functools.wraps(function)
        def from_both(self: Any, match_result: Any, context: Any = None) -> Any:
            return build_outputs(self, function, match_result, context)

        return from_both
    if len(names) == 4:
        raise TypeError(
            f"{owner}.replacement with four arguments must be replacement(self, inputs, match_result, context), "
            f"found '{names[3]}' as the last one"
        )
    raise TypeError(
        f"{owner}.replacement takes '{len(names)}' positional parameters; supported are replacement{_EXPRESSION_FORMS}"
    )
