"""What pictures and reports show over time: curves in families, each with one title and one unit.

Pictures and reports take names, units and signs from here, so that they say the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np

from ...base.arrays import Array
from ...base.tolerances.results import UNIT_GRADIENT
from ...model.snapshot import state_snapshot
from ..energy import Energy, has_energy, notable_works
from ..names import (
    WORKS,
    by_component,
    coordinate_names,
    coordinate_units,
    energy_name,
    force_names,
    force_units,
    velocity_names,
    velocity_units,
)
from ..result import Result
from .kept import kept
from .loads import Load, impulses, loads
from .true_forces import groups_of

__all__ = [
    "LOSS",
    "Family",
    "constraint_force_families",
    "contact_load_families",
    "energy_family",
    "gap_families",
    "impulse_families",
    "position_families",
    "reaction_families",
    "velocity_families",
]

AS_DEFINED = "as defined"
"""The unit of a gap that is not known to be a distance."""

LOSS = "lost at impacts"


class Family(NamedTuple):
    """Curves that share an axis.

    Attributes
    ----------
    title, unit : str
    lines : dict of pairs of (n,) arrays
        Times and values by name.
    without : int
        How many more there are that are nothing but zero.
    size : float
        Of what the values are differences: beside it round-off must not be magnified.
    """

    title: str
    unit: str
    lines: dict[str, tuple[Array, Array]]
    without: int = 0
    size: float = 0.0

    @property
    def label(self) -> str:
        """What its axis is called.

        >>> Family("position", "m", {}).label
        'position (m)'
        """
        return f"{self.title} ({self.unit})"


def _by_unit(
    title: str, t: Array, names: Iterable[str], units: Iterable[str], columns: Array
) -> list[Family]:
    """Columns as families, one for each unit."""
    families: dict[str, Family] = {}
    for name, unit, column in zip(names, units, columns.T, strict=True):
        families.setdefault(unit, Family(title, unit, {})).lines[name] = (t, column)
    return list(families.values())


def position_families(result: Result) -> list[Family]:
    """Positions by unit."""
    return _by_unit(
        "position", result.t, coordinate_names(result), coordinate_units(result), result.q
    )


def velocity_families(result: Result) -> list[Family]:
    """Velocities by unit."""
    return _by_unit("velocity", result.t, velocity_names(result), velocity_units(result), result.v)


@kept
def gap_families(result: Result) -> list[Family]:
    """Gaps: in a unit of length where the contact is known to be at that distance."""
    gaps = by_component(result.gaps)
    if not gaps:
        return []
    known = _distances(result)
    units = [known.get(name, AS_DEFINED) for name in gaps]
    families = _by_unit("gap", result.t, gaps, units, np.column_stack(list(gaps.values())))
    return [family._replace(size=float(np.abs(result.q).max())) for family in families]


def _distances(result: Result) -> dict[str, str]:
    """The unit of each scalar gap whose gradient on a body, or a single coordinate, has length 1.

    Looked at in the first, the middle and the last row.
    """
    part = (result.parts or (result,))[0]
    if part.system is None or not result.units or result.q.shape[1] != result.v.shape[1]:
        return {}
    dynamics = part.system.dynamics(part.v.shape[1])
    layout, groups = dynamics.layout, groups_of(result)
    scalar = [b for b in layout.blocks if b.scalar and b.name in result.contacts]
    rows = np.array([block.rows.start for block in scalar], dtype=np.intp)
    found: list[list[str]] = []
    for i in (0, len(part.t) // 2, len(part.t) - 1):
        at = state_snapshot(part.system, dynamics, part.q[i], part.v[i], float(part.t[i]))
        gradients = at.rows_of(rows)
        here = [""] * len(scalar)
        for group in groups:
            for members in (group.lengths, group.angles):
                sizes = np.linalg.norm(gradients[:, list(members)], axis=1)
                for k in np.flatnonzero(np.abs(sizes - 1.0) <= UNIT_GRADIENT).tolist():
                    alone = np.count_nonzero(gradients[k]) == np.count_nonzero(
                        gradients[k][list(members)]
                    )
                    if members == group.lengths or alone:
                        here[k] = result.units[members[0]]
        found.append(here)
    return {
        block.name: units[0]
        for block, units in zip(scalar, zip(*found, strict=True), strict=True)
        if units[0] and len(set(units)) == 1
    }


def contact_load_families(result: Result) -> list[Family]:
    """Forces of the contacts; a multiplier where it is not known to be a force."""
    found = [load for load in loads(result) if load.constraint in result.contacts]
    families = _by_kind("contact ", found)
    if families:
        idle = len(set(result.contacts) - {load.constraint for load in found})
        families[0] = families[0]._replace(without=idle)
    return families


def reaction_families(result: Result) -> list[Family]:
    """Reactions of the constraints that are not contacts, such as pins and strings."""
    others = [load for load in loads(result) if load.constraint not in result.contacts]
    return _by_kind("reaction ", others)


def impulse_families(result: Result) -> list[Family]:
    """Impulses of the contacts and of the constraints."""
    found = [load._replace(kind=f"impulse {load.kind}") for load in impulses(result)]
    in_turn = sorted(found, key=lambda load: load.constraint not in result.contacts)
    shown = {"impulse force": "impulse", "impulse couple": "angular impulse"}
    return [f._replace(title=shown.get(f.title, f.title)) for f in _by_kind("", in_turn)]


def _by_kind(word: str, found: Iterable[Load]) -> list[Family]:
    families: dict[tuple[str, str], Family] = {}
    for load in found:
        new = Family(f"{word}{load.kind}", load.unit, {})
        family = families.setdefault((load.kind, load.unit), new)
        family.lines[load.name] = (load.t, load.values)
    return list(families.values())


def constraint_force_families(result: Result) -> list[Family]:
    """The total constraint force on each coordinate, by unit; ideal and non-ideal part apart."""
    force = result.constraint_force
    names, units = force_names(result), force_units(result)
    if not np.any(force.nonideal):
        return _by_unit("constraint force", result.t, names, units, force.ideal)
    both = [f"{name}, {part}" for name in names for part in ("ideal", "non-ideal")]
    columns = np.stack([force.ideal, force.nonideal], axis=2).reshape(len(result.t), -1)
    twice = [unit for unit in units for _ in range(2)]
    return _by_unit("constraint force", result.t, both, twice, columns)


def energy_family(result: Result) -> Family | None:
    """Energies, every work that is not nil, and the loss at impacts counted upwards.

    Total energy plus losses minus works stays at its first value.
    """
    if not has_energy(result):
        return None
    lines = {name: (result.t, values) for name, values in energy_lines(result.energy).items()}
    return Family("energy", energy_name(result), lines)


def energy_lines(energy: Energy) -> Mapping[str, Array]:
    """The columns of an account that are worth showing, by the words for them."""
    lines = {"kinetic": energy.kinetic}
    if np.any(energy.potential):
        lines |= {"potential": energy.potential, "total": energy.total}
    for part, work in notable_works(energy).items():
        if part in WORKS:
            lines[WORKS[part]] = work
    if np.any(energy.impact):
        lines[LOSS] = -energy.impact
    return lines
