"""`python -m ge.es.gen`: operator packages out of REG_OP prototypes, and what is said about prototypes that are wrong."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap

import pytest
from ge.es import GraphBuilder
from ge.es.gen import main
from ge.es.prototypes import operator_module, read_prototypes, register
from ge.utils import GeUtils

from _ut_operators import HEADER

ANY = "TensorType::ALL()"


@pytest.fixture
def header(tmp_path):
    """header(text) writes a header and gives its path."""

    def write(text, name="ops.h"):
        path = tmp_path / name
        path.write_text(textwrap.dedent(text))
        return path

    return write


@pytest.fixture
def gen(tmp_path, capsys):
    """gen(header, name="custom", ...) -> (exit code, folder, what went to stderr)."""

    def run(*headers, name="custom", more=()):
        out = tmp_path / "out"
        code = main(["--proto", *map(str, headers), "--name", name, "--out", str(out), *more])
        return code, out, capsys.readouterr().err

    return run


def clauses(source):
    """The description of the one prototype made of these clauses."""
    ((_, *parts),) = read_prototypes(f"REG_OP(Op){source}.OP_END_FACTORY_REG(Op)")
    return parts


# ---- what is read ------------------------------------------------------------------------------------------------------


def test_every_clause():
    inputs, outputs, attrs, subgraphs = clauses(
        """
        .INPUT(a, TensorType({DT_FLOAT, DT_INT32}))
        .OPTIONAL_INPUT(b, TensorType(DT_BOOL))
        .DYNAMIC_INPUT(c, T)
        .OUTPUT(d, "T")
        .DYNAMIC_OUTPUT(e, ListTensorType(TensorType::IndexNumberType()))
        .REQUIRED_ATTR(k, Int)
        .ATTR(s, String, "a\\"b")
        .GRAPH(g)
        .DYNAMIC_GRAPH(h)
        .DATATYPE(T, TensorType({TensorType::UnsignedDataType(), DT_BF16}))
        """
    )
    assert inputs == [
        ("a", "required", "DT_FLOAT DT_INT32"),
        ("b", "optional", "DT_BOOL"),
        ("c", "dynamic", "DT_UINT8 DT_UINT16 DT_UINT32 DT_UINT64 DT_BF16"),
    ]
    assert outputs == [
        ("d", "required", "DT_UINT8 DT_UINT16 DT_UINT32 DT_UINT64 DT_BF16"),
        ("e", "dynamic", "DT_INT32 DT_INT64"),
    ]
    assert attrs == [("k", "int", True, None), ("s", "str", False, 'a"b')]
    assert subgraphs == [("g", False), ("h", True)]


@pytest.mark.parametrize(
    "expression, types",
    [
        ("TensorType::FloatingDataType()", "DT_FLOAT DT_FLOAT16 DT_DOUBLE"),
        ("TensorType::FLOAT()", "DT_FLOAT DT_FLOAT16 DT_BF16"),
        ("TensorType({SignedDataType(), DT_BOOL})", "DT_INT8 DT_INT32 DT_INT16 DT_INT64 DT_BOOL"),
        ("ge::TensorType({ge::DT_FLOAT, DT_FLOAT,})", "DT_FLOAT"),
        ("Promote({A, B})", "DT_FLOAT DT_INT8"),
        ("TensorType({})", ""),
    ],
)
def test_types(expression, types):
    symbols = ".DATATYPE(B, A2).DATATYPE(A2, TensorType(DT_INT8)).DATATYPE(A, TensorType(DT_FLOAT))"
    assert clauses(f".INPUT(x, {expression}){symbols}")[0] == [("x", "required", types)]


@pytest.mark.parametrize(
    "kind, default, annotation, value",
    [
        ("Int", "-1", "int", -1),
        ("Int", "0x10", "int", 16),
        ("Int", "010", "int", 8),
        ("Int", "DT_INT32", "int", 3),
        ("Int", "9223372036854775807LL", "int", 2**63 - 1),
        ("Float", "1e-05f", "float", 1e-05),
        ("Float", "-.5", "float", -0.5),
        ("Float", "2", "float", 2.0),
        ("Bool", "false", "bool", False),
        ("String", '"NCHW"', "str", "NCHW"),
        ("String", '"a" "b\\n\\x41"', "str", "ab\nA"),
        ("Type", "DT_BF16", "DataType", "DT_BF16"),
        ("Tensor", "Tensor()", "Tensor", None),
        ("ListInt", "{}", "List[int]", []),
        ("ListInt", "{1, -2,}", "List[int]", [1, -2]),
        ("ListFloat", "{1, 0.5f}", "List[float]", [1.0, 0.5]),
        ("ListBool", "{true}", "List[bool]", [True]),
        ("ListString", '{"a, b", "}"}', "List[str]", ["a, b", "}"]),
        ("ListType", "{DT_FLOAT}", "List[DataType]", ["DT_FLOAT"]),
        ("ListListInt", "{{}, {1}}", "List[List[int]]", [[], [1]]),
    ],
)
def test_defaults(kind, default, annotation, value):
    assert clauses(f".ATTR(a, {kind}, {default})")[2] == [("a", annotation, False, value)]


def test_what_is_around_the_prototypes_is_passed_over():
    source = """
    #include "graph/operator_reg.h"
    #define SHORT(x) \\
        REG_OP(InADefinition)
    #if 0
    REG_OP(LeftOut
    #else
    namespace ge { using T = int; static const char *url = "http://x/*y*/";
    // REG_OP(InAComment
    /* REG_OP(InAnother
       .INPUT( */
    REG_OP(Real) // why
        .INPUT(x, /* all */ TensorType::ALL())
        .OP_END_FACTORY_REG(Real);
    #endif
    }
    """
    assert [p[0] for p in read_prototypes(source)] == ["Real"]


# ---- what is refused ---------------------------------------------------------------------------------------------------

BAD = [
    ("REG_OP(A)\n.INPUT(x, ALL)\n.OP_END_FACTORY_REG(A)", 2, "a symbol that a DATATYPE clause declares (none), found 'ALL'"),
    ("REG_OP(A)\n.INPUT(x, TensorType({DT_FLOT}))\n.OP_END_FACTORY_REG(A)", 2, "a data type such as DT_FLOAT, found 'DT_FLOT'"),
    ("REG_OP(A)\n.INPUT(x, TensorType::EVERY())\n.OP_END_FACTORY_REG(A)", 2, "one of TensorType's groups"),
    ("REG_OP(A)\n.INPUT(x, TensorType({DT_MAX}))\n.OP_END_FACTORY_REG(A)", 2, "that tensors can have, found 'DT_MAX'"),
    ("REG_OP(A)\n.INPUT(x, TensorType({DT_BOOL DT_INT8}))\n.OP_END_FACTORY_REG(A)", 2, "',' or '}' after a data type"),
    ("REG_OP(A)\n.INPUT(x)\n.OP_END_FACTORY_REG(A)", 2, "expected INPUT(name, types), found 'x'"),
    (f"REG_OP(A)\n.INPUT(x y, {ANY})\n.OP_END_FACTORY_REG(A)", 2, "expected a name in INPUT, found 'x y'"),
    (f"REG_OP(A)\n.INPUT(1, {ANY})\n.OP_END_FACTORY_REG(A)", 2, "expected a name in INPUT, found '1'"),
    (f"REG_OP(A)\n.INPUTS(x, {ANY})\n.OP_END_FACTORY_REG(A)", 2, "expected one of the clauses INPUT"),
    (f"REG_OP(A)\n.INPUT(x, {ANY})\n.INPUT(x, {ANY})\n.OP_END_FACTORY_REG(A)", 3, "input 'x' of operator 'A' is there already, in line 3"),
    ("REG_OP(A)\n.GRAPH(g, h)\n.OP_END_FACTORY_REG(A)", 2, "GRAPH takes one name, found 'g, h'"),
    ("REG_OP(A)\n.ATTR(a, Integer, 0)\n.OP_END_FACTORY_REG(A)", 2, "expected the kind of attribute 'a' (Int, "),
    ("REG_OP(A)\n.ATTR(a, Int)\n.OP_END_FACTORY_REG(A)", 2, "expected ATTR(name, kind, default), found 'a, Int'"),
    ("REG_OP(A)\n.REQUIRED_ATTR(a, Int, 1)\n.OP_END_FACTORY_REG(A)", 2, "expected REQUIRED_ATTR(name, kind)"),
    ("REG_OP(A)\n.ATTR(a, Int, 1.5)\n.OP_END_FACTORY_REG(A)", 2, "expected an int, found '1.5'"),
    ("REG_OP(A)\n.ATTR(a, Int, 9223372036854775808)\n.OP_END_FACTORY_REG(A)", 2, "expected an int of 64 bits"),
    ('REG_OP(A)\n.ATTR(a, Float, "1")\n.OP_END_FACTORY_REG(A)', 2, "expected a float, found '\"1\"'"),
    ("REG_OP(A)\n.ATTR(a, Bool, 1)\n.OP_END_FACTORY_REG(A)", 2, "expected true or false, found '1'"),
    ("REG_OP(A)\n.ATTR(a, String, b)\n.OP_END_FACTORY_REG(A)", 2, "expected a text in quotes, found 'b'"),
    ("REG_OP(A)\n.ATTR(a, ListInt, 1)\n.OP_END_FACTORY_REG(A)", 2, "expected a list in braces, found '1'"),
    ("REG_OP(A)\n.ATTR(a, ListInt, {1 2})\n.OP_END_FACTORY_REG(A)", 2, "expected ',' or '}' in a list, found '2'"),
    ("REG_OP(A)\n.ATTR(a, Int, 1 2)\n.OP_END_FACTORY_REG(A)", 2, "expected the end of the default, found '2'"),
    ("REG_OP(A)\n.ATTR(a, Tensor, nullptr)\n.OP_END_FACTORY_REG(A)", 2, "expected Tensor(), found 'nullptr'"),
    (f"REG_OP(A)\n.DATATYPE(T, {ANY})\n.DATATYPE(T, {ANY})\n.OP_END_FACTORY_REG(A)", 3, "symbol 'T' is declared twice"),
    ("REG_OP(A)\n.DATATYPE(T, U)\n.DATATYPE(U, T)\n.OP_END_FACTORY_REG(A)", 2, "found 'U'"),
    ("REG_OP(A)\n.OP_END_FACTORY_REG(B)", 2, "expected OP_END_FACTORY_REG(A), found 'B'"),
    (f"\n\nREG_OP(A)\n.INPUT(x, {ANY})\n", 3, "operator 'A' has no end"),
    (f"REG_OP(A)\n.INPUT(x, {ANY})\nREG_OP(B)\n.OP_END_FACTORY_REG(B)", 1, "operator 'A' has no end"),
    (f"REG_OP(A)\n.INPUT(x, {ANY}\n.OP_END_FACTORY_REG(A)\nREG_OP(B).OP_END_FACTORY_REG(B)", 2, "INPUT( has no end"),
    (f"REG_OP(A)\nINPUT(x, {ANY})\n.OP_END_FACTORY_REG(A)", 2, "expected '.' and a clause of operator 'A', found 'INPUT'"),
    ("REG_OP()\n.OP_END_FACTORY_REG()", 1, "REG_OP takes one name, found nothing"),
    ("REG_OP\n", 1, "expected '(' after REG_OP"),
    ("REG_OP(A).OP_END_FACTORY_REG(A)\nREG_OP(A).OP_END_FACTORY_REG(A)", 2, "operator 'A' is there already, in line 2"),
    ('REG_OP(A)\n.ATTR(a, String, "b)\n.OP_END_FACTORY_REG(A)', 2, "a text begins here"),
    ("REG_OP(A)\n/* .OP_END_FACTORY_REG(A)", 2, "a comment begins here"),
    ("REG_OP(A)\n.ATTR(a, Int, 12abc)\n.OP_END_FACTORY_REG(A)", 2, "expected a number, found '12abc)'"),
]  # fmt: skip


@pytest.mark.parametrize("source, line, text", BAD, ids=range(len(BAD)))
def test_defects_name_file_and_line(header, gen, source, line, text):
    path = header("// A header.\n" + source)
    code, out, errors = gen(path)
    assert code == 1 and not out.exists()
    assert f"[ERROR] {path}:{line + 1}: " in errors and text in errors


def test_all_defects_are_named(header, gen):
    first = header("REG_OP(A)\n.INPUT(x)\n.OP_END_FACTORY_REG(A)\nREG_OP(B)\n.OUTPUT(y)\n.OP_END_FACTORY_REG(B)", "a.h")
    second = header("REG_OP(C)\n.GRAPH()\n.OP_END_FACTORY_REG(C)", "b.h")
    code, out, errors = gen(first, second, first.with_name("none.h"))
    assert code == 1 and not out.exists()
    assert [line.split(": ")[0] for line in errors.splitlines()] == [
        f"[ERROR] {first}:2", f"[ERROR] {first}:5", f"[ERROR] {second}:2", f"[ERROR] {first.with_name('none.h')}",
    ]  # fmt: skip


@pytest.mark.parametrize("name", ["1x", "a-b", "class", "_x", "", "math", "gen", "graph_builder"])
def test_the_name_must_be_free_and_importable(header, gen, name):
    code, out, errors = gen(header("REG_OP(NamedWell).OP_END_FACTORY_REG(NamedWell)"), name=name)
    assert code == 1 and "[ERROR] --name: " in errors and f"'{name}'" in errors and not out.exists()


def test_a_header_without_operators_is_an_error(header, gen):
    code, out, errors = gen(header("REG_OP(Switch).OP_END_FACTORY_REG(Switch)"))
    assert code == 1 and "at least one REG_OP prototype" in errors and not out.exists()


def test_an_operator_keeps_its_definition(header, gen):
    source = f"REG_OP(Relu)\n.INPUT(x, {ANY})\n.OUTPUT(z, {ANY})\n.OP_END_FACTORY_REG(Relu)"
    code, out, errors = gen(header(source))
    assert code == 1 and not out.exists()
    assert "ops.h:1: failed to define operator 'Relu' for group 'custom': expected the outputs" in errors
    with pytest.raises(ValueError, match="failed to define operator 'Relu'"):
        register("custom", read_prototypes(source))


def test_parameters_of_one_name_are_an_error(header, gen):
    source = f"REG_OP(GenTwice)\n.INPUT(x, {ANY})\n.DYNAMIC_OUTPUT(y, {ANY})\n.ATTR(y_num, Int, 1)\n.OP_END_FACTORY_REG(GenTwice)"
    code, out, errors = gen(header(source))
    assert code == 1 and "ops.h:1: operator 'GenTwice': expected parameters of different names, found 'y_num' twice" in errors


def test_operators_that_no_function_can_make_are_named_and_left_out(header, gen):
    path = header(
        f"""
        REG_OP(GenPlain).INPUT(x, {ANY}).OP_END_FACTORY_REG(GenPlain)
        REG_OP(GenTensors)
            .ATTR(t, ListTensor, {{}})
            .OP_END_FACTORY_REG(GenTensors)
        REG_OP(GenUnwanted).OP_END_FACTORY_REG(GenUnwanted)
        REG_OP(None).OP_END_FACTORY_REG(None)
        """
    )
    code, out, errors = gen(path, more=["--exclude", "GenUnwanted"])
    assert code == 0
    assert f"{path}:3: operator 'GenTensors' gets no function: attribute 't' is of kind ListTensor" in errors
    assert f"{path}:7: operator 'None' gets no function: its type is a keyword of Python" in errors
    stub = (out / "es_custom" / "__init__.pyi").read_text()
    assert "def GenPlain(" in stub and "GenTensors" not in stub and "GenUnwanted" not in stub


# ---- what is known of the operators ------------------------------------------------------------------------------------


def test_registration_is_all_or_nothing_and_may_be_repeated():
    good = read_prototypes(f"REG_OP(GenGood).INPUT(x, {ANY}).OP_END_FACTORY_REG(GenGood)")
    bad = read_prototypes("REG_OP(Add).OP_END_FACTORY_REG(Add)")
    with pytest.raises(ValueError):
        register("g", [*good, *bad])
    with pytest.raises(AttributeError):
        import ge.es.all

        ge.es.all.GenGood  # noqa: B018
    register("g", good)
    register("g", good)
    register("other", good)


@pytest.mark.parametrize(
    "prototype",
    [
        7, ("T",), (1, [], [], [], []), ("T", 1, [], [], []), ("T", ["x"], [], [], []), ("T", [("x", "odd", "")], [], [], []),
        ("T", [("x", "required", "FLOAT")], [], [], []), ("T", [], [("y", "optional", "")], [], []),
        ("T", [], [], [("a", "integer", False, 1)], []), ("T", [], [], [("a", "int", False, "1")], []),
        ("T", [], [], [("a", "List[int]", False, [None])], []), ("T", [], [], [], [("g",)]),
    ],
    ids=str,
)  # fmt: skip
def test_descriptions_are_checked(prototype):
    with pytest.raises(ValueError, match="failed to define operator"):
        register("g", [prototype])


def test_inference_takes_the_operators_for_opaque():
    module = operator_module(
        "opaque",
        read_prototypes(
            "REG_OP(GenOpaque).INPUT(x, TensorType({DT_FLOAT})).OUTPUT(y, TensorType({DT_FLOAT16}))"
            f".OUTPUT(z, {ANY}).OP_END_FACTORY_REG(GenOpaque)"
        ),
    )
    builder = GraphBuilder()
    x = builder.create_input(0)
    made = module.GenOpaque(x)
    made.z.set_shape([3, 4])
    total = made.y + made.z
    graph = builder.build_and_reset([total])
    GeUtils.infer_shape(graph, [[2]])
    node = graph.find_node_by_name(made.y.name)
    assert [node.get_output_desc(i).get_shape() for i in (0, 1)] == [[-2], [3, 4]]
    assert node.get_output_desc(0).get_data_type().name == "DT_FLOAT16"
    assert "inputs = (x=%input_0)" in str(graph)


def test_export_to_onnx_names_the_operator(tmp_path):
    import ge.onnx

    module = operator_module(
        "exported", read_prototypes(f"REG_OP(GenExported).INPUT(x, {ANY}).OUTPUT(y, {ANY}).OP_END_FACTORY_REG(GenExported)")
    )
    builder = GraphBuilder()
    graph = builder.build_and_reset([module.GenExported(builder.create_input(0, shape=[1]))])
    with pytest.raises(Exception, match="GenExported"):
        ge.onnx.save(graph, tmp_path / "m.onnx")


def test_threads_may_register_while_others_read():
    import threading

    import ge.es.all

    def add(number):
        for k in range(20):
            register("t", read_prototypes(f"REG_OP(GenThread{number}_{k}).OP_END_FACTORY_REG(GenThread{number}_{k})"))

    threads = [threading.Thread(target=add, args=(n,)) for n in range(4)]
    for t in threads:
        t.start()
    while any(t.is_alive() for t in threads):
        assert "Add" in dir(ge.es.all)
    for t in threads:
        t.join()
    assert sum(name.startswith("GenThread") for name in dir(ge.es.all)) == 80


# ---- the package -------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    """The package of the test operators, made by the command and installed by pip without an index."""
    folder = tmp_path_factory.mktemp("package")
    command = [sys.executable, "-m", "ge.es.gen", "--proto", str(HEADER), "--name", "ut_test", "--out", str(folder / "src")]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("made es_ut_test with 29 operators")
    # What pip does with a package of plain files, without the build backend that an offline machine may lack.
    site = folder / "site"
    site.mkdir()
    (folder / "src" / "es_ut_test").rename(site / "es_ut_test")
    info = site / "es_ut_test-1.0.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: es-ut-test\nVersion: 1.0.0\n")
    (info / "entry_points.txt").write_text("[ge.es.plugins]\nut_test = es_ut_test:get_module\n")
    return folder


def run(folder, code):
    path = os.pathsep.join([str(folder), *filter(None, [os.environ.get("PYTHONPATH")])])
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": path},
        timeout=60,
    )


def test_the_package_is_a_plugin(package):
    done = run(
        package / "site",
        """
        from ge.es import GraphBuilder, list_plugins
        from ge.es.ut_test import phony_1i_1o, phony_1i_2oOutput
        import es_ut_test, ge.es, sys
        from es_ut_test import phony_If, Add
        assert ge.es.ut_test is es_ut_test is es_ut_test.get_module() and "ut_test" in list_plugins()
        assert es_ut_test.phony_1i_1o is phony_1i_1o and phony_1i_1o.__module__ == "es_ut_test"
        builder = GraphBuilder()
        x = builder.create_input(0)
        print(str(builder.build_and_reset([phony_1i_1o(Add(x, 1), index=2)])).strip().splitlines()[-3])
        scope = {}
        exec("from es_ut_test import *", scope)
        assert {"phony_If", "Graph", "DataType"} <= set(scope)
        """,
    )
    line = "  %phony_1i_1o_2 : [#users=1] = Node[type=phony_1i_1o] (inputs = (x=%Add_1), attrs = {index: 2})\n"
    assert (done.returncode, done.stdout, done.stderr) == (0, line, "")


def test_the_project_declares_the_entry_point_and_its_files(package):
    project = (package / "src" / "pyproject.toml").read_text()
    for text in (
        '[project.entry-points."ge.es.plugins"]\nut_test = "es_ut_test:get_module"',
        'name = "es-ut-test"',
        'requires-python = ">=3.9"',
        'es_ut_test = ["*.pyi", "py.typed"]',
    ):
        assert text in project
    found = sorted(p.name for p in (package / "site" / "es_ut_test").iterdir() if p.name != "__pycache__")
    assert found == ["__init__.py", "__init__.pyi", "_prototypes.py", "py.typed"]


def test_two_runs_write_the_same(header, gen):
    path = header(f"REG_OP(GenSame).INPUT(x, {ANY}).OUTPUT(y, {ANY}).OP_END_FACTORY_REG(GenSame)")
    written = []
    for _ in range(2):
        code, out, errors = gen(path)
        assert code == 0 and errors == ""
        written.append({p.relative_to(out): p.read_bytes() for p in out.rglob("*") if p.is_file()})
    assert written[0] == written[1] and len(written[0]) == 5


def test_a_folder_that_cannot_be_written_is_an_error(header, tmp_path, capsys):
    path = header("REG_OP(GenNowhere).OP_END_FACTORY_REG(GenNowhere)")
    assert main(["--proto", str(path), "--name", "custom", "--out", str(path)]) == 1
    assert "[ERROR] --out: " in capsys.readouterr().err
