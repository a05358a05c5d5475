"""onnx-graphsurgeon, in loops over the nodes as its users write them.

Its GraphPattern is slower than such a loop and cannot match LayerNorm, where one value has two consumers.
"""

import onnx
import onnx_graphsurgeon as gs

VERSION = f"onnx-graphsurgeon {gs.__version__}"


def load(path):
    return gs.import_onnx(onnx.load(path))


def save(graph, path):
    onnx.save(gs.export_onnx(graph), path)


def put(graph, last, kind, operands, **attributes):
    """A new node makes what `last` made."""
    (result,) = last.outputs
    last.outputs.clear()
    graph.nodes.append(gs.Node(kind, f"{kind}_{result.name}", attributes, operands, [result]))


def producer(tensor, kind):
    return tensor.inputs[0] if tensor.inputs and tensor.inputs[0].op == kind else None


def single(node):
    return len(node.outputs[0].outputs) == 1


def gemms(graph):
    count = 0
    for total in list(graph.nodes):
        product = total.op == "Add" and producer(total.inputs[0], "MatMul")
        if not product or not single(product):
            continue
        if [len(t.shape) for t in (*product.inputs, total.inputs[1])] != [2, 2, 1]:
            continue
        put(graph, total, "Gemm", [*product.inputs, total.inputs[1]])
        count += 1
    return count


def layer_norms(graph):
    count = 0
    for last in list(graph.nodes):
        if last.op != "Add" or not isinstance(last.inputs[1], gs.Constant):
            continue
        scaled = producer(last.inputs[0], "Mul")
        ratio = scaled and producer(scaled.inputs[0], "Div")
        centred = ratio and producer(ratio.inputs[0], "Sub")
        deviation = centred and producer(ratio.inputs[1], "Sqrt")
        safe = deviation and producer(deviation.inputs[0], "Add")
        variance = safe and producer(safe.inputs[0], "ReduceMean")
        square = variance and producer(variance.inputs[0], "Pow")
        mean = square and square.inputs[0] is centred.outputs[0] and producer(centred.inputs[1], "ReduceMean")
        if not mean or mean.inputs[0] is not centred.inputs[0] or len(centred.outputs[0].outputs) != 2:
            continue
        inner = (scaled, ratio, deviation, safe, variance, square, mean)
        if not all(map(single, inner)) or not isinstance(safe.inputs[1], gs.Constant):
            continue
        if square.inputs[1].values != 2 or mean.inputs[1].values != -1 or variance.inputs[1].values != -1:
            continue
        epsilon = float(safe.inputs[1].values)
        put(
            graph,
            last,
            "LayerNormalization",
            [centred.inputs[0], scaled.inputs[1], last.inputs[1]],
            axis=-1,
            epsilon=epsilon,
        )
        count += 1
    return count


def gelus(graph):
    count = 0
    for last in list(graph.nodes):
        product = last.op == "Mul" and producer(last.inputs[0], "Mul")
        total = product and producer(product.inputs[1], "Add")
        erf = total and producer(total.inputs[0], "Erf")
        ratio = erf and producer(erf.inputs[0], "Div")
        if not ratio or ratio.inputs[0] is not product.inputs[0] or not all(map(single, (product, total, erf, ratio))):
            continue
        if abs(ratio.inputs[1].values - 2**0.5) > 1e-6 or total.inputs[1].values != 1 or last.inputs[1].values != 0.5:
            continue
        put(graph, last, "Gelu", [ratio.inputs[0]])
        count += 1
    return count


def rewrite(graph, kind):
    count = gemms(graph) if kind == "mlp" else layer_norms(graph) + gelus(graph)
    graph.cleanup().toposort()
    return graph, count
