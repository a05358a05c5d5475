"""The native classes behind ge.passes, from the artifact set that fits this interpreter."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ge.passes.runtime import ensure_native_module

_module = ensure_native_module()

if TYPE_CHECKING:
    from ge.passes._ge_pass_native import (
        MatchResult,
        PassContext,
        Pattern,
        PatternMatcherConfig,
        PatternMatcherConfigBuilder,
        SubgraphBoundary,
        SubgraphInput,
        SubgraphOutput,
        SubgraphRewriter,
    )
else:
    MatchResult = _module.MatchResult
    PassContext = _module.PassContext
    Pattern = _module.Pattern
    PatternMatcherConfig = _module.PatternMatcherConfig
    PatternMatcherConfigBuilder = _module.PatternMatcherConfigBuilder
    SubgraphBoundary = _module.SubgraphBoundary
    SubgraphInput = _module.SubgraphInput
    SubgraphOutput = _module.SubgraphOutput
    SubgraphRewriter = _module.SubgraphRewriter
find_matches = _module.find_matches
infer_shape = _module.infer_shape
load_pass_library = _module.load_pass_library
native_can_fuse = _module.native_can_fuse
native_report_fuse = _module.native_report_fuse
open_pass_libraries = _module.open_pass_libraries
refresh_python_passes = _module.refresh_python_passes
registered_passes = _module.registered_passes
run_passes = _module.run_passes
writable_by_others = _module.writable_by_others

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
    "find_matches",
    "infer_shape",
    "load_pass_library",
    "native_can_fuse",
    "native_report_fuse",
    "open_pass_libraries",
    "refresh_python_passes",
    "registered_passes",
    "run_passes",
    "writable_by_others",
]
