"""Element types as operator prototypes write them: `TensorType({DT_FLOAT, DT_INT32})`, `TensorType::ALL()`, symbols."""

from __future__ import annotations

from typing import Dict, FrozenSet, List, Optional

from ge.es._proto_lexer import ProtoError, Token
from ge.graph.types import DataType

__all__ = ["data_type_name", "type_expression"]


def _named(names: str) -> FrozenSet[str]:
    return frozenset(f"DT_{name}" for name in names.split())


_SIGNED = _named("INT8 INT16 INT32 INT64")
_UNSIGNED = _named("UINT8 UINT16 UINT32 UINT64")
_INTEGER = _SIGNED | _UNSIGNED
_COMPLEX = _named("COMPLEX32 COMPLEX64 COMPLEX128")
_QUANTIFIED = _named("QINT8 QINT16 QINT32 QUINT8 QUINT16")
_REAL = _INTEGER | _named("DOUBLE FLOAT FLOAT16 BF16")

# The groups that GE's TensorType knows by name.
_GROUPS: Dict[str, FrozenSet[str]] = {
    "ALL": _REAL | _COMPLEX | _QUANTIFIED | _named("BOOL STRING RESOURCE"),
    "BasicType": _REAL | _COMPLEX | _QUANTIFIED,
    "ComplexDataType": _COMPLEX,
    "FLOAT": _named("FLOAT FLOAT16 BF16"),
    "FloatingDataType": _named("DOUBLE FLOAT FLOAT16"),
    "IndexNumberType": _named("INT32 INT64"),
    "IntegerDataType": _INTEGER,
    "NumberType": _REAL | _COMPLEX | _named("QINT8 QINT32 QUINT8"),
    "OrdinaryType": _REAL | _COMPLEX | _named("BOOL"),
    "QuantifiedType": _QUANTIFIED,
    "RealNumberType": _REAL,
    "SignedDataType": _SIGNED,
    "UnaryDataType": _COMPLEX | _named("DOUBLE FLOAT FLOAT16 BF16"),
    "UnsignedDataType": _UNSIGNED,
}

_NOT_TYPES = ("DT_UNDEFINED", "DT_MAX")


def data_type_name(token: Token) -> str:
    """The name of a DataType, checked."""
    if token.kind != "name" or token.value not in DataType.__members__:
        raise ProtoError(token.line, f"expected a data type such as DT_FLOAT, found '{token.shown()}'")
    return token.value


class _Reader:
    def __init__(self, tokens: List[Token], line: int, symbols: Dict[str, List[str]]) -> None:
        self.tokens = tokens
        self.line = line
        self.symbols = symbols
        self.position = 0

    def peek(self) -> Optional[Token]:
        return self.tokens[self.position] if self.position < len(self.tokens) else None

    def next(self, expected: str) -> Token:
        token = self.peek()
        if token is None:
            raise ProtoError(self.line, f"expected {expected}, found the end of the clause")
        self.position += 1
        return token

    def mark(self, value: str) -> None:
        token = self.next(f"'{value}'")
        if token.mark != value:
            raise ProtoError(token.line, f"expected '{value}', found '{token.shown()}'")

    def expression(self) -> FrozenSet[str]:
        token = self.next("TensorType, ListTensorType, Promote or the name of a DATATYPE")
        if token.value == "TensorType" and token.kind == "name":
            following = self.peek()
            if following is not None and following.mark == "::":
                self.position += 1
                return self.group(self.next("the name of a group of types"))
            self.mark("(")
            found = self.members()
            self.mark(")")
            return found
        if token.value == "ListTensorType":
            self.mark("(")
            found = self.expression()
            self.mark(")")
            return found
        if token.value == "Promote":
            self.mark("(")
            found = self.promoted()
            self.mark(")")
            return found
        return self.symbol(token)

    def symbol(self, token: Token) -> FrozenSet[str]:
        types = self.symbols.get(token.value)
        if types is None:
            known = ", ".join(sorted(self.symbols)) or "none"
            raise ProtoError(
                token.line,
                f"expected TensorType or a symbol that a DATATYPE clause declares ({known}), found '{token.shown()}'",
            )
        return frozenset(types)

    def group(self, token: Token) -> FrozenSet[str]:
        types = _GROUPS.get(token.value)
        if types is None:
            raise ProtoError(
                token.line, f"expected one of TensorType's groups ({', '.join(_GROUPS)}), found '{token.shown()}'"
            )
        self.mark("(")
        self.mark(")")
        return types

    def members(self) -> FrozenSet[str]:
        """`{DT_A, BasicType(), TensorType::ALL()}` or one of them without braces."""
        following = self.peek()
        if following is None or following.mark != "{":
            return self.member()
        self.mark("{")
        found: FrozenSet[str] = frozenset()
        while True:
            following = self.peek()
            if following is not None and following.mark == "}":
                self.position += 1
                return found
            found |= self.member()
            following = self.peek()
            if following is not None and following.mark == ",":
                self.position += 1
            elif following is None or following.mark != "}":
                token = self.next("',' or '}'")
                raise ProtoError(token.line, f"expected ',' or '}}' after a data type, found '{token.shown()}'")

    def member(self) -> FrozenSet[str]:
        token = self.next("a data type")
        if token.value == "TensorType":
            self.mark("::")
            return self.group(self.next("the name of a group of types"))
        if token.value in _GROUPS:
            return self.group(token)
        name = data_type_name(token)
        if name in _NOT_TYPES:
            raise ProtoError(token.line, f"expected a data type that tensors can have, found '{name}'")
        return frozenset((name,))

    def promoted(self) -> FrozenSet[str]:
        self.mark("{")
        found: FrozenSet[str] = frozenset()
        while True:
            found |= self.symbol(self.next("the name of a DATATYPE"))
            token = self.next("',' or '}'")
            if token.mark == "}":
                return found
            if token.mark != ",":
                raise ProtoError(token.line, f"expected ',' or '}}', found '{token.shown()}'")


def type_expression(tokens: List[Token], line: int, symbols: Dict[str, List[str]]) -> List[str]:
    """Names of the data types of an expression, in the order of their numbers.

    Args:
        tokens: the expression.
        line: where it stands.
        symbols: types by the name that a DATATYPE clause declares.

    Raises:
        ProtoError: it is none.
    """
    reader = _Reader(tokens, line, symbols)
    found = reader.expression()
    rest = reader.peek()
    if rest is not None:
        raise ProtoError(rest.line, f"expected the end of the clause, found '{rest.shown()}'")
    return sorted(found, key=lambda name: DataType[name].value)
