"""MatMul + Add becomes one GEMM, for float32 alone. Patterns are graphs that capture the tensors the checks look at."""

from __future__ import annotations

from ge.es import GraphBuilder
from ge.es.all import GEMM, Add, BatchMatMulV2, MatMul
from ge.graph import DataType
from ge.passes import PassStage, Pattern, PatternFusionPass, infer_shape, register_fusion_pass

PRODUCT, SUM = 0, 1  # capture indexes
FLAGS = {"MatMul": ("transpose_x1", "transpose_x2"), "BatchMatMulV2": ("adj_x1", "adj_x2")}


@register_fusion_pass(name="MatMulAddToGemmCaptured", stage=PassStage.AFTER_INFER_SHAPE)
class MatMulAddToGemmCaptured(PatternFusionPass):
    def patterns(self):
        for matmul in (MatMul, BatchMatMulV2):
            builder = GraphBuilder("matmul_add")
            a, b, bias = builder.create_inputs(3)
            product = matmul(a, b)
            result = Add(product, bias)
            yield Pattern(builder.build_and_reset([result])).capture_tensor(product).capture_tensor(result)

    def meet_requirements(self, match_result):
        product = match_result.get_captured_tensor(PRODUCT).node
        add = match_result.get_captured_tensor(SUM).node
        if any(add.get_input_desc(i).data_type != DataType.DT_FLOAT for i in (0, 1)):
            return False
        if any(len(desc.shape) != 2 for desc in (product.get_input_desc(0), product.get_input_desc(1))):
            return False
        # GEMM stretches the bias to the size of the product, never the product to the size of the bias.
        size, bias = product.get_output_desc(0).shape, add.get_input_desc(1).shape
        return len(bias) <= 2 and all(d == 1 or d == s > 0 for d, s in zip(reversed(bias), reversed(size)))

    def replacement(self, match_result):
        product = match_result.get_captured_tensor(PRODUCT).node
        transpose_a, transpose_b = (product.has_attr(flag) and product.get_attr(flag) for flag in FLAGS[product.type])
        builder = GraphBuilder("gemm")
        a, b, bias = builder.create_inputs(3)
        gemm = GEMM(a, b, bias, 1.0, 1.0, transpose_a=transpose_a, transpose_b=transpose_b)
        graph = builder.build_and_reset([gemm])
        infer_shape(graph, match_result)  # after the inference stage a pass answers for its own shapes
        return graph
