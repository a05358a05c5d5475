"""Offline compilation from Python: many models at once."""

from __future__ import annotations

from ge.offline_compile._fleet import CompileJob, CompileResult, compile_many, compile_one

__all__ = ["CompileJob", "CompileResult", "compile_many", "compile_one"]
