"""Whole graphs out of ge.es, compared as dumps; operators with every kind of input, output, attribute and subgraph."""

from __future__ import annotations

import math
import textwrap

import pytest
from ge.es import GraphBuilder
from ge.es.all import Const as AnyConst
from ge.graph import DataType, Format, Graph, Tensor

from _graphs import only
from _ut_operators import ut


@pytest.fixture
def builder():
    return GraphBuilder()


@pytest.fixture
def x(builder):
    return builder.create_input(0, name="x")


def node(holder):
    return holder._get_node_snapshot()


def fed_by(n):
    return [(p.name, port) for p, port in (n.get_in_data_nodes_and_port_indexes(i) for i in range(n.get_inputs_size()))]


def text(dump):
    return textwrap.dedent(dump).strip()


def branch(name, inputs=2, outputs=1):
    """A graph that gives its inputs back."""
    builder = GraphBuilder(name)
    made = builder.create_inputs(inputs)
    return builder.build_and_reset(made[:outputs])


# ---- one graph ---------------------------------------------------------------------------------------------------------


def test_nodes_and_edges():
    builder = GraphBuilder("two_operators")
    data = builder.create_input(0)
    phony = ut.phony_1i_1o(data, index=1)
    graph = builder.build_and_reset([ut.Add(phony, data)])
    assert graph.name == "two_operators"
    assert sorted(n.type for n in graph.get_all_nodes()) == ["Add", "Data", "NetOutput", "phony_1i_1o"]
    assert fed_by(only(graph, "phony_1i_1o")) == [(data.name, 0)]
    assert fed_by(only(graph, "Add")) == [(phony.name, 0), (data.name, 0)]
    assert fed_by(only(graph, "NetOutput")) == [(only(graph, "Add").name, 0)]


INTEGERS = ["INT64", "INT32", "INT16", "INT8", "UINT64", "UINT32", "UINT16", "UINT8"]


def test_the_dump_of_constants_of_every_type():
    builder = GraphBuilder()
    total = builder.create_input(0, name="input")
    builder.set_graph_attr_int64("not_shown", 1)
    kinds = [*INTEGERS, "FLOAT", "FLOAT16"]
    constants = [
        ut.Const(builder, value=Tensor([1, 2, 3, 4, 5], None, DataType[f"DT_{kind}"], shape=[5])) for kind in kinds
    ]
    for constant in [*constants, constants[0]]:
        total = ut.Add(total, constant)
    total = total + builder.create_const_int64(0)
    total = total + builder.create_scalar_int64(0)
    lines = ["  %input : [#users=1] = Node[type=Data] (attrs = {index: 0})"]
    for number, kind in enumerate(kinds):
        shown = "[1 2 3 4 5]" if kind in INTEGERS else "[1.000000 2.000000 3.000000 4.000000 5.000000]"
        lines.append(f"  %Const_{number} : [#users=1] = Node[type=Const] (attrs = {{value: {shown}}})")
    before = "input"
    for number, operand in enumerate([*range(10), 0], start=10):
        lines.append(
            f"  %Add_{number} : [#users=1] = Node[type=Add] (inputs = (x1=%{before}, x2=%Const_{operand}))"
        )
        before = f"Add_{number}"
    for number in (21, 23):
        lines.append(f"  %Const_{number} : [#users=1] = Node[type=Const] (attrs = {{value: [0]}})")
        lines.append(
            f"  %Add_{number + 1} : [#users=1] = Node[type=Add] (inputs = (x1=%{before}, x2=%Const_{number}))"
        )
        before = f"Add_{number + 1}"
    graph = builder.build_and_reset([total])
    assert str(graph).strip() == "\n".join(['graph("graph"):', *lines, "", f"  return (%{before})"])


@pytest.mark.parametrize(
    "value, stored",
    [
        (1.0, 1.0), (0.0, 0.0), (-1.0, -1.0), (70000.0, math.inf), (-70000.0, -math.inf), (1e-9, 0.0),
        (2.0**-24, 2.0**-24), (2.0**-15, 2.0**-15), (1.0 + 2.0**-11, 1.0), (1.0 + 3 * 2.0**-11, 1.0 + 2.0**-9),
        (65519.0, 65504.0), (65520.0, math.inf), (2.0**-14 - 2.0**-26, 2.0**-14), (math.inf, math.inf),
        (-math.inf, -math.inf), (math.nan, math.nan),
    ],
)  # fmt: skip
def test_half_precision_constants(builder, value, stored):
    const = ut.Const(builder, value=Tensor([value], None, DataType.DT_FLOAT16, shape=[1]))
    (found,) = node(const).get_attr("value").get_data()
    assert found == stored or (math.isnan(found) and math.isnan(stored))
    assert "Node[type=Const]" in str(builder.build_and_reset([const]))


def test_a_graph_with_unused_parts():
    builder = GraphBuilder("kept")
    made = builder.create_inputs(3)
    builder.create_const_float(1.0), builder.create_scalar_int32(2), builder.create_vector_int64([3])
    graph = builder.build_and_reset(made)
    assert graph.name == "kept" and len(graph.get_all_nodes()) == 7
    assert all(isinstance(n.name, str) and n.name and isinstance(n.type, str) for n in graph.get_all_nodes())
    assert fed_by(only(graph, "NetOutput")) == [(h.name, 0) for h in made]
    assert graph._handle is not None and all(h._handle is not None for h in made)


def test_attributes_of_a_built_graph(builder, x):
    graph = builder.build_and_reset([x])
    for name, value in {"b": True, "i": -3, "s": "t", "ints": [1, 2], "bools": [True, False], "texts": ["a"]}.items():
        graph.set_attr(name, value)
        assert graph.get_attr(name) == value
    assert graph.get_attr("b") is True
    graph.set_attr("floats", [0.5, 0.1, 3.0])
    assert len(graph.get_attr("floats")) == 3
    with pytest.raises(TypeError):
        graph.set_attr(123, "v")
    with pytest.raises(TypeError):
        graph.get_attr(123)


def test_inputs_may_be_described_later(builder):
    kinds = [DataType.DT_FLOAT, DataType.DT_INT32, DataType.DT_INT64, DataType.DT_BOOL, DataType.DT_STRING]
    made = [builder.create_input(i, data_type=kind, shape=[i + 1]) for i, kind in enumerate(kinds)]
    for holder, kind in zip(made, reversed(kinds)):
        holder.set_data_type(kind).set_format(Format.FORMAT_NHWC).set_shape([1, 2])
    found = [n.get_output_desc(0) for n in builder.build_and_reset(made).get_direct_nodes()[:-1]]
    assert [d.data_type for d in found] == kinds[::-1]
    assert {(d.format, tuple(d.shape)) for d in found} == {(Format.FORMAT_NHWC, (1, 2))}


# ---- inputs ------------------------------------------------------------------------------------------------------------


def test_values_beside_tensors(builder, x):
    first = ut.phony_1i1dyi_1o(x, [1, 2])
    results = ut.phony_If(first, [0, 2], 1, branch("then_graph"), branch("else_graph"))
    graph = builder.build_and_reset([results[0] + [1, 2, 3, 4, 5]])
    assert sorted({n.type for n in graph.get_direct_nodes()}) == [
        "Add", "Const", "Data", "NetOutput", "phony_1i1dyi_1o", "phony_If",
    ]  # fmt: skip
    # Constants come in the order of the inputs they feed, before the operator.
    assert fed_by(only(graph, "phony_1i1dyi_1o")) == [("x", 0), ("Const_0", 0), ("Const_1", 0)]


def test_optional_inputs_may_be_left_out(builder, x):
    y, z = builder.create_inputs(2, 1)
    made = [
        ut.phony_3opi_1o(x, y, z, builder),
        ut.phony_3opi_1o(x),
        ut.phony_3opi_1o(None, y),
        ut.phony_3opi_1o(owner_builder=builder),
        ut.phony_1opi_1o(1, owner_builder=builder, flag=False),
        ut.phony_2opi1i_1o(None, None, x),
    ]
    assert [node(h).get_inputs_size() for h in made] == [3, 1, 1, 0, 1, 1]
    assert "inputs = (x3=%x)" in str(builder.build_and_reset(made))


def test_without_a_tensor_the_builder_is_needed():
    expected = "Please ensure at least one input tensor or an explicit owner_builder is provided when supported"
    for call in (ut.phony_3opi_1o, lambda: ut.phony_3opi_1o(1), lambda: ut.Add(1, 2.0), lambda: ut.phony_1opi_1o(flag=True)):
        with pytest.raises(ValueError, match=expected):
            call()


def test_the_builder_is_a_builder(builder):
    for wrong in ("x", 1, Graph("g")):
        with pytest.raises(TypeError, match="must be a GraphBuilder"):
            ut.phony_multi_attr(wrong)
    with pytest.raises(ValueError):
        ut.phony_multi_attr(None)


def test_the_first_tensor_decides_the_builder(x):
    other = GraphBuilder("other")
    y = other.create_input(0)
    with pytest.raises(ValueError, match="tensors from different GraphBuilders"):
        ut.Add(x, y)
    with pytest.raises(ValueError, match="tensors from different GraphBuilders"):
        ut.phony_1i1dyi_1o(1, [y, x])
    assert ut.phony_1i1dyi_1o(1, [y, 2]).get_owner_builder() is other
    # A tensor comes before a builder that is given.
    assert ut.phony_3opi_1o(x, owner_builder=other).get_owner_builder() is x.get_owner_builder()


def test_an_operator_of_one_input_takes_a_tensor_only(x):
    for wrong in (1, [1.0], None, "x"):
        with pytest.raises(AttributeError, match="takes a TensorHolder"):
            ut.phony_1i_1o(wrong)
    with pytest.raises(IndexError):
        ut.phony_PartitionedCall([], 1, branch("f"))
    with pytest.raises(AttributeError):
        ut.phony_PartitionedCall([x, 1], 1, branch("f"))
    with pytest.raises(TypeError, match="must be a list"):
        ut.phony_PartitionedCall(x, 1, branch("f"))


@pytest.mark.parametrize("call", [lambda x: ut.Add(x, None), lambda x: ut.Add(None, x), lambda x: ut.phony_1i1dyi_1o(x, [None])])
def test_a_required_input_is_not_none(x, call):
    with pytest.raises(AttributeError, match="found 'None'"):
        call(x)


def test_a_call_that_fails_leaves_no_operator(builder, x):
    for call in (
        lambda: ut.phony_1i_1o(x, index="1"),
        lambda: ut.phony_1i_1dyo(x, -1),
        lambda: ut.phony_1i_1dyo(x, "1"),
        lambda: ut.phony_If(x, [], 1, branch("a", 0, 0), branch("b", 0, 0)),
    ):
        with pytest.raises((TypeError, ValueError)):
            call()
    assert [n.type for n in builder.build_and_reset().get_direct_nodes()] == ["Data", "NetOutput"]


def test_nothing_is_made_once_the_graph_is_built(builder, x):
    builder.build_and_reset([x])
    for call in (lambda: ut.phony_1i_1o(x), lambda: ut.phony_1i_1dyo(x, 2), lambda: ut.Const(builder)):
        with pytest.raises(ValueError, match="GraphBuilder has already been built"):
            call()


# ---- outputs -----------------------------------------------------------------------------------------------------------


def test_results(builder, x):
    pair = ut.phony_1i_2o(x)
    assert [pair.y1.name, pair.y2.name] == [node(pair.y1).name] * 2
    assert type(pair) is ut.phony_1i_2oOutput and type(pair).__module__ == "ut_test"
    assert isinstance(ut.phony_1i_1dyo(x, 0), list) and len(ut.phony_1i_1dyo(x, 3)) == 3
    mixed = ut.phony_1i1dyi_2o2dyo1o(x, [x], 1, 0, 2)
    counts = {name: len(v) if isinstance(v, list) else None for name, v in vars(mixed).items()}
    assert counts == {"y1": None, "y2": None, "dy1": 1, "dy2": 0, "y3": None, "dy3": 2}
    graph = builder.build_and_reset([mixed.y1, mixed.dy1[0], mixed.y3, mixed.dy3[1]])
    assert [port for _, port in fed_by(only(graph, "NetOutput"))] == [0, 2, 3, 5]
    assert type(pair)(1, y2=2).y2 == 2
    with pytest.raises(TypeError):
        iter(pair)


def test_an_operator_without_outputs_stands_alone(builder, x):
    same = ut.phony_same_name(x, attr_x=[1])
    assert node(same).type == "phony_same_name" and node(same).get_outputs_size() == 0
    for connect in (lambda: ut.phony_1i_1o(same), lambda: builder.set_graph_output(same, 0), lambda: same + x):
        with pytest.raises((ValueError, RuntimeError)):
            connect()


# ---- attributes --------------------------------------------------------------------------------------------------------


def test_required_attributes_of_every_kind(builder, x):
    made = ut.phony_req_attrs(
        x,
        req_list_string=["test"],
        req_tensor=Tensor(),
        req_list_list_int=[[0, 1], [2, 3]],
        req_list_data_type=[DataType.DT_FLOAT, DataType.DT_INT32, DataType.DT_INT64],
        req_data_type=DataType.DT_INT64,
    )
    assert (
        "attrs = {req_data_type: DT_INT64, req_list_data_type: {DT_FLOAT, DT_INT32, DT_INT64}, "
        'req_list_list_int: {{0, 1}, {2, 3}}, req_tensor: <empty>, req_list_string: {"test"}})'
    ) in str(builder.build_and_reset([made]))


def test_defaults_are_not_written(builder, x):
    plain, other = ut.phony_opt_attrs(x), ut.phony_opt_attrs(x, opt_data_type=DataType.DT_INT8, opt_list_string=["a"])
    names = ["opt_data_type", "opt_list_data_type", "opt_list_list_int", "opt_list_string"]
    assert [node(plain).has_attr(n) for n in names] == [False] * 4
    assert [node(other).has_attr(n) for n in names] == [True, False, False, True]
    assert node(plain).has_attr("opt_tensor") and node(other).has_attr("opt_tensor")
    multi = ut.phony_multi_attr(builder, f=0.0, lf=[0.1, 0.2], li=[10, 10, 10], lb=[False, False])
    assert [node(multi).has_attr(n) for n in ("f", "lf", "li", "lb")] == [False, False, False, True]


@pytest.mark.parametrize(
    "attribute",
    [
        {"li": 1}, {"li": [1.5]}, {"f": "x"}, {"s": 1}, {"b": "x"}, {"lf": ["x"]}, {"lb": True}, {"li": None},
    ],
    ids=str,
)  # fmt: skip
def test_attributes_are_checked(builder, attribute):
    with pytest.raises(TypeError, match=f"attribute '{next(iter(attribute))}' of operator 'phony_multi_attr'"):
        ut.phony_multi_attr(builder, **attribute)


def test_data_types_are_members(x):
    for wrong in (0, "DT_FLOAT", None):
        with pytest.raises(TypeError, match="must be a ge.graph.DataType"):
            ut.phony_1i1opi_1o(x, flag=True, dt=wrong)


def test_attributes_are_keywords(x):
    with pytest.raises(TypeError):
        ut.phony_1i_1o(x, 1)
    with pytest.raises(TypeError):
        ut.phony_1i1opi_1o(x)


def test_the_default_tensor_may_be_used_any_number_of_times(builder):
    for _ in range(3):
        assert node(ut.Const(builder)).get_attr("value").get_shape() == []
        assert node(AnyConst(builder)).type == "Const"
    assert node(ut.phony_opt_attrs(ut.Const(GraphBuilder("other")))).has_attr("opt_tensor")


def test_a_tensor_feeds_one_attribute(builder):
    value = Tensor([1, 2], None, DataType.DT_INT32, shape=[2])
    assert value._owns_handle is True and value._owner is None
    ut.Const(builder, value=value)
    assert value._owns_handle is False and value._owner is builder and value.get_data() == [1, 2]
    with pytest.raises(RuntimeError) as caught:
        ut.Const(GraphBuilder("other"), value=value)
    assert "Tensor already has an new owner builder :graph, cannot transfer ownership again" in str(caught.value)


def test_a_tensor_is_free_after_a_call_that_failed(builder, x):
    value = Tensor([1], None, DataType.DT_INT32)
    with pytest.raises(TypeError):
        ut.phony_req_attrs(x, req_data_type=DataType.DT_INT8, req_list_data_type=[], req_list_list_int=[], req_tensor=value,
                           req_list_string=[1])  # fmt: skip
    assert value._owner is None
    ut.Const(builder, value=value)


def test_a_constant_describes_its_output(builder):
    const = ut.Const(builder, value=Tensor([1, 2], None, DataType.DT_INT8, shape=[2]))
    desc = node(const).get_output_desc(0)
    assert (desc.data_type, desc.shape) == (DataType.DT_INT8, [2])


# ---- subgraphs ---------------------------------------------------------------------------------------------------------


def loop(name, prefix):
    """A graph of one input whose result a While computes."""
    inside = GraphBuilder(f"{prefix}_cond")
    inside.create_input(0)
    cond = inside.build_and_reset([inside.create_const_int64([1])])
    inside = GraphBuilder(f"{prefix}_body")
    a, b = inside.create_inputs(2)
    body = inside.build_and_reset([a, b])
    builder = GraphBuilder(name)
    a = builder.create_input(0)
    builder.create_input(1)
    results = ut.While([a, builder.create_const_int64([2])], 2, cond, body)
    return builder.build_and_reset(results)


@pytest.fixture
def nested():
    builder = GraphBuilder("root")
    x, y = builder.create_inputs(2)
    results = ut.phony_If(x, [x, y], 2, loop("then_branch", "while_01"), loop("else_branch", "while_02"))
    return builder.build_and_reset([results[0]])


def test_subgraphs_of_every_depth_belong_to_the_root(nested):
    names = [
        "then_branch", "while_01_cond", "while_01_body", "else_branch", "while_02_cond", "while_02_body",
    ]  # fmt: skip
    assert sorted(g.name for g in nested.get_all_subgraphs()) == sorted(names)
    assert [nested.get_subgraph(n).name for n in names] == names
    for number in ("01", "02"):
        parent = nested.get_subgraph("then_branch" if number == "01" else "else_branch")
        assert parent.get_subgraph(f"while_{number}_body").name == f"while_{number}_body"
        assert parent.get_subgraph(f"while_{number}_cond").name == f"while_{number}_cond"


def test_the_dump_of_nested_subgraphs(nested):
    def branch_text(name, prefix):
        return f"""
            graph("{name}"):
              %input_0 : [#users=1] = Node[type=Data] (attrs = {{index: 0}})
              %input_1 : [#users=1] = Node[type=Data] (attrs = {{index: 1}})
              %Const_0 : [#users=1] = Node[type=Const] (attrs = {{value: [2]}})
              %While_1 : [#users=2] = Node[type=While] (inputs = (input_0=%input_0, input_1=%Const_0), attrs = {{cond: %{prefix}_cond, body: %{prefix}_body}})
              %ret : [#users=1] = get_element[node=%While_1](0)
              %ret_1 : [#users=1] = get_element[node=%While_1](1)

              return (output_0=%ret, output_1=%ret_1)

            graph("{prefix}_cond"):
              %input_0 : [#users=1] = Node[type=Data] (attrs = {{index: 0}})
              %Const_0 : [#users=1] = Node[type=Const] (attrs = {{value: [1]}})

              return (%Const_0)

            graph("{prefix}_body"):
              %input_0 : [#users=1] = Node[type=Data] (attrs = {{index: 0}})
              %input_1 : [#users=1] = Node[type=Data] (attrs = {{index: 1}})

              return (output_0=%input_0, output_1=%input_1)
        """  # noqa: E501

    root = """
        graph("root"):
          %input_0 : [#users=1] = Node[type=Data] (attrs = {index: 0})
          %input_1 : [#users=1] = Node[type=Data] (attrs = {index: 1})
          %phony_If_0 : [#users=2] = Node[type=phony_If] (inputs = (cond=%input_0, input_0=%input_0, input_1=%input_1), attrs = {then_branch: %then_branch, else_branch: %else_branch})
          %ret : [#users=1] = get_element[node=%phony_If_0](0)
          %ret_1 : [#users=0] = get_element[node=%phony_If_0](1)

          return (%ret)
    """  # noqa: E501
    parts = [root, branch_text("then_branch", "while_01"), branch_text("else_branch", "while_02")]
    assert str(nested).strip() == "\n\n".join(map(text, parts))


def test_dynamic_subgraphs_are_numbered(builder, x):
    results = ut.phony_Case(x, [x], 1, [branch("one", 1), branch("two", 1), branch("three", 1)])
    graph = builder.build_and_reset(results)
    assert "branches0: %one, branches1: %two, branches2: %three" in str(graph)
    mixed = GraphBuilder("mixed")
    a = mixed.create_input(0)
    ut.phony_mix_subgraphs(None, [a], 1, branch("c", 1), [branch("d", 1)])
    assert "inputs = (input_0=%input_0), attrs = {cond: %c, branches0: %d}" in str(mixed.build_and_reset())


def test_a_graph_is_a_subgraph_once(builder, x):
    used = branch("used", 1)
    ut.phony_PartitionedCall([x], 1, used)
    assert used._owns_handle is False and used._owner is builder and used.name == "used"
    for call in (lambda: ut.phony_PartitionedCall([x], 1, used), lambda: ut.phony_If(x, [x], 1, branch("free", 1), used)):
        with pytest.raises(RuntimeError) as caught:
            call()
        assert "Graph :used already has an new owner builder :graph, cannot transfer ownership again" in str(caught.value)


def test_a_graph_is_one_subgraph_of_an_operator(builder, x):
    twice = branch("twice", 1)
    with pytest.raises(RuntimeError, match="Graph :twice already has an new owner builder :graph"):
        ut.phony_If(x, [x], 1, twice, twice)
    assert twice._owner is None
    ut.phony_If(x, [x], 1, twice, branch("other", 1))


@pytest.mark.parametrize(
    "make, expected",
    [
        (lambda: branch("b", 2), "input 'input_1' of subgraph 'b' must have an index of its own below 1, found 1"),
        (lambda: branch("b", 1, 0), "subgraph 'b' of operator 'phony_If' must have 1 outputs, found 0"),
        (lambda: Graph("b"), "must have one NetOutput, found 0"),
    ],
)
def test_subgraphs_are_checked_before_they_are_taken(builder, x, make, expected):
    good, bad = branch("good", 1), make()
    with pytest.raises(ValueError) as caught:
        ut.phony_If(x, [x], 1, good, bad)
    assert expected in str(caught.value)
    assert (good._owner, bad._owner) == (None, None)
    ut.phony_If(x, [x], 1, good, branch("instead", 1))
    assert len(builder.build_and_reset().get_all_subgraphs()) == 2


def test_only_the_condition_of_a_loop_may_have_another_number_of_outputs(builder, x):
    ut.While([x, x], 2, branch("cond", 2, 1), branch("body", 2, 2))
    with pytest.raises(ValueError, match="must have 2 outputs, found 1"):
        ut.While([x, x], 2, branch("cond2", 2, 1), branch("body2", 2, 1))
    with pytest.raises(ValueError, match="must have 2 outputs, found 1"):
        ut.phony_mix_subgraphs(None, [x], 2, branch("c", 1), [])


@pytest.mark.parametrize("wrong", [None, "g", [], 1], ids=str)
def test_a_subgraph_is_a_graph(x, wrong):
    with pytest.raises(TypeError, match="subgraph 'f' of operator 'phony_PartitionedCall' must be a ge.graph.Graph"):
        ut.phony_PartitionedCall([x], 1, wrong)
    with pytest.raises(TypeError):
        ut.phony_Case(x, [x], 1, wrong if wrong != [] else (wrong,))


def test_names_of_subgraphs_are_different(builder, x):
    ut.phony_PartitionedCall([x], 1, branch("same", 1))
    again = branch("same", 1)
    with pytest.raises(RuntimeError, match="a graph named 'same' is already there"):
        ut.phony_PartitionedCall([x], 1, again)
    assert again._owner is None and len(builder.build_and_reset().get_all_subgraphs()) == 1
