"""Pictures of the motion: positions and velocities over time, and phase portraits."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes

from ...base.arrays import Array
from ...base.errors import InputError
from ...base.words.choices import choices
from ...results.analysis.quantities import Family, position_families, velocity_families
from ...results.analysis.refinement import refined
from ...results.names import (
    coordinate_names,
    coordinate_units,
    velocity_names,
    velocity_units,
)
from ...results.records import EventKind
from ...results.result import Result
from ..style import BLUE, EVENTS
from .legends import legend
from .panels import honest_limits, name_axis, named_lines, new_axes, over_units

__all__ = ["phase_portrait", "positions", "velocities"]

Which = int | str


def positions(
    result: Result,
    ax: Axes | None = None,
    *,
    which: Sequence[Which] | None = None,
    unit: str | None = None,
    events: bool = True,
    name_events: bool = True,
) -> Axes:
    """Positions over time; coordinates of different units never share an axis.

    Parameters
    ----------
    ax : Axes, optional
        Where to draw; a new figure otherwise, with axes for each unit, of which the first is
        returned.
    which : sequence of int or str, optional
        Indices or names of the coordinates; all by default.
    unit : str, optional
        Draw only coordinates of this unit.
    events, name_events : bool
        Whether events are marked, and whether the legend explains their marks.
    """
    families = position_families(refined(result))
    return _over_time(
        result, families, coordinate_names(result), ax, which, unit, events, name_events
    )


def velocities(
    result: Result,
    ax: Axes | None = None,
    *,
    which: Sequence[Which] | None = None,
    unit: str | None = None,
    events: bool = True,
    name_events: bool = True,
) -> Axes:
    """Velocities over time; a jump is an upright line between both of its sides.

    Parameters as for :func:`positions`.
    """
    families = velocity_families(refined(result))
    return _over_time(
        result, families, velocity_names(result), ax, which, unit, events, name_events
    )


def _over_time(
    result: Result,
    families: list[Family],
    names: list[str],
    ax: Axes | None,
    which: Sequence[Which] | None,
    unit: str | None,
    events: bool,
    name_events: bool,
) -> Axes:
    if which is not None:
        chosen = {names[_index(result, names, w)] for w in which}
        left = [
            f._replace(lines={name: line for name, line in f.lines.items() if name in chosen})
            for f in families
        ]
        families = [family for family in left if family.lines]

    def draw(panel: Axes, family: Family) -> None:
        named_lines(panel, family.lines)

    return over_units(result, families, ax, draw, unit=unit, events=events, names=name_events)


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
    units = coordinate_units(result)
    fine = refined(result)
    if isinstance(coordinate, tuple):
        i, j = (_index(result, names, c) for c in coordinate)
        x, y = fine.q[:, i], fine.q[:, j]
        xlabel, ylabel = f"{names[i]} ({units[i]})", f"{names[j]} ({units[j]})"
    else:
        i = j = _index(result, names, coordinate)
        if result.q.shape[1] != result.v.shape[1]:
            raise InputError(
                "positions and velocities of this system differ in number: give a pair of "
                "coordinates"
            )
        x, y = fine.q[:, i], fine.v[:, i]
        xlabel = f"{names[i]} ({units[i]})"
        ylabel = f"rate of {names[i]} ({velocity_units(result)[i]})"
    ax = new_axes(ax)
    _curve_with_jumps(ax, fine.t, x, y)
    ax.plot(x[0], y[0], "o", color=BLUE, markersize=6, label="start")
    ax.plot(x[-1], y[-1], "s", color=BLUE, markersize=6, label="end")
    name_axis(ax, "x", xlabel)
    name_axis(ax, "y", ylabel)
    ax.locator_params(axis="x", nbins=6)
    vertical = fine.q if isinstance(coordinate, tuple) else fine.v
    alike = [k for k, unit in enumerate(units) if unit == units[i]]
    beside = [k for k, unit in enumerate(units) if unit == units[j]]
    honest_limits(ax, "x", float(np.abs(fine.q[:, alike]).max()))
    honest_limits(ax, "y", float(np.abs(vertical[:, beside]).max()))
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
    raise InputError(f"no coordinate is called {which!r}; {choices(str(which), known)}")
