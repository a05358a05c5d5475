"""Operands in either order, when a pass asks for it."""

from __future__ import annotations

import itertools

import pytest
from ge.es.all import Abs, Add, Cast, Exp, Mul, Neg, Relu, Sub
from ge.graph import DataType
from ge.passes import PatternFusionPass, PatternMatcherConfigBuilder, find_matches

from _graphs import build, kinds, only, producers


def either_order():
    return PatternMatcherConfigBuilder().enable_commutative_match().build()


def count(graph, pattern, inputs=1, config=None):
    return len(find_matches(graph, build(pattern, inputs, "pattern"), config=config))


def test_operands_keep_their_order_unless_asked():
    graph = build(lambda x, y: Add(x, Relu(y)), 2)
    assert count(graph, lambda a, b: Add(Relu(a), b), 2) == 0
    assert count(graph, lambda a, b: Add(Relu(a), b), 2, either_order()) == 1


def test_operators_that_do_not_commute_keep_their_order():
    graph = build(lambda x, y: Sub(x, Relu(y)), 2)
    assert count(graph, lambda a, b: Sub(Relu(a), b), 2, either_order()) == 0


def test_the_config_says_what_is_on():
    config = PatternMatcherConfigBuilder().build()
    assert not config.is_enable_commutative_match()
    assert either_order().is_enable_commutative_match()


def test_inputs_and_captures_stand_for_what_was_matched(run_pass):
    seen = []

    class Swap(PatternFusionPass):
        def __init__(self):
            super().__init__(either_order())

        def patterns(self):
            from ge.es import GraphBuilder
            from ge.passes import create_pattern

            builder = GraphBuilder("pattern")
            a, b = builder.create_inputs(2)
            relu = Relu(a)
            pattern = create_pattern(builder.build_and_reset([Add(relu, b)]))
            return [pattern.capture_tensor(a).capture_tensor(b).capture_tensor(relu)]

        def meet_requirements(self, match_result):
            seen.append([match_result.get_captured_tensor(i).node.type for i in range(3)])
            return True

        def replacement(self, inputs):
            return Sub(inputs[0], inputs[1])

    graph = build(lambda x: Add(Exp(x), Relu(Abs(x))))
    run_pass(graph, Swap)
    assert seen == [["Abs", "Exp", "Relu"]]
    assert producers(only(graph, "Sub")) == [("Abs", 0), ("Exp", 0)]


def test_both_orders_are_offered_until_one_is_taken(run_pass):
    offered = []

    class Choosy(PatternFusionPass):
        def __init__(self):
            super().__init__(either_order())

        def patterns(self):
            return [build(lambda a, b: Add(a, b), 2, "pattern")]

        def meet_requirements(self, match_result):
            node = match_result.get_matched_nodes()[0]
            offered.append(node.name)
            return len(offered) == 2

        def replacement(self, inputs):
            return Sub(inputs[0], inputs[1])

    graph = build(lambda x: Add(Exp(x), Abs(x)))
    (report,) = run_pass(graph, Choosy)
    assert (report.matches, report.rewrites, len(offered)) == (1, 1, 2)
    assert producers(only(graph, "Sub")) == [("Abs", 0), ("Exp", 0)]


def test_a_place_is_listed_once_however_it_can_be_read():
    graph = build(lambda x, y: Mul(Add(x, y), Add(y, x)), 2)
    assert count(graph, lambda a, b: Add(a, b), 2, either_order()) == 2
    assert count(graph, lambda a, b, c, d: Mul(Add(a, b), Add(c, d)), 4, either_order()) == 1


def test_one_tensor_on_both_sides_matches_one_wildcard_on_both_sides():
    pattern = lambda a: Add(a, a)  # noqa: E731
    assert count(build(lambda x: Add(x, x)), pattern, 1, either_order()) == 1
    assert count(build(lambda x, y: Add(x, y), 2), pattern, 1, either_order()) == 0


def test_a_shared_operand_is_found_on_either_side():
    pattern = lambda a: Mul(a, Add(a, Exp(a)))  # noqa: E731
    for left, right in itertools.product((False, True), repeat=2):
        def target(x):
            t = Abs(x)
            e = Exp(t)
            inner = Add(e, t) if left else Add(t, e)
            return Mul(inner, t) if right else Mul(t, inner)

        assert count(build(target), pattern, 1, either_order()) == 1, (left, right)


def test_outputs_that_are_reached_through_a_shared_input_swap_too():
    def target(x):
        t = Abs(x)
        return [Add(Exp(x), t), Mul(Neg(x), t)]

    def pattern(a, b, c):
        t = Abs(a)
        return [Add(t, b), Mul(t, c)]

    assert count(build(target), pattern, 3, either_order()) == 1
    assert count(build(target), pattern, 3) == 0


@pytest.mark.parametrize("depth", [4, 40])
def test_deep_chains_do_not_multiply(depth):
    """Each level decides its order by itself: a pattern of 40 levels is as quick as its 40 nodes."""

    def chain(x, swap):
        t = Relu(x)
        for level in range(depth):
            other = Exp(x)
            t = Add(other, t) if swap(level) else Add(t, other)
        return t

    graph = build(lambda x: chain(x, lambda level: level % 3 == 0))
    assert count(graph, lambda x: chain(x, lambda level: False), 1, either_order()) == 1
    missing = build(lambda x: Cast(chain(x, lambda level: level % 2 == 0), dst_type=DataType.DT_FLOAT))
    assert count(missing, lambda x: Neg(chain(x, lambda level: False)), 1, either_order()) == 0


def test_a_swapped_match_is_replaced_as_a_whole(run_pass):
    class Fuse(PatternFusionPass):
        def __init__(self):
            super().__init__(either_order())

        def patterns(self):
            return [build(lambda a, b: Relu(Add(Mul(a, b), Exp(a))), 2, "pattern")]

        def replacement(self, inputs):
            return Sub(inputs[0], inputs[1])

    graph = build(lambda x, y: Relu(Add(Exp(x), Mul(y, x))), 2)
    run_pass(graph, Fuse)
    assert kinds(graph) == ["Sub"]
    assert [p[0] for p in producers(only(graph, "Sub"))] == ["Data", "Data"]
    first = only(graph, "Sub").get_in_data_nodes_and_port_indexes(0)[0]
    assert first.name == "input_0"


def balanced(make_leaf, leaves):
    layer = [make_leaf(i) for i in range(leaves)]
    while len(layer) > 1:
        layer = [Add(layer[i], layer[i + 1]) for i in range(0, len(layer), 2)]
    return layer[0]


@pytest.mark.parametrize("odd", [0, 101, 255])
def test_a_tree_that_differs_in_one_leaf_is_told_at_once(odd):
    """255 Adds have 2 to the power of 255 orders: what can't match is found out once, not once for every order."""
    pattern = build(lambda *xs: Abs(balanced(lambda i: Relu(xs[i]), 256)), 256, "pattern")
    same = build(lambda *xs: Abs(balanced(lambda i: Relu(xs[i]), 256)), 256)
    other = build(lambda *xs: Abs(balanced(lambda i: (Exp if i == odd else Relu)(xs[i]), 256)), 256)
    assert len(find_matches(same, pattern, config=either_order())) == 1
    assert find_matches(other, pattern, config=either_order()) == []


def test_a_tree_of_which_a_part_is_used_elsewhere_is_told_at_once():
    def target(*xs):
        leaf = [Relu(x) for x in xs]
        return [Abs(balanced(lambda i: leaf[i], 64)), Neg(leaf[17])]

    pattern = build(lambda *xs: Abs(balanced(lambda i: Relu(xs[i]), 64)), 64, "pattern")
    assert find_matches(build(target, 64), pattern, config=either_order()) == []


@pytest.mark.parametrize("bottom, matches", [(Relu, 1), (Neg, 0)])
def test_a_ladder_of_equal_rungs_does_not_multiply(bottom, matches):
    def ladder(first, x, others):
        t = first(x)
        for other in others:
            t = Mul(Add(t, other), Add(t, other))
        return Abs(t)

    pattern = build(lambda x, *others: ladder(Relu, x, others), 61, "pattern")
    graph = build(lambda x, *others: ladder(bottom, x, others), 61)
    assert len(find_matches(graph, pattern, config=either_order())) == matches


def refusing(pattern, offered):
    class Refuses(PatternFusionPass):
        def __init__(self):
            super().__init__(either_order())

        def patterns(self):
            return [pattern]

        def meet_requirements(self, match_result):
            offered.append(str(match_result))
            return False

    return Refuses


def test_a_refused_match_is_offered_a_thousand_ways_at_most(run_pass):
    def sums(*xs):
        t = Add(xs[0], xs[1])
        for i in range(2, len(xs), 2):
            t = Sub(t, Add(xs[i], xs[i + 1]))
        return t

    offered = []
    (report,) = run_pass(build(sums, 44), refusing(build(sums, 44, "pattern"), offered))
    assert (report.matches, len(offered)) == (1, 1000)
    assert len(find_matches(build(sums, 44), build(sums, 44, "pattern"), config=either_order())) == 1


def test_orders_that_come_to_the_same_are_offered_once(run_pass):
    """Which of the two equal sums is on the left changes neither nodes nor inputs nor outputs."""

    def twice(a, b):
        return Mul(Add(a, b), Add(a, b))

    offered = []
    run_pass(build(twice, 2), refusing(build(twice, 2, "pattern"), offered))
    assert len(offered) == 2  # (a, b) and (b, a)


def test_a_sum_next_to_the_one_that_fails_is_not_forgotten():
    """What is learnt at one place holds at the next one too, and only that."""
    pattern = build(lambda *xs: Abs(balanced(lambda i: Relu(xs[i]), 32)), 32, "pattern")

    def target(*xs):
        bad = [Abs(balanced(lambda i, k=k: (Exp if i == k else Relu)(xs[i]), 32)) for k in (3, 30)]
        return [bad[0], Abs(balanced(lambda i: Relu(xs[i]), 32)), bad[1]]

    graph = build(target, 32)
    (match,) = find_matches(graph, pattern, config=either_order())
    assert len(match.get_matched_nodes()) == 64
