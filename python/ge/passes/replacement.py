"""Graphs from expressions: what `@pattern` methods and expression-style replacements return."""

from __future__ import annotations

from typing import Any, Callable, List

from ge.es import GraphBuilder, TensorHolder
from ge.graph import Graph
from ge.passes._native import Pattern
from ge.passes.pattern import PatternInputs

__all__ = ["create_replacement", "outputs_of"]


def create_replacement(graph: Graph) -> Graph:
    """Returns `graph`, checked to be one: the replacement of a match.

    Raises:
        TypeError: it is no ge.graph.Graph.
    """
    if not isinstance(graph, Graph):
        raise TypeError(f"a replacement must be a ge.graph.Graph, got '{type(graph).__name__}'")
    return graph


def outputs_of(result: Any) -> List[TensorHolder]:
    """What an expression-style hook returned, as a list of outputs.

    Raises:
        TypeError: it is neither a TensorHolder nor a non-empty list or tuple of them.
    """
    if isinstance(result, TensorHolder):
        return [result]
    if (
        isinstance(result, (list, tuple))
        and result
        and all(isinstance(item, TensorHolder) for item in result)
    ):
        return list(result)
    found = f"{type(result).__name__}"
    if isinstance(result, (list, tuple)):
        others = [type(item).__name__ for item in result if not isinstance(item, TensorHolder)]
        found = f"{found} with {', '.join(others)} in it" if others else f"empty {found}"
    raise TypeError(
        "an expression-style hook must return a TensorHolder or a non-empty list/tuple of TensorHolder, "
        f"got '{found}'"
    )


def build_outputs(owner: Any, function: Callable[..., Any], *arguments: Any) -> Graph:
    """The replacement graph that the expression-style hook `function` of `owner` describes."""
    builder = GraphBuilder(type(owner).__name__ + "_replacement")
    result = function(owner, PatternInputs(builder), *arguments)
    if type(result) is TensorHolder:
        return builder.build_and_reset([result])
    if isinstance(result, Graph):
        return result
    return builder.build_and_reset(outputs_of(result))


def build_pattern(owner: Any, name: str, method: Callable[..., Any]) -> Pattern:
    """The pattern that a `@pattern` method of `owner` describes, with its inputs and outputs captured.

    Raises:
        TypeError: the method returned several patterns, or something that is no output.
    """
    builder = GraphBuilder(f"{type(owner).__name__}_{name}_pattern")
    inputs = PatternInputs(builder)
    result = method(owner, inputs)
    if isinstance(result, Pattern):
        return result
    if isinstance(result, Graph):
        return Pattern(result)
    if isinstance(result, (list, tuple)) and result and all(isinstance(x, (Pattern, Graph)) for x in result):
        raise TypeError(
            f"@pattern method '{type(owner).__name__}.{name}' supports a single pattern only, got '{len(result)}'; "
            "write one method a pattern, or override patterns()"
        )
    outputs = outputs_of(result)
    # Taken before the build: afterwards the holders have no builder any more.
    captured = inputs.created() + outputs
    built = Pattern(builder.build_and_reset(outputs))
    for tensor in captured:
        built.capture_tensor(tensor)
    return built
