"""Options of atc: every name is known, wrong values and conflicts have their codes, and what changes the model does."""

from __future__ import annotations

import json
import re

import numpy as np
import onnx
import pytest

from ge.passes.runtime import ensure_native_module
from _onnx_models import Net, operators, run, signature

# Every option of the command that this one is compatible with.
NAMES = """
help mode raw_ge_options raw_ge_options_ignore_unsupported model weight framework om input_format input_shape
input_hint_shape input_shape_range dynamic_batch_size dynamic_image_size dynamic_dims singleop target cal_conf output
output_type check_report json host_env_os host_env_cpu soc_version virtual_type core_type aicore_num out_nodes
input_fp16_nodes is_input_adjust_hw_layout is_output_adjust_hw_layout insert_op_conf op_name_map external_weight
disable_reuse_memory fusion_switch_file optimization_switch oo_level oo_constant_folding oo_dead_code_elimination
topo_sorting_mode multi_stream_parallel_mode export_compile_stat enable_scope_fusion_passes enable_single_stream
ac_parallel_enable tiling_schedule_optimize quant_dumpable enable_small_channel enable_compress_weight
compress_weight_conf compression_optimize_conf sparsity buffer_optimize mdl_bank_path cluster_config
hccl_sub_comm_config static_model_ops_lower_limit h2d_overlapped_with_compute enable_attr_compression build_config
precision_mode precision_mode_v2 op_precision_mode allow_hf32 modify_mixlist keep_dtype customize_dtypes is_weight_clip
op_bank_path jit_compile op_select_implmode optypelist_for_implmode log op_debug_level op_debug_config debug_dir
save_original_model dump_mode status_check op_compiler_cache_mode op_compiler_cache_dir display_model_info
shape_generalized_build_mode atomic_clean_policy deterministic deterministic_level device_id auto_tune_mode
""".split()


@pytest.fixture
def chain():
    """x -> Relu -> Abs -> Neg -> y, with a second output s = Sigmoid(Abs)."""
    net = Net()
    a = net.op("Abs", net.op("Relu", net.input("x", ["n", 3]), outputs="r"), outputs="a")
    net.output(net.op("Neg", a, outputs="y"), ["n", 3])
    net.output(net.op("Sigmoid", a, outputs="s"), ["n", 3])
    return net.build()


@pytest.fixture
def image():
    net = Net()
    w = net.const(np.full((4, 3, 3, 3), 0.1, np.float32))
    net.output(net.op("Conv", net.input("x", ["n", 3, "h", "w"]), w, outputs="y"), ["n", 4, "h2", "w2"])
    return net.build()


X = np.linspace(-2, 2, 6, dtype=np.float32).reshape(2, 3)


def codes(done):
    return re.findall(r"^\[ERROR\] (\w+): ", done.text, re.M)


def outputs(done):
    return [o.name for o in onnx.load(str(done.path)).graph.output]


# --- names and values -------------------------------------------------------------------------------------------------


def test_help_has_every_option_in_its_group(atc):
    text = atc("--help", check=0).stdout
    for name in NAMES:
        assert re.search(rf"^  --{name}\b", text, re.M), name
    headings = re.findall(r"^(?:===== (.+) =====|\[(.+)\])$", text, re.M)
    assert ["".join(h) for h in headings] == [
        *("Basic Functionality", "General", "Input", "Output", "Target"),
        *("Advanced Functionality", "Feature", "Model Tuning", "Operator Tuning", "Debug"),
    ]
    assert max(map(len, text.splitlines())) <= 120


@pytest.mark.parametrize(
    "typed, meant",
    [("--optimisation_switch=a:on", "optimization_switch"), ("--input_shapes=x:1", "input_shape"), ("--sov_version=A", "soc_version")],
)
def test_an_unknown_option_gets_a_suggestion(typed, meant, atc):
    done = atc("--framework=5", typed, check=255)
    assert re.search(rf"^ERROR: unknown option .*did you mean '--{meant}'\?", done.stderr, re.M), done.text


BAD_VALUES = [
    ("--sparsity=2", "E10006"), ("--dump_mode=2", "E10006"), ("--status_check=x", "E10006"), ("--deterministic=2", "E10006"),
    ("--display_model_info=yes", "E10006"), ("--atomic_clean_policy=2", "E10006"), ("--disable_reuse_memory=2", "E10006"),
    ("--external_weight=3", "E10006"), ("--external_weight=x", "E10006"), ("--dynamic_dims=", "E10058"), ("--virtual_type=2", "E10001"), ("--deterministic_level=4", "E10001"),
    ("--op_debug_level=5", "E10001"), ("--jit_compile=3", "E10001"), ("--core_type=Cube", "E10001"),
    ("--op_compiler_cache_mode=on", "E10001"), ("--buffer_optimize=l3", "E10001"), ("--precision_mode=", "E10001"),
    ("--shape_generalized_build_mode=x", "E10001"), ("--op_select_implmode=fast", "E10001"), ("--precision_mode_v2=x", "E10001"),
    ("--enable_compress_weight=1", "E10005"), ("--allow_hf32=1", "E10005"), ("--save_original_model=1", "E10005"),
    ("--enable_single_stream=1", "E10005"), ("--is_input_adjust_hw_layout=true,yes", "E10005"), ("--is_weight_clip=2", "E10006"),
    ("--aicore_num=a|b", "E10001"), ("--multi_stream_parallel_mode=LoadBalance:65", "E10001"), ("--oo_level=O2", "E10001"),
    ("--multi_stream_parallel_mode=tree", "E10001"), ("--static_model_ops_lower_limit=-2", "E10001"), ("--topo_sorting_mode=4", "E10001"),
    ("--soc_version=910 B", "E10001"), ("--input_format=NHWC", "E10001"), ("--host_env_os=windows", "E10001"),
    ("--keep_dtype=/no/such/file", "E10001"), ("--debug_dir=/no/such/folder", "E10001"), ("--auto_tune_mode=RL", "E10001"),
    ("--input_hint_shape=0:[1,3];0:[2]", "E10014"), ("--input_hint_shape=x:[1]", "E10014"), ("--weight=w", "E10001"),
    ("--singleop=ops.json", "E10001"), ("--insert_op_conf=aipp.cfg", "E10055"), ("--optypelist_for_implmode=Relu", "E10001"),
    ("--report=page.pdf", "E10001"),
]  # fmt: skip


@pytest.mark.parametrize("option, code", BAD_VALUES, ids=lambda v: v)
def test_a_bad_value_has_the_code_of_its_option(option, code, chain, atc):
    done = atc.compile(chain, option, check=255)
    assert codes(done) == [code], done.text
    assert not done.path.exists()


CONFLICTS = [
    (["--precision_mode=force_fp32", "--precision_mode_v2=origin"], "E10056"),
    (["--deterministic_level=1"], "E10001"),
    (["--deterministic=1", "--deterministic_level=0"], "E10001"),
    (["--enable_single_stream=true", "--multi_stream_parallel_mode=cv"], "E10001"),
    (["--dynamic_batch_size=1,2", "--dynamic_dims=1;2"], "E10009"),
    (["--dynamic_batch_size=1,2", "--input_shape_range=x:[1~2,3]"], "E10009"),
    (["--input_hint_shape=0:[1,3]", "--dynamic_batch_size=1,2"], "E10001"),
    (["--dynamic_dims=1;2", "--insert_op_conf=a"], "E10001"),
    (["--soc_version=Ascend035"], "E10055"),
    (["--mode=30"], "E10055"),
    (["--mode=7", "--virtual_type=0"], "E10001"),
    (["--mode=30", "--soc_version=Ascend035", "--display_model_info=1"], "E10001"),
]


@pytest.mark.parametrize("options, code", CONFLICTS, ids=lambda v: " ".join(v) if isinstance(v, list) else v)
def test_options_that_exclude_each_other(options, code, chain, atc):
    assert codes(atc.compile(chain, *options, check=255)) == [code]


def test_exclusive_files(chain, atc):
    (atc.folder / "f").write_text("{}")
    for options, code in [
        (["--enable_compress_weight=true", "--compress_weight_conf=f"], "E10047"),
        (["--modify_mixlist=f"], "E10001"),
    ]:
        assert codes(atc.compile(chain, *options, check=255)) == [code]
    atc.compile(chain, "--modify_mixlist=f", "--precision_mode_v2=mixed_float16")


def test_options_without_effect_are_named_once(chain, atc):
    done = atc.compile(chain, "--virtual_type=0", "--jit_compile=2", "--precision_mode=force_fp32", "--virtual-type=1")
    warnings = [line for line in done.stdout.splitlines() if line.startswith("[WARNING]")]
    assert len([w for w in warnings if "--virtual_type" in w and "--jit_compile" in w]) == 1
    assert len([w for w in warnings if "--precision_mode" in w and ".om" in w]) == 1


def test_singleop_and_aipp_are_refused_with_the_reason(chain, atc):
    done = atc("--singleop=ops.json", "--output=o", "--soc_version=Ascend910B1", check=255)
    assert codes(done) == ["E10055"] and "operator compiler" in done.text
    assert "AIPP" in atc.compile(chain, "--insert_op_conf=a", check=255).text


@pytest.mark.parametrize(
    "text, meant",
    [('{"Switches": {}}', "Switch"), ('{"Switch": {"GraphFusio": {"A": "off"}}}', "GraphFusion"), ('{"x": 1}', "")],
)
def test_mistyped_keys_of_a_switch_file(text, meant, chain, atc):
    (atc.folder / "switch.json").write_text(text)
    done = atc.compile(chain, "--fusion_switch_file=switch.json", check=255)
    assert codes(done) == ["E21002"] and (f"did you mean '{meant}'" in done.text) == bool(meant)


# --- raw options ------------------------------------------------------------------------------------------------------


def raw(atc, levels):
    (atc.folder / "raw.json").write_text(json.dumps({"compile options": levels, "execute options": {"x": 1}}))
    return "--raw_ge_options=raw.json"


def test_raw_options_are_options_under_their_library_names(chain, atc):
    option = raw(atc, {"global": {"ge.outputNodeName": "y"}, "graph": {"ge.outputNodeName": "a"}})
    assert outputs(atc.compile(chain, option)) == ["a"]
    assert outputs(atc.compile(chain, option, "--out_nodes=r")) == ["r"], "the command line wins"


@pytest.mark.parametrize(
    "levels, code",
    [
        ({"graph": {"ge.noSuchKey": "1"}}, "E10055"),
        ({"graph": {"ge.compile.h2dOverlappedWithCompute": "1"}}, "E10055"),
        ({"graph": {"ge.socVersion": "Ascend910B1"}}, "E10001"),
        ({"graph": {"model": "m"}}, "E10001"),
        ({"graph": {"ge.jit_compile": "7"}}, "E10001"),
        ({"graph": {"ge.jit_compile": 1}}, "E10032"),
        ({"graph": {"": "1"}}, "E10032"),
        ({"device": {}}, "E10032"),
        ([], "E10032"),
    ],
    ids=str,
)
def test_bad_raw_options(levels, code, chain, atc):
    assert codes(atc.compile(chain, raw(atc, levels), check=255)) == [code]


def test_raw_options_files_that_are_none(chain, atc):
    assert codes(atc.compile(chain, "--raw_ge_options=none.json", check=255)) == ["E13001"]
    (atc.folder / "raw.json").write_text("{")
    assert codes(atc.compile(chain, "--raw_ge_options=raw.json", check=255)) == ["E10032"]


def test_unknown_raw_options_can_be_skipped(chain, atc):
    done = atc.compile(chain, raw(atc, {"graph": {"ge.new": "1"}}), "--raw_ge_options_ignore_unsupported=true")
    assert re.search(r"\[WARNING\].*ge\.new", done.stdout)


# --- outputs ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "nodes, names, values",
    [
        ("a;y", ["a", "y"], [np.maximum(X, 0), -np.maximum(X, 0)]),
        ("n1:0", ["a"], [np.maximum(X, 0)]),
        ("n2:0;n0:0;", ["y", "r"], [-np.maximum(X, 0), np.maximum(X, 0)]),
        ("s;y", ["s", "y"], [1 / (1 + np.exp(-np.maximum(X, 0))), -np.maximum(X, 0)]),
    ],
)
def test_out_nodes_become_the_outputs_in_their_order(nodes, names, values, chain, atc):
    done = atc.compile(chain, f"--out_nodes={nodes}", "--verify")
    assert outputs(done) == names
    for found, wanted in zip(run(done.path, {"x": X}), values):
        np.testing.assert_allclose(found, wanted, rtol=1e-6)


def test_what_no_output_needs_goes(chain, atc):
    assert operators(atc.compile(chain, "--out_nodes=r").path) == {"Relu": 1}
    assert operators(atc.compile(chain, "--out_nodes=y").path) == {"Relu": 1, "Abs": 1, "Neg": 1}


def test_an_input_stays_though_nothing_needs_it(atc):
    net = Net()
    net.output(net.op("Add", net.op("Relu", net.input("x", [2]), outputs="r"), net.input("z", [2]), outputs="y"), [2])
    done = atc.compile(net.build(), "--out_nodes=r", "--verify")
    assert [i.name for i in onnx.load(str(done.path)).graph.input] == ["x", "z"]


@pytest.mark.parametrize(
    "nodes, code",
    [
        ("n1:0;y", "E10001"), ("n1:one", "E10001"), (":0", "E10001"), ("a;;y", "E10001"), ("a;a", "E10001"),
        ("n1:99999999999", "E10013"), ("n1:1", "E10003"), ("nope:0", "E10016"), ("nope", "E10016"),
    ],
)  # fmt: skip
def test_out_nodes_that_are_none(nodes, code, chain, atc):
    assert codes(atc.compile(chain, f"--out_nodes={nodes}", check=255)) == [code]


def test_a_mistyped_output_gets_a_suggestion(atc):
    net = Net()
    net.output(net.op("Relu", net.input("features", [2]), outputs="logits"), [2])
    assert "did you mean 'logits'?" in atc.compile(net.build(), "--out_nodes=logit", check=255).text


# --- element types ----------------------------------------------------------------------------------------------------


def test_one_output_type_for_all(chain, atc):
    done = atc.compile(chain, "--output_type=FP16", "--verify")
    before, after = run(chain, {"x": X}), run(done.path, {"x": X})
    assert outputs(done) == ["y", "s"]
    for one, other in zip(before, after):
        assert other.dtype == np.float16
        np.testing.assert_array_equal(other, one.astype(np.float16))


def test_output_types_one_by_one(chain, atc):
    done = atc.compile(chain, "--out_nodes=n2:0;n3:0", "--output_type=n3:0:FP16;n2:0:INT8", "--verify")
    y, s = run(done.path, {"x": X})
    assert (y.dtype, s.dtype) == (np.int8, np.float16)
    np.testing.assert_array_equal(y, (-np.maximum(X, 0)).astype(np.int8))


def test_the_type_that_it_has_needs_no_cast(chain, atc):
    assert "Cast" not in operators(atc.compile(chain, "--output_type=FP32").path)


@pytest.mark.parametrize(
    "types", ["INT32", "fp16", "n2:0:FP16", "n2:0", "n2:x:FP16", "n9:0:FP16", ""],
)  # fmt: skip
def test_output_types_that_are_none(types, chain, atc):
    if not types:
        atc.compile(chain, "--output_type=")
        return
    assert codes(atc.compile(chain, f"--output_type={types}", check=255)) == ["E10001"]


def test_inputs_that_take_half_floats(chain, atc):
    done = atc.compile(chain, "--input_fp16_nodes=x", "--verify")
    (name, dtype, _), *_ = signature(onnx.load(str(done.path)))[0]
    assert name == "x" and "16" in str(dtype) or dtype == onnx.TensorProto.FLOAT16
    half = X.astype(np.float16)
    for one, other in zip(run(chain, {"x": half.astype(np.float32)}), run(done.path, {"x": half})):
        np.testing.assert_array_equal(one, other)


def test_passes_see_the_model_without_the_casts(chain, samples, atc):
    path = atc.folder / "neg.py"
    path.write_text(
        "from ge.es.all import Neg, Relu\nfrom ge.passes import *\n"
        "@register_fusion_pass(name='P', stage=PassStage.AFTER_INFER_SHAPE)\n"
        "class P(PatternFusionPass):\n"
        "    @pattern\n    def find(self, inputs):\n        return Relu(inputs[0])\n"
        "    def meet_requirements(self, match):\n"
        "        return match.get_matched_nodes()[0].get_output_desc(0).get_data_type().name == 'DT_FLOAT'\n"
        "    def replacement(self, inputs):\n        return Neg(Neg(Relu(inputs[0])))\n"
    )
    done = atc.compile(chain, "--input_fp16_nodes=x", "--output_type=FP16", "--verify", passes=[path])
    assert operators(done.path)["Neg"] == 3 and operators(done.path)["Cast"] == 3


@pytest.mark.parametrize("names, code", [("z", "E10016"), ("n1", "E10017"), ("x;z", "E10016")])
def test_fp16_inputs_that_are_none(names, code, chain, atc):
    assert codes(atc.compile(chain, f"--input_fp16_nodes={names}", check=255)) == [code]


def test_an_input_of_integers_cannot_be_a_half_float(atc):
    net = Net()
    net.output(net.op("Neg", net.input("i", [2], onnx.TensorProto.INT32), outputs="y"), [2], onnx.TensorProto.INT32)
    assert codes(atc.compile(net.build(), "--input_fp16_nodes=i", check=255)) == ["E10001"]


# --- profiles ---------------------------------------------------------------------------------------------------------


def test_batch_profiles_are_all_compared(chain, atc):
    done = atc.compile(chain, "--input_shape=x:-1,3", "--dynamic_batch_size=1,2,4,", "--verify")
    assert re.findall(r"inputs x float32\[(\d), 3\]", done.text) == ["1", "2", "4"]


def test_image_and_dims_profiles_are_all_compared(image, atc):
    size = "--dynamic_image_size=16,24;32,48"
    done = atc.compile(image, "--input_shape=x:1,3,-1,-1", size, "--verify")
    assert re.findall(r"float32\[1, 3, (\d+), (\d+)\]", done.text) == [("16", "24"), ("32", "48")]
    done = atc.compile(image, "--input_shape=x:-1,3,-1,40", "--dynamic_dims=1,8;2,16", "--input_format=ND", "--verify")
    assert re.findall(r"float32\[(\d), 3, (\d+), 40\]", done.text) == [("1", "8"), ("2", "16")]


def test_a_profile_that_the_model_cannot_take_is_named(atc):
    net = Net()
    four_rows = net.const(np.ones((4, 2), np.float32))
    net.output(net.op("MatMul", net.input("x", ["n", "k"]), four_rows, outputs="y"), ["n", 2])
    atc.compile(net.build(), "--input_shape=x:-1,-1", "--dynamic_dims=1,4;2,4")
    done = atc.compile(net.build(), "--input_shape=x:-1,-1", "--dynamic_dims=1,4;2,5", check=255)
    assert "profile '2,5' of --dynamic_dims" in done.text


@pytest.mark.parametrize(
    "shape, option, code",
    [
        ("", "--dynamic_batch_size=1,2", "E10004"),
        ("x:1~4,3,8,8", "--dynamic_batch_size=1,2", "E10040"),
        ("x:1,3,8,8", "--dynamic_batch_size=1,2", "E10031"),
        ("x:-1,3,-1,8", "--dynamic_batch_size=1,2", "E10018"),
        ("x:-1,3,8,8;z:", "--dynamic_batch_size=1,2", "E10012"),
        ("x:-1,3,8,8", "--dynamic_batch_size=1,b", "E10003"),
        ("x:-1,3,8,8", "--dynamic_batch_size=-1,2", "E10003"),
        ("x:-1,3,8,8", "--dynamic_batch_size=,", "E10003"),
        ("x:-1,3,8,8", "--dynamic_batch_size=1", "E10035"),
        ("x:-1,3,8,8", "--dynamic_batch_size=" + ",".join(map(str, range(1, 400))), "E10036"),
        ("x:-1,3,8,8", "--dynamic_batch_size=2,2", "E10039"),
        ("x:-1,3,8,8", "--dynamic_batch_size=0,2", "E10038"),
        ("x:-1,3,8,8", "--dynamic_batch_size=1,99999999999", "E10013"),
        ("x:1,3,-1,8", "--dynamic_image_size=8,8;16,16", "E10019"),
        ("x:1,3,-1,-1", "--dynamic_image_size=8;16", "E10020"),
        ("x:1,3,-1,-1", "--dynamic_image_size=8,8;a,16", "E10003"),
        ("x:1,3,-1,-1", "--dynamic_image_size=8,8;-2,16", "E10038"),
        ("x:1,3,8,8", "--dynamic_dims=1;2", "E10001"),
        ("x:-1,3,-1,8", "--dynamic_dims=1;2", "E10003"),
        ("x:-1,3,8,8", "--dynamic_dims=a;2", "E10001"),
        ("x:-1,3,8,8", "--dynamic_dims=;", "E10058"),
        ("x:-1,3,-1,8", "--dynamic_dims=1,2;3", "E10037"),
        ("x:1,-1,8,8", "--dynamic_dims=3;4", "E10050"),
    ],
)
def test_profiles_that_do_not_fit(shape, option, code, image, atc):
    shapes = [f"--input_shape={shape}"] if shape else []
    assert codes(atc.compile(image, *shapes, option, check=255)) == [code]


def test_image_profiles_need_an_image_layout(image, atc):
    options = ["--input_shape=x:1,3,-1,-1", "--dynamic_image_size=8,8;16,16", "--input_format=ND"]
    assert codes(atc.compile(image, *options, check=255)) == ["E10003"]


# --- keep_dtype -------------------------------------------------------------------------------------------------------


def test_keep_dtype_names_lines_that_fit_nothing(chain, atc):
    (atc.folder / "keep.txt").write_text("n1\nOpType::Relu\n\nnope\n")
    done = atc.compile(chain, "--keep_dtype=keep.txt")
    assert re.search(r"\[WARNING\] --keep_dtype: the model has no 'nope'", done.stdout)


def test_keep_dtype_marks_the_operators(chain, atc):
    (atc.folder / "keep.txt").write_text("n1\nOpType::Relu\n")
    atc.compile(chain, "--keep_dtype=keep.txt", "--emit=om")
    graph = ensure_native_module().om_load(str(atc.folder / "out.om"))
    kept = {node.type for node in graph.get_all_nodes() if node.has_attr("_keep_dtype")}
    assert kept == {"Abs", "Relu"}


# --- what an .om says of its compile ----------------------------------------------------------------------------------


def test_an_om_tells_what_it_was_compiled_for(chain, atc):
    options = ["--precision_mode=force_fp32", "--core_type=VectorCore", "--input_shape=x:-1,3", "--dynamic_batch_size=1,2"]
    atc.compile(chain, *options, "--emit=om")
    atc("--mode=1", "--om=out.om", "--json=out.json", check=0)
    text = (atc.folder / "out.json").read_text()
    for word in ("ge.exec.precision_mode", "force_fp32", "VectorCore", "Ascend910B1", "ge.dynamicBatchSize"):
        assert word in text, word
    assert "--precision_mode=force_fp32" in atc("--mode=6", "--om=out.om", check=0).stdout


def test_output_types_are_noted_on_what_makes_them(chain, atc):
    atc.compile(chain, "--output_type=FP16", "--emit=om")
    graph = ensure_native_module().om_load(str(atc.folder / "out.om"))
    nodes = {node.type: node for node in graph.get_all_nodes()}
    assert nodes["Neg"].get_attr("_user_defined_output_data_type") == ["0:DT_FLOAT16"]


def test_keep_dtype_wants_operator_types(chain, atc):
    (atc.folder / "keep.txt").write_text("OpType::relu\n")
    assert codes(atc.compile(chain, "--keep_dtype=keep.txt", check=255)) == ["E10003"]


def test_names_of_operators_must_not_be_an_empty_file(chain, atc):
    (atc.folder / "names.txt").write_text("")
    assert codes(atc.compile(chain, "--op_name_map=names.txt", check=255)) == ["E10003"]
    (atc.folder / "names.txt").write_text("A:B\n")
    assert "--op_name_map" in atc.compile(chain, "--op_name_map=names.txt").stdout  # which has no effect


# ---- files -----------------------------------------------------------------------------------------------------------------


def test_values_of_attr_compression_may_have_any_case(chain, atc):
    atc.compile(chain, "--enable_attr_compression=tRuE")


def test_missing_folders_are_created(chain, atc):
    (atc.folder / "model.onnx").write_bytes(chain.SerializeToString())
    atc.compile(
        chain, "--save_original_model=true", "--emit=om,onnx,air,txt", "--report=r/s/report.json", output="a/b/out", check=0
    )
    assert sorted(p.name for p in (atc.folder / "a" / "b").iterdir()) == [
        "out.air", "out.om", "out.onnx", "out.txt", "out_original.om"
    ]  # fmt: skip
    assert json.loads((atc.folder / "r" / "s" / "report.json").read_text())["failure"] == ""
    atc("--mode=1", "--om=a/b/out.om", "--json=j/x.json", check=0)
    atc("--mode=3", "--framework=5", "--model=model.onnx", "--check_report=c/x.json", check=0)
    assert (atc.folder / "j" / "x.json").exists() and (atc.folder / "c" / "x.json").exists()


def test_an_error_before_the_end_creates_no_folders(chain, atc):
    done = atc.compile(chain, "--out_nodes=nowhere", output="a/b/out", check=255)
    assert codes(done) == ["E10016"] and not (atc.folder / "a").exists()


@pytest.mark.parametrize("output", ["file/x", "link/x", "file/a/b/x", "x" * 300 + "/y"])
def test_folders_that_cannot_be_created(output, chain, atc):
    (atc.folder / "file").write_text("")
    (atc.folder / "link").symlink_to("nowhere")
    done = atc.compile(chain, output=output, check=255)
    assert codes(done) == ["E10001"] and "name a" in done.stdout


@pytest.mark.parametrize(
    "options",
    [
        ["--mode=3", "--framework=5", "--model=m.onnx", "--check_report=m.onnx"],
        ["--mode=3", "--framework=5", "--model=m.onnx", "--check_report=link"],
        ["--mode=1", "--framework=5", "--om=m.onnx", "--json=./m.onnx"],
        ["--framework=5", "--model=m.html", "--output=out", "--report=m.html"],
        ["--framework=5", "--model=m_original.om", "--output=m", "--save_original_model=true"],
    ],
    ids=lambda options: options[-1],
)
def test_a_model_that_is_read_is_not_overwritten_by_a_report(options, chain, atc):
    files = [atc.folder / name for name in ("m.onnx", "m.html", "m_original.om")]
    for file in files:
        file.write_bytes(chain.SerializeToString())
    (atc.folder / "link").symlink_to("m.onnx")
    done = atc(*options, check=255)
    assert codes(done) == ["E10001"] and "that is read" in done.stdout
    assert all(file.read_bytes() == chain.SerializeToString() for file in files)


def test_a_name_too_long_for_a_report_is_found_before_the_work(chain, atc):
    done = atc.compile(chain, f"--report={'x' * 300}.html", check=255)
    assert codes(done) == ["E10001"] and not done.path.exists()


def test_the_original_model_is_checked_for_before_the_work(chain, atc):
    (atc.folder / "out_original.om").mkdir()
    done = atc.compile(chain, "--save_original_model=true", check=255)
    assert codes(done) == ["E10001"] and not done.path.exists()


@pytest.mark.parametrize(
    "options, kinds",
    [
        (["--output_type=a:0:FP16"], ["float", "float16"]),
        (["--input_fp16_nodes=a"], ["float16", "float"]),
        (["--input_fp16_nodes=a", "--output_type=FP16"], ["float16", "float16"]),
    ],
)
def test_an_output_that_is_an_input_can_be_cast(options, kinds, atc):
    net = Net()
    x = net.input("a", [2, 3])
    net.output(net.op("Relu", x), [2, 3])
    done = atc.compile(net.build(), "--out_nodes=a:0", "--verify", *options)
    graph = onnx.load(str(done.path)).graph
    types = [onnx.TensorProto.DataType.Name(v.type.tensor_type.elem_type).lower() for v in (*graph.input, *graph.output)]
    assert types == kinds
    assert graph.input[0].name == "a" and graph.output[0].name == "a_cast"
