"""All standard pictures of a result, by name, and the overview that puts several into one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from ...results.analysis.quantities import (
    Family,
    constraint_force_families,
    contact_load_families,
    gap_families,
    impulse_families,
    position_families,
    reaction_families,
    velocity_families,
)
from ...results.analysis.refinement import refined
from ...results.analysis.rubbing import friction_families, slip_families
from ...results.energy import has_energy
from ...results.names import coordinate_names
from ...results.result import Result
from ...results.summary import described, verdict
from ..fitting import broken
from ..scene import Drawing
from ..style import LIGHT, literal
from .accuracy import accuracy
from .energies import energy
from .forces import constraint_forces, contact_forces, gaps, impulses, reactions
from .panels import Picture, figure
from .rubbing import friction, slips
from .stills import filmstrip, stroboscope
from .trajectories import phase_portrait, positions, velocities

__all__ = ["overview", "pictures"]

Draw = Callable[..., Axes]
MAX_PORTRAITS = 4
TITLE = 10.0  # points of its letters


def pictures(
    result: Result, *, drawing: Drawing | None = None, title: str = ""
) -> dict[str, Callable[[], Picture]]:
    """The standard pictures that make sense for a result, by name; each is drawn when called.

    Parameters
    ----------
    drawing : function of (q, t), optional
        Adds "scene", states side by side, and "stroboscope", states on top of each other.
    title : str
        Above each picture; left out, it says what was run.

    Examples
    --------
    >>> import gauss_opt as go
    >>> ball = go.System([1.0], [-9.81], contacts=[go.Contact("floor", lambda q, t: q[0])])
    >>> result = go.simulate(ball, [1.0], [0.0], (0, 1))
    >>> list(pictures(result))
    ['motion', 'phase', 'gaps', 'contact_forces', 'energy', 'accuracy']
    """
    title = title or described(result)

    def stacked(panels: Sequence[Draw]) -> Callable[[], Picture]:
        return lambda: _stacked(result, panels, title)

    found = {"motion": stacked(_motion(result))}
    if result.q.shape[1] == result.v.shape[1] or result.q.shape[1] > 1:
        found["phase"] = lambda: _portraits(result, title)
    if result.q.shape[1] == 2:
        found["path"] = lambda: _path(result, title)
    fine = refined(result)
    if result.contacts:
        found["gaps"] = stacked(_panels(gaps, gap_families(fine)))
    loads = _contact_panels(result)
    if loads:
        found["contact_forces"] = stacked(loads)
    rubbing = _rubbing_panels(result)
    if rubbing:
        found["friction"] = stacked(rubbing)
    reacting = _panels(reactions, reaction_families(fine))
    if reacting:
        found["reactions"] = stacked(reacting)
    if _constrained(result):
        on_coordinates = _panels(constraint_forces, constraint_force_families(fine))
        found["constraint_forces"] = stacked(on_coordinates)
    if has_energy(result):
        found["energy"] = stacked([energy])
    found["accuracy"] = stacked([accuracy])
    if drawing is not None:
        found["scene"] = lambda: filmstrip(result, drawing)
        found["stroboscope"] = lambda: stroboscope(result, drawing)
    return found


def overview(result: Result, title: str = "") -> Picture:
    """One figure with the motion, the gaps, the forces and the energy, as far as there are any."""
    fine = refined(result)
    panels = _motion(result)
    if result.contacts:
        panels += _panels(gaps, gap_families(fine))
    panels += _contact_panels(result)
    panels += _rubbing_panels(result)
    reacting = _panels(reactions, reaction_families(fine))
    panels += reacting
    if not reacting and not result.contacts and _constrained(result):
        panels += _panels(constraint_forces, constraint_force_families(fine))
    if has_energy(result):
        panels.append(energy)
    how = f"{result.message[:1].upper()}{result.message[1:]}"
    outcome = how if result.success else f"{verdict(result)}: {result.message}"
    return _stacked(result, panels, f"{title or described(result)}\n{outcome}")


def _panels(draw: Draw, families: Sequence[Family]) -> list[Draw]:
    """A panel for each unit."""
    return [partial(draw, unit=unit) for unit in dict.fromkeys(f.unit for f in families)]


def _motion(result: Result) -> list[Draw]:
    fine = refined(result)
    return [
        *_panels(positions, position_families(fine)),
        *_panels(velocities, velocity_families(fine)),
    ]


def _contact_panels(result: Result) -> list[Draw]:
    """Panels of forces and impulses, where there are any."""
    forces = _panels(contact_forces, contact_load_families(refined(result)))
    return [*forces, *_panels(impulses, impulse_families(result))]


def _rubbing_panels(result: Result) -> list[Draw]:
    """Panels of friction forces and slips, where contacts rub."""
    fine = refined(result)
    forces = _panels(friction, friction_families(fine))
    return [*forces, *_panels(slips, slip_families(fine))]


def _constrained(result: Result) -> bool:
    """Whether there are forces of constraints that are not contacts, or non-ideal ones."""
    others = [name for name in result.row_names if name not in result.contacts]
    return bool(others) or bool(np.any(result.forces["nonideal"]))


def _stacked(result: Result, panels: Sequence[Draw], title: str) -> Picture:
    """Panels over each other with one axis of time; the first explains the event marks."""
    picture = figure(8.0, 1.4 + 2.1 * len(panels))
    axes = picture.subplots(len(panels), 1, sharex=True, squeeze=False).ravel()
    for number, (panel, ax) in enumerate(zip(panels, axes, strict=True)):
        panel(result, ax, events=True, name_events=number == 0)
        if number < len(panels) - 1:
            ax.set_xlabel("")
    picture.align_ylabels(axes)
    _entitle(picture, title)
    return picture


def _entitle(picture: Picture, title: str) -> None:
    room = 72.0 * 0.96 * picture.get_figwidth()
    words = broken(title, room, TITLE)
    picture.suptitle(literal(words), fontsize=TITLE, color=LIGHT.ink)


def _path(result: Result, title: str) -> Picture:
    """The path in the plane of the two coordinates."""
    picture = figure(6.5, 4.5)
    phase_portrait(result, (0, 1), picture.add_subplot())
    _entitle(picture, title)
    return picture


def _portraits(result: Result, title: str) -> Picture:
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
        title = f"{title}\nthe first {len(chosen)} of {n} coordinates"
    _entitle(picture, title)
    return picture
