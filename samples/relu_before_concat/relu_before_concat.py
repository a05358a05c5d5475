"""Relu of a concatenation becomes a concatenation of Relus.

Concat has a dynamic number of inputs, which a pattern cannot express. So this pass walks the graph itself, draws a
boundary around the two nodes and lets SubgraphRewriter put the new ones in their place.
"""

from __future__ import annotations

from ge.es import GraphBuilder
from ge.es.all import ConcatD, ConcatV2, Relu
from ge.passes import (
    FusionBasePass,
    PassStage,
    SubgraphBoundary,
    SubgraphInput,
    SubgraphOutput,
    SubgraphRewriter,
    register_fusion_pass,
)


def relus_then_concat(concat):
    """The new subgraph, with one input for every input of the old Concat."""
    builder = GraphBuilder("relu_before_concat")
    inputs = builder.create_inputs(concat.get_inputs_size())
    if concat.type == "ConcatD":  # the axis is an attribute
        relus = [Relu(x) for x in inputs]
        return builder.build_and_reset([ConcatD(relus, concat_dim=concat.get_attr("concat_dim"), N=len(relus))])
    *inputs, axis = inputs  # ConcatV2: the axis is the last input
    return builder.build_and_reset([ConcatV2([Relu(x) for x in inputs], axis, N=len(inputs))])


@register_fusion_pass(name="MoveReluBeforeConcat", stage=PassStage.BEFORE_INFER_SHAPE)
class MoveReluBeforeConcat(FusionBasePass):
    def run(self, graph, context):
        # The list is made before anything is replaced: a node that is gone can no longer be asked for its type.
        for concat in [node for node in graph.get_direct_nodes() if node.type in ("ConcatD", "ConcatV2")]:
            consumers = concat.get_out_data_nodes_and_port_indexes(0)
            if len(consumers) != 1 or consumers[0][0].type != "Relu":
                continue
            boundary = SubgraphBoundary()
            for index in range(concat.get_inputs_size()):
                boundary.add_input(index, SubgraphInput([(concat, index)]))
            boundary.add_output(0, SubgraphOutput(consumers[0][0], 0))
            SubgraphRewriter.replace(boundary, relus_then_concat(concat), context=context)
