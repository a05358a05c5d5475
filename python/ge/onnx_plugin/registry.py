"""Which ONNX plugins this process knows."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Callable, Dict, Iterable, List, Optional, Tuple

from ge._internal import plugin_loader
from ge._internal.descriptors import DescriptorRegistry, executing_module
from ge._internal.same_source import is_same_source

__all__ = [
    "OnnxPluginDescriptor",
    "clear_registered_onnx_plugins",
    "get_registered_onnx_plugin_by_origin_type",
    "get_registered_onnx_plugin_dicts",
    "get_registered_onnx_plugins",
    "register_onnx_plugin",
]

PLUGIN_KIND = "python ONNX Plugin"


@dataclass(frozen=True)
class OnnxPluginDescriptor:
    """An ONNX operator in some opset versions, and how its nodes are read.

    Attributes:
        origin_types: "domain::opset::source" for each opset.
        parser_node: the function that reads a node.
    """

    descriptor_key: str
    source: str
    domain: str
    opsets: Tuple[int, ...]
    target: str
    origin_types: Tuple[str, ...]
    module_name: str
    parser_node: Callable[[Any, Any], None] = field(compare=False, repr=False)

    def to_bridge_dict(self) -> Dict[str, Any]:
        """The descriptor in plain values."""
        return {
            "descriptor_key": self.descriptor_key,
            "source": self.source,
            "domain": self.domain,
            "opsets": list(self.opsets),
            "target": self.target,
            "origin_types": list(self.origin_types),
            "module_name": self.module_name,
        }


def _settle(
    descriptor: OnnxPluginDescriptor, others: Iterable[OnnxPluginDescriptor]
) -> Optional[OnnxPluginDescriptor]:
    for other in others:
        if other.descriptor_key == descriptor.descriptor_key:
            raise ValueError(
                f"cannot register ONNX plugin: descriptor_key already exists: '{descriptor.descriptor_key}'; a function "
                "reads the nodes of an operator once"
            )
    for other in others:
        for origin_type in descriptor.origin_types:
            if origin_type in other.origin_types:
                # A file that was imported, and is named by ASCEND_CUSTOM_OPP_PATH too: the first one stays.
                same = (other.origin_types, other.target) == (descriptor.origin_types, descriptor.target)
                if same and is_same_source(other.parser_node, descriptor.parser_node):
                    return other
                raise ValueError(
                    f"cannot register ONNX plugin '{descriptor.descriptor_key}': origin type already exists: "
                    f"{origin_type}, it belongs to '{other.descriptor_key}'; take its opset out of one of the two"
                )
    return None


_registry: DescriptorRegistry[OnnxPluginDescriptor] = DescriptorRegistry(_settle)
plugin_loader.track(PLUGIN_KIND, _registry)


def register_onnx_plugin(descriptor: OnnxPluginDescriptor) -> None:
    """Adds a plugin, for all of its origin types or none.

    Raises:
        ValueError: its key or one of its origin types is taken.
    """
    _registry.add(executing_module() or descriptor.module_name, descriptor)


def get_registered_onnx_plugins() -> List[OnnxPluginDescriptor]:
    """Descriptors in the order of registration."""
    return _registry.all()


def get_registered_onnx_plugin_dicts() -> List[Dict[str, Any]]:
    """The same as plain dicts."""
    return [descriptor.to_bridge_dict() for descriptor in get_registered_onnx_plugins()]


def get_registered_onnx_plugin_by_origin_type(origin_type: str) -> Optional[OnnxPluginDescriptor]:
    """The plugin that reads nodes of that origin type, or None."""
    return next((d for d in get_registered_onnx_plugins() if origin_type in d.origin_types), None)


def clear_registered_onnx_plugins() -> None:
    """Forgets all registered plugins."""
    _registry.clear()
