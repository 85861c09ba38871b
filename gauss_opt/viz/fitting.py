"""Words that fit the room there is: measured, shortened in the middle, or broken into lines.

Widths are in points, as matplotlib draws them, so that wide letters and other scripts count.
"""

from __future__ import annotations

from functools import lru_cache

from matplotlib.font_manager import FontProperties
from matplotlib.textpath import TextToPath

__all__ = ["broken", "shortened", "width_of"]

FEWEST_LETTERS = 7  # of a name that is shortened: less would tell nothing
DOTS = "…"


@lru_cache(maxsize=4096)
def width_of(text: str, size: float) -> float:
    """Width of one line of letters of a size, in points.

    >>> width_of("mmm", 10.0) > 2 * width_of("iii", 10.0) > 0.0
    True
    """
    drawable = text.encode("utf-8", "replace").decode()
    width, _, _ = TextToPath().get_text_width_height_descent(
        drawable, FontProperties(size=size), ismath=False
    )
    return float(width)


def shortened(text: str, room: float, size: float) -> str:
    """A name no wider than the room, with its beginning and its end.

    >>> shortened("floor", 100.0, 9.0)
    'floor'
    >>> shortened("left foot of the second walker", 90.0, 9.0)
    'left foot…nd walker'
    """
    width = width_of(text, size)
    if width <= room or len(text) <= FEWEST_LETTERS:
        return text
    kept = int(min(len(text) - 1, len(text) * room / width + 1))
    while kept > FEWEST_LETTERS and width_of(_middle_out(text, kept), size) > room:
        kept -= 1
    return _middle_out(text, max(kept, FEWEST_LETTERS))


def _middle_out(text: str, kept: int) -> str:
    return text[: kept // 2] + DOTS + text[len(text) - (kept - kept // 2) :]


def broken(text: str, room: float, size: float) -> str:
    """Lines no wider than the room, broken between words where that is possible.

    >>> print(broken("contact multiplier (force per unit of gradient)", 110.0, 10.0))
    contact multiplier
    (force per unit of
    gradient)
    """
    return "\n".join(line for given in text.split("\n") for line in _lines(given, room, size))


def _lines(text: str, room: float, size: float) -> list[str]:
    lines = [""]
    for word in text.split(" "):
        longer = f"{lines[-1]} {word}" if lines[-1] else word
        if lines[-1] and width_of(longer, size) > room:
            lines.append(word)
        else:
            lines[-1] = longer
    return [shortened(line, room, size) for line in lines]
