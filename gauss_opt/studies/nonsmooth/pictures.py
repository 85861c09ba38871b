"""Pictures of sections, orbits, branches, multipliers and exponents."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes

from ...viz.plots.panels import name_axis, named_lines, new_axes
from ...viz.style import BLUE, EVENTS, LIGHT, LINES, ORANGE, VERMILLION

if TYPE_CHECKING:
    from .continuation import Branch
    from .lyapunov import Lyapunov
    from .monodromy import Monodromy
    from .orbit import Orbit
    from .section import Section

__all__ = ["branch_curve", "exponents_over_time", "multipliers", "orbit_curve", "section_dots"]

MARKERS = {"fold": "s", "period doubling": "D", "torus": "o"}
POINTS = 400  # of an orbit


def section_dots(section: Section, coordinate: int, ax: Axes | None) -> Axes:
    """Velocity over position at the crossings."""
    ax = new_axes(ax)
    size = 2.5 if len(section) < 2000 else 0.8
    look: dict[str, Any] = {"markersize": size, "markeredgewidth": 0.0, "alpha": 0.8}
    ax.plot(section.q[:, coordinate], section.v[:, coordinate], "o", color=BLUE, **look)
    return _phase_axes(ax, section.names[coordinate])


def orbit_curve(orbit: Orbit, coordinate: int, ax: Axes | None) -> Axes:
    """The curve from event to event; jumps dotted, the start as a dot."""
    ax = new_axes(ax)
    run = orbit.result
    cuts = [event for event in run.events if event.kind == "impact"]
    times = [float(run.t[0]), *(event.t for event in cuts), float(run.t[-1])]
    for t0, t1 in pairwise(times):
        if t1 > t0:
            q, v = _between(orbit, t0, t1, coordinate)
            ax.plot(q, v, "-", color=LINES[0][0], linewidth=1.6)
    style = EVENTS["impact"]
    for event in cuts:
        q, jump = event.q[coordinate], (event.v_before[coordinate], event.v_after[coordinate])
        ax.plot([q, q], jump, ":", color=style.color, linewidth=1.4)
    if cuts:
        q = [event.q[coordinate] for event in cuts]
        before = [event.v_before[coordinate] for event in cuts]
        ax.plot(q, before, style.marker, color=style.color, markersize=6, label="impact")
    ax.plot(orbit.q[coordinate], orbit.v[coordinate], "o", color=LIGHT.ink, markersize=5,
            label=f"t = {orbit.t0:g} s")  # fmt: skip
    ax.legend(frameon=False, fontsize=9)
    names = orbit.system.coordinates
    return _phase_axes(ax, names[coordinate] if names else f"q[{coordinate}]")


def _between(
    orbit: Orbit, t0: float, t1: float, coordinate: int
) -> tuple[list[float], list[float]]:
    times = np.linspace(t0, t1, POINTS)
    states = [orbit.result(t, "left" if t == t1 else "right") for t in times.tolist()]
    return [s.q[coordinate] for s in states], [s.v[coordinate] for s in states]


def _phase_axes(ax: Axes, name: str) -> Axes:
    name_axis(ax, "x", name)
    name_axis(ax, "y", f"velocity of {name}")
    return ax


def multipliers(found: Sequence[Monodromy], ax: Axes | None) -> Axes:
    """All multipliers in the complex plane, with the unit circle."""
    ax = new_axes(ax)
    angle = np.linspace(0.0, 2.0 * np.pi, 361)
    ax.plot(np.cos(angle), np.sin(angle), "-", color=LIGHT.faint, linewidth=1.0)
    values = np.concatenate([each.multipliers for each in found])
    inside = np.abs(values) < 1.0
    for chosen, color, label in ((inside, BLUE, "inside"), (~inside, VERMILLION, "outside")):
        if chosen.any():
            ax.plot(values[chosen].real, values[chosen].imag, "o", color=color, markersize=6,
                    label=label)  # fmt: skip
    reach = 1.15 * max(1.0, float(np.abs(values).max(initial=0.0)))
    ax.set_xlim(-reach, reach)
    ax.set_ylim(-reach, reach)
    ax.set_aspect("equal")
    ax.set_xlabel("real part of the multipliers")
    ax.set_ylabel("imaginary part")
    ax.legend(frameon=False, fontsize=9, loc="upper left", bbox_to_anchor=(1.0, 1.0))
    return ax


def branch_curve(branch: Branch, coordinate: int, ax: Axes | None) -> Axes:
    """The section of each orbit; solid where stable, dashed where not."""
    ax = new_axes(ax)
    across = branch.values
    up = np.array([orbit.q[coordinate] for orbit in branch.orbits])
    looks = {True: ("-", BLUE, "stable"), False: ("--", ORANGE, "unstable")}
    for stable, part in _stretches(branch, coordinate):
        dash, color, label = looks[stable]
        ax.plot(*part.T, dash, color=color, linewidth=1.8, label=label)
    seen: set[str] = set()
    for one in branch.special:
        label = one.kind if one.kind not in seen else f"_{one.kind}"
        seen.add(one.kind)
        ax.plot(one.value, one.orbit.q[coordinate], MARKERS[one.kind], color=VERMILLION,
                markersize=6, label=label)  # fmt: skip
    if branch.grazing:
        ax.plot(across[-1], up[-1], "x", color=LIGHT.ink, markersize=8, markeredgewidth=2,
                label=f"{branch.grazing} grazes")  # fmt: skip
    _legend(ax)
    name_axis(ax, "x", branch.parameter)
    names = branch.orbits[0].system.coordinates
    name_axis(ax, "y", f"{names[coordinate] if names else f'q[{coordinate}]'} at the section")
    return ax


def _legend(ax: Axes) -> None:
    """Each word once, where several branches are in one picture."""
    handles, labels = ax.get_legend_handles_labels()
    once = dict(zip(labels, handles, strict=True))
    ax.legend(list(once.values()), list(once), frameon=False, fontsize=9)


def _stretches(branch: Branch, coordinate: int) -> list[tuple[bool, Any]]:
    """Points of equal stability; two stretches meet at the special point between them."""
    found: list[tuple[bool, list[Any]]] = []
    for value, orbit in zip(branch.values.tolist(), branch.orbits, strict=True):
        point = (value, float(orbit.q[coordinate]))
        if found and found[-1][0] is not orbit.stable:
            last = found[-1][1][-1]
            meet = _between_points(branch, coordinate, last, point)
            found[-1][1].append(meet)
            found.append((orbit.stable, [meet]))
        elif not found:
            found.append((orbit.stable, []))
        found[-1][1].append(point)
    return [(stable, np.array(points)) for stable, points in found]


def _between_points(branch: Branch, coordinate: int, one: Any, other: Any) -> Any:
    """The special point between two points of a branch, or what is half-way."""
    low, high = sorted((one[0], other[0]))
    for special in branch.special:
        place = (special.value, float(special.orbit.q[coordinate]))
        at = float(special.orbit.system.parameters[branch.parameter])
        if special.kind == "fold" and at in (low, high):
            return place
        if special.exact and low <= special.value <= high:
            return place
    return tuple(0.5 * (a + b) for a, b in zip(one, other, strict=True))


def exponents_over_time(found: Lyapunov, ax: Axes | None) -> Axes:
    """How the exponents settle."""
    ax = new_axes(ax)
    count = found.history.shape[1]
    named_lines(ax, {f"exponent {k + 1}": (found.t, found.history[:, k]) for k in range(count)})
    ax.axhline(0.0, color=LIGHT.faint, linewidth=0.8)
    late = found.history[len(found.t) // 10 :]
    if np.isfinite(late).all():
        low, high = float(late.min()), float(late.max())
        room = 0.1 * (high - low) or 1.0
        ax.set_ylim(min(low, 0.0) - room, max(high, 0.0) + room)
    ax.set_xlabel("time (s)")
    ax.set_ylabel("Lyapunov exponents (1/s)")
    ax.legend(frameon=False, fontsize=9)
    return ax
