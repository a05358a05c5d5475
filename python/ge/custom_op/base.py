"""Base classes of implementations, which need none of them: any class with the methods will do."""

from __future__ import annotations

import abc
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ge.custom_op._native import EagerOpExecutionContext

__all__ = ["BaseCustomOp", "EagerExecuteOp", "EagerOpExecutionContext"]


class BaseCustomOp(abc.ABC):  # noqa: B024
    """Base of all implementations that want to show what they are."""


class EagerExecuteOp(BaseCustomOp):
    """An implementation that computes its outputs when the node runs."""

    @abc.abstractmethod
    def execute(self, *args: Any, **kwargs: Any) -> None:
        """Either `execute(self, ctx)`, or the inputs as positional and the attributes as keyword-only parameters."""


def __getattr__(name: str) -> Any:
    # A class that is only marked needs no native code.
    if name == "EagerOpExecutionContext":
        from ge.custom_op._native import EagerOpExecutionContext

        globals()[name] = EagerOpExecutionContext
        return EagerOpExecutionContext
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
