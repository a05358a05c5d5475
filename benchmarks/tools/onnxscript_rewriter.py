"""onnxscript's rewriter on onnx_ir: rules as Python functions."""

import onnx_ir
import onnxscript
from onnxscript.rewriter import pattern

VERSION = f"onnxscript {onnxscript.__version__}, onnx-ir {onnx_ir.__version__}"
load, save = onnx_ir.load, onnx_ir.save


def gemm_rule():
    def ranks_fit(context, x, weight, bias):
        return [len(value.shape) if value.shape is not None else -1 for value in (x, weight, bias)] == [2, 2, 1]

    return pattern.RewriteRule(
        lambda op, x, weight, bias: op.Add(op.MatMul(x, weight), bias),
        lambda op, x, weight, bias: op.Gemm(x, weight, bias),
        ranks_fit,
    )


def layer_norm_rule():
    def layer_norm(op, x, epsilon, scale, shift):
        centred = op.Sub(x, op.ReduceMean(x, [-1], keepdims=1))
        variance = op.ReduceMean(op.Pow(centred, 2), [-1], keepdims=1)
        return op.Add(op.Mul(op.Div(centred, op.Sqrt(op.Add(variance, epsilon))), scale), shift)

    def replacement(op, x, epsilon, scale, shift):
        return op.LayerNormalization(x, scale, shift, axis=-1, epsilon=float(epsilon.const_value.numpy()))

    return pattern.RewriteRule(layer_norm, replacement, lambda context, epsilon, **_: epsilon.const_value is not None)


def gelu_rule():
    return pattern.RewriteRule(
        lambda op, x: op.Mul(op.Mul(x, op.Add(op.Erf(op.Div(x, 2**0.5)), 1.0)), 0.5),
        lambda op, x: op.Gelu(x),
    )


def rewrite(model, kind):
    rules = {"mlp": [gemm_rule], "bert": [layer_norm_rule, gelu_rule]}[kind]
    count = pattern.RewriteRuleSet([make() for make in rules]).apply_to_model(model)
    return model, count
