"""Custom operators in models: read from ONNX with typed attributes, inferred, rewritten, and written as they came in."""

from __future__ import annotations

import json

import numpy as np
import onnx
import pytest
from ge.graph import DataType, Graph
from onnx import TensorProto, helper, numpy_helper

from _onnx_models import Net

GRAPHS = []

OPS = '''
from typing import List, Optional, Tuple

import numpy as np
from ge.custom_op import get_execute_ctx, register_op, register_op_impl
from ge.graph import DataType, Format
from ge.runtime import StorageShape, Tensor, TensorDesc


@register_op(op_type="Typed")
def typed(x: TensorDesc, *, i: int, f: float = 0.5, b: bool = False, s: str = "", t: DataType = DataType.DT_FLOAT,
          li: List[int] = [], lf: List[float] = [], lb: List[bool] = [], ls: List[str] = [], lt: List[DataType] = [],
          ll: List[List[int]] = [[1], []]) -> TensorDesc:
    return TensorDesc(x.shape, x.data_type)


@register_op(op_type="WithTensor")
def with_tensor(x: TensorDesc, *, table: Tensor) -> TensorDesc:
    return TensorDesc([int(v) for v in table.numpy()], DataType.DT_INT64, Format.FORMAT_NCHW)


@register_op(op_type="Opt")
def opt(x: TensorDesc, a: Optional[TensorDesc], b: Optional[TensorDesc]) -> Tuple[TensorDesc, TensorDesc]:
    return TensorDesc([-1 if a is None else 3], DataType.DT_FLOAT), TensorDesc(x.shape, x.data_type)


@register_op(op_type="Two")
def two(a: List[TensorDesc], b: List[TensorDesc]) -> TensorDesc:
    return TensorDesc([len(a), len(b)], DataType.DT_FLOAT)


@register_op(op_type="Paper")
def paper(x: TensorDesc) -> TensorDesc: ...


@register_op(op_type="Refuses")
def refuses(x: TensorDesc) -> TensorDesc:
    raise ValueError("x must have rank 2")
'''

PLUGINS = OPS + '''
from ge.onnx_plugin import onnx_plugin


@onnx_plugin(source="Elu2", domain="my.ops", opsets=[1, 2], target="Elu").parse_node
def elu(node, target):
    assert node.origin_type == "my.ops::1::Elu2" and node.inputs == ("x",) and node.outputs == ("out",)
    target.set_attr("alpha", node.attrs.get("slope", 1.0))


@onnx_plugin(source="Pair", domain="my.ops", opsets=[1], target="Two").parse_node
def pair(node, target):
    split = node.attrs["split"]
    target.register_dynamic_input("a", split)
    target.register_dynamic_input("b", len(node.inputs) - split)


@onnx_plugin(source="Bad", domain="my.ops", opsets=[1], target="Two").parse_node
def bad(node, target):
    raise LookupError("no plan for this node")
'''


@pytest.fixture
def ops_file(tmp_path):
    path = tmp_path / "ops.py"
    path.write_text(OPS)
    return {"ASCEND_CUSTOM_OPP_PATH": str(path)}


@pytest.fixture
def plugins(tmp_path):
    path = tmp_path / "plugins.py"
    path.write_text(PLUGINS)
    return {"ASCEND_CUSTOM_OPP_PATH": str(path)}


def custom(op_type, *inputs, shape=(2, 3), **attributes):
    net = Net(my_ops=1)
    names = [net.input(name, list(shape)) if name else "" for name in inputs]
    net.output(net.op(op_type, *names, outputs="out", domain="my.ops", **attributes))
    return net.build()


def nodes(model):
    """The nodes of a model as plain data; attributes have no order."""
    model = model if isinstance(model, onnx.ModelProto) else onnx.load(str(model))
    return [
        (n.name, n.domain, n.op_type, list(n.input), list(n.output), sorted(map(str, n.attribute))) for n in model.graph.node
    ]


def loaded(path):
    """The nodes of an .air by type."""
    graph = Graph("g")
    graph.load_from_air(str(path))
    GRAPHS.append(graph)  # nodes do not keep their graph
    return {n.type: n for n in graph.get_all_nodes()}


def dump(atc, model, env, *options):
    """The compiled graph as plain data: {node type: the text block of that node}."""
    done = atc.compile(model, "--emit=onnx,txt", *options, env=env)
    return done, done.path.with_suffix(".txt").read_text()


TYPED = dict(i=7, f=0.25, b=1, s="é", t=TensorProto.INT8, li=[1, 2], lf=[0.5], lb=[1, 0], ls=["a", "b"])
TYPED.update(lt=[TensorProto.FLOAT, TensorProto.INT64], ll="[[1,2],[],[-3]]")


def test_typed_attributes_come_in_by_the_prototype_and_go_out_as_they_came(atc, ops_file):
    model = custom("Typed", "x", **TYPED)
    done = atc.compile(model, "--emit=onnx,air", env=ops_file)
    assert nodes(done.path) == nodes(model)
    node = loaded(done.path.with_suffix(".air"))["Typed"]
    assert node.get_attr("b") is True and node.get_attr("t") is DataType.DT_INT8
    assert node.get_attr("lb") == [True, False] and node.get_attr("ls") == ["a", "b"]


def test_defaults_stay_absent(atc, ops_file):
    model = custom("Typed", "x", i=1)
    done = atc.compile(model, env=ops_file)
    assert nodes(done.path) == nodes(model)


def test_an_attribute_the_prototype_does_not_know_is_kept(atc, ops_file):
    model = custom("Typed", "x", i=1, extra=[1.5])
    done = atc.compile(model, env=ops_file)
    assert nodes(done.path) == nodes(model)


@pytest.mark.parametrize(
    "attributes, text",
    [
        ({}, "attribute 'i' of custom operator 'Typed' is required"),
        ({"i": 1.0}, "attribute 'i' of custom operator 'Typed' must be INT in ONNX, found FLOAT"),
        ({"i": 1, "f": 1}, "attribute 'f' of custom operator 'Typed' must be FLOAT in ONNX, found INT"),
        ({"i": 1, "b": 2}, "a value that its prototype's type cannot hold"),
        ({"i": 1, "ll": "[1]"}, "a value that its prototype's type cannot hold"),
    ],
    ids=str,
)
def test_attributes_that_do_not_fit_name_node_and_attribute(attributes, text, atc, ops_file, tmp_path):
    path = tmp_path / "m.onnx"
    onnx.save(custom("Typed", "x", **attributes), path)
    done = atc("--framework=5", f"--model={path}", "--output=o", "--soc_version=Ascend910B1", env=ops_file, check=255)
    assert text in done.text and "'n0'" in done.text


@pytest.mark.parametrize(
    "inputs, text", [(("x", "y", "z", "w"), "has 3 input(s), the node has 4"), (("", "y"), "input 'x' of custom operator 'Opt' is required")], ids=str
)
def test_inputs_that_do_not_fit_are_named(inputs, text, atc, ops_file, tmp_path):
    path = tmp_path / "m.onnx"
    onnx.save(custom("Opt", *inputs), path)
    assert text in atc("--framework=5", f"--model={path}", "--output=o", "--soc_version=Ascend910B1", env=ops_file, check=255).text


def test_absent_optional_inputs_stay_absent(atc, ops_file):
    net = Net(my_ops=1)
    x, b = net.input("x", [2]), net.input("b", [3])
    y, z = net.op("Opt", x, "", b, outputs=["y", "z"], domain="my.ops")
    net.output(y)
    net.output(z)
    model = net.build()
    done = atc.compile(model, env=ops_file)
    assert nodes(done.path) == nodes(model)


def shapes(path):
    return {
        kind: [(d.shape, d.data_type.name, d.format.name) for d in map(n.get_output_desc, range(n.get_outputs_size()))]
        for kind, n in loaded(path).items()
    }


def test_shapes_types_and_formats_follow_from_the_prototype(atc, ops_file):
    table = numpy_helper.from_array(np.array([4, 5, 6, 7]), "t")
    net = Net(my_ops=1)
    value = net.op("WithTensor", net.input("x", [2, 3]), domain="my.ops", table=table)
    net.output(net.op("Relu", value, outputs="y"), dtype=TensorProto.INT64)
    done = atc.compile(net.build(), "--emit=onnx,air", env=ops_file)
    found = shapes(done.path.with_suffix(".air"))
    assert found["WithTensor"] == [([4, 5, 6, 7], "DT_INT64", "FORMAT_NCHW")]
    assert found["Relu"][0][:2] == ([4, 5, 6, 7], "DT_INT64")


def test_a_prototype_without_a_body_leaves_what_the_model_declares(atc, ops_file):
    net = Net(my_ops=1)
    net.output(net.op("Paper", net.input("x", [2]), outputs="y", domain="my.ops"), [9])
    done = atc.compile(net.build(), "--emit=onnx,air", env=ops_file)
    assert shapes(done.path.with_suffix(".air"))["Paper"] == [([9], "DT_FLOAT", "FORMAT_ND")]


def test_a_prototype_that_raises_names_node_operator_and_file(atc, ops_file, tmp_path):
    path = tmp_path / "m.onnx"
    onnx.save(custom("Refuses", "x"), path)
    done = atc("--framework=5", f"--model={path}", "--output=o", "--soc_version=Ascend910B1", env=ops_file, check=255)
    for part in ("'n0'", "'Refuses'", "ValueError: x must have rank 2", "ops.py"):
        assert part in done.text
    assert not (tmp_path / "o.om").exists()


def test_a_contradiction_with_the_model_is_an_error(atc, ops_file, tmp_path):
    net = Net(my_ops=1)
    net.output(net.op("Typed", net.input("x", [2, 3]), outputs="y", domain="my.ops", i=1), [3, 3])
    path = tmp_path / "m.onnx"
    onnx.save(net.build(), path)
    done = atc("--framework=5", f"--model={path}", "--output=o", "--soc_version=Ascend910B1", env=ops_file, check=255)
    assert "[3, 3]" in done.text and "[2, 3]" in done.text


def test_without_the_operator_a_node_stays_as_it_is(atc):
    model = custom("Typed", "x", **TYPED)
    assert nodes(atc.compile(model).path) == nodes(model)


def test_another_operator_of_the_same_name_in_onnx_is_left_alone(atc, tmp_path):
    path = tmp_path / "relu.py"
    path.write_text(OPS.replace('"Paper"', '"Relu"'))
    net = Net()
    net.output(net.op("Relu", net.input("x", [2]), outputs="y"), [2])
    model = net.build()
    done = atc.compile(model, env={"ASCEND_CUSTOM_OPP_PATH": str(path)})
    assert nodes(done.path) == nodes(model)


def test_several_dynamic_inputs_ask_for_a_plugin(atc, ops_file, tmp_path):
    path = tmp_path / "m.onnx"
    onnx.save(custom("Two", "x", "y"), path)
    done = atc("--framework=5", f"--model={path}", "--output=o", "--soc_version=Ascend910B1", env=ops_file, check=255)
    assert "register_dynamic_input" in done.text


# ---- plugins ------------------------------------------------------------------------------------------------------------


def test_a_plugin_maps_a_node_and_it_goes_out_as_it_came_in(atc, plugins):
    model = custom("Elu2", "x", slope=0.5)
    done = atc.compile(model, "--emit=onnx,air", env=plugins)
    assert nodes(done.path) == nodes(model)
    assert "Elu" in shapes(done.path.with_suffix(".air"))


def test_a_node_that_a_pass_changed_goes_out_as_what_it_became(atc, plugins, tmp_path):
    change = tmp_path / "change.py"
    change.write_text(
        "from ge.passes import FusionBasePass, PassStage, register_fusion_pass\n"
        "@register_fusion_pass(name='Change', stage=PassStage.BEFORE_INFER_SHAPE)\n"
        "class Change(FusionBasePass):\n"
        "    def run(self, graph, context):\n"
        "        for node in graph.get_all_nodes():\n"
        "            if node.type == 'Elu':\n"
        "                node.set_attr('alpha', 0.125)\n"
    )
    done = atc.compile(custom("Elu2", "x", slope=0.5), env=plugins, passes=[change])
    (node,) = onnx.load(str(done.path)).graph.node
    assert (node.op_type, node.domain) == ("Elu", "")
    assert helper.get_attribute_value(node.attribute[0]) == 0.125


def test_a_plugin_says_how_many_elements_dynamic_inputs_have(atc, plugins):
    model = custom("Pair", "x", "y", "z", split=1)
    done = atc.compile(model, "--emit=onnx,air", env=plugins)
    assert nodes(done.path) == nodes(model)
    assert shapes(done.path.with_suffix(".air"))["Two"][0][0] == [1, 2]


def test_a_plugin_that_raises_is_named(atc, plugins, tmp_path):
    path = tmp_path / "m.onnx"
    onnx.save(custom("Bad", "x"), path)
    done = atc("--framework=5", f"--model={path}", "--output=o", "--soc_version=Ascend910B1", env=plugins, check=255)
    for part in ("'n0'", "my.ops::Bad", "LookupError", "no plan for this node", "plugins.py"):
        assert part in done.text


def test_a_plugin_of_another_opset_is_not_asked(atc, plugins):
    model = custom("Elu2", "x", slope=0.5)
    model.opset_import[1].version = 3
    done, text = dump(atc, model, plugins)
    assert nodes(done.path) == nodes(model)
    assert '"my.ops::Elu2"' in text


# ---- launches -----------------------------------------------------------------------------------------------------------

LAUNCHES = '''
from ge.custom_op import AnnotatedKernelLaunchInfo, get_declare_launch_args_ctx, register_op, register_op_impl
from ge.runtime import TensorDesc


@register_op(op_type="Launched")
def launched(x: TensorDesc, y: TensorDesc, *, n: int) -> TensorDesc:
    return TensorDesc(x.shape, x.data_type)


@register_op_impl(op_type="Launched")
class Launched:
    def declare_launch_args(self, x, y, out, *, n: int) -> None:
        ctx = get_declare_launch_args_ctx()
        BODY
'''
PLAIN = """workspace = ctx.malloc_workspace(700)
        args = ctx.create_kernel_args()
        args.append_input(0, x)
        args.append_input(1, y)
        args.append_output(0, out)
        args.append_workspace(workspace)
        args.append_scalar(n)
        info = AnnotatedKernelLaunchInfo(
            kernel_name="k", kernel_bin=b"elf", block_dim=8, stream_id=ctx.get_stream_id()
        )
        ctx.add_launch(info, args)"""


def launch(atc, tmp_path, body, shape=(2, 3), check=0):
    (tmp_path / "launch.py").write_text(LAUNCHES.replace("BODY", body))
    path = tmp_path / "m.onnx"
    onnx.save(custom("Launched", "x", "y", shape=shape, n=7), path)
    return atc(
        "--framework=5", f"--model={path}", "--output=o", "--emit=om,txt", "--soc_version=Ascend910B1",
        env={"ASCEND_CUSTOM_OPP_PATH": str(tmp_path / "launch.py")}, check=check,
    )  # fmt: skip


def attributes_of(tmp_path, atc):
    atc("--mode=1", f"--om={tmp_path / 'o.om'}", f"--json={tmp_path / 'o.json'}", check=0)
    found = json.loads((tmp_path / "o.json").read_text())
    (node,) = [op for graph in found["graph"] for op in graph["op"] if op["type"] == "Launched"]
    return {a["key"]: a["value"] for a in node["attr"]}


def test_declared_launches_are_noted_in_the_model(atc, tmp_path):
    launch(atc, tmp_path, PLAIN)
    attributes = attributes_of(tmp_path, atc)
    assert attributes["_custom_task_args_mode"] == {"i": 2}
    assert "_custom_launch_0_" in json.dumps(attributes["_kernel_names_prefix"])
    assert attributes["_custom_launch_0_args_format"]["s"] == "{i_instance0*}{i_instance1*}{o_instance0*}{ws0*}{#7}"
    assert attributes["_custom_launch_0_kernel_name"]["s"] == "k"
    assert attributes["_custom_launch_0_block_dim"] == {"i": 8}
    assert attributes["_append_ws"]["list"]["i"] == [1024]


def test_a_graph_with_unknown_shapes_declares_nothing(atc, tmp_path):
    launch(atc, tmp_path, PLAIN, shape=("n", 3))
    attributes = attributes_of(tmp_path, atc)
    assert attributes["_custom_task_args_mode"] == {"i": 1} and "_kernel_names_prefix" not in attributes


@pytest.mark.parametrize(
    "change, text",
    [
        (("append_input(1, y)", "append_input(2, y)"), "IndexError: instance index 2"),
        (("append_input(1, y)", "append_input(-1, y)"), "TypeError"),
        (("append_scalar(n)", "append_scalar(-1)"), "TypeError: a scalar must be"),
        (("ctx.get_stream_id()", "5"), "ValueError: stream_id 5"),
        (("ctx.add_launch(info, args)", "ctx.add_launch(info, args); ctx.add_launch(info, args)"), "used for a launch already"),
        (("ctx.add_launch(info, args)", "pass"), "declared no launch"),
        (("ctx.malloc_workspace(700)", "ctx.malloc_workspace(0)"), "ValueError: size of a workspace"),
    ],
    ids=str,
)
def test_wrong_launches_name_operator_and_node(change, text, atc, tmp_path):
    done = launch(atc, tmp_path, PLAIN.replace(*change), check=255)
    assert text in done.text and "'Launched'" in done.text and "'n0'" in done.text
    assert not (tmp_path / "o.om").exists()


@pytest.mark.parametrize("op_type", ["Kept", "Scale"], ids=["unknown to ge", "also an operator of ge"])
def test_attributes_in_an_air_survive_a_process_without_the_operator(op_type, atc, tmp_path):
    path = tmp_path / "kept.py"
    path.write_text(
        "from typing import List\nfrom ge.custom_op import register_op\nfrom ge.runtime import TensorDesc\n"
        f"@register_op(op_type='{op_type}')\n"
        "def kept(x: TensorDesc, *, i: int = 1, f: float = 0.5, b: bool = True, s: str = '', l: List[int] = [],\n"
        "         t: List[str] = [], ll: List[List[int]] = []) -> TensorDesc:\n    return TensorDesc(x.shape, x.data_type)\n"
    )
    env = {"ASCEND_CUSTOM_OPP_PATH": str(path)}
    model = custom(op_type, "x", i=3, f=0.25, b=0, s="text", l=[1, 2], t=["a", "b"])
    source = tmp_path / "source.onnx"
    source.write_bytes(model.SerializeToString())
    common = ("--soc_version=Ascend910B1",)
    atc("--framework=5", f"--model={source}", "--output=middle", "--emit=air", *common, env=env, check=0)
    for name, here in (("with", env), ("without", {})):
        atc("--framework=1", "--model=middle.air", f"--output={name}", "--emit=onnx", *common, env=here, check=0)
        assert nodes(tmp_path / f"{name}.onnx") == nodes(model)


PLUGIN = OPS + '''
from ge.onnx_plugin import onnx_plugin


@onnx_plugin(source="Node", domain="my.ops", opsets=[1], target="{target}").parse_node
def parse(node, target):
    {body}
'''


@pytest.mark.parametrize(
    "target, body, text",
    [
        ("Two", "target.register_dynamic_input('a', 2**32 - 1)", "4294967295 element(s) of dynamic inputs, the node has 2"),
        ("Two", "target.register_dynamic_output('a', 2**32 - 1)", "4294967295 element(s) of dynamic outputs, the node has 1"),
        ("Two", "target.register_dynamic_input('a', 1); target.register_dynamic_input('b', 0)", "registered 1 element(s)"),
        ("Two", "target.register_dynamic_input('a', 2)", "did not register dynamic input 'b'"),
        (
            "Two",
            "[target.register_dynamic_input(n, 1) for n in 'ab'] and target.register_dynamic_input('c', 0)",
            "registered dynamic input 'c', which operator 'Two' does not have",
        ),
        ("Typed", "pass", "attribute 'i' of operator 'Typed' is required"),
        ("Typed", "target.set_attr('i', 'text')", "attribute 'i' of operator 'Typed' must be an int"),
        ("Typed", "target.set_attr('i', 1); target.set_attr('f', 1)", "attribute 'f' of operator 'Typed' must be a float"),
        ("Typed", "return 5", "plugin.py' failed: TypeError: parse_node must return None"),
    ],
)
def test_what_a_plugin_registers_and_sets_must_fit(target, body, text, atc, tmp_path):
    path = tmp_path / "plugin.py"
    path.write_text(PLUGIN.replace("{target}", target).replace("{body}", body))
    inputs = ["x", "x"] if target == "Two" else ["x"]
    net = Net(my_ops=1)
    source = net.input("x", [2, 3])
    net.output(net.op("Node", *[source for _ in inputs], outputs="out", domain="my.ops"))
    done = atc.compile(net.build(), env={"ASCEND_CUSTOM_OPP_PATH": str(path)}, check=255)
    assert text in done.text


def test_dynamic_inputs_of_a_plugin_go_by_name(atc, tmp_path):
    path = tmp_path / "plugin.py"
    body = "target.register_dynamic_input('b', 1); target.register_dynamic_input('a', 2)"
    path.write_text(PLUGIN.replace("{target}", "Two").replace("{body}", body))
    model = custom("Node", "x", "y", "z")
    done = atc.compile(model, "--emit=onnx,txt", env={"ASCEND_CUSTOM_OPP_PATH": str(path)})
    assert nodes(done.path) == nodes(model)
    inferred = onnx.load(str(done.path)).graph.output[0].type.tensor_type
    assert [d.dim_value for d in inferred.shape.dim] == [2, 1]


def test_an_empty_list_of_a_plugin_is_of_the_prototypes_kind(atc, tmp_path):
    path = tmp_path / "plugin.py"
    body = "target.set_attr('i', 1); [target.set_attr(n, []) for n in ('li', 'lf', 'lb', 'ls', 'lt', 'll')]"
    path.write_text(PLUGIN.replace("{target}", "Typed").replace("{body}", body))
    atc.compile(custom("Node", "x"), env={"ASCEND_CUSTOM_OPP_PATH": str(path)})


def test_verify_says_which_operator_fails_and_not_that_onnxruntime_does(atc, tmp_path):
    path = tmp_path / "failing.py"
    path.write_text(
        OPS + "\n\n@register_op_impl(op_type='Paper')\nclass Paper:\n    def execute(self, x):\n        return 1 / 0\n"
    )
    done = atc.compile(custom("Paper", "x"), "--verify", env={"ASCEND_CUSTOM_OPP_PATH": str(path)}, check=255)
    assert "custom operator 'Paper' of node 'n0' in" in done.text and "failing.py' failed: ZeroDivisionError" in done.text
    assert "--input_shape" not in done.text.splitlines()[-1]
    assert "return 1 / 0" in done.text  # the traceback, not only its last line
    done = atc.compile(custom("Paper", "x"), "--verify", check=255)
    assert "ASCEND_CUSTOM_OPP_PATH" in done.text.splitlines()[-1]
