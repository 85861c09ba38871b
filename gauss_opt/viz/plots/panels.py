"""What the pictures over time have in common: axes, named lines, event marks and legends."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ...base.arrays import Array
from ...base.tolerances.viz import FLAT_CURVE
from ...results.records import Event
from ...results.result import Result
from ..style import EVENTS, LIGHT, LINES, literal

__all__ = [
    "figure",
    "honest_limits",
    "legend",
    "mark_events",
    "named_lines",
    "new_axes",
]

CLOSEST = 1 / 150  # vertical lines of events are at least this part of the width apart
MAX_LINES = len(LINES)


def figure(width: float = 8.0, height: float = 4.0) -> Figure:
    """An empty figure, in inches, that makes room for its labels."""
    return Figure(figsize=(width, height), layout="constrained")


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


def named_lines(
    ax: Axes,
    t: Array,
    lines: Mapping[str, Array],
    *,
    colors: Mapping[str, tuple[str, str]] | None = None,
) -> None:
    """Lines over time with their names; of too many, those that vary most, and how many more.

    A jump has two rows at one time, so it is drawn upright between both of its sides.
    """
    shown = _most_varying(lines)
    for (name, values), style in zip(shown.items(), LINES, strict=False):
        color, dash = style if colors is None else colors.get(name, style)
        ax.plot(t, values, dash, color=color, linewidth=1.6, label=literal(name))
    if len(lines) > len(shown):
        ax.plot([], [], " ", label=f"and {len(lines) - len(shown)} more")


def _most_varying(lines: Mapping[str, Array]) -> dict[str, Array]:
    """At most MAX_LINES of the lines, in their order."""
    if len(lines) <= MAX_LINES:
        return dict(lines)
    spread = {name: float(np.ptp(values)) for name, values in lines.items()}
    chosen = set(sorted(spread, key=lambda name: -spread[name])[:MAX_LINES])
    return {name: values for name, values in lines.items() if name in chosen}


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
    """Names beside the axes, where they cover nothing."""
    handles, labels = ax.get_legend_handles_labels()
    if labels:
        ax.legend(
            handles,
            labels,
            loc="upper left",
            bbox_to_anchor=(1.01, 1.02),
            frameon=False,
            fontsize=9,
            handlelength=1.4,
            borderaxespad=0.0,
        )


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
