"""Building graphs with ge.es, and reading them back in a form that is easy to compare."""

from __future__ import annotations

import collections

from ge.es import GraphBuilder
from ge.es.all import If, Relu


def build(make, inputs=1, name="graph"):
    """The graph of what `make(*inputs)` returns: one tensor or a list of them. Nothing is known of the inputs' shapes."""
    builder = GraphBuilder(name)
    outputs = make(*([x.set_shape([-2]) for x in builder.create_inputs(inputs)] if inputs else [builder]))
    return builder.build_and_reset(outputs if isinstance(outputs, list) else [outputs])


def conditional(name="outer", branches=("then_graph", "else_graph")):
    """If with two branches of one Relu each."""
    graphs = []
    for branch in branches:
        inner = GraphBuilder(branch)
        graphs.append(inner.build_and_reset([Relu(inner.create_input(0))]))
    builder = GraphBuilder(name)
    x = builder.create_input(0)
    return builder.build_and_reset([If(x, [x], 1, *graphs)[0]])


def kinds(graph) -> list:
    """Types of the nodes, Data and NetOutput left out, sorted."""
    return sorted(n.type for n in graph.get_direct_nodes() if n.type not in ("Data", "NetOutput"))


def producers(node) -> list:
    """(type, output) of what feeds a node, by input."""
    found = (node.get_in_data_nodes_and_port_indexes(i) for i in range(node.get_inputs_size()))
    return [(producer.type, port) for producer, port in found]


def results(graph) -> list:
    """(type, output) of what the graph returns."""
    return producers(next(n for n in graph.get_direct_nodes() if n.type == "NetOutput"))


def only(graph, kind):
    """The one node of that type."""
    (node,) = [n for n in graph.get_direct_nodes() if n.type == kind]
    return node


_kept = collections.deque(maxlen=32)


def node_of(kind, make, inputs=1):
    """The one node of that type in what `make` builds. A node does not keep its graph alive, so this module does."""
    graph = build(make, inputs)
    _kept.append(graph)
    return only(graph, kind)
