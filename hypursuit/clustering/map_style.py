"""How a map looks, on light and on dark paper."""

from __future__ import annotations

from hypursuit.clustering.palette import DARK_PAPER, LIGHT_PAPER, PALETTE

LABEL_SIZE = 15.0
ENTRY_SIZE = 15.0

_COLOURS = "\n".join(f".hm .k{i} {{ --k: {light}; --kd: {dark} }}" for i, (light, dark) in enumerate(PALETTE))
STYLE = f"""
.hm {{ --paper: {LIGHT_PAPER}; --ink: #1d2026; --faint: #5f6670; --tint: .13; --line: .38; --tie: .17;
  background: var(--paper) }}
{_COLOURS}
.hm text {{ font-family: "Helvetica Neue", Arial, "Liberation Sans", sans-serif; fill: var(--ink) }}
.hm [class*=k] {{ --c: var(--k) }}
.hm .paper {{ fill: var(--paper) }}
.hm .disc {{ fill: var(--c); fill-opacity: var(--tint); stroke: var(--c); stroke-opacity: .45 }}
.hm .links {{ fill: none; stroke: var(--c); stroke-opacity: var(--line); stroke-width: .9 }}
.hm .ties {{ fill: none; stroke: var(--faint); stroke-opacity: var(--tie); stroke-linecap: round }}
.hm .dot {{ fill: var(--c) }}
.hm .centre {{ fill: var(--c); stroke: var(--paper); stroke-width: 2; paint-order: stroke }}
.hm .ring {{ fill: none; stroke: var(--c); stroke-width: 1.8 }}
.hm .name {{ font-size: {LABEL_SIZE:g}px; font-weight: 600; text-anchor: middle; stroke: var(--paper);
  stroke-width: 3.5px; stroke-linejoin: round; paint-order: stroke; pointer-events: none }}
.hm .heading {{ font-size: 25px; font-weight: 700 }}
.hm .sub, .hm .note {{ font-size: 14px; fill: var(--faint) }}
.hm .note {{ font-size: 13px }}
.hm .entry {{ font-size: {ENTRY_SIZE:g}px }}
.hm .size {{ font-size: 14px; fill: var(--faint); text-anchor: end; font-variant-numeric: tabular-nums }}
.hm a:hover .dot, .hm a:focus .dot, .hm a:hover .centre {{ stroke: var(--ink); stroke-width: 2 }}
.hm a:hover .entry, .hm a:focus .entry {{ text-decoration: underline }}
.hm .cluster:target .disc, .hm .cluster:hover .disc {{ fill-opacity: .3; stroke-opacity: 1; stroke-width: 2 }}
@media (prefers-color-scheme: dark) {{
.hm {{ --paper: {DARK_PAPER}; --ink: #eceef1; --faint: #a3abb6; --tint: .17; --line: .42; --tie: .24 }}
.hm [class*=k] {{ --c: var(--kd) }}
}}
"""
"""The style element's text, the same in every map, so that a content security policy can name its hash."""
