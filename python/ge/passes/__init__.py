"""Graph passes written in Python.

A pass is a class with a few hooks: what to look for, whether it may be replaced, what to put there instead.

    from ge.es.math import Add
    from ge.passes import PassStage, PatternFusionPass, pattern, register_fusion_pass

    @register_fusion_pass(name="remove-add-zero", stage=PassStage.BEFORE_INFER_SHAPE)
    class RemoveAddZero(PatternFusionPass):
        @pattern
        def add_zero(self, inputs):
            return Add(inputs[0], 0.0)

        def replacement(self, inputs):
            return inputs[0]

`atc` finds such files through ASCEND_GE_PY_PASS_PATH; `apply` runs them from Python.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ge._internal.lazy_exports import lazy_exports

from ge.passes.pattern import pattern

if TYPE_CHECKING:
    from ge.passes._native import (
        MatchResult,
        PassContext,
        Pattern,
        PatternMatcherConfig,
        PatternMatcherConfigBuilder,
        SubgraphBoundary,
        SubgraphInput,
        SubgraphOutput,
        SubgraphRewriter,
        find_matches,
        load_pass_library,
    )
    from ge.passes._values import FuseCheckResult, NodeIo
    from ge.passes._apply import PassResult, apply
    from ge.passes._explain import PassExplanation, explain
    from ge.passes.base import (
        DecomposePass,
        FusionBasePass,
        LegacyCustomPass,
        PassStage,
        PatternFusionPass,
        create_pattern,
        infer_shape,
    )
    from ge.passes.fuse_inspector import can_fuse, report_fuse
    from ge.passes.registry import (
        clear_registered_passes,
        get_registered_pass_by_descriptor_key,
        get_registered_pass_dicts,
        get_registered_passes,
        register_custom_pass,
        register_decompose_pass,
        register_fusion_pass,
    )
    from ge.passes.replacement import create_replacement

# Where each export lives; resolved at first use, so that importing ge.passes loads no native code.
_HOME = {
    "DecomposePass": "base",
    "FuseCheckResult": "_values",
    "FusionBasePass": "base",
    "LegacyCustomPass": "base",
    "MatchResult": "_native",
    "NodeIo": "_values",
    "PassContext": "_native",
    "PassExplanation": "_explain",
    "PassResult": "_apply",
    "PassStage": "base",
    "Pattern": "_native",
    "PatternFusionPass": "base",
    "PatternMatcherConfig": "_native",
    "PatternMatcherConfigBuilder": "_native",
    "SubgraphBoundary": "_native",
    "SubgraphInput": "_native",
    "SubgraphOutput": "_native",
    "SubgraphRewriter": "_native",
    "apply": "_apply",
    "can_fuse": "fuse_inspector",
    "clear_registered_passes": "registry",
    "create_pattern": "base",
    "create_replacement": "replacement",
    "explain": "_explain",
    "find_matches": "_native",
    "get_registered_pass_by_descriptor_key": "registry",
    "get_registered_pass_dicts": "registry",
    "get_registered_passes": "registry",
    "infer_shape": "base",
    "load_pass_library": "_native",
    "register_custom_pass": "registry",
    "register_decompose_pass": "registry",
    "register_fusion_pass": "registry",
    "report_fuse": "fuse_inspector",
}

__all__ = [
    "DecomposePass",
    "FuseCheckResult",
    "FusionBasePass",
    "LegacyCustomPass",
    "MatchResult",
    "NodeIo",
    "PassContext",
    "PassExplanation",
    "PassResult",
    "PassStage",
    "Pattern",
    "PatternFusionPass",
    "PatternMatcherConfig",
    "PatternMatcherConfigBuilder",
    "SubgraphBoundary",
    "SubgraphInput",
    "SubgraphOutput",
    "SubgraphRewriter",
    "apply",
    "can_fuse",
    "clear_registered_passes",
    "create_pattern",
    "create_replacement",
    "explain",
    "find_matches",
    "get_registered_pass_by_descriptor_key",
    "get_registered_pass_dicts",
    "get_registered_passes",
    "infer_shape",
    "load_pass_library",
    "pattern",
    "register_custom_pass",
    "register_decompose_pass",
    "register_fusion_pass",
    "report_fuse",
]

__getattr__, __dir__ = lazy_exports(globals(), {name: f"{__name__}.{home}" for name, home in _HOME.items()})
