"""A part of a graph as SVG. All text is escaped; colours are the page's (classes)."""

from __future__ import annotations

from collections import Counter
from html import escape
from typing import Any, Dict, List, Mapping, Sequence, Set, Tuple

from ge._report.layout import Point, Size, lay_out

__all__ = ["colour_of", "draw", "unused_inputs"]

Json = Mapping[str, Any]

_COLOURS = 10
_LARGEST = 60  # boxes in one drawing; more can't be read
_MARGIN = 6.0
_TYPE_WIDTH, _SMALL_WIDTH = 7.7, 6.1  # of a letter, in pixels at the page's font sizes
_MOST_LETTERS = 26


def colour_of(op_type: str) -> int:
    """The number of an operator type's colour: the same on every page."""
    total = 0
    for letter in op_type:
        total = (total * 31 + ord(letter)) % 1000003
    return total % _COLOURS


def _short(text: str, most: int = _MOST_LETTERS) -> str:
    return text if len(text) <= most else text[: most // 2 - 1] + "…" + text[len(text) - most // 2 :]


def _width(text: str, letter: float) -> float:
    # Letters of East Asian scripts are twice as wide.
    return sum(letter * (2 if ord(c) > 0x2E7F else 1) for c in text)


class _Box:
    """One box: an operator, a constant, or an end of the part."""

    def __init__(self, kind: str, title: str, lines: Sequence[str], tip: str):
        self.kind = kind
        self.title = _short(title)
        self.lines = [_short(line) for line in lines if line]
        self.tip = tip
        widest = max([_width(self.title, _TYPE_WIDTH), *(_width(line, _SMALL_WIDTH) for line in self.lines)])
        self.size: Size = (max(64.0, widest + 24), 26.0 + 15.0 * len(self.lines))

    def svg(self, corner: Point) -> str:
        (x, y), (w, h) = corner, self.size
        radius = h / 2 if self.kind in ("end", "const") and not self.lines else 9.0
        parts = [f'<g class="box {self.kind}"><title>{escape(self.tip)}</title>']
        parts.append(f'<rect x="{x:.1f}" y="{y:.1f}" width="{w:.1f}" height="{h:.1f}" rx="{radius:.1f}"/>')
        middle = x + w / 2
        parts.append(f'<text class="t" x="{middle:.1f}" y="{y + 17.5:.1f}">{escape(self.title)}</text>')
        for i, line in enumerate(self.lines):
            parts.append(f'<text class="s" x="{middle:.1f}" y="{y + 33 + 15 * i:.1f}">{escape(line)}</text>')
        return "".join(parts) + "</g>"


def _node_box(node: Json) -> _Box:
    if node["constant"]:
        return _Box("const", "Const", [node["shape"]], f"{node['name']}\n{node['shape']}".strip())
    tip = "\n".join([node["name"], *([node["shape"]] if node["shape"] else []), *node["attrs"]])
    attrs = [a for a in node["attrs"] if len(a) <= 26 and not a.endswith("...")][:2]
    return _Box(f"op c{colour_of(node['type'])}", node["type"], [*attrs, node["shape"]], tip)


def _split_input(text: str) -> Tuple[str, str]:
    name, colon, desc = text.rpartition(": ")
    return (name, desc) if colon else (text, "")


def _path(points: Sequence[Point]) -> str:
    (x, y), rest = points[0], points[1:]
    out = [f"M{x:.1f} {y:.1f}"]
    for nx, ny in rest:
        bend = (ny - y) / 2
        out.append(f"C{x:.1f} {y + bend:.1f} {nx:.1f} {ny - bend:.1f} {nx:.1f} {ny:.1f}")
        x, y = nx, ny
    return "".join(out)


def _too_large(graph: Json, label: str) -> str:
    kinds = Counter(node["type"] for node in graph["nodes"])
    listed = ", ".join(f"{n} × {escape(kind)}" for kind, n in kinds.most_common(12))
    return f'<p class="toolarge">{escape(label)}: {len(graph["nodes"])} nodes, too many to draw: {listed}</p>'


def draw(graph: Json, label: str) -> Tuple[str, float]:
    """An <svg> of the part and its width in pixels; or a sentence, where the part is too large to be read.

    Args:
        graph: "nodes", "edges", "inputs" and "outputs" of a rewrite's "before" or "after".
        label: what the drawing is called by those who can't see it.
    """
    if len(graph["nodes"]) > _LARGEST:
        return _too_large(graph, label), 400.0
    used = _used_inputs(graph)
    boxes: List[_Box] = [_node_box(node) for node in graph["nodes"]]
    input_box: Dict[int, int] = {}
    for i, text in enumerate(graph["inputs"]):
        if i not in used:
            continue
        name, desc = _split_input(text)
        input_box[i] = len(boxes)
        boxes.append(_Box("end", name, [desc], text))
    outputs = []
    for i in range(len(graph["outputs"])):
        outputs.append(len(boxes))
        boxes.append(
            _Box("end", "out" if len(graph["outputs"]) == 1 else f"out {i}", [], f"output {i} of the part")
        )

    def box_of(source: Sequence[int]) -> int:
        return source[0] if source[0] >= 0 else input_box[source[1]]

    operands = Counter(edge["to"] for edge in graph["edges"])
    edges = [(box_of(e["from"]), e["to"]) for e in graph["edges"]]
    edges += [(box_of(source), outputs[i]) for i, source in enumerate(graph["outputs"])]
    drawing = lay_out([box.size for box in boxes], edges, outputs)

    seen: Counter[int] = Counter()
    lines, marks = [], []
    for number, route in enumerate(drawing.routes):
        target = edges[number][1]
        many = operands[target] if number < len(graph["edges"]) else 1
        x, y = drawing.corners[target]
        width = boxes[target].size[0]
        seen[target] += 1
        # Operands arrive side by side in their order.
        port = x + width * (0.5 if many == 1 else 0.2 + 0.6 * (seen[target] - 1) / (many - 1))
        points = [*route[:-1], (port, y - 5)]
        lines.append(f'<path d="{_path(points)}"/>')
        marks.append(
            f'<path d="M{port - 4:.1f} {y - 6:.1f}L{port:.1f} {y:.1f}L{port + 4:.1f} {y - 6:.1f}Z"/>'
        )
        if many > 1:
            slot = graph["edges"][number]["slot"]
            marks.append(f'<text x="{port + 7:.1f}" y="{y - 3:.1f}">{slot}</text>')
    body = "".join(box.svg(corner) for box, corner in zip(boxes, drawing.corners))
    width, height = drawing.width + 2 * _MARGIN, drawing.height + 2 * _MARGIN
    svg = (
        f'<svg viewBox="{-_MARGIN:.0f} {-_MARGIN:.0f} {width:.0f} {height:.0f}" width="{width:.0f}" height="{height:.0f}" '
        # Small drawings shrink to fit, large ones are scrolled: text must stay readable.
        f'style="min-width:{min(0.72 * width, 900):.0f}px" role="img" aria-label="{escape(label)}">'
        f'<g class="edges">{"".join(lines)}</g><g class="marks">{"".join(marks)}</g>'
        f"{body}</svg>"
    )
    return svg, width


def _used_inputs(graph: Json) -> Set[int]:
    sources = [e["from"] for e in graph["edges"]] + list(graph["outputs"])
    return {index for node, index in sources if node < 0}


def unused_inputs(graph: Json) -> int:
    """How many of the inputs nothing in the part reads; they are not drawn."""
    return len(graph["inputs"]) - len(_used_inputs(graph))
