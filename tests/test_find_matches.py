"""Listing matches without rewriting."""

from __future__ import annotations

import gc

import pytest
from ge.es.all import Abs, Add, Exp, MatMul, Neg, Relu
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


def test_siblings_of_which_the_last_fits_nowhere_cost_no_combinations():
    """A tensor with 1,000 products: 10 to the power of 12 choices of four, all of them in vain."""

    def target(x, y, *zs):
        t = Abs(x)
        return [MatMul(t, z) for z in zs] + [Exp(y)]

    graph = build(target, 1002)
    pattern = build(lambda x, a, b, c, d: [MatMul(x, a), MatMul(x, b), MatMul(x, c), MatMul(x, Exp(d))], 5, "pattern")
    assert find_matches(graph, pattern) == []


def test_siblings_of_which_one_fits_in_one_place_find_it():
    def target(x, y, *zs):
        t = Abs(x)
        return [MatMul(t, z) for z in zs] + [MatMul(t, Exp(y))]

    graph = build(target, 62)
    pattern = build(lambda x, a, b, c: [MatMul(x, a), MatMul(x, b), MatMul(x, Exp(c))], 4, "pattern")
    places = find_matches(graph, pattern)
    # Each product of the 60 with each other; the one with Exp can stand in its own role only.
    assert {tuple(n.name for n in m.get_matched_nodes()) for m in places} == {
        tuple(n.name for n in m.get_matched_nodes()) for m in places if any(n.type == "Exp" for n in m.get_matched_nodes())
    }
    assert len(places) == 60 * 59


def test_more_siblings_than_there_are_consumers_are_told_at_once():
    graph = build(lambda x, *zs: [MatMul(x, z) for z in zs], 13)
    pattern = build(lambda x, *zs: [MatMul(x, z) for z in zs], 14, "pattern")
    assert find_matches(graph, pattern) == []


def test_unconnected_outputs_of_which_the_last_fits_nowhere_cost_no_combinations():
    graph = build(lambda x, *ys: [f(y) for y in ys for f in (Relu, Abs, Neg)] + [Exp(x)], 1001)
    pattern = build(lambda x, y, z: [Relu(x), Abs(y), Neg(Exp(z))], 3, "pattern")
    assert find_matches(graph, pattern) == []


def test_unconnected_outputs_take_what_is_nearest(run_pass):
    """Each Relu is paired with the Exp in front of it, though other pairs would do as well."""
    pairs = []

    class Pair(PatternFusionPass):
        def patterns(self):
            return [build(lambda x, y: [Relu(x), Exp(y)], 2, "pattern")]

        def meet_requirements(self, match_result):
            pairs.append([n.name for n in match_result.get_matched_nodes()])
            return True

        def replacement(self, match_result):
            return build(lambda x, y: [Abs(x), Neg(y)], 2, "replacement")

    graph = build(lambda *xs: [f(x) for x in xs for f in (Exp, Relu)], 50)
    (report,) = run_pass(graph, Pair)
    assert report.rewrites == 50 and pairs == [[f"Exp_{2 * i}", f"Relu_{2 * i + 1}"] for i in range(50)]


def test_pairs_that_would_close_a_cycle_are_passed_over_quickly(run_pass):
    """Of the pairs in a chain only neighbours can become one; a search for cycles each would go along the chain."""

    class Ends(PatternFusionPass):
        def patterns(self):
            return [build(lambda a, b: [Abs(a), Exp(b)], 2, "pattern")]

        def replacement(self, match_result):
            return build(lambda a, b: [Relu(a), Relu(b)], 2, "replacement")

    def chain(x):
        for _ in range(2000):
            x = Exp(Neg(Abs(x)))
        return x

    (report,) = run_pass(build(chain), Ends)
    assert report.rewrites == 1999
