"""MatMul + Add of one certain constant becomes a GEMM: the matcher compares constants and attributes."""

from __future__ import annotations

from ge.es.all import GEMM, Add, BatchMatMulV2, MatMul
from ge.passes import PassStage, PatternFusionPass, PatternMatcherConfigBuilder, pattern, register_fusion_pass

BIAS = [[0.1, 0.1], [0.1, 0.1]]


@register_fusion_pass(name="MatMulAddTenthToGemm", stage=PassStage.AFTER_INFER_SHAPE)
class MatMulAddTenthToGemm(PatternFusionPass):
    def __init__(self):
        # Off by default: a constant then matches every constant, an operator every operator of its type.
        super().__init__(PatternMatcherConfigBuilder().enable_const_value_match().enable_ir_attr_match().build())

    @pattern
    def batch_matmul_add(self, inputs):
        return Add(BatchMatMulV2(inputs[0], inputs[1]), BIAS)

    @pattern
    def matmul_add(self, inputs):
        return Add(MatMul(inputs[0], inputs[1], transpose_x1=False, transpose_x2=False), BIAS)

    def meet_requirements(self, match_result):
        # The matcher has compared type, values and shape of the constant. That the product is 2 x 2 is ours to check.
        matmul = next(node for node in match_result.get_matched_nodes() if node.type in ("MatMul", "BatchMatMulV2"))
        operands = (matmul.get_input_desc(0), matmul.get_input_desc(1))
        return all(len(desc.shape) == 2 for desc in operands) and matmul.get_output_desc(0).shape == [2, 2]

    def replacement(self, inputs):
        return GEMM(inputs[0], inputs[1], BIAS, 1.0, 1.0)
