"""The page: what atc found and did, in one file without scripts and without anything from elsewhere."""

from __future__ import annotations

from html import escape
from typing import Any, List, Mapping, Sequence, Tuple

from ge._report.drawing import colour_of, draw, unused_inputs
from ge._report.style import STYLE

__all__ = ["page"]

Json = Mapping[str, Any]

_OPEN_AT_FIRST = 2  # drawings of a pass that are unfolded
_PATTERN_KINDS = ("pattern_fusion", "decompose")  # the others are passes with code of their own


def _count(number: int, one: str, many: str = "") -> str:
    return f"{number} {one if number == 1 else many or one + 's'}"


def _time(seconds: float) -> str:
    if seconds < 0.01:
        return f"{seconds * 1e3:.2f} ms"
    return f"{seconds * 1e3:.0f} ms" if seconds < 1 else f"{seconds:.2f} s"


def _bytes(size: int) -> str:
    if size < 0:
        return "size unknown"
    if size < 1000:
        return f"{size} bytes"
    scaled, units = size / 1e3, ["kB", "MB", "GB"]
    while scaled >= 1000 and len(units) > 1:
        scaled, units = scaled / 1e3, units[1:]
    return f"{scaled:.1f} {units[0]}"


def _signed(number: int) -> str:
    return f"+{number}" if number > 0 else f"−{-number}" if number else "±0"


def _share(part: float) -> str:
    return f"{100 * part:.0f} %" if part >= 0.005 else "< 1 %"


def _figure(value: Any) -> str:
    return "∞" if value is None else "0" if not value else f"{value:.2e}"


def _name(path: str) -> str:
    return path.rstrip("/").rpartition("/")[2] or path


def _tile(figure: str, what: str, kind: str = "") -> str:
    return f'<div class="tile {kind}"><b>{escape(figure)}</b><span>{escape(what)}</span></div>'


def _tiles(data: Json) -> str:
    before, after = data["nodes_before"], data["nodes_after"]
    rewrites = sum(p["rewrites"] for p in data["passes"])
    failed = sum(p["failed"] for p in data["passes"])
    tiles = [_tile(f"{before} → {after}", f"operators ({_signed(after - before)})")]
    tiles.append(_tile(str(rewrites), f"rewrites by {_count(len(data['passes']), 'pass', 'passes')}"))
    if failed:
        tiles.append(
            _tile(
                str(failed),
                "pass failed and was left out" if failed == 1 else "passes failed and were left out",
                "bad",
            )
        )
    tiles.append(_tile(_time(sum(s["seconds"] for s in data["steps"])), "in total"))
    figures = [d for c in data["comparisons"] for d in c["differences"]]
    if figures:
        good = all(d["passes"] for d in figures)
        worst = max(figures, key=lambda d: float("inf") if d["relative"] is None else d["relative"])
        what = (
            "largest relative difference to the model" if good else "relative difference: the results differ"
        )
        tiles.append(_tile(_figure(worst["relative"]), what, "good" if good else "bad"))
    return f'<div class="tiles">{"".join(tiles)}</div>'


def _steps(data: Json) -> str:
    steps = data["steps"]
    total = sum(s["seconds"] for s in steps) or 1.0
    bar = "".join(
        f'<i class="c{i % 10}" style="flex:{max(s["seconds"] / total, 0.001):.4f}" title="{escape(s["name"])}"></i>'
        for i, s in enumerate(steps)
    )
    rows = "".join(
        f'<tr><td><span class="dot c{i % 10}"></span>{escape(s["name"])}</td><td class="n">{_time(s["seconds"])}</td>'
        f'<td class="n q">{_share(s["seconds"] / total)}</td></tr>'
        for i, s in enumerate(steps)
    )
    return (
        f'<h2>Where the time went</h2><div class="card"><div class="stack">{bar}</div>'
        f'<table><tr><th>stage</th><th class="n">time</th><th class="n">share</th></tr>{rows}</table></div>'
    )


def _status(p: Json) -> str:
    if p["failed"]:
        return '<span class="tag bad">failed</span>'
    if p["rewrites"] or p["changed"]:
        return '<span class="tag good">changed the graph</span>'
    return '<span class="tag quiet">nothing to do</span>'


def _pass_table(data: Json) -> str:
    passes = data["passes"]
    if not passes:
        return '<h2>Passes</h2><div class="card"><p class="q">No pass was registered.</p></div>'
    longest = max(p["seconds"] for p in passes) or 1.0
    rows = []
    for i, p in enumerate(passes):
        rows.append(
            f'<tr><td><a href="#pass{i}">{escape(p["name"])}</a></td><td class="q">{escape(p["stage"])}</td>'
            f'<td class="n">{p["matches"]}</td><td class="n">{p["rewrites"]}</td>'
            f'<td class="n">{_signed(p["nodes_after"] - p["nodes_before"])}</td><td class="n">{_time(p["seconds"])}</td>'
            f'<td class="meter"><i style="width:{100 * p["seconds"] / longest:.1f}%"></i></td></tr>'
        )
    head = (
        '<tr><th>pass</th><th>stage</th><th class="n">matches</th><th class="n">rewrites</th><th class="n">operators</th>'
        '<th class="n">time</th><th></th></tr>'
    )
    return f'<h2>Passes</h2><div class="card"><table>{head}{"".join(rows)}</table></div>'


def _operators(data: Json) -> str:
    before, after = data["operators_before"], data["operators_after"]
    types = sorted(set(before) | set(after), key=lambda t: (-max(before.get(t, 0), after.get(t, 0)), t))
    if not types:
        return ""
    most = max([*before.values(), *after.values()])
    rows = []
    for t in types:
        had, has = before.get(t, 0), after.get(t, 0)
        change = "" if had == has else _signed(has - had)
        rows.append(
            f'<tr><td><span class="chip c{colour_of(t)}">{escape(t)}</span></td><td class="n">{had}</td>'
            f'<td class="n">{has}</td><td class="n q">{change}</td><td class="meter two">'
            f'<i style="width:{100 * had / most:.1f}%"></i><i style="width:{100 * has / most:.1f}%"></i></td></tr>'
        )
    head = '<tr><th>operator</th><th class="n">before</th><th class="n">after</th><th class="n">change</th><th></th></tr>'
    return f'<h2>Operators before and after</h2><div class="card"><table>{head}{"".join(rows)}</table></div>'


def _comparisons(data: Json) -> str:
    if not data["comparisons"]:
        return ""
    parts = ["<h2>Compared in onnxruntime</h2>"]
    for c in data["comparisons"]:
        rows = "".join(
            f'<tr><td>{escape(d["output"])}</td><td class="n">{_figure(d["absolute"])}</td>'
            f'<td class="n">{_figure(d["relative"])}</td>'
            f'<td><span class="tag {"good" if d["passes"] else "bad"}">{"same" if d["passes"] else "differs"}</span></td>'
            f'<td class="q">{escape(d["note"])}</td></tr>'
            for d in c["differences"]
        )
        parts.append(
            f'<div class="card"><p class="q">Random inputs of seed {int(c["seed"])}: '
            f'<span class="mono">{escape(", ".join(c["inputs"]) or "none")}</span>; at most '
            f'{float(c["tolerance"]):g} relative passes.</p><table><tr><th>output</th><th class="n">absolute difference</th>'
            f'<th class="n">relative difference</th><th></th><th></th></tr>{rows}</table></div>'
        )
    return "".join(parts)


def _chips(changes: Mapping[str, int]) -> str:
    ordered = sorted(changes.items(), key=lambda item: (item[1] > 0, item[0]))
    return "".join(f'<span class="chip c{colour_of(t)}">{_signed(n)} {escape(t)}</span>' for t, n in ordered)


def _rewrite(r: Json, number: int, unfolded: bool, words: Tuple[str, str]) -> str:
    nodes = r["before"]["nodes"] or r["after"]["nodes"]
    first = nodes[-1]["name"] if nodes else ""
    inside = f' in graph <span class="mono">{escape(r["graph"])}</span>' if r["graph"] else ""
    gone = len(r["before"]["nodes"]), len(r["after"]["nodes"])
    nothing = "passed through" if r["after"]["outputs"] else "nothing"
    unused = unused_inputs(r["after"])
    left_out = f", {_count(unused, 'input')} not needed" if unused else ""
    (before, wide), (after, wide_too) = draw(r["before"], "matched part"), draw(r["after"], "replacement")
    # The larger drawing gets more of the room.
    share = min(max(wide / (wide + wide_too), 0.35), 0.65)
    return (
        f'<details{" open" if unfolded else ""}><summary>Place {number}: <span class="mono">{escape(first)}</span>{inside}'
        f'</summary><div class="pair" style="--a:{share:.3f}fr;--b:{1 - share:.3f}fr"><div class="side"><small>{words[0]}: {_count(gone[0], "node")}</small>'
        f'{before}</div><div class="arrow" aria-hidden="true">→</div>'
        f'<div class="side"><small>{words[1]}: {_count(gone[1], "node") if gone[1] else nothing}'
        f"{left_out}</small>{after}</div></div></details>"
    )


def _problems(p: Json) -> str:
    parts: List[str] = []
    for kind, errors in (("bad", p["errors"]), ("", p["warnings"])):
        for e in errors:
            place = ", ".join(x for x in (e["source"], e["hook"]) if x)
            parts.append(
                f'<div class="note {kind}">{escape(place + ": " if place else "")}{escape(e["message"])}</div>'
            )
            if e["traceback"]:
                parts.append(f"<pre>{escape(e['traceback'].rstrip())}</pre>")
    if p["failed"] and not p["errors"]:
        parts.append(f'<div class="note bad">{escape(p["error"])}</div>')
    return "".join(parts)


def _pass(p: Json, number: int) -> str:
    shown: Sequence[Json] = p.get("shown", ())
    words = ("matched", "replacement") if p["kind"] in _PATTERN_KINDS else ("before", "after")
    body = [_rewrite(r, i + 1, i < _OPEN_AT_FIRST, words) for i, r in enumerate(shown)]
    more = p.get("not_shown", 0)
    if more:
        first = f"; the first {len(shown)} {'is' if len(shown) == 1 else 'are'}" if shown else ": too much for a drawing"
        body.append(
            f'<p class="note">{_count(more, "more rewrite" if shown else "rewrite")} of this pass '
            f"{'is' if more == 1 else 'are'} not drawn{first}.</p>"
        )
    if not shown and not more and p["changed"]:
        body.append('<p class="facts">It changed no more than what a drawing leaves out, such as types or control edges.</p>')
    facts = [_count(p["matches"], "match", "matches"), _count(p["rewrites"], "rewrite"), _time(p["seconds"])]
    facts.append(f"{p['nodes_before']} → {p['nodes_after']} operators")
    return (
        f'<section class="pass" id="pass{number}"><header><h3>{escape(p["name"])}</h3>{_status(p)}'
        f'<span class="q">{escape(p["stage"])} · {escape(p["kind"].replace("_", " "))}</span></header>'
        f'<p class="facts">{" · ".join(facts)}{" · " if p["source"] else ""}{escape(p["source"])}</p>'
        f"<div>{_chips(p.get('operators', {}))}</div>{_problems(p)}{''.join(body)}</section>"
    )


def page(data: Json) -> str:
    """The HTML text.

    Args:
        data: what ``atc --report=NAME.json`` writes (docs/report.md).
    """
    name = _name(data["model"]["path"])
    outputs = ", ".join(
        f'<span class="mono">{escape(o["path"])}</span> ({_bytes(o["bytes"])})' for o in data["outputs"]
    )
    failure = f'<p class="note bad">The run failed: {escape(data["failure"])}</p>' if data["failure"] else ""
    passes = "".join(_pass(p, i) for i, p in enumerate(data["passes"]))
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        # Even a name that slipped through could load and run nothing.
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
        f"<title>{escape(name)} – what the passes did</title><style>{STYLE}</style></head><body><main>"
        f'<h1>{escape(name)}</h1><p class="lead"><span class="mono">{escape(data["model"]["path"])}</span> '
        f"({_bytes(data['model']['bytes'])}){' → ' + outputs if outputs else ''}</p>{failure}{_tiles(data)}"
        f'<p class="command mono">{escape(data["command"])}</p>'
        f"{_pass_table(data)}{_steps(data)}{_operators(data)}{_comparisons(data)}"
        f"{'<h2>What each pass did</h2>' + passes if passes else ''}"
        f"<footer>ge-py {escape(data['version'])}. Operators are counted without Data, Const and NetOutput.</footer>"
        "</main></body></html>\n"
    )
