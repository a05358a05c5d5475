"""What the native bridge calls: descriptors, instances, methods, inference, and errors in a form that C++ can carry."""

from __future__ import annotations

import gc
import threading
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple

from ge._internal import errors
from ge.custom_op import bootstrap, registry
from ge.custom_op._binding import Binder
from ge.custom_op._binding import read_attr as _read_runtime_attr
from ge.custom_op._signature import takes_context_only, unbound_method
from ge.custom_op._signature import validate_args_signature as _validate_args_signature
from ge.custom_op.context import _declare, _execute, _Scope

__all__ = [
    "_read_runtime_attr",
    "call_declare_launch_args",
    "call_execute",
    "call_infer_meta",
    "clear_loaded_op_impl_modules",
    "clear_op_impl_holders",
    "create_op_impl_holder",
    "describe_exception",
    "destroy_op_impl_holder",
    "load_and_get_op_descriptors",
    "load_and_get_op_impl_descriptors",
    "reset",
    "source_of",
    "source_of_op",
    "validate_op_impl_descriptor",
]


class _OpImplHolder:
    """One instance of an implementation, and how its methods are called."""

    __slots__ = ("descriptor_key", "instance", "instance_id", "declare_binder", "execute_binder", "execute_form")

    def __init__(self, descriptor_key: str, instance_id: str, instance: Any) -> None:
        self.descriptor_key = descriptor_key
        self.instance_id = instance_id
        self.instance = instance
        self.execute_binder: Optional[Binder] = None
        self.declare_binder: Optional[Binder] = None
        # The function that was looked at last, whether it was bound, and whether it takes the context alone.
        self.execute_form: Tuple[Any, bool, bool] = (_OpImplHolder, False, False)


_lock = threading.RLock()
_OP_IMPL_HOLDERS: Dict[str, _OpImplHolder] = {}


# ---- load ----------------------------------------------------------------------------------------


def load_and_get_op_impl_descriptors() -> List[Dict[str, Any]]:
    """Runs discovery and describes every registered implementation."""
    _load()
    return registry.get_registered_op_impl_dicts()


def load_and_get_op_descriptors() -> Dict[str, List[Dict[str, Any]]]:
    """Runs discovery and describes every registered prototype ("protos") and implementation ("impls")."""
    _load()
    return {"protos": bootstrap.get_registered_op_protos(), "impls": bootstrap.get_registered_op_impls()}


def _load() -> None:
    try:
        bootstrap.load_custom_op_plugins()
    finally:
        errors.flush()


def _descriptor(descriptor_key: str) -> registry.OpImplDescriptor:
    descriptor = registry.get_registered_op_impl_by_descriptor_key(descriptor_key)
    if descriptor is None:
        raise KeyError(f"descriptor_key not found: '{descriptor_key}'")
    return descriptor


def validate_op_impl_descriptor(descriptor_key: str, ir_meta: Optional[Mapping[str, Any]]) -> bool:
    """Checks the methods of an implementation against the operator's IR, without making an instance; True.

    Args:
        ir_meta: the IR; None if nobody has declared the operator.

    Raises:
        KeyError: unknown descriptor key.
        RuntimeError: a method needs the IR, and there is none.
        TypeError: a method does not fit it.
    """
    descriptor = _descriptor(descriptor_key)
    for interface, name in (("eager_execute", "execute"), ("annotated_args", "declare_launch_args")):
        if interface not in descriptor.interfaces:
            continue
        method = unbound_method(descriptor.cls, name)
        if name == "execute" and takes_context_only(method):
            continue
        if ir_meta is None:
            raise _no_ir(name, descriptor.op_type)
        _validate_args_signature(method, ir_meta, descriptor, method_name=name)
    return True


def _no_ir(method_name: str, op_type: str) -> RuntimeError:
    return RuntimeError(
        f"canonical IR not found for schema-bound {method_name} of op type '{op_type}'; declare the operator with "
        "register_op"
    )


# ---- instances -----------------------------------------------------------------------------------


def create_op_impl_holder(instance_id: str, descriptor_key: str) -> bool:
    """Makes an instance of that implementation known as `instance_id`; one that is known stays. True.

    Raises:
        KeyError: unknown descriptor key.
        Exception: what its constructor raised.
    """
    descriptor = _descriptor(descriptor_key)
    with _lock:
        if instance_id in _OP_IMPL_HOLDERS:
            return True
    # The user's constructor runs without our lock.
    holder = _OpImplHolder(descriptor_key, instance_id, descriptor.cls())
    with _lock:
        _OP_IMPL_HOLDERS.setdefault(instance_id, holder)
    return True


def destroy_op_impl_holder(instance_id: str) -> bool:
    """Drops that instance; False if there is none."""
    with _lock:
        return _OP_IMPL_HOLDERS.pop(instance_id, None) is not None


def clear_op_impl_holders() -> None:
    """Drops all instances."""
    with _lock:
        _OP_IMPL_HOLDERS.clear()


def clear_loaded_op_impl_modules() -> None:
    """Drops the modules of all plugins, so that the next discovery executes them again."""
    bootstrap.unload_custom_op_plugins()


def reset() -> None:
    """Drops instances, plugin modules and what those registered; what the process registered itself stays."""
    clear_op_impl_holders()
    bootstrap.unload_custom_op_plugins()
    gc.collect()
    errors.flush()


def _holder(instance_id: str) -> _OpImplHolder:
    holder = _OP_IMPL_HOLDERS.get(instance_id)
    if holder is None:
        raise KeyError(f"holder is not created: no instance has the id '{instance_id}'")
    return holder


def _method(holder: _OpImplHolder, name: str) -> Any:
    method = getattr(holder.instance, name, None)
    if not callable(method):
        raise TypeError(f"'{type(holder.instance).__name__}' does not implement callable {name}")
    return method


def _get_eager_execute_op(instance_id: str) -> Any:
    """The instance, which can execute."""
    holder = _holder(instance_id)
    _method(holder, "execute")
    return holder.instance


def _op_type(holder: _OpImplHolder) -> str:
    return holder.descriptor_key.split(":", 2)[-1]


# ---- calls ---------------------------------------------------------------------------------------


def call_execute(instance_id: str, ir_meta: Optional[Mapping[str, Any]], ctx: Any) -> None:
    """Calls `execute(ctx)`, or `execute` with the inputs and attributes that the IR names; `ctx` is void afterwards.

    Raises:
        KeyError: unknown instance.
        TypeError: it has no `execute`.
        RuntimeError: `execute` needs the IR, and there is none.
        Exception: what `execute` raised.
    """
    # Every node of every run comes through here: no inspect, but for a method that was not seen before.
    try:
        holder = _OP_IMPL_HOLDERS.get(instance_id) or _holder(instance_id)
        method: Any = getattr(holder.instance, "execute", None)
        function = getattr(method, "__func__", method)
        seen, bound, takes_context = holder.execute_form
        if seen is not function or bound is not (method is not function):
            takes_context = takes_context_only(_method(holder, "execute"))
            holder.execute_form = (function, method is not function, takes_context)
        if takes_context:
            with _Scope(_execute, None):
                method(ctx)
            return
        binder = holder.execute_binder
        if binder is None or binder.ir_meta is not ir_meta:
            if ir_meta is None:
                raise _no_ir("execute", _op_type(holder))
            holder.execute_binder = binder = Binder(ir_meta)
        inputs = binder.positional(ctx)
        attrs = binder.keywords(ctx)
        with _Scope(_execute, ctx):
            method(*inputs, **attrs)
    finally:
        ctx._invalidate()


def call_declare_launch_args(instance_id: str, ir_meta: Optional[Mapping[str, Any]], ctx: Any) -> None:
    """Calls `declare_launch_args` with the inputs, outputs and attributes that the IR names; `ctx` is void afterwards.

    Raises:
        KeyError: unknown instance.
        TypeError: it has no such method, or the method returned something.
        RuntimeError: there is no IR.
        Exception: what the method raised.
    """
    try:
        holder = _holder(instance_id)
        method = _method(holder, "declare_launch_args")
        binder = holder.declare_binder
        if binder is None or binder.ir_meta is not ir_meta:
            if ir_meta is None:
                raise _no_ir("declare_launch_args", _op_type(holder))
            holder.declare_binder = binder = Binder(ir_meta, prefix="_", with_outputs=True)
        arguments = binder.positional(ctx)
        attrs = binder.keywords(ctx)
        with _Scope(_declare, ctx):
            answer = method(*arguments, **attrs)
        if answer is not None:
            raise TypeError(
                f"declare_launch_args must return None, that of op type '{_op_type(holder)}' returned "
                f"'{type(answer).__name__}'"
            )
    finally:
        ctx._invalidate()


def call_infer_meta(
    descriptor_key: str, inputs: Sequence[Any], attrs: Mapping[str, Any]
) -> Optional[List[Any]]:
    """Calls the function of a prototype for the descriptions of the outputs.

    Args:
        inputs: for each input a TensorDesc, a TensorDesc or None, or a list of TensorDesc.
        attrs: values by name.

    Returns:
        For each output a TensorDesc or a list of them; None if the function has no body.

    Raises:
        KeyError: unknown descriptor key.
        TypeError: the function gave something else.
        Exception: what it raised.
    """
    # Imported here: implementations alone need neither.
    from ge.custom_op import _infer, proto

    descriptor = proto.get_registered_op_proto_by_descriptor_key(descriptor_key)
    if descriptor is None:
        raise KeyError(f"descriptor_key not found: '{descriptor_key}'")
    return _infer.call_infer_func(descriptor, inputs, attrs)


# ---- errors --------------------------------------------------------------------------------------


def describe_exception(error: BaseException) -> Tuple[str, str]:
    """An exception as `(message in one line, traceback)`."""
    message, text, _ = errors.describe_exception(error)
    return message, text


def source_of_op(op_type: str) -> str:
    """The file of an operator's implementation, else that of its prototype; empty if the process has registered neither."""
    from ge.custom_op import proto

    keys = [d.descriptor_key for d in registry.get_registered_op_impls() if d.op_type == op_type]
    keys += [d.descriptor_key for d in proto.get_registered_op_protos() if d.op_type == op_type]
    return source_of(keys[0]) if keys else ""


def source_of(descriptor_key: str) -> str:
    """The file that holds the class or function of that descriptor; empty if the key is unknown."""
    from ge.custom_op import proto

    impl = registry.get_registered_op_impl_by_descriptor_key(descriptor_key)
    if impl is not None:
        return errors.encodable(errors.source_file(impl.cls))
    declared = proto.get_registered_op_proto_by_descriptor_key(descriptor_key)
    return "" if declared is None else errors.encodable(errors.source_file(declared.infer_func))
