"""Why a pass did not match: the nearest places, and what differed there."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Dict, Mapping, Optional, Tuple

from ge.graph import Graph
from ge.passes._apply import explain_pass

__all__ = ["NearMiss", "PassExplanation", "PatternExplanation", "RefusedMatch", "explain"]


@dataclass(frozen=True)
class NearMiss:
    """A node that could stand for the node of the pattern's first output, and how far the match got from there.

    Attributes:
        node: name and type of the node.
        fitted: how many nodes of the pattern had been found.
        reason: the first difference: what was expected, and what was found where.
    """

    node: str
    fitted: int
    reason: str


@dataclass(frozen=True)
class RefusedMatch:
    """A match that was not rewritten.

    Attributes:
        nodes: type and name of each matched node.
        reason: what meet_requirements said or raised, or that a cycle would have come of it.
    """

    nodes: str
    reason: str


@dataclass(frozen=True)
class PatternExplanation:
    """What became of one pattern on one graph.

    Attributes:
        pattern: name of the pattern's graph; of a DecomposePass, the operator types.
        graph: name of the graph or subgraph.
        unusable: why the pattern can match nothing at all; empty if it can.
        size: nodes of the pattern, inputs left out.
        candidates: nodes that could stand for the node of its first output.
        rewrites: places that were rewritten.
        misses: the nearest misses, nearest first.
        refused: matches that were not rewritten.
        more_misses: how many more misses there were.
        more_refused: how many more such matches there were.
    """

    pattern: str
    graph: str
    unusable: str
    size: int
    candidates: int
    rewrites: int
    misses: Tuple[NearMiss, ...]
    refused: Tuple[RefusedMatch, ...]
    more_misses: int
    more_refused: int


@dataclass(frozen=True)
class PassExplanation:
    """What `explain` found; its text is for people.

    Attributes:
        pass_name: the pass.
        patterns: an entry for each pattern and graph; empty for a pass without patterns.
        error: why the pass failed; empty if it did not.
    """

    pass_name: str
    patterns: Tuple[PatternExplanation, ...]
    error: str
    text: str = field(repr=False)

    def __str__(self) -> str:
        return self.text


def _pattern(values: Dict[str, Any]) -> PatternExplanation:
    misses = tuple(NearMiss(*m) for m in values.pop("misses"))
    refused = tuple(RefusedMatch(*m) for m in values.pop("refused"))
    return PatternExplanation(**values, misses=misses, refused=refused)


def explain(graph: Graph, pass_: type, *, options: Optional[Mapping[str, str]] = None) -> PassExplanation:
    """Runs one pass over a copy of `graph` and tells where its patterns came near and what differed.

    Args:
        graph: stays as it is.
        pass_: the class, registered or not.
        options: what `PassContext.get_option_value` gives to the pass.

    Returns:
        The nearest places of each pattern; `str()` of it is what `atc --explain_pass` prints.

    Raises:
        TypeError: `graph` is no Graph, or `pass_` no pass class.
        GeError: Python passes cannot run in this process, or shape inference failed.
    """
    item = explain_pass(graph, pass_, options)
    text = f"Explanation of pass '{item['name']}'\n{item['explanation_text']}"
    if item["error"]:
        text += f"  the pass failed: {item['error']}\n"
    return PassExplanation(item["name"], tuple(_pattern(p) for p in item["explanation"]), item["error"], text)
