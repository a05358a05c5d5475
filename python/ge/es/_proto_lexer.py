"""Tokens of a C++ header: names, numbers, texts and punctuation, each with its line."""

from __future__ import annotations

import re
from typing import List, NamedTuple

__all__ = ["ProtoError", "Token", "tokenize"]


class ProtoError(Exception):
    """Something wrong in a header; `line` says where."""

    def __init__(self, line: int, text: str) -> None:
        super().__init__(text)
        self.line = line


class Token(NamedTuple):
    """`kind` is "name", "number", "text" or "mark"; the value of a text has its escapes resolved."""

    kind: str
    value: str
    line: int

    @property
    def mark(self) -> str:
        """What punctuation it is, "" for anything else."""
        return self.value if self.kind == "mark" else ""

    def shown(self) -> str:
        """The token as a message quotes it."""
        return f'"{self.value}"' if self.kind == "text" else self.value


_NUMBER = re.compile(
    r"(0[xX][0-9a-fA-F]+|(?:\d+\.\d*|\.\d+|\d+)(?:[eE][-+]?\d+)?)([fFlLuU]*)(?![\w.])"
)
_NAME = re.compile(r"[A-Za-z_]\w*")
_TEXT = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
_ESCAPE = re.compile(r"\\(x[0-9a-fA-F]{1,2}|[0-7]{1,3}|.)", re.DOTALL)
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "0": "\0", "a": "\a", "b": "\b", "f": "\f", "v": "\v"}


def _unescape(match: "re.Match[str]") -> str:
    code = match.group(1)
    if code[0] == "x" and len(code) > 1:
        return chr(int(code[1:], 16))
    if code in _ESCAPED:
        return _ESCAPED[code]
    return chr(int(code, 8)) if code.isdigit() else code


def _without_directives(source: str) -> str:
    """The source without preprocessor lines, what `#if 0` leaves out included; lines keep their numbers."""
    kept: List[str] = []
    continued = False
    # One entry an open #if: whether its text is left out.
    left_out: List[bool] = []
    for line in source.split("\n"):
        directive = continued or line.lstrip().startswith("#")
        if directive and not continued:
            words = line.lstrip()[1:].split()
            word = words[0] if words else ""
            if word in ("if", "ifdef", "ifndef"):
                left_out.append(words == ["if", "0"])
            elif word in ("else", "elif") and left_out:
                left_out[-1] = False
            elif word == "endif" and left_out:
                left_out.pop()
        continued = directive and line.rstrip().endswith("\\")
        kept.append("" if directive or any(left_out) else line)
    return "\n".join(kept)


def _without_comments(source: str) -> str:
    """The source with comments as blanks; texts that look like comments stay."""
    out: List[str] = []
    position = 0
    line = 1
    for match in re.finditer(r'"(?:[^"\\\n]|\\.)*"|//[^\n]*|/\*.*?\*/|/\*', source, re.DOTALL):
        out.append(source[position : match.start()])
        line += source.count("\n", position, match.end())
        found = match.group()
        if found == "/*":
            raise ProtoError(line, "a comment begins here, expected its end '*/', found the end of the file; close it")
        out.append(found if found.startswith('"') else " " + "\n" * found.count("\n"))
        position = match.end()
    out.append(source[position:])
    return "".join(out)


def tokenize(source: str) -> List[Token]:
    """The tokens of a header, without comments and preprocessor lines.

    Raises:
        ProtoError: a comment or text without an end, or a number that is none.
    """
    source = _without_directives(_without_comments(source.replace("\r\n", "\n")))
    tokens: List[Token] = []
    position = 0
    line = 1
    while position < len(source):
        char = source[position]
        if char.isspace():
            line += char == "\n"
            position += 1
            continue
        match = None
        if char.isdigit() or (char == "." and source[position + 1 : position + 2].isdigit()):
            match = _NUMBER.match(source, position)
            if match is None:
                raise ProtoError(line, f"expected a number, found '{source[position:].split()[0]}'")
            tokens.append(Token("number", match.group(1), line))
        elif char.isalpha() or char == "_":
            match = _NAME.match(source, position)
            assert match is not None
            tokens.append(Token("name", match.group(), line))
        elif char == '"':
            match = _TEXT.match(source, position)
            if match is None:
                raise ProtoError(line, "a text begins here, expected its end '\"' on the same line, found none; close it")
            tokens.append(Token("text", _ESCAPE.sub(_unescape, match.group(1)), line))
        elif source.startswith("::", position):
            tokens.append(Token("mark", "::", line))
            position += 2
            continue
        else:
            tokens.append(Token("mark", char, line))
            position += 1
            continue
        position = match.end()
    return _without_namespace(tokens)


def _without_namespace(tokens: List[Token]) -> List[Token]:
    """The tokens without the `ge::` that a name may stand behind."""
    kept: List[Token] = []
    for i, token in enumerate(tokens):
        before = tokens[i - 1].value if i > 0 else ""
        after = tokens[i + 1].value if i + 1 < len(tokens) else ""
        if (token.value == "ge" and after == "::") or (token.value == "::" and before == "ge"):
            continue
        kept.append(token)
    return kept
