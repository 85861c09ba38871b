"""Colours, line styles and markers that all pictures share.

The colours are those of Okabe and Ito, which colour-blind people tell apart; events differ in their
markers too, so that a picture printed in grey can be read.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..results.records import EventKind

__all__ = ["DARK", "EVENTS", "LIGHT", "LINES", "EventStyle", "Theme", "literal", "plain"]

BLACK, ORANGE, SKY, GREEN = "#000000", "#E69F00", "#56B4E9", "#009E73"
YELLOW, BLUE, VERMILLION, PURPLE = "#F0E442", "#0072B2", "#D55E00", "#CC79A7"


@dataclass(frozen=True)
class Theme:
    """Colours of a picture: one for each role of a shape, and of what is around the shapes."""

    roles: dict[str, str]
    paper: str
    ink: str
    faint: str
    flash: str = YELLOW


LIGHT = Theme(
    roles={
        "body": BLUE,
        "second": ORANGE,
        "third": GREEN,
        "ground": "#9A9A9A",
        "string": "#4D4D4D",
        "ghost": "#C4C4C4",
        "force": VERMILLION,
        "accent": PURPLE,
    },
    paper="#FFFFFF",
    ink="#222222",
    faint="#8A8A8A",
)

DARK = Theme(
    roles={
        "body": SKY,
        "second": ORANGE,
        "third": "#2FC79B",
        "ground": "#7C7C7C",
        "string": "#C9C9C9",
        "ghost": "#5C5C5C",
        "force": "#F5793A",
        "accent": "#E2A0C5",
    },
    paper="#16181D",
    ink="#E8E8E8",
    faint="#9A9A9A",
)

LINES: tuple[tuple[str, str], ...] = (
    (BLUE, "-"),
    (ORANGE, "-"),
    (GREEN, "-"),
    (PURPLE, "-"),
    (VERMILLION, "-"),
    (SKY, "-"),
    (BLACK, "-"),
    (BLUE, "--"),
)
"""Colour and dash of the lines of one axes, in this order; there are never more of them."""


@dataclass(frozen=True)
class EventStyle:
    """How events of one kind are marked."""

    marker: str
    color: str


EVENTS: dict[str, EventStyle] = {
    EventKind.IMPACT: EventStyle("v", VERMILLION),
    EventKind.RELEASE: EventStyle("^", GREEN),
    EventKind.ACCUMULATION: EventStyle("D", PURPLE),
    EventKind.GRAZE: EventStyle("o", SKY),
    EventKind.STICK: EventStyle("P", BLUE),
    EventKind.SLIP: EventStyle(">", BLUE),
    EventKind.REVERSAL: EventStyle("<", BLUE),
    EventKind.JAM: EventStyle("X", VERMILLION),
    EventKind.LIMIT: EventStyle("s", ORANGE),
    EventKind.USER: EventStyle("*", BLACK),
}
"""Marker and colour of each kind of event."""


def literal(name: str) -> str:
    r"""A name as matplotlib shows it letter by letter: no mathematics, no hidden legend entry.

    >>> print(literal("_floor"), literal("a $ sign"))
     _floor a \$ sign
    """
    text = name.encode("utf-8", "replace").decode().replace("$", "\\$")
    return f" {text}" if text.startswith("_") else text


def plain(label: str) -> str:
    r"""What :func:`literal` shows of a label, letter by letter.

    >>> print(plain(literal("a $ sign")))
    a $ sign
    """
    return label.replace("\\$", "$")
