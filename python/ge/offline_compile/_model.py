"""Compiling a graph that a program made, and saving what comes out."""

from __future__ import annotations

import logging
import os
import struct
import tempfile
from dataclasses import dataclass, field
from typing import Any, Dict, List, Mapping, NoReturn, Optional, Sequence

from ge.error import GeError
from ge.graph import Graph

__all__ = [
    "GraphWithOptions",
    "ModelBuffer",
    "build_finalize",
    "build_initialize",
    "build_model",
    "bundle_build_model",
    "bundle_save_model",
    "save_model",
]

_log = logging.getLogger(__name__)
_global_options: Optional[Dict[str, str]] = None

_HEADER = 256
_MODEL_TYPE_AT, _BUNDLE = 82, 5
_MODEL_NUM_AT, _MODEL_LENGTH_AT = 156, 184
_BUNDLE_MODEL, _BUNDLE_VARIABLES = 24, 25


def _fail(api: str, error: BaseException, **context: Any) -> NoReturn:
    message = str(error)
    parts = [
        f"{api} failed",
        *([", ".join(f"{k}={v}" for k, v in context.items())] if context else []),
        message,
    ]
    raised = GeError("; ".join(parts), message, api, context)
    raised.code = getattr(error, "code", "")
    raise raised from error


def _texts(options: Optional[Mapping[str, str]], what: str) -> Dict[str, str]:
    if options is None:
        return {}
    if not isinstance(options, Mapping):
        raise TypeError(f"{what} must be a dict of strings, got '{type(options).__name__}'")
    for key, value in options.items():
        if not isinstance(key, str) or not isinstance(value, str):
            raise TypeError(
                f"{what} must be a dict of strings, got {type(key).__name__} -> {type(value).__name__} for '{key}'"
            )
    return dict(options)


class ModelBuffer:
    """A compiled model, made by `build_model` and `bundle_build_model`.

    Attributes:
        length: bytes of the .om file that it makes.
    """

    _parts: List[Any]
    _length: Optional[int]

    def __init__(self) -> None:
        raise RuntimeError("a ModelBuffer can't be made by hand; build_model makes one")

    @classmethod
    def _of(cls, parts: List[Any]) -> ModelBuffer:
        buffer = object.__new__(cls)
        buffer._parts = parts
        buffer._length = None
        return buffer

    @property
    def length(self) -> int:
        return self.get_length()

    def get_length(self) -> int:
        """Bytes of the .om file that it makes."""
        if self._length is None:
            with tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, "model.om")
                self._save(path)
                self._length = os.path.getsize(path)
        return self._length

    def _save(self, path: str) -> None:
        from ge.passes.runtime import ensure_native_module

        native = ensure_native_module()
        if len(self._parts) == 1:
            graph, attrs = self._parts[0]
            native.save_built(graph, path, attrs)
            return
        with tempfile.TemporaryDirectory(dir=os.path.dirname(path) or ".", prefix=".bundle-") as folder:
            models = []
            for i, (graph, attrs) in enumerate(self._parts):
                models.append(os.path.join(folder, f"{i}.om"))
                native.save_built(graph, models[-1], attrs)
            whole = os.path.join(folder, "bundle.om")
            _write_bundle(whole, models)
            os.replace(whole, path)

    def __copy__(self) -> NoReturn:
        raise RuntimeError("a ModelBuffer can't be copied; build the model again")

    def __deepcopy__(self, memo: Any) -> NoReturn:
        self.__copy__()

    def __reduce__(self) -> NoReturn:
        self.__copy__()

    def __repr__(self) -> str:
        names = ", ".join(f"'{graph.name}'" for graph, _ in self._parts)
        return f"<ge.offline_compile.ModelBuffer of {names}>"


def _write_bundle(path: str, models: Sequence[str]) -> None:
    """One container around whole .om files; its offsets count from the end of the header."""
    sizes = [8] + [os.path.getsize(model) for model in models]
    kinds = [_BUNDLE_VARIABLES] + [_BUNDLE_MODEL] * len(models)
    table = struct.pack("<II", len(sizes), 0)
    offset = 8 + 24 * len(sizes)
    for kind, size in zip(kinds, sizes):
        table += struct.pack("<IIQQ", kind, 0, offset, size)
        offset += size
    with open(path, "wb") as out:
        with open(models[0], "rb") as first:
            header = bytearray(first.read(_HEADER))
        header[_MODEL_TYPE_AT] = _BUNDLE
        struct.pack_into("<I", header, _MODEL_NUM_AT, len(models))
        struct.pack_into("<Q", header, _MODEL_LENGTH_AT, offset)
        out.write(header + table + struct.pack("<Q", 0))
        for model in models:
            with open(model, "rb") as part:
                while block := part.read(1 << 20):
                    out.write(block)


@dataclass
class GraphWithOptions:
    """A graph of a bundle.

    Attributes:
        graph: the graph.
        build_options: its options, as for `build_model`.
    """

    graph: Graph
    build_options: Dict[str, str] = field(default_factory=dict)


def build_initialize(global_options: Optional[Mapping[str, str]] = None) -> None:
    """Sets options that hold for all later builds of this process, such as ``{"ge.socVersion": "Ascend910B1"}``.

    Args:
        global_options: keys of the library; unknown ones are only warned about.

    Raises:
        TypeError: an option is not a string.
    """
    global _global_options
    _global_options = _texts(global_options, "global_options")


def build_finalize() -> None:
    """Forgets the options of `build_initialize`."""
    global _global_options
    _global_options = None


def _build(graph: Any, options: Optional[Mapping[str, str]], api: str) -> Any:
    if not isinstance(graph, Graph):
        raise TypeError(f"graph must be a ge.graph.Graph, got '{type(graph).__name__}'")
    own = _texts(options, "build_options")
    from ge.passes._native import refresh_python_passes
    from ge.passes.runtime import ensure_native_module

    native = ensure_native_module()
    try:
        for problem in refresh_python_passes():
            raise GeError(f"a Python pass could not be loaded: {problem['source']}: {problem['message']}")
        merged = dict(_known(native, _global_options or {}))
        merged.update(own)
        built, attrs, warnings = native.build_graph(graph, merged)
    except (RuntimeError, ValueError) as error:
        _fail(api, error, graph_name=graph.name)
    for warning in warnings:
        _log.warning("%s: %s", graph.name, warning)
    return built, attrs


def _known(native: Any, options: Mapping[str, str]) -> Dict[str, str]:
    known = {}
    for key, value in options.items():
        if native.is_option_key(key):
            known[key] = value
        else:
            _log.warning("build_initialize: the option '%s' is unknown and has no effect", key)
    return known


def build_model(graph: Graph, build_options: Optional[Mapping[str, str]] = None) -> ModelBuffer:
    """Compiles a graph: all registered passes run over a copy of it, with shape inference between the stages.

    Args:
        graph: stays as it is.
        build_options: keys of the library, such as ``{"input_shape": "x:1,3", "ge.optimizationSwitch": "FuseAdd:off"}``; they
            win over those of `build_initialize`.

    Returns:
        The model, for `save_model`.

    Raises:
        TypeError: `graph` is no Graph, or an option is not a string.
        GeError: an option is wrong, or a pass or the inference failed; `code` has the compiler's code.
    """
    return ModelBuffer._of([_build(graph, build_options, "BuildModel")])


def save_model(output_file: str, model: ModelBuffer) -> None:
    """Writes a model to a file.

    Args:
        output_file: path; ``.om`` is added unless it ends so, missing folders are created.
        model: what `build_model` returned.

    Raises:
        TypeError: `model` is no ModelBuffer.
        GeError: the file cannot be written, or the graph not be put into one.
    """
    _save(output_file, model, "SaveModel")


def bundle_build_model(graph_with_options_list: Sequence[GraphWithOptions]) -> ModelBuffer:
    """Compiles several graphs into one model.

    Args:
        graph_with_options_list: two graphs or more.

    Returns:
        The model, for `bundle_save_model`.

    Raises:
        TypeError: an item is no GraphWithOptions.
        ValueError: there are fewer than two.
        GeError: as for `build_model`.
    """
    items = list(graph_with_options_list)
    for item in items:
        if not isinstance(item, GraphWithOptions):
            raise TypeError(f"bundle_build_model takes GraphWithOptions, got '{type(item).__name__}'")
    if len(items) < 2:
        raise ValueError(
            f"a bundle needs two graphs or more, got {len(items)}; build_model compiles a single one"
        )
    return ModelBuffer._of([_build(item.graph, item.build_options, "BundleBuildModel") for item in items])


def bundle_save_model(output_file: str, model: ModelBuffer) -> None:
    """Writes a bundle to a file; as `save_model`."""
    _save(output_file, model, "BundleSaveModel")


def _save(output_file: str, model: Any, api: str) -> None:
    if not isinstance(model, ModelBuffer):
        raise TypeError(f"model must be a ModelBuffer, got '{type(model).__name__}'")
    path = os.fspath(output_file)
    if not path.endswith(".om"):
        path += ".om"
    try:
        os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
        model._save(path)
    except (RuntimeError, ValueError, OSError) as error:
        _fail(api, error, output_file=path)
