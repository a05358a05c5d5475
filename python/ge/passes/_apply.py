"""Runs passes over a graph from Python, through the same executor and stages as atc."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field, fields
from typing import Any, Dict, Iterable, List, Mapping, Optional, Set, Tuple

from ge.error import GeError, PassError
from ge.graph import Graph
from ge.passes import _bridge, registry
from ge.passes._native import refresh_python_passes, run_passes
from ge.passes.base import DecomposePass, FusionBasePass, PassStage

__all__ = ["HookFailure", "PassResult", "apply"]


@dataclass(frozen=True)
class HookFailure:
    """How one hook of a pass failed.

    Attributes:
        source: "file: class".
        hook: "replacement" and the like.
        message: one line, "ValueError: no such attribute".
        traceback: as Python prints it; empty when there is none.
    """

    source: str
    hook: str
    message: str
    traceback: str

    def __str__(self) -> str:
        text = f"{self.source}: {self.hook}: {self.message}"
        return f"{text}\n{self.traceback.rstrip()}" if self.traceback else text


@dataclass(frozen=True)
class PassResult:
    """What one pass did.

    Attributes:
        name: the name it is registered under.
        stage: "BeforeInferShape" and the like.
        kind: "pattern_fusion", "decompose" or "fusion_base".
        source: where it comes from.
        matches: places that were found.
        rewrites: places that were replaced.
        changed: whether the graph is another one than before.
        failed: whether the pass failed; the graph is then as it was before it.
        seconds: time spent in it.
        nodes_before: nodes before it, without Data, Const and NetOutput.
        nodes_after: the same after it.
        error: one line, when it failed.
        errors: the failures in full.
        warnings: failures that only skipped a place.
        more_warnings: how many more of them there were.
    """

    name: str
    stage: str
    kind: str
    source: str
    matches: int
    rewrites: int
    changed: bool
    failed: bool
    seconds: float
    nodes_before: int
    nodes_after: int
    error: str = ""
    errors: Tuple[HookFailure, ...] = field(default=(), repr=False)
    warnings: Tuple[HookFailure, ...] = field(default=(), repr=False)
    more_warnings: int = 0


_PLAIN_FIELDS = [f.name for f in fields(PassResult) if f.name not in ("errors", "warnings")]


_lock = threading.Lock()
_names_in_use: Set[str] = set()


def apply(
    graph: Graph,
    passes: Optional[Iterable[type]] = None,
    *,
    on_error: str = "isolate",
    options: Optional[Mapping[str, str]] = None,
) -> List[PassResult]:
    """Runs passes over `graph`, stage by stage, with shape inference between the stages.

    Args:
        graph: changed in place.
        passes: the classes to run, registered or not; one that is not registered runs before shape inference under its
            own name. None runs every registered pass, those of ASCEND_GE_PY_PASS_PATH included.
        on_error: "isolate" undoes what a failing pass did, reports it in its result and goes on; "fail" raises, also where a requirement raised.
        options: what `PassContext.get_option_value` gives to the passes.

    Returns:
        A result for each pass that ran, in the order of running.

    Raises:
        TypeError: `graph` is no Graph, or an item of `passes` no pass class.
        ValueError: `on_error` is neither of the two.
        GeError: Python passes cannot run in this process, or shape inference failed.
        PassError: a class cannot be run, or, with "fail", a pass failed.
        KeyboardInterrupt: a hook was interrupted.
    """
    if not isinstance(graph, Graph):
        raise TypeError(f"apply needs a ge.graph.Graph, got '{type(graph).__name__}'")
    if on_error not in ("isolate", "fail"):
        raise ValueError(f"on_error must be 'isolate' or 'fail', got '{on_error}'")
    if passes is None:
        return _run(graph, None, on_error, options)
    wanted: List[registry.PassDescriptor] = []
    temporary: List[registry.PassDescriptor] = []
    try:
        for cls in passes:
            descriptor = _registered(cls)
            if descriptor is None:
                descriptor = _add_temporary(cls)
                temporary.append(descriptor)
            wanted.append(descriptor)
        return _run(graph, wanted, on_error, options)
    finally:
        for descriptor in temporary:
            _drop_temporary(descriptor)


def explain_pass(graph: Graph, cls: type, options: Optional[Mapping[str, str]]) -> Dict[str, Any]:
    """Runs one pass over a copy of `graph`; its report with the explanation. Raises what `apply` raises."""
    if not isinstance(graph, Graph):
        raise TypeError(f"explain needs a ge.graph.Graph, got '{type(graph).__name__}'")
    temporary = None
    try:
        descriptor = _registered(cls)
        if descriptor is None:
            descriptor = temporary = _add_temporary(cls)
        _hand_over([descriptor])
        name = descriptor.pass_name
        report = run_passes(graph, [name], options=None if options is None else dict(options), explain=name)
    finally:
        if temporary is not None:
            _drop_temporary(temporary)
    for item in report["passes"]:
        _raise_if_interrupted(item["errors"])
        if item["name"] == name:
            return item
    error = GeError(report["error"])
    error.code = report["code"]
    raise error


def _registered(cls: Any) -> Optional[registry.PassDescriptor]:
    if not isinstance(cls, type) or not issubclass(cls, FusionBasePass):
        found = f"class '{cls.__name__}'" if isinstance(cls, type) else f"'{type(cls).__name__}'"
        raise TypeError(f"apply runs subclasses of ge.passes.FusionBasePass, got {found}")
    # Not inherited: a subclass of a registered pass is another pass.
    own = cls.__dict__.get("__ge_pass_descriptor__")
    if own is None or registry.get_registered_pass_by_descriptor_key(own.descriptor_key) is not own:
        return None
    return own


def _add_temporary(cls: type) -> registry.PassDescriptor:
    own = cls.__dict__.get("__ge_pass_descriptor__")
    if own is not None:
        stage, kind, op_types, wanted = own.stage, own.kind, own.op_types, own.pass_name
    else:
        stage, wanted = PassStage.BEFORE_INFER_SHAPE, cls.__name__
        op_types = getattr(cls, "op_types", None) or []
        kind = registry.KIND_DECOMPOSE if issubclass(cls, DecomposePass) else registry.default_kind(cls)
        if kind == registry.KIND_DECOMPOSE and not op_types:
            raise ValueError(
                f"apply cannot run DecomposePass '{cls.__name__}': it names no op types; "
                "set the class attribute op_types or use register_decompose_pass"
            )
    with _lock:
        taken = _names_in_use | {d.pass_name for d in registry.get_registered_passes()}
        name, number = wanted, 1
        while name in taken:
            number += 1
            name = f"{wanted}#{number}"
        _names_in_use.add(name)
    before, after = (own.before, own.after) if own is not None else ((), ())
    descriptor = registry.make_descriptor(cls, name, stage, kind, op_types, before=before, after=after)
    _bridge.add_temporary(descriptor)
    return descriptor


def _drop_temporary(descriptor: registry.PassDescriptor) -> None:
    _bridge.remove_temporary(descriptor.descriptor_key)
    with _lock:
        _names_in_use.discard(descriptor.pass_name)


def _hand_over(wanted: Iterable[registry.PassDescriptor]) -> List[Dict[str, Any]]:
    """Makes the core know what is registered by now, `wanted` above all. Returns the problems that came up."""
    problems = refresh_python_passes()
    _raise_if_interrupted(problems)
    for descriptor in wanted:
        if not _bridge.is_handed_over(descriptor.descriptor_key):
            why = "; ".join(str(f) for f in _failures(problems) if f.hook == "register")
            raise PassError(f"pass '{descriptor.pass_name}' cannot be run: {why or 'it was refused'}")
    return problems


def _failures(items: Iterable[Dict[str, Any]]) -> Tuple[HookFailure, ...]:
    return tuple(HookFailure(i["source"], i["hook"], i["message"], i["traceback"]) for i in items)


def _run(
    graph: Graph,
    wanted: Optional[List[registry.PassDescriptor]],
    on_error: str,
    options: Optional[Mapping[str, str]],
) -> List[PassResult]:
    problems = _hand_over(wanted or ())
    failures = _failures(problems)
    results: List[PassResult] = []
    names = None
    if wanted is None:
        results = [_problem_result(p) for p in problems]
        if failures and on_error == "fail":
            raise PassError(f"a Python pass could not be loaded: {failures[0]}")
    else:
        names = [d.pass_name for d in wanted]
    report = run_passes(graph, names, on_error=on_error, options=None if options is None else dict(options))
    failure = ""
    for item in report["passes"]:
        _raise_if_interrupted(item["errors"])
        errors, warnings = _failures(item.pop("errors")), _failures(item.pop("warnings"))
        values = {name: item[name] for name in _PLAIN_FIELDS if name in item}
        results.append(PassResult(**values, errors=errors, warnings=warnings))
        # An isolated failure does not end the run; what ended it is in the report.
        if on_error == "fail" and item["failed"]:
            failure = f"pass '{item['name']}' failed: {item['error']}" + "".join(f"\n{e}" for e in errors)
    if report["error"] is not None:
        error = PassError(failure) if failure else GeError(report["error"])
        error.code = report["code"]
        raise error
    if failure:
        raise PassError(failure)
    return results


def _problem_result(problem: Dict[str, Any]) -> PassResult:
    """A plugin that could not be loaded, in the form of a pass that failed."""
    failures = _failures([problem])
    return PassResult(
        name=problem["source"],
        stage="",
        kind="",
        source=problem["source"],
        matches=0,
        rewrites=0,
        changed=False,
        failed=True,
        seconds=0.0,
        nodes_before=0,
        nodes_after=0,
        error=f"{problem['hook']}: {problem['message']}",
        errors=failures,
    )


def _raise_if_interrupted(errors: Iterable[Dict[str, Any]]) -> None:
    for error in errors:
        if error["interrupt"]:
            kind = SystemExit if error["message"].startswith("SystemExit") else KeyboardInterrupt
            raise kind(error["message"])
