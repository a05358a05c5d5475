"""Operator prototypes of a C++ header: what stands between `REG_OP(Type)` and `.OP_END_FACTORY_REG(Type)`.

The clauses are INPUT, OPTIONAL_INPUT, DYNAMIC_INPUT, OUTPUT, DYNAMIC_OUTPUT, ATTR, REQUIRED_ATTR, GRAPH, DYNAMIC_GRAPH and
DATATYPE. Everything outside of prototypes is passed over.
"""

from __future__ import annotations

from typing import Any, Dict, List, NamedTuple, Optional, Tuple

from ge.es._proto_lexer import ProtoError, Token, tokenize
from ge.es._proto_types import type_expression
from ge.es._proto_values import KINDS, default_value

__all__ = ["Header", "Prototype", "read_header"]

_INPUT_KINDS = {"INPUT": "required", "OPTIONAL_INPUT": "optional", "DYNAMIC_INPUT": "dynamic"}
_OUTPUT_KINDS = {"OUTPUT": "required", "DYNAMIC_OUTPUT": "dynamic"}
_CLAUSES = (
    *_INPUT_KINDS, *_OUTPUT_KINDS, "ATTR", "REQUIRED_ATTR", "GRAPH", "DYNAMIC_GRAPH", "DATATYPE", "OP_END_FACTORY_REG",
)  # fmt: skip
_END = "OP_END_FACTORY_REG"


class Prototype:
    """One operator, as plain data.

    Attributes:
        type: the operator's type.
        line: where it stands in the header.
        problem: why there can be no function for it, None if there can.
    """

    def __init__(self, op_type: str, line: int) -> None:
        self.type = op_type
        self.line = line
        self.problem: Optional[str] = None
        self.inputs: List[Tuple[str, str, str]] = []
        self.outputs: List[Tuple[str, str, str]] = []
        self.attrs: List[Tuple[str, str, bool, Any]] = []
        self.subgraphs: List[Tuple[str, bool]] = []

    def description(self) -> Tuple[Any, ...]:
        """What the registry takes."""
        return (self.type, self.inputs, self.outputs, self.attrs, self.subgraphs)


class Header(NamedTuple):
    """The prototypes of a header, and what is wrong in it as pairs of line and text."""

    prototypes: List[Prototype]
    problems: List[Tuple[int, str]]


class _Clause(NamedTuple):
    name: str
    line: int
    arguments: List[List[Token]]


def _split_arguments(tokens: List[Token]) -> List[List[Token]]:
    """What commas separate, braces and parentheses kept together."""
    arguments: List[List[Token]] = [[]]
    depth = 0
    for token in tokens:
        if token.mark in ("(", "{"):
            depth += 1
        elif token.mark in (")", "}"):
            depth -= 1
        if depth == 0 and token.mark == ",":
            arguments.append([])
        else:
            arguments[-1].append(token)
    return arguments if tokens else []


class _Parser:
    def __init__(self, tokens: List[Token]) -> None:
        self.tokens = tokens
        self.position = 0

    def at_prototype(self) -> bool:
        return self.tokens[self.position].kind == "name" and self.tokens[self.position].value == "REG_OP"

    def skip_to_prototype(self) -> bool:
        """Moves to the next REG_OP; False when there is none."""
        while self.position < len(self.tokens):
            if self.at_prototype():
                return True
            self.position += 1
        return False

    def parenthesised(self, name: str, line: int) -> List[Token]:
        """The tokens between the parentheses that come next."""
        if self.position >= len(self.tokens) or self.tokens[self.position].mark != "(":
            found = self.tokens[self.position].shown() if self.position < len(self.tokens) else "the end of the file"
            raise ProtoError(line, f"expected '(' after {name}, found '{found}'")
        self.position += 1
        begin = self.position
        depth = 1
        while self.position < len(self.tokens):
            token = self.tokens[self.position]
            if self.at_prototype():
                break
            if token.mark in ("(", "{"):
                depth += 1
            elif token.mark in (")", "}"):
                depth -= 1
            self.position += 1
            if depth == 0:
                return self.tokens[begin : self.position - 1]
        raise ProtoError(line, f"{name}( has no end: expected ')', found none; close the parenthesis")

    def clause(self, op_type: str, line: int) -> _Clause:
        if self.position >= len(self.tokens) or self.at_prototype():
            raise ProtoError(
                line, f"operator '{op_type}' has no end: expected .{_END}({op_type}) after its last clause, found none"
            )
        token = self.tokens[self.position]
        if token.mark != ".":
            raise ProtoError(token.line, f"expected '.' and a clause of operator '{op_type}', found '{token.shown()}'")
        self.position += 1
        if self.position >= len(self.tokens):
            raise ProtoError(token.line, f"expected a clause of operator '{op_type}' after '.', found the end of the file")
        name = self.tokens[self.position]
        if name.value not in _CLAUSES:
            raise ProtoError(name.line, f"expected one of the clauses {', '.join(_CLAUSES)}, found '{name.shown()}'")
        self.position += 1
        return _Clause(name.value, name.line, _split_arguments(self.parenthesised(name.value, name.line)))

    def prototype(self) -> Prototype:
        line = self.tokens[self.position].line
        self.position += 1
        op_type = _only_name(_Clause("REG_OP", line, _split_arguments(self.parenthesised("REG_OP", line))))
        prototype = Prototype(op_type, line)
        clauses: List[_Clause] = []
        while True:
            clause = self.clause(op_type, line)
            if clause.name == _END:
                ended = _only_name(clause)
                if ended != op_type:
                    raise ProtoError(clause.line, f"expected {_END}({op_type}), found '{ended}'")
                break
            clauses.append(clause)
        _fill(prototype, clauses)
        return prototype


def _name(token: Token, what: str) -> str:
    if token.kind != "name":
        raise ProtoError(token.line, f"expected {what}, found '{token.shown()}'")
    return token.value


def _only_name(clause: _Clause) -> str:
    if len(clause.arguments) != 1 or len(clause.arguments[0]) != 1:
        raise ProtoError(clause.line, f"{clause.name} takes one name, found {_shown(clause.arguments)}")
    return _name(clause.arguments[0][0], f"a name in {clause.name}")


def _shown(arguments: List[List[Token]]) -> str:
    text = ", ".join(" ".join(t.shown() for t in argument) for argument in arguments)
    return f"'{text}'" if text else "nothing"


def _named(clause: _Clause, count: int, form: str) -> str:
    """The first argument of a clause with that many of them."""
    if len(clause.arguments) != count or any(not argument for argument in clause.arguments):
        raise ProtoError(clause.line, f"expected {clause.name}({form}), found {_shown(clause.arguments)}")
    if len(clause.arguments[0]) != 1:
        raise ProtoError(clause.line, f"expected a name in {clause.name}, found {_shown(clause.arguments[:1])}")
    return _name(clause.arguments[0][0], f"a name in {clause.name}")


def _symbols(clauses: List[_Clause]) -> Dict[str, List[str]]:
    """Types by symbol. A symbol may be made of others, in whatever order they stand."""
    waiting = [c for c in clauses if c.name == "DATATYPE"]
    symbols: Dict[str, List[str]] = {}
    while waiting:
        undefined: List[_Clause] = []
        problem: Optional[ProtoError] = None
        for clause in waiting:
            name = _named(clause, 2, "symbol, types")
            if name in symbols:
                raise ProtoError(clause.line, f"symbol '{name}' is declared twice; give each DATATYPE a name of its own")
            try:
                symbols[name] = type_expression(clause.arguments[1], clause.line, symbols)
            except ProtoError as error:
                problem = problem or error
                undefined.append(clause)
        if problem is not None and len(undefined) == len(waiting):
            raise problem
        waiting = undefined
    return symbols


def _fill(prototype: Prototype, clauses: List[_Clause]) -> None:
    symbols = _symbols(clauses)
    taken: Dict[Tuple[str, str], int] = {}

    def once(group: str, name: str, line: int) -> None:
        first = taken.get((group, name))
        if first is not None:
            raise ProtoError(line, f"{group} '{name}' of operator '{prototype.type}' is there already, in line {first}")
        taken[group, name] = line

    for clause in clauses:
        if clause.name in _INPUT_KINDS or clause.name in _OUTPUT_KINDS:
            name = _named(clause, 2, "name, types")
            types = " ".join(type_expression(clause.arguments[1], clause.line, symbols))
            if clause.name in _INPUT_KINDS:
                once("input", name, clause.line)
                prototype.inputs.append((name, _INPUT_KINDS[clause.name], types))
            else:
                once("output", name, clause.line)
                prototype.outputs.append((name, _OUTPUT_KINDS[clause.name], types))
        elif clause.name in ("GRAPH", "DYNAMIC_GRAPH"):
            name = _only_name(clause)
            once("subgraph", name, clause.line)
            prototype.subgraphs.append((name, clause.name == "DYNAMIC_GRAPH"))
        elif clause.name in ("ATTR", "REQUIRED_ATTR"):
            once("attribute", _attr(prototype, clause), clause.line)


def _attr(prototype: Prototype, clause: _Clause) -> str:
    required = clause.name == "REQUIRED_ATTR"
    name = _named(clause, 2 if required else 3, "name, kind" if required else "name, kind, default")
    kind_token = clause.arguments[1][0]
    if len(clause.arguments[1]) != 1 or kind_token.value not in KINDS:
        raise ProtoError(
            kind_token.line,
            f"expected the kind of attribute '{name}' ({', '.join(KINDS)}), found {_shown(clause.arguments[1:2])}",
        )
    kind = KINDS[kind_token.value]
    if kind is None:
        prototype.problem = f"attribute '{name}' is of kind {kind_token.value}"
        return name
    default = None
    if not required:
        default, problem = default_value(kind, clause.arguments[2], clause.line)
        if problem is not None:
            prototype.problem = f"attribute '{name}' {problem}"
    prototype.attrs.append((name, kind, required, default))
    return name


def read_header(source: str) -> Header:
    """Reads all prototypes; a defect in one of them does not keep the others from being read.

    Args:
        source: text of the header.
    """
    try:
        parser = _Parser(tokenize(source))
    except ProtoError as error:
        return Header([], [(error.line, str(error))])
    prototypes: List[Prototype] = []
    problems: List[Tuple[int, str]] = []
    lines: Dict[str, int] = {}
    while parser.skip_to_prototype():
        try:
            prototype = parser.prototype()
        except ProtoError as error:
            problems.append((error.line, str(error)))
            continue
        if prototype.type in lines:
            first = lines[prototype.type]
            problems.append((prototype.line, f"operator '{prototype.type}' is there already, in line {first}"))
            continue
        lines[prototype.type] = prototype.line
        prototypes.append(prototype)
    return Header(prototypes, problems)
