"""The classes that passes derive from."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Any, Callable, Iterable, List, Optional, TypeVar, Union

from ge.graph import Graph, Node
from ge.passes._hooks import positional_parameters, uniform_hook, wrap_pattern_replacement
from ge.passes._native import (
    MatchResult,
    PassContext,
    Pattern,
    PatternMatcherConfig,
    SubgraphBoundary,
)
from ge.passes._native import infer_shape as _native_infer_shape
from ge.passes._values import NodeIo
from ge.passes.pattern import is_pattern_method
from ge.passes.replacement import build_pattern, create_replacement

if TYPE_CHECKING:
    from ge.es import TensorHolder

__all__ = [
    "DecomposePass",
    "FusionBasePass",
    "LegacyCustomPass",
    "NodeIo",
    "PassStage",
    "PatternFusionPass",
    "PatternOrGraph",
    "StatusLike",
    "create_pattern",
    "create_replacement",
    "ensure_pattern",
    "infer_shape",
]

PatternOrGraph = Union[Pattern, Graph]
StatusLike = Optional[Union[bool, int]]


_Answer = TypeVar("_Answer")


def _any_parameters(hook: Callable[..., _Answer]) -> Callable[..., _Answer]:
    # Overrides choose among several forms of parameters; to a type checker any of them is as good as the hook's own.
    return hook


class PassStage(str, Enum):
    """Where in the compile a pass runs."""

    BEFORE_INFER_SHAPE = "BeforeInferShape"
    AFTER_INFER_SHAPE = "AfterInferShape"
    AFTER_BUILTIN_FUSION_PASS = "AfterBuiltinFusionPass"
    AFTER_ORIGIN_GRAPH_OPTIMIZE = "AfterOriginGraphOptimize"


class FusionBasePass:
    """A pass that works on the whole graph by itself.

    Instances are made without arguments, a new one for every run over a graph.
    """

    def run(self, graph: Graph, context: PassContext) -> StatusLike:
        """Changes `graph` as the pass wants it.

        Args:
            graph: the graph under compilation; usable until this call returns.
            context: name, options and error message of the present pass.

        Returns:
            None, True or 0 for success, False or another number for failure.
        """
        if isinstance(self, DecomposePass):
            raise NotImplementedError(
                f"{type(self).__name__} is a DecomposePass, which register_fusion_pass cannot run; "
                "register it with register_decompose_pass"
            )
        raise NotImplementedError(f"{type(self).__name__} must override run(self, graph, context)")


class LegacyCustomPass(FusionBasePass):
    """A pass in the form of GE's REGISTER_CUSTOM_PASS, registered with `register_custom_pass`.

    It runs before the fusion passes of its stage, in the order of registration, on the top graph only, and no switch turns
    it off.
    """


class PatternFusionPass(FusionBasePass):
    """A pass that replaces what its patterns match.

    Patterns come from `@pattern` methods or from `patterns()`.

    Args:
        matcher_config: how exactly constants and attributes are compared; None compares neither.

    Attributes:
        static_replacement: set it to True in a class whose replacement is the same for every match: `replacement` is then
            called once in a run over a graph, and what it returned is copied for each match.
    """

    static_replacement: bool = False

    # A subclass whose __init__ doesn't call this one compares neither.
    _matcher_config: Optional[PatternMatcherConfig] = None

    def __init__(self, matcher_config: Optional[PatternMatcherConfig] = None) -> None:
        self._matcher_config = matcher_config

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        own = cls.__dict__
        if "run" in own:
            raise TypeError(
                f"{cls.__name__} overrides run(), which the PatternFusionPass path never calls; "
                "write patterns and replacement, or derive from FusionBasePass"
            )
        methods = [(name, member) for name, member in own.items() if is_pattern_method(member)]
        if methods and "patterns" in own:
            raise TypeError(
                f"{cls.__name__} cannot combine @pattern methods with patterns(); keep one of the two"
            )
        for name, method in methods:
            form = "@pattern methods only support the form (self, inputs)"
            if len(positional_parameters(cls.__name__, name, method, form)) != 2:
                raise TypeError(f"{cls.__name__}.{name}: {form}")
        if methods:
            cls.patterns = _generated_patterns(methods)  # type: ignore[method-assign]
        if "meet_requirements" in own:
            cls.meet_requirements = uniform_hook(  # type: ignore[method-assign]
                cls.__name__, "meet_requirements", own["meet_requirements"], "match_result"
            )
        if "replacement" in own:
            cls.replacement = wrap_pattern_replacement(  # type: ignore[method-assign]
                cls.__name__, own["replacement"]
            )

    @property
    def matcher_config(self) -> Optional[PatternMatcherConfig]:
        """What the pass was constructed with."""
        return self._matcher_config

    def patterns(self) -> Iterable[PatternOrGraph]:
        """The patterns to look for, in this order."""
        raise NotImplementedError(
            f"{type(self).__name__} must have @pattern methods or override patterns(self)"
        )

    @_any_parameters
    def meet_requirements(self, match_result: MatchResult, context: Optional[PassContext] = None) -> bool:
        """Whether this match may be replaced. An override takes `(self, match_result)` or also the context."""
        return True

    @_any_parameters
    def replacement(
        self, match_result: MatchResult, context: Optional[PassContext] = None
    ) -> Union[Graph, TensorHolder, List[TensorHolder]]:
        """The graph to put in the place of the match.

        An override takes `(self, match_result[, context])` and returns a graph, or takes
        `(self, inputs[, match_result][, context])` and returns tensors made from the inputs.
        """
        raise NotImplementedError(f"{type(self).__name__} must override replacement")


class DecomposePass(FusionBasePass):
    """A pass that replaces single nodes of the types it was registered for."""

    op_types: Optional[List[str]] = None

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        own = cls.__dict__
        if "run" in own:
            raise TypeError(
                f"{cls.__name__} overrides run(), which the DecomposePass path never calls; "
                "write replacement, or derive from FusionBasePass"
            )
        for name in ("meet_requirements", "replacement"):
            if name in own:
                setattr(cls, name, uniform_hook(cls.__name__, name, own[name], "node"))

    @_any_parameters
    def meet_requirements(self, node: Node, context: Optional[PassContext] = None) -> bool:
        """Whether this node may be replaced. An override takes `(self, node)` or also the context."""
        return True

    @_any_parameters
    def replacement(self, node: Node, context: Optional[PassContext] = None) -> Graph:
        """The graph to put in the place of `node`: an input for each of its producers, an output for each output."""
        raise NotImplementedError(f"{type(self).__name__} must override replacement(self, node)")


def _generated_patterns(methods: List[Any]) -> Any:
    def patterns(self: PatternFusionPass) -> List[Pattern]:
        """One pattern for each @pattern method, in the order of their definition."""
        return [build_pattern(self, name, method) for name, method in methods]

    return patterns


def create_pattern(graph: Graph) -> Pattern:
    """Makes a pattern of `graph`, which is used up by it."""
    return Pattern(graph)


def ensure_pattern(value: PatternOrGraph) -> Pattern:
    """`value` as a pattern.

    Raises:
        TypeError: it is neither a Pattern nor a Graph.
    """
    if isinstance(value, Pattern):
        return value
    if isinstance(value, Graph):
        return create_pattern(value)
    raise TypeError(
        f"patterns() must give ge.passes.Pattern or ge.graph.Graph objects, got '{type(value).__name__}'"
    )


def infer_shape(replacement: Graph, source: Union[MatchResult, Node, SubgraphBoundary]) -> None:
    """Infers the descs inside `replacement` from what feeds the place it is meant for.

    Args:
        replacement: its Data nodes get shape, dtype and format of the producers; then everything else is inferred.
        source: the match, node or boundary that is to be replaced.

    Raises:
        TypeError: wrong type of replacement or source; the replacement is untouched.
        RuntimeError: the replacement is empty, or inference failed.
    """
    if not isinstance(replacement, Graph):
        raise TypeError(
            f"infer_shape needs a ge.graph.Graph as replacement, got '{type(replacement).__name__}'"
        )
    if not isinstance(source, (MatchResult, Node, SubgraphBoundary)):
        raise TypeError(
            "infer_shape needs a MatchResult, Node or SubgraphBoundary as source, "
            f"got '{type(source).__name__}'"
        )
    _native_infer_shape(replacement, source)
