"""Boundaries and putting one subgraph in the place of another."""

from __future__ import annotations

import pytest
from ge.es import GraphBuilder
from ge.es.all import Abs, Add, ConcatV2, Exp, Mul, Neg, Relu, Reshape, Split, Sub, TopKV2
from ge.graph import DataType, Format, TensorDesc
from ge.passes import (
    FuseCheckResult,
    FusionBasePass,
    PatternFusionPass,
    SubgraphBoundary,
    SubgraphInput,
    SubgraphOutput,
    SubgraphRewriter,
    can_fuse,
    infer_shape,
    report_fuse,
)

from _graphs import build, kinds, only, producers, results


def boundary(inputs, outputs):
    """inputs: for each a list of (node, slot); outputs: (node, index)."""
    made = SubgraphBoundary()
    for index, slots in enumerate(inputs):
        assert made.add_input(index, SubgraphInput(slots)) == 0
    for index, (node, output) in enumerate(outputs):
        assert made.add_output(index, SubgraphOutput(node, output)) == 0
    return made


@pytest.mark.smoke
def test_one_node_is_replaced_and_its_consumers_follow():
    graph = build(lambda x: Neg(Relu(Abs(x))))
    relu = only(graph, "Relu")
    assert SubgraphRewriter.replace(boundary([[(relu, 0)]], [(relu, 0)]), build(lambda d: Exp(d))) == 0
    assert kinds(graph) == ["Abs", "Exp", "Neg"]
    assert producers(only(graph, "Exp")) == [("Abs", 0)] and producers(only(graph, "Neg")) == [("Exp", 0)]


def test_a_graph_output_follows_its_node():
    graph = build(lambda x: Relu(x))
    relu = only(graph, "Relu")
    SubgraphRewriter.replace(boundary([[(relu, 0)]], [(relu, 0)]), build(lambda d: Exp(d)))
    assert results(graph) == [("Exp", 0)]


def test_an_input_may_be_handed_through():
    graph = build(lambda x, y: Neg(Add(x, Abs(y))), 2)
    add = only(graph, "Add")
    SubgraphRewriter.replace(boundary([[(add, 0)], [(add, 1)]], [(add, 0)]), build(lambda a, b: b, 2))
    assert producers(only(graph, "Neg")) == [("Abs", 0)]


def test_several_outputs_and_a_shared_input():
    def target(x):
        root = Abs(x)
        return [Neg(Exp(root)), Relu(root)]

    graph = build(target)
    exp, relu = only(graph, "Exp"), only(graph, "Relu")
    replacement = build(lambda d: [Mul(d, d), Sub(d, d)])
    place = boundary([[(exp, 0), (relu, 0)]], [(exp, 0), (relu, 0)])
    assert SubgraphRewriter.replace(place, replacement) == 0
    assert kinds(graph) == ["Abs", "Mul", "Neg", "Sub"]
    assert results(graph) == [("Neg", 0), ("Sub", 0)]
    assert producers(only(graph, "Mul")) == [("Abs", 0), ("Abs", 0)]


def test_new_names_are_unique_and_say_where_they_come_from():
    graph = build(lambda x: [Relu(x), Relu(x), Relu(x)])
    for relu in [n for n in graph.get_direct_nodes() if n.type == "Relu"]:
        SubgraphRewriter.replace(boundary([[(relu, 0)]], [(relu, 0)]), build(lambda d: Exp(d)))
    names = [n.name for n in graph.get_direct_nodes()]
    assert len(set(names)) == len(names)
    assert all("Relu" in n.name for n in graph.get_direct_nodes() if n.type == "Exp")


def test_the_replacement_can_be_used_again():
    graph, replacement = build(lambda x: [Relu(x), Relu(x)]), build(lambda d: Exp(d))
    for relu in [n for n in graph.get_direct_nodes() if n.type == "Relu"]:
        assert SubgraphRewriter.replace(boundary([[(relu, 0)]], [(relu, 0)]), replacement) == 0
    assert kinds(graph) == ["Exp", "Exp"] and kinds(replacement) == ["Exp"]


@pytest.mark.parametrize(
    "replacement",
    [
        lambda: build(lambda a, b: Add(a, b), 2),  # too many inputs
        lambda: build(lambda d: [Exp(d), Abs(d)]),  # too many outputs
        lambda: build(lambda builder: builder.create_scalar_float(1.0), 0),  # no input
    ],
    ids=["inputs", "outputs", "no input"],
)
def test_a_replacement_that_does_not_fit_changes_nothing(replacement):
    graph = build(lambda x: Neg(Relu(x)))
    relu = only(graph, "Relu")
    before = str(graph)
    assert SubgraphRewriter.replace(boundary([[(relu, 0)]], [(relu, 0)]), replacement()) != 0
    assert str(graph) == before


def test_a_boundary_that_leaks_changes_nothing():
    def target(x):
        root = Abs(x)
        return [Relu(root), Exp(root)]

    graph = build(target)
    before = str(graph)
    place = boundary([[(only(graph, "Abs"), 0)]], [(only(graph, "Relu"), 0)])
    assert SubgraphRewriter.replace(place, build(lambda d: Neg(d))) != 0
    assert str(graph) == before


def test_boundary_inputs_check_their_slots():
    graph = build(lambda x, y: Add(Abs(x), Add(Abs(x), y)), 2)
    adds = [n for n in graph.get_direct_nodes() if n.type == "Add"]
    inner, outer = adds
    entry = SubgraphInput()
    assert entry.add_input(inner, 0) == 0
    assert entry.add_input(outer, 1) != 0  # another producer
    assert entry.add_input(inner, 5) != 0  # no such slot
    made = SubgraphBoundary()
    assert made.add_input(0, entry) == 0 and made.add_input(0, entry) != 0
    output = SubgraphOutput()
    assert output.set_output(outer, 3) != 0
    assert output.set_output(outer, 0) == 0 and output.set_output(inner, 0) != 0
    assert made.add_output(0, output) == 0 and made.add_output(0, output) != 0
    with pytest.raises(RuntimeError):
        SubgraphInput([(inner,)])


def test_control_edges_of_the_old_nodes_are_kept_by_the_new():
    builder = GraphBuilder("control")
    x = builder.create_input(0)
    first, middle, last = Abs(x), Relu(x), Neg(x)
    builder.add_control_dependency(middle, [first])
    builder.add_control_dependency(last, [middle])
    graph = builder.build_and_reset([first, middle, last])
    relu = only(graph, "Relu")
    assert SubgraphRewriter.replace(boundary([[(relu, 0)]], [(relu, 0)]), build(lambda d: Exp(d))) == 0

    def before(node):
        seen, work = set(), node.get_in_control_nodes()
        while work:
            current = work.pop()
            seen.add(current.type)
            work.extend(current.get_in_control_nodes())
        return seen

    assert "Abs" in before(only(graph, "Exp")) and "Exp" in before(only(graph, "Neg"))


class Replacing(FusionBasePass):
    """Replaces every Relu by Exp, with a context."""

    def run(self, graph, context):
        for relu in [n for n in graph.get_direct_nodes() if n.type == "Relu"]:
            place = boundary([[(relu, 0)]], [(relu, 0)])
            assert SubgraphRewriter.replace(place, build(lambda d: Exp(d)), context=context) is None


def test_replace_with_a_context_records_the_pass(run_pass):
    graph = build(lambda x: Relu(x))
    run_pass(graph, Replacing)
    exp = only(graph, "Exp")
    assert exp.get_attr("pass_name") == ["Replacing"]
    assert exp.get_attr("_datadump_original_op_types") == ["Relu"]


def test_replace_with_a_context_raises_what_it_refuses(run_pass):
    caught = []

    class Wrong(FusionBasePass):
        def run(self, graph, context):
            relu = only(graph, "Relu")
            with pytest.raises(RuntimeError) as error:
                SubgraphRewriter.replace(
                    boundary([[(relu, 0)]], [(relu, 0)]), build(lambda a, b: Add(a, b), 2), context=context
                )
            caught.append((str(error.value), context.get_error_message()))

    graph = build(lambda x: Relu(x))
    run_pass(graph, Wrong)
    assert caught and "Wrong" in caught[0][0] and caught[0][1] and kinds(graph) == ["Relu"]


def test_can_fuse_takes_any_iterable_and_says_why_not():
    graph = build(lambda x: Exp(Neg(Abs(x))))
    nodes = {n.type: n for n in graph.get_direct_nodes()}
    assert can_fuse(nodes[k] for k in ("Abs", "Neg", "Exp")) == FuseCheckResult(True, "")
    result = can_fuse([nodes["Abs"], nodes["Exp"]])
    assert not result.ok and "cycle" in result.reason
    assert not can_fuse([]).ok and "empty" in can_fuse([]).reason
    other = build(lambda x: Relu(x))
    assert "different graphs" in can_fuse([nodes["Abs"], only(other, "Relu")]).reason
    with pytest.raises(TypeError):
        can_fuse(["Abs"])


@pytest.mark.parametrize("name", ["_user_stream_label", "_super_kernel_scope"])
def test_can_fuse_refuses_conflicting_labels(name):
    graph = build(lambda x: Exp(Abs(x)))
    only(graph, "Abs").set_attr(name, "one")
    only(graph, "Exp").set_attr(name, "two")
    result = can_fuse([only(graph, "Abs"), only(graph, "Exp")])
    assert not result.ok and all(word in result.reason for word in (name, "one", "two"))
    only(graph, "Exp").set_attr(name, "one")
    assert can_fuse([only(graph, "Abs"), only(graph, "Exp")]).ok


def test_report_fuse_records_origin_types(run_pass):
    class Report(FusionBasePass):
        def run(self, graph, context):
            before, after = [only(graph, "Relu")], [only(graph, "Abs")]
            report_fuse(before, after, context)
            report_fuse(before, [], context)
            for wrong in (([1], after), (before, [1])):
                with pytest.raises(TypeError):
                    report_fuse(*wrong, context)
            with pytest.raises(TypeError):
                report_fuse(before, after, None)
            with pytest.raises(RuntimeError):
                report_fuse([], after, context)

    graph = build(lambda x: Abs(Relu(x)))
    run_pass(graph, Report)
    assert only(graph, "Abs").get_attr("_datadump_original_op_types") == ["Relu"]


def typed_graph():
    graph = build(lambda x, y: Add(Relu(x), Relu(y)), 2)
    for node, shape, dtype in zip(
        [n for n in graph.get_direct_nodes() if n.type == "Relu"],
        ([2, 3], [3]),
        (DataType.DT_FLOAT16, DataType.DT_INT32),
    ):
        node.update_output_desc(0, TensorDesc(shape, Format.FORMAT_NCHW, dtype))
    return graph


def data_descs(graph):
    nodes = sorted((n for n in graph.get_direct_nodes() if n.type == "Data"), key=lambda n: n.get_attr("index"))
    return [(list(d.shape), d.data_type) for d in (n.get_output_desc(0) for n in nodes)]


def test_infer_shape_takes_the_descs_from_the_producers_of_a_node():
    graph, replacement = typed_graph(), build(lambda a, b: [a, b], 2)
    assert infer_shape(replacement, only(graph, "Add")) is None
    assert data_descs(replacement) == [([2, 3], DataType.DT_FLOAT16), ([3], DataType.DT_INT32)]


def test_infer_shape_takes_a_boundary_without_outputs():
    graph, replacement = typed_graph(), build(lambda a, b: [a, b], 2)
    add = only(graph, "Add")
    infer_shape(replacement, boundary([[(add, 0)], [(add, 1)]], []))
    assert data_descs(replacement)[0] == ([2, 3], DataType.DT_FLOAT16)


def test_infer_shape_infers_what_lies_behind_the_inputs():
    graph, replacement = typed_graph(), build(lambda a, b: Exp(Abs(a)), 2)
    infer_shape(replacement, only(graph, "Add"))
    assert list(only(replacement, "Exp").get_output_desc(0).shape) == [2, 3]


def test_infer_shape_sees_the_value_of_a_constant_behind_a_boundary_input():
    builder = GraphBuilder("target")
    x = builder.create_input(0, shape=[2, 6])
    graph = builder.build_and_reset([Reshape(x, builder.create_const_int64([3, 4]))])
    replacement = build(lambda data, shape: Reshape(data, shape), 2)
    infer_shape(replacement, only(graph, "Reshape"))
    assert only(replacement, "Reshape").get_output_desc(0).get_shape() == [3, 4]
    assert sorted(node.type for node in replacement.get_all_nodes()) == ["Data", "Data", "NetOutput", "Reshape"]


def test_infer_shape_checks_its_arguments():
    graph, replacement = typed_graph(), build(lambda a, b: [a, b], 2)
    with pytest.raises(TypeError):
        infer_shape("graph", only(graph, "Add"))
    with pytest.raises(TypeError):
        infer_shape(replacement, "node")
    assert data_descs(replacement) == [([-2], DataType.DT_FLOAT)] * 2
    from ge.graph import Graph

    with pytest.raises(RuntimeError):
        infer_shape(Graph("empty"), only(graph, "Add"))
    with pytest.raises(RuntimeError):
        infer_shape(build(lambda a, b, c: [a, b, c], 3), only(graph, "Add"))


def test_dynamic_inputs_and_outputs_can_be_replaced():
    def target(x, y):
        halves = Split(0, ConcatV2([x, y], 0, N=2), 2, num_split=2)
        return [Neg(halves[0]), Abs(halves[1])]

    graph = build(target, 2)
    concat, split = only(graph, "ConcatV2"), only(graph, "Split")
    place = boundary([[(concat, 0)], [(concat, 1)]], [(split, 0), (split, 1)])
    assert SubgraphRewriter.replace(place, build(lambda a, b: [a, b], 2)) == 0
    assert producers(only(graph, "Neg")) == [("Data", 0)] and "Split" not in kinds(graph)


def test_an_undeclared_output_in_use_keeps_the_node():
    graph = build(lambda x: (lambda top: [Relu(top.values), Abs(top.indices)])(TopKV2(x, 2)))
    top = only(graph, "TopKV2")
    place = boundary([[(top, 0)], [(top, 1)]], [(top, 0)])
    assert SubgraphRewriter.replace(place, build(lambda a, b: Exp(a), 2)) == 0
    assert producers(only(graph, "Relu")) == [("Exp", 0)]
    assert producers(only(graph, "Abs")) == [("TopKV2", 1)]


def test_a_pass_that_raises_in_the_middle_leaves_no_trace(run_pass):
    class Half(PatternFusionPass):
        def patterns(self):
            return [build(lambda d: Relu(d))]

        def replacement(self, match_result):
            if "Relu_2" in str(match_result):
                raise ValueError("no more")
            return build(lambda d: Exp(d))

    graph = build(lambda x: Relu(Abs(Relu(x))))
    before = str(graph)
    run_pass(graph, Half)
    assert str(graph) == before


# --- shapes of new nodes ----------------------------------------------------------------------------------------------


def staged(stage, seen):
    """A pass that makes Exp(Abs(x)) of Relu(x), and one behind it that notes the shapes it meets."""
    import ge.passes

    @ge.passes.register_fusion_pass(name="a", stage=stage)
    class First(PatternFusionPass):
        def patterns(self):
            return [build(lambda x: Relu(x), 1, "pattern")]

        def replacement(self, inputs):
            return Exp(Abs(inputs[0]))

    @ge.passes.register_fusion_pass(name="b", stage=stage)
    class Second(PatternFusionPass):
        def patterns(self):
            return [build(lambda x: Exp(Abs(x)), 1, "pattern")]

        def meet_requirements(self, match_result):
            descs = [node.get_output_desc(0) for node in match_result.get_matched_nodes()]
            seen.extend((list(desc.shape), desc.data_type) for desc in descs)
            return False

    return ge.passes


def test_new_nodes_have_shapes_and_types_for_the_next_filter(registry):
    from ge.passes import PassStage

    seen = []
    passes = staged(PassStage.AFTER_INFER_SHAPE, seen)
    builder = GraphBuilder("graph")
    x = builder.create_input(0, shape=[2, 3], data_type=DataType.DT_FLOAT16)
    passes.apply(builder.build_and_reset([Relu(x)]))
    assert seen == [([2, 3], DataType.DT_FLOAT16)] * 2


def test_a_replacement_that_contradicts_the_shapes_fails_its_pass_only(registry):
    import ge.passes
    from ge.passes import PassStage

    @ge.passes.register_fusion_pass(name="Broken", stage=PassStage.AFTER_INFER_SHAPE)
    class Broken(PatternFusionPass):
        def patterns(self):
            return [build(lambda x: Relu(x), 1, "pattern")]

        def replacement(self, inputs):
            return Reshape(inputs[0], [5, 5])

    builder = GraphBuilder("graph")
    graph = builder.build_and_reset([Relu(builder.create_input(0, shape=[2, 3]))])
    before = str(graph)
    (report,) = ge.passes.apply(graph)
    assert report.failed and "Reshape" in report.error and str(graph) == before


@pytest.mark.parametrize("with_context", [False, True])
def test_nodes_put_in_by_the_rewriter_have_shapes_at_once(with_context, registry):
    from ge.passes import PassStage

    seen = []

    @registry.register_fusion_pass(name="Puts", stage=PassStage.AFTER_INFER_SHAPE)
    class Puts(FusionBasePass):
        def run(self, graph, context):
            relu = only(graph, "Relu")
            place = boundary([[(relu, 0)]], [(relu, 0)])
            replacement = build(lambda x: Neg(Exp(x)))
            SubgraphRewriter.replace(place, replacement, **({"context": context} if with_context else {}))
            seen.extend(list(node.get_output_desc(0).shape) for node in graph.get_direct_nodes() if node.type in ("Exp", "Neg"))

    builder = GraphBuilder("graph")
    (report,) = registry.apply(builder.build_and_reset([Relu(builder.create_input(0, shape=[2, 3]))]))
    assert not report.failed and seen == [[2, 3]] * 2, report


def test_a_graph_cannot_replace_a_part_of_itself(run_pass):
    class Itself(FusionBasePass):
        def run(self, graph, context):
            relu = only(graph, "Relu")
            codes.append(SubgraphRewriter.replace(boundary([[(relu, 0)]], [(relu, 0)]), graph))

    codes = []
    graph = build(lambda x: Neg(Relu(x)))
    run_pass(graph)
    before = str(graph)
    (report,) = run_pass(graph, Itself)
    assert codes != [0] and not report.changed and str(graph) == before
