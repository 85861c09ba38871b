"""Pictures of the motion: positions and velocities over time, and phase portraits."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes

from ...base.arrays import Array
from ...base.errors import InputError
from ...results.analysis.refinement import refined
from ...results.names import coordinate_names, velocity_names
from ...results.records import EventKind
from ...results.result import Result
from ..style import BLUE, EVENTS, literal
from .panels import honest_limits, legend, named_lines, new_axes, over_time

__all__ = ["phase_portrait", "positions", "velocities"]

Which = int | str


def positions(
    result: Result,
    ax: Axes | None = None,
    *,
    which: Sequence[Which] | None = None,
    events: bool = True,
    name_events: bool = True,
) -> Axes:
    """Positions over time.

    Parameters
    ----------
    ax : Axes, optional
        Where to draw; a new figure otherwise.
    which : sequence of int or str, optional
        Indices or names of the coordinates; all by default.
    events, name_events : bool
        Whether events are marked, and whether the legend explains their marks.
    """
    return _over_time(
        result, "q", coordinate_names(result), "position (m, rad)", ax, which, events, name_events
    )


def velocities(
    result: Result,
    ax: Axes | None = None,
    *,
    which: Sequence[Which] | None = None,
    events: bool = True,
    name_events: bool = True,
) -> Axes:
    """Velocities over time; a jump is an upright line between both of its sides."""
    names = velocity_names(result)
    return _over_time(result, "v", names, "velocity (m/s, rad/s)", ax, which, events, name_events)


def _over_time(
    result: Result,
    letter: str,
    names: list[str],
    label: str,
    ax: Axes | None,
    which: Sequence[Which] | None,
    events: bool,
    name_events: bool,
) -> Axes:
    ax = new_axes(ax)
    fine = refined(result)
    columns = getattr(fine, letter)
    chosen = range(len(names)) if which is None else [_index(result, names, w) for w in which]
    named_lines(ax, fine.t, {names[i]: columns[:, i] for i in chosen})
    return over_time(ax, result, label, events=events, names=name_events)


def phase_portrait(
    result: Result,
    coordinate: Which | tuple[Which, Which] = 0,
    ax: Axes | None = None,
) -> Axes:
    """Velocity over position of one coordinate, or the path in the plane of two.

    Jumps are thin dashed lines; a dot is the start, a square the end.

    Parameters
    ----------
    coordinate : int, str, or pair of them
        Index or name; a pair gives the second over the first.
    """
    names = coordinate_names(result)
    fine = refined(result)
    if isinstance(coordinate, tuple):
        i, j = (_index(result, names, c) for c in coordinate)
        x, y = fine.q[:, i], fine.q[:, j]
        xlabel, ylabel = f"{names[i]} (m, rad)", f"{names[j]} (m, rad)"
    else:
        i = _index(result, names, coordinate)
        if result.q.shape[1] != result.v.shape[1]:
            raise InputError(
                "positions and velocities of this system differ in number: give a pair of "
                "coordinates"
            )
        x, y = fine.q[:, i], fine.v[:, i]
        xlabel, ylabel = f"{names[i]} (m, rad)", f"rate of {names[i]} (m/s, rad/s)"
    ax = new_axes(ax)
    _curve_with_jumps(ax, fine.t, x, y)
    ax.plot(x[0], y[0], "o", color=BLUE, markersize=6, label="start")
    ax.plot(x[-1], y[-1], "s", color=BLUE, markersize=6, label="end")
    ax.set_xlabel(literal(xlabel))
    ax.set_ylabel(literal(ylabel))
    ax.locator_params(axis="x", nbins=6)
    honest_limits(ax, "x", float(np.abs(fine.q).max()))
    vertical = fine.q if isinstance(coordinate, tuple) else fine.v
    honest_limits(ax, "y", float(np.abs(vertical).max()))
    legend(ax)
    return ax


def _curve_with_jumps(ax: Axes, t: Array, x: Array, y: Array) -> None:
    """The smooth arcs as one line, the jumps between them as another."""
    jumps = np.flatnonzero((np.diff(t) == 0.0) & ((np.diff(x) != 0.0) | (np.diff(y) != 0.0)))
    ax.plot(
        np.insert(x, jumps + 1, np.nan),
        np.insert(y, jumps + 1, np.nan),
        color=BLUE,
        linewidth=1.4,
        label="motion",
    )
    if len(jumps):
        sides = np.stack([jumps, jumps + 1, jumps], axis=1).ravel()
        gaps = np.tile([0.0, 0.0, np.nan], len(jumps))
        ax.plot(
            x[sides] + gaps,
            y[sides] + gaps,
            linestyle=(0, (3, 2)),
            color=EVENTS[EventKind.IMPACT].color,
            linewidth=0.8,
            label="jump" if len(jumps) == 1 else f"jumps ({len(jumps)})",
        )


def _index(result: Result, names: list[str], which: Which) -> int:
    """The place of a coordinate by index or name."""
    known = [*coordinate_names(result)] if len(names) == result.q.shape[1] else names
    if isinstance(which, str):
        if which in names:
            return names.index(which)
        if which in known:
            return known.index(which)
    elif 0 <= which < len(names):
        return int(which)
    raise InputError(f"no coordinate is called {which!r}; choose from: {', '.join(known)}")
