"""Small layered drawings: where the boxes of an acyclic graph go, and how the edges run between them.

The usual four steps: layers by longest path, an order in each layer with few crossings (barycentres), coordinates that
draw neighbours together, and edges through the gaps that long edges were given.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Dict, List, Sequence, Tuple

__all__ = ["Drawing", "Point", "Size", "lay_out"]

Point = Tuple[float, float]
Size = Tuple[float, float]
Edge = Tuple[int, int]

_GAP_X = 22.0
_GAP_Y = 34.0
_SWEEPS = 8
_PULLS = 12
_BEND_WIDTH = 8.0


@dataclass
class Drawing:
    """Coordinates, from the upper left corner.

    Attributes:
        width, height: of everything.
        corners: upper left corner of each box.
        routes: the points that each edge passes, from the box above to the box below.
    """

    width: float
    height: float
    corners: List[Point]
    routes: List[List[Point]] = field(default_factory=list)


def _layers(count: int, edges: Sequence[Edge], last: Sequence[int]) -> List[int]:
    above: Dict[int, List[int]] = {}
    below: Dict[int, List[int]] = {}
    for source, target in edges:
        above.setdefault(target, []).append(source)
        below.setdefault(source, []).append(target)
    layer = [0] * count
    # Longest paths by relaxation: at most `count` rounds, so that a cycle can't hold it up.
    for _ in range(count):
        moved = False
        for source, target in edges:
            if layer[target] <= layer[source]:
                layer[target] = layer[source] + 1
                moved = True
        if not moved:
            break
    bottom = max(layer, default=0)
    for node in range(count):
        if node in last:
            layer[node] = bottom
        elif node not in above and node in below:
            # What comes from outside stands just above what reads it.
            layer[node] = max(0, min(layer[target] for target in below[node]) - 1)
    return layer


def _sort_layers(rows: List[List[int]], edges: Sequence[Edge], ports: Sequence[float]) -> None:
    up: Dict[int, List[Tuple[int, float]]] = {}
    down: Dict[int, List[Tuple[int, float]]] = {}
    for (source, target), port in zip(edges, ports):
        up.setdefault(target, []).append((source, 0.0))
        down.setdefault(source, []).append((target, port))
    best, fewest = [list(row) for row in rows], _crossings(rows, down)
    for sweep in range(_SWEEPS):
        if not fewest:
            break
        neighbours, order = (
            (up, range(1, len(rows))) if sweep % 2 == 0 else (down, range(len(rows) - 2, -1, -1))
        )
        for i in order:
            place = {node: j for row in rows for j, node in enumerate(row)}
            centre = {
                node: sum(place[n] + port for n, port in near) / len(near) if near else place[node]
                for node, near in ((node, neighbours.get(node, [])) for node in rows[i])
            }
            rows[i].sort(key=lambda node: centre[node])
        found = _crossings(rows, down)
        if found < fewest:
            best, fewest = [list(row) for row in rows], found
    for row, kept in zip(rows, best):
        row[:] = kept


def _crossings(rows: Sequence[Sequence[int]], down: Dict[int, List[Tuple[int, float]]]) -> int:
    place = {node: j for row in rows for j, node in enumerate(row)}
    count = 0
    for row in rows:
        ends = [(place[node], place[target] + port) for node in row for target, port in down.get(node, ())]
        count += sum((a - c) * (b - d) < 0 for i, (a, b) in enumerate(ends) for c, d in ends[i + 1 :])
    return count


def _spread(wanted: Sequence[float], gaps: Sequence[float]) -> List[float]:
    """The centres nearest to `wanted`, by squares, that are at least `gaps` apart (pool adjacent violators)."""
    offset = [0.0]
    for gap in gaps:
        offset.append(offset[-1] + gap)
    pools: List[Tuple[float, int]] = []
    for want, off in zip(wanted, offset):
        pools.append((want - off, 1))
        while len(pools) > 1 and pools[-2][0] > pools[-1][0]:
            (a, n), (b, m) = pools[-2], pools[-1]
            pools[-2:] = [((a * n + b * m) / (n + m), n + m)]
    free = [value for value, n in pools for _ in range(n)]
    return [value + off for value, off in zip(free, offset)]


def _centres(rows: Sequence[Sequence[int]], edges: Sequence[Edge], widths: Sequence[float]) -> List[float]:
    neighbours: Dict[int, List[int]] = {}
    for source, target in edges:
        neighbours.setdefault(source, []).append(target)
        neighbours.setdefault(target, []).append(source)
    layer_of = {node: i for i, row in enumerate(rows) for node in row}
    x = [0.0] * len(widths)
    gaps = [[(widths[a] + widths[b]) / 2 + _GAP_X for a, b in zip(row, row[1:])] for row in rows]
    for row, gap in zip(rows, gaps):
        centres = _spread([0.0] * len(row), gap)
        for node, centre in zip(row, centres):
            x[node] = centre
    for pull in range(_PULLS):
        order = range(len(rows)) if pull % 2 == 0 else range(len(rows) - 1, -1, -1)
        for i in order:
            wanted = []
            for node in rows[i]:
                # Towards one side in each sweep, in the end towards both.
                side = [
                    n
                    for n in neighbours.get(node, ())
                    if pull >= _PULLS - 2 or (layer_of[n] < i if pull % 2 == 0 else layer_of[n] > i)
                ]
                wanted.append(sum(x[n] for n in side) / len(side) if side else x[node])
            for node, centre in zip(rows[i], _spread(wanted, gaps[i])):
                x[node] = centre
    return x


def lay_out(sizes: Sequence[Size], edges: Sequence[Edge], last: Sequence[int] = ()) -> Drawing:
    """Places boxes so that every edge runs downwards.

    Args:
        sizes: width and height of each box.
        edges: (from, to), as indexes into `sizes`; parallel edges are edges of their own.
        last: boxes that stand in the lowest layer.

    Returns:
        The drawing; `routes` in the order of `edges`.
    """
    if not sizes:
        return Drawing(0.0, 0.0, [])
    layer = _layers(len(sizes), edges, last)
    widths, heights = [w for w, _ in sizes], [h for _, h in sizes]
    pieces: List[Edge] = []
    ports: List[float] = []
    chains: List[List[int]] = []
    arriving = Counter(target for _, target in edges)
    arrived: Dict[int, int] = {}
    for source, target in edges:
        chain = [source]
        for between in range(layer[source] + 1, layer[target]):
            chain.append(len(widths))
            widths.append(_BEND_WIDTH)
            heights.append(0.0)
            layer.append(between)
        chain.append(target)
        chains.append(chain)
        pieces.extend(zip(chain, chain[1:]))
        # Where the edge meets the lower box: edges into one box keep their order, too.
        arrived[target] = arrived.get(target, 0) + 1
        ports += [0.0] * (len(chain) - 2) + [0.6 * arrived[target] / (arriving[target] + 1) - 0.3]
    rows: List[List[int]] = [[] for _ in range(max(layer) + 1)]
    for node, i in enumerate(layer):
        rows[i].append(node)
    rows = [row for row in rows if row]
    _sort_layers(rows, pieces, ports)
    x = _centres(rows, pieces, widths)
    left = min(c - w / 2 for c, w in zip(x, widths))
    x = [c - left for c in x]
    y = [0.0] * len(widths)
    top = 0.0
    for row in rows:
        tall = max(heights[node] for node in row)
        for node in row:
            y[node] = top + (tall - heights[node]) / 2
        top += tall + _GAP_Y
    drawing = Drawing(
        max(c + w / 2 for c, w in zip(x, widths)),
        top - _GAP_Y,
        [(x[i] - widths[i] / 2, y[i]) for i in range(len(sizes))],
    )
    for chain in chains:
        points = [(x[chain[0]], y[chain[0]] + heights[chain[0]])]
        points += [(x[node], y[node]) for node in chain[1:-1]]
        points.append((x[chain[-1]], y[chain[-1]]))
        drawing.routes.append(points)
    return drawing
