"""What pictures show of contacts with friction: forces, slips, cones and intervals of sticking."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from ...base.arrays import Array
from ..names import by_component, velocity_units
from ..result import Result
from .kept import kept
from .loads import MULTIPLIER, loads
from .quantities import AS_DEFINED, Family

__all__ = ["cone", "friction_families", "slip_families", "sticking"]


@kept
def friction_families(result: Result) -> list[Family]:
    """Friction forces by unit, of the contacts that ever rub."""
    units = {load.constraint: load.unit for load in loads(result) if load.kind == "force"}
    families: dict[str, Family] = {}
    for contact, force in result.friction.items():
        if not np.any(force):
            continue
        unit = units.get(contact, MULTIPLIER)
        family = families.setdefault(unit, Family("friction force", unit, {}))
        for name, values in by_component({contact: force}).items():
            family.lines[name] = (result.t, values)
    return list(families.values())


@kept
def slip_families(result: Result) -> list[Family]:
    """Slips of the contacts that ever rub."""
    rub = {name: slip for name, slip in result.slips.items() if np.any(result.friction[name])}
    if not rub:
        return []
    known = {unit for unit in velocity_units(result) if unit.startswith("m")}
    unit = known.pop() if len(known) == 1 and "," not in next(iter(known)) else AS_DEFINED
    lines = {name: (result.t, values) for name, values in by_component(rub).items()}
    return [Family("slip", unit, lines)]


def cone(result: Result, contact: str) -> Array | None:
    """mu l_N of a contact with one slip, at the rows of a result; None where mu is not known."""
    system, force = result.system, result.multipliers.get(contact)
    if system is None or force is None or force.ndim > 1 or contact not in result.friction:
        return None
    layout = system.dynamics(result.v.shape[1]).layout
    row = layout.block(contact).rows.start
    bound: Array = float(system.coefficients(layout).static_friction[row]) * force
    return bound


def sticking(result: Result, contact: str) -> list[tuple[float, float]]:
    """Intervals of time in which a contact with one slip sticks."""
    states = result.states[contact]
    if states.ndim > 1:
        return []
    t = result.t.tolist()
    found: list[tuple[float, float]] = []
    for (a, b), stuck in zip(pairwise(t), (states[:-1] == "stick").tolist(), strict=True):
        if not stuck or a == b:
            continue
        if found and found[-1][1] == a:
            found[-1] = found[-1][0], b
        else:
            found.append((a, b))
    return found
