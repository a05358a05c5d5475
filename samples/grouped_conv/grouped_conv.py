"""A grouped convolution becomes one convolution a group, between a Split and a Concat."""

from __future__ import annotations

from ge.es import GraphBuilder
from ge.es.all import ConcatD, Conv2D, Split
from ge.passes import DecomposePass, PassStage, infer_shape, register_decompose_pass

MAX_GROUPS = 8  # a depthwise convolution would become hundreds of tiny ones


def attribute(node, name, default):
    return node.get_attr(name) if node.has_attr(name) else default


@register_decompose_pass(name="DecomposeGroupedConv", stage=PassStage.AFTER_INFER_SHAPE, op_types=["Conv2D"])
class DecomposeGroupedConv(DecomposePass):
    def meet_requirements(self, node):
        return (
            1 < attribute(node, "groups", 1) <= MAX_GROUPS
            and attribute(node, "data_format", "NHWC") == "NCHW"
            and attribute(node, "auto_pad", "NOTSET") == "NOTSET"  # only explicit pads can be carried over
        )

    def replacement(self, node):
        groups = node.get_attr("groups")
        settings = {name: node.get_attr(name) for name in ("strides", "pads", "dilations") if node.has_attr(name)}
        builder = GraphBuilder("grouped_conv")
        # One Data for every connected input: x, the filter, and the bias if there is one.
        x, *weights = builder.create_inputs(node.get_inputs_size())
        parts = [Split(1, x, groups, num_split=groups)]  # channels of x
        parts += [Split(0, weight, groups, num_split=groups) for weight in weights]  # output channels
        convs = [Conv2D(*operands, groups=1, data_format="NCHW", **settings) for operands in zip(*parts)]
        graph = builder.build_and_reset([ConcatD(convs, concat_dim=1, N=groups)])
        infer_shape(graph, node)
        return graph
