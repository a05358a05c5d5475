"""Packages whose exports are imported when they are first used (PEP 562)."""

from __future__ import annotations

import importlib
from typing import Any, Callable, Dict, List, Mapping, Tuple

from ge._internal.unknown_name import unknown_name

__all__ = ["lazy_exports"]


def lazy_exports(
    namespace: Dict[str, Any], homes: Mapping[str, str]
) -> Tuple[Callable[[str], Any], Callable[[], List[str]]]:
    """`__getattr__` and `__dir__` of a package.

    Args:
        namespace: its globals, with `__all__`; what was looked up is kept there.
        homes: the full name of the module that each export lives in.
    """

    def get(name: str) -> Any:
        home = homes.get(name)
        if home is None:
            raise unknown_name(namespace["__name__"], name, namespace["__all__"])
        value = getattr(importlib.import_module(home), name)
        namespace[name] = value
        return value

    def names() -> List[str]:
        return sorted({*namespace, *namespace["__all__"]})

    return get, names
