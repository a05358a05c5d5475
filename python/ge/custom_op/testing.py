"""Checks of custom operators for their authors' own tests."""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, Optional, Sequence

from ge.custom_op import runtime
from ge.custom_op._artifact_utils import ensure_native_module
from ge.custom_op._ir_types import InputType
from ge.custom_op.proto import OpProtoDescriptor, get_registered_op_protos
from ge.error import CustomOpError

__all__ = ["check"]


def check(op: Any, inputs: Sequence[Any], attrs: Optional[Mapping[str, Any]] = None, outputs: int = 0) -> List[Any]:
    """Runs an operator on these inputs, and holds its prototype's function to what came out.

    Args:
        op: the operator's type, its implementation class, or its prototype's function.
        inputs: an array per input of the prototype: None for an optional one that is left out, a list of arrays for a
            dynamic one.
        attrs: attributes by name; those with a default may be left out.
        outputs: number of elements of each dynamic output.

    Returns:
        The outputs as arrays.

    Raises:
        ge.error.CustomOpError: the operator failed, its outputs do not have the foretold shapes and data types, or it changed
            an input that mutates_args does not name.
        ValueError: there is no such operator, or the inputs do not fit its prototype.
    """
    import numpy as np

    from ge.es import GraphBuilder, custom

    runtime.load()
    op_type = _type_of(op)
    prototype = next((d for d in get_registered_op_protos() if d.op_type == op_type), None)
    if prototype is None:
        raise ValueError(f"operator '{op_type}' has no prototype; declare it with register_op")
    function = None if op_type.startswith("__") else getattr(custom, op_type, None)
    if function is None:
        raise ValueError(f"operator '{op_type}' cannot be checked: its type is no name for a function of ge.es.custom")
    _check_inputs(prototype, inputs)
    builder = GraphBuilder(f"check_{op_type}")
    arrays: List[Any] = []

    def feed(value: Any) -> Any:
        if isinstance(value, list):
            return [feed(element) for element in value]
        if value is None:
            return None
        arrays.append(np.array(value))
        return builder.create_input(len(arrays) - 1)

    arguments = [feed(value) for value in inputs]
    keywords: Dict[str, Any] = dict(attrs or {})
    for name in function.__annotations__:
        if name.endswith("_num") and name not in keywords and outputs:
            keywords[name] = outputs
    for name in ("owner_graph_builder", "owner_builder"):
        if name in function.__annotations__:
            keywords.setdefault(name, builder)
    result = function(*arguments, **keywords)
    graph = builder.build_and_reset(_flat(result) if prototype.outputs else [builder.create_input(len(arrays))])
    node = next(n for n in graph.get_all_nodes() if n.type == op_type)
    before = [array.copy() for array in arrays]
    runner = ensure_native_module().CustomNode(node)
    feeds: List[Any] = _by_slot(inputs, arrays)
    feeds += [None] * (runner.num_input_slots - len(feeds))
    found: List[Any] = runner.run(feeds, True)
    for index, (old, new) in enumerate(zip(before, arrays)):
        if old.tobytes() != new.tobytes():
            raise CustomOpError(
                f"custom operator '{op_type}' changed array {index} of its inputs, which mutates_args does not name; work on "
                "a copy, or declare it"
            )
    return found


def _check_inputs(prototype: OpProtoDescriptor, inputs: Sequence[Any]) -> None:
    if len(inputs) != len(prototype.inputs):
        raise ValueError(
            f"operator '{prototype.op_type}' takes {len(prototype.inputs)} input(s), found {len(inputs)}; an optional one that "
            "is left out is None"
        )
    for item, value in zip(prototype.inputs, inputs):
        is_list = isinstance(value, list)
        fits = is_list if item.kind == InputType.DYNAMIC else not is_list
        if not fits or (value is None and item.kind != InputType.OPTIONAL):
            expected = "a list of arrays" if item.kind == InputType.DYNAMIC else "an array"
            raise ValueError(
                f"input '{item.name}' of operator '{prototype.op_type}' must be {expected}, found '{type(value).__name__}'"
            )


def _flat(result: Any) -> List[Any]:
    if isinstance(result, list):
        return [holder for element in result for holder in _flat(element)]
    if hasattr(result, "set_data_type"):
        return [result]
    return [holder for element in vars(result).values() for holder in _flat(element)]


def _by_slot(inputs: Sequence[Any], arrays: Sequence[Any]) -> List[Any]:
    left = iter(arrays)
    slots: List[Any] = []
    for value in inputs:
        if isinstance(value, list):
            slots += [next(left) for _ in value]
        else:
            slots.append(None if value is None else next(left))
    return slots


def _type_of(op: Any) -> str:
    if isinstance(op, str):
        return op
    for name in ("__ge_op_impl_descriptor__", "__ge_op_proto_descriptor__"):
        descriptor = getattr(op, name, None)
        if descriptor is not None:
            return str(descriptor.op_type)
    raise ValueError(f"expected an operator's type, class or function, found '{op!r}', which is not registered")
