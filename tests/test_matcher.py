"""What a pattern matches, and what not."""

from __future__ import annotations

import pytest
from ge.es import GraphBuilder
from ge.es.all import (
    Abs,
    Add,
    BiasAdd,
    Cast,
    Concat,
    Exp,
    MatMul,
    Mul,
    Neg,
    Relu,
    Reshape,
    Split,
    TopKV2,
)
from ge.graph import DataType
from ge.passes import Pattern, PatternFusionPass, PatternMatcherConfigBuilder

from _graphs import build, kinds, only


@pytest.fixture
def find(run_pass):
    """find(graph, make, inputs) -> for each match the names of the matched nodes."""

    def find(graph, *makes, inputs=1, config=None):
        found = []

        class Find(PatternFusionPass):
            def __init__(self):
                super().__init__(config)

            def patterns(self):
                return [m if isinstance(m, Pattern) else build(m, inputs, "pattern") for m in makes]

            def meet_requirements(self, match_result):
                found.append([node.name for node in match_result.get_matched_nodes()])
                return False

        run_pass(graph, Find)
        return found

    return find


def values():
    return PatternMatcherConfigBuilder().enable_const_value_match().build()


def attributes():
    return PatternMatcherConfigBuilder().enable_ir_attr_match().build()


@pytest.mark.smoke
def test_one_node_matches_everywhere_in_node_order(find):
    graph = build(lambda x: Relu(Abs(Relu(Exp(Relu(x))))))
    assert find(graph, lambda d: Relu(d)) == [["Relu_0"], ["Relu_2"], ["Relu_4"]]


def test_nothing_matches_an_operator_that_is_not_there(find):
    assert find(build(lambda x: Relu(x)), lambda d: Neg(d)) == []


def test_a_chain_matches_from_its_output(find):
    graph = build(lambda x: Relu(Abs(Relu(Abs(x)))))
    assert find(graph, lambda d: Relu(Abs(Relu(d)))) == [["Relu_1", "Abs_2", "Relu_3"]]


def test_a_constant_in_a_pattern_matches_every_constant(find):
    graph = build(lambda x, y: [Reshape(x, [1, 2]), Reshape(y, [3])], 2)
    assert len(find(graph, lambda d: Reshape(d, [7, 7, 7]))) == 2


def test_a_wildcard_matches_a_constant_and_an_input(find):
    graph = build(lambda x, y: [Add(x, 1.0), Add(y, x)], 2)
    assert len(find(graph, lambda a, b: Add(a, b), inputs=2)) == 2


def test_matched_nodes_hold_constants_but_no_wildcards(find):
    assert find(build(lambda x: Add(Abs(x), 1.0)), lambda d: Add(d, 0)) == [["Const_1", "Add_2"]]


@pytest.mark.parametrize(
    "pattern, target, matches",
    [
        (1.0, 1.0, True),
        (1.0, 2.0, False),
        (1, 1, True),
        (1, 1.0, False),  # int64 and float32
        (0.0, -0.0, False),
        (1.0, [1.0], False),  # a scalar is no [1]
        ([1.0, 2.0], [1.0, 2.0], True),
        ([1.0, 2.0], [2.0, 1.0], False),
        ([[1.0, 2.0]], [1.0, 2.0], False),
        ([[1, 2], [3, 4]], [[1, 2], [3, 4]], True),
        ([1, 2, 3, 4], [[1, 2], [3, 4]], False),
        (float("nan"), float("nan"), True),  # bytes are compared
    ],
    ids=str,
)
def test_constants_are_compared_when_asked_for(pattern, target, matches, find):
    graph = build(lambda x: Add(x, target))
    assert len(find(graph, lambda d: Add(d, pattern), config=values())) == matches
    assert len(find(build(lambda x: Add(x, target)), lambda d: Add(d, pattern))) == 1


def test_attributes_are_compared_when_asked_for(find):
    def cast(dtype):
        return lambda x: Cast(x, dst_type=dtype)

    graph = build(cast(DataType.DT_INT32))
    assert len(find(graph, cast(DataType.DT_INT32), config=attributes())) == 1
    assert len(find(graph, cast(DataType.DT_INT64), config=attributes())) == 0
    assert len(find(graph, cast(DataType.DT_INT64))) == 1


def test_an_attribute_left_out_equals_its_default(find):
    graph = build(lambda a, b: MatMul(a, b, transpose_x1=False), 2)
    assert len(find(graph, lambda a, b: MatMul(a, b), inputs=2, config=attributes())) == 1
    assert len(find(graph, lambda a, b: MatMul(a, b, transpose_x1=True), inputs=2, config=attributes())) == 0


def test_operators_are_compared_by_type_with_attribute_match_too(find):
    graph = build(lambda x: Relu(Exp(x)))
    assert find(graph, lambda d: Relu(Abs(d)), config=attributes()) == []


def test_operands_are_not_swapped(find):
    graph = build(lambda x, y: Add(Relu(x), y), 2)
    assert find(graph, lambda a, b: Add(a, Relu(b)), inputs=2) == []
    assert len(find(graph, lambda a, b: Add(Relu(a), b), inputs=2)) == 1


def test_an_optional_input_must_be_there_on_both_sides_or_on_neither(find):
    with_bias = build(lambda a, b, c: MatMul(a, b, c), 3)
    without = build(lambda a, b: MatMul(a, b), 2)
    assert find(with_bias, lambda a, b: MatMul(a, b), inputs=2) == []
    assert find(without, lambda a, b, c: MatMul(a, b, c), inputs=3) == []
    assert len(find(with_bias, lambda a, b, c: MatMul(a, b, c), inputs=3)) == 1


def test_the_output_a_tensor_comes_from_is_compared(find):
    graph = build(lambda x: Relu(TopKV2(x, 2).values))
    assert len(find(graph, lambda d: Relu(TopKV2(d, 2).values))) == 1
    assert find(graph, lambda d: Relu(TopKV2(d, 2).indices)) == []


def test_a_shared_wildcard_must_meet_one_producer(find):
    shared = build(lambda x: [Exp(x), Relu(x)])
    apart = build(lambda x, y: [Exp(Abs(x)), Relu(Abs(y))], 2)

    def pattern(d):
        return [Exp(d), Relu(d)]

    assert find(shared, pattern) == [["Exp_0", "Relu_1"]]
    assert find(apart, pattern) == []


def test_two_outputs_of_one_node_match_together(find):
    def pattern(d):
        root = Abs(d)
        return [Exp(root), Relu(root)]

    def target(x):
        root = Abs(x)
        return Add(Exp(root), Relu(root))

    assert find(build(target), pattern) == [["Abs_0", "Exp_1", "Relu_2"]]
    assert find(build(target), lambda d: [Exp(Abs(d)), Relu(d)]) == []


def test_every_instance_of_a_pattern_with_two_outputs_is_found(find):
    def target(x):
        roots = [Abs(x) for _ in range(4)]
        decoy = Exp(x)
        exps = [Exp(root) for root in roots]
        relus = [Relu(root) for root in reversed(roots)]
        return [decoy, *exps, *relus]

    def pattern(d):
        root = Abs(d)
        return [Exp(root), Relu(root)]

    found = find(build(target), pattern)
    assert len(found) == 4
    assert sorted(names[0] for names in found) == ["Abs_0", "Abs_1", "Abs_2", "Abs_3"]


def test_an_inner_node_with_other_consumers_is_no_match(find):
    def target(x):
        shared, own = Abs(x), Abs(x)
        return [Relu(shared), Exp(shared), Relu(own)]

    assert find(build(target), lambda d: Relu(Abs(d))) == [["Abs_1", "Relu_4"]]


def test_an_inner_node_with_other_consumers_matches_as_a_second_output(find):
    def target(x):
        shared = Abs(x)
        return [Relu(shared), Exp(shared)]

    def pattern(d):
        root = Abs(d)
        return [Relu(root), root]

    assert len(find(build(target), pattern)) == 1


def test_a_constant_may_be_shared_with_others(find):
    def target(x):
        zero = x.get_owner_builder().create_scalar_float(0.0)
        return [Add(x, zero), Mul(x, zero)]

    assert find(build(target), lambda d: Add(d, 0.0)) == [["Const_0", "Add_1"]]
    assert len(find(build(target), lambda d, c: Add(d, c), inputs=2)) == 1


def test_two_patterns_are_looked_for_one_after_the_other(find):
    graph = build(lambda x: Relu(Abs(x)))
    assert find(graph, lambda d: Relu(d), lambda d: Abs(d)) == [["Relu_1"], ["Abs_0"]]


def test_the_same_operator_twice_may_overlap_while_nothing_is_replaced(find):
    graph = build(lambda x: Relu(Relu(Relu(x))))
    assert find(graph, lambda d: Relu(Relu(d))) == [["Relu_0", "Relu_1"], ["Relu_1", "Relu_2"]]


def test_a_pattern_with_a_control_edge_matches_nothing(find):
    def graph(name):
        builder = GraphBuilder(name)
        x = builder.create_input(0)
        first, second = Abs(x), Relu(x)
        builder.add_control_dependency(second, [first])
        return builder.build_and_reset([Add(first, second)])

    assert find(graph("target"), Pattern(graph("pattern"))) == []


def test_operators_with_a_dynamic_number_of_inputs_match_the_same_number(find):
    def concat(count):
        return lambda *x: Concat(0, list(x[:count]), N=count)

    builder = GraphBuilder("target")
    inputs = [x.set_shape([2]) for x in builder.create_inputs(3)]
    graph = builder.build_and_reset([concat(3)(*(Relu(x) for x in inputs))])
    assert len(find(graph, concat(3), inputs=3)) == 1
    assert len(find(graph, concat(2), inputs=2)) == 0


def test_an_output_of_a_node_with_several_matches_by_its_place(find):
    builder = GraphBuilder("target")
    parts = Split(0, builder.create_input(0, shape=[4]), 2, num_split=2)
    graph = builder.build_and_reset([Relu(parts[0]), Neg(parts[1])])

    def pattern(kind, place):
        return lambda d: [kind((p := Split(0, d, 2, num_split=2))[place]), p[1 - place]]

    assert len(find(graph, pattern(Relu, 0))) == 1
    assert len(find(graph, pattern(Relu, 1))) == 0


def test_captured_tensors_come_in_the_order_of_capture(run_pass):
    seen = []

    class Captures(PatternFusionPass):
        def patterns(self):
            builder = GraphBuilder("captures")
            a, b = builder.create_inputs(2)
            product = MatMul(a, b)
            result = Relu(product)
            pattern = Pattern(builder.build_and_reset([result]))
            yield pattern.capture_tensor(result).capture_tensor(product).capture_tensor(a).capture_tensor(result)

        def meet_requirements(self, match_result):
            seen.extend(match_result.get_captured_tensor(i).node.name for i in range(4))
            for wrong in (4, -1, 10**9):
                with pytest.raises((RuntimeError, TypeError, ValueError)):
                    match_result.get_captured_tensor(wrong)
            seen.append(match_result.get_pattern_graph_name())
            return False

    run_pass(build(lambda x, y: Relu(MatMul(x, y)), 2), Captures)
    assert seen == ["Relu_1", "MatMul_0", "input_0", "Relu_1", "captures"]


def test_a_match_that_would_make_a_cycle_is_left_alone(run_pass):
    """Abs -> Neg -> Exp: fusing Abs and Exp into one node would need its own result."""

    class FuseEnds(PatternFusionPass):
        def patterns(self):
            return [build(lambda a, b: [Abs(a), Exp(b)], 2)]

        def replacement(self, match_result):
            return build(lambda a, b: [Relu(a), Relu(b)], 2)

    graph = build(lambda x: Exp(Neg(Abs(x))))
    run_pass(graph, FuseEnds)
    assert kinds(graph) == ["Abs", "Exp", "Neg"]


def test_new_nodes_are_looked_at_again(run_pass):
    """Relu -> Abs twice over: what one replacement makes, a later match of the same run takes."""

    class Drop(PatternFusionPass):
        def patterns(self):
            return [build(lambda d: Abs(Abs(d)))]

        def replacement(self, match_result):
            return build(lambda d: Abs(d))

    graph = build(lambda x: Abs(Abs(Abs(Abs(Abs(x))))))
    run_pass(graph, Drop)
    assert kinds(graph) == ["Abs"]


def test_a_node_that_is_both_operands_is_one_node(find):
    def target(x):
        root = Relu(x)
        return Add(root, root)

    assert len(find(build(target), lambda d: Add(Relu(d), Exp(d)))) == 0
    assert len(find(build(target), lambda a, b: Add(a, b), inputs=2)) == 1


def test_many_operands_of_one_tensor_do_not_slow_the_search_down(find):
    """A ladder of Adds that double the number of paths: 2^60 paths, but only sixty nodes."""

    def ladder(steps):
        def make(x):
            for _ in range(steps):
                x = Add(x, x)
            return x

        return make

    assert len(find(build(ladder(60)), ladder(30))) >= 1
    assert only(build(lambda x: BiasAdd(x, [1.0])), "BiasAdd")


@pytest.fixture(scope="module")
def variable(tmp_path_factory):
    """Operators with several inputs or outputs of any number, made from prototypes."""
    import importlib
    import sys

    from ge.es.gen import main

    folder = tmp_path_factory.mktemp("variable")
    every = "TensorType::ALL()"
    (folder / "ops.h").write_text(
        f"REG_OP(UtFeatures).DYNAMIC_INPUT(features, {every}).INPUT(rois, {every}).OPTIONAL_INPUT(index, {every})"
        f".OUTPUT(y, {every}).OP_END_FACTORY_REG(UtFeatures)\n"
        f"REG_OP(UtTwoLists).DYNAMIC_INPUT(a, {every}).DYNAMIC_INPUT(b, {every}).OUTPUT(y, {every})"
        ".OP_END_FACTORY_REG(UtTwoLists)\n"
        f"REG_OP(UtTwoResults).INPUT(x, {every}).DYNAMIC_OUTPUT(y, {every}).DYNAMIC_OUTPUT(z, {every})"
        ".OP_END_FACTORY_REG(UtTwoResults)\n"
    )
    assert main(["--proto", str(folder / "ops.h"), "--name", "ut_variable", "--out", str(folder / "out")]) == 0
    sys.path.insert(0, str(folder / "out"))
    try:
        yield importlib.import_module("es_ut_variable")
    finally:
        sys.path.remove(str(folder / "out"))


def test_inputs_after_those_of_any_number_are_compared_by_name(variable, find):
    def features(n, index):
        return lambda *xs: variable.UtFeatures(list(xs[:n]), xs[n], xs[n + 1] if index else None)

    cases = [(2, True), (3, False), (2, False), (3, True)]
    for n, index in cases:
        graph = build(features(n, index), n + 1 + index)
        for m, wanted in cases:
            found = find(graph, features(m, wanted), inputs=m + 1 + wanted)
            assert len(found) == ((n, index) == (m, wanted)), ((n, index), (m, wanted))


def test_each_list_of_inputs_and_outputs_has_its_own_number(variable, find):
    def lists(n):
        return lambda *xs: variable.UtTwoLists(list(xs[:n]), list(xs[n:]))

    def results(n):
        def make(x):
            y, z = (lambda r: (list(r.y), list(r.z)))(variable.UtTwoResults(x, n, 3 - n))
            return y + z

        return make

    for n in (1, 2):
        for m in (1, 2):
            assert len(find(build(lists(n), 3), lists(m), inputs=3)) == (n == m)
            assert len(find(build(results(n)), results(m))) == (n == m)


def test_what_a_requirement_changed_before_it_raised_is_undone(run_pass):
    graph = build(lambda x: [Relu(Abs(x)), Exp(x)])
    before = str(graph)

    class HalfWay(PatternFusionPass):
        def patterns(self):
            return [build(lambda x: Relu(x), 1)]

        def meet_requirements(self, match_result):
            end = only(graph, "NetOutput")
            graph.remove_edge(only(graph, "Exp"), 0, end, 1)
            graph.remove_node(only(graph, "Exp"))
            raise ValueError("half way")

        def replacement(self, match_result):
            return build(lambda x: Abs(x), 1)

    (report,) = run_pass(graph, HalfWay)
    assert not report.failed and not report.changed and len(report.warnings) == 1
    assert str(graph) == before
