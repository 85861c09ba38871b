"""What the pictures over time have in common: axes, named lines, event marks and legends."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from io import BytesIO
from typing import Any, cast

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ...base.arrays import Array
from ...base.errors import InputError
from ...base.tolerances.viz import FLAT_CURVE, STILL_COORDINATE
from ...base.words.choices import choices
from ...results.analysis.quantities import Family
from ...results.records import Event
from ...results.result import Result
from ..fitting import broken, width_of
from ..style import EVENTS, LIGHT, LINES, literal
from .legends import ASIDE, Others, legend, room_of

__all__ = [
    "Picture",
    "figure",
    "honest_limits",
    "mark_events",
    "named_lines",
    "new_axes",
    "over_units",
    "styles_of",
]

CLOSEST = 1 / 150  # vertical lines of events are at least this part of the width apart
MAX_LINES = len(LINES)
NOTEBOOK_DPI = 100
LEAST_ROOM = 60.0  # points of a word along an axis, however short the axis is


class Picture(Figure):
    """A figure that a notebook shows by itself, whether matplotlib is set up there or not."""

    def _repr_png_(self) -> bytes:
        with BytesIO() as drawn:
            self.savefig(drawn, format="png", dpi=NOTEBOOK_DPI)
            return drawn.getvalue()


class Panel(Axes):
    """Axes of a picture of their own, which a notebook shows with it."""

    def _repr_png_(self) -> bytes:
        return cast(Picture, self.figure)._repr_png_()


def figure(width: float = 8.0, height: float = 4.0) -> Picture:
    """An empty figure, in inches, that makes room for its labels."""
    return Picture(figsize=(width, height), layout="constrained")


def new_axes(ax: Axes | None) -> Axes:
    """The axes to draw into: those given, or new ones, in the plain look of all pictures."""
    if ax is None:
        ax = figure().add_subplot(axes_class=Panel)
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
        raise InputError(f"nothing here is in {unit!r}; {choices(str(unit), units)}")
    if len(chosen) > 1 and ax is not None:
        raise InputError(
            f"{chosen[0].title} in {units[0]} and in {units[1]} cannot share an axis: choose one "
            f"with unit={units[0]!r}, or leave out ax"
        )
    if ax is None and len(chosen) > 1:
        picture = figure(8.0, 0.8 + 2.4 * len(chosen))
        kind = {"axes_class": Panel}
        every = picture.subplots(len(chosen), 1, sharex=True, subplot_kw=kind).tolist()
    else:
        every = [ax]
    drawn = []
    for number, given in enumerate(every):
        panel = new_axes(given)
        label = title
        if chosen:
            draw(panel, chosen[number])
            label = chosen[number].label
        else:
            _say(panel, f"no {title}")
        over_time(panel, result, label, events=events, names=names and number == 0)
        if chosen:
            _flat(panel, chosen[number])
        if number < len(every) - 1:
            panel.set_xlabel("")
        drawn.append(panel)
    return drawn[0]


def _say(ax: Axes, words: str) -> None:
    """Words in the middle of axes that have nothing else to show."""
    look: dict[str, Any] = {"ha": "center", "va": "center", "color": LIGHT.faint}
    ax.text(0.5, 0.5, words, transform=ax.transAxes, **look)
    ax.set_yticks([])


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
    for name, (color, dash) in styles_of(shown, colors or {}).items():
        t, values = lines[name]
        ax.plot(t, values, dash, color=color, linewidth=1.6, label=literal(name))
    more += len(lines) - len(shown)
    if more:
        ax.add_line(Others(more))


def styles_of(
    names: Collection[str], colors: Mapping[str, tuple[str, str]]
) -> dict[str, tuple[str, str]]:
    """Colour and dash of each of a few lines: those given, and for the others what is left."""
    taken = {colors[name] for name in names if name in colors}
    free = iter([style for style in LINES if style not in taken])
    return {name: colors[name] if name in colors else next(free) for name in names}


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
    strength = min(0.45, 30.0 / max(len(result.events), 1))
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
            alpha=max(strength, 0.12),
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
            gid=ASIDE,
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


def over_time(ax: Axes, result: Result, ylabel: str, *, events: bool, names: bool) -> Axes:
    """Finish a panel over time: labels, event marks, legend."""
    ax.set_xlabel("time (s)")
    name_axis(ax, "y", ylabel)
    if events:
        mark_events(ax, result, named=names)
    width = float(result.t[-1] - result.t[0])
    if width > 0.0:
        ax.set_xlim(result.t[0] - 0.01 * width, result.t[-1] + 0.01 * width)
    if ax.get_yscale() == "linear":
        honest_limits(ax, "y")
    legend(ax)
    return ax


def name_axis(ax: Axes, axis: str, words: str) -> None:
    """What an axis shows, in lines no longer than the axis."""
    room = max(dict(zip("xy", room_of(ax), strict=True))[axis], LEAST_ROOM)
    size = float(ax.xaxis.label.get_fontsize())
    if width_of(words, size) > room:  # the unit keeps together as long as it can
        words = "\n(".join(words.rsplit(" (", 1))
    getattr(ax, f"set_{axis}label")(literal(broken(words, room, size)))


def honest_limits(ax: Axes, axis: str, size: float = 0.0) -> None:
    """Limits that do not magnify round-off: a curve that varies by less than FLAT_CURVE is flat.

    ``size`` is that of like quantities, where the ones shown may be nothing but round-off.
    """
    which = getattr(ax, f"{axis}axis")
    low, high = which.get_data_interval()
    size = max(abs(low), abs(high), size)
    if np.isfinite(size) and size > 0.0 and high - low <= FLAT_CURVE * size:
        getattr(ax, f"set_{axis}lim")(low - 0.5 * size, high + 0.5 * size)
