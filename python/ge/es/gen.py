"""Makes an operator package out of a C++ header with operator prototypes.

    python -m ge.es.gen --proto my_ops.h --name custom --out build/es_custom
    pip install build/es_custom

After that `from ge.es.custom import MyOp` (or `from es_custom import MyOp`) works, with signatures, docstrings and stubs, and
the operators are known to graphs, dumps and inference as soon as the package is imported. The package needs ge and nothing
else; it holds the prototypes as plain data, no native code.

Operators that are declared in Python need no package: they are in `ge.es.custom` by themselves. For type checkers

    python -m ge.es.gen --custom_op my_ops.py --out build/stubs
    pip install build/stubs

makes their stubs.
"""

from __future__ import annotations

import argparse
import contextlib
import keyword
import os
import pkgutil
import pprint
import sys
import tempfile
from pathlib import Path
from typing import Dict, Iterator, List, Optional, Sequence

import ge.es
from ge.es._operators import SKIPPED, stub_of_module
from ge.es._plugin_loader import SHARED
from ge.es._proto import Prototype, read_header
from ge.es._signature import Signature
from ge.es.prototypes import register
from ge.error import CustomOpError
from ge.passes.runtime import ensure_native_module

__all__ = ["main"]


class _Failed(Exception):
    """Lines for the user."""


def _read(paths: Sequence[Path]) -> Dict[Path, List[Prototype]]:
    """The prototypes of all headers; every defect of every header is reported."""
    found: Dict[Path, List[Prototype]] = {}
    problems: List[str] = []
    owners: Dict[str, str] = {}
    for path in paths:
        try:
            header = read_header(path.read_text(encoding="utf-8"))
        except OSError as error:
            problems.append(f"{path}: cannot be read: {error.strerror}; check the path")
            continue
        except UnicodeDecodeError as error:
            problems.append(f"{path}: cannot be read: expected UTF-8, found byte {error.start} to be none; convert the file")
            continue
        problems += [f"{path}:{line}: {text}" for line, text in header.problems]
        for p in header.prototypes:
            here = f"{path}:{p.line}"
            owner = owners.setdefault(p.type, here)
            if owner != here:
                problems.append(f"{here}: operator '{p.type}' is there already, in {owner}")
        found[path] = header.prototypes
    if problems:
        raise _Failed("\n".join(problems))
    return found


def _usable(found: Dict[Path, List[Prototype]], excluded: Sequence[str]) -> Iterator[Prototype]:
    """The prototypes that get a function. The others are named, save those that never get one and those left out on purpose."""
    for path, prototypes in found.items():
        for p in prototypes:
            if p.type in excluded or p.type in SKIPPED:
                continue
            problem = p.problem
            if keyword.iskeyword(p.type):
                problem = "its type is a keyword of Python"
            if problem is not None:
                print(f"{path}:{p.line}: operator '{p.type}' gets no function: {problem}", file=sys.stderr)
                continue
            yield p


def _register(group: str, found: Dict[Path, List[Prototype]], usable: List[Prototype]) -> None:
    where = {p.type: f"{path}:{p.line}" for path, prototypes in found.items() for p in prototypes}
    problems: List[str] = []
    # One by one only to find out which are at fault.
    with contextlib.suppress(ValueError):
        register(group, [p.description() for p in usable])
    for p in usable:
        try:
            register(group, [p.description()])
        except ValueError as error:
            problems.append(f"{where[p.type]}: {error}")
            continue
        signature = Signature(ensure_native_module().es_operator(p.type).describe())
        names = [parameter.name for parameter in (*signature.positional(), *signature.keyword_only())]
        twice = sorted({n for n in names if names.count(n) > 1})
        if twice:
            problems.append(
                f"{where[p.type]}: operator '{p.type}': expected parameters of different names, found "
                f"'{twice[0]}' twice; rename an input, output or attribute"
            )
    if problems:
        raise _Failed("\n".join(problems))


def _checked_name(name: str) -> str:
    taken = {m.name for m in pkgutil.iter_modules(ge.es.__path__)} - {SHARED}
    if not name.isidentifier() or keyword.iskeyword(name) or name.startswith("_"):
        raise _Failed(f"--name: expected a name that Python can import, such as 'custom', found '{name}'")
    if name in taken:
        raise _Failed(f"--name: expected a name that ge.es has not taken itself, found '{name}'; choose another")
    return name


def _files(name: str, headers: Sequence[Path], prototypes: List[Prototype]) -> Dict[str, str]:
    """The package: texts by path."""
    package = f"es_{name}"
    source = ", ".join(path.name for path in headers)
    doc = f"Operators of {source}."
    init = f'''"""{doc}

Each function is made when it is first asked for; `dir()` names them all.
"""

import sys

from ge.es.prototypes import module_hooks

from {package}._prototypes import PROTOTYPES

__getattr__, __dir__ = module_hooks(__name__, globals(), "{name}", PROTOTYPES)


def get_module():
    """This module; `ge.es` asks for it to offer it as ge.es.{name}."""
    return sys.modules[__name__]
'''
    data = f'''"""The prototypes of {source}: (type, inputs, outputs, attributes, subgraphs).

Inputs and outputs are (name, kind, data types), attributes (name, kind, required, default), subgraphs (name, is a list).
"""

PROTOTYPES = {pprint.pformat([p.description() for p in prototypes], width=110, compact=True, sort_dicts=False)}
'''
    stub = stub_of_module(doc, [p.type for p in prototypes])
    stub += "\nfrom types import ModuleType\n\ndef get_module() -> ModuleType: ...\n"
    project = f'''[build-system]
requires = ["setuptools>=61"]
build-backend = "setuptools.build_meta"

[project]
name = "{package.replace("_", "-")}"
version = "1.0.0"
description = "Operators of {source} for ge.es"
requires-python = ">=3.9"
dependencies = ["ge-py"]

[project.entry-points."ge.es.plugins"]
{name} = "{package}:get_module"

[tool.setuptools]
packages = ["{package}"]

[tool.setuptools.package-data]
{package} = ["*.pyi", "py.typed"]
'''
    return {
        f"{package}/__init__.py": init,
        f"{package}/__init__.pyi": stub,
        f"{package}/_prototypes.py": data,
        f"{package}/py.typed": "",
        "pyproject.toml": project,
    }


def _write(folder: Path, files: Dict[str, str]) -> None:
    """Each file is written beside its place and moved there, so that none is ever half there."""
    for name, text in files.items():
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
        try:
            with open(handle, "w", encoding="utf-8") as out:
                out.write(text)
            os.chmod(temporary, 0o644)
            os.replace(temporary, target)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(temporary)
            raise


def _write_stubs(sources: Sequence[Path], folder: Path) -> int:
    """An installable package of stubs that adds ge.es.custom to those that come with ge."""
    missing = [path for path in sources if not path.exists()]
    if missing:
        raise _Failed(f"--custom_op: expected a .py file or a folder, found nothing at '{missing[0]}'")
    os.environ["ASCEND_CUSTOM_OPP_PATH"] = os.pathsep.join(str(path.resolve()) for path in sources)
    from ge.es import custom
    from ge.es._operators import OperatorModule, stub_of_module

    try:
        dir(custom)
    except CustomOpError as error:
        raise _Failed(str(error)) from error
    operators = OperatorModule("ge.es.custom", {}).operators()
    if not operators:
        raise _Failed("--custom_op: expected at least one register_op, found none")
    files = {
        "ge-stubs/es/custom.pyi": stub_of_module("Custom operators.", operators, custom._summary),
        "ge-stubs/py.typed": "partial\n",
        "pyproject.toml": """[build-system]
requires = ["setuptools>=61"]
build-backend = "setuptools.build_meta"

[project]
name = "ge-custom-op-stubs"
version = "1.0.0"
description = "Type stubs of the custom operators in ge.es.custom"
requires-python = ">=3.9"

[tool.setuptools]
packages = ["ge-stubs", "ge-stubs.es"]

[tool.setuptools.package-data]
ge-stubs = ["py.typed"]
"ge-stubs.es" = ["*.pyi"]
""",
    }
    try:
        _write(folder, files)
    except OSError as error:
        raise _Failed(f"--out: '{error.filename}' cannot be written: {error.strerror}") from error
    print(f"made stubs of {len(operators)} custom operators; install them with: pip install {folder}")
    return 0


def _arguments(argv: Optional[Sequence[str]]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m ge.es.gen", description="Makes an operator package for ge.es out of REG_OP prototypes."
    )
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--proto", nargs="+", type=Path, metavar="FILE.h", help="headers with prototypes")
    source.add_argument(
        "--custom_op",
        nargs="+",
        type=Path,
        metavar="FILE.py",
        help="files with register_op, or folders of them: makes the type stubs of ge.es.custom instead",
    )
    parser.add_argument("--name", help="with --proto: the package is es_NAME, its module ge.es.NAME")
    parser.add_argument("--out", required=True, type=Path, metavar="DIR", help="folder for the package; made if needed")
    parser.add_argument("--exclude", default="", metavar="OP,OP", help="operators to leave out")
    arguments = parser.parse_args(argv)
    if arguments.proto and arguments.name is None:
        parser.error("--proto needs --name")
    return arguments


def main(argv: Optional[Sequence[str]] = None) -> int:
    """Runs the command; returns its exit code. Nothing is written unless everything is right."""
    arguments = _arguments(argv)
    try:
        if arguments.custom_op:
            return _write_stubs(arguments.custom_op, arguments.out)
        name = _checked_name(arguments.name)
        found = _read(arguments.proto)
        prototypes = list(_usable(found, [o for o in arguments.exclude.split(",") if o]))
        if not prototypes:
            listed = ", ".join(map(str, arguments.proto))
            raise _Failed(f"{listed}: expected at least one REG_OP prototype that gets a function, found none")
        _register(name, found, prototypes)
        files = _files(name, arguments.proto, prototypes)
    except _Failed as failed:
        for line in str(failed).split("\n"):
            print(f"[ERROR] {line}", file=sys.stderr)
        return 1
    try:
        _write(arguments.out, files)
    except OSError as error:
        print(f"[ERROR] --out: '{error.filename}' cannot be written: {error.strerror}", file=sys.stderr)
        return 1
    print(f"made es_{name} with {len(prototypes)} operators; install it with: pip install {arguments.out}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
