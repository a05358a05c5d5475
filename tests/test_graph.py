"""ge.graph.Graph: its nodes, edges and subgraphs."""

from __future__ import annotations

import copy
import ctypes
import gc
import weakref

import pytest
from ge.es import GraphBuilder
from ge.es.all import Abs, Add, If, Relu
from ge.graph import Graph, Tensor

from _graphs import build, conditional, kinds, only


def test_graphs_and_tensors_may_be_weakly_referenced():
    for make in (lambda: build(lambda x: Relu(x)), lambda: Tensor([1.0])):
        thing, seen = make(), []
        reference = weakref.ref(thing, seen.append)
        assert reference() is thing
        del thing
        gc.collect()
        assert reference() is None and seen == [reference]


@pytest.mark.smoke
def test_a_new_graph_is_empty():
    graph = Graph("mine")
    assert graph.name == "mine" and Graph().name == "graph" and isinstance(graph.name, str)
    assert graph.get_all_nodes() == [] == graph.get_direct_nodes() and graph.get_all_subgraphs() == []
    assert graph._handle is not None and graph._owns_handle is True and graph._owner is None
    for wrong in (123, None):
        with pytest.raises(TypeError, match="Graph name must be a string"):
            Graph(wrong)
    with pytest.raises(AttributeError):
        graph.name = "other"


def test_what_a_builder_gives_is_owned_by_its_caller():
    graph = GraphBuilder().build_and_reset()
    assert type(graph) is Graph and graph.name == "graph" and graph._owner is None and graph._owns_handle is True
    assert graph._handle is not None


def test_a_graph_is_not_copied():
    for copier, word in ((copy.copy, "copy"), (copy.deepcopy, "deepcopy")):
        with pytest.raises(RuntimeError, match=f"Graph does not support {word}"):
            copier(Graph())


# ---- nodes and edges -------------------------------------------------------------------------------------------------------


@pytest.fixture
def three():
    """An input and two constants, all of them outputs."""
    builder = GraphBuilder("three")
    parts = [builder.create_input(0, name="test_input"), builder.create_const_float(1.0), builder.create_const_int64(2)]
    return builder.build_and_reset(parts)


def test_nodes_come_in_the_order_in_which_they_were_made(three):
    assert [n.name for n in three.get_all_nodes()] == ["test_input", "Const_0", "Const_1", "NetOutput_three"]


@pytest.mark.smoke
def test_nodes_are_found_by_name(three):
    assert three.find_node_by_name("Const_0").type == "Const"
    with pytest.raises(RuntimeError, match="Failed to find Node name invalid"):
        three.find_node_by_name("invalid")
    with pytest.raises(TypeError, match="name must be a string"):
        three.find_node_by_name(122)
    # Only among the graph's own nodes.
    with pytest.raises(RuntimeError):
        conditional().find_node_by_name("Relu_0")


def test_removing_a_node_takes_its_edges_along():
    graph = build(lambda x: [Add(Relu(x), Abs(x))])
    count = len(graph.get_all_nodes())
    add = only(graph, "Add")
    graph.remove_node(only(graph, "Relu"))
    assert len(graph.get_all_nodes()) == count - 1 and add.get_inputs_size() == 1
    with pytest.raises(RuntimeError, match="not connected"):
        add.get_in_data_nodes_and_port_indexes(0)
    graph.remove_node(graph.get_all_nodes()[-1])
    assert len(graph.get_all_nodes()) == count - 2
    with pytest.raises(TypeError, match="node must be a Node"):
        graph.remove_node("Abs_1")


def test_a_node_of_another_graph_is_refused():
    one, other, outer = build(lambda x: Relu(x)), build(lambda x: Relu(x)), conditional()
    with pytest.raises(RuntimeError):
        one.remove_node(only(other, "Relu"))
    with pytest.raises(RuntimeError):
        outer.remove_node(only(outer.get_subgraph("then_graph"), "Relu"))
    with pytest.raises(RuntimeError):
        one.add_control_edge(only(one, "Relu"), only(other, "Relu"))
    with pytest.raises(RuntimeError):
        one.add_data_edge(only(one, "Data"), 0, only(other, "Relu"), 0)
    with pytest.raises(RuntimeError):
        one.remove_edge(only(other, "Data"), 0, only(other, "Relu"), 0)
    assert len(other.get_all_nodes()) == 3


@pytest.mark.smoke
def test_data_edges_are_removed_and_added():
    graph = build(lambda x, y: [Add(Relu(x), y), Abs(y)], 2)
    add, relu, absolute = only(graph, "Add"), only(graph, "Relu"), only(graph, "Abs")
    taken = "Failed to add DataEdge from Node Abs_2, Port Index 0 to Node Add_1, Port Index 0"
    with pytest.raises(RuntimeError, match=taken):
        graph.add_data_edge(absolute, 0, add, 0)
    graph.remove_edge(relu, 0, add, 0)
    graph.add_data_edge(absolute, 0, add, 0)
    assert add.get_in_data_nodes_and_port_indexes(0)[0].type == "Abs"
    for wrong in ((relu, 0, add, 0), (relu, 1, add, 0), (absolute, 0, add, 5), (absolute, -1, add, 0), (relu, 0, add, -1)):
        with pytest.raises(RuntimeError):
            graph.remove_edge(*wrong)
    for wrong in ((absolute, 1, add, 0), (absolute, 0, add, 2), (absolute, -1, add, 0), (absolute, 2**40, add, 0)):
        with pytest.raises(RuntimeError, match="Failed to add DataEdge from Node"):
            graph.add_data_edge(*wrong)


def test_an_edge_into_a_constant_is_refused(three):
    source, const = three.get_all_nodes()[:2]
    with pytest.raises(
        RuntimeError, match="Failed to add DataEdge from Node test_input, Port Index 0 to Node Const_0, Port Index 0"
    ):
        three.add_data_edge(source, 0, const, 0)


def test_control_edges(three):
    first, last = three.get_all_nodes()[0], three.get_all_nodes()[-1]
    three.add_control_edge(first, last)
    assert [n.name for n in last.get_in_control_nodes()] == [first.name]
    three.remove_edge(first, -1, last, -1)
    assert last.get_in_control_nodes() == [] == first.get_out_control_nodes()
    with pytest.raises(RuntimeError):
        three.remove_edge(first, -1, last, -1)


@pytest.mark.parametrize(
    "replace, text",
    [
        ({0: 1}, "src_node must be a Node"),
        ({0: None, 1: "0", 2: "x", 3: "0"}, "src_node must be a Node"),
        ({1: "0", 2: 1, 3: "0"}, "src_port_index must be an integer"),
        ({2: 1, 3: "0"}, "dst_node must be a Node"),
        ({3: "0"}, "dst_port_index must be an integer"),
    ],
)
def test_edges_check_their_arguments_in_order(three, replace, text):
    node = three.get_all_nodes()[0]
    arguments = [replace.get(i, value) for i, value in enumerate((node, 0, node, 0))]
    for call in (three.add_data_edge, three.remove_edge):
        with pytest.raises(TypeError, match=text):
            call(*arguments)


def test_control_edges_check_their_arguments(three):
    node = three.get_all_nodes()[0]
    with pytest.raises(TypeError, match="src_node must be a Node"):
        three.add_control_edge(1, node)
    with pytest.raises(TypeError, match="dst_node must be a Node"):
        three.add_control_edge(node, 1)


# ---- subgraphs ---------------------------------------------------------------------------------------------------------------


@pytest.mark.smoke
def test_subgraphs_of_an_operator():
    graph = conditional()
    assert [g.name for g in graph.get_all_subgraphs()] == ["then_graph", "else_graph"]
    for name in ("then_graph", "else_graph"):
        sub = graph.get_subgraph(name)
        assert sub.name == name and kinds(sub) == ["Relu"]
        # A subgraph answers for the tree it hangs in.
        assert sub.get_subgraph("then_graph").name == "then_graph" and sub.get_all_subgraphs() == []
    assert graph.get_subgraph("nonexistent") is None
    assert [n.type for n in graph.get_all_nodes()] == ["Data", "If", "Data", "Relu", "NetOutput", "Data", "Relu", "NetOutput", "NetOutput"]
    assert [n.type for n in graph.get_direct_nodes()] == ["Data", "If", "NetOutput"]


def test_handles_onto_one_subgraph_see_the_same():
    graph = conditional()
    graph.get_subgraph("then_graph").set_attr("key", 1)
    assert graph.get_all_subgraphs()[0].get_attr("key") == 1


def test_a_subgraph_is_added_to_another_graph_and_shared():
    source, target = conditional(), Graph("test_graph")
    for count, name in enumerate(("then_graph", "else_graph"), 1):
        target.add_subgraph(source.get_subgraph(name))
        assert len(target.get_all_subgraphs()) == count
    assert [g.name for g in target.get_all_subgraphs()] == ["then_graph", "else_graph"]
    target.get_subgraph("then_graph").set_attr("key", "seen from both sides")
    assert source.get_subgraph("then_graph").get_attr("key") == "seen from both sides"
    assert source.get_subgraph("then_graph")._owns_handle is True
    with pytest.raises(RuntimeError, match="Failed to add subgraph 'then_graph' to graph 'test_graph'"):
        target.add_subgraph(source.get_subgraph("then_graph"))
    assert len(target.get_all_subgraphs()) == 2
    # It belongs to the operator all the same, and survives it here.
    del source
    gc.collect()
    assert kinds(target.get_subgraph("else_graph")) == ["Relu"]
    for left in (["else_graph"], []):
        target.remove_subgraph(target.get_all_subgraphs()[0].name)
        assert [g.name for g in target.get_all_subgraphs()] == left
    target.remove_subgraph("then_graph")


def test_which_graphs_cannot_be_added():
    graph = conditional()
    with pytest.raises(RuntimeError, match="Failed to add subgraph 'free' to graph 'outer'"):
        graph.add_subgraph(Graph("free"))
    with pytest.raises(RuntimeError, match="Failed to add subgraph 'then_graph' to graph 'outer'"):
        graph.add_subgraph(graph.get_subgraph("then_graph"))
    with pytest.raises(TypeError, match="subgraph must be a Graph"):
        graph.add_subgraph("not_a_graph")
    for call in (graph.get_subgraph, graph.remove_subgraph):
        with pytest.raises(TypeError, match="name must be a string"):
            call(123)


def test_no_graph_holds_itself():
    one = conditional("one", ("a", "b"))
    a = one.get_subgraph("a")
    branch, other = GraphBuilder("branch"), GraphBuilder("other_branch")
    knows_a, plain = (b.build_and_reset([Relu(b.create_input(0))]) for b in (branch, other))
    knows_a.add_subgraph(a)
    builder = GraphBuilder("user")
    x = builder.create_input(0)
    user = builder.build_and_reset([If(x, [x], 1, knows_a, plain)[0]])
    one.remove_subgraph("a")
    with pytest.raises(RuntimeError, match="Failed to add subgraph 'branch' to graph 'a': .*holds 'a' itself"):
        a.add_subgraph(user.get_subgraph("branch"))
    a.add_subgraph(user.get_subgraph("other_branch"))
    assert [g.name for g in a.get_all_subgraphs()] == ["other_branch"]


def test_a_removed_subgraph_leaves_its_operator():
    graph = conditional()
    kept = graph.get_subgraph("then_graph")
    graph.remove_subgraph("then_graph")
    assert [g.name for g in graph.get_all_subgraphs()] == ["else_graph"] and kinds(kept) == ["Relu"]
    assert kept.get_subgraph("else_graph") is None
    graph.remove_subgraph("unknown")


def test_a_graph_serves_one_builder_as_subgraph():
    graph, builder = GraphBuilder().build_and_reset(), GraphBuilder()
    graph._transfer_ownership_when_pass_as_subgraph(builder)
    assert graph._owner is builder and graph._owns_handle is False and graph._handle is not None
    assert graph.name == "graph"
    with pytest.raises(
        RuntimeError, match="Graph :graph already has an new owner builder :graph, cannot transfer ownership again"
    ):
        graph._transfer_ownership_when_pass_as_subgraph(GraphBuilder())


# ---- handles -----------------------------------------------------------------------------------------------------------------


def test_a_graph_of_a_handle():
    graph, owner = conditional(), object()
    view = Graph._create_from(graph._handle, owns_handle=False, owner=owner)
    assert view.name == "outer" and view._owns_handle is False and view._owner is owner
    view.set_attr("key", 1)
    assert graph.get_attr("key") == 1 and graph._handle == view._handle and int(graph._handle) > 0
    assert Graph._create_from(graph._handle)._owns_handle is True
    for null in (None, ctypes.c_void_p()):
        with pytest.raises(ValueError, match="Graph pointer cannot be None"):
            Graph._create_from(null)
    with pytest.raises(TypeError, match="Graph handle must be"):
        Graph._create_from(0xDEADBEEF)


@pytest.mark.parametrize(
    "call, text",
    [
        (lambda g: g.name, "graph handle has expired"),
        (lambda g: g.save_to_air(""), "Failed to save graph to AIR format"),
        (lambda g: g.load_from_air(""), "Failed to load graph from AIR format"),
        (lambda g: g.dump_to_file(), "graph handle has expired"),
        (lambda g: g.dump_to_stream(), "graph handle has expired"),
    ],
)
def test_a_graph_whose_handle_was_taken_away(call, text):
    for null in (None, ctypes.c_void_p()):
        graph = Graph()
        graph._handle = null
        with pytest.raises(RuntimeError, match=text):
            call(graph)
