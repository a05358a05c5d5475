"""The native classes behind ge.passes, from the artifact set that fits this interpreter."""

from __future__ import annotations

from ge.passes.runtime import ensure_native_module

_module = ensure_native_module()

MatchResult = _module.MatchResult
PassContext = _module.PassContext
Pattern = _module.Pattern
PatternMatcherConfig = _module.PatternMatcherConfig
PatternMatcherConfigBuilder = _module.PatternMatcherConfigBuilder
SubgraphBoundary = _module.SubgraphBoundary
SubgraphInput = _module.SubgraphInput
SubgraphOutput = _module.SubgraphOutput
SubgraphRewriter = _module.SubgraphRewriter
infer_shape = _module.infer_shape

__all__ = [
    "MatchResult",
    "PassContext",
    "Pattern",
    "PatternMatcherConfig",
    "PatternMatcherConfigBuilder",
    "SubgraphBoundary",
    "SubgraphInput",
    "SubgraphOutput",
    "SubgraphRewriter",
    "infer_shape",
]
