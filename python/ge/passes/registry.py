"""Which passes this process knows, by descriptor."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Callable, Dict, Iterable, List, Optional, Type, TypeVar

from ge._internal import plugin_loader
from ge._internal.descriptors import DescriptorRegistry
from ge.passes.base import DecomposePass, FusionBasePass, LegacyCustomPass, PassStage, PatternFusionPass

__all__ = [
    "PassDescriptor",
    "clear_registered_passes",
    "get_registered_pass_by_descriptor_key",
    "get_registered_pass_dicts",
    "get_registered_passes",
    "register_custom_pass",
    "register_decompose_pass",
    "register_fusion_pass",
]

PLUGIN_KIND = "python pass"
KIND_FUSION_BASE = "fusion_base"
KIND_PATTERN_FUSION = "pattern_fusion"
KIND_DECOMPOSE = "decompose"
KIND_LEGACY_CUSTOM = "legacy_custom"

_Class = TypeVar("_Class", bound=type)


@dataclass(frozen=True)
class PassDescriptor:
    """What is known of a registered pass before any instance exists."""

    descriptor_key: str
    pass_name: str
    module_name: str
    class_name: str
    stage: PassStage
    kind: str
    cls: Type[FusionBasePass]
    op_types: List[str] = field(default_factory=list)
    before: List[str] = field(default_factory=list)
    after: List[str] = field(default_factory=list)

    def to_bridge_dict(self) -> Dict[str, Any]:
        """The descriptor in plain values.

        Raises:
            AttributeError: the stage is not a PassStage.
        """
        return {
            "descriptor_key": self.descriptor_key,
            "pass_name": self.pass_name,
            "module_name": self.module_name,
            "class_name": self.class_name,
            "stage": self.stage.value,
            "kind": self.kind,
            "op_types": list(self.op_types),
        }


def _settle(descriptor: PassDescriptor, others: Iterable[PassDescriptor]) -> None:
    for other in others:
        if other.descriptor_key == descriptor.descriptor_key:
            raise ValueError(
                f"cannot register pass '{descriptor.pass_name}': descriptor_key already exists: "
                f"'{descriptor.descriptor_key}'; give one of the two another name"
            )
    for other in others:
        if other.pass_name == descriptor.pass_name:
            raise ValueError(
                f"cannot register pass '{descriptor.pass_name}' of '{descriptor.module_name}.{descriptor.class_name}': "
                f"name already exists, it belongs to '{other.module_name}.{other.class_name}'; give one of the two "
                "another name"
            )


_registry: DescriptorRegistry[PassDescriptor] = DescriptorRegistry(_settle)
plugin_loader.track(PLUGIN_KIND, _registry)


def default_kind(cls: type) -> str:
    """The kind that `register_fusion_pass` gives to a class when told none."""
    if issubclass(cls, LegacyCustomPass):
        return KIND_LEGACY_CUSTOM
    return KIND_PATTERN_FUSION if issubclass(cls, PatternFusionPass) else KIND_FUSION_BASE


def make_descriptor(
    cls: Type[FusionBasePass],
    name: str,
    stage: PassStage,
    kind: str,
    op_types: Iterable[str] = (),
    before: Iterable[str] = (),
    after: Iterable[str] = (),
) -> PassDescriptor:
    """Describes `cls` under `name` without registering it."""
    return PassDescriptor(
        descriptor_key=f"{cls.__module__}:{cls.__name__}:{name}",
        pass_name=name,
        module_name=cls.__module__,
        class_name=cls.__name__,
        stage=stage,
        kind=kind,
        cls=cls,
        op_types=list(op_types),
        before=list(before),
        after=list(after),
    )


def _register(descriptor: PassDescriptor) -> None:
    _registry.add(descriptor.module_name, descriptor)
    descriptor.cls.__ge_pass_descriptor__ = descriptor  # type: ignore[attr-defined]


def _check_class(cls: Any, base: type, decorator: str) -> None:
    if not isinstance(cls, type) or not issubclass(cls, base):
        found = f"class '{cls.__name__}'" if isinstance(cls, type) else f"'{type(cls).__name__}'"
        raise TypeError(f"{decorator} decorates a subclass of ge.passes.{base.__name__}, got {found}")


def _checked_names(parameter: str, names: Any) -> List[str]:
    items = [] if isinstance(names, (str, bytes)) else list(names)
    if isinstance(names, (str, bytes)) or not all(isinstance(item, str) for item in items):
        raise TypeError(f"{parameter} must be an iterable of pass names, got {names!r}; write ['...']")
    return items


def register_fusion_pass(
    *,
    name: str,
    stage: PassStage,
    kind: Optional[str] = None,
    before: Iterable[str] = (),
    after: Iterable[str] = (),
) -> Callable[[_Class], _Class]:
    """Class decorator that registers a FusionBasePass or PatternFusionPass.

    Args:
        name: unique name; passes of a stage run in ascending order of their names.
        stage: where in the compile the pass runs.
        kind: "pattern_fusion" or "fusion_base"; by default what the class is.
        before: names of passes of the stage that run later than this one, whatever their names.
        after: names of passes of the stage that run earlier. Names that nobody has do not matter.

    Raises:
        TypeError: what is decorated is not a subclass of FusionBasePass, or before or after no iterable of strings.
        ValueError: name or descriptor key is taken.
    """
    first, last = _checked_names("before", before), _checked_names("after", after)

    def decorate(cls: _Class) -> _Class:
        _check_class(cls, FusionBasePass, "register_fusion_pass")
        if issubclass(cls, LegacyCustomPass):
            raise TypeError(f"'{cls.__name__}' is a LegacyCustomPass; register it with register_custom_pass")
        own_kind = default_kind(cls) if kind is None else kind
        _register(make_descriptor(cls, name, stage, own_kind, before=first, after=last))
        return cls

    return decorate


def register_custom_pass(
    *, name: str, stage: PassStage = PassStage.BEFORE_INFER_SHAPE
) -> Callable[[_Class], _Class]:
    """Class decorator that registers a LegacyCustomPass, the Python form of REGISTER_CUSTOM_PASS.

    Args:
        name: unique name among the Python passes.
        stage: where in the compile the pass runs: before the fusion passes, in the order of registration.

    Raises:
        TypeError: what is decorated is not a subclass of LegacyCustomPass.
        ValueError: name or descriptor key is taken.
    """

    def decorate(cls: _Class) -> _Class:
        _check_class(cls, LegacyCustomPass, "register_custom_pass")
        _register(make_descriptor(cls, name, stage, KIND_LEGACY_CUSTOM))
        return cls

    return decorate


def _checked_op_types(op_types: Any) -> List[str]:
    if isinstance(op_types, (str, bytes)):
        raise TypeError(
            f"op_types must be an iterable of strings, got '{type(op_types).__name__}'; write ['...']"
        )
    try:
        types = list(op_types)
    except TypeError:
        raise TypeError(f"op_types must be an iterable of strings, got '{type(op_types).__name__}'") from None
    if not types:
        raise ValueError("op_types must name at least one op type")
    for item in types:
        if not isinstance(item, str) or not item:
            raise TypeError(
                f"op_types must be an iterable of strings that are not empty, got '{item!r}' in it"
            )
    return types


def register_decompose_pass(
    *,
    name: str,
    stage: PassStage,
    op_types: Iterable[str],
    before: Iterable[str] = (),
    after: Iterable[str] = (),
) -> Callable[[_Class], _Class]:
    """Class decorator that registers a DecomposePass.

    Args:
        name: unique name; passes of a stage run in ascending order of their names.
        stage: where in the compile the pass runs.
        op_types: types of the nodes that are offered to the pass.
        before: names of passes of the stage that run later than this one, whatever their names.
        after: names of passes of the stage that run earlier. Names that nobody has do not matter.

    Raises:
        TypeError: op_types, before or after is no iterable of non-empty strings, or the class no DecomposePass.
        ValueError: op_types is empty, or name or descriptor key is taken.
    """
    types = _checked_op_types(op_types)
    first, last = _checked_names("before", before), _checked_names("after", after)

    def decorate(cls: _Class) -> _Class:
        _check_class(cls, DecomposePass, "register_decompose_pass")
        _register(make_descriptor(cls, name, stage, KIND_DECOMPOSE, types, before=first, after=last))
        cls.op_types = list(types)  # type: ignore[attr-defined]
        return cls

    return decorate


def clear_registered_passes() -> None:
    """Forgets all registered passes."""
    _registry.clear()


def get_registered_passes() -> List[PassDescriptor]:
    """Descriptors in the order of registration."""
    return _registry.all()


def get_registered_pass_dicts() -> List[Dict[str, Any]]:
    """The same as plain dicts."""
    return [descriptor.to_bridge_dict() for descriptor in get_registered_passes()]


def get_registered_pass_by_descriptor_key(descriptor_key: str) -> Optional[PassDescriptor]:
    """The descriptor of that key, or None."""
    return _registry.get(descriptor_key)
