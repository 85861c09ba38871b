"""Tables on the terminal. Names from models and files are shown as they are, never as markup."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

__all__ = [
    "bar",
    "facts",
    "heading",
    "literal",
    "number",
    "on_terminal",
    "sentence",
    "table",
    "verdict",
]


def literal(value: object, style: str = "") -> Text:
    """Text as it is: no markup, and no control characters that could steer the terminal."""
    text = str(value)
    shown = "".join(c if c.isprintable() or c == "\n" else ascii(c)[1:-1] for c in text)
    return Text(shown, style=style)


def heading(text: str) -> Text:
    """A line above a table."""
    return literal(f"\n{text}", "bold")


def sentence(text: str, style: str = "") -> Text:
    """A line of its own."""
    return literal(text, style)


def verdict(ok: bool) -> Text:
    """The word at the end of a row."""
    return Text("ok", "green") if ok else Text("FAILED", "bold red")


def number(value: float | None, digits: int = 2) -> str:
    """A small figure such as a residual; a dash where there is none."""
    return "-" if value is None or value != value else f"{value:.{digits - 1}e}"


def table(
    columns: Sequence[str], rows: Iterable[Sequence[Any]], right: Sequence[str] = ()
) -> Table:
    """A plain table; the columns in ``right`` are aligned to the right."""
    made = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for name in columns:
        made.add_column(name, justify="right" if name in right else "left", overflow="fold")
    for row in rows:
        made.add_row(*(cell if isinstance(cell, Text) else literal(cell) for cell in row))
    return made


def facts(items: Mapping[str, Any]) -> Table:
    """Names and values, one line each."""
    made = Table.grid(padding=(0, 2))
    made.add_column(style="dim")
    made.add_column(overflow="fold")
    for name, value in items.items():
        made.add_row(name, value if isinstance(value, Text) else literal(value))
    return made


def on_terminal() -> bool:
    """Whether somebody looks at what is printed."""
    return sys.stdout.isatty() and sys.stderr.isatty()


def bar(quiet: bool) -> Callable[[Sequence[Any]], Iterable[Any]]:
    """What shows the way through a sequence: a bar on a terminal, nothing elsewhere."""
    if quiet or not on_terminal():
        return iter
    from rich.progress import track

    console = Console(stderr=True)
    return lambda places: track(places, "comparing", console=console, transient=True)
