"""What the native bridge calls for ONNX plugins."""

from __future__ import annotations

from typing import Any, Dict, List

from ge._internal import errors
from ge.onnx_plugin import bootstrap, registry

__all__ = ["call_parse_node", "load_and_get_onnx_plugin_descriptors", "reset", "source_of"]


def load_and_get_onnx_plugin_descriptors() -> List[Dict[str, Any]]:
    """Runs discovery and describes every registered plugin."""
    try:
        bootstrap.load_onnx_plugins()
    finally:
        errors.flush()
    return registry.get_registered_onnx_plugin_dicts()


def _descriptor(origin_type: str) -> registry.OnnxPluginDescriptor:
    descriptor = registry.get_registered_onnx_plugin_by_origin_type(origin_type)
    if descriptor is None:
        raise KeyError(f"ONNX plugin of origin type '{origin_type}' is not registered")
    return descriptor


def call_parse_node(origin_type: str, node: Any, operator_handle: Any) -> None:
    """Lets the plugin of that origin type read `node` into an operator; the Operator that it got is void afterwards.

    Args:
        node: an OnnxNode.
        operator_handle: an OperatorDraft of the native module of ge.graph.

    Raises:
        KeyError: no plugin reads that type.
        TypeError: the function returned something.
        Exception: what the function raised.
    """
    descriptor = _descriptor(origin_type)
    # Imported here: it loads native code.
    from ge.graph.operator import create_operator

    with create_operator(operator_handle) as target:
        # Typed as giving nothing, which is what is checked here.
        function: Any = descriptor.parser_node
        answer = function(node, target)
    if answer is not None:
        raise TypeError(
            f"parse_node must return None, '{descriptor.descriptor_key}' returned '{type(answer).__name__}'"
        )


def source_of(origin_type: str) -> str:
    """The file that holds the function of that origin type.

    Raises:
        KeyError: no plugin reads that type.
    """
    return errors.encodable(errors.source_file(_descriptor(origin_type).parser_node))


def reset() -> None:
    """Lets go of plugin modules and of what those registered; what the process registered itself stays."""
    bootstrap.unload_onnx_plugins()
    errors.flush()
