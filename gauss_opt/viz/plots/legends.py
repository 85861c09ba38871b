"""Legends that are never cut off: letters made smaller, names shortened, the rest counted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, cast

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.lines import Line2D

from ..fitting import shortened, width_of
from ..style import literal, plain

__all__ = ["ASIDE", "Others", "legend", "room_of"]

ASIDE = "aside"
"""The gid of entries that are no curves, such as marks of events: they are not counted."""

SIZES = (9.0, 8.0, 7.0, 6.0)
LAID_OUT = 0.86  # of its cell, that axes take where the figure makes room for their words
BESIDE = 0.38  # of the axes' width at most, for names beside them
INSIDE = 0.6  # of the axes' width, which names on them had better not exceed
LEAST = 90.0  # points that names on axes may have in any case,
WHOLE = 0.9  # as long as they are within this part of the width
COVERED = 0.7  # of the axes' height, which a legend on them may take
HANDLE = 3.6  # widths of an m: a line sample and the spaces around it
LEADING = 1.5  # lines of a legend per height of its letters


class Others(Line2D):
    """The entry of a legend for lines that are not shown, or not named; it counts them.

    >>> Others(3).get_label()
    'and 3 more'
    """

    def __init__(self, count: int, **look: Any) -> None:
        super().__init__([], [], **{"linestyle": "none", **look, "label": f"and {count} more"})
        self.count = count


class Fit(NamedTuple):
    """How a legend fits: size of its letters, columns, and the labels that there is room for."""

    size: float
    columns: int
    labels: list[str]


def room_of(ax: Axes) -> tuple[float, float]:
    """Width and height of axes in points, about as they will be when all is laid out."""
    width, height = np.array(ax.figure.bbox.size) * 72.0 / ax.figure.dpi
    spec = ax.get_subplotspec()
    if not _makes_room(ax) or spec is None or spec.get_topmost_subplotspec() is not spec:
        across, up = ax.get_position(original=True).size
    else:
        grid = spec.get_gridspec()
        across = LAID_OUT * len(spec.colspan) / grid.ncols
        up = LAID_OUT * len(spec.rowspan) / grid.nrows
    return float(across * width), float(up * height)


def _makes_room(ax: Axes) -> bool:
    """Whether the figure makes room for what is beside its axes."""
    engine = cast(Figure, ax.figure).get_layout_engine()
    return isinstance(engine, ConstrainedLayoutEngine)


def legend(ax: Axes) -> None:
    """Names beside the axes, where they cover nothing; inside where the figure makes no room."""
    handles, labels = ax.get_legend_handles_labels()
    if not labels:
        return
    beside = _makes_room(ax)
    fit = _beside(ax, labels) if beside else _inside(ax, labels)
    shown = len(fit.labels)
    if shown < len(labels):
        rest = Others(sum(map(_count, handles[shown:])))
        handles = [*handles[:shown], rest] if rest.count else handles[:shown]
        fit = fit._replace(labels=[*fit.labels, str(rest.get_label())][: len(handles)])
    look: dict[str, Any] = {"fontsize": fit.size, "handlelength": 1.4, "ncols": fit.columns}
    if beside:
        look |= {"loc": "upper left", "bbox_to_anchor": (1.01, 1.02), "borderaxespad": 0.0}
        ax.legend(handles, fit.labels, frameon=False, **look)
    else:
        ax.legend(handles, fit.labels, loc="best", framealpha=0.75, edgecolor="none", **look)


def _count(handle: Any) -> int:
    """How many curves an entry stands for."""
    if isinstance(handle, Others):
        return handle.count
    return 0 if handle.get_gid() == ASIDE else 1


def _beside(ax: Axes, labels: Sequence[str]) -> Fit:
    """One column beside the axes, as high as they are."""
    width, height = room_of(ax)
    room = BESIDE * width
    return (
        _whole(labels, room, height, room)
        or _short(labels, room, height)
        or _some(labels, room, height)
    )


def _inside(ax: Axes, labels: Sequence[str]) -> Fit:
    """On the axes, in several columns where they are wide; shortened names in one."""
    width, height = room_of(ax)
    height *= COVERED
    most = WHOLE * width
    room = min(max(INSIDE * width, LEAST), most)
    return (
        _whole(labels, room, height, most)
        or _short(labels, room, height)
        or _some(labels, most, height)
    )


def _whole(labels: Sequence[str], room: float, height: float, most: float) -> Fit | None:
    """All labels as they are: columns within ``room``, all of them together within ``most``."""
    for size in SIZES:
        widest = max(_width(label, size) for label in labels)
        columns = -(-len(labels) // _lines(height, size))
        if widest <= room and columns * widest <= most:
            return Fit(size, columns, list(labels))
    return None


def _short(labels: Sequence[str], room: float, height: float) -> Fit | None:
    """All labels in one column, shortened."""
    for size in SIZES:
        fitted = [_fitted(label, room, size) for label in labels]
        narrow = max(_width(label, size) for label in fitted) <= room
        if narrow and len(labels) <= _lines(height, size):
            return Fit(size, 1, fitted)
    return None


def _some(labels: Sequence[str], room: float, height: float) -> Fit:
    """The first labels in small letters, with a line left for the number of others."""
    size = SIZES[-1]
    kept = labels[: max(_lines(height, size) - 1, 1)]
    return Fit(size, 1, [_fitted(label, room, size) for label in kept])


def _lines(height: float, size: float) -> int:
    return max(int(height / (LEADING * size)), 1)


def _width(label: str, size: float) -> float:
    return width_of(plain(label), size) + HANDLE * size


def _fitted(label: str, room: float, size: float) -> str:
    return literal(shortened(plain(label), room - HANDLE * size, size))
