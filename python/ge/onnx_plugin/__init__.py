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

from typing import TYPE_CHECKING

from ge._internal.lazy_exports import lazy_exports

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

__getattr__, __dir__ = lazy_exports(globals(), _HOME)
