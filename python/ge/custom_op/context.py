"""Which context the running method of an operator belongs to."""

from __future__ import annotations

from contextvars import ContextVar, Token
from typing import TYPE_CHECKING, Any, Optional

if TYPE_CHECKING:
    from ge.custom_op._native import AnnotatedArgsContext, EagerOpExecutionContext

__all__ = ["get_declare_launch_args_ctx", "get_execute_ctx"]


class _Scope:
    """Binds a context for the time of a block; a copy of the variables that outlives the block finds it closed.

    Args:
        ctx: the context; None hides that of an outer block.
    """

    __slots__ = ("_token", "_variable", "active", "ctx")

    _token: Token[Optional[_Scope]]

    def __init__(self, variable: ContextVar[Optional[_Scope]], ctx: Any) -> None:
        self._variable = variable
        self.ctx = ctx
        self.active = ctx is not None

    def __enter__(self) -> Any:
        self._token = self._variable.set(self)
        return self.ctx

    def __exit__(self, *error: object) -> None:
        self.active = False
        self._variable.reset(self._token)


_execute: ContextVar[Optional[_Scope]] = ContextVar("ge_custom_op_execute", default=None)
_declare: ContextVar[Optional[_Scope]] = ContextVar("ge_custom_op_declare_launch_args", default=None)


def _execute_ctx_scope(ctx: Any) -> _Scope:
    return _Scope(_execute, ctx)


def _declare_launch_args_ctx_scope(ctx: Any) -> _Scope:
    return _Scope(_declare, ctx)


def get_execute_ctx() -> EagerOpExecutionContext:
    """The context of the running `execute`, if that gets inputs and attributes as its parameters.

    Raises:
        RuntimeError: none is running, or one that gets the context itself.
    """
    scope = _execute.get()
    if scope is None or not scope.active:
        raise RuntimeError("get_execute_ctx() is only available inside schema-bound execute")
    ctx: EagerOpExecutionContext = scope.ctx
    return ctx


def get_declare_launch_args_ctx() -> AnnotatedArgsContext:
    """The context of the running `declare_launch_args`.

    Raises:
        RuntimeError: none is running.
    """
    scope = _declare.get()
    if scope is None or not scope.active:
        raise RuntimeError("get_declare_launch_args_ctx() is only available inside declare_launch_args")
    ctx: AnnotatedArgsContext = scope.ctx
    return ctx
