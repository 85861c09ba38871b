"""All standard pictures of a result, by name, and the overview that puts several into one."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ...results.analysis.loads import contacts_carry_force
from ...results.energy import has_energy
from ...results.names import coordinate_names
from ...results.result import Result
from ...results.summary import verdict
from ..scene import Drawing
from ..style import LIGHT
from .accuracy import accuracy
from .energies import energy
from .forces import constraint_forces, contact_forces, gaps, impulses, impulses_by_name
from .panels import figure
from .stills import filmstrip, stroboscope
from .trajectories import phase_portrait, positions, velocities

__all__ = ["overview", "pictures"]

Panel = Callable[..., Axes]
MAX_PORTRAITS = 4


def pictures(result: Result, *, drawing: Drawing | None = None) -> dict[str, Callable[[], Figure]]:
    """The standard pictures that make sense for a result, by name; each is drawn when called.

    Parameters
    ----------
    drawing : function of (q, t), optional
        Adds "scene", states side by side, and "stroboscope", states on top of each other.

    Examples
    --------
    >>> import gauss_opt as go
    >>> ball = go.System([1.0], [-9.81], contacts=[go.Contact("floor", lambda q, t: q[0])])
    >>> result = go.simulate(ball, [1.0], [0.0], (0, 1))
    >>> list(pictures(result))
    ['motion', 'phase', 'gaps', 'contact_forces', 'energy', 'accuracy']
    """
    found: dict[str, Callable[[], Figure]] = {
        "motion": lambda: _stacked(result, [positions, velocities])
    }
    if result.q.shape[1] == result.v.shape[1] or result.q.shape[1] > 1:
        found["phase"] = lambda: _portraits(result)
    if result.q.shape[1] == 2:
        found["path"] = lambda: _path(result)
    if result.contacts:
        found["gaps"] = lambda: _stacked(result, [gaps])
    loads = _loads(result)
    if loads:
        found["contact_forces"] = lambda: _stacked(result, loads)
    if _constrained(result):
        found["constraint_forces"] = lambda: _stacked(result, [constraint_forces])
    if has_energy(result):
        found["energy"] = lambda: _stacked(result, [energy])
    found["accuracy"] = lambda: _stacked(result, [accuracy])
    if drawing is not None:
        found["scene"] = lambda: filmstrip(result, drawing)
        found["stroboscope"] = lambda: stroboscope(result, drawing)
    return found


def overview(result: Result) -> Figure:
    """One figure with the motion, the gaps, the forces and the energy, as far as there are any."""
    panels: list[Panel] = [positions, velocities]
    if result.contacts:
        panels.append(gaps)
    panels += _loads(result)
    if not result.contacts and _constrained(result):
        panels.append(constraint_forces)
    if has_energy(result):
        panels.append(energy)
    picture = _stacked(result, panels)
    how = "" if result.success else f"{verdict(result)}: "
    picture.suptitle(f"{how}{result.message}", fontsize=10, color=LIGHT.ink)
    return picture


def _loads(result: Result) -> list[Panel]:
    """Panels of forces and impulses, where there are any."""
    loads: list[Panel] = []
    if contacts_carry_force(result):
        loads.append(contact_forces)
    if impulses_by_name(result):
        loads.append(impulses)
    return loads


def _constrained(result: Result) -> bool:
    """Whether there are forces of constraints that are not contacts, or non-ideal ones."""
    others = [name for name in result.row_names if name not in result.contacts]
    return bool(others) or bool(np.any(result.forces["nonideal"]))


def _stacked(result: Result, panels: list[Panel]) -> Figure:
    """Panels over each other with one axis of time; the first explains the event marks."""
    picture = figure(8.0, 1.2 + 2.1 * len(panels))
    axes = picture.subplots(len(panels), 1, sharex=True, squeeze=False).ravel()
    for number, (panel, ax) in enumerate(zip(panels, axes, strict=True)):
        panel(result, ax, events=True, name_events=number == 0)
        if number < len(panels) - 1:
            ax.set_xlabel("")
    picture.align_ylabels(axes)
    return picture


def _path(result: Result) -> Figure:
    """The path in the plane of the two coordinates."""
    picture = figure(6.5, 4.5)
    phase_portrait(result, (0, 1), picture.add_subplot())
    return picture


def _portraits(result: Result) -> Figure:
    """Portraits of the first coordinates; paths where velocities are not those of positions."""
    n = result.q.shape[1]
    names = coordinate_names(result)
    if n == result.v.shape[1]:
        chosen: list[Any] = names[:MAX_PORTRAITS]
    else:
        chosen = list(pairwise(names))[:MAX_PORTRAITS]
    columns = min(len(chosen), 2)
    rows = -(-len(chosen) // columns)
    picture = figure(1.0 + 4.2 * columns, 0.4 + 3.2 * rows)
    axes = picture.subplots(rows, columns, squeeze=False).ravel()
    for number, (ax, which) in enumerate(zip(axes, chosen, strict=False)):
        phase_portrait(result, which, ax)
        shown = ax.get_legend()
        if shown is not None and number != columns - 1:
            shown.remove()
    for ax in axes[len(chosen) :]:
        ax.set_axis_off()
    if n > len(chosen) and n == result.v.shape[1]:
        picture.suptitle(f"the first {len(chosen)} of {n} coordinates", fontsize=9)
    return picture
