"""ge.passes: base classes, hooks, registration, discovery, running."""

from __future__ import annotations

import dataclasses
import inspect

import ge.passes
import pytest
from ge.es import GraphBuilder
from ge.es.all import Abs, Add, Conv2D, Exp, If, MatMul, Neg, Relu
from ge.error import GeError, PassError
from ge.graph import Graph
from ge.passes import (
    DecomposePass,
    FuseCheckResult,
    FusionBasePass,
    NodeIo,
    PassStage,
    Pattern,
    PatternFusionPass,
    PatternMatcherConfigBuilder,
    create_pattern,
    create_replacement,
    pattern,
    register_decompose_pass,
    register_fusion_pass,
)

from _graphs import build, kinds, only

EXPORTS = """DecomposePass FuseCheckResult FusionBasePass MatchResult NodeIo PassStage PassContext Pattern
PatternMatcherConfig PatternMatcherConfigBuilder PatternFusionPass SubgraphInput SubgraphOutput SubgraphBoundary
SubgraphRewriter can_fuse clear_registered_passes create_pattern create_replacement
get_registered_pass_by_descriptor_key get_registered_pass_dicts get_registered_passes infer_shape pattern register_decompose_pass register_fusion_pass
report_fuse""".split()
BEFORE = PassStage.BEFORE_INFER_SHAPE


@pytest.mark.smoke
def test_the_public_names_are_there():
    assert set(EXPORTS) <= set(ge.passes.__all__)
    for name in ge.passes.__all__:
        assert getattr(ge.passes, name) is not None
    assert set(ge.passes.__all__) <= set(dir(ge.passes))
    with pytest.raises(AttributeError, match="ge.passes.*nothing_of_the_kind"):
        ge.passes.nothing_of_the_kind  # noqa: B018


def test_stages_are_strings():
    assert [s.value for s in PassStage] == [
        "BeforeInferShape",
        "AfterInferShape",
        "AfterBuiltinFusionPass",
        "AfterOriginGraphOptimize",
    ]
    assert BEFORE == "BeforeInferShape"


def test_small_value_types_are_frozen():
    result = FuseCheckResult(True)
    assert result.reason == "" and NodeIo(None).index == 0
    with pytest.raises(dataclasses.FrozenInstanceError):
        result.ok = False


# --- class creation ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("base", [PatternFusionPass, DecomposePass])
def test_run_may_not_be_overridden_beside_the_hooks(base):
    with pytest.raises(TypeError, match=r"Wrong.*overrides run\(\)"):
        type("Wrong", (base,), {"run": lambda self, graph, context: None})


def test_pattern_methods_and_patterns_exclude_each_other():
    with pytest.raises(TypeError, match="cannot combine @pattern methods with patterns"):

        class Both(PatternFusionPass):
            @pattern
            def one(self, inputs):
                return Relu(inputs[0])

            def patterns(self):
                return []


@pytest.mark.parametrize("method", [lambda self: None, lambda self, inputs, more: None])
def test_pattern_methods_take_inputs_alone(method):
    with pytest.raises(TypeError, match="@pattern methods only support"):
        type("Wrong", (PatternFusionPass,), {"one": pattern(method)})


@pytest.mark.parametrize(
    "base, hook, function, text",
    [
        (
            PatternFusionPass,
            "meet_requirements",
            lambda self, a, b, c: True,
            r"meet_requirements\(self, match_result\)",
        ),
        (PatternFusionPass, "meet_requirements", lambda self: True, r"meet_requirements\(self, match_result\)"),
        (PatternFusionPass, "replacement", lambda self, inputs, m, other: None, "four arguments"),
        (PatternFusionPass, "replacement", lambda self, m, c, d: None, r"replacement\(self, match_result\)"),
        (DecomposePass, "meet_requirements", lambda self, a, b, c: True, r"meet_requirements\(self, node\)"),
        (DecomposePass, "replacement", lambda self: None, r"replacement\(self, node\)"),
    ],
)
def test_hooks_of_a_wrong_form_are_refused_with_the_class(base, hook, function, text):
    with pytest.raises(TypeError, match=text):
        type("Wrong", (base,), {hook: function})


def test_a_required_keyword_parameter_is_refused():
    with pytest.raises(TypeError):

        class Wrong(PatternFusionPass):
            def meet_requirements(self, match_result, *, needed):
                return True


@pytest.mark.parametrize(
    "function, expected",
    [
        (lambda self, inputs: seen.append(()) or inputs[0], ()),
        (lambda self, inputs, context: seen.append((context,)) or inputs[0], ("context",)),
        (lambda self, inputs, details: seen.append((details,)) or inputs[0], ("match",)),
        (lambda self, inputs, m, context: seen.append((m, context)) or inputs[0], ("match", "context")),
    ],
)
def test_expression_replacements_get_what_they_name(function, expected):
    seen.clear()
    cls = type("Any", (PatternFusionPass,), {"replacement": function})
    assert isinstance(cls().replacement("match", "context"), Graph)
    assert seen == [expected]


seen = []


@pytest.mark.parametrize(
    "function, expected",
    [
        (lambda self, m: ("graph", m), ("graph", "match")),
        (lambda self, m, anything: ("graph", m, anything), ("graph", "match", "context")),
    ],
)
def test_graph_replacements_get_the_context_when_they_take_one(function, expected):
    cls = type("Any", (PatternFusionPass,), {"replacement": function})
    assert cls().replacement("match", "context") == expected


def test_signatures_are_looked_at_when_the_class_is_made_only(monkeypatch):
    class Any(PatternFusionPass):
        def meet_requirements(self, match_result, context):
            return (match_result, context) == (1, 2)

        def replacement(self, inputs):
            return inputs[0]

    monkeypatch.setattr(inspect, "signature", lambda *a, **k: pytest.fail("looked at a signature"))
    assert Any().meet_requirements(1, 2) and isinstance(Any().replacement(None), Graph)


def test_base_hooks():
    assert PatternFusionPass().meet_requirements(None) is True and DecomposePass().meet_requirements(None) is True
    for call in (
        lambda: PatternFusionPass().patterns(),
        lambda: PatternFusionPass().replacement(None),
        lambda: DecomposePass().replacement(None),
        lambda: FusionBasePass().run(None, None),
    ):
        with pytest.raises(NotImplementedError):
            call()


# --- patterns as expressions ------------------------------------------------------------------------------------------


def patterns_of(*methods):
    cls = type("Any", (PatternFusionPass,), {f"p{i}": pattern(m) for i, m in enumerate(methods)})
    return list(cls().patterns())


def captures(made):
    return [(io.node.name, io.index) for io in made.get_captured_tensors()]


def test_a_pattern_method_captures_inputs_then_outputs():
    (made,) = patterns_of(lambda self, inputs: [inputs[1], inputs[0]])
    assert captures(made) == [("input_0", 0), ("input_1", 0), ("input_1", 0), ("input_0", 0)]


def test_every_pattern_method_is_a_pattern_of_its_own():
    made = patterns_of(lambda self, inputs: Relu(inputs[0]), lambda self, inputs: Abs(inputs[0]))
    assert [len(captures(m)) for m in made] == [2, 2]


def test_an_index_declares_all_inputs_up_to_it():
    (made,) = patterns_of(lambda self, inputs: Add(inputs[2], inputs[0]))
    assert [name for name, _ in captures(made)[:3]] == ["input_0", "input_1", "input_2"]


@pytest.mark.parametrize(
    "key, error",
    [
        (-1, ValueError),
        ("a", TypeError),
        (1.0, TypeError),
        (slice(None), ValueError),
        (slice(0, 2, 2), ValueError),
        (slice(2, 1), ValueError),
        (slice(-2, 1), ValueError),
    ],
)
def test_inputs_refuse_other_keys(key, error):
    with pytest.raises(error):
        patterns_of(lambda self, inputs: inputs[key])


def test_inputs_cannot_be_counted():
    with pytest.raises(TypeError, match="inputs"):
        patterns_of(lambda self, inputs: list(inputs))
    (made,) = patterns_of(lambda self, inputs: Add(*inputs[:2]))
    assert len(captures(made)) == 3


@pytest.mark.parametrize("result", [None, [], 3, "x"])
def test_an_expression_returns_tensors(result):
    with pytest.raises(TypeError):
        patterns_of(lambda self, inputs: result)


def test_a_pattern_method_returns_one_pattern():
    with pytest.raises(TypeError, match="supports a single pattern only"):
        patterns_of(lambda self, inputs: [build(lambda d: Relu(d)), build(lambda d: Abs(d))])
    (made,) = patterns_of(lambda self, inputs: build(lambda d: Relu(d)))
    assert isinstance(made, Pattern) and captures(made) == []


def test_inherited_patterns_are_kept_and_own_ones_replace_them():
    class Parent(PatternFusionPass):
        @pattern
        def one(self, inputs):
            return Relu(inputs[0])

    class Child(Parent):
        pass

    class Other(Parent):
        @pattern
        def two(self, inputs):
            return [Abs(inputs[0]), Neg(inputs[1])]

    assert len(captures(*Child().patterns())) == 2 and len(captures(*Other().patterns())) == 4


# --- Pattern, config --------------------------------------------------------------------------------------------------


def test_a_pattern_uses_its_graph_up():
    graph = build(lambda d: Relu(d))
    made = create_pattern(graph)
    assert made.is_valid() and made.release() != 0 and not made.is_valid()
    for call in (made.release, made.get_captured_tensors):
        with pytest.raises(RuntimeError, match="has been released"):
            call()
    with pytest.raises(RuntimeError):
        Pattern(graph)


def test_capture_takes_holders_nodes_and_node_ios():
    builder = GraphBuilder("p")
    x = builder.create_input(0)
    result = Relu(x)
    graph = builder.build_and_reset([result])
    node = only(graph, "Relu")
    made = Pattern(graph)
    assert made.capture_tensor(x) is made
    made.capture_tensor(NodeIo(node, 0)).capture_tensor(node).capture_tensor(node, 0)
    assert [name for name, _ in captures(made)] == ["input_0", "Relu_0", "Relu_0", "Relu_0"]


def test_config_builder():
    config = PatternMatcherConfigBuilder().build()
    assert not config.is_enable_const_value_match() and not config.is_enable_ir_attr_match()
    config = PatternMatcherConfigBuilder().enable_const_value_match().enable_ir_attr_match().build()
    assert config.is_enable_const_value_match() and config.is_enable_ir_attr_match()
    assert PatternFusionPass(config).matcher_config is config and PatternFusionPass().matcher_config is None


def test_create_replacement_wants_a_graph():
    graph = build(lambda d: Relu(d))
    assert create_replacement(graph) is graph
    with pytest.raises(TypeError, match="ge.graph.Graph"):
        create_replacement(None)


# --- registration -----------------------------------------------------------------------------------------------------


def test_a_registered_pass_can_be_looked_up(registry):
    @register_fusion_pass(name="Mine", stage=BEFORE)
    class Mine(PatternFusionPass):
        pass

    (descriptor,) = registry.get_registered_passes()
    key = f"{__name__}:Mine:Mine"
    assert descriptor is Mine.__ge_pass_descriptor__ and descriptor.descriptor_key == key
    assert registry.get_registered_pass_by_descriptor_key(key) is descriptor
    assert registry.get_registered_pass_by_descriptor_key("nothing") is None
    assert registry.get_registered_pass_dicts() == [
        {
            "descriptor_key": key,
            "pass_name": "Mine",
            "module_name": __name__,
            "class_name": "Mine",
            "stage": "BeforeInferShape",
            "kind": "pattern_fusion",
            "op_types": [],
        }
    ]
    registry.clear_registered_passes()
    assert registry.get_registered_passes() == []


def test_names_and_keys_are_unique(registry):
    class One(PatternFusionPass):
        pass

    class Two(FusionBasePass):
        pass

    register_fusion_pass(name="Same", stage=BEFORE)(One)
    with pytest.raises(ValueError, match="descriptor_key already exists"):
        register_fusion_pass(name="Same", stage=BEFORE)(One)
    with pytest.raises(ValueError, match="name already exists"):
        register_fusion_pass(name="Same", stage=BEFORE)(Two)


def test_only_pass_classes_are_registered(registry):
    for wrong in (object, lambda: None, 3):
        with pytest.raises(TypeError):
            register_fusion_pass(name="Wrong", stage=BEFORE)(wrong)
        with pytest.raises(TypeError):
            register_decompose_pass(name="Wrong", stage=BEFORE, op_types=["Add"])(wrong)


@pytest.mark.parametrize(
    "op_types, error, text",
    [
        ("Add", TypeError, "iterable of strings"),
        (b"Add", TypeError, "iterable of strings"),
        (3, TypeError, "iterable of strings"),
        ([], ValueError, "at least one op type"),
        ([3], TypeError, "op_types"),
        ([""], TypeError, "op_types"),
    ],
)
def test_op_types_are_checked(op_types, error, text):
    with pytest.raises(error, match=text):
        register_decompose_pass(name="Any", stage=BEFORE, op_types=op_types)


def test_a_decompose_pass_carries_its_types(registry):
    @register_decompose_pass(name="Any", stage=BEFORE, op_types=("Add", "Sub"))
    class Any(DecomposePass):
        pass

    assert Any.op_types == ["Add", "Sub"]
    assert registry.get_registered_pass_dicts()[0]["kind"] == "decompose"
    assert registry.get_registered_pass_dicts()[0]["op_types"] == ["Add", "Sub"]


# --- running ----------------------------------------------------------------------------------------------------------


@pytest.mark.smoke
def test_apply_runs_the_classes_it_is_given(registry):
    @register_fusion_pass(name="ReluToExp", stage=BEFORE)
    class ReluToExp(PatternFusionPass):
        @pattern
        def relu(self, inputs):
            return Relu(inputs[0])

        def replacement(self, inputs):
            return Exp(inputs[0])

    @register_fusion_pass(name="AbsToNeg", stage=BEFORE)
    class AbsToNeg(PatternFusionPass):
        @pattern
        def abs(self, inputs):
            return Abs(inputs[0])

        def replacement(self, inputs):
            return Neg(inputs[0])

    graph = build(lambda x: Relu(Abs(Relu(x))))
    reports = registry.apply(graph, passes=[ReluToExp])
    assert kinds(graph) == ["Abs", "Exp", "Exp"]
    (report,) = reports
    assert (report.name, report.matches, report.rewrites, report.changed) == ("ReluToExp", 2, 2, True)
    assert report.seconds >= 0
    registry.apply(graph)
    assert kinds(graph) == ["Exp", "Exp", "Neg"]


def test_passes_of_a_stage_run_by_name_and_stages_in_order(registry):
    order = []

    def make(name, stage):
        @register_fusion_pass(name=name, stage=stage)
        class Any(FusionBasePass):
            def run(self, graph, context):
                order.append(context.get_pass_name())

        Any.__name__ = name
        return Any

    for name, stage in (
        ("b", BEFORE),
        ("c", PassStage.AFTER_ORIGIN_GRAPH_OPTIMIZE),
        ("z", PassStage.AFTER_INFER_SHAPE),
        ("a", BEFORE),
        ("B", BEFORE),
        ("y", PassStage.AFTER_BUILTIN_FUSION_PASS),
    ):
        cls = type(
            f"Any{name}", (FusionBasePass,), {"run": lambda self, graph, context: order.append(context.get_pass_name())}
        )
        register_fusion_pass(name=name, stage=stage)(cls)
    registry.apply(build(lambda x: Relu(x)))
    assert order == ["B", "a", "b", "z", "y", "c"]


@pytest.mark.parametrize(
    "value, fails",
    [(None, False), (True, False), (0, False), (False, True), (1, True), (-1, True), ("done", True), (2**40, True)],
)
def test_what_run_returns_decides_whether_it_failed(value, fails, registry):
    @register_fusion_pass(name="Any", stage=BEFORE)
    class Any(FusionBasePass):
        def run(self, graph, context):
            only(graph, "Relu").set_attr("touched", True)
            return value

    graph = build(lambda x: Relu(x))
    (report,) = registry.apply(graph, passes=[Any])
    assert report.failed == fails
    assert only(graph, "Relu").has_attr("touched") != fails


def test_an_instance_serves_one_run_only(registry):
    made = []

    @register_fusion_pass(name="Any", stage=BEFORE)
    class Any(PatternFusionPass):
        def __init__(self):
            super().__init__()
            self.calls = 0
            made.append(self)

        @pattern
        def relu(self, inputs):
            return Relu(inputs[0])

        def meet_requirements(self, match_result):
            self.calls += 1
            return False

    graph = build(lambda x: Relu(Relu(x)))
    registry.apply(graph, passes=[Any])
    registry.apply(graph, passes=[Any])
    assert [instance.calls for instance in made] == [2, 2]


def test_what_a_hook_was_lent_expires(registry):
    kept = {}

    @register_fusion_pass(name="Keep", stage=BEFORE)
    class Keep(FusionBasePass):
        def run(self, graph, context):
            kept.update(graph=graph, context=context, node=only(graph, "Relu"))

    @register_fusion_pass(name="KeepMatch", stage=BEFORE)
    class KeepMatch(PatternFusionPass):
        @pattern
        def relu(self, inputs):
            return Relu(inputs[0])

        def meet_requirements(self, match_result, context):
            kept.update(match=match_result, context2=context)
            return False

    registry.apply(build(lambda x: Relu(x)), passes=[Keep, KeepMatch])
    for call in (
        lambda: kept["graph"].get_direct_nodes(),
        lambda: kept["graph"].name,
        lambda: kept["node"].name,
        lambda: kept["node"].get_attr("x"),
        lambda: kept["context"].get_pass_name(),
        lambda: kept["context2"].get_pass_name(),
        lambda: kept["match"].get_matched_nodes(),
        lambda: kept["match"].get_captured_tensor(0),
        lambda: str(kept["match"]),
    ):
        with pytest.raises(RuntimeError, match="expired"):
            call()


def test_the_context_has_name_message_and_options(registry):
    found = {}

    @register_fusion_pass(name="Any", stage=BEFORE)
    class Any(FusionBasePass):
        def run(self, graph, context):
            found["name"] = context.get_pass_name()
            found["empty"] = context.get_error_message()
            context.set_error_message("what happened")
            found["message"] = context.get_error_message()
            with pytest.raises(RuntimeError, match="no.such.option"):
                context.get_option_value("no.such.option")

    (report,) = registry.apply(build(lambda x: Relu(x)), passes=[Any])
    assert not report.failed and found == {"name": "Any", "empty": "", "message": "what happened"}


def failing(hook):
    def fail(self, *args):
        raise ValueError("no luck")

    body = {
        "relu": pattern(lambda self, inputs: Relu(inputs[0])),
        "replacement": lambda self, inputs: Exp(inputs[0]),
    }
    if hook == "patterns":
        del body["relu"]
    if hook == "replacement":
        body["replacement"] = lambda self, match_result: fail(self)
    elif hook == "meet_requirements":
        body["meet_requirements"] = lambda self, match_result: fail(self)
    else:
        body[hook] = fail
    return type("Failing", (PatternFusionPass,), body)


@pytest.mark.parametrize("hook", ["__init__", "patterns", "replacement", "meet_requirements"])
def test_a_pass_that_raises_has_no_effect_and_the_others_go_on(hook, run_pass):
    class Zero(PatternFusionPass):
        @pattern
        def abs(self, inputs):
            return Abs(inputs[0])

        def replacement(self, inputs):
            return Neg(inputs[0])

    graph = build(lambda x: Relu(Abs(x)))
    reports = {r.name: r for r in run_pass(graph, failing(hook), Zero)}
    assert kinds(graph) == ["Neg", "Relu"]
    problems = list(reports["Failing"].errors) + list(reports["Failing"].warnings)
    assert any("ValueError" in str(p) and "no luck" in str(p) for p in problems)
    assert not reports["Zero"].failed


@pytest.mark.parametrize("result", [None, "graph", 3])
def test_a_replacement_that_is_no_graph_fails_the_pass(result, run_pass):
    class Wrong(PatternFusionPass):
        @pattern
        def relu(self, inputs):
            return Relu(inputs[0])

        def replacement(self, match_result):
            return result

    graph = build(lambda x: Relu(x))
    (report,) = run_pass(graph, Wrong)
    assert report.failed and "must return ge.graph.Graph" in report.error and kinds(graph) == ["Relu"]


def test_a_replacement_that_returns_tensors_of_a_match_is_told_how_to(run_pass):
    class Wrong(PatternFusionPass):
        @pattern
        def relu(self, inputs):
            return Relu(inputs[0])

        def replacement(self, match_result):
            return Relu(GraphBuilder("wrong").create_input(0))

    (report,) = run_pass(build(lambda x: Relu(x)), Wrong)
    assert report.failed and "got 'TensorHolder'; call its second parameter 'inputs'" in report.error


@pytest.mark.parametrize("make", [Relu, lambda wrong: Add(wrong, 1.0), lambda wrong: GraphBuilder().create_input(0) + wrong])
@pytest.mark.parametrize(
    "choose, found",
    [
        (lambda match: match, "MatchResult"),
        (lambda match: match.get_matched_nodes()[0], "Node"),
        (lambda match: match.get_captured_tensor(0), "NodeIo"),
    ],
)
def test_what_was_matched_is_no_operand_of_a_replacement(make, choose, found, run_pass):
    class Wrong(PatternFusionPass):
        @pattern
        def relu(self, inputs):
            return Relu(inputs[0])

        def replacement(self, match_result):
            return make(choose(match_result))

    (report,) = run_pass(build(lambda x: Relu(x)), Wrong)
    assert report.failed and "TypeError" in report.error
    assert f"expected a tensor of the graph under construction, found '{found}'" in report.error
    assert "inputs[i] of replacement(self, inputs)" in report.error and "create_input(i)" in report.error


@pytest.mark.parametrize("make", [Relu, lambda wrong: Add(wrong, 1.0)])
def test_all_inputs_of_a_pattern_are_no_operand(make, run_pass):
    class Wrong(PatternFusionPass):
        @pattern
        def relu(self, inputs):
            return make(inputs)

        def replacement(self, inputs):
            return inputs[0]

    (report,) = run_pass(build(lambda x: Relu(x)), Wrong)
    assert report.failed and "TypeError" in report.error
    assert "found 'PatternInputs', all inputs; the first one is inputs[0]" in report.error


def test_a_pass_runs_on_subgraphs_too(run_pass):
    class ReluToExp(PatternFusionPass):
        @pattern
        def relu(self, inputs):
            return Relu(inputs[0])

        def replacement(self, inputs):
            return Exp(inputs[0])

    then_branch, else_branch = build(lambda x: Relu(x), name="then"), build(lambda x: Relu(Abs(x)), name="else")
    graph = build(lambda c, x: If(c, [x], 1, then_branch, else_branch)[0], 2)
    (report,) = run_pass(graph, ReluToExp)
    assert report.rewrites == 2
    assert [kinds(sub) for sub in graph.get_all_subgraphs()] == [["Exp"], ["Abs", "Exp"]]


def test_a_decompose_pass_replaces_single_nodes_once(registry):
    asked = []

    @register_decompose_pass(name="Any", stage=BEFORE, op_types=["Relu", "Add"])
    class Any(DecomposePass):
        def meet_requirements(self, node):
            asked.append(node.type)
            return node.type == "Relu"

        def replacement(self, node, context):
            return build(lambda d: Relu(Relu(d)))

    graph = build(lambda x: Relu(Add(Relu(x), x)))
    (report,) = registry.apply(graph, passes=[Any])
    assert kinds(graph) == ["Add", "Relu", "Relu", "Relu", "Relu"]
    assert sorted(asked) == ["Add", "Relu", "Relu"] and report.rewrites == 2


def test_a_decompose_pass_merges_inputs_of_one_producer(registry):
    @register_decompose_pass(name="Any", stage=BEFORE, op_types=["Add"])
    class Any(DecomposePass):
        def replacement(self, node):
            return build(lambda d: Neg(d))

    graph = build(lambda x: (lambda r: Add(r, r))(Relu(x)))
    registry.apply(graph, passes=[Any])
    assert kinds(graph) == ["Neg", "Relu"]


def test_apply_checks_its_arguments(registry):
    with pytest.raises(TypeError):
        registry.apply("graph")
    with pytest.raises(TypeError):
        registry.apply(build(lambda x: Relu(x)), passes=[3])


def test_a_failure_after_an_isolated_pass_keeps_its_own_reason(registry):
    class Raises(FusionBasePass):
        def run(self, graph, context):
            raise ValueError("no use")

    builder = GraphBuilder("g")
    x, y = (builder.create_input(i, shape=[2, 3]) for i in range(2))
    graph = builder.build_and_reset([MatMul(x, y)])  # 3 is not 2
    with pytest.raises(GeError, match="MatMul") as failure:
        registry.apply(graph, passes=[Raises])
    assert not isinstance(failure.value, PassError)
    with pytest.raises(PassError, match="no use"):
        registry.apply(graph, passes=[Raises], on_error="fail")


def test_a_pass_may_read_and_change_everything_of_a_node(registry):
    @register_fusion_pass(name="Any", stage=BEFORE)
    class Any(FusionBasePass):
        def run(self, graph, context):
            conv = only(graph, "Conv2D")
            assert conv.get_attr("strides") == [1, 1, 2, 2] and not conv.has_attr("nothing")
            conv.set_attr("groups", 2)
            graph.remove_edge(conv, 0, only(graph, "Relu"), 0)
            graph.add_data_edge(only(graph, "MatMul"), 0, only(graph, "Relu"), 0)
            graph.remove_node(conv)

    def target(x, w):
        return Relu(Add(Conv2D(x, w, strides=[1, 1, 2, 2], pads=[0, 0, 0, 0]), MatMul(x, w)))

    graph = build(lambda x, w: [Relu(Conv2D(x, w, strides=[1, 1, 2, 2], pads=[0, 0, 0, 0])), MatMul(x, w)], 2)
    (report,) = registry.apply(graph, passes=[Any])
    assert not report.failed and report.changed and kinds(graph) == ["MatMul", "Relu"]
    assert target is not None


# --- order ------------------------------------------------------------------------------------------------------------


def order_of(registry, *wishes):
    """Names in the order of running, for passes given as (name, before, after)."""
    for name, before, after in wishes:
        decorate = registry.register_fusion_pass(
            name=name, stage=registry.PassStage.BEFORE_INFER_SHAPE, before=before, after=after
        )
        decorate(type(f"Pass{name}", (registry.FusionBasePass,), {"run": lambda self, graph, context: None}))
    return [report.name for report in registry.apply(build(lambda x: Relu(x)))]


@pytest.mark.parametrize(
    "wishes, expected",
    [
        ([("c", [], []), ("a", [], []), ("b", [], [])], "abc"),
        ([("a", [], ["c"]), ("b", [], []), ("c", [], [])], "bca"),
        ([("a", [], []), ("b", [], []), ("c", ["a"], [])], "bca"),
        ([("a", [], ["nobody"]), ("b", ["a", "nobody"], [])], "ba"),
        ([("a", [], ["b"]), ("b", [], ["c"]), ("c", [], [])], "cba"),
        ([("a", ["b"], []), ("b", ["a"], []), ("c", ["a"], [])], "cab"),  # a cycle: by name
        ([("x", ["y"], []), ("y", ["x"], []), ("a", [], ["y"])], "xya"),  # who is in no cycle gets what it asked for
        ([("a", ["b"], []), ("b", ["c"], []), ("c", ["a"], []), ("y", ["z"], ["c"]), ("z", ["y"], [])], "abcyz"),
        ([("a", ["a"], ["a"]), ("b", [], [])], "ab"),
    ],
)
def test_passes_run_by_name_except_where_they_ask_for_another_order(wishes, expected, registry):
    assert "".join(order_of(registry, *wishes)) == expected


def test_wishes_for_an_order_are_lists_of_names(registry):
    with pytest.raises(TypeError, match="before must be an iterable of pass names"):
        registry.register_fusion_pass(name="x", stage=registry.PassStage.BEFORE_INFER_SHAPE, before="y")
    with pytest.raises(TypeError, match="after must be an iterable of pass names"):
        registry.register_decompose_pass(
            name="x", stage=registry.PassStage.BEFORE_INFER_SHAPE, op_types=["Relu"], after=[3]
        )


def test_a_requirement_that_raises_is_a_failure_when_failures_count(registry):
    class Picky(PatternFusionPass):
        def patterns(self):
            return [build(lambda x: Relu(x), 1, "pattern")]

        def meet_requirements(self, match_result):
            raise KeyError("no such thing")

    graph = build(lambda x: Relu(x))
    assert registry.apply(graph, passes=[Picky])[0].warnings
    with pytest.raises(PassError, match="no such thing"):
        registry.apply(graph, passes=[Picky], on_error="fail")


def test_a_decompose_pass_under_the_wrong_decorator_is_told_the_right_one(registry):
    @registry.register_fusion_pass(name="Wrong", stage=registry.PassStage.BEFORE_INFER_SHAPE)
    class Wrong(registry.DecomposePass):
        pass

    (report,) = registry.apply(build(lambda x: Relu(x)))
    assert "register_decompose_pass" in report.error
