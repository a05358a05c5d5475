#!/usr/bin/env python3
"""Compiles random models with random passes, good and bad ones, in one process.

usage: soak_passes.py [COMPILES] [--seed=N]          (ge and hypothesis must be importable; default: 500 compiles)

A bad pass raises in a hook, returns nonsense, edits the graph and fails then, keeps handles for later, or gives graphs that cannot
be used. After every compile: a pass that failed has left the graph as it was, and the result can be saved and loaded. Meant to
run under sanitizers (scripts/sanitize.sh prints no report) or valgrind; a failing example is shrunk and printed.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
import tempfile
from typing import Any, Callable, Dict, List, Optional, Tuple

import hypothesis
from hypothesis import strategies as st

import ge.onnx
import ge.passes
from ge.es import GraphBuilder
from ge.es.all import Abs, Add, Exp, Mul, Neg, Relu, Sigmoid, Tanh
from ge.graph import Graph
from ge.passes import (
    DecomposePass,
    FusionBasePass,
    PassStage,
    PatternFusionPass,
    PatternMatcherConfigBuilder,
)

UNARY = {"Relu": Relu, "Neg": Neg, "Exp": Exp, "Tanh": Tanh, "Abs": Abs, "Sigmoid": Sigmoid}
BINARY = {"Add": Add, "Mul": Mul}
STAGES = list(PassStage)
# Handles that bad passes keep; used again in later compiles, when they must raise and nothing else.
kept: List[Any] = []


# --- expressions: what graphs, patterns and replacements are made of --------------------------------------------------

# ("x", index), (unary, inner) or (binary, left, right)
leaves = st.tuples(st.just("x"), st.integers(0, 1))
expressions = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.tuples(st.sampled_from(sorted(UNARY)), inner),
        st.tuples(st.sampled_from(sorted(BINARY)), inner, inner),
    ),
    max_leaves=6,
)
patterns = expressions.filter(lambda e: e[0] != "x")


def build(expression: Any, inputs: Any) -> Any:
    """The tensor of an expression over those inputs."""
    if expression[0] == "x":
        return inputs[expression[1]]
    operands = [build(inner, inputs) for inner in expression[1:]]
    return {**UNARY, **BINARY}[expression[0]](*operands)


def graph_of(expressions: List[Any], name: str) -> Graph:
    """A graph with two inputs that computes them all."""
    builder = GraphBuilder(name)
    inputs = [builder.create_input(i) for i in range(2)]
    return builder.build_and_reset([build(e, inputs) for e in expressions])


# --- passes -----------------------------------------------------------------------------------------------------------


def nothing(*_: Any) -> None:
    """What a well-behaved hook does beside its work."""


def raises(*_: Any) -> None:
    raise ValueError("on purpose")


def raises_oddly(*_: Any) -> None:
    class Odd(Exception):
        def __str__(self) -> str:
            raise RuntimeError("no text either")

    raise Odd


def descends() -> None:
    descends()


def recurses(*_: Any) -> None:
    # CPython 3.13.0 doesn't limit the recursion of a function that takes *args (it fills the memory), so descend without.
    descends()


def keeps(*handles: Any) -> None:
    kept.extend(handles)
    del kept[:-20]


def uses_kept(*_: Any) -> None:
    for handle in kept:
        with contextlib.suppress(RuntimeError, TypeError, AttributeError, ValueError, IndexError):
            for name in ("name", "type", "get_all_nodes", "get_matched_nodes", "get_inputs_size"):
                value = getattr(handle, name, None)
                if callable(value):
                    value()


def runs_passes(*_: Any) -> None:
    inner = graph_of([("Relu", ("x", 0))], "inner")
    ge.passes.apply(inner, passes=[pattern_pass(("Relu", ("x", 0)), ("Neg", ("x", 0)), {}, 0)])


def edits_and_fails(*handles: Any) -> None:
    for handle in handles:
        if isinstance(handle, Graph):
            nodes = list(handle.get_all_nodes())
            for node in nodes[::2]:
                with contextlib.suppress(Exception):
                    handle.remove_node(node)
                with contextlib.suppress(Exception):
                    node.set_attr("soak", 1)
    raise KeyError("after edits")


MISCHIEF: Dict[str, Callable[..., Any]] = {
    "nothing": nothing,
    "raises": raises,
    "raises oddly": raises_oddly,
    "recurses": recurses,
    "keeps": keeps,
    "uses kept": uses_kept,
    "runs passes": runs_passes,
    "edits and fails": edits_and_fails,
}
NONSENSE = [None, 0, 1, -1, 2**40, True, False, "text", [], object(), float("nan")]


def pattern_pass(pattern: Any, replacement: Any, mischief: Dict[str, str], flags: int) -> type:
    """A pass that replaces one expression by another and does that mischief in its hooks."""

    def mischievous(hook: str, *handles: Any) -> None:
        MISCHIEF[mischief.get(hook, "nothing")](*handles)

    class Soaked(PatternFusionPass):
        static_replacement = bool(flags & 8)

        def __init__(self) -> None:
            mischievous("__init__")
            builder = PatternMatcherConfigBuilder()
            if flags & 1:
                builder.enable_const_value_match()
            if flags & 2:
                builder.enable_ir_attr_match()
            if flags & 4:
                builder.enable_commutative_match()
            super().__init__(builder.build())

        def patterns(self) -> Any:
            mischievous("patterns")
            found = [graph_of([pattern], "pattern")]
            if mischief.get("patterns") == "keeps":
                keeps(*found)
            return found

        def meet_requirements(self, match_result: Any, context: Any = None) -> bool:
            mischievous("meet_requirements", match_result, context, *match_result.get_matched_nodes())
            return True

        def replacement(self, match_result: Any, context: Any = None) -> Any:
            made = graph_of([replacement], "replacement")
            mischievous("replacement", match_result, made)
            return made

    return Soaked


def decompose_pass(types: List[str], replacement: Any, mischief: Dict[str, str], result: Optional[int]) -> type:
    """A pass that replaces nodes of those types; `result`: an entry of NONSENSE is returned instead of a graph."""

    class SoakedDecompose(DecomposePass):
        op_types = types

        def meet_requirements(self, node: Any) -> bool:
            MISCHIEF[mischief.get("meet_requirements", "nothing")](node)
            return True

        def replacement(self, node: Any) -> Any:
            MISCHIEF[mischief.get("replacement", "nothing")](node)
            return graph_of([replacement], "decomposed") if result is None else NONSENSE[result]

    return SoakedDecompose


def graph_pass(mischief: str, result: int) -> type:
    """A pass that is given the graph."""

    class SoakedGraph(FusionBasePass):
        def run(self, graph: Any, context: Any) -> Any:
            MISCHIEF[mischief](graph, context, *graph.get_all_nodes())
            return NONSENSE[result]

    return SoakedGraph


mischiefs = st.one_of(st.just("nothing"), st.sampled_from(sorted(MISCHIEF)))
hooks = st.dictionaries(
    st.sampled_from(["__init__", "patterns", "meet_requirements", "replacement"]), mischiefs, max_size=2
)
passes = st.one_of(
    st.builds(pattern_pass, patterns, expressions, hooks, st.integers(0, 15)),
    st.builds(pattern_pass, patterns, expressions, st.just({}), st.integers(0, 15)),
    st.builds(
        decompose_pass,
        st.lists(st.sampled_from(sorted([*UNARY, *BINARY])), min_size=1, max_size=2),
        expressions,
        hooks,
        st.one_of(st.none(), st.integers(0, len(NONSENSE) - 1)),
    ),
    st.builds(graph_pass, mischiefs, st.integers(0, len(NONSENSE) - 1)),
)
plans = st.tuples(
    st.lists(expressions, min_size=1, max_size=4),
    st.lists(st.tuples(passes, st.sampled_from(STAGES)), min_size=1, max_size=4),
)


# --- compiles ---------------------------------------------------------------------------------------------------------


def saved(graph: Graph, folder: str) -> bytes:
    """The graph as a file."""
    path = os.path.join(folder, "out.onnx")
    ge.onnx.save(graph, path)
    with open(path, "rb") as file:
        return file.read()


def compile_once(wanted: List[Any], chosen: List[Tuple[type, PassStage]], folder: str) -> Tuple[int, int]:
    """One compile, pass by pass: (passes that ran, those that failed)."""
    graph = graph_of(wanted, "model")
    failures = 0
    for cls, stage in chosen:
        # Without a pass: shapes are inferred, so that only the pass itself can change anything below.
        ge.passes.clear_registered_passes()
        ge.passes.apply(graph)
        before = str(graph), saved(graph, folder)
        if issubclass(cls, DecomposePass):
            ge.passes.register_decompose_pass(name="Soaked", stage=stage, op_types=cls.op_types)(cls)
        else:
            ge.passes.register_fusion_pass(name="Soaked", stage=stage)(cls)
        for result in ge.passes.apply(graph):
            if result.failed:
                failures += 1
                assert (str(graph), saved(graph, folder)) == before, f"{result}\n{before[0]}\n{graph}"
    saved(graph, folder)
    ge.onnx.load(os.path.join(folder, "out.onnx"))
    return len(chosen), failures


def soak(compiles: int, seed: Optional[int]) -> Tuple[int, int, int]:
    """(compiles, passes that ran, passes that failed)."""
    counts = [0, 0, 0]

    with tempfile.TemporaryDirectory() as folder:

        @hypothesis.settings(
            max_examples=compiles,
            deadline=None,
            database=None,
            suppress_health_check=list(hypothesis.HealthCheck),
        )
        @hypothesis.given(plans)
        def run(plan: Any) -> None:
            ran, failed = compile_once(*plan, folder)
            for index, value in enumerate((1, ran, failed)):
                counts[index] += value

        if seed is not None:
            run = hypothesis.seed(seed)(run)
        run()
    ge.passes.clear_registered_passes()
    return counts[0], counts[1], counts[2]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("compiles", nargs="?", type=int, default=500)
    parser.add_argument("--seed", type=int)
    arguments = parser.parse_args()
    compiles, ran, failed = soak(arguments.compiles, arguments.seed)
    print(f"{compiles} compiles, {ran} passes, {failed} of them failed")


if __name__ == "__main__":
    sys.exit(main())
