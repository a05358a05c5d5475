"""SumCustom([SumCustom([a, b]), c]) becomes SumCustom([a, b, c])."""

from __future__ import annotations

from ge.es.custom import SumCustom
from ge.passes import PassStage, PatternFusionPass, pattern, register_fusion_pass


@register_fusion_pass(name="FlattenSums", stage=PassStage.AFTER_INFER_SHAPE)
class FlattenSums(PatternFusionPass):
    @pattern
    def sum_of_sum(self, inputs):
        return SumCustom([SumCustom([inputs[0], inputs[1]]), inputs[2]])

    def replacement(self, inputs):
        return SumCustom([inputs[0], inputs[1], inputs[2]])
