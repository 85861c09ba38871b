"""Tables that a notebook shows: plain HTML without colours of its own, and everything escaped."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from html import escape
from itertools import islice

__all__ = ["facts", "heading", "sentence", "table"]

MOST_ROWS = 100


def heading(text: str) -> str:
    """A line in bold.

    >>> heading("a < b")
    '<div><strong>a &lt; b</strong></div>'
    """
    return f"<div><strong>{escape(text)}</strong></div>"


def sentence(text: str) -> str:
    """A paragraph; line breaks stay."""
    return f'<div style="white-space:pre-wrap">{escape(text)}</div>'


def table(
    head: Sequence[str],
    rows: Iterable[Sequence[object]],
    *,
    right: Collection[str] = (),
    most: int = MOST_ROWS,
) -> str:
    """A table; columns named in ``right`` are numbers, and only the first ``most`` rows are shown.

    >>> table(["t", "kind"], [[0.5, "impact"]], right=["t"])
    '<table><thead><tr><th style="text-align:right">t</th><th style="text-align:left">kind</th>\
</tr></thead><tbody><tr><td style="text-align:right">0.5</td>\
<td style="text-align:left">impact</td></tr></tbody></table>'
    """
    styles = [f"text-align:{'right' if name in right else 'left'}" for name in head]
    waiting = iter(rows)
    body = "".join(_row("td", row, styles) for row in islice(waiting, most))
    left_out = sum(1 for _ in waiting)
    shown = f"<table><thead>{_row('th', head, styles)}</thead><tbody>{body}</tbody></table>"
    return shown + sentence(f"and {left_out} more") if left_out else shown


def facts(pairs: Iterable[tuple[str, object]]) -> str:
    """Names and what belongs to them, one pair in a row."""
    style = "text-align:left"
    rows = (
        f'<tr><th style="{style}">{escape(name)}</th>'
        f'<td style="{style}">{escape(str(value))}</td></tr>'
        for name, value in pairs
    )
    return f"<table><tbody>{''.join(rows)}</tbody></table>"


def _row(tag: str, cells: Sequence[object], styles: Sequence[str]) -> str:
    return (
        "<tr>"
        + "".join(
            f'<{tag} style="{style}">{escape(str(cell))}</{tag}>'
            for cell, style in zip(cells, styles, strict=True)
        )
        + "</tr>"
    )
