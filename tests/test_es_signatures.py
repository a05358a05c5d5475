"""Signatures, docstrings and types of operator functions."""

from __future__ import annotations

import inspect
import typing

import ge.es.all
import ge.es.math
import ge.es.nn
import pytest
from ge.es import GraphBuilder, TensorHolder
from ge.es.tensor_like import TensorLike
from ge.graph import DataType, Graph, Tensor

from _ut_operators import ut

TEN = "[10, 10, 10]"

# T: a tensor, U: a tensor or a value, O: the same or None.
SIGNATURES = {
    "phony_1i_1o": ("x: T, *, index: int = 0", "T"),
    "phony_1i_2o": ("x: T", "phony_1i_2oOutput"),
    "phony_1i_1dyo": (f"x: T, dy_num: int, *, index: List[int] = {TEN}", "List[T]"),
    "phony_1i_1dyo1o": (f"x: T, dy_num: int, *, index: List[int] = {TEN}", "phony_1i_1dyo1oOutput"),
    "phony_1i_1o1dyo": ("x: T, dy_num: int", "phony_1i_1o1dyoOutput"),
    "phony_1i_2o1dyo": ("x: T, dy_num: int", "phony_1i_2o1dyoOutput"),
    "phony_1i_2dyo": (f"x: T, dy1_num: int, dy2_num: int, *, index: List[int] = {TEN}", "phony_1i_2dyoOutput"),
    "phony_1i1dyi_1o": (f"x: U, dx: List[U], *, index: List[int] = {TEN}", "T"),
    "phony_1i1dyi_1dyo": ("x: U, dx: List[U], dy_num: int", "List[T]"),
    "phony_1i1opi_1o": ("x: U, dx: O = None, *, flag: bool, dt: DataType = DataType.DT_FLOAT", "T"),
    "phony_1opi1i_1o": ("x: U, dx: O = None, *, flag: bool, dt: DataType = DataType.DT_FLOAT", "T"),
    "phony_3opi_1o": ("x1: O = None, x2: O = None, x3: O = None, owner_builder: Optional[GraphBuilder] = None", "T"),
    "phony_1opi_1o": ("x1: O = None, owner_builder: Optional[GraphBuilder] = None, *, flag: bool", "T"),
    "phony_2opi1i_1o": ("x1: O, x2: O, x3: U", "T"),
    "phony_multi_attr": (
        f"owner_graph_builder: GraphBuilder, *, li: List[int] = {TEN}, f: float = 0.0, s: str = 's', b: bool = True, "
        "lf: List[float] = [0.1, 0.2], lb: List[bool] = [False, True]",
        "T",
    ),
    "phony_opt_attrs": (
        "x: T, *, opt_data_type: DataType = DataType.DT_INT64, "
        "opt_list_data_type: List[DataType] = [DataType.DT_FLOAT, DataType.DT_DOUBLE], "
        "opt_list_list_int: List[List[int]] = [[1, 2, 3], [3, 2, 1]], opt_tensor: Tensor = Tensor(), "
        "opt_list_string: List[str] = ['test', 'test']",
        "T",
    ),
    "phony_req_attrs": (
        "x: T, *, req_data_type: DataType, req_list_data_type: List[DataType], req_list_list_int: List[List[int]], "
        "req_tensor: Tensor, req_list_string: List[str]",
        "T",
    ),
    "phony_If": ("cond: U, input: List[U], output_num: int, then_branch: Graph, else_branch: Graph", "List[T]"),
    "phony_Case": ("branch_index: U, input: List[U], output_num: int, branches: List[Graph]", "List[T]"),
    "phony_PartitionedCall": (
        "args: List[T], output_num: int, f: Graph, *, config: str = '', config_proto: str = '', executor_type: str = ''",
        "List[T]",
    ),
    "While": (
        "input: List[T], output_num: int, cond: Graph, body: Graph, *, parallel_iterations: int = 10", "List[T]"
    ),
    "phony_mix_subgraphs": ("opt_input: O, input: List[U], output_num: int, cond: Graph, branches: List[Graph]", "List[T]"),
    "Const": ("owner_graph_builder: GraphBuilder, *, value: Tensor = Tensor()", "T"),
    "phony_dup_name": (
        "x: U, dx: List[U], ref_x_num: int, ref_dx_num: int, *, index: int = 0, value: Tensor = Tensor(), attr_x: int = 1, "
        "attr_dx: int = 2",
        "phony_dup_nameOutput",
    ),
    "phony_keyword": (
        "in_for: U, case: List[U], out_if_num: int, subgraph_or: Graph, *, attr_not: int = 0", "phony_keywordOutput"
    ),
    "phony_same_name": (f"x: T, *, attr_x: List[int] = {TEN}", "T"),
    "Add": ("x1: U, x2: U", "T"),
}  # fmt: skip


def shown(value):
    if isinstance(value, list):
        return f"[{', '.join(map(shown, value))}]"
    if isinstance(value, DataType):
        return f"DataType.{value.name}"
    return "Tensor()" if isinstance(value, Tensor) else repr(value)


def described(function):
    """A signature in the short form of the table."""
    signature = inspect.signature(function)
    parts = []
    for p in signature.parameters.values():
        if p.kind is p.KEYWORD_ONLY and "*" not in parts:
            parts.append("*")
        parts.append(f"{p.name}: {p.annotation}" + ("" if p.default is p.empty else f" = {shown(p.default)}"))
    text = ", ".join(parts)
    for long, short in (
        ("Optional[Union[TensorHolder, TensorLike]]", "O"),
        ("Union[TensorHolder, TensorLike]", "U"),
        ("TensorHolder", "T"),
    ):
        text = text.replace(long, short)
    return text, signature.return_annotation.replace("TensorHolder", "T")


@pytest.mark.parametrize("operator", list(SIGNATURES))
def test_signatures(operator):
    assert described(getattr(ut, operator)) == SIGNATURES[operator]


def test_the_library_offers_these_operators_and_no_others():
    exported = {"DataType", "Graph", "GraphBuilder", "Tensor", "TensorHolder", "TensorLike"}
    others = {"phony_1i1dyi_2o2dyo1o", "phony_1i1dyi_3dyo"}
    assert set(dir(ut)) - exported == set(SIGNATURES) | others
    for name in ("Variable", "Switch", "Merge", "LoopCond", "phony_invalid_attr_value", "NotAnOperator", "Relu"):
        with pytest.raises(AttributeError):
            getattr(ut, name)


@pytest.mark.parametrize(
    "operator, outputs",
    [
        ("phony_1i_2o", ["y1", "y2"]),
        ("phony_1i_1dyo1o", ["dy", "y"]),
        ("phony_keyword", ["out_break", "out_if"]),
        ("phony_dup_name", ["ref_x", "ref_dx"]),
    ],
)
def test_names_of_outputs(operator, outputs):
    getattr(ut, operator)
    assert list(inspect.signature(getattr(ut, f"{operator}Output")).parameters) == outputs


def test_names_that_cpp_keeps_are_changed_in_operators_with_dynamic_outputs():
    from ge.es._signature import Signature

    def names(*outputs):
        facts = {"type": "T", "inputs": [], "attrs": [], "subgraphs": [], "outputs": outputs}
        return [o.attribute for o in Signature(facts).outputs]

    assert names(("case", "required", []), ("new", "dynamic", [])) == ["out_case", "out_new"]
    assert names(("case", "required", []), ("in", "required", [])) == ["case", "out_in"]


def test_annotations_can_be_evaluated():
    hints = typing.get_type_hints(ut.phony_1i1dyi_1o)
    assert hints["return"] is TensorHolder and hints["index"] == typing.List[int]
    assert hints["dx"] == typing.List[typing.Union[TensorHolder, TensorLike]]
    assert typing.get_type_hints(ut.phony_If)["then_branch"] is Graph
    assert typing.get_type_hints(ut.phony_1i_2o)["return"] is ut.phony_1i_2oOutput
    assert typing.get_type_hints(ut.phony_multi_attr)["owner_graph_builder"] is GraphBuilder


@pytest.mark.parametrize("operator", sorted(n for n in dir(ge.es.all) if n not in ut.__dir__() or n == "Add"))
def test_every_operator_has_a_function(operator):
    function = getattr(ge.es.all, operator)
    assert function.__name__ == function.__qualname__ == operator and function.__module__ == "ge.es.all"
    parameters = inspect.signature(function).parameters
    doc = inspect.getdoc(function)
    assert doc.startswith(f"Makes a node of type {operator}.\n")
    for name in parameters:
        assert f"\n    {name}: " in doc
    assert inspect.signature(function).return_annotation
    assert typing.get_type_hints(function)
    assert getattr(ge.es.all, operator) is function


def test_docstrings_say_what_is_accepted():
    doc = inspect.getdoc(ut.phony_1i1opi_1o)
    assert "dx: optional input; DT_FLOAT, DT_FLOAT16, " in " ".join(doc.split())
    assert "flag: attribute, bool, required." in doc and "dt: attribute, DataType, default DataType.DT_FLOAT." in doc
    assert "y: tensor; DT_FLOAT, " in " ".join(doc.split())
    assert "branch_index: required input; DT_INT32." in inspect.getdoc(ut.phony_Case)
    assert "output_num: number of tensors in output output." in inspect.getdoc(ut.phony_If)
    assert max(map(len, inspect.getdoc(ge.es.math.Add).splitlines())) <= 100


def test_groups():
    assert ge.es.math.Add is not ge.es.all.Add and ge.es.nn.Relu.__module__ == "ge.es.nn"
    for group in (ge.es.math, ge.es.nn):
        assert set(dir(group)) < set(dir(ge.es.all))
    # The one operator that passes written for GE import from a group that does not declare it.
    assert "MatMul" in dir(ge.es.math)
    assert "Data" not in dir(ge.es.all) and "Variable" not in dir(ge.es.all) and "NetOutput" not in dir(ge.es.all)


@pytest.mark.parametrize(
    "call",
    [
        lambda es, b, x: es.ConcatV2([x, x, x], 0, N=3),
        lambda es, b, x: es.Split(1, x, 4, num_split=4)[3],
        lambda es, b, x: es.MatMul(x, x, None, transpose_x1=True, transpose_x2=False),
        lambda es, b, x: es.BatchNorm(x, x, x, x, x, epsilon=1e-4).y,
        lambda es, b, x: es.TopKV2(x, 2).indices,
        lambda es, b, x: es.Reshape(x, [-1, 7168]),
        lambda es, b, x: es.Cast(x, dst_type=DataType.DT_FLOAT),
    ],
)
def test_usual_calls(call):
    builder = GraphBuilder()
    x = builder.create_input(0)
    assert isinstance(call(ge.es.all, builder, x), TensorHolder)


def test_star_import_brings_operators_and_the_types_they_speak_of():
    scope = {}
    exec("from ge.es.nn import *", scope)
    assert {"Relu", "Graph", "Tensor", "DataType", "GraphBuilder", "TensorHolder"} <= set(scope)
    assert scope["Relu"] is ge.es.nn.Relu and scope["GraphBuilder"] is GraphBuilder
