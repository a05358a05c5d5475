"""Constant folding against onnxruntime: what is folded has the same bits, and what is not defined is left to the runtime."""

from __future__ import annotations

import numpy as np
import onnxruntime
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from onnx import TensorProto, helper, numpy_helper

from _onnx_models import Net, assert_same_numbers, operators, random_feeds, run
from _optimize import optimize

LIMITS = settings(max_examples=60, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))


def computed(net, names, types):
    for name, dtype in zip(names, types):
        net.output(name, None, helper.np_dtype_to_tensor_dtype(np.dtype(dtype)))
    return net.build()


def folded_bits(model):
    """The outputs as constants; fails if a node is left."""
    after, _ = optimize(model, "ConstantFoldingPass", check=False)
    assert not operators(after), operators(after)
    values = {t.name: numpy_helper.to_array(t) for t in after.graph.initializer}
    assert [o.name for o in after.graph.output] == [o.name for o in model.graph.output]
    return [values[o.name] for o in after.graph.output]


def assert_same_bits(model, expected=None):
    """Against onnxruntime, or against `expected`."""
    for one, other in zip(run(model, {}) if expected is None else expected, folded_bits(model)):
        assert one.dtype == other.dtype and one.shape == other.shape
        assert one.tobytes() == other.tobytes(), (one, other)


def stays(model):
    after, _ = optimize(model, "ConstantFoldingPass", check=False)
    return operators(after) == operators(model)


# ---- elementwise ------------------------------------------------------------------------------------------------------------

INTEGERS = (np.int32, np.int64)
FLOATS = (np.float32, np.float64)
MORE = (np.int8, np.int16, np.uint8, np.uint16, np.uint32, np.uint64, np.float16)
SPECIAL = [
    0.0,
    -0.0,
    1.0,
    -1.5,
    np.inf,
    -np.inf,
    np.nan,
    65504.0,
    65520.0,
    1e-8,
    5.96e-8,
    6.1e-5,
    2.0**-149,
    1 / 3,
    2049.0,
    16777217.0,
]


def elements(dtype):
    if np.issubdtype(dtype, np.floating):
        special = [v for v in SPECIAL if not (dtype == np.float16 and np.isfinite(v) and abs(v) > 65504)]
        return st.one_of(st.sampled_from(special), st.floats(-1000, 1000, width=16))
    info = np.iinfo(dtype)
    return st.one_of(st.integers(-5 if info.min < 0 else 0, 5), st.integers(int(info.min), int(info.max)))


SHAPES = [
    ((), ()),
    ((3,), ()),
    ((2, 3), (3,)),
    ((2, 1, 3), (4, 1)),
    ((0,), (1,)),
    ((0, 2), (2,)),
    ((1, 1), (2, 3)),
]


@st.composite
def operands(draw, dtypes):
    dtype = np.dtype(draw(st.sampled_from(dtypes)))
    pair = []
    for shape in draw(st.sampled_from(SHAPES)):
        count = int(np.prod(shape))
        values = draw(st.lists(elements(dtype), min_size=count, max_size=count))
        with np.errstate(over="ignore"):
            pair.append(np.array(values, dtype).reshape(shape))
    return pair


def runs(model):
    """What onnxruntime makes of it, or None where it has no such kernel."""
    try:
        return run(model, {})
    except Exception as error:  # onnxruntime has an exception type for each code
        assert "NOT_IMPLEMENTED" in str(error) or "Type Error" in str(error), error
        return None


def check_binary(op, pair):
    net = Net(14)
    with_type = (
        np.bool_ if op in ("Equal", "Less", "Greater", "LessOrEqual", "GreaterOrEqual") else pair[0].dtype
    )
    model = computed(net, [net.op(op, net.const(pair[0]), net.const(pair[1]))], [with_type])
    if not np.issubdtype(pair[0].dtype, np.floating) and op == "Div":
        low = np.iinfo(pair[0].dtype).min
        if (pair[1] == 0).any() or (low < 0 and (pair[0] == low).any() and (pair[1] == -1).any()):
            # Whether it is left or not depends on which elements meet: in any case onnxruntime must not be asked.
            optimize(model, "ConstantFoldingPass", check=False)
            return
    expected = runs(model)
    if expected is None:
        return
    after, _ = optimize(model, "ConstantFoldingPass", check=False)
    if operators(after):
        assert op in ("Max", "Min") and np.issubdtype(pair[0].dtype, np.floating)
        return
    (found,) = (
        numpy_helper.to_array(t) for t in after.graph.initializer if t.name == after.graph.output[0].name
    )
    assert found.shape == expected[0].shape and found.dtype == expected[0].dtype
    if np.issubdtype(found.dtype, np.floating):
        # A NaN may have any payload.
        nan = np.isnan(expected[0])
        np.testing.assert_array_equal(np.isnan(found), nan)
        found, expected[0] = np.where(nan, 0, found), np.where(nan, 0, expected[0])
    assert found.tobytes() == expected[0].tobytes(), (op, pair, found, expected[0])


@pytest.mark.parametrize(
    "op",
    ["Add", "Sub", "Mul", "Div", "Max", "Min", "Equal", "Less", "Greater", "LessOrEqual", "GreaterOrEqual"],
)
def test_binary_operators_have_the_bits_of_onnxruntime(op):
    @LIMITS
    @given(operands(INTEGERS + FLOATS + MORE))
    def check(pair):
        check_binary(op, pair)

    check()


# onnxruntime before 1.20 loses the sign of zeros here and rounds square roots otherwise than IEEE 754 has it.
OLD_RUNTIME = tuple(int(part) for part in onnxruntime.__version__.split(".")[:2]) < (1, 20)
EXACT = {"Floor": np.floor, "Ceil": np.ceil, "Sqrt": np.sqrt} if OLD_RUNTIME else {}


@pytest.mark.parametrize("op", ["Neg", "Abs", "Floor", "Ceil", "Round", "Sqrt", "Reciprocal", "Sign", "Not"])
def test_unary_operators_have_the_bits_of_onnxruntime(op):
    for dtype in FLOATS + INTEGERS + MORE + (np.bool_,):
        values = (
            [v for v in SPECIAL if np.isfinite(v)] if np.issubdtype(dtype, np.floating) else [0, 1, 2, 5, 100]
        )
        if op in ("Sqrt", "Reciprocal"):
            values = [v for v in values if v > 0]
        if op == "Sign":
            values = [v for v in values if str(v) != "-0.0"]
        values = [
            v
            for v in values
            if dtype != np.float16 or abs(v) < 65505 and v != 2.0**-149 and (op != "Reciprocal" or v > 1e-3)
        ]
        net = Net(14)
        operand = np.array(values).astype(dtype)
        model = computed(net, [net.op(op, net.const(operand))], [dtype])
        if runs(model) is not None:
            assert_same_bits(model, [EXACT[op](operand)] if op in EXACT else None)


TYPES = {
    "float": np.float32,
    "double": np.float64,
    "float16": np.float16,
    "int8": np.int8,
    "int32": np.int32,
    "int64": np.int64,
    "uint8": np.uint8,
    "uint16": np.uint16,
    "uint64": np.uint64,
    "bool": np.bool_,
}


@pytest.mark.parametrize("source", TYPES)
def test_casts_have_the_bits_of_onnxruntime(source):
    floats = [0.0, -0.5, 0.3, 1.0, 1.5, 2.5, 100.7, 2049.5, 65519.0, 65520.0, 1e-7, 6e-8, 2.98e-8]
    integers = [
        0,
        1,
        2,
        3,
        127,
        128,
        255,
        256,
        2049,
        2051,
        32767,
        65504,
        65519,
        65520,
        16777217,
        16777219,
        2**31 - 1,
        2**53 + 1,
    ]
    dtype = TYPES[source]
    if np.issubdtype(dtype, np.floating):
        values = np.array([v for v in floats if dtype != np.float16 or v < 65504], dtype)
    elif dtype == np.bool_:
        values = np.array([True, False])
    else:
        top = np.iinfo(dtype).max
        values = np.array(
            [v for v in integers if v <= top] + ([-1, -7] if np.iinfo(dtype).min < 0 else []), dtype
        )
    for target in TYPES.values():
        kept = values
        if np.issubdtype(dtype, np.floating) and np.issubdtype(target, np.integer):
            low, high = np.iinfo(target).min, np.iinfo(target).max
            kept = values[(values.astype(float) > low - 1) & (values.astype(float) < high)]
            if low == 0:
                kept = kept[kept >= 0]
        net = Net(14)
        to = helper.np_dtype_to_tensor_dtype(np.dtype(target))
        model = computed(net, [net.op("Cast", net.const(kept), to=to)], [target])
        if runs(model) is not None:
            assert_same_bits(model)


def test_bfloat16_is_rounded_to_the_nearest_even():
    values = np.array([1.0, 1.00390625, 1.01171875, 3.3895314e38, 1e-40, -2.5], np.float32)
    net = Net(14)
    half = net.op("Cast", net.const(values), to=TensorProto.BFLOAT16)
    model = computed(net, [net.op("Cast", half, to=TensorProto.FLOAT)], [np.float32])
    assert_same_bits(model)


@pytest.mark.parametrize(
    "values, source, target",
    [
        ([np.nan], np.float32, TensorProto.INT32),
        ([3e9], np.float32, TensorProto.INT32),
        ([-1.0], np.float32, TensorProto.UINT8),
        ([np.inf], np.float64, TensorProto.INT64),
    ],
)
def test_casts_without_a_defined_result_are_left(values, source, target):
    net = Net(14)
    name = net.op("Cast", net.const(np.array(values, source)), to=target)
    net.output(name, None, target)
    assert stays(net.build())


@pytest.mark.parametrize("divisor, dividend", [(0, 1), (-1, -(2**31))])
def test_divisions_without_a_result_are_left(divisor, dividend):
    net = Net(14)
    model = computed(
        net,
        [net.op("Div", net.const([dividend], dtype=np.int32), net.const([divisor], dtype=np.int32))],
        [np.int32],
    )
    assert stays(model)


@pytest.mark.parametrize("fmod", [0, 1])
def test_remainders_have_the_sign_that_onnx_says(fmod):
    net = Net(14)
    a, b = net.const([7, -7, 7, -7, 0], dtype=np.int64), net.const([3, 3, -3, -3, 5], dtype=np.int64)
    assert_same_bits(computed(net, [net.op("Mod", a, b, fmod=fmod)], [np.int64]))


def test_logic_and_selection():
    net = Net(18)
    yes, no = net.const([[True], [False]], dtype=np.bool_), net.const([True, False, True], dtype=np.bool_)
    names = [net.op(op, yes, no) for op in ("And", "Or", "Xor")]
    bits = net.const([12, 10], dtype=np.int32), net.const([10, 3], dtype=np.int32)
    names += [net.op(op, *bits) for op in ("BitwiseAnd", "BitwiseOr", "BitwiseXor")] + [
        net.op("BitwiseNot", bits[0])
    ]
    names.append(net.op("Where", no, net.const([1.0, 2.0, 3.0]), net.const([[-1.0], [-2.0]])))
    names.append(net.op("Clip", net.const([-3.0, 0.5, 9.0]), net.const(-1.0), net.const(1.0)))
    assert_same_bits(computed(net, names, [np.bool_] * 3 + [np.int32] * 4 + [np.float32] * 2))


# ---- shapes and places --------------------------------------------------------------------------------------------------------


def grid(*shape, dtype=np.float32):
    return np.arange(int(np.prod(shape)), dtype=dtype).reshape(shape)


INTS = dict(dtype=np.int64)


@pytest.mark.parametrize("dtype", [np.float32, np.int64, np.float16, np.uint8, np.bool_])
def test_operators_that_move_elements(dtype):
    net = Net(13)
    x = net.const(grid(2, 3, 4).astype(dtype))
    e = net.const(np.zeros((2, 0, 4), dtype))
    names = [
        net.op("Transpose", x, perm=[2, 0, 1]),
        net.op("Concat", x, e, x, axis=1),
        net.op("Concat", x, x, axis=-1),
        net.op("Gather", x, net.const([[0, -1], [1, 1]], **INTS), axis=1),
        net.op("Gather", x, net.const(-2, **INTS), axis=0),
        net.op(
            "Slice",
            x,
            net.const([0, 3], **INTS),
            net.const([2, -9], **INTS),
            net.const([1, 2], **INTS),
            net.const([1, -2], **INTS),
        ),
        net.op(
            "Slice",
            x,
            net.const([-1], **INTS),
            net.const([-(2**63)], **INTS),
            net.const([-1], **INTS),
            net.const([-1], **INTS),
        ),
        net.op("Slice", x, net.const([5], **INTS), net.const([9], **INTS), net.const([0], **INTS)),
        net.op("Slice", x, net.const([0], **INTS), net.const([2**63 - 1], **INTS)),
        net.op("Expand", net.const(grid(3, 1).astype(dtype)), net.const([2, 1, 4], **INTS)),
        net.op("Expand", x, net.const([1], **INTS)),
        net.op("Tile", x, net.const([2, 1, 2], **INTS)),
        net.op("Tile", x, net.const([1, 0, 1], **INTS)),
        net.op("Reshape", x, net.const([0, -1], **INTS)),
        net.op("Reshape", x, net.const([4, 6], **INTS)),
        net.op("Flatten", x, axis=2),
        net.op("Flatten", x, axis=0),
        net.op("Unsqueeze", x, net.const([0, -1], **INTS)),
        net.op("Squeeze", net.op("Unsqueeze", x, net.const([1, 3], **INTS)), net.const([1], **INTS)),
        net.op("Squeeze", net.op("Unsqueeze", x, net.const([1, 3], **INTS))),
        net.op("Identity", x),
    ]
    model = computed(net, names, [dtype] * len(names))
    assert_same_bits(model)


def test_creation_and_reduction():
    net = Net(13)
    x = net.const(grid(2, 3, 4, dtype=np.int64) - 7)
    f = net.const(grid(2, 3, 4) - 7.5)
    axes = net.const([0, -1], **INTS)
    names = [
        net.op(
            "ConstantOfShape",
            net.const([2, 3], **INTS),
            value=numpy_helper.from_array(np.array([7], np.int32)),
        ),
        net.op("ConstantOfShape", net.const([0], **INTS)),
        net.op("ConstantOfShape", net.const(np.array([], np.int64))),
        net.op("Range", *(net.const(v, **INTS) for v in (3, -4, -2))),
        net.op("Range", *(net.const(v) for v in (0.0, 5.0, 1.0))),
        net.op("Range", *(net.const(v, **INTS) for v in (3, 3, 1))),
        net.op("ReduceSum", x, axes),
        net.op("ReduceSum", x, axes, keepdims=0),
        net.op("ReduceSum", x),
        net.op("ReduceSum", x, net.const(np.array([], np.int64)), noop_with_empty_axes=1),
        net.op("ReduceMax", x, axes=[1]),
        net.op("ReduceMin", f, axes=[-1], keepdims=0),
        net.op(
            "ReduceProd",
            net.op("Slice", x, net.const([0], **INTS), net.const([1], **INTS), net.const([2], **INTS)),
        ),
        net.op("Size", x),
        net.op("Shape", f),
    ]
    types = (
        [np.int32, np.float32, np.float32, np.int64, np.float32, np.int64]
        + [np.int64] * 5
        + [np.float32]
        + [np.int64] * 3
    )
    assert_same_bits(computed(net, names, types))


def test_float_sums_are_left_since_their_order_matters():
    net = Net(13)
    assert stays(computed(net, [net.op("ReduceSum", net.const([0.1, 0.2, 0.3]))], [np.float32]))


def test_where_runtimes_disagree_the_node_stays():
    net = Net(18)
    x = net.const(grid(4))
    last, ends = net.const([3], **INTS), [net.const([n], **INTS) for n in (2**63 - 1, 2**31 - 1)]
    zero, minus = net.const([0], **INTS), net.const([-1], **INTS)
    infinite = net.const([np.inf, 1.0])
    names = [
        # ONNX: nothing. onnxruntime: everything, backwards.
        *(net.op("Slice", x, last, end, zero, minus) for end in ends),
        # ONNX: the largest float.
        net.op("Clip", infinite, net.const(-1.0)),
        net.op("Clip", net.const([-np.inf, 1.0]), "", net.const(1.0)),
        # A zero of either sign.
        net.op("Where", net.const(np.array([True, False])), net.const([-0.0, 1.0]), net.const([1.0, 1.0])),
        # onnxruntime computes in doubles.
        net.op("ReduceProd", net.const([2**31 + 1, 2**31 + 1], **INTS)),
        net.op("ReduceSum", net.const([2**63 - 1, 1], **INTS)),
        net.op("ReduceSum", net.const([2**53, 1, -1], **INTS)),
    ]
    assert stays(computed(net, names, [np.float32] * 5 + [np.int64] * 3))


def test_sizes_on_which_runtimes_disagree_are_not_known():
    net = Net(18)
    x = net.input("x", [4])
    sliced = net.op("Slice", x, *(net.const([n], **INTS) for n in (3, 2**63 - 1, 0, -1)))
    places = net.op("NonZero", net.input("s", []))
    names = [net.op("Size", sliced), net.op("Shape", places)]
    assert stays(computed(net, names, [np.int64] * 2))


# ---- in graphs ----------------------------------------------------------------------------------------------------------------


def pooled_reshape(shape=("N", 3, 8, 8)):
    """Reshape by arithmetic over the input's shape, as exporters write it."""
    net = Net(13)
    x = net.input("x", list(shape))
    s = net.op("Shape", x)

    def dim(i):
        picked = net.op("Gather", s, net.const(i, **INTS), axis=0)
        return net.op("Unsqueeze", picked, net.const([0], **INTS))

    area = net.op("Mul", dim(2), dim(3))
    y = net.op("Reshape", x, net.op("Concat", dim(0), dim(1), area, axis=0))
    net.output(net.op("Relu", y, outputs="y"), None)
    return net.build()


def test_shape_arithmetic_folds_as_far_as_the_shape_is_known():
    model = pooled_reshape(("N", "M", 8, 8))
    after, _ = optimize(model, level="O3")
    # Two sizes are open: what computes them stays, the product of the known ones is a constant.
    assert operators(after) == {"Shape": 1, "Gather": 2, "Unsqueeze": 2, "Concat": 1, "Reshape": 1, "Relu": 1}
    for size in (1, 4):
        feeds = random_feeds(model, sizes={"N": size, "M": size + 1})
        assert_same_numbers(model, after, feeds, 0)
    model = pooled_reshape((2, 3, 8, 8))
    after, _ = optimize(model, level="O3")
    assert operators(after) == {"Reshape": 1, "Relu": 1}
    assert_same_numbers(model, after, tolerance=0)


@pytest.mark.parametrize("level", ["O1", "O3"])
def test_a_reshape_by_sizes_of_which_one_is_open_needs_no_arithmetic(level):
    model = pooled_reshape()
    after, _ = optimize(model, level=level)
    assert operators(after) == {"Reshape": 1, "Relu": 1}
    (sizes,) = (numpy_helper.to_array(t) for t in after.graph.initializer)
    assert list(sizes) == [-1, 3, 64]
    for size in (0, 1, 4):
        feeds = {"x": np.random.default_rng(0).normal(size=(size, 3, 8, 8)).astype(np.float32)}
        for one, other in zip(run(model, feeds), run(after, feeds)):
            np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("given", [[-1, 6], [2, 0], [4, 6]])
def test_a_reshape_by_sizes_from_outside_stays_as_it_is_or_means_the_same(given):
    net = Net(13)
    x = net.input("x", [4, 6])
    first = net.input("first", [1], TensorProto.INT64)
    for rest in ([6], [0], [-1]):
        sizes = net.op("Concat", first, net.const(rest, **INTS), axis=0)
        net.output(net.op("Reshape", x, sizes), None)
    model = net.build()
    after, _ = optimize(model, level="O3", check=False)
    assert operators(after)["Concat"] == 2
    feeds = {"x": grid(4, 6), "first": np.array([4], np.int64)}
    assert_same_numbers(model, after, feeds, 0)


def test_an_input_shape_given_to_atc_folds_the_rest(atc):
    done = atc.compile(pooled_reshape(), "--input_shape=x:2,3,8,8", "--oo_level=O1", "--verify")
    assert operators(done.path) == {"Reshape": 1, "Relu": 1}


def test_a_constant_that_others_read_stays_for_them():
    net = Net(13)
    x = net.input("x", ["N", 4])
    c = net.const([1.0, 2.0, 3.0, 4.0], "c")
    net.output(net.op("Add", x, c), ["N", 4])
    net.output(net.op("Mul", x, net.op("Neg", c)), ["N", 4])
    model = net.build()
    after, _ = optimize(model, "ConstantFoldingPass")
    assert operators(after) == {"Add": 1, "Mul": 1}
    assert_same_numbers(model, after, random_feeds(model), 0)


def test_a_tensor_that_is_a_graph_output_and_read_on_becomes_a_constant_of_its_name():
    net = Net(13)
    x = net.input("x", ["N", 2])
    y = net.op("Add", net.const([1.0, 2.0]), net.const([0.5, 0.5]), outputs="y")
    net.output(y, [2])
    net.output(net.op("Mul", x, y, outputs="z"), ["N", 2])
    model = net.build()
    after, _ = optimize(model, "ConstantFoldingPass")
    assert [o.name for o in after.graph.output] == ["y", "z"] and operators(after) == {"Mul": 1}
    assert_same_numbers(model, after, random_feeds(model), 0)


def test_what_bodies_read_is_folded_under_its_name():
    net = Net(13)
    flag = net.input("flag", [], TensorProto.BOOL)
    net.op("Add", net.const([1.0, 2.0]), net.const([0.5, 0.5]), outputs="outer")
    branches = {}
    for name, op in (("then_branch", "Neg"), ("else_branch", "Exp")):
        result = helper.make_tensor_value_info(f"{name}_out", TensorProto.FLOAT, [2])
        branches[name] = helper.make_graph(
            [helper.make_node(op, ["outer"], [f"{name}_out"])], name, [], [result]
        )
    net.output(net.op("If", flag, **branches), [2])
    model = net.build()
    after, _ = optimize(model, level="O3")
    assert operators(after) == {"If": 1}
    for value in (True, False):
        assert_same_numbers(model, after, {"flag": np.array(value)}, 0)


@pytest.mark.parametrize("size, folds", [(16 << 10, True), ((16 << 10) + 4, False)])
def test_a_result_may_be_64_kib_larger_than_what_it_replaces(size, folds):
    net = Net(13)
    model = computed(net, [net.op("ConstantOfShape", net.const([size], **INTS))], [np.float32])
    assert stays(model) != folds


def test_all_constants_together_may_grow_by_4_mib():
    net = Net(13)
    for i in range(80):
        filled = net.op(
            "ConstantOfShape",
            net.const([16 << 10], **INTS),
            value=numpy_helper.from_array(np.array([i], np.float32)),
        )
        net.output(filled, None)
    model = net.build()
    after, _ = optimize(model, "ConstantFoldingPass", check=False)
    assert 0 < operators(after)["ConstantOfShape"] <= 17
    assert after.ByteSize() < (4 << 20) + (64 << 10)


def test_large_weights_are_folded_only_where_they_go():
    net = Net(13)
    x = net.input("x", ["N", 512])
    w = net.const(np.random.default_rng(0).normal(size=(256, 512)).astype(np.float32))
    net.output(net.op("MatMul", x, net.op("Transpose", w, perm=[1, 0])), None)
    model = net.build()
    after, _ = optimize(model, "ConstantFoldingPass")
    assert operators(after) == {"MatMul": 1} and after.ByteSize() <= model.ByteSize()
    assert_same_numbers(model, after, random_feeds(model), 1e-4)
    net.output(net.op("MatMul", net.op("MatMul", x, net.op("Transpose", w, perm=[1, 0])), w), None)
    assert stays(net.build())


def test_damaged_constants_are_left_alone():
    net = Net(13)
    model = computed(net, [net.op("Gather", net.const([1.0, 2.0]), net.const([5], **INTS))], [np.float32])
    assert stays(model)


# ---- random graphs --------------------------------------------------------------------------------------------------------------


@st.composite
def graphs(draw):
    """Constants and one input of known shape through a random mix of shape arithmetic and elementwise operators."""
    net = Net(13)
    x = net.input("x", [draw(st.sampled_from(["N", 2])), 3, 4])
    ints = [net.op("Shape", x), net.const([2, 3, 4], **INTS), net.const([1, -1, 2], **INTS)]
    floats = [x, net.const(grid(2, 3, 4)), net.const(grid(4) - 1.5), net.const(0.5)]
    for _ in range(draw(st.integers(3, 14))):
        kind = draw(st.integers(0, 8))
        if kind == 0:
            ints.append(
                net.op(
                    draw(st.sampled_from(["Add", "Sub", "Mul", "Max", "Min"])),
                    *draw(st.tuples(*[st.sampled_from(ints)] * 2)),
                )
            )
        elif kind == 1:
            index = draw(st.sampled_from([[0, 1, 2], [2, -1, 0], [1, 1, 1]]))
            ints.append(net.op("Gather", draw(st.sampled_from(ints)), net.const(index, **INTS)))
        elif kind == 2:
            a, b = draw(st.sampled_from([(0, 1), (1, 3), (0, 2)]))
            part = net.op(
                "Slice", draw(st.sampled_from(ints)), net.const([a], **INTS), net.const([b], **INTS)
            )
            rest = net.op(
                "Slice", draw(st.sampled_from(ints)), net.const([b - a], **INTS), net.const([3], **INTS)
            )
            ints.append(net.op("Concat", part, rest, axis=0))
        elif kind == 3:
            floats.append(
                net.op(
                    draw(st.sampled_from(["Add", "Sub", "Mul"])),
                    *draw(st.tuples(*[st.sampled_from(floats)] * 2)),
                )
            )
        elif kind == 4:
            floats.append(
                net.op(
                    draw(st.sampled_from(["Neg", "Abs", "Relu", "Floor", "Identity"])),
                    draw(st.sampled_from(floats)),
                )
            )
        elif kind == 5:
            twice = net.op(
                "Transpose",
                net.op("Add", x, draw(st.sampled_from(floats))),
                perm=draw(st.permutations(range(3))),
            )
            floats.append(
                net.op(
                    "ReduceMax",
                    net.op("Transpose", twice, perm=draw(st.permutations(range(3)))),
                    axes=[0, 1, 2],
                    keepdims=0,
                )
            )
        elif kind == 6:
            as_float = net.op("Cast", draw(st.sampled_from(ints)), to=TensorProto.FLOAT)
            floats.append(net.op("ReduceMax", as_float, axes=[0]))
        elif kind == 7:
            flat = net.op("Reshape", draw(st.sampled_from(floats)), net.const([-1], **INTS))
            floats.append(net.op("ReduceMin", net.op("Unsqueeze", flat, net.const([0], **INTS)), keepdims=0))
        else:
            same = net.op("Equal", *draw(st.tuples(*[st.sampled_from(ints)] * 2)))
            ints.append(net.op("Where", same, *draw(st.tuples(*[st.sampled_from(ints)] * 2))))
    for name in draw(st.lists(st.sampled_from(ints), min_size=1, max_size=3, unique=True)):
        net.output(name, None, TensorProto.INT64)
    for name in draw(st.lists(st.sampled_from(floats[1:]), min_size=1, max_size=3, unique=True)):
        net.output(name, None)
    return net.build()


@settings(LIMITS, max_examples=120)
@given(graphs())
def test_random_graphs_compute_the_same_bits_after_all_passes(model):
    after, _ = optimize(model, level="O3", check=False)
    assert len(after.graph.node) <= len(model.graph.node)
    assert [o.name for o in after.graph.output] == [o.name for o in model.graph.output]
    feeds = {"x": np.random.default_rng(1).integers(-8, 8, (2, 3, 4)).astype(np.float32) / 4}
    for one, other in zip(run(model, feeds), run(after, feeds)):
        assert one.dtype == other.dtype and one.shape == other.shape
        assert one.tobytes() == other.tobytes()
