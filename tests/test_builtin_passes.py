"""The compiler's own passes, rule by rule: what each does to a model, and that the model computes the same."""

from __future__ import annotations

import json

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from _onnx_models import Net, assert_same_numbers, operators, random_feeds, run
from _optimize import PASSES, optimize

BATCHES = (1, 2, 5)


def same(before, after, tolerance=1e-5):
    """For several sizes of the open dims."""
    for size in BATCHES:
        sizes = {"N": size, "M": size + 1, "batch": size}
        assert_same_numbers(before, after, random_feeds(before, seed=size, sizes=sizes), tolerance)


def outputs(model):
    return [info.name for info in model.graph.output]


def initializers(model):
    return {t.name: numpy_helper.to_array(t) for t in model.graph.initializer}


# ---- which run, and how they are switched ---------------------------------------------------------------------------------


def foldable():
    net = Net()
    x = net.input("x", ["N", 4])
    two = net.op("Add", net.const(1.0), net.const(1.0))
    net.output(net.op("Identity", net.op("Mul", x, net.op("Identity", two))), ["N", 4])
    return net.build()


def test_nothing_changes_unless_something_asks_for_it(atc):
    model = foldable()
    done = atc.compile(model)
    assert operators(done.path) == operators(model)
    assert "ConstantFoldingPass" not in done.text


@pytest.mark.parametrize(
    "options, ran",
    [
        (["--oo_level=O3"], set(PASSES)),
        (["--oo_level=O1"], {"DropOutPass", "ConstantFoldingPass"}),
        (["--oo_constant_folding=true"], {"ConstantFoldingPass"}),
        (["--oo_level=O3", "--oo_constant_folding=false"], set(PASSES) - {"ConstantFoldingPass"}),
        (["--optimization_switch=IdentityPass:on;PrunePass:on"], {"IdentityPass", "PrunePass"}),
        (["--oo_level=O3", "--optimization_switch=IdentityPass:off"], set(PASSES) - {"IdentityPass"}),
    ],
)
def test_levels_and_switches_choose_passes(options, ran, atc):
    done = atc.compile(foldable(), *options)
    lines = [line.split() for line in done.text.splitlines()]
    found = {line[1] for line in lines if line and line[0] == "CompatibleInherited"}
    assert found == ran, done.text
    assert f"Passes   {len(ran)}" in done.text
    assert "not registered" not in done.text


def test_the_switch_file_names_built_in_passes_too(atc, tmp_path):
    switches = tmp_path / "switches.json"
    switches.write_text(json.dumps({"Switch": {"GraphFusion": {"ALL": "off", "ConstantFoldingPass": "on"}}}))
    done = atc.compile(foldable(), "--oo_level=O3", f"--fusion_switch_file={switches}")
    assert operators(done.path) == {"Mul": 1, "Identity": 1}


def test_list_shows_built_in_passes_with_the_reason(monkeypatch):
    from ge.passes._listing import list_passes

    monkeypatch.delenv("ASCEND_GE_PY_PASS_PATH", raising=False)
    found = {p["name"]: p for p in list_passes("PrunePass:off", "", "O1")["builtin_passes"]}
    assert tuple(found) == PASSES
    assert found["ConstantFoldingPass"]["enabled"] and found["ConstantFoldingPass"]["kind"] == "built_in"
    assert found["PrunePass"]["reason"] == "switched off by --optimization_switch"
    assert found["IdentityPass"]["reason"] == "runs at --oo_level=O3"


USER_PASS = """
from ge.passes import FusionBasePass, PassStage, register_fusion_pass

for number, stage in enumerate(PassStage):
    class See(FusionBasePass):
        def run(self, graph, context):
            types = sorted(n.type for n in graph.get_direct_nodes() if n.type in ("Identity", "Add", "Mul"))
            print("SEEN", context.get_pass_name(), ",".join(types), flush=True)
    See.__name__ = f"See{number}"
    register_fusion_pass(name=f"See{number}", stage=stage)(See)
"""


def test_passes_of_users_see_the_model_as_it_was_until_the_built_in_ones_have_run(atc, tmp_path):
    (tmp_path / "see.py").write_text(USER_PASS)
    done = atc.compile(foldable(), "--oo_level=O3", passes=[tmp_path / "see.py"])
    seen = dict(line.split()[1:3] for line in done.text.splitlines() if line.startswith("SEEN"))
    whole = "Add,Identity,Identity,Mul"
    assert seen == {"See0": whole, "See1": whole, "See2": "Mul", "See3": "Mul"}, done.text


def test_a_pass_of_a_user_may_have_the_name_of_a_built_in_one(atc, tmp_path):
    source = USER_PASS.replace('f"See{number}"', '"IdentityPass"').replace(
        "enumerate(PassStage)", "[(0, list(PassStage)[0])]"
    )
    (tmp_path / "see.py").write_text(source)
    done = atc.compile(foldable(), "--oo_level=O3", passes=[tmp_path / "see.py"])
    assert "SEEN IdentityPass" in done.text
    assert operators(done.path) == {"Mul": 1}


# ---- Identity, Dropout, dead nodes ----------------------------------------------------------------------------------------


def test_identities_go_and_graph_outputs_keep_their_names():
    net = Net()
    x = net.input("x", ["N", 4])
    y = net.op("Relu", net.op("Identity", net.op("Concat", x, axis=1)))
    net.output(net.op("Identity", y, outputs="result"), ["N", 4])
    model = net.build()
    after, _ = optimize(model, "IdentityPass")
    assert operators(after) == {"Relu": 1} and outputs(after) == ["result"]
    same(model, after)


def test_an_identity_that_gives_a_tensor_a_second_name_stays():
    net = Net()
    x = net.input("x", ["N", 4])
    y = net.op("Relu", x, outputs="y")
    net.output(y, ["N", 4])
    net.output(net.op("Identity", y, outputs="again"), ["N", 4])
    net.output(net.op("Identity", x, outputs="input"), ["N", 4])
    net.output(net.op("Identity", net.const([1.0, 2.0]), outputs="constant"), [2])
    model = net.build()
    after, _ = optimize(model, "IdentityPass")
    assert operators(after) == operators(model) and outputs(after) == outputs(model)
    same(model, after)


def test_identities_around_bodies_keep_what_bodies_read_by_name():
    net = Net()
    x = net.input("x", ["N", 4])
    flag = net.input("flag", [], TensorProto.BOOL)
    inner = net.op("Identity", net.op("Relu", x), outputs="inner")
    branches = {}
    for name, op in (("then_branch", "Neg"), ("else_branch", "Abs")):
        result = helper.make_tensor_value_info(f"{name}_out", TensorProto.FLOAT, ["N", 4])
        body = [
            helper.make_node(op, ["inner"], [f"{name}_mid"]),
            helper.make_node("Identity", [f"{name}_mid"], [f"{name}_out"]),
        ]
        branches[name] = helper.make_graph(body, name, [], [result])
    net.output(net.op("If", flag, **branches), ["N", 4])
    net.output(net.op("Exp", inner), ["N", 4])
    model = net.build()
    after, _ = optimize(model, level="O3")
    assert operators(after)["Identity"] == 0
    for flag_value in (True, False):
        feeds = {
            "x": np.random.default_rng(0).normal(size=(3, 4)).astype(np.float32),
            "flag": np.array(flag_value),
        }
        assert_same_numbers(model, after, feeds)


@pytest.mark.parametrize("opset, extra", [(10, []), (13, []), (13, ["ratio"]), (13, ["ratio", "training"])])
def test_dropout_goes_in_every_form_that_only_infers(opset, extra):
    net = Net(opset)
    x = net.input("x", ["N", 4])
    operands = [x]
    if "ratio" in extra:
        operands.append(net.const(0.3))
    if "training" in extra:
        operands.append(net.const(False, dtype=np.bool_))
    net.output(net.op("Relu", net.op("Dropout", *operands)), ["N", 4])
    model = net.build()
    after, _ = optimize(model, "DropOutPass")
    assert operators(after) == {"Relu": 1}
    same(model, after)


def test_dropout_that_trains_or_whose_mask_is_read_stays():
    net = Net(13)
    x = net.input("x", ["N", 4])
    trained = net.op("Dropout", x, net.const(0.3), net.const(True, dtype=np.bool_))
    kept, mask = net.op("Dropout", x, outputs=2)
    net.output(net.op("Add", trained, kept), ["N", 4])
    net.output(mask, ["N", 4], TensorProto.BOOL)
    after, _ = optimize(net.build(), "DropOutPass")
    assert operators(after)["Dropout"] == 2


def test_dead_nodes_go_and_operators_of_other_domains_stay():
    net = Net(custom_domain=1)
    x = net.input("x", ["N", 4])
    net.op("Exp", net.op("Add", x, net.const([1.0, 2.0, 3.0, 4.0], name="dead")))
    net.op("Log", x, domain="custom.domain")
    net.output(net.op("Relu", x), ["N", 4])
    after, reports = optimize(net.build(), "PrunePass", check=False)
    assert operators(after) == {"Relu": 1, "Log": 1}
    assert "dead" not in initializers(after) and reports["PrunePass"].rewrites == 2


# ---- Cast -----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "first, second, stays",
    [
        (TensorProto.FLOAT, TensorProto.DOUBLE, False),
        (TensorProto.FLOAT16, TensorProto.FLOAT, False),
        (TensorProto.INT32, TensorProto.INT64, False),
        (TensorProto.INT32, TensorProto.DOUBLE, False),
        (TensorProto.BOOL, TensorProto.FLOAT, False),
        (TensorProto.FLOAT, TensorProto.FLOAT16, True),
        (TensorProto.INT64, TensorProto.DOUBLE, True),
        (TensorProto.INT32, TensorProto.FLOAT, True),
        (TensorProto.INT64, TensorProto.INT32, True),
        (TensorProto.INT32, TensorProto.UINT32, True),
    ],
)
def test_casts_there_and_back_go_where_nothing_is_lost(first, second, stays):
    net = Net()
    x = net.input("x", ["N", 4], first)
    back = net.op("Cast", net.op("Cast", x, to=second), to=first)
    net.output(net.op("Reshape", back, net.const([-1], dtype=np.int64)), None, first)
    net.output(net.op("Cast", net.op("Cast", x, to=first), to=TensorProto.FLOAT), ["N", 4])
    model = net.build()
    after, _ = optimize(model, "CastRemovePass")
    same_type = 1 if first == TensorProto.FLOAT else 0
    assert operators(after)["Cast"] == (2 if stays else 0) + 1
    assert same_type in (0, 1)
    same(model, after)


# ---- Transpose ------------------------------------------------------------------------------------------------------------


def transposes(*perms, shared=False):
    net = Net()
    x = net.input("x", ["N", 3, 4])
    for perm in perms:
        x = net.op("Transpose", x, perm=list(perm))
        if shared:
            net.output(net.op("Relu", x), None)
    net.output(net.op("Neg", x), None)
    return net.build()


@pytest.mark.parametrize(
    "perms, left",
    [
        ([(0, 1, 2)], 0),
        ([(0, 2, 1), (0, 2, 1)], 0),
        ([(1, 2, 0), (2, 0, 1)], 0),
        ([(1, 2, 0), (1, 2, 0), (1, 2, 0)], 0),
        ([(1, 2, 0), (1, 0, 2)], 1),
        ([(1, 2, 0), (0, 2, 1), (2, 1, 0)], 1),
    ],
)
def test_transposes_cancel_or_merge(perms, left):
    model = transposes(*perms)
    after, _ = optimize(model, "TransOpSymmetryEliminationPass")
    assert operators(after)["Transpose"] == left
    same(model, after)


def test_a_transpose_that_others_read_stays_and_a_pair_around_it_still_cancels():
    model = transposes((1, 2, 0), (2, 0, 1), (1, 0, 2), shared=True)
    after, _ = optimize(model, "TransOpSymmetryEliminationPass")
    assert operators(after)["Transpose"] == 2
    same(model, after)


def test_a_transpose_that_is_a_graph_output_keeps_its_name():
    net = Net()
    x = net.input("x", ["N", 3])
    y = net.op("Transpose", net.op("Relu", x), perm=[1, 0], outputs="y")
    net.output(y, [3, "N"])
    net.output(net.op("Transpose", y, perm=[1, 0], outputs="z"), ["N", 3])
    model = net.build()
    after, _ = optimize(model, "TransOpSymmetryEliminationPass")
    assert outputs(after) == ["y", "z"] and operators(after)["Transpose"] == 1
    same(model, after)


# ---- Reshape --------------------------------------------------------------------------------------------------------------


def reshaped(steps, shape=("N", 4, 6), opset=13):
    net = Net(opset)
    x = net.input("x", list(shape))
    for op, argument in steps:
        if op == "Flatten":
            x = net.op(op, x, axis=argument)
        elif opset < 13 and op != "Reshape":
            x = net.op(op, x, axes=argument)
        else:
            x = net.op(op, x, net.const(argument, dtype=np.int64))
    net.output(net.op("Relu", x), None)
    return net.build()


@pytest.mark.parametrize("opset", [11, 13])
@pytest.mark.parametrize(
    "steps, left",
    [
        ([("Reshape", [-1, 4, 6])], 0),
        ([("Reshape", [0, 4, 6])], 0),
        ([("Unsqueeze", [1]), ("Squeeze", [1])], 0),
        ([("Reshape", [-1, 24]), ("Reshape", [-1, 4, 6])], 0),
        ([("Reshape", [-1, 24]), ("Reshape", [-1, 2, 3])], 1),
        ([("Flatten", 1), ("Unsqueeze", [0, 3])], 1),
        ([("Reshape", [2, -1]), ("Reshape", [0, -1, 3])], 1),
        ([("Unsqueeze", [0]), ("Unsqueeze", [0]), ("Squeeze", [0, 1])], 0),
    ],
)
def test_reshapes_cancel_or_merge(steps, left, opset):
    model = reshaped(steps, opset=opset)
    after, _ = optimize(model, "NoUseReshapeRemovePass")
    assert sum(operators(after).values()) == left + 1, operators(after)
    same(model, after)


def test_a_reshape_of_two_open_dims_stays():
    model = reshaped([("Reshape", [-1, 4])], shape=("N", "M"))
    feeds = {"x": np.ones((2, 8), np.float32)}
    after, _ = optimize(model, "NoUseReshapeRemovePass")
    assert operators(after)["Reshape"] == 1
    assert_same_numbers(model, after, feeds)
    swapped = Net()
    x = swapped.input("x", ["N", "M"])
    turned = swapped.op(
        "Concat",
        *[
            swapped.op(
                "Slice",
                swapped.op("Shape", x),
                swapped.const([i], dtype=np.int64),
                swapped.const([i + 1], dtype=np.int64),
            )
            for i in (1, 0)
        ],
        axis=0,
    )
    swapped.output(swapped.op("Relu", swapped.op("Reshape", x, turned)), None)
    model = swapped.build()
    after, _ = optimize(model, level="O3")
    assert operators(after)["Reshape"] == 1
    same(model, after)


def test_reshapes_of_empty_tensors_compute_the_same():
    net = Net()
    x = net.input("x", ["N", 0, 3])
    y = net.op("Reshape", x, net.const([0, 0, 3, 1], dtype=np.int64))
    net.output(net.op("Relu", net.op("Reshape", y, net.const([-1, 3], dtype=np.int64))), None)
    model = net.build()
    after, _ = optimize(model, level="O3", check=False)
    feeds = {"x": np.zeros((2, 0, 3), np.float32)}
    for one, other in zip(run(model, feeds), run(after, feeds)):
        assert one.shape == other.shape


# ---- Conv + BatchNormalization ---------------------------------------------------------------------------------------------


def normalised_conv(
    bias=True,
    group=1,
    transposed=False,
    spatial=2,
    dtype=np.float32,
    epsilon=1e-3,
    name_output=False,
    ir_version=8,
    listed=False,
):
    net = Net(ir_version=ir_version)
    random = np.random.default_rng(5)
    onnx_type = helper.np_dtype_to_tensor_dtype(np.dtype(dtype))
    channels, out = 4, 6
    x = net.input("x", ["N", channels] + [7] * spatial, onnx_type)
    shape = [channels, out // group] if transposed else [out, channels // group]
    operands = [x, net.const(random.normal(size=shape + [3] * spatial).astype(dtype), "w")]
    if bias:
        operands.append(net.const(random.normal(size=out).astype(dtype), "b"))
    y = net.op("ConvTranspose" if transposed else "Conv", *operands, group=group, pads=[1] * (2 * spatial))
    factors = [
        random.uniform(0.5, 2, out),
        random.normal(size=out),
        random.normal(size=out),
        random.uniform(0.1, 2, out),
    ]
    names = [net.const(f.astype(dtype), n) for f, n in zip(factors, ("scale", "offset", "mean", "variance"))]
    y = net.op("BatchNormalization", y, *names, epsilon=epsilon, outputs="normed")
    net.output(y if name_output else net.op("Relu", y), None, onnx_type)
    if listed:
        net.inputs += [
            helper.make_tensor_value_info(t.name, t.data_type, list(t.dims)) for t in net.constants
        ]
    return net.build()


@pytest.mark.parametrize("spatial", [1, 2, 3])
@pytest.mark.parametrize("group", [1, 2])
@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("transposed", [False, True])
def test_batch_norm_becomes_part_of_the_convolution(spatial, group, bias, transposed):
    model = normalised_conv(bias, group, transposed, spatial)
    after, _ = optimize(model, "ConvBatchnormFusionPass")
    assert operators(after) == {"ConvTranspose" if transposed else "Conv": 1, "Relu": 1}
    feeds = random_feeds(model, sizes={"N": 3})
    for one, other in zip(run(model, feeds), run(after, feeds)):
        assert np.max(np.abs(one - other)) <= 1e-5 * np.max(np.abs(one))
    assert set(initializers(after)) == {"w", "b" if bias else "offset"}


def test_batch_norm_in_half_precision_is_folded_with_one_rounding():
    model = normalised_conv(dtype=np.float16)
    after, _ = optimize(model, "ConvBatchnormFusionPass")
    assert operators(after)["BatchNormalization"] == 0
    before, found = initializers(model), initializers(after)
    factor = before["scale"].astype(float) / np.sqrt(before["variance"].astype(float) + np.float32(1e-3))
    exact = before["w"].astype(float) * factor[:, None, None, None]
    np.testing.assert_array_equal(found["w"], exact.astype(np.float32).astype(np.float16))


def test_batch_norm_at_a_graph_output_leaves_the_output_its_name():
    model = normalised_conv(name_output=True)
    after, _ = optimize(model, "ConvBatchnormFusionPass")
    assert outputs(after) == ["normed"] and operators(after) == {"Conv": 1}
    same(model, after)


def two_convs(read_between=False, one_norm=False):
    net = Net()
    random = np.random.default_rng(5)
    x = net.input("x", ["N", 4, 5, 5])
    w = net.const(random.normal(size=(4, 4, 1, 1)).astype(np.float32), "w")
    factors = [net.const(random.uniform(0.5, 2, 4).astype(np.float32), f"f{i}") for i in range(4)]
    y = net.op("Conv", x, w)
    z = net.op("BatchNormalization", y, *factors)
    if read_between:
        z = net.op("Add", z, y)
    other = net.op("Conv", z, w)
    net.output(other if one_norm else net.op("BatchNormalization", other, *factors), None)
    return net.build()


def test_weights_that_others_read_stay_as_they_are_for_them():
    model = two_convs(one_norm=True)
    after, _ = optimize(model, "ConvBatchnormFusionPass")
    assert operators(after) == {"Conv": 2}
    np.testing.assert_array_equal(initializers(after)["w"], initializers(model)["w"])
    same(model, after)
    both = two_convs()
    after, _ = optimize(both, "ConvBatchnormFusionPass")
    assert operators(after) == {"Conv": 2}
    same(both, after)


def test_a_convolution_that_others_read_too_keeps_its_batch_norm():
    model = two_convs(read_between=True)
    after, _ = optimize(model, "ConvBatchnormFusionPass")
    assert operators(after)["BatchNormalization"] == 1
    same(model, after)


@pytest.mark.parametrize("ir_version, left", [(3, 0), (8, 1)])
def test_initializers_that_callers_may_override_are_no_constants(ir_version, left):
    model = normalised_conv(ir_version=ir_version, listed=True)
    after, _ = optimize(model, level="O3")
    assert operators(after)["BatchNormalization"] == left
    feeds = random_feeds(model)
    assert_same_numbers(model, after, feeds)
    if left:
        feeds["scale"] = np.full(6, 3, np.float32)
        assert_same_numbers(model, after, feeds)


@pytest.mark.parametrize("op, chosen", [("Slice", [1, 2]), ("Reshape", [3, 2]), ("Expand", [2, 3])])
def test_nothing_is_made_of_shapes_that_callers_may_change(op, chosen):
    net = Net(18)
    x = net.op("Abs", net.input("x", [2, 1] if op == "Expand" else [2, 3]))
    sizes = net.const(np.array([2, 1] if op == "Expand" else [2, 3], np.int64), name="sizes")
    y = net.op("Slice", x, net.const(np.array([0, 0], np.int64)), sizes) if op == "Slice" else net.op(op, x, sizes)
    net.output(net.op("Neg", y), None)
    net.output(net.op("Shape", y), None, TensorProto.INT64)
    net.inputs.append(helper.make_tensor_value_info("sizes", TensorProto.INT64, [2]))
    model = net.build()
    model.ir_version = 8
    after, _ = optimize(model, level="O3", check=False)
    assert [i.name for i in after.graph.input] == ["x", "sizes"]
    feeds = random_feeds(model)
    assert_same_numbers(model, after, {**feeds, "sizes": np.array(chosen, np.int64)})


def scaled_conv(*steps, transposed=False, swap=False):
    """Conv, then Add and Mul by constants of these shapes."""
    net = Net()
    random = np.random.default_rng(5)
    y = net.op(
        "ConvTranspose" if transposed else "Conv",
        net.input("x", ["N", 4, 5, 5]),
        net.const(random.normal(size=(4, 4, 1, 1)).astype(np.float32)),
    )
    for op, shape in steps:
        factor = net.const(random.uniform(0.5, 2, shape).astype(np.float32))
        y = net.op(op, *((factor, y) if swap else (y, factor)))
    net.output(y, None)
    return net.build()


@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize("swap", [False, True])
@pytest.mark.parametrize(
    "steps, left",
    [
        ([("Add", (4, 1, 1))], {}),
        ([("Add", (1, 4, 1, 1))], {}),
        ([("Mul", ())], {}),
        ([("Mul", (1,)), ("Add", (1,)), ("Mul", (4, 1, 1)), ("Add", (4, 1, 1))], {}),
        ([("Add", (5,))], {"Add": 1}),
        ([("Mul", (4, 1, 5))], {"Mul": 1}),
        ([("Add", (2, 1, 4, 1, 1))], {"Add": 1}),
        ([("Add", (2, 4, 1, 1))], {"Add": 1}),
    ],
)
def test_constants_per_channel_become_part_of_the_convolution(steps, left, swap, transposed):
    model = scaled_conv(*steps, swap=swap, transposed=transposed)
    after, _ = optimize(model, "ConvBatchnormFusionPass")
    assert operators(after) == {"ConvTranspose" if transposed else "Conv": 1, **left}
    feeds = random_feeds(model, sizes={"N": 2})
    assert_same_numbers(model, after, feeds)


def test_the_sum_of_a_convolution_with_itself_or_with_another_stays():
    net = Net()
    x = net.input("x", ["N", 4, 5, 5])
    w = net.const(np.random.default_rng(5).normal(size=(4, 4, 1, 1)).astype(np.float32))
    y = net.op("Conv", x, w)
    net.output(net.op("Add", y, y), None)
    net.output(net.op("Add", net.op("Conv", x, w), net.op("Conv", x, w)), None)
    model = net.build()
    after, _ = optimize(model, "ConvBatchnormFusionPass")
    assert operators(after) == operators(model)


# ---- common subexpressions --------------------------------------------------------------------------------------------------


def test_equal_nodes_become_one_whatever_they_are_called():
    net = Net()
    x = net.input("x", ["N", 4])
    halves = [net.op("Exp", net.op("Mul", x, net.const([0.5]))) for _ in range(3)]
    net.output(net.op("Sum", *halves), ["N", 4])
    model = net.build()
    after, _ = optimize(model, "CommonSubexpressionEliminationPass")
    assert operators(after) == {"Mul": 1, "Exp": 1, "Sum": 1}
    same(model, after)


def test_nodes_that_differ_in_an_attribute_or_a_constant_stay():
    net = Net()
    x = net.input("x", ["N", 4])
    net.output(net.op("Softmax", x, axis=0), ["N", 4])
    net.output(net.op("Softmax", x, axis=1), ["N", 4])
    net.output(net.op("Mul", x, net.const([0.5])), ["N", 4])
    net.output(net.op("Mul", x, net.const([0.25])), ["N", 4])
    net.output(net.op("Mul", x, net.const(0.5)), ["N", 4])
    net.output(net.op("Sub", x, net.op("Relu", x)), ["N", 4])
    net.output(net.op("Sub", net.op("Relu", x), x), ["N", 4])
    model = net.build()
    after, _ = optimize(model, "CommonSubexpressionEliminationPass")
    assert operators(after) == {"Softmax": 2, "Mul": 3, "Sub": 2, "Relu": 1}
    same(model, after)


def test_random_operators_and_operators_of_other_domains_stay_apart():
    net = Net(custom_domain=1)
    x = net.input("x", ["N", 4])
    for op, domain in (
        ("RandomNormalLike", ""),
        ("RandomUniformLike", ""),
        ("Bernoulli", ""),
        ("Draw", "custom.domain"),
    ):
        if op == "Bernoulli":
            net.opset = 15
        net.output(net.op("Add", net.op(op, x, domain=domain), net.op(op, x, domain=domain)), ["N", 4])
    after, _ = optimize(net.build(), "CommonSubexpressionEliminationPass", check=False)
    found = operators(after)
    assert [found[op] for op in ("RandomNormalLike", "RandomUniformLike", "Bernoulli", "Draw")] == [2] * 4


def test_two_equal_graph_outputs_keep_both_names_without_more_nodes():
    net = Net()
    x = net.input("x", ["N", 4])
    net.output(net.op("Relu", x, outputs="one"), ["N", 4])
    net.output(net.op("Relu", x, outputs="two"), ["N", 4])
    net.output(net.op("Neg", net.op("Relu", x), outputs="three"), ["N", 4])
    model = net.build()
    after, _ = optimize(model, "CommonSubexpressionEliminationPass")
    assert outputs(after) == ["one", "two", "three"] and operators(after) == {"Relu": 2, "Neg": 1}
    same(model, after)


# ---- a pass is a transaction ------------------------------------------------------------------------------------------------


def test_every_pass_leaves_a_model_without_anything_for_it_byte_for_byte(tmp_path):
    import ge.onnx
    from ge.passes._apply import apply

    net = Net()
    x = net.input("x", ["N", 4])
    net.output(net.op("Softmax", net.op("MatMul", x, net.const(np.ones((4, 4), np.float32)))), ["N", 4])
    (tmp_path / "m.onnx").write_bytes(net.build().SerializeToString())
    graph = ge.onnx.load(str(tmp_path / "m.onnx"))
    ge.onnx.save(graph, str(tmp_path / "plain.onnx"))
    results = apply(graph, passes=[], options={"ge.oo.level": "O3"})
    assert [r.name for r in results] == list(PASSES) and not any(r.changed for r in results)
    ge.onnx.save(graph, str(tmp_path / "after.onnx"))
    assert (tmp_path / "plain.onnx").read_bytes() == (tmp_path / "after.onnx").read_bytes()


def test_graphs_built_here_are_optimised_with_their_subgraphs(registry):
    from ge.es import GraphBuilder
    from ge.es.all import Add, Identity, If, Mul, Relu

    def branch(name, operator):
        builder = GraphBuilder(name)
        x = builder.create_input(0)
        return builder.build_and_reset([Identity(operator(x))])

    builder = GraphBuilder("top")
    flag, x = builder.create_input(0), builder.create_input(1)
    doubled = Mul(x, Add(builder.create_scalar_float(1.0), builder.create_scalar_float(1.0)))
    (result,) = If(flag, [doubled], 1, branch("then", Relu), branch("else", Relu))
    graph = builder.build_and_reset([Identity(result)])
    results = {r.name: r for r in registry.apply(graph, passes=[], options={"ge.oo.level": "O3"})}
    assert results["IdentityPass"].rewrites == 3 and results["ConstantFoldingPass"].rewrites == 1
    types = sorted(node.type for node in graph.get_all_nodes())
    assert "Identity" not in types and "Add" not in types
