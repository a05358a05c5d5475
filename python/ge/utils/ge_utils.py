"""`GeUtils`, what one may ask about a graph beside the graph itself."""

from __future__ import annotations

from typing import List, Tuple

from ge.graph import Graph, Node
from ge.passes.runtime import ensure_native_module

__all__ = ["GeUtils"]

_native = ensure_native_module()


class GeUtils:
    """A namespace of static methods."""

    @staticmethod
    def infer_shape(graph: Graph, input_shapes: List[List[int]]) -> None:
        """Sets the shapes of a graph's inputs and infers all others; nothing else is changed.

        Args:
            graph: changed in place.
            input_shapes: shape number i is that of the input whose `index` is i; one for every input.

        Raises:
            TypeError: the shapes are no list of lists of integers.
            RuntimeError: a shape too many or too few, or shapes that contradict the operators.
        """
        if not isinstance(input_shapes, list):
            raise TypeError(f"input_shapes must be a list of lists of integers, found '{type(input_shapes).__name__}'")
        for shape in input_shapes:
            if not isinstance(shape, list) or not all(isinstance(dim, int) for dim in shape):
                raise TypeError(f"input_shapes must be a list of lists of integers, found '{shape}' in it")
        _native.infer_graph_shapes(graph, input_shapes)

    @staticmethod
    def check_node_support_on_aicore(node: Node) -> Tuple[bool, str]:
        """Whether an AI core can run a node as its types and layouts are now; infer shapes and types first.

        With a CANN below the folder that ASCEND_OPP_PATH names its `aic-*-ops-info.json` files decide, a node being
        supported if one of them takes it. Else the types in the operator registry do.

        Returns:
            The answer, and a text that says what decided it and, for False, what does not fit.

        Raises:
            TypeError: `node` is no Node.
            RuntimeError: the check itself fails.
        """
        from ge.utils._aicore import check

        if not isinstance(node, Node):
            raise TypeError(f"node must be a Node, found '{type(node).__name__}'")
        return check(node)
