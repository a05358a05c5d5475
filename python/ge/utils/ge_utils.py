"""`GeUtils`, what one may ask about a graph beside the graph itself."""

from __future__ import annotations

from typing import List

from ge.graph import Graph
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
