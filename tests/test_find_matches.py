"""Listing matches without rewriting."""

from __future__ import annotations

import gc

import pytest
from ge.es.all import Abs, Add, Exp, MatMul, Relu
from ge.graph import Graph
from ge.passes import Pattern, PatternFusionPass, create_pattern, find_matches

from _graphs import build, kinds


def names(matches):
    return [[node.name for node in match.get_matched_nodes()] for match in matches]


def test_every_place_is_listed_and_nothing_changes():
    graph = build(lambda x: Relu(Abs(Relu(Abs(x)))))
    before = str(graph)
    pattern = build(lambda d: Relu(Abs(d)), 1, "pattern")
    assert names(find_matches(graph, pattern)) == [["Abs_0", "Relu_1"], ["Abs_2", "Relu_3"]]
    assert str(graph) == before
    assert names(find_matches(graph, pattern)) == [["Abs_0", "Relu_1"], ["Abs_2", "Relu_3"]]  # the pattern is not used up


def test_the_search_ends_at_the_limit():
    graph = build(lambda x: Relu(Relu(Relu(x))))
    pattern = build(lambda d: Relu(d), 1, "pattern")
    assert names(find_matches(graph, pattern, limit=2)) == [["Relu_0"], ["Relu_1"]]
    assert find_matches(graph, pattern, limit=0) == []


def test_captured_tensors_can_be_read_from_the_matches():
    graph = build(lambda x: Relu(Abs(x)))
    builder_graph = build(lambda d: Relu(d), 1, "pattern")
    pattern = create_pattern(builder_graph)
    assert isinstance(pattern, Pattern)
    (match,) = find_matches(graph, pattern)
    assert match.get_pattern_graph_name() == "pattern"
    with pytest.raises(RuntimeError, match="captures 0"):
        match.get_captured_tensor(0)


def test_matches_expire_with_their_graph():
    graph = build(lambda x: Relu(x))
    (match,) = find_matches(graph, build(lambda d: Relu(d), 1, "pattern"))
    del graph
    gc.collect()
    with pytest.raises(RuntimeError, match="expired"):
        match.get_matched_nodes()


def test_matches_survive_their_pattern():
    graph = build(lambda x: Relu(x))
    matches = find_matches(graph, build(lambda d: Relu(d), 1, "pattern"))
    gc.collect()
    assert names(matches) == [["Relu_0"]]


def test_what_is_no_graph_or_pattern_is_refused():
    graph = build(lambda x: Relu(x))
    with pytest.raises(TypeError, match="pattern must be"):
        find_matches(graph, "Relu")
    with pytest.raises(TypeError, match="graph must be"):
        find_matches("graph", graph)
    with pytest.raises(TypeError, match="config must be"):
        find_matches(graph, graph, config=3)
    with pytest.raises(ValueError, match="no.*output|at least one output"):
        find_matches(graph, Graph("empty"))


def test_projections_of_one_tensor_are_offered_in_every_role(run_pass):
    """Q, K and V: three products of one tensor, told apart by their consumers only in the filter."""
    offered = []

    class Qkv(PatternFusionPass):
        def patterns(self):
            return [build(lambda x, q, k, v: [MatMul(x, q), MatMul(x, k), MatMul(x, v)], 4, "pattern")]

        def meet_requirements(self, match_result):
            offered.append(str(match_result))
            return False

    def target(x, q, k, v):
        t = Abs(x)
        return [MatMul(t, q), MatMul(t, k), MatMul(t, v)]

    graph = build(target, 4)
    run_pass(graph, Qkv)
    assert len(offered) == len(set(offered)) == 6  # never one node in two roles
    assert len(find_matches(graph, build(lambda x, q, k, v: [MatMul(x, q), MatMul(x, k), MatMul(x, v)], 4, "pattern"))) == 3
    assert kinds(graph) == ["Abs", "MatMul", "MatMul", "MatMul"]


def test_overlapping_places_are_all_listed():
    graph = build(lambda x: Add(Add(Add(x, x), x), Exp(x)))
    assert len(find_matches(graph, build(lambda a, b: Add(a, b), 2, "pattern"))) == 3
