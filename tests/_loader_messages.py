"""Messages of the loader as the sources have them, with "..." for each part that is not known before."""

from __future__ import annotations

import ast
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parent.parent
CXX = [
    *sorted((ROOT / "csrc" / "loader").glob("*.cc")),
    *sorted((ROOT / "csrc" / "adapters").glob("*.cc")),
    ROOT / "csrc/abi3_bridge/bridge/start_python.cc",
    ROOT / "csrc/abi3_bridge/bridge/bootstrap.cc",
]
PYTHON = [
    *(ROOT / "python/ge/_internal" / f"{name}.py" for name in ("artifact_utils", "native_loader", "plugin_loader")),
    *(ROOT / "python/ge/passes" / f"{name}.py" for name in ("runtime", "_fallback", "_fallback_build")),
    ROOT / "python/ge_atc/__init__.py",
    ROOT / "python/ge/pyatc/__main__.py",
]
# What makes a message in C++: an error, a reason of one, or a line of the log.
_STARTS = re.compile(
    r"Status::Error\(|GE_LOG\(LogLevel::k(?:Info|Warning|Error),\s*(?:kModule|\"[^\"]*\"),|\b(?:problem|what) = StrCat\(|"
    r"push_back\(\s*StrCat\(|WithContext\(|Unavailable\(|"
    r"\bFail\(|\bRefuse\(d,|errors\.Add\(|std::string\(\"(?=\w+ )|"
    r"\breturn (?=\"\w+ [^\"]*\";)"
)
_EXCEPTIONS = {"UnusableSet", "BuildError", "ImportError", "RuntimeError", "FileNotFoundError", "ValueError"}


def _balanced(text: str, start: int) -> str:
    """The arguments of a call whose opening parenthesis is before `start`."""
    depth, at = 1, start
    while depth:
        if text[at] == '"':
            at = re.compile(r'"(?:\\.|[^"\\])*"').match(text, at).end()
            continue
        depth += {"(": 1, ")": -1}.get(text[at], 0)
        at += 1
    return text[start : at - 1]


def _join(parts: list[str | None]) -> str:
    """Literals as they are, each run of others as dots."""
    text = "".join("\0" if part is None else part for part in parts)
    return re.sub(r"\s*\0[\0\s]*", lambda m: re.sub(r"\0[\0\s]*", "...", m.group(0)), text).strip()


def _of_cxx(text: str) -> set[str]:
    text = re.sub(r"(?<!:)//.*", "", text)
    found = set()
    for start in _STARTS.finditer(text):
        begin, word = start.end(), start.group(0)
        if word.endswith('"'):
            begin -= 1
        arguments = text[begin : text.index(";", begin)] if word.startswith("return") else _balanced(text, begin)
        arguments = re.sub(r'Join\([^"]*, "[^"]*"\)', "joined", arguments)
        tokens = re.findall(r'"((?:\\.|[^"\\])*)"|([^"]+)', arguments)
        parts: list[str | None] = []
        for literal, code in tokens:
            if literal or not code:
                parts.append(literal.encode().decode("unicode_escape"))
            elif re.sub(r"[\s(),+]|StrCat|kModule|std::string\b|std::string_view\b", "", code):
                parts.append(None)
        message = _join(parts)
        if re.search(r"[a-z]{3}", message.replace("...", "")) and not re.fullmatch(r"\.*E\d{5}", message):
            found.add(re.sub(r"\.*E1\d{4}$", "", message))
    return found


def _text_of(node: ast.expr) -> list[str | None]:
    if isinstance(node, ast.Constant):
        return [str(node.value)]
    if isinstance(node, ast.JoinedStr):
        return [part for value in node.values for part in _text_of(value)]
    if isinstance(node, ast.BinOp):
        return _text_of(node.left) + _text_of(node.right)
    return [None]


def _of_python(text: str) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(text)):
        parts: list[ast.expr] = []
        if isinstance(node, ast.Call) and isinstance(node.func, (ast.Name, ast.Attribute)):
            name = node.func.id if isinstance(node.func, ast.Name) else node.func.attr
            if name in _EXCEPTIONS and node.args:
                parts = node.args[:1]
            elif name == "warn" and isinstance(node.args[0], ast.List):
                parts = node.args[0].elts
            elif name == "print" and node.keywords:
                parts = node.args
            elif name == "append":
                parts = [arg for arg in node.args if isinstance(arg, ast.JoinedStr)]
        elif isinstance(node, ast.Return) and isinstance(node.value, ast.JoinedStr):
            parts = [node.value]
        for part in parts:
            message = _join(_text_of(part))
            if re.search(r"[a-z]{3}", message.replace("...", "")):
                found.add(message)
    return found


def messages() -> dict[str, str]:
    """Each message, with the file that has it."""
    found = {}
    for path in CXX:
        found.update((message, str(path.relative_to(ROOT))) for message in _of_cxx(path.read_text()))
    for path in PYTHON:
        found.update((message, str(path.relative_to(ROOT))) for message in _of_python(path.read_text()))
    return found
