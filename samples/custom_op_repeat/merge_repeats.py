"""RepeatRows(RepeatRows(x, a), b) becomes RepeatRows(x, a * b)."""

from __future__ import annotations

from ge.es import GraphBuilder
from ge.es.custom import RepeatRows
from ge.passes import PassStage, Pattern, PatternFusionPass, register_fusion_pass

INNER, OUTER = 0, 1  # capture indexes


@register_fusion_pass(name="MergeRepeats", stage=PassStage.AFTER_INFER_SHAPE)
class MergeRepeats(PatternFusionPass):
    def patterns(self):
        builder = GraphBuilder("repeat_repeat")
        inner = RepeatRows(builder.create_input(0), times=1)  # any number: attributes are not compared by default
        outer = RepeatRows(inner, times=1)
        return [Pattern(builder.build_and_reset([outer])).capture_tensor(inner).capture_tensor(outer)]

    def replacement(self, match_result):
        times = 1
        for index in (INNER, OUTER):
            times *= match_result.get_captured_tensor(index).node.get_attr("times")
        builder = GraphBuilder("repeat")
        return builder.build_and_reset([RepeatRows(builder.create_input(0), times=times)])
