"""Turns what a context holds into the arguments of a method, in the order of the operator's IR."""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, Sequence, Tuple

from ge.custom_op._ir_types import AttrType, InputType, OutputType

__all__ = ["Binder", "read_attr", "reader_of"]

_READERS = {
    AttrType.INT: "get_int",
    AttrType.FLOAT: "get_float",
    AttrType.BOOL: "get_bool",
    AttrType.STRING: "get_str",
    AttrType.DATA_TYPE: "get_data_type",
    AttrType.TENSOR: "get_tensor",
    AttrType.LIST_INT: "get_list_int",
    AttrType.LIST_FLOAT: "get_list_float",
    AttrType.LIST_BOOL: "get_list_bool",
    AttrType.LIST_STRING: "get_list_str",
    AttrType.LIST_DATA_TYPE: "get_list_data_type",
    AttrType.LIST_LIST_INT: "get_list_list_int",
}
# (method that gives the tensor, method that counts those of a dynamic one, position in the IR)
_Slot = Tuple[str, str, int]


def reader_of(ir_type: str) -> str:
    """The method of RuntimeAttrs that reads an attribute of that type.

    Raises:
        ValueError: there is no such type.
    """
    reader = _READERS.get(ir_type)
    if reader is None:
        raise ValueError(f"unsupported attr type '{ir_type}', expected one of {', '.join(_READERS)}")
    return reader


def read_attr(attrs: Any, index: int, ir_type: str) -> Any:
    """The attribute at `index`; `attrs` is a RuntimeAttrs."""
    return getattr(attrs, reader_of(ir_type))(index)


class Binder:
    """Reads all arguments for nodes of one operator.

    Args:
        ir_meta: the operator's IR, as the bridge describes it.
        prefix: what the names of the context's methods begin with.
        with_outputs: whether outputs are arguments too.

    Raises:
        ValueError: a kind or attribute type that is none.
    """

    __slots__ = ("_attrs", "_get_attrs", "_slots", "ir_meta")

    def __init__(self, ir_meta: Mapping[str, Any], prefix: str = "", with_outputs: bool = False) -> None:
        self.ir_meta = ir_meta
        self._get_attrs = f"{prefix}get_attrs"
        self._attrs: Tuple[Tuple[str, str, int], ...] = tuple(
            (attr["name"], reader_of(attr["type"]), index) for index, attr in enumerate(ir_meta["attrs"])
        )
        slots = [_slot(prefix, "input", InputType(i["kind"]).name, n) for n, i in enumerate(ir_meta["inputs"])]
        if with_outputs:
            slots += [_slot(prefix, "output", OutputType(o["kind"]).name, n) for n, o in enumerate(ir_meta["outputs"])]
        self._slots: Sequence[_Slot] = tuple(slots)

    def positional(self, ctx: Any) -> List[Any]:
        """The tensors: one, one or None, or a list of them."""
        arguments: List[Any] = []
        for getter, counter, index in self._slots:
            read = getattr(ctx, getter)
            if counter:
                arguments.append([read(index, n) for n in range(getattr(ctx, counter)(index))])
            else:
                arguments.append(read(index))
        return arguments

    def keywords(self, ctx: Any) -> Dict[str, Any]:
        """The attributes by name; the context is not asked for them if there are none."""
        if not self._attrs:
            return {}
        attrs = getattr(ctx, self._get_attrs)()
        return {name: getattr(attrs, reader)(index) for name, reader, index in self._attrs}


def _slot(prefix: str, what: str, kind: str, index: int) -> _Slot:
    getter = f"{prefix}get_{kind.lower()}_{what}_tensor"
    return (getter, f"{prefix}get_dynamic_{what}_num" if kind == "DYNAMIC" else "", index)
