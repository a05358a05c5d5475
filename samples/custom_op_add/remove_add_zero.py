"""AddCustom(AddCustom(x, 0), y) becomes AddCustom(x, y): a pattern of operators of one's own."""

from __future__ import annotations

from ge.es import GraphBuilder
from ge.es.custom import AddCustom
from ge.passes import PassStage, Pattern, PatternFusionPass, register_fusion_pass

INNER, OUTER = 0, 1  # capture indexes


def numbers(data):
    return [number for item in data for number in numbers(item)] if isinstance(data, list) else [data]


@register_fusion_pass(name="RemoveAddZeroCustom", stage=PassStage.AFTER_INFER_SHAPE)
class RemoveAddZeroCustom(PatternFusionPass):
    def patterns(self):
        builder = GraphBuilder("add_zero_custom")
        x, y = builder.create_inputs(2)
        inner = AddCustom(x, 0.0)
        outer = AddCustom(inner, y)
        return [Pattern(builder.build_and_reset([outer])).capture_tensor(inner).capture_tensor(outer)]

    def meet_requirements(self, match_result):
        constant = next(node for node in match_result.get_matched_nodes() if node.type in ("Const", "Constant"))
        inner = match_result.get_captured_tensor(INNER).node
        same_shape = inner.get_input_desc(0).shape == inner.get_output_desc(0).shape
        return same_shape and not any(numbers(constant.get_attr("value").get_data()))

    def replacement(self, match_result):
        outer = match_result.get_captured_tensor(OUTER).node
        builder = GraphBuilder("add_custom")
        x, y = builder.create_inputs(2)
        alpha = outer.get_attr("alpha") if outer.has_attr("alpha") else 1.0
        return builder.build_and_reset([AddCustom(x, y, alpha=alpha)])
