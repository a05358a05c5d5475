"""Every sample through atc: it fires on its model, not where it would be wrong, and the result computes the same."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from onnx import TensorProto

from _onnx_models import Net, assert_same_numbers, operators

# sample file -> (operators gone from its model, operators that came)
SAMPLES = {
    "add_zero/add_zero.py": ({"Add": 2}, {}),
    "matmul_add_to_gemm/plain.py": ({"MatMul": 4, "Add": 4}, {"Gemm": 4}),
    "matmul_add_to_gemm/captured.py": ({"MatMul": 2, "Add": 2}, {"Gemm": 2}),
    "matmul_add_to_gemm/matcher_config.py": ({"MatMul": 1, "Add": 1}, {"Gemm": 1}),
    "relu_before_concat/relu_before_concat.py": ({}, {"Relu": 2}),
    "grouped_conv/grouped_conv.py": ({}, {"Split": 3, "Conv": 2, "Concat": 1}),
    "hard_swish/hard_swish.py": ({"Add": 2, "Clip": 2, "Mul": 2, "Div": 2}, {"HardSwish": 2}),
}

# pass of a custom operator -> (file of the operator, operators gone from its model, operators that came)
CUSTOM_OP_SAMPLES = {
    "custom_op_add/remove_add_zero.py": ("add_custom.py", {"AddCustom": 1}, {}),
    "custom_op_sum/flatten_sums.py": ("sum_custom.py", {"SumCustom": 1}, {}),
    "custom_op_repeat/merge_repeats.py": ("repeat_rows.py", {"RepeatRows": 1}, {}),
}


@pytest.mark.smoke
@pytest.mark.parametrize("sample", SAMPLES)
def test_sample_fires_on_its_model_and_the_result_computes_the_same(sample, samples, atc):
    path = samples / sample
    model = path.with_name("model.onnx")
    done = atc.compile(model, "--verify", passes=[path])
    gone, came = SAMPLES[sample]
    expected = operators(model)
    expected.subtract(gone)
    expected.update(came)
    assert operators(done.path) == +expected, done.text
    onnx.checker.check_model(str(done.path), full_check=True)
    assert_same_numbers(
        onnx.load(str(model)), onnx.load(str(done.path)), tolerance=2e-3 if "matmul" in sample else 1e-5
    )


@pytest.mark.smoke
@pytest.mark.parametrize("sample", CUSTOM_OP_SAMPLES)
def test_sample_of_a_custom_operator_fires_on_its_model_and_the_result_computes_the_same(sample, samples, atc):
    path = samples / sample
    operator, gone, came = CUSTOM_OP_SAMPLES[sample]
    done = atc.compile(
        path.with_name("model.onnx"),
        "--verify",
        passes=[path],
        env={"ASCEND_CUSTOM_OPP_PATH": str(path.with_name(operator))},
    )
    expected = operators(path.with_name("model.onnx"))
    expected.subtract(gone)
    expected.update(came)
    assert operators(done.path) == +expected, done.text
    domains = {node.domain for node in onnx.load(str(done.path)).graph.node if node.op_type in gone}
    assert domains == {"my.ops"}
    assert "largest difference: absolute 0," in done.text


@pytest.mark.parametrize("sample", sorted({s.split("/")[0] for s in [*SAMPLES, *CUSTOM_OP_SAMPLES]}))
def test_shipped_model_is_what_its_generator_makes(sample, samples):
    code = compile((samples / sample / "make_model.py").read_text(), "make_model.py", "exec")
    scope = {"__name__": "generator"}
    exec(code, scope)
    shipped = onnx.load(str(samples / sample / "model.onnx"))
    assert operators(scope["make"]()) == operators(shipped)


def compile_both(atc, net, samples, *files):
    """Compiles with the samples, checks the numbers and returns the operators of the result."""
    model = net.build() if isinstance(net, Net) else net
    done = atc.compile(model, passes=[samples / f for f in files])
    after = onnx.load(str(done.path))
    onnx.checker.check_model(after, full_check=True)
    assert_same_numbers(model, after)
    return operators(after)


def linear(a, b, bias, result, *, bias_first=False, value_info=None):
    """y = a @ b + bias; b is a constant, bias too unless its shape has unknown dims."""
    net = Net()
    x = net.input("x", a)
    weight = net.const(np.random.default_rng(0).normal(size=b).astype(np.float32))
    if all(isinstance(d, int) for d in bias):
        c = net.const(np.random.default_rng(1).normal(size=bias).astype(np.float32))
    else:
        c = net.input("c", bias)
    product = net.op("MatMul", x, weight)
    if value_info:
        net.info(product, value_info)
    net.output(net.op("Add", *((c, product) if bias_first else (product, c)), outputs="y"), result)
    return net


GEMM = ("matmul_add_to_gemm/plain.py", "matmul_add_to_gemm/captured.py")


@pytest.mark.parametrize("bias", [(4,), (1,), (3, 4), (3, 1), (1, 4), (1, 1), ()], ids=str)
@pytest.mark.parametrize("file", GEMM)
def test_gemm_takes_every_bias_that_stretches_to_the_product(file, bias, samples, atc):
    assert compile_both(atc, linear((3, 5), (5, 4), bias, (3, 4)), samples, file) == {"Gemm": 1}


@pytest.mark.parametrize("file", GEMM)
@pytest.mark.parametrize(
    "a, b, bias, result",
    [
        ((3, 5), (5, 4), (2, 3, 4), (2, 3, 4)),  # rank 3 bias enlarges the result
        ((1, 5), (5, 4), (3, 4), (3, 4)),  # more rows
        ((3, 5), (5, 1), (4,), (3, 4)),  # more columns
        ((3, 5), (5, 1), (3, 4), (3, 4)),
        ((1, 5), (5, 1), (3, 4), (3, 4)),
        ((2, 3, 5), (5, 4), (4,), (2, 3, 4)),  # batched product
        ((2, 3, 5), (2, 5, 4), (4,), (2, 3, 4)),
        ((5,), (5, 4), (4,), (4,)),  # a vector
        ((3, 5), (5,), (3,), (3,)),
        ((5,), (2, 5, 4), (2, 4), (2, 4)),  # the product has rank 2, the operands have not
        (("m", 5), (5, 4), (2, 4), ("n", 4)),  # m may be 1, then the bias enlarges the result
        (("m", 5), (5, 4), ("k", 4), ("n", 4)),
    ],
    ids=str,
)
def test_gemm_does_not_take_what_it_would_compute_wrongly(file, a, b, bias, result, samples, atc):
    assert compile_both(atc, linear(a, b, bias, result), samples, file) == {"MatMul": 1, "Add": 1}


@pytest.mark.parametrize("file", GEMM)
def test_gemm_takes_unknown_rows_with_a_bias_of_one_row(file, samples, atc):
    assert compile_both(atc, linear(("m", 5), (5, 4), (4,), ("m", 4)), samples, file) == {"Gemm": 1}


def test_gemm_takes_the_bias_on_either_side(samples, atc):
    net = linear((3, 5), (5, 4), (4,), (3, 4), bias_first=True)
    assert compile_both(atc, net, samples, GEMM[0]) == {"Gemm": 1}


def test_gemm_takes_layers_in_a_row_without_activation(samples, atc):
    net = Net()
    x = net.input("x", [3, 4])
    for layer in range(4):
        weight = net.const(np.random.default_rng(layer).normal(size=(4, 4)).astype(np.float32))
        x = net.op("Add", net.op("MatMul", x, weight), net.const(np.full(4, layer, np.float32)))
    net.output(net.op("Identity", x, outputs="y"), [3, 4])
    assert compile_both(atc, net, samples, GEMM[0])["Gemm"] == 4


def test_gemm_leaves_a_product_that_has_other_uses(samples, atc):
    net = Net()
    product = net.op("MatMul", net.input("x", [3, 4]), net.const(np.ones((4, 4), np.float32)), outputs="product")
    net.output(net.op("Add", product, net.const(np.ones(4, np.float32)), outputs="y"), [3, 4])
    net.output(product, [3, 4])
    assert compile_both(atc, net, samples, GEMM[0]) == {"MatMul": 1, "Add": 1}


def test_gemm_leaves_integers(samples, atc):
    net = Net()
    product = net.op("MatMul", net.input("x", [3, 4], TensorProto.INT32), net.const(np.ones((4, 4), np.int32)))
    net.output(net.op("Add", product, net.const(np.ones(4, np.int32)), outputs="y"), [3, 4], TensorProto.INT32)
    assert compile_both(atc, net, samples, GEMM[0]) == {"MatMul": 1, "Add": 1}


@pytest.mark.parametrize("bias", [[[0.1, 0.1], [0.2, 0.2]], [[0.1, 0.1]], 0.1], ids=str)
def test_gemm_of_the_tenth_wants_exactly_its_constant(bias, samples, atc):
    net = Net()
    product = net.op("MatMul", net.input("x", [2, 3]), net.const(np.ones((3, 2), np.float32)))
    net.output(net.op("Add", product, net.const(bias), outputs="y"), [2, 2])
    assert compile_both(atc, net, samples, "matmul_add_to_gemm/matcher_config.py") == {"MatMul": 1, "Add": 1}


@pytest.mark.parametrize("rows", [[1, 3], [2, 3, 3]], ids=str)
def test_gemm_of_the_tenth_wants_a_product_of_its_size(rows, samples, atc):
    net = Net()
    product = net.op("MatMul", net.input("x", rows), net.const(np.ones((3, 2), np.float32)))
    result = net.op("Add", product, net.const([[0.1, 0.1], [0.1, 0.1]]), outputs="y")
    net.output(result, [2, 2] if len(rows) == 2 else [2, 2, 2])
    if len(rows) == 3:
        net.inputs[0].type.tensor_type.shape.dim[1].dim_value = 2
    assert compile_both(atc, net, samples, "matmul_add_to_gemm/matcher_config.py") == {"MatMul": 1, "Add": 1}


@pytest.mark.parametrize(
    "zeros, shape, result, fires",
    [
        (0.0, ["n"], ["n"], True),
        ([0.0], [3], [3], True),
        ([[0.0, 0.0]], [3, 2], [3, 2], True),
        ([[0.0, 0.0], [0.0, 0.0]], [2, 2], [2, 2], True),
        ([0.0], [], [1], False),  # lifts a scalar to a vector
        ([[0.0], [0.0]], [2], [2, 2], False),
        ([0.0, 0.0], ["n"], [2], False),  # n may be 1
        ([0.0, 1e-20], [2], [2], False),
    ],
    ids=str,
)
@pytest.mark.parametrize("left", [False, True], ids=["x+0", "0+x"])
def test_add_zero_goes_only_where_it_changes_neither_value_nor_shape(left, zeros, shape, result, fires, samples, atc):
    net = Net()
    x, zero = net.op("Neg", net.input("x", shape)), net.const(zeros)
    net.output(net.op("Neg", net.op("Add", *((zero, x) if left else (x, zero))), outputs="y"), result)
    assert compile_both(atc, net, samples, "add_zero/add_zero.py")["Add"] == (0 if fires else 1)


def test_add_zero_between_an_input_and_an_output_keeps_both_names(samples, atc):
    net = Net()
    net.output(net.op("Add", net.input("x", [2]), net.const(0.0), outputs="y"), [2])
    assert compile_both(atc, net, samples, "add_zero/add_zero.py")["Add"] == 0


def test_add_zero_takes_integers(samples, atc):
    net = Net()
    x = net.op("Abs", net.input("x", [2], TensorProto.INT64))
    net.output(net.op("Add", x, net.const(np.zeros((), np.int64)), outputs="y"), [2], TensorProto.INT64)
    assert compile_both(atc, net, samples, "add_zero/add_zero.py") == {"Abs": 1}


def concat_relu(extra_use=False, same_twice=False):
    net = Net()
    a, b = net.input("a", [2, 3]), net.input("b", [2, 3])
    joined = net.op("Concat", a, a if same_twice else b, b, axis=-1)
    net.output(net.op("Relu", joined, outputs="y"), [2, 9])
    if extra_use:
        net.output(net.op("Neg", joined, outputs="z"), [2, 9])
    return net


def test_relu_moves_before_a_concat_of_one_tensor_twice(samples, atc):
    after = compile_both(atc, concat_relu(same_twice=True), samples, "relu_before_concat/relu_before_concat.py")
    assert after["Relu"] >= 2 and after["Concat"] == 1


def test_relu_stays_where_the_concat_has_other_uses(samples, atc):
    after = compile_both(atc, concat_relu(extra_use=True), samples, "relu_before_concat/relu_before_concat.py")
    assert after == {"Concat": 1, "Relu": 1, "Neg": 1}


def test_relu_moves_before_concat_v2_of_a_graph_built_here(samples, registry):
    from ge.es import GraphBuilder
    from ge.es.all import ConcatV2, Relu

    scope = {"__name__": "sample_relu"}
    exec((samples / "relu_before_concat" / "relu_before_concat.py").read_text(), scope)
    builder = GraphBuilder("three")
    a, b, c = (x.set_shape([2, 3]) for x in builder.create_inputs(3))
    graph = builder.build_and_reset([Relu(ConcatV2([a, b, c], 0, N=3))])
    registry.apply(graph, passes=[scope["MoveReluBeforeConcat"]])
    kinds = [node.type for node in graph.get_direct_nodes()]
    assert kinds.count("Relu") == 3 and kinds.count("ConcatV2") == 1 and kinds[-1] == "NetOutput"


def conv(groups, channels, filters, *, bias=True, auto_pad=None, rank=2):
    net = Net()
    x = net.input("x", [1, channels] + [8] * rank)
    random = np.random.default_rng(0)
    weight = net.const(random.normal(size=[filters, channels // groups] + [3] * rank).astype(np.float32))
    operands = [x, weight] + ([net.const(random.normal(size=filters).astype(np.float32))] if bias else [])
    attributes = {"auto_pad": auto_pad} if auto_pad else {"pads": [1] * rank + [0] * rank}
    y = net.op("Conv", *operands, outputs="y", group=groups, kernel_shape=[3] * rank, **attributes)
    net.output(y, [1, filters] + ([8] * rank if auto_pad else [7] * rank))
    return net


@pytest.mark.parametrize("bias", [False, True])
def test_grouped_conv_becomes_one_conv_a_group(bias, samples, atc):
    after = compile_both(atc, conv(4, 8, 12, bias=bias), samples, "grouped_conv/grouped_conv.py")
    assert after == {"Split": 3 if bias else 2, "Conv": 4, "Concat": 1}


@pytest.mark.parametrize(
    "net",
    [
        conv(1, 4, 4),
        conv(16, 16, 16),  # depthwise: too many groups
        conv(2, 4, 4, auto_pad="SAME_UPPER"),
        conv(2, 4, 4, rank=3),
    ],
    ids=["one group", "depthwise", "auto_pad", "3-D"],
)
def test_conv_stays_where_it_cannot_or_need_not_be_split(net, samples, atc):
    assert compile_both(atc, net, samples, "grouped_conv/grouped_conv.py")["Conv"] == 1


def hard_swish(three=3.0, low=0.0, high=6.0, six=6.0, shape=(2, 3), result=None, dtype=np.float32, clip_first=False):
    net = Net()
    element = TensorProto.FLOAT if dtype == np.float32 else TensorProto.DOUBLE
    x = net.op("Neg", net.input("x", list(shape), element))
    constants = [net.const(np.array(c, dtype)) for c in (three, low, high, six)]
    clip = net.op("Clip", net.op("Add", x, constants[0]), constants[1], constants[2])
    product = net.op("Mul", *((clip, x) if clip_first else (x, clip)))
    y = net.op("Div", product, constants[3], outputs="y")
    net.output(y, list(result or shape), element)
    return net


@pytest.mark.parametrize(
    "net, fires",
    [
        (hard_swish(), True),
        (hard_swish(clip_first=True), True),
        (hard_swish(three=[3.0], six=[[6.0]]), True),
        (hard_swish(shape=("n", "m")), True),
        (hard_swish(three=3.5), False),
        (hard_swish(low=-1.0), False),
        (hard_swish(high=5.0), False),
        (hard_swish(six=3.0), False),
        (hard_swish(three=[3.0, 3.0, 3.0]), False),
        (hard_swish(six=[6.0], shape=(), result=(1,)), False),
        (hard_swish(dtype=np.float64), False),
    ],
    ids=["plain", "clip first", "one element", "dynamic", "3.5", "low", "high", "divisor", "vector", "rank", "double"],
)
def test_hard_swish_wants_its_constants(net, fires, samples, atc):
    after = compile_both(atc, net, samples, "hard_swish/hard_swish.py")
    assert after["HardSwish"] == (1 if fires else 0)


def test_hard_swish_wants_x_in_both_places(samples, atc):
    net = Net()
    x, y = net.input("a", [2]), net.input("b", [2])
    clip = net.op("Clip", net.op("Add", x, net.const(3.0)), net.const(0.0), net.const(6.0))
    net.output(net.op("Div", net.op("Mul", y, clip), net.const(6.0), outputs="y"), [2])
    assert compile_both(atc, net, samples, "hard_swish/hard_swish.py")["HardSwish"] == 0


def test_all_samples_run_together(samples, atc):
    model = samples / "matmul_add_to_gemm" / "model.onnx"
    done = atc.compile(model, "--verify", passes=[samples / s for s in SAMPLES])
    assert operators(done.path)["MatMul"] == 0, done.text


def test_a_folder_is_a_plugin_path(samples, atc):
    done = atc.compile(samples / "hard_swish" / "model.onnx", passes=[samples / "hard_swish"])
    assert operators(done.path)["HardSwish"] == 2, done.text
