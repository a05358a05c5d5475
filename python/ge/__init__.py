"""GE graph compiler with passes in Python.

`import ge` loads nothing; the parts are `ge.passes`, `ge.graph`, `ge.es`, `ge.onnx`, `ge.offline_compile`, `ge.utils` and `ge.error`.
"""

from __future__ import annotations

__all__ = ["__version__"]


def __getattr__(name: str) -> str:
    if name == "__version__":
        from ge.passes.runtime import ensure_native_module

        version: str = ensure_native_module().__version__
        globals()["__version__"] = version
        return version
    raise AttributeError(f"module 'ge' has no attribute '{name}'")
