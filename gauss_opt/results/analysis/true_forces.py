"""The forces that constraints exert, on the body where it is known: |W' l|, not the multiplier l.

A multiplier is a force only where the gap is a length with a gradient of unit length. The
generalised force W' l of a constraint is always true: its part on the lengths of a body is the
force on that body, its part on the angle a couple.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from ...base.arrays import Array, Indices
from ...model.snapshot import Snapshot, state_snapshot
from ...model.units import ANGLES
from ..records import Event
from ..result import Result

__all__ = ["Acting", "Group", "acting_at_events", "acting_at_rows", "groups_of"]


class Group(NamedTuple):
    """Velocities that move one thing.

    Attributes
    ----------
    name : str
        The body, or the coordinate of none.
    lengths, angles : tuple of int
        Its velocities; what is not an angle counts as a length.
    body : bool
        Whether it is a body that the user named.
    """

    name: str
    lengths: tuple[int, ...]
    angles: tuple[int, ...]
    body: bool


class Acting(NamedTuple):
    """What one constraint exerts over time, by the number of the group it acts on.

    Of a single coordinate the value has its sign, of several it is their norm.

    Attributes
    ----------
    forces, couples : dict of (n,) arrays
    """

    forces: dict[int, Array]
    couples: dict[int, Array]


def groups_of(result: Result) -> tuple[Group, ...]:
    """The bodies of a run, then every velocity that belongs to none."""
    n = result.v.shape[1]
    names = result.coordinates if len(result.coordinates) == n else [f"v[{i}]" for i in range(n)]
    angle = [unit in ANGLES for unit in result.units] if len(result.units) == n else [False] * n
    system = (result.parts or (result,))[0].system
    bodies = dict(system.bodies or {}) if system is not None else {}
    taken = {i for members in bodies.values() for i in members}
    found = [_group(name, list(map(int, members)), angle, True) for name, members in bodies.items()]
    found += [_group(names[i], [i], angle, False) for i in range(n) if i not in taken]
    return tuple(found)


def _group(name: str, members: list[int], angle: list[bool], body: bool) -> Group:
    lengths = tuple(i for i in members if not angle[i])
    return Group(name, lengths, tuple(i for i in members if angle[i]), body)


def acting_at_rows(result: Result) -> dict[str, Acting]:
    """What each constraint that carries force exerts, at the rows of a run."""
    table = _Table(groups_of(result), len(result.t))
    first = 0
    for part in result.parts or (result,):
        if part.system is None:
            return {}
        dynamics = part.system.dynamics(part.v.shape[1])
        multipliers = part.rows["multipliers"]
        for i in np.flatnonzero(multipliers.any(axis=1)).tolist():
            at = state_snapshot(part.system, dynamics, part.q[i], part.v[i], float(part.t[i]))
            table.note(first + i, at, multipliers[i])
        first += len(part.t)
    return table.found


def acting_at_events(result: Result) -> dict[str, Acting]:
    """The impulses that each constraint exerts, at the events of a run."""
    table = _Table(groups_of(result), len(result.events))
    for i, (part, event) in enumerate(_with_parts(result)):
        if part.system is None:
            return {}
        if event.impulses:
            dynamics = part.system.dynamics(part.v.shape[1])
            at = state_snapshot(part.system, dynamics, event.q, event.v_before, event.t)
            table.note(i, at, _on_rows(at, event.impulses))
    return table.found


def _with_parts(result: Result) -> Iterator[tuple[Result, Event]]:
    """Each event with its phase; between two phases it is the impact that begins the second."""
    parts = result.parts or (result,)
    for event in result.events:
        begun = [part for part in parts if part.t[0] <= event.t]
        yield (begun or [parts[0]])[-1], event


def _on_rows(snapshot: Snapshot, by_name: Mapping[str, Any]) -> Array:
    rows = np.zeros(snapshot.layout.n_rows)
    for name, value in by_name.items():
        rows[snapshot.layout.block(name).rows] = value
    return rows


class _Table:
    """Forces and couples on groups, filled in state by state."""

    def __init__(self, groups: tuple[Group, ...], count: int) -> None:
        self.groups, self.count = groups, count
        self.found: dict[str, Acting] = {}
        size = sum(len(g.lengths) + len(g.angles) for g in groups)
        self._members = [np.zeros((size, len(groups))) for _ in range(2)]
        for number, group in enumerate(groups):
            self._members[0][list(group.lengths), number] = 1.0
            self._members[1][list(group.angles), number] = 1.0
        self._single = [members.sum(axis=0) == 1.0 for members in self._members]

    def note(self, place: int, snapshot: Snapshot, multipliers: Array) -> None:
        """What the constraints exert at a state."""
        carrying: Indices = np.flatnonzero(multipliers)
        if not len(carrying):
            return
        each = snapshot.rows_of(carrying) * multipliers[carrying, None]
        blocks, owner = np.unique(snapshot.layout.block_of[carrying], return_inverse=True)
        forces = np.zeros((len(blocks), each.shape[1]))
        np.add.at(forces, owner, each)
        for kind, members in enumerate(self._members):
            on_groups = np.sqrt((forces * forces) @ members)
            on_groups = np.where(self._single[kind], forces @ members, on_groups)
            for b, g in np.argwhere(on_groups != 0.0).tolist():
                name = snapshot.layout.blocks[int(blocks[b])].name
                acting = self.found.setdefault(name, Acting({}, {}))
                values = acting[kind].setdefault(g, np.zeros(self.count))
                values[place] = on_groups[b, g]
