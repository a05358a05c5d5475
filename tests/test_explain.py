"""Why a pass did not match."""

from __future__ import annotations

import textwrap

import pytest
from ge.es.all import Abs, Add, Cast, Exp, MatMul, Mul, Neg, Relu, Sub
from ge.graph import DataType
from ge.passes import DecomposePass, FusionBasePass, PatternFusionPass, PatternMatcherConfigBuilder, explain

from _graphs import build


def explained(graph, make, inputs=1, config=None, requirement=None):
    class Explained(PatternFusionPass):
        def __init__(self):
            super().__init__(config)

        def patterns(self):
            return [build(make, inputs, "wanted")]

        def meet_requirements(self, match_result):
            return requirement(match_result) if requirement else True

        def replacement(self, inputs):
            return Abs(inputs[0])

    before = str(graph)
    explanation = explain(graph, Explained)
    assert str(graph) == before
    (pattern,) = explanation.patterns
    assert pattern.pattern == "wanted" and all(m.reason in str(explanation) for m in pattern.misses)
    return pattern


def reason(*arguments, **options):
    pattern = explained(*arguments, **options)
    assert pattern.rewrites == 0 and len(pattern.misses) == 1
    return pattern.misses[0].reason


def test_another_operator_is_named_with_its_place():
    text = reason(build(lambda x: Relu(Neg(x))), lambda d: Relu(Abs(d)))
    assert text == "at input 0 ('x') of 'Relu_1' (Relu): expected an operator of type 'Abs', found 'Neg_0' (Neg)"


def test_a_type_that_is_nowhere_is_named():
    pattern = explained(build(lambda x: Relu(Neg(x))), lambda d: Exp(Relu(Abs(d))))
    assert pattern.unusable == "the graph has no node of type 'Abs', 'Exp'" and pattern.misses == ()
    near = explained(build(lambda x: Relu(Neg(x))), lambda d: Relu(Abs(d)))
    assert near.unusable and near.misses[0].fitted == 1


def test_an_extra_consumer_is_named():
    def target(x):
        t = Abs(x)
        return [Relu(t), Neg(t)]

    text = reason(build(target), lambda d: Relu(Abs(d)))
    assert text.startswith("output 0 of 'Abs_0' (Abs), which lies inside the pattern, also feeds 'Neg_2' (Neg)")


def test_a_constant_of_another_value_is_shown():
    config = PatternMatcherConfigBuilder().enable_const_value_match().build()
    text = reason(build(lambda x: Add(x, 2.0)), lambda d: Add(d, 1.0), config=config)
    assert "expected the constant [1.000000] of DT_FLOAT []" in text and "found [2.000000] of DT_FLOAT []" in text


def test_an_attribute_of_another_value_is_shown():
    config = PatternMatcherConfigBuilder().enable_ir_attr_match().build()
    graph = build(lambda x: Cast(x, dst_type=DataType.DT_INT32))
    text = reason(graph, lambda d: Cast(d, dst_type=DataType.DT_FLOAT16), config=config)
    assert "expected attribute 'dst_type' of 'Cast_0' (Cast) to be" in text


def test_operands_that_should_be_one_tensor_are_named():
    text = reason(build(lambda x, y: Mul(Abs(x), Exp(y)), 2), lambda a: Mul(a, a))
    assert "expected output 0 of 'Abs_0' (Abs), which input 0 of the pattern stands for, found output 0 of 'Exp_1'" in text


def test_a_requirement_that_says_no_is_told():
    pattern = explained(build(lambda x: Relu(Abs(x))), lambda d: Relu(Abs(d)), requirement=lambda m: False)
    (refused,) = pattern.refused
    assert refused.reason == "meet_requirements returned False" and "Relu:Relu_1" in refused.nodes


def test_a_requirement_that_raises_is_told():
    def fails(match_result):
        raise KeyError("no such thing")

    pattern = explained(build(lambda x: Relu(Abs(x))), lambda d: Relu(Abs(d)), requirement=fails)
    assert pattern.refused[0].reason == "meet_requirements raised KeyError: 'no such thing'"


def test_a_cycle_is_told():
    def target(x):
        t = Abs(x)
        return Add(Exp(t), Sub(t, Neg(Exp(t))))

    def wanted(a, b):
        t = Abs(a)
        return [Exp(t), Sub(t, b)]

    def cyclic(x):
        t = Abs(x)
        e = Exp(t)
        return [e, Sub(t, Neg(e))]

    pattern = explained(build(cyclic), wanted, 2)
    assert [r.reason for r in pattern.refused] == ["fusing it would close a cycle"]


def test_a_missing_second_output_is_told():
    text = reason(build(lambda x: [Relu(Abs(x)), Neg(x)]), lambda d: [Relu(d), Neg(d)])
    assert text.startswith("expected output 0 of 'Abs_0' (Abs) to feed input 0 of a 'Neg'")


def test_the_nearest_places_come_first():
    graph = build(lambda x: [Relu(Neg(Exp(x))), Relu(Exp(x)), Relu(Neg(Sub(x, x)))])
    pattern = explained(graph, lambda d: Relu(Neg(Exp(Sub(d, d)))))
    assert [(m.node, m.fitted) for m in pattern.misses] == [
        ("'Relu_2' (Relu)", 3),
        ("'Relu_7' (Relu)", 2),
        ("'Relu_4' (Relu)", 1),
    ]
    assert (pattern.size, pattern.candidates) == (4, 3)


def test_many_misses_are_counted():
    graph = build(lambda x: [Relu(Neg(x)) for _ in range(12)] + [Abs(x)])
    pattern = explained(graph, lambda d: Relu(Abs(d)))
    assert (len(pattern.misses), pattern.more_misses) == (5, 7)


def test_rewrites_are_counted_beside_the_misses():
    pattern = explained(build(lambda x: [Relu(Abs(x)), Relu(Neg(x))]), lambda d: Relu(Abs(d)))
    assert (pattern.rewrites, len(pattern.misses)) == (1, 1)


def test_a_decompose_pass_says_what_it_refused():
    class Split(DecomposePass):
        op_types = ["Relu"]

        def meet_requirements(self, node):
            return False

    explanation = explain(build(lambda x: Relu(x)), Split)
    assert explanation.patterns[0].refused[0].nodes == "'Relu_0' (Relu)"
    assert "no node of type 'Relu'" in explain(build(lambda x: Abs(x)), Split).patterns[0].unusable


def test_a_pass_without_patterns_says_so():
    class Plain(FusionBasePass):
        def run(self, graph, context):
            return None

    explanation = explain(build(lambda x: Relu(x)), Plain)
    assert explanation.patterns == () and "no pattern" in str(explanation)


def test_a_pass_that_fails_says_so():
    class Broken(PatternFusionPass):
        def patterns(self):
            raise ValueError("not today")

    assert "not today" in explain(build(lambda x: Relu(x)), Broken).error


def test_atc_prints_the_explanation(atc, tmp_path, samples):
    plugin = tmp_path / "near.py"
    plugin.write_text(
        textwrap.dedent(
            """
            from ge.es.all import MatMul, Sub
            from ge.passes import PassStage, PatternFusionPass, pattern, register_fusion_pass

            @register_fusion_pass(name="near", stage=PassStage.BEFORE_INFER_SHAPE)
            class Near(PatternFusionPass):
                @pattern
                def product(self, inputs):
                    return Sub(MatMul(inputs[0], inputs[1]), inputs[2])

                def replacement(self, inputs):
                    return MatMul(inputs[0], inputs[1])
            """
        )
    )
    model = samples / "matmul_add_to_gemm" / "model.onnx"
    done = atc.compile(model, "--explain_pass=near", passes=[plugin])
    assert "Explanation of pass 'near'" in done.stdout
    assert "the graph has no node of type 'MatMul', 'Sub'" in done.stdout
    assert "Explanation" not in atc.compile(model, passes=[plugin]).stdout
    missing = atc.compile(model, "--explain_pass=other", passes=[plugin])
    assert "[WARNING] --explain_pass: no pass 'other' ran; those that did: 'near'" in missing.stdout


def test_only_passes_and_graphs_can_be_explained():
    with pytest.raises(TypeError, match="explain needs a ge.graph.Graph"):
        explain("graph", PatternFusionPass)
    with pytest.raises(TypeError, match="subclasses of ge.passes.FusionBasePass"):
        explain(build(lambda x: MatMul(x, x)), dict)


def test_a_replacement_that_raises_is_told_with_its_match():
    class Fails(PatternFusionPass):
        def patterns(self):
            return [build(lambda x: Relu(x), 1, "wanted")]

        def replacement(self, match_result):
            raise ValueError("not like this")

    (pattern,) = explain(build(lambda x: Relu(x)), Fails).patterns
    assert pattern.refused[0].reason == "replacement failed: ValueError: not like this"


def test_with_operands_in_either_order_the_order_of_the_pattern_is_told():
    config = PatternMatcherConfigBuilder().enable_const_value_match().enable_commutative_match().build()
    text = reason(build(lambda x: Mul(Abs(x), 3.0)), lambda d: Mul(d, 1.0), config=config)
    assert "expected the constant [1.000000]" in text and "found [3.000000]" in text


@pytest.mark.parametrize(
    "expected, found, told",
    [
        (0.7978846, 0.7978845, "element 0 is 0.7978845 instead of 0.7978846"),
        (1e-12, 1e-7, "element 0 is 1e-07 instead of 1e-12"),
        (0.0, -0.0, "element 0 is -0 instead of 0"),
        ([0.0] * 1000, [0.0] * 500 + [1.0] + [0.0] * 499, "element 500 is 1 instead of 0"),
        ([2**53, 2**62 + 1], [2**53, 2**62], "byte 8 of the data is 0 instead of 1"),
    ],
)
def test_constants_that_look_alike_are_told_apart(expected, found, told):
    config = PatternMatcherConfigBuilder().enable_const_value_match().build()
    text = reason(build(lambda x: Mul(x, found)), lambda d: Mul(d, expected), config=config)
    assert text.endswith(told)


def test_a_replacement_that_does_not_fit_is_told_with_its_match():
    class Misfit(PatternFusionPass):
        def patterns(self):
            return [build(lambda a, b: Add(a, b), 2, "wanted")]

        def replacement(self, match_result):
            return build(lambda a: Neg(a), 1)

    (pattern,) = explain(build(lambda x: Add(x, x)), Misfit).patterns
    (refused,) = pattern.refused
    assert "Add:Add_0" in refused.nodes
    assert refused.reason.startswith("the replacement does not fit: ") and "1 Data nodes" in refused.reason


def test_rewrites_that_were_undone_do_not_count():
    class Third(PatternFusionPass):
        calls = 0

        def patterns(self):
            return [build(lambda x: Relu(x), 1, "wanted")]

        def replacement(self, match_result):
            self.calls += 1
            if self.calls == 3:
                raise ValueError("third")
            return build(lambda x: Neg(x), 1)

    explanation = explain(build(lambda x: Relu(Relu(Relu(Relu(x))))), Third)
    (pattern,) = explanation.patterns
    assert pattern.rewrites == 0 and "0 rewrites" in str(explanation)
    assert pattern.refused[0].reason.endswith("ValueError: third; 2 rewrites before it are undone")
