"""Operators of one's own: brought into the registry from prototypes, offered as functions.

The packages that `python -m ge.es.gen` makes use this; `register` alone makes the operators known to the graph builder, to
inference and to dumps, without a package:

    >>> from ge.es.prototypes import operator_module, read_prototypes
    >>> prototypes = read_prototypes("REG_OP(Twice).INPUT(x, TensorType::ALL()).OUTPUT(y, TensorType::ALL())"
    ...                              ".OP_END_FACTORY_REG(Twice)")
    >>> operators = operator_module("doc", prototypes)
    >>> operators.Twice.__name__
    'Twice'
"""

from __future__ import annotations

from types import ModuleType
from typing import Any, Callable, Dict, List, Sequence, Tuple

from ge.es._operators import SKIPPED, OperatorModule
from ge.es._proto import read_header
from ge.passes.runtime import ensure_native_module

__all__ = ["module_hooks", "operator_module", "read_prototypes", "register"]

# (type, inputs, outputs, attributes, subgraphs): lists of (name, kind, data types), (name, kind, data types),
# (name, kind, required, default) and (name, whether it is a list). Names of data types are separated by blanks.
_Prototype = Tuple[Any, ...]


def read_prototypes(source: str) -> List[_Prototype]:
    """The REG_OP prototypes of a C++ header as plain data.

    Args:
        source: text of the header.

    Returns:
        What `register` takes; without operators that no function can be made for.

    Raises:
        ValueError: a prototype is not well formed; the text has the line.
    """
    header = read_header(source)
    if header.problems:
        raise ValueError("; ".join(f"line {line}: {text}" for line, text in header.problems))
    return [p.description() for p in header.prototypes if p.problem is None and p.type not in SKIPPED]


def register(group: str, prototypes: Sequence[_Prototype]) -> None:
    """Adds operators to the registry, all or none. One that is there already, in the same form, stays.

    Args:
        group: whose operators they are; a name for messages.
        prototypes: what `read_prototypes` gives.

    Raises:
        ValueError: a prototype is not well formed, or an operator of that type exists in another form.
    """
    ensure_native_module().es_register_prototypes(group, list(prototypes))


def module_hooks(
    name: str, namespace: Dict[str, Any], group: str, prototypes: Sequence[_Prototype]
) -> Tuple[Callable[[str], Any], Callable[[], List[str]]]:
    """`__getattr__` and `__dir__` for a module that offers these operators as functions.

    Args:
        name: the module's full name.
        namespace: the module's globals.
        group: whose operators they are.
        prototypes: what `read_prototypes` gives.

    Raises:
        ValueError: as `register` does.
    """
    register(group, prototypes)
    return OperatorModule(name, namespace, {p[0] for p in prototypes}).hooks()


def operator_module(name: str, prototypes: Sequence[_Prototype]) -> ModuleType:
    """A module of these operators that no file stands behind.

    Raises:
        ValueError: as `register` does.
    """
    module = ModuleType(name, f"Operators of {name}.")
    namespace = vars(module)
    namespace["__getattr__"], namespace["__dir__"] = module_hooks(name, namespace, name, prototypes)
    return module
