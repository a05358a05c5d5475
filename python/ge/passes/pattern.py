"""The `@pattern` decorator and the inputs that expression-style hooks work with."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, List, TypeVar

if TYPE_CHECKING:
    from ge.es import GraphBuilder, TensorHolder

__all__ = ["PatternInputs", "is_pattern_method", "pattern"]

_MARK = "__ge_expression_pattern_method__"

_Method = TypeVar("_Method", bound=Callable[..., Any])


def pattern(method: _Method) -> _Method:
    """Marks a method `(self, inputs)` of a PatternFusionPass as the description of one pattern.

    Args:
        method: returns the outputs of the pattern as tensors made from `inputs[0]`, `inputs[1]`, ...

    Returns:
        The same function; several marked methods give several patterns, in the order of their definition.
    """
    setattr(method, _MARK, True)
    return method


def is_pattern_method(member: Any) -> bool:
    """Whether `member` of a class body was marked with `@pattern`."""
    return getattr(member, _MARK, False) is True


class PatternInputs:
    """The inputs of a pattern or replacement; they come into being when they are first asked for.

    `inputs[2]` alone declares three inputs. `inputs[:3]` gives a list of three.
    """

    __slots__ = ("_create_input", "_created")

    def __init__(self, builder: GraphBuilder) -> None:
        self._create_input = builder.create_input
        self._created: List[TensorHolder] = []

    def __getitem__(self, key: Any) -> Any:
        # What every replacement does comes first: the next index, then one that is there.
        created = self._created
        if key == len(created):
            tensor = self._create_input(key)
            created.append(tensor)
            return tensor
        if key.__class__ is int and key >= 0:
            while len(created) <= key:
                created.append(self._create_input(len(created)))
            return created[key]
        if isinstance(key, slice):
            return self._slice(key)
        if isinstance(key, int):
            if key < 0:
                raise ValueError(f"pattern inputs are indexed with non-negative integers, got '{key}'")
            return self[int(key)]
        raise TypeError(f"pattern inputs are indexed with an integer or slice, got '{type(key).__name__}'")

    def _slice(self, key: slice) -> List[TensorHolder]:
        if key.stop is None:
            raise ValueError(
                "a slice of pattern inputs needs an end, since their number is open; write inputs[:3]"
            )
        if key.step is not None and key.step != 1:
            raise ValueError(f"a slice of pattern inputs has step 1, got '{key.step}'")
        start = 0 if key.start is None else key.start
        stop = key.stop
        for bound in (start, stop):
            if not isinstance(bound, int):
                raise TypeError(
                    f"pattern inputs are indexed with an integer or slice of integers, got '{type(bound).__name__}'"
                )
        if start < 0 or stop < 0:
            raise ValueError(f"a slice of pattern inputs has non-negative bounds, got '[{start}:{stop}]'")
        if stop < start:
            raise ValueError(
                f"a slice of pattern inputs must not end before its start, got '[{start}:{stop}]'"
            )
        return [self[i] for i in range(start, stop)]

    def __iter__(self) -> Any:
        raise TypeError("pattern inputs cannot be iterated, since their number is unknown; use inputs[:N]")

    def created(self) -> List[TensorHolder]:
        """The inputs made so far, by index."""
        return list(self._created)
