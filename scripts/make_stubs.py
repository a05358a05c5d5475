#!/usr/bin/env python3
"""Writes the type stubs of an installed tree: of the native modules, and of the operator modules of ge.es.

    python scripts/make_stubs.py PREFIX

PREFIX/ge holds the libraries; the Python files may be there too or not (a wheel gets them later), those of the source tree are
used. What the operators are called with comes from the registry itself, what the native classes are called with from the
modules, from native_types.py and from custom_op_types.py.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import os
import re
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any, Dict, Iterator, List, Mapping, NamedTuple, Optional, Tuple

import custom_op_types
import native_types

ROOT = Path(__file__).resolve().parent.parent
GROUPS = ("all", "cv", "math", "nn", "transformer")

_PASS_HEADER = '''"""Native classes of ge.graph, ge.es and ge.passes."""

import os
from typing import Any, Dict, Iterable, List, NoReturn, Optional, Tuple, Union

from ge.es.graph_builder import InputType
from ge.es.tensor_like import TensorLike
from ge.graph.graph import DumpFormat
from ge.graph.tensor_desc import Shape
from ge.graph.types import AttrValueType, DataType, Format, Placement
from ge.passes._values import NodeIo

AttrValue = Union[str, float, bool, int, DataType, Tensor, List[float], List[bool], List[int], List[str]]

__version__: str

def __getattr__(name: str) -> Any: ...
'''


_CUSTOM_OP_HEADER = '''"""Native classes of ge.custom_op, ge.onnx_plugin and ge.runtime."""

from typing import Any, List, Mapping, Optional, Tuple, Union

from ge.graph.node import Node
from ge.graph.types import DataType, Format
from ge.runtime.types import TensorPlacement

__version__: str

def __getattr__(name: str) -> Any: ...
'''


class NativeModule(NamedTuple):
    """What a stub needs beside the module.

    Attributes:
        stub: where it goes.
        header: what it begins with.
        parameters, results: types that C++ does not know, as in native_types.py.
        setters: the same of properties, where they take more than they give.
        hidden: names of classes and, as "Class._method", of methods that only the package's own code calls.
    """

    stub: str
    header: str
    parameters: Mapping[str, str]
    results: Mapping[str, str]
    setters: Mapping[str, str]
    hidden: Tuple[str, ...]


PASSES = NativeModule(
    "ge/passes/_ge_pass_native.pyi",
    _PASS_HEADER,
    native_types.PARAMETERS,
    native_types.RESULTS,
    {},
    ("EsOperator",),
)
CUSTOM_OPS = NativeModule(
    "ge/custom_op/_ge_custom_op_native.pyi",
    _CUSTOM_OP_HEADER,
    custom_op_types.PARAMETERS,
    custom_op_types.RESULTS,
    custom_op_types.SETTERS,
    ("AnnotatedArgsContext._", "EagerOpExecutionContext._"),
)


class _Function:
    """One overload of a native function, with types from the table where C++ has none."""

    def __init__(self, types: NativeModule, owner: str, name: str, signature: Tuple[Any, ...]) -> None:
        self._types = types
        self.owner = owner
        self.name = name
        self.doc: Optional[str] = signature[1]
        defaults = signature[2] or ()
        text = re.sub(r"\\(\d+)", lambda m: _default(defaults[int(m.group(1))]), signature[0])
        text = re.sub(r"\bge\.(graph|es|passes|runtime|custom_op)(\._ge_pass_native)?\.", "", text)
        text = re.sub(r"^def \(", f"def {name}(", text)
        text = re.sub(r"\blist\]", "List[Any]]", text)
        tree = ast.parse(f"{text}: ...").body[0]
        assert isinstance(tree, ast.FunctionDef)
        self.tree = tree
        arguments = tree.args
        optional = len(arguments.args) - len(arguments.defaults)
        for position, argument in enumerate(arguments.args):
            self._annotate(argument, position >= optional)
        for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults):
            self._annotate(argument, default is not None)
        for argument in (arguments.vararg, arguments.kwarg):
            if argument is not None:
                argument.annotation = ast.Name("Any")
        if name == "__init__":
            tree.returns = ast.Constant(None)
        elif tree.returns is None or ast.unparse(tree.returns) in ("object", "list", "None"):
            known = types.results.get(f"{owner}.{name}", types.results.get(name))
            if known is not None:
                tree.returns = _expression(known)
            elif tree.returns is None or ast.unparse(tree.returns) != "None":
                tree.returns = ast.Name("Any")

    def _annotate(self, argument: ast.arg, has_default: bool) -> None:
        if argument.arg == "self" or argument.annotation is None:
            return
        if ast.unparse(argument.annotation) not in ("object", "object | None", "list"):
            return
        types = self._types.parameters
        known = types.get(f"{self.owner}.{self.name}.{argument.arg}", types.get(argument.arg))
        argument.annotation = _expression(known or "Any")

    def text(self, static: bool, overloaded: bool, indent: str) -> Iterator[str]:
        """Lines of the declaration."""
        if overloaded:
            yield f"{indent}@overload"
        if static:
            yield f"{indent}@staticmethod"
        head = ast.unparse(self.tree).split("\n")[0]
        head = head[: head.rindex(":")]
        if not self.doc:
            yield f"{indent}{head}: ..."
            return
        yield f"{indent}{head}:"
        lines = self.doc.split("\n")
        yield f'{indent}    """{lines[0]}' + ('"""' if len(lines) == 1 else "")
        if len(lines) > 1:
            yield from (f"{indent}    {line}".rstrip() for line in lines[1:])
            yield f'{indent}    """'


def _default(value: Any) -> str:
    # The real default of a parameter that has Ellipsis is a member of an enumeration.
    return repr(value) if value is None or isinstance(value, (bool, int, str)) else "..."


def _expression(text: str) -> ast.expr:
    tree = ast.parse(text, mode="eval")
    return tree.body


def _overloads(types: NativeModule, owner: str, name: str, function: Any) -> List[_Function]:
    found = [_Function(types, owner, name, s) for s in function.__nb_signature__]
    # A later overload that takes all that an earlier one takes says everything.
    if len(found) > 1 and name == "create_input":
        return found[-1:]
    return found


def _class(types: NativeModule, cls: type) -> Iterator[str]:
    yield f"class {cls.__name__}:"
    if cls.__doc__:
        lines = cls.__doc__.split("\n")
        yield f'    """{lines[0]}' + ('"""' if len(lines) == 1 else "")
        if len(lines) > 1:
            yield from (f"    {line}".rstrip() for line in lines[1:])
            yield '    """'
    for name, member in sorted(vars(cls).items()):
        if name.startswith("_") and not name.endswith("__") and f"{cls.__name__}._" in types.hidden:
            continue
        if isinstance(member, property):
            result = types.results.get(f"{cls.__name__}.{name}", types.results.get(name))
            native = _Function(types, cls.__name__, name, member.fget.__nb_signature__[0])  # type: ignore[union-attr]
            yield "    @property"
            result = result or ast.unparse(native.tree.returns or ast.Name("Any"))
            yield f"    def {name}(self) -> {result}: ..."
            if member.fset is not None:
                yield f"    @{name}.setter"
                yield f"    def {name}(self, value: {types.setters.get(f'{cls.__name__}.{name}', result)}) -> None: ..."
        elif hasattr(member, "__nb_signature__"):
            functions = _overloads(types, cls.__name__, name, member)
            static = type(member).__name__ == "nb_func"
            for function in functions:
                yield from function.text(static, len(functions) > 1, "    ")
    yield ""


def native_stub(types: NativeModule, module: Any) -> str:
    """Text of the stub of a native module."""
    lines: List[str] = []
    for _, member in sorted(vars(module).items()):
        if inspect.isclass(member) and member.__name__ not in types.hidden:
            lines += _class(types, member)
    text = types.header + "\n" + "\n".join(lines)
    if "@overload" in text:
        text = text.replace("Union\n", "Union, overload\n", 1)
    return text.rstrip() + "\n"


def operator_stubs() -> Dict[str, str]:
    """Texts of the stubs of the operator modules, by path."""
    operators = importlib.import_module("ge.es._operators")
    stubs = {}
    for group in GROUPS:
        module = importlib.import_module(f"ge.es.{group}")
        names = operators.OperatorModule(module.__name__, {}).operators()
        stubs[f"ge/es/{group}.pyi"] = operators.stub_of_module(inspect.getdoc(module) or group, names)
    return stubs


def write_stubs(prefix: Path) -> None:
    """Puts all stubs into PREFIX/ge."""
    with tempfile.TemporaryDirectory() as folder:
        # Libraries and Python files come together elsewhere: neither the prefix nor the source tree is complete.
        package = Path(folder) / "ge"
        shutil.copytree(prefix / "ge", package, symlinks=False, ignore=shutil.ignore_patterns("*.py", "*.pyi", "__pycache__"))
        shutil.copytree(ROOT / "python" / "ge", package, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__"))
        sys.path.insert(0, folder)
        for variable in "GE_PY_ARTIFACT_DIR", "GE_PY_CUSTOM_OP_ARTIFACT_DIR":
            os.environ.pop(variable, None)
        stubs = {
            types.stub: native_stub(types, importlib.import_module(loader).ensure_native_module())
            for types, loader in ((PASSES, "ge.passes.runtime"), (CUSTOM_OPS, "ge.custom_op._artifact_utils"))
        }
        stubs.update(operator_stubs())
    for name, text in stubs.items():
        target = prefix / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.dont_write_bytecode = True
    write_stubs(Path(sys.argv[1]).resolve())
