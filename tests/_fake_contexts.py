"""Contexts of custom operators in Python: they note every call, and give what they were made with."""

from __future__ import annotations

import contextlib
from typing import Any, Dict, List, Tuple


class FakeAttrs:
    """RuntimeAttrs: each reader gives the value at its index."""

    def __init__(self, calls: List[Tuple[Any, ...]], values: List[Any]):
        self._calls = calls
        self._values = values

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("get_"):
            raise AttributeError(name)

        def read(index: int) -> Any:
            self._calls.append((name, index))
            return self._values[index]

        return read


class FakeContext:
    """Gives names of tensors, "input0" for a required one, "input2.1" for the second of a dynamic one.

    calls: what was asked, in order, without the prefix.
    absent: IR indices of optional inputs that are not connected.
    counts: how many tensors a dynamic slot has, by (what, IR index).
    """

    prefix = ""

    def __init__(self, attrs=(), absent=(), counts: Dict[Tuple[str, int], int] = {}, stream: int = 0):
        self.calls: List[Tuple[Any, ...]] = []
        self.invalidated = 0
        self._attrs = list(attrs)
        self._absent = set(absent)
        self._counts = counts
        self._stream = stream

    def _invalidate(self):
        self.invalidated += 1

    def get_stream(self):
        return self._stream

    def __getattr__(self, name: str) -> Any:
        if not name.startswith(f"{self.prefix}get_"):
            raise AttributeError(name)
        name = name[len(self.prefix) :]

        def call(*arguments: int) -> Any:
            self.calls.append((name, *arguments))
            if name == "get_attrs":
                return FakeAttrs(self.calls, self._attrs)
            _, kind, what, suffix = name.split("_")
            if suffix == "num":
                return self._counts[what, arguments[0]]
            if kind == "optional" and arguments[0] in self._absent:
                return None
            return f"{what}{'.'.join(map(str, arguments))}"

        return call


class FakeAnnotatedContext(FakeContext):
    """The context of declare_launch_args, whose readers are private."""

    prefix = "_"


def ir(op_type: str, inputs="", outputs="", **attrs: str) -> Dict[str, Any]:
    """The IR as the bridge gives it: a letter a slot, `r`equired, `o`ptional, `d`ynamic; attributes by name and type."""
    kinds = {"r": 0, "o": 1, "d": 2}
    return {
        "op_type": op_type,
        "inputs": [{"name": f"x{i}", "kind": kinds[letter]} for i, letter in enumerate(inputs)],
        "attrs": [{"name": name, "type": kind} for name, kind in attrs.items()],
        "outputs": [{"name": f"y{i}", "kind": int(letter == "d")} for i, letter in enumerate(outputs)],
    }


@contextlib.contextmanager
def clean_registries(monkeypatch):
    """ge.custom_op and ge.onnx_plugin without operators, plugins, instances or ASCEND_CUSTOM_OPP_PATH."""
    from ge.custom_op import _bridge, bootstrap, proto, registry
    from ge.onnx_plugin import bootstrap as onnx_bootstrap
    from ge.onnx_plugin import registry as onnx_registry

    monkeypatch.delenv("ASCEND_CUSTOM_OPP_PATH", raising=False)

    def clear():
        _bridge.clear_op_impl_holders()
        bootstrap.unload_custom_op_plugins()
        onnx_bootstrap.unload_onnx_plugins()
        registry.clear_registered_op_impls()
        proto.clear_registered_op_protos()
        onnx_registry.clear_registered_onnx_plugins()

    clear()
    yield _bridge
    clear()
