"""What the pictures over time have in common: axes, named lines, event marks and legends."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from io import BytesIO
from typing import Any, cast

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.lines import Line2D

from ...base.arrays import Array
from ...base.errors import InputError
from ...base.tolerances.viz import FLAT_CURVE, STILL_COORDINATE
from ...results.analysis.quantities import Family
from ...results.records import Event
from ...results.result import Result
from ..style import EVENTS, LIGHT, LINES, literal

__all__ = [
    "Picture",
    "figure",
    "honest_limits",
    "legend",
    "mark_events",
    "named_lines",
    "new_axes",
    "over_units",
]

CLOSEST = 1 / 150  # vertical lines of events are at least this part of the width apart
MAX_LINES = len(LINES)
NOTEBOOK_DPI = 100


class Picture(Figure):
    """A figure that a notebook shows by itself, whether matplotlib is set up there or not."""

    def _repr_png_(self) -> bytes:
        with BytesIO() as drawn:
            self.savefig(drawn, format="png", dpi=NOTEBOOK_DPI)
            return drawn.getvalue()


def figure(width: float = 8.0, height: float = 4.0) -> Picture:
    """An empty figure, in inches, that makes room for its labels."""
    return Picture(figsize=(width, height), layout="constrained")


def new_axes(ax: Axes | None) -> Axes:
    """The axes to draw into: those given, or new ones, in the plain look of all pictures."""
    if ax is None:
        ax = figure().add_subplot()
    ax.spines[["top", "right"]].set_visible(False)
    ax.spines[["left", "bottom"]].set_color(LIGHT.faint)
    ax.tick_params(color=LIGHT.faint, labelcolor=LIGHT.ink, labelsize=9)
    ax.grid(True, color="#EBEBEB", linewidth=0.7)
    ax.set_axisbelow(True)
    return ax


def over_units(
    result: Result,
    families: Sequence[Family],
    ax: Axes | None,
    draw: Callable[[Axes, Family], None],
    *,
    unit: str | None,
    events: bool,
    names: bool,
    title: str = "",
) -> Axes:
    """One panel for each unit; into given axes only what has one unit.

    Returns the first of the axes.
    """
    chosen = [family for family in families if unit in (None, family.unit)]
    units = [family.unit for family in families]
    if families and not chosen:
        raise InputError(f"nothing here is in {unit!r}; choose from: {', '.join(units)}")
    if len(chosen) > 1 and ax is not None:
        raise InputError(
            f"{chosen[0].title} in {units[0]} and in {units[1]} cannot share an axis: choose one "
            f"with unit={units[0]!r}, or leave out ax"
        )
    if ax is None and len(chosen) > 1:
        picture = figure(8.0, 0.8 + 2.4 * len(chosen))
        every = picture.subplots(len(chosen), 1, sharex=True, squeeze=False).ravel().tolist()
    else:
        every = [ax]
    drawn = []
    for number, given in enumerate(every):
        panel = new_axes(given)
        label = title
        if chosen:
            draw(panel, chosen[number])
            label = chosen[number].label
        over_time(panel, result, label, events=events, names=names and number == 0)
        if chosen:
            _flat(panel, chosen[number])
        if number < len(every) - 1:
            panel.set_xlabel("")
        drawn.append(panel)
    return drawn[0]


def _flat(ax: Axes, family: Family) -> None:
    """Limits around zero for values that are nothing but round-off."""
    largest = max((float(np.abs(y).max()) for _, y in family.lines.values()), default=0.0)
    if 0.0 < largest <= STILL_COORDINATE * family.size:
        ax.set_ylim(-0.5 * family.size, 0.5 * family.size)


def named_lines(
    ax: Axes,
    lines: Mapping[str, tuple[Array, Array]],
    *,
    colors: Mapping[str, tuple[str, str]] | None = None,
    more: int = 0,
) -> None:
    """Lines over time with their names; of too many, those that vary most, and how many more.

    A jump has two rows at one time, so it is drawn upright between both of its sides.

    Parameters
    ----------
    colors : mapping, optional
        Colour and dash of lines that have them in other pictures too; of too many lines these
        are shown.
    more : int
        How many there are beside ``lines``.
    """
    shown = _most_varying(lines, colors or {})
    free = [style for style in LINES if style not in (colors or {}).values()] or list(LINES)
    fresh = iter(free * MAX_LINES)
    for name, (t, values) in shown.items():
        color, dash = (colors or {}).get(name) or next(fresh)
        ax.plot(t, values, dash, color=color, linewidth=1.6, label=literal(name))
    more += len(lines) - len(shown)
    if more:
        ax.plot([], [], " ", label=f"and {more} more")


def _most_varying(
    lines: Mapping[str, tuple[Array, Array]], first: Collection[str]
) -> dict[str, tuple[Array, Array]]:
    """At most MAX_LINES of the lines, in their order."""
    if len(lines) <= MAX_LINES:
        return dict(lines)
    spread = {name: float(np.ptp(values)) for name, (_, values) in lines.items()}
    best = sorted(spread, key=lambda name: (name not in first, -spread[name]))[:MAX_LINES]
    return {name: line for name, line in lines.items() if name in best}


def mark_events(ax: Axes, result: Result, *, named: bool = True) -> None:
    """A thin upright line at each event, and a marker for its kind on the upper rim.

    Lines that would run into each other are left out; every event keeps its marker.
    """
    width = float(result.t[-1] - result.t[0])
    for level, (kind, events) in enumerate(_by_kind(result.events).items()):
        style = EVENTS[kind]
        times = np.array([event.t for event in events])
        rim = ax.get_xaxis_transform()
        ax.vlines(
            _spread_out(times, CLOSEST * width),
            0.0,
            1.0,
            transform=rim,
            color=style.color,
            linewidth=0.6,
            alpha=0.45,
            zorder=1.0,
        )
        crowded = len(events) > 30
        ax.plot(
            times,
            np.full(len(times), 1.0 + 0.04 * level),  # events of two kinds may coincide
            transform=rim,
            linestyle="none",
            marker=style.marker,
            markersize=3.5 if crowded else 5.0,
            markeredgewidth=0.0,
            color=style.color,
            clip_on=False,
            zorder=3.0,
            label=_counted(kind, len(events)) if named else f"_{kind}",
        )


def _counted(kind: str, count: int) -> str:
    return kind if count == 1 else f"{kind} ({count})"


def _by_kind(events: Sequence[Event]) -> dict[str, list[Event]]:
    found: dict[str, list[Event]] = {kind: [] for kind in EVENTS}
    for event in events:
        found.setdefault(event.kind, []).append(event)
    return {kind: members for kind, members in found.items() if members and kind in EVENTS}


def _spread_out(times: Array, distance: float) -> list[float]:
    kept: list[float] = []
    for t in times.tolist():
        if not kept or t - kept[-1] >= distance:
            kept.append(t)
    return kept


def legend(ax: Axes) -> None:
    """Names beside the axes, where they cover nothing; inside where the figure makes no room."""
    handles, labels = ax.get_legend_handles_labels()
    if not labels:
        return
    beside = isinstance(cast(Figure, ax.figure).get_layout_engine(), ConstrainedLayoutEngine)
    size, columns, most = _fitting(ax, labels, 1 if beside else 3)
    if most < len(labels):
        left_out = len(labels) - most + 1
        handles = [*handles[: most - 1], Line2D([], [], linestyle="none")]
        labels = [*labels[: most - 1], f"and {left_out} more"]
    look: dict[str, Any] = {"fontsize": size, "handlelength": 1.4, "ncols": columns}
    if beside:
        look |= {"loc": "upper left", "bbox_to_anchor": (1.01, 1.02)}
        ax.legend(handles, labels, frameon=False, borderaxespad=0.0, **look)
    else:
        ax.legend(handles, labels, loc="best", framealpha=0.75, edgecolor="none", **look)


def _fitting(ax: Axes, labels: Sequence[str], columns: int) -> tuple[float, int, int]:
    """Size of the letters, number of columns and of entries with which a legend fits the axes."""
    picture = cast(Figure, ax.figure)
    width, height = picture.get_size_inches() * ax.get_position(original=True).size
    for size in (9.0, 8.0, 7.0, 6.0):
        lines = max(int((height - 0.1) * 72.0 / (1.5 * size)), 1)
        wide = max((max(map(len, labels)) * 0.55 + 4.5) * size / 72.0, 0.1)
        across = max(min(columns, int(width / wide)), 1)
        if lines * across >= len(labels):
            return size, -(-len(labels) // lines), len(labels)
    return size, across, lines * across


def over_time(ax: Axes, result: Result, ylabel: str, *, events: bool, names: bool) -> Axes:
    """Finish a panel over time: labels, event marks, legend."""
    ax.set_xlabel("time (s)")
    ax.set_ylabel(ylabel)
    if events:
        mark_events(ax, result, named=names)
    width = float(result.t[-1] - result.t[0])
    if width > 0.0:
        ax.set_xlim(result.t[0] - 0.01 * width, result.t[-1] + 0.01 * width)
    if ax.get_yscale() == "linear":
        honest_limits(ax, "y")
    legend(ax)
    return ax


def honest_limits(ax: Axes, axis: str, size: float = 0.0) -> None:
    """Limits that do not magnify round-off: a curve that varies by less than FLAT_CURVE is flat.

    ``size`` is that of like quantities, where the ones shown may be nothing but round-off.
    """
    which = getattr(ax, f"{axis}axis")
    low, high = which.get_data_interval()
    size = max(abs(low), abs(high), size)
    if np.isfinite(size) and size > 0.0 and high - low <= FLAT_CURVE * size:
        getattr(ax, f"set_{axis}lim")(low - 0.5 * size, high + 0.5 * size)
