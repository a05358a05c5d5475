"""Offline compilation from Python: a graph to an .om, and many models at once."""

from __future__ import annotations

from typing import Any

from ge.offline_compile._fleet import CompileJob, CompileResult, compile_many, compile_one

__all__ = [
    "CompileJob",
    "CompileResult",
    "GraphWithOptions",
    "ModelBuffer",
    "build_finalize",
    "build_initialize",
    "build_model",
    "bundle_build_model",
    "bundle_save_model",
    "compile_many",
    "compile_one",
    "save_model",
]


def __getattr__(name: str) -> Any:
    # A worker of compile_many needs no compiler of its own.
    if name in __all__:
        from ge.offline_compile import _model

        value = getattr(_model, name)
        globals()[name] = value
        return value
    raise AttributeError(f"module 'ge.offline_compile' has no attribute '{name}'")
