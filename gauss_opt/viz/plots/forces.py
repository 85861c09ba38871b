"""Pictures of contacts and forces: gaps, contact forces and impulses, constraint forces."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes

from ...base.arrays import Array
from ...results.analysis.loads import carries
from ...results.analysis.refinement import refined
from ...results.names import by_component, force_names
from ...results.result import Result
from ..style import LIGHT, LINES, literal
from .panels import MAX_LINES, named_lines, new_axes, over_time

__all__ = [
    "constraint_forces",
    "contact_forces",
    "gaps",
    "impulses",
    "impulses_by_name",
]


def gaps(
    result: Result, ax: Axes | None = None, *, events: bool = True, name_events: bool = True
) -> Axes:
    """Gaps of the contacts over time; below zero is penetration."""
    ax = new_axes(ax)
    fine = refined(result)
    named_lines(ax, fine.t, by_component(fine.gaps))
    ax.axhline(0.0, color=LIGHT.faint, linewidth=0.8, zorder=1.5)
    return over_time(ax, result, "gap (m)", events=events, names=name_events)


def contact_forces(
    result: Result, ax: Axes | None = None, *, events: bool = True, name_events: bool = True
) -> Axes:
    """Forces of the contacts between impacts."""
    ax = new_axes(ax)
    fine = refined(result)
    forces = by_component({name: fine.multipliers[name] for name in fine.contacts})
    colors = _colors(result)
    carrying = {name: force for name, force in forces.items() if carries(result, force)}
    named_lines(ax, fine.t, carrying, colors=colors)
    if len(carrying) < len(forces):
        ax.plot([], [], " ", label=f"{len(forces) - len(carrying)} without force")
    return over_time(ax, result, "contact force (N)", events=events, names=name_events)


def impulses(
    result: Result, ax: Axes | None = None, *, events: bool = False, name_events: bool = False
) -> Axes:
    """Impulses of contacts as stems, in the colours that the contacts have elsewhere.

    Where no contact has any, those of the constraints.
    """
    ax = new_axes(ax)
    every = impulses_by_name(result)
    contacts = by_component(result.gaps)
    # Impulses of the constraints are shown where they are the only ones, as between phases.
    found = {name: stems for name, stems in every.items() if name in contacts} or every
    colors = _colors(result)
    largest = dict(
        sorted(found.items(), key=lambda item: -float(np.abs(item[1][1]).max()))[:MAX_LINES]
    )
    for name in (name for name in found if name in largest):
        times, values = found[name]
        color, _ = colors.get(name, (LIGHT.roles["string"], "-"))
        few = len(times) <= 60
        ax.vlines(times, 0.0, values, color=color, linewidth=1.2 if few else 0.6)
        ax.plot(
            times, values, "o", color=color, markersize=4.0 if few else 2.0, label=literal(name)
        )
    if len(found) > len(largest):
        ax.plot([], [], " ", label=f"and {len(found) - len(largest)} more")
    if len(every) > len(found):
        ax.plot([], [], " ", label=f"and {len(every) - len(found)} of constraints")
    ax.axhline(0.0, color=LIGHT.faint, linewidth=0.8)
    return over_time(ax, result, "impulse (N s)", events=events, names=name_events)


def impulses_by_name(result: Result) -> dict[str, tuple[Array, Array]]:
    """Times and sizes of the impulses that are not zero, by contact or constraint."""
    found: dict[str, tuple[list[float], list[float]]] = {}
    for event in result.events:
        for name, impulse in event.impulses.items():
            parts = np.atleast_1d(impulse)
            for i, value in enumerate(parts.tolist()):
                label = name if name in result.scalar else f"{name}[{i}]"
                if value != 0.0:
                    times, values = found.setdefault(label, ([], []))
                    times.append(event.t)
                    values.append(value)
    return {
        name: (np.array(found[name][0]), np.array(found[name][1]))
        for name in _contacts_first(result)
        if name in found
    }


def _contacts_first(result: Result) -> list[str]:
    """Names of all rows, those of contacts first: they are what the pictures are about."""
    contacts = by_component(result.gaps)
    return [*contacts, *(name for name in by_component(result.multipliers) if name not in contacts)]


def _colors(result: Result) -> dict[str, tuple[str, str]]:
    """Colour and dash of each row, the same in all pictures of contacts."""
    return dict(zip(_contacts_first(result), LINES, strict=False))


def constraint_forces(
    result: Result, ax: Axes | None = None, *, events: bool = True, name_events: bool = True
) -> Axes:
    """Constraint force on each coordinate: the ideal part full, the non-ideal part dashed."""
    ax = new_axes(ax)
    fine = refined(result)
    force = fine.constraint_force
    nonideal = bool(np.any(force.nonideal))
    n = result.v.shape[1]
    named = force_names(result)
    room = MAX_LINES // 2 if nonideal else MAX_LINES
    size = np.abs(force.total).max(axis=0) + np.abs(force.nonideal).max(axis=0)
    chosen = sorted(np.argsort(-size, kind="stable")[:room].tolist())
    for i, (color, dash) in zip(chosen, LINES, strict=False):
        part = f"{named[i]}, ideal" if nonideal else named[i]
        ax.plot(fine.t, force.ideal[:, i], dash, color=color, linewidth=1.6, label=literal(part))
        if nonideal:
            ax.plot(
                fine.t,
                force.nonideal[:, i],
                linestyle=(0, (4, 2)),
                color=color,
                linewidth=1.6,
                label=literal(f"{named[i]}, non-ideal"),
            )
    if n > len(chosen):
        ax.plot([], [], " ", label=f"and {n - len(chosen)} more")
    label = "constraint force (N, N m)"
    return over_time(ax, result, label, events=events, names=name_events)
