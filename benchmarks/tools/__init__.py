"""One module a tool, all with the same functions.

VERSION             what was measured
load(path)          the model in the tool's own form
rewrite(model, k)   k = "mlp": MatMul + Add becomes Gemm; k = "bert": LayerNorm and GELU become one node each. Returns
                    the model and the number of rewrites. Absent where a tool only loads and saves.
save(model, path)   an ONNX file
"""
