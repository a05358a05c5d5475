"""repr() says what an object is, and of one that is gone that it is; it never raises."""

from __future__ import annotations

import gc

import ge.passes
import pytest
from ge.es import GraphBuilder
from ge.es.all import Add, Relu
from ge.graph import DataType, Graph, Tensor
from ge.passes import FusionBasePass, Pattern, PassStage, PatternFusionPass, find_matches, pattern

from _graphs import build, only


def add_of_relu(x, y):
    return Add(Relu(x), y)


def test_a_graph_has_its_name_and_the_number_of_its_nodes():
    assert repr(build(add_of_relu, 2, "main")) == "<ge.graph.Graph 'main', 5 nodes>"
    assert repr(Graph("none")) == "<ge.graph.Graph 'none', 0 nodes>"


def test_a_graph_that_was_handed_over_says_so():
    graph = build(lambda x: Relu(x), name="main")
    pattern_object = Pattern(graph)
    assert repr(graph) == "<ge.graph.Graph, expired>"
    assert repr(pattern_object) == "<ge.passes.Pattern 'main', 3 nodes>"


def test_a_pattern_that_was_handed_over_says_so():
    seen = []

    class Keeps(PatternFusionPass):
        def patterns(self):
            seen.append(Pattern(build(lambda x: Relu(x))))
            return seen

        def replacement(self, inputs):
            return inputs[0]

    ge.passes.apply(build(lambda x: Relu(x)), passes=[register(Keeps)])
    assert repr(seen[0]) == "<ge.passes.Pattern, released>"


@pytest.mark.parametrize(
    "kind, expected",
    [
        ("Add", "<ge.graph.Node 'Add_1' of type 'Add', 2 inputs, 1 output>"),
        ("Relu", "<ge.graph.Node 'Relu_0' of type 'Relu', 1 input, 1 output>"),
    ],
)
def test_a_node_has_name_type_inputs_and_outputs(kind, expected):
    graph = build(add_of_relu, 2)
    assert repr(only(graph, kind)) == expected
    assert repr([only(graph, kind)]) == f"[{expected}]"
    assert str(only(graph, kind)) == expected


def test_a_node_that_was_removed_says_so():
    graph = build(add_of_relu, 2)
    node = only(graph, "Relu")
    graph.remove_node(node)
    assert repr(node) == "<ge.graph.Node 'Relu_0' of type 'Relu', removed from its graph>"


def test_a_node_whose_graph_is_gone_says_so():
    graph = build(add_of_relu, 2)
    node = only(graph, "Relu")
    del graph
    gc.collect()
    assert repr(node) == "<ge.graph.Node, expired>"


def test_a_name_of_odd_characters_is_shown():
    builder = GraphBuilder("g")
    x = builder.create_input(0, name="a'\n\u00e9")
    graph = builder.build_and_reset([x])
    assert repr(only(graph, "Data")) == "<ge.graph.Node 'a'\n\u00e9' of type 'Data', 0 inputs, 1 output>"


def register(cls):
    return ge.passes.register_fusion_pass(name=cls.__name__, stage=PassStage.BEFORE_INFER_SHAPE)(cls)


def test_what_a_hook_is_lent_says_what_it_is_and_afterwards_that_it_has_expired():
    kept, during = {}, {}

    class Looks(PatternFusionPass):
        @pattern
        def relu(self, inputs):
            return Relu(inputs[0])

        def meet_requirements(self, match_result, context):
            kept.update(match=match_result, context=context, node=match_result.get_matched_nodes()[0])
            during.update({name: repr(thing) for name, thing in kept.items()})
            return False

        def replacement(self, inputs):
            return inputs[0]

    class Walks(FusionBasePass):
        def run(self, graph, context):
            kept["graph"] = graph
            during["graph"] = repr(graph)

    graph = build(add_of_relu, 2, "main")
    ge.passes.apply(graph, passes=[register(Looks), register(Walks)])
    assert during == {
        "match": "<ge.passes.MatchResult of 1 node, pattern 'Looks_relu_pattern': 'Relu_0' (Relu)>",
        "context": "<ge.passes.PassContext of pass 'Looks'>",
        "node": "<ge.graph.Node 'Relu_0' of type 'Relu', 1 input, 1 output>",
        "graph": "<ge.graph.Graph 'main', 5 nodes>",
    }
    assert {name: repr(thing) for name, thing in kept.items()} == {
        "match": "<ge.passes.MatchResult, expired>",
        "context": "<ge.passes.PassContext, expired>",
        "node": "<ge.graph.Node, expired>",
        "graph": "<ge.graph.Graph, expired>",
    }


def test_a_match_names_its_nodes_also_those_that_were_removed():
    graph = build(add_of_relu, 2)
    (match,) = find_matches(graph, build(add_of_relu, 2, "p"))
    assert repr(match) == "<ge.passes.MatchResult of 2 nodes, pattern 'p': 'Relu_0' (Relu), 'Add_1' (Add)>"
    graph.remove_node(only(graph, "Relu"))
    assert repr(match) == "<ge.passes.MatchResult of 2 nodes, pattern 'p': 'Relu_0' (removed), 'Add_1' (Add)>"
    del graph
    gc.collect()
    assert repr(match) == "<ge.passes.MatchResult, expired>"


def test_a_match_of_many_nodes_names_the_first():
    def chain(x):
        for _ in range(20):
            x = Relu(x)
        return x

    graph = build(chain)
    (match,) = find_matches(graph, build(chain, name="p"))
    assert repr(match).startswith("<ge.passes.MatchResult of 20 nodes, pattern 'p': 'Relu_0' (Relu), 'Relu_1' (Relu)")
    assert repr(match).endswith("'Relu_7' (Relu), ...>")


def test_a_builder_and_its_tensors_have_their_names():
    builder = GraphBuilder("b")
    x = builder.create_input(0)
    y = Relu(x)
    assert repr(builder) == "<ge.es.GraphBuilder 'b', 2 nodes>"
    assert repr(y) == "<ge.es.TensorHolder, output 0 of 'Relu_0' (Relu)>"
    graph = builder.build_and_reset([y])
    assert repr(builder) == "<ge.es.GraphBuilder 'b', built>"
    graph.remove_node(only(graph, "Relu"))
    assert repr(y) == "<ge.es.TensorHolder, output 0 of 'Relu_0' (removed)>"


def test_a_tensor_has_shape_and_type():
    tensor = Tensor([1, 2], data_type=DataType.DT_INT32, shape=[2])
    assert repr(tensor) == "<ge.graph.Tensor, shape [2], DT_INT32>"
    tensor._handle = None
    assert repr(tensor) == "<ge.graph.Tensor, expired>"
