"""x * clip(x + 3, 0, 6) / 6 becomes HardSwish(x), as it stands in many exported vision models."""

from __future__ import annotations

from itertools import product

from ge.es import GraphBuilder
from ge.es.all import Add, ClipByValue, HardSwish, Mul, RealDiv
from ge.graph import DataType
from ge.passes import PassStage, Pattern, PatternFusionPass, register_fusion_pass

CONSTANTS = (3.0, 0.0, 6.0, 6.0)  # of the addition, the two bounds, the division


def constant_number(tensor):
    """(value, rank) of a constant with one element; None for everything else."""
    if tensor.node.type not in ("Const", "Constant"):
        return None
    data, rank = tensor.node.get_attr("value").get_data(), 0
    while isinstance(data, list):
        if len(data) != 1:
            return None
        data, rank = data[0], rank + 1
    return data, rank


@register_fusion_pass(name="FuseHardSwish", stage=PassStage.AFTER_INFER_SHAPE)
class FuseHardSwish(PatternFusionPass):
    def patterns(self):
        # The constants are inputs of the pattern, so that several places of a model may share one. Either operand of
        # Add and of Mul may come first.
        for three_first, clip_first in product((False, True), repeat=2):
            builder = GraphBuilder("hard_swish")
            x, three, low, high, six = builder.create_inputs(5)
            clip = ClipByValue(Add(three, x) if three_first else Add(x, three), low, high)
            result = RealDiv(Mul(clip, x) if clip_first else Mul(x, clip), six)
            pattern = Pattern(builder.build_and_reset([result]))
            for tensor in (three, low, high, six, x):
                pattern.capture_tensor(tensor)
            yield pattern

    def meet_requirements(self, match_result):
        *constants, x = (match_result.get_captured_tensor(i) for i in range(5))
        desc = x.node.get_output_desc(x.index)
        if desc.data_type not in (DataType.DT_FLOAT, DataType.DT_FLOAT16):
            return False
        rank = 0 if -2 in desc.shape else len(desc.shape)  # [-2]: not even the rank is known
        found = [constant_number(constant) for constant in constants]
        # A constant of a higher rank than x would lift the result to its own rank.
        return all(f is not None and f[0] == wanted and f[1] <= rank for f, wanted in zip(found, CONSTANTS))

    def replacement(self, inputs):
        x, *_ = inputs[:5]  # as many inputs as the pattern has
        return HardSwish(x)
