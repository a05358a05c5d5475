"""What the native bridge calls: descriptors, instances, hooks, and errors in a form that C++ can carry.

The functions up to `clear_loaded_pass_modules` work with instance ids and native handles. The bridge itself asks
once a session for the instance and its bound hooks (`open_session`) and then calls those directly.
"""

from __future__ import annotations

import gc
import os
import threading
from types import MethodType
from typing import Any, Dict, List, Optional, Tuple

from ge._internal.errors import describe_exception, encodable, flush, source_file
from ge.graph import Graph
from ge.passes import bootstrap, registry
from ge.passes._hooks import original_hook
from ge.passes._native import PassContext, Pattern, PatternMatcherConfig
from ge.passes.base import (
    DecomposePass,
    FusionBasePass,
    LegacyCustomPass,
    PatternFusionPass,
    ensure_pattern,
)

__all__ = [
    "call_decompose_meet_requirements",
    "call_decompose_replacement",
    "call_meet_requirements",
    "call_replacement",
    "clear_loaded_pass_modules",
    "clear_pass_holders",
    "create_pass_holder",
    "describe_exception",
    "destroy_pass_holder",
    "get_pass_patterns",
    "get_pattern_matcher_config",
    "load_and_get_pass_descriptors",
    "run_fusion_base_pass",
]

_KINDS: Dict[str, Tuple[int, type]] = {
    registry.KIND_FUSION_BASE: (0, FusionBasePass),
    registry.KIND_PATTERN_FUSION: (1, PatternFusionPass),
    registry.KIND_DECOMPOSE: (2, DecomposePass),
    registry.KIND_LEGACY_CUSTOM: (3, LegacyCustomPass),
}
_STAGES = {
    "BeforeInferShape": 0,
    "AfterInferShape": 1,
    "AfterAssignLogicStream": 2,
    "AfterBuiltinFusionPass": 3,
    "AfterOriginGraphOptimize": 4,
    "CompatibleInherited": 5,
}

_lock = threading.RLock()
_holders: Dict[str, FusionBasePass] = {}
# Passes that exist for the time of one `apply`; the bridge creates them like registered ones.
_temporary: Dict[str, registry.PassDescriptor] = {}
# What the bridge has handed to the core so far.
_handed_over: Dict[str, registry.PassDescriptor] = {}

Problem = Tuple[str, str, str, str, bool]
Descriptor = Tuple[str, str, str, str, str, int, int, List[str], List[str], List[str], bool]


# ---- protocol by instance id ---------------------------------------------------------------------


def load_and_get_pass_descriptors() -> List[Dict[str, Any]]:
    """Runs discovery and describes every registered pass."""
    bootstrap.load_pass_plugins()
    return registry.get_registered_pass_dicts()


def _descriptor(descriptor_key: str) -> registry.PassDescriptor:
    descriptor = _temporary.get(descriptor_key) or registry.get_registered_pass_by_descriptor_key(
        descriptor_key
    )
    if descriptor is None:
        raise KeyError(f"no pass is registered under descriptor_key '{descriptor_key}'")
    return descriptor


def create_pass_holder(instance_id: str, descriptor_key: str) -> bool:
    """Makes an instance of that pass known as `instance_id`; one that is known stays.

    Raises:
        KeyError: unknown descriptor key.
    """
    descriptor = _descriptor(descriptor_key)
    with _lock:
        if instance_id in _holders:
            return True
    # The user's constructor runs without our lock.
    instance = descriptor.cls()
    with _lock:
        _holders.setdefault(instance_id, instance)
    return True


def destroy_pass_holder(instance_id: str) -> bool:
    """Drops that instance; False if there is none."""
    with _lock:
        return _holders.pop(instance_id, None) is not None


def _holder(instance_id: str, kind: type) -> Any:
    with _lock:
        instance = _holders.get(instance_id)
    if instance is None:
        raise KeyError(f"no pass instance has the id '{instance_id}'")
    if not isinstance(instance, kind):
        raise TypeError(
            f"pass instance '{instance_id}' is a '{type(instance).__name__}', expected a {kind.__name__}"
        )
    return instance


def run_fusion_base_pass(instance_id: str, graph: Any, context: Any = None) -> Any:
    """Calls `run` and returns what it returned."""
    if context is not None and not isinstance(context, PassContext):
        raise TypeError(f"context must be a ge.passes.PassContext or None, got '{type(context).__name__}'")
    return _holder(instance_id, FusionBasePass).run(graph, context)


def get_pass_patterns(instance_id: str) -> List[int]:
    """Native handles of the patterns, released from their Python objects."""
    return [pattern.release() for pattern in collect_patterns(_holder(instance_id, PatternFusionPass))]


def get_pattern_matcher_config(instance_id: str) -> Optional[int]:
    """Flags of the matcher config as `matcher_flags` gives them, with 16 added; None without a config."""
    instance = _holder(instance_id, PatternFusionPass)
    return None if instance.matcher_config is None else matcher_flags(instance) | 16


def call_meet_requirements(instance_id: str, match_handle: Any, context: Any = None) -> bool:
    """The requirement hook of a pattern pass; the match is void afterwards."""
    try:
        return bool(_holder(instance_id, PatternFusionPass).meet_requirements(match_handle, context))
    finally:
        match_handle._invalidate()


def call_replacement(instance_id: str, match_handle: Any, context: Any = None) -> int:
    """The native handle of the replacement, released from its Python object; the match is void afterwards."""
    try:
        return _released(_holder(instance_id, PatternFusionPass).replacement(match_handle, context))
    finally:
        match_handle._invalidate()


def call_decompose_meet_requirements(instance_id: str, node_handle: Any, context: Any = None) -> bool:
    """The requirement hook of a decompose pass."""
    return bool(_holder(instance_id, DecomposePass).meet_requirements(node_handle, context))


def call_decompose_replacement(instance_id: str, node_handle: Any, context: Any = None) -> int:
    """The native handle of the replacement of a node, released from its Python object."""
    return _released(_holder(instance_id, DecomposePass).replacement(node_handle, context))


def _released(graph: Any) -> int:
    if not isinstance(graph, Graph):
        raise not_a_graph(graph)
    return int(graph._release())


def clear_pass_holders() -> None:
    """Drops all instances."""
    with _lock:
        _holders.clear()


def clear_loaded_pass_modules() -> None:
    """Drops the modules of all pass files, so that the next discovery executes them again."""
    bootstrap.unload_pass_plugins()


# ---- sessions of the native bridge ---------------------------------------------------------------


def not_a_graph(value: Any) -> TypeError:
    """The error of a replacement hook that returned something else."""
    hint = "; call its second parameter 'inputs' to return tensors" if type(value).__name__ == "TensorHolder" else ""
    return TypeError(f"replacement must return ge.graph.Graph, got '{type(value).__name__}'{hint}")


def open_session(descriptor_key: str) -> Tuple[Any, ...]:
    """A new instance of that pass and its bound hooks.

    Returns:
        `(instance, run, meet_requirements, its number of arguments, replacement)`; None for `meet_requirements` if
        the class doesn't override it.
    """
    cls = _descriptor(descriptor_key).cls
    instance: Any = cls()
    if issubclass(cls, PatternFusionPass):
        base: Any = PatternFusionPass
    elif issubclass(cls, DecomposePass):
        base = DecomposePass
    else:
        return instance, instance.run, None, 0, None
    requirements = instance.meet_requirements
    # No function: the instance has an attribute of that name, which counts as an override.
    function = getattr(requirements, "__func__", None)
    if function is base.meet_requirements:
        return instance, instance.run, None, 0, instance.replacement
    # The user's own function saves the call of its uniform form for every match.
    written = original_hook(function)
    if written is None:
        return instance, instance.run, requirements, 2, instance.replacement
    return instance, instance.run, MethodType(written[0], instance), written[1], instance.replacement


def collect_patterns(instance: PatternFusionPass) -> List[Pattern]:
    """What `patterns()` gives, each as a Pattern.

    Raises:
        TypeError: it gave no iterable, or something in it is no pattern.
    """
    patterns = instance.patterns()
    if patterns is None:
        return []
    if isinstance(patterns, (str, bytes)):
        raise TypeError(
            f"patterns() must give an iterable of Pattern or Graph, got '{type(patterns).__name__}'"
        )
    try:
        items = iter(patterns)
    except TypeError:
        raise TypeError(
            f"patterns() must give an iterable of Pattern or Graph, got '{type(patterns).__name__}'"
        ) from None
    return [ensure_pattern(item) for item in items]


def matcher_flags(instance: PatternFusionPass) -> int:
    """How the pass is run, as bits: 1 constant values and 2 attributes are compared, 4 operands commute, 8 the
    replacement is the same for every match.

    Raises:
        TypeError: its config is no PatternMatcherConfig.
    """
    static = bool(instance.static_replacement) << 3
    config = instance.matcher_config
    if config is None:
        return static
    if not isinstance(config, PatternMatcherConfig):
        raise TypeError(
            f"matcher_config must be a ge.passes.PatternMatcherConfig or None, got '{type(config).__name__}'"
        )
    return (
        int(config.is_enable_const_value_match())
        | int(config.is_enable_ir_attr_match()) << 1
        | int(config.is_enable_commutative_match()) << 2
        | static
    )


# ---- registration --------------------------------------------------------------------------------


def describe(descriptor: registry.PassDescriptor) -> Descriptor:
    """The descriptor in the plain values that the C ABI takes.

    Raises:
        ValueError: stage, kind or name are none that the core knows.
        TypeError: the class is not of the kind it was registered as.
    """
    name = descriptor.pass_name
    if not isinstance(name, str) or not name:
        raise ValueError(
            f"pass of class '{descriptor.class_name}' needs a name that is a non-empty text, got '{name}'"
        )
    for text in (name, *descriptor.op_types, *descriptor.before, *descriptor.after):
        if text != encodable(text) or "\0" in text:
            raise ValueError(f"pass {ascii(name)} uses the text {ascii(text)}, which has no UTF-8 form or a NUL in it")
    stage_text = getattr(descriptor.stage, "value", descriptor.stage)
    stage = _STAGES.get(stage_text) if isinstance(stage_text, str) else None
    if stage is None:
        raise ValueError(
            f"pass '{name}' has the unknown stage '{stage_text}'; use a member of ge.passes.PassStage"
        )
    kind = _KINDS.get(descriptor.kind)
    if kind is None:
        raise ValueError(
            f"pass '{name}' has the unknown kind '{descriptor.kind}', expected one of '{', '.join(_KINDS)}'"
        )
    if not issubclass(descriptor.cls, kind[1]):
        raise TypeError(
            f"pass '{name}' is registered as '{descriptor.kind}', which needs a subclass of {kind[1].__name__}; "
            f"'{descriptor.class_name}' is none"
        )
    return (
        descriptor.descriptor_key,
        name,
        descriptor.module_name,
        descriptor.class_name,
        encodable(source_file(descriptor.cls)),
        stage,
        kind[0],
        list(descriptor.op_types),
        list(descriptor.before),
        list(descriptor.after),
        descriptor.descriptor_key in _temporary,
    )


def discover(pass_path: Optional[str]) -> List[Problem]:
    """Imports the plugins named by `pass_path`, the value of ASCEND_GE_PY_PASS_PATH in the C environment.

    Returns:
        What went wrong, a plugin a line; the others were imported.
    """
    # os.environ is a copy made when Python started.
    if pass_path is None:
        os.environ.pop(bootstrap.ENV_PY_PASS_PATH, None)
    else:
        os.environ[bootstrap.ENV_PY_PASS_PATH] = pass_path
    problems: List[Problem] = []

    def note(problem: bootstrap.PluginProblem) -> None:
        message, text, interrupt = describe_exception(problem.error)
        hook = "import" if problem.error.__traceback__ is not None else "path"
        problems.append((encodable(problem.source), hook, message, text, interrupt))

    try:
        bootstrap.load_pass_plugins(note)
    except BaseException:
        # One that ends everything has been noted before it got here.
        if not problems or not problems[-1][4]:
            raise
    finally:
        flush()
    return problems


def pending() -> Tuple[List[str], List[Descriptor], List[Problem]]:
    """What changed in the registry since the last call.

    Returns:
        Keys of passes that are gone, passes that are new, and passes that cannot be handed over.
    """
    problems: List[Problem] = []
    new: List[Descriptor] = []
    with _lock:
        wanted = {d.descriptor_key: d for d in [*registry.get_registered_passes(), *_temporary.values()]}
        gone = [key for key, known in _handed_over.items() if wanted.get(key) is not known]
        for key in gone:
            del _handed_over[key]
        for key, descriptor in wanted.items():
            if key in _handed_over:
                continue
            try:
                new.append(describe(descriptor))
                _handed_over[key] = descriptor
            except (TypeError, ValueError) as error:
                source = f"{source_file(descriptor.cls)}: {descriptor.class_name}"
                problems.append((source, "register", f"{type(error).__name__}: {error}", "", False))
    return gone, new, problems


def refused(descriptor_key: str) -> None:
    """The core did not take this pass; it is offered again next time."""
    with _lock:
        _handed_over.pop(descriptor_key, None)


def is_handed_over(descriptor_key: str) -> bool:
    """Whether the core has this pass at present."""
    with _lock:
        return descriptor_key in _handed_over


def handed_over_count() -> int:
    """How many passes the core has at present."""
    with _lock:
        return len(_handed_over)


def add_temporary(descriptor: registry.PassDescriptor) -> None:
    """Makes a pass known that is in no registry."""
    with _lock:
        _temporary[descriptor.descriptor_key] = descriptor


def remove_temporary(descriptor_key: str) -> None:
    """Undoes `add_temporary`."""
    with _lock:
        _temporary.pop(descriptor_key, None)


def reset() -> None:
    """Drops instances, plugin modules and what those registered; what the process registered itself stays."""
    with _lock:
        _holders.clear()
        # Another thread may be about to run its temporary passes; they are handed over anew.
        _handed_over.clear()
    bootstrap.unload_pass_plugins()
    gc.collect()
    flush()
