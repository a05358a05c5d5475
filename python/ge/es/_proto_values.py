"""Kinds of attributes and their defaults as operator prototypes write them."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Optional, Tuple

from ge.es._proto_lexer import ProtoError, Token
from ge.es._proto_types import data_type_name
from ge.graph.types import DataType

__all__ = ["KINDS", "default_value"]

# Kinds as Python annotates them; None for those that no operator function can take.
KINDS: Dict[str, Optional[str]] = {
    "Int": "int",
    "Float": "float",
    "Bool": "bool",
    "String": "str",
    "Type": "DataType",
    "Tensor": "Tensor",
    "ListInt": "List[int]",
    "ListFloat": "List[float]",
    "ListBool": "List[bool]",
    "ListString": "List[str]",
    "ListType": "List[DataType]",
    "ListListInt": "List[List[int]]",
    "Bytes": None,
    "NamedAttrs": None,
    "ListBytes": None,
    "ListListFloat": None,
    "ListNamedAttrs": None,
    "ListTensor": None,
}

_INT_RANGE = range(-(2**63), 2**63)


class _Reader:
    """Reads one default from its tokens."""

    def __init__(self, tokens: List[Token], line: int) -> None:
        self.tokens = tokens
        self.line = line
        self.position = 0

    def peek(self) -> str:
        """The next token unless it is a text."""
        token = self.tokens[self.position] if self.position < len(self.tokens) else None
        return "" if token is None or token.kind == "text" else token.value

    def next(self, expected: str) -> Token:
        if self.position >= len(self.tokens):
            raise ProtoError(self.line, f"expected {expected}, found the end of the clause")
        self.position += 1
        return self.tokens[self.position - 1]

    def end(self) -> None:
        if self.position < len(self.tokens):
            token = self.tokens[self.position]
            raise ProtoError(token.line, f"expected the end of the default, found '{token.shown()}'")

    def _sign(self) -> int:
        sign = 1
        while self.peek() in ("-", "+"):
            sign = -sign if self.next("a number").value == "-" else sign
        return sign

    def integer(self) -> int:
        sign = self._sign()
        token = self.next("an int")
        try:
            # C++ writes octal numbers with a leading 0, which Python refuses.
            value = token.value
            octal = len(value) > 1 and value.isdigit() and value[0] == "0"
            number = sign * (int(value, 8) if octal else int(value, 0))
        except ValueError:
            raise ProtoError(token.line, f"expected an int, found '{token.shown()}'") from None
        if token.kind != "number" or number not in _INT_RANGE:
            raise ProtoError(token.line, f"expected an int of 64 bits, found '{token.shown()}'")
        return number

    def int_or_type(self) -> Any:
        """Kind Int also takes the number behind a data type."""
        if self.peek().startswith("DT_"):
            return int(DataType[data_type_name(self.next("an int"))])
        return self.integer()

    def real(self) -> float:
        sign = self._sign()
        token = self.next("a float")
        try:
            number = float(int(token.value, 16)) if token.value[:2] in ("0x", "0X") else float(token.value)
        except ValueError:
            number = None
        if token.kind != "number" or number is None:
            raise ProtoError(token.line, f"expected a float, found '{token.shown()}'")
        return sign * number

    def boolean(self) -> bool:
        token = self.next("true or false")
        if token.value not in ("true", "false") or token.kind != "name":
            raise ProtoError(token.line, f"expected true or false, found '{token.shown()}'")
        return token.value == "true"

    def text(self) -> str:
        token = self.next("a text in quotes")
        if token.kind != "text":
            raise ProtoError(token.line, f"expected a text in quotes, found '{token.shown()}'")
        parts = [token.value]
        # Texts that follow each other are one.
        while self.position < len(self.tokens) and self.tokens[self.position].kind == "text":
            parts.append(self.next("a text").value)
        return "".join(parts)

    def data_type(self) -> str:
        return data_type_name(self.next("a data type"))

    def tensor(self) -> None:
        token = self.next("Tensor()")
        if token.value != "Tensor" or [t.value for t in self.tokens[self.position :]] != ["(", ")"]:
            raise ProtoError(token.line, f"expected Tensor(), found '{token.shown()}'")
        self.position += 2

    def list_of(self, item: Callable[[], Any]) -> List[Any]:
        token = self.next("'{'")
        if token.mark != "{":
            raise ProtoError(token.line, f"expected a list in braces, found '{token.shown()}'")
        values: List[Any] = []
        while self.peek() != "}":
            values.append(item())
            if self.peek() == ",":
                self.position += 1
            elif self.peek() != "}":
                token = self.next("',' or '}'")
                raise ProtoError(token.line, f"expected ',' or '}}' in a list, found '{token.shown()}'")
        self.position += 1
        return values


def default_value(kind: str, tokens: List[Token], line: int) -> Tuple[Any, Optional[str]]:
    """The default of an attribute of that kind, and why no function can have it (None if one can).

    Raises:
        ProtoError: it is of another kind.
    """
    reader = _Reader(tokens, line)
    readers: Dict[str, Callable[[], Any]] = {
        "int": reader.int_or_type,
        "float": reader.real,
        "bool": reader.boolean,
        "str": reader.text,
        "DataType": reader.data_type,
        "Tensor": reader.tensor,
        "List[int]": lambda: reader.list_of(reader.int_or_type),
        "List[float]": lambda: reader.list_of(reader.real),
        "List[bool]": lambda: reader.list_of(reader.boolean),
        "List[str]": lambda: reader.list_of(reader.text),
        "List[DataType]": lambda: reader.list_of(reader.data_type),
        "List[List[int]]": lambda: reader.list_of(lambda: reader.list_of(reader.integer)),
    }
    value = readers[kind]()
    reader.end()
    if (kind == "DataType" and value == "DT_MAX") or (kind == "List[DataType]" and "DT_MAX" in value):
        return value, "has the default DT_MAX, which is no data type"
    return value, None
