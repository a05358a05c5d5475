"""Type stubs: what editors and type checkers see of the native classes and of the operators."""

from __future__ import annotations

import ast
import inspect
import json
import os
import pathlib
import re
import shutil
import site
import subprocess
import sys
import textwrap

import ge
import ge.custom_op
import ge.es.all
import pytest
from ge.custom_op import _artifact_utils as custom_op_artifacts
from ge.passes.runtime import ensure_native_module

from _ut_operators import HEADER

PACKAGE = pathlib.Path(ge.__file__).absolute().parent
GROUPS = ["all", "cv", "math", "nn", "transformer"]
NATIVE = PACKAGE / "passes" / "_ge_pass_native.pyi"
CUSTOM_OP = PACKAGE / "custom_op" / "_ge_custom_op_native.pyi"


def parsed(path):
    # Nothing that a type checker for the oldest Python would not read.
    return ast.parse(path.read_text(), feature_version=(3, 9))


@pytest.fixture(scope="session")
def mypy_cache(tmp_path_factory):
    return tmp_path_factory.mktemp("mypy")


@pytest.fixture
def mypy(mypy_cache):
    """mypy(folder, *options, path=[]) -> what it prints; all files of the folder are checked."""
    pytest.importorskip("mypy")

    def run(folder, *options, path=()):
        # mypy knows the packages of its own Python; it must be told of others, and refuses to be told of its own.
        known = {pathlib.Path(p).resolve() for p in [*site.getsitepackages(), site.getusersitepackages()]}
        search = [str(p) for p in path] + ([] if PACKAGE.parent.resolve() in known else [str(PACKAGE.parent)])
        environment = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "MYPYPATH")}
        environment["MYPYPATH"] = os.pathsep.join(search)
        command = [sys.executable, "-m", "mypy", "--explicit-package-bases", "--namespace-packages", "--no-error-summary"]
        done = subprocess.run(
            [*command, "--cache-dir", str(mypy_cache), *options, "."],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            cwd=folder,
            env=environment,
            timeout=300,
        )
        # A user sees what is wrong in a stub, and nothing of the package's own code.
        inside = re.compile(re.escape(str(PACKAGE)) + r".*\.py:")
        return "".join(line for line in done.stdout.splitlines(True) if not inside.match(line))

    return run


@pytest.fixture(scope="session")
def shipped_operators():
    """Operators by group in a process of its own, where no test has added others."""
    code = f"import ge.es, json; print(json.dumps({{g: dir(ge.es.get_plugin(g)) for g in {GROUPS}}}))"
    listed = json.loads(subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, check=True).stdout)
    exported = {"DataType", "Graph", "GraphBuilder", "Tensor", "TensorHolder", "TensorLike"}
    return {group: set(names) - exported for group, names in listed.items()}


# ---- the files ---------------------------------------------------------------------------------------------------------


def test_the_package_is_typed():
    assert (PACKAGE / "py.typed").is_file()
    for group in GROUPS:
        assert (PACKAGE / "es" / f"{group}.pyi").is_file()


@pytest.mark.parametrize("group", GROUPS)
def test_operator_stubs_are_the_signatures(group, shipped_operators):
    module = getattr(ge.es, group)
    declared = {n.name: n for n in parsed(PACKAGE / "es" / f"{group}.pyi").body if isinstance(n, ast.FunctionDef)}
    assert set(declared) == shipped_operators[group]
    for name, node in declared.items():
        function = getattr(module, name)
        parameters = inspect.signature(function).parameters.values()
        positional, keywords = node.args.args, node.args.kwonlyargs
        assert [a.arg for a in positional] == [p.name for p in parameters if p.kind is not p.KEYWORD_ONLY]
        assert [a.arg for a in keywords] == [p.name for p in parameters if p.kind is p.KEYWORD_ONLY]
        with_default = {a.arg for a in positional[len(positional) - len(node.args.defaults) :]}
        with_default |= {a.arg for a, d in zip(keywords, node.args.kw_defaults) if d is not None}
        assert with_default == {p.name for p in parameters if p.default is not p.empty}
        assert ast.unparse(node.returns) == inspect.signature(function).return_annotation
        assert inspect.cleandoc(ast.get_docstring(node)) == inspect.getdoc(function)
        for a, p in zip([*positional, *keywords], parameters):
            assert ast.unparse(a.annotation).replace("Sequence[", "List[") == p.annotation


@pytest.mark.parametrize("group", GROUPS)
def test_stubs_of_output_classes(group):
    module = getattr(ge.es, group)
    classes = [n for n in parsed(PACKAGE / "es" / f"{group}.pyi").body if isinstance(n, ast.ClassDef)]
    for node in classes:
        cls = getattr(module, node.name)
        fields = {n.target.id: ast.unparse(n.annotation) for n in node.body if isinstance(n, ast.AnnAssign)}
        assert fields == cls.__annotations__


def of_class(path):
    return {n.name: n for n in parsed(path).body if isinstance(n, ast.ClassDef)}


@pytest.mark.parametrize(
    "path, native",
    [(NATIVE, ensure_native_module), (CUSTOM_OP, custom_op_artifacts.ensure_native_module)],
    ids=["passes", "custom_op"],
)
def test_native_stubs_have_every_member_of_every_class(path, native):
    declared = of_class(path)
    classes = {n: c for n, c in vars(native()).items() if inspect.isclass(c) and n != "EsOperator"}
    assert set(declared) == set(classes)
    inherited = set(dir(object)) - {"__init__", "__str__", "__repr__"}
    for name, cls in classes.items():
        members = {n.name for n in declared[name].body if isinstance(n, ast.FunctionDef)}
        own = {m: v for m, v in vars(cls).items() if m not in inherited}
        if name in ("AnnotatedArgsContext", "EagerOpExecutionContext"):
            # What the bridge alone calls is kept out: its users have parameters for it.
            own = {m: v for m, v in own.items() if not m.startswith("_")}
            assert not [m for m in members if m.startswith("_")]
        assert members >= {m for m, v in own.items() if hasattr(v, "__nb_signature__") or isinstance(v, property)}


def test_launches_are_declared_without_a_reader_of_attributes():
    assert "get_attrs" not in {n.name for n in of_class(CUSTOM_OP)["AnnotatedArgsContext"].body if isinstance(n, ast.FunctionDef)}
    assert "get_attrs" not in ge.custom_op.__all__


@pytest.mark.parametrize("path", [NATIVE, CUSTOM_OP], ids=["passes", "custom_op"])
def test_native_stubs_say_something_of_every_public_parameter_and_result(path):
    # What a tensor or attribute holds can be anything; an array is one of numpy, which need not be there.
    anything = {"get_data", "data", "get_attr", "get_input_attr", "get_output_attr", "numpy"}
    vague = []
    for cls in of_class(path).values():
        for method in (n for n in cls.body if isinstance(n, ast.FunctionDef)):
            if method.name.startswith("_") and method.name != "__init__":
                continue
            types = [] if method.name in anything else [method.returns]
            types += [a.annotation for a in [*method.args.args[1:], *method.args.kwonlyargs]]
            if any(t is None or ast.unparse(t) in ("Any", "object", "list", "dict", "tuple") for t in types):
                vague.append(f"{cls.name}.{method.name}")
    assert vague == [], "say their types in scripts/native_types.py or custom_op_types.py"


# ---- type checkers -----------------------------------------------------------------------------------------------------


def test_mypy_accepts_the_samples(mypy, samples):
    assert mypy(samples, "--check-untyped-defs") == ""


GOOD = """
    from typing import List, Optional

    from ge.es import GraphBuilder, TensorHolder, get_plugin, list_plugins
    from ge.es.all import Add, BatchNorm, Cast, ConcatV2, Const, MatMul, Relu, Split, TopKV2
    from ge.es.graph_builder import InputType, attr_scope, control_dependency_scope
    from ge.es.math import Add as MathAdd
    from ge.es.tensor_like import convert_to_tensor_holder, resolve_builder
    from ge.graph import DataType, Format, Graph, Node, Tensor, TensorDesc

    def build() -> Graph:
        builder = GraphBuilder("g")
        x = builder.create_input(0, name="x", type_str=InputType.DATA, data_type=DataType.DT_FLOAT, shape=[1, -1])
        several: List[TensorHolder] = builder.create_inputs(2, 1)
        y: TensorHolder = Add(x, 1.5)
        y = Relu(y) + 2 - 2 * y / several[0] + [1.0, 2]
        y = ConcatV2(several, 0, N=2)
        y = MatMul(x, y, None, transpose_x1=True)
        with attr_scope({"k": 1}), control_dependency_scope([x]):
            parts: List[TensorHolder] = Split(0, y, 3, num_split=3)
        indices: TensorHolder = TopKV2(MathAdd(parts[0], [[1, 2]]), 2).indices
        y = Cast(indices, dst_type=DataType.DT_INT32)
        const = Const(builder, value=Tensor([1.0], None, DataType.DT_FLOAT, Format.FORMAT_ND, [1]))
        maybe: Optional[TensorHolder] = convert_to_tensor_holder(1, resolve_builder(x))
        builder.set_graph_output(y.set_shape([2]).set_data_type(DataType.DT_INT8), 0)
        graph: Graph = builder.build_and_reset([const])
        names: List[str] = [node.name for node in graph.get_all_nodes()] + list_plugins()
        node: Node = graph.find_node_by_name(names[0])
        producer, port = node.get_in_data_nodes_and_port_indexes(0)
        desc: TensorDesc = producer.get_output_desc(port)
        total: int = desc.shape.get_shape_size() + len(desc.get_shape()) + desc.data_type.value
        node.set_attr("k", total)
        return graph
"""

# A line each, with what a type checker calls it.
BAD = [
    ("Relu('x')", "arg-type"),
    ("Relu(1)", "arg-type"),
    ("Add(x)", "call-arg"),
    ("Add(x, 'y')", "arg-type"),
    ("Conv2D(x, x)", "call-arg"),
    ("Cast(x, dst_type='float')", "arg-type"),
    ("MatMul(x, x, transposed=True)", "call-arg"),
    ("TopKV2(x, 2).value", "attr-defined"),
    ("Split(0, x, 3, 3)", "call-arg|misc"),
    ("If(x, [x], 1, None, None)", "arg-type"),
    ("builder.create_input('0')", "arg-type|call-overload"),
    ("builder.create_inputs(1.5)", "arg-type"),
    ("builder.create_const_int64(1.5)", "arg-type"),
    ("builder.build_and_reset(x)", "arg-type"),
    ("builder.nope()", "attr-defined"),
    ("x @ x", "operator"),
    ("x + 'text'", "operator"),
    ("x.set_shape((1,))", "arg-type"),
    ("graph.get_all_nodes()[0].names", "attr-defined"),
    ("Tensor(1)", "arg-type"),
    ("TensorDesc([1], 2)", "arg-type"),
]


def test_mypy_accepts_right_calls(mypy, tmp_path):
    (tmp_path / "good.py").write_text(textwrap.dedent(GOOD))
    assert mypy(tmp_path, "--strict") == ""


def test_mypy_refuses_wrong_calls(mypy, tmp_path):
    head = [
        "from ge.es import GraphBuilder",
        "from ge.es.all import Add, Cast, Conv2D, If, MatMul, Relu, Split, TopKV2",
        "from ge.graph import Graph, Tensor, TensorDesc",
        "builder = GraphBuilder()",
        "x = builder.create_input(0)",
        "graph = Graph('g')",
    ]
    (tmp_path / "bad.py").write_text("\n".join([*head, *(line for line, _ in BAD)]) + "\n")
    printed = mypy(tmp_path)
    found = dict(re.findall(r"^bad\.py:(\d+): error: .*\[([a-z-]+)\]$", printed, re.MULTILINE))
    for number, (line, kinds) in enumerate(BAD, start=len(head) + 1):
        assert found.get(str(number)) in kinds.split("|"), f"{line}: {printed}"


GOOD_OP = """
    from typing import List, Optional, Tuple

    from ge.custom_op import AnnotatedKernelLaunchInfo, get_declare_launch_args_ctx, get_execute_ctx
    from ge.custom_op import EagerExecuteOp, EagerOpExecutionContext, register_op, register_op_impl
    from ge.graph import DataType, Operator
    from ge.onnx_plugin import OnnxNode, onnx_plugin
    from ge.runtime import Tensor, TensorDesc, TensorPlacement

    @register_op(op_type="Sum", mutates_args=["x"])
    def proto(x: TensorDesc, bias: Optional[TensorDesc], *, axes: List[int]) -> Tuple[TensorDesc, TensorDesc]:
        x.shape = [1, *x.shape.origin_shape.dims]
        return x, TensorDesc([2], DataType.DT_FLOAT)

    @register_op_impl(op_type="Sum")
    class Impl:
        def execute(self, x: Tensor, bias: Optional[Tensor], *, axes: List[int]) -> None:
            ctx: EagerOpExecutionContext = get_execute_ctx()
            y: Tensor = ctx.malloc_output_tensor(1, x.shape, x.format, x.data_type)
            host: bool = y.placement is TensorPlacement.ON_HOST

        def declare_launch_args(
            self, x: Tensor, bias: Optional[Tensor], y: Tensor, z: Tensor, *, axes: List[int]
        ) -> None:
            ctx = get_declare_launch_args_ctx()
            args = ctx.create_kernel_args()
            args.append_input(0, x)
            args.append_workspace(ctx.malloc_workspace(64))
            ctx.add_launch(
                AnnotatedKernelLaunchInfo(
                    kernel_name="k", kernel_bin=b"elf", block_dim=1, stream_id=ctx.get_stream_id()
                ),
                args,
            )

    class Legacy(EagerExecuteOp):
        def execute(self, ctx: EagerOpExecutionContext) -> None:
            alpha: float = ctx.get_attrs().get_float(0)

    kept: type = Impl

    @onnx_plugin(source="Elu", domain="ai.onnx", opsets=[11], target="Elu").parse_node
    def parse(node: OnnxNode, target: Operator) -> None:
        target.set_attr("alpha", node.attrs.get("alpha", 1.0))
"""

BAD_OP = [
    ("register_op(op_type=1)", "arg-type"),
    ("register_op_impl(op_type='A')(3)", "type-var"),
    ("TensorDesc((1,), DataType.DT_FLOAT)", "arg-type"),
    ("TensorDesc([1], 0)", "arg-type"),
    ("get_execute_ctx().malloc_workspace('8')", "arg-type"),
    ("get_declare_launch_args_ctx().get_attrs()", "attr-defined"),
    ("onnx_plugin(source='Elu', domain='ai.onnx', opsets=11, target='Elu')", "arg-type"),
]


def test_mypy_accepts_custom_operators(mypy, tmp_path):
    (tmp_path / "good_op.py").write_text(textwrap.dedent(GOOD_OP))
    assert mypy(tmp_path, "--strict") == ""


def test_mypy_refuses_wrong_custom_operators(mypy, tmp_path):
    head = [
        "from ge.custom_op import get_declare_launch_args_ctx, get_execute_ctx, register_op, register_op_impl",
        "from ge.graph import DataType",
        "from ge.onnx_plugin import onnx_plugin",
        "from ge.runtime import TensorDesc",
    ]
    (tmp_path / "bad_op.py").write_text("\n".join([*head, *(line for line, _ in BAD_OP)]) + "\n")
    printed = mypy(tmp_path)
    for number, (line, codes) in enumerate(BAD_OP, start=len(head) + 1):
        assert re.search(rf"bad_op.py:{number}: error: .*\[({codes})\]", printed), (line, printed)


def test_mypy_knows_the_operators_of_a_package(mypy, tmp_path):
    from ge.es.gen import main

    out, use = tmp_path / "out", tmp_path / "use"
    assert main(["--proto", str(HEADER), "--name", "typed", "--out", str(out)]) == 0
    use.mkdir()
    lines = [
        "from es_typed import Add, phony_1i_2o, phony_If, phony_keyword",
        "from ge.es import GraphBuilder",
        "x = GraphBuilder().create_input(0)",
        "Add(phony_1i_2o(x).y2, 1)",
        "phony_1i_2o(x).y3",
        "phony_If(x, [x], 1)",
    ]
    (use / "use.py").write_text("\n".join(lines) + "\n")
    printed = mypy(use, path=[out])
    assert [int(n) for n in re.findall(r"^use\.py:(\d+): error", printed, re.MULTILINE)] == [5, 6], printed


def test_pyright_accepts_the_samples(samples, tmp_path):
    pyright = shutil.which("pyright", path=os.pathsep.join([os.path.dirname(sys.executable), os.environ.get("PATH", "")]))
    if pyright is None:
        pytest.skip("pyright is not installed")
    shutil.copytree(samples, tmp_path / "samples")
    (tmp_path / "good.py").write_text(textwrap.dedent(GOOD))
    (tmp_path / "pyrightconfig.json").write_text(
        '{"include": ["samples", "good.py"], "pythonVersion": "3.9", "extraPaths": ["%s"]}' % PACKAGE.parent
    )
    done = subprocess.run(
        [pyright, "--pythonpath", sys.executable], cwd=tmp_path, stdout=subprocess.PIPE, text=True, timeout=300
    )
    assert done.returncode == 0 and "0 errors" in done.stdout, done.stdout
