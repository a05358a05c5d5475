"""Graphs, nodes and tensors."""

from __future__ import annotations

from ge.graph.graph import DumpFormat, Graph
from ge.graph.node import Node
from ge.graph.operator import Operator
from ge.graph.tensor import Tensor
from ge.graph.tensor_desc import Shape, TensorDesc
from ge.graph.types import DataType, Format, Placement

__all__ = [
    "DataType",
    "DumpFormat",
    "Format",
    "Graph",
    "Node",
    "Operator",
    "Placement",
    "Shape",
    "Tensor",
    "TensorDesc",
]
