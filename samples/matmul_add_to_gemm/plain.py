"""MatMul + Add becomes one GEMM. The plain form: patterns and replacement are expressions."""

from __future__ import annotations

from ge.es.all import GEMM, Add, BatchMatMulV2, MatMul
from ge.graph import DataType
from ge.passes import PassStage, PatternFusionPass, pattern, register_fusion_pass

FLAGS = {"MatMul": ("transpose_x1", "transpose_x2"), "BatchMatMulV2": ("adj_x1", "adj_x2")}


def product_of(match_result):
    """The matrix product of a match, whichever of the two operators it is."""
    return next(node for node in match_result.get_matched_nodes() if node.type in FLAGS)


@register_fusion_pass(name="MatMulAddToGemm", stage=PassStage.AFTER_INFER_SHAPE)
class MatMulAddToGemm(PatternFusionPass):
    # An ONNX MatMul arrives as BatchMatMulV2, whatever its rank. Patterns are not commutative: hence both orders.
    @pattern
    def batch_matmul_add(self, inputs):
        a, b, bias = inputs[:3]
        return Add(BatchMatMulV2(a, b), bias)

    @pattern
    def add_batch_matmul(self, inputs):
        a, b, bias = inputs[:3]
        return Add(bias, BatchMatMulV2(a, b))

    @pattern
    def matmul_add(self, inputs):
        a, b, bias = inputs[:3]
        return Add(MatMul(a, b), bias)

    @pattern
    def add_matmul(self, inputs):
        a, b, bias = inputs[:3]
        return Add(bias, MatMul(a, b))

    def meet_requirements(self, match_result):
        product = product_of(match_result)
        descs = [product.get_input_desc(0), product.get_input_desc(1), product.get_output_desc(0)]
        if any(
            len(desc.shape) != 2 or desc.data_type not in (DataType.DT_FLOAT, DataType.DT_FLOAT16) for desc in descs
        ):
            return False
        # Captured are the inputs in their order, then the outputs: number 2 is the bias. GEMM stretches it to the size
        # of the product but never the product to the size of the bias, and an unknown dimension proves nothing.
        captured = match_result.get_captured_tensor(2)
        bias = captured.node.get_output_desc(captured.index).shape
        rows_and_columns = descs[2].shape
        return len(bias) <= 2 and all(
            dim == 1 or dim == size > 0 for dim, size in zip(reversed(bias), reversed(rows_and_columns))
        )

    def replacement(self, inputs, match_result):
        a, b, bias = inputs[:3]
        product = product_of(match_result)
        transpose_a, transpose_b = (product.has_attr(flag) and product.get_attr(flag) for flag in FLAGS[product.type])
        return GEMM(a, b, bias, 1.0, 1.0, transpose_a=transpose_a, transpose_b=transpose_b)
