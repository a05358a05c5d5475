"""This project: passes written in Python, run by ge.passes.apply."""

from importlib.metadata import version

import ge.onnx
from ge.es.all import GEMM, Add, BatchMatMulV2, Erf, GeluV2, LayerNorm, Mul, Pow, RealDiv, ReduceMean, Sqrt, Sub
from ge.passes import PassStage, PatternFusionPass, apply, pattern, register_fusion_pass

VERSION = f"ge-py {ge.__version__}"
STAGE = PassStage.BEFORE_INFER_SHAPE


@register_fusion_pass(name="BenchmarkGemm", stage=STAGE)
class FuseGemm(PatternFusionPass):
    @pattern
    def matmul_add(self, inputs):
        return Add(BatchMatMulV2(inputs[0], inputs[1]), inputs[2])

    def meet_requirements(self, match_result):
        ranks = [len(io.node.get_output_desc(io.index).shape) for io in map(match_result.get_captured_tensor, range(3))]
        return ranks == [2, 2, 1]

    def replacement(self, inputs):
        return GEMM(inputs[0], inputs[1], inputs[2], 1.0, 1.0)


@register_fusion_pass(name="BenchmarkLayerNorm", stage=STAGE)
class FuseLayerNorm(PatternFusionPass):
    @pattern
    def layer_norm(self, inputs):
        x, axes, two, epsilon, scale, shift = inputs[:6]
        centred = Sub(x, ReduceMean(x, axes, keep_dims=True))
        variance = ReduceMean(Pow(centred, two), axes, keep_dims=True)
        return Add(Mul(RealDiv(centred, Sqrt(Add(variance, epsilon))), scale), shift)

    def meet_requirements(self, match_result):
        constants = [match_result.get_captured_tensor(i).node for i in (1, 2, 3)]
        if any(node.type not in ("Const", "Constant") for node in constants):
            return False
        axes, two, _ = (node.get_attr("value").get_data() for node in constants)
        return axes == [-1] and two == 2.0

    def replacement(self, inputs, match_result):
        x, _, _, _, scale, shift = inputs[:6]
        epsilon = match_result.get_captured_tensor(3).node.get_attr("value").get_data()
        return LayerNorm(x, scale, shift, begin_norm_axis=-1, begin_params_axis=-1, epsilon=epsilon).y


@register_fusion_pass(name="BenchmarkGelu", stage=STAGE)
class FuseGelu(PatternFusionPass):
    @pattern
    def gelu(self, inputs):
        x, root, one, half = inputs[:4]
        return Mul(Mul(x, Add(Erf(RealDiv(x, root)), one)), half)

    def meet_requirements(self, match_result):
        constants = [match_result.get_captured_tensor(i).node for i in (1, 2, 3)]
        if any(node.type not in ("Const", "Constant") for node in constants):
            return False
        root, one, half = (node.get_attr("value").get_data() for node in constants)
        return abs(root - 2**0.5) < 1e-6 and one == 1.0 and half == 0.5

    def replacement(self, inputs):
        x, *_ = inputs[:4]
        return GeluV2(x)


PASSES = {"mlp": [FuseGemm], "bert": [FuseLayerNorm, FuseGelu]}
load, save = ge.onnx.load, ge.onnx.save


def rewrite(graph, kind):
    reports = apply(graph, passes=PASSES[kind])
    return graph, sum(report.rewrites for report in reports)
