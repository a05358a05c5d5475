"""The page's style sheet: light and dark by the reader's own setting, readable on paper."""

from __future__ import annotations

__all__ = ["STYLE"]

# Hue of each operator colour; lightness differs between the schemes.
_HUES = (212, 152, 28, 268, 340, 186, 92, 46, 238, 4)

_LIGHT = "".join(
    f"--f{i}:hsl({h} 70% 95%);--l{i}:hsl({h} 52% 47%);--t{i}:hsl({h} 62% 26%);" for i, h in enumerate(_HUES)
)
_DARK = "".join(
    f"--f{i}:hsl({h} 32% 19%);--l{i}:hsl({h} 45% 52%);--t{i}:hsl({h} 70% 84%);" for i, h in enumerate(_HUES)
)
_CLASSES = "".join(
    f".c{i}{{--fill:var(--f{i});--line:var(--l{i});--text:var(--t{i})}}" for i in range(len(_HUES))
)

STYLE = (
    ":root{color-scheme:light dark;"
    "--bg:#f6f7f9;--card:#fff;--ink:#1b2430;--soft:#5b6675;--rule:#e2e6eb;--bar:#3b7dd8;--bar2:#b9cfee;"
    "--good:#1d7f4e;--goodbg:#e4f5ec;--bad:#b3261e;--badbg:#fdeceb;--warn:#8a5a00;--warnbg:#fdf3dd;--edge:#9aa5b3;"
    f"{_LIGHT}}}"
    "@media (prefers-color-scheme:dark){:root{"
    "--bg:#12161c;--card:#1a2028;--ink:#e5eaf0;--soft:#98a4b3;--rule:#2c3540;--bar:#5b9bf0;--bar2:#2f4766;"
    "--good:#6fd3a0;--goodbg:#15301f;--bad:#ff8f86;--badbg:#3a1a18;--warn:#f0c063;--warnbg:#33280f;--edge:#66717f;"
    f"{_DARK}}}}}"
    + _CLASSES
    + """
*{box-sizing:border-box}
body{margin:0;background:var(--bg);color:var(--ink);font:15px/1.5 system-ui,-apple-system,"Segoe UI","DejaVu Sans",sans-serif}
main{max-width:1180px;margin:0 auto;padding:32px 24px 64px}
h1{font-size:26px;line-height:1.25;margin:0 0 2px;letter-spacing:-.01em;overflow-wrap:anywhere}
h2{font-size:19px;margin:44px 0 12px;letter-spacing:-.005em}
h3{font-size:16px;margin:0;overflow-wrap:anywhere}
a{color:inherit;text-decoration-color:var(--edge);text-underline-offset:3px}
code,.mono{font-family:ui-monospace,"SF Mono","DejaVu Sans Mono",Menlo,monospace;font-size:12.5px}
.lead{color:var(--soft);margin:0;overflow-wrap:anywhere}
.command{margin:14px 0 0;padding:10px 14px;background:var(--card);border:1px solid var(--rule);border-radius:10px;overflow-wrap:anywhere;color:var(--soft)}
.tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(165px,1fr));gap:12px;margin:22px 0 0}
.tile{background:var(--card);border:1px solid var(--rule);border-radius:12px;padding:14px 16px}
.tile b{display:block;font-size:25px;line-height:1.25;font-weight:650;letter-spacing:-.02em;font-variant-numeric:tabular-nums}
.tile span{color:var(--soft);font-size:13px}
.tile.good b{color:var(--good)}.tile.bad b{color:var(--bad)}
.card{background:var(--card);border:1px solid var(--rule);border-radius:12px;padding:6px 18px;overflow-x:auto}
table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}
th{font-size:12.5px;font-weight:600;color:var(--soft);text-align:left;padding:9px 14px 7px 0;border-bottom:1px solid var(--rule);white-space:nowrap}
td{padding:7px 14px 7px 0;border-bottom:1px solid var(--rule);vertical-align:middle;overflow-wrap:anywhere}
tr:last-child td{border-bottom:0}
.n{text-align:right;white-space:nowrap}
.q{color:var(--soft)}
.meter{width:34%;min-width:140px}
.meter i{display:block;height:9px;border-radius:5px;background:var(--bar);min-width:2px}
.two i+i{margin-top:3px}.two i:first-child{background:var(--bar2)}
.stack{display:flex;height:16px;border-radius:8px;overflow:hidden;margin:12px 0 6px;gap:2px}
.stack i{display:block;min-width:2px;background:var(--line)}
.dot{display:inline-block;width:10px;height:10px;border-radius:3px;background:var(--line);margin-right:8px}
.chip{display:inline-block;padding:1px 9px;border-radius:999px;font-size:12.5px;font-weight:600;margin:0 6px 4px 0;background:var(--fill);color:var(--text);border:1px solid var(--line)}
.tag{display:inline-block;padding:1px 9px;border-radius:999px;font-size:12.5px;font-weight:600;white-space:nowrap}
.good .tag,.tag.good{background:var(--goodbg);color:var(--good)}.tag.bad{background:var(--badbg);color:var(--bad)}.tag.quiet{background:var(--rule);color:var(--soft)}
.pass{background:var(--card);border:1px solid var(--rule);border-radius:14px;padding:18px 20px 16px;margin:0 0 18px;scroll-margin-top:16px}
.pass header{display:flex;flex-wrap:wrap;gap:4px 14px;align-items:baseline}
.pass header .q{font-size:13.5px}
.facts{color:var(--soft);margin:4px 0 10px;font-size:13.5px;overflow-wrap:anywhere}
.note{margin:10px 0 0;padding:9px 13px;border-radius:10px;background:var(--warnbg);color:var(--warn);overflow-wrap:anywhere}
.note.bad{background:var(--badbg);color:var(--bad)}
pre{margin:8px 0 0;padding:10px 13px;border-radius:10px;background:var(--bg);overflow-x:auto;font-size:12px;line-height:1.45}
details{border-top:1px solid var(--rule);margin-top:10px;padding-top:10px}
summary{cursor:pointer;color:var(--soft);font-size:13.5px;overflow-wrap:anywhere}
summary:hover{color:var(--ink)}
.pair{display:grid;grid-template-columns:minmax(0,var(--a)) 40px minmax(0,var(--b));align-items:center;margin-top:10px}
.side{overflow:auto;max-height:760px;padding:12px;border-radius:12px;background:var(--bg);align-self:stretch;display:flex;flex-direction:column}
.side>small{color:var(--soft);font-size:12.5px;margin-bottom:8px}
.side svg{margin:auto;display:block;max-width:100%;height:auto;flex:none}
.arrow{text-align:center;font-size:24px;color:var(--soft)}
.toolarge{color:var(--soft)}
svg text{font:12px system-ui,-apple-system,"Segoe UI","DejaVu Sans",sans-serif;text-anchor:middle;fill:var(--ink)}
svg .t{font-size:13px;font-weight:620}
svg .s{font-size:10.5px;fill:var(--soft)}
.box rect{fill:var(--fill);stroke:var(--line);stroke-width:1.3}
.box .t{fill:var(--text)}
.end{--fill:transparent;--line:var(--edge);--text:var(--soft)}.end rect{stroke-dasharray:3.5 3}.end .t{font-weight:500;font-size:12px}
.const{--fill:var(--card);--line:var(--edge);--text:var(--soft)}
.edges path{fill:none;stroke:var(--edge);stroke-width:1.5}
.marks path{fill:var(--edge)}
.marks text{font-size:9.5px;fill:var(--soft);text-anchor:start}
footer{margin-top:48px;color:var(--soft);font-size:13px}
@media (max-width:760px){.pair{grid-template-columns:1fr}.arrow{transform:rotate(90deg);padding:6px}main{padding:20px 14px 40px}}
@media print{body{background:#fff}.side{max-height:none}.pass,.tile{break-inside:avoid}}
"""
)
