"""Forces, couples and impulses of contacts and constraints, each called what it is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np

from ...base.arrays import Array
from ...base.tolerances.results import CARRIED_FORCE, SAME_FORCE
from ...model.snapshot import evaluate
from ...model.units import impulse_unit
from ..names import by_component, force_units
from ..result import Result
from .kept import kept
from .true_forces import Acting, Group, acting_at_events, acting_at_rows, groups_of

__all__ = ["MULTIPLIER", "Load", "carries", "impulses", "impulses_at_events", "loads"]

MULTIPLIER = "force per unit of gradient"
"""The unit of a multiplier that is not known to be a force."""


class Load(NamedTuple):
    """What a constraint exerts over time.

    Attributes
    ----------
    name : str
        The constraint, with the body it acts on where the bodies get different forces.
    kind : str
        ``"force"``, ``"couple"``, or ``"multiplier"`` where the body is not known.
    unit : str
    t, values : (n,) arrays
    constraint : str
        The constraint alone.
    """

    name: str
    kind: str
    unit: str
    t: Array
    values: Array
    constraint: str


@kept
def loads(result: Result) -> tuple[Load, ...]:
    """Forces that constraints exert at the rows of a run, as far as they are more than round-off.

    A contact pushes: its force is positive. That of another constraint on a single coordinate has
    its sign, and that on a point is its size.
    """
    found = _named(result, acting_at_rows(result), dict(result.multipliers), result.t)
    return tuple(load for load in found if carries(result, load))


@kept
def impulses(result: Result) -> tuple[Load, ...]:
    """Impulses at the events of a run at which there is one."""
    found = []
    for load in impulses_at_events(result):
        struck = load.values != 0.0
        found.append(load._replace(t=load.t[struck], values=load.values[struck]))
    return tuple(load for load in found if len(load.t))


@kept
def impulses_at_events(result: Result) -> tuple[Load, ...]:
    """Impulses with an entry for each event of a run; 0 where there is none."""
    t = np.array([event.t for event in result.events])
    given: dict[str, Array] = {}
    for name, multiplier in result.multipliers.items():
        width = multiplier.shape[1:]
        rows = [np.reshape(e.impulses.get(name, np.zeros(width)), width) for e in result.events]
        given[name] = np.array(rows).reshape(len(rows), *width)
    found = []
    for load in _named(result, acting_at_events(result), given, t):
        of_force = load.kind != "multiplier"
        unit = impulse_unit(load.unit) if of_force else load.unit.replace("force", "impulse")
        found.append(load._replace(unit=unit))
    return tuple(found)


def _named(
    result: Result, acting: Mapping[str, Acting], multipliers: Mapping[str, Array], t: Array
) -> Iterator[Load]:
    """A load for each constraint; for each body where the forces on bodies differ."""
    groups, units, contacts = groups_of(result), force_units(result), set(result.contacts)
    for name, given in multipliers.items():
        exerted = acting.get(name)
        if (exerted is None and result.system is not None) or not np.any(given):
            continue
        lines = exerted and _lines(name, exerted, groups, units)
        if lines:
            for label, kind, unit, values in lines:
                signed = np.abs(values) if name in contacts else values
                yield Load(label, kind, unit, t, signed, name)
        else:
            for label, values in by_component({name: given}).items():
                yield Load(label, "multiplier", MULTIPLIER, t, values, name)


def _lines(
    name: str, acting: Acting, groups: tuple[Group, ...], units: list[str]
) -> list[tuple[str, str, str, Array]]:
    """Name, kind, unit and values of what a constraint exerts; nothing where that is not known."""
    kind = "force" if acting.forces else "couple"
    on = acting.forces or acting.couples
    if len(on) > 1 and sum(not groups[g].body for g in on) > 1:
        return []  # coordinates that may or may not move the same point
    values, *others = on.values()
    members = [groups[g].lengths if kind == "force" else groups[g].angles for g in on]
    found = [units[m[0]] for m in members]
    if others and len(set(found)) == 1 and _all_alike(list(on.values())):
        return [(name, kind, found[0], np.abs(values))]
    if not others:
        return [(name, kind, found[0], values)]
    return [
        (f"{name} on {groups[g].name}", kind, unit, on[g])
        for g, unit in zip(on, found, strict=True)
    ]


def _all_alike(values: list[Array]) -> bool:
    """Whether all bodies get the same: a force and its reaction."""
    sizes = np.abs(values)
    return bool(np.ptp(sizes, axis=0).max() <= SAME_FORCE * sizes.max())


def carries(result: Result, load: Load) -> bool:
    """Whether a load ever exceeds round-off, beside the applied and constraint forces."""
    size = float(np.abs(result.forces["total"]).max())
    if result.system is not None:
        start = evaluate(result.system, result.q[0], result.v[0], float(result.t[0]))
        size = max(size, float(np.abs(start.force).max()))
    return bool(np.any(np.abs(load.values) > CARRIED_FORCE * size))
