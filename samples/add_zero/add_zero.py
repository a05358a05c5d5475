"""x + 0 becomes x."""

from __future__ import annotations

from ge.es.all import Add
from ge.passes import PassStage, PatternFusionPass, pattern, register_fusion_pass


def numbers(data):
    """The numbers of a tensor, whatever its rank."""
    return [number for item in data for number in numbers(item)] if isinstance(data, list) else [data]


@register_fusion_pass(name="RemoveAddZero", stage=PassStage.AFTER_INFER_SHAPE)
class RemoveAddZero(PatternFusionPass):
    # A constant in a pattern stands for any constant as long as the matcher is not told to compare values.
    @pattern
    def zero_on_the_right(self, inputs):
        return Add(inputs[0], 0)

    @pattern
    def zero_on_the_left(self, inputs):
        return Add(0, inputs[0])

    def meet_requirements(self, match_result):
        constant = next(node for node in match_result.get_matched_nodes() if node.type in ("Const", "Constant"))
        zeros = constant.get_attr("value")
        if any(numbers(zeros.get_data())):
            return False
        # Zeros of a larger shape than x would stretch the sum; an unknown dimension of x (-1) proves nothing.
        x = match_result.get_captured_tensor(0)
        shape = x.node.get_output_desc(x.index).shape
        rank_is_known = -2 not in shape
        return not zeros.get_shape() or (
            rank_is_known
            and len(zeros.get_shape()) <= len(shape)
            and all(zero in (1, dim) for zero, dim in zip(reversed(zeros.get_shape()), reversed(shape)))
        )

    def replacement(self, inputs):
        return inputs[0]
