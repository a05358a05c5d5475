"""ONNX operators mapped to GE operators in Python.

    from ge.onnx_plugin import onnx_plugin

    elu = onnx_plugin(source="Elu", domain="ai.onnx", opsets=range(6, 19), target="Elu")

    @elu.parse_node
    def parse(node, target):
        target.set_attr("alpha", node.attrs.get("alpha", 1.0))
        target.register_input("x")
        target.register_output("y")

Such files are found through ASCEND_CUSTOM_OPP_PATH.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any, List

if TYPE_CHECKING:
    from ge.custom_op._native import OnnxNode
    from ge.onnx_plugin.plugin import OnnxPlugin, onnx_plugin

# Where each export lives; resolved at first use, so that importing ge.onnx_plugin loads no native code.
_HOME = {
    "OnnxNode": "ge.custom_op._native",
    "OnnxPlugin": "ge.onnx_plugin.plugin",
    "onnx_plugin": "ge.onnx_plugin.plugin",
}

__all__ = ["OnnxNode", "OnnxPlugin", "onnx_plugin"]


def __getattr__(name: str) -> Any:
    home = _HOME.get(name)
    if home is None:
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    value = getattr(importlib.import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> List[str]:
    return sorted(set(globals()) | set(__all__))
