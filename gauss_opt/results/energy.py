"""The energy account of a run: kinetic, potential, and the work of everything else.

    T + V - (T + V)_0 = work of applied forces (those not in the potential)
                      + work of non-ideal forces + work of servos + work of moving constraints
                      + work of friction + losses at impacts

Each work is integrated by Gauss quadrature over the dense output; ``residual`` is what does not
close.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from ..base.arrays import Array
from ..base.frozen import frozen_array
from ..base.tolerances.results import INERTIA_STEP, NOTABLE_WORK
from ..mechanics.flow import Flow
from ..mechanics.rank.held_rows import held_rows
from ..model.dynamics import Dynamics
from ..model.rows import Kind
from ..model.snapshot import Snapshot, potential_energy, state_snapshot
from ..model.system import System
from .records import Event

if TYPE_CHECKING:
    from .result import Result

__all__ = ["Energy", "account", "has_energy", "joined", "notable_works"]

_POINTS, _WEIGHTS = np.polynomial.legendre.leggauss(6)
PARTS = ("applied", "nonideal", "servo", "constraint", "friction")
OPTIONAL = ("friction",)  # what files of before do not have
EIGHTH_ORDER = (4 / 5, -1 / 5, 4 / 105, -1 / 280)  # of the central difference, by distance


@dataclass(frozen=True, eq=False)
class Energy:
    """Energies and works at the rows of a result, (nt,) each, in joules.

    Attributes
    ----------
    kinetic, potential : arrays
        The potential is 0 when the system has none.
    applied, nonideal, servo, constraint : arrays
        Work since the start: of forces that are not in the potential, of the non-ideal force, of
        servos, and of constraints that move by themselves.
    impact : array
        Change at impacts since the start, without the work of moving constraints.
    friction : array
        Work of friction since the start: force times slip, never above 0. What a moving surface
        does to the bodies by friction beyond that, such as a belt, is the work of a moving
        constraint.
    """

    kinetic: Array
    potential: Array
    applied: Array
    nonideal: Array
    servo: Array
    constraint: Array
    impact: Array
    friction: Array = field(default_factory=lambda: np.zeros(0))

    def __post_init__(self) -> None:
        if not len(self.friction):
            object.__setattr__(self, "friction", np.zeros(len(self.kinetic)))
        for item in fields(self):
            object.__setattr__(self, item.name, frozen_array(getattr(self, item.name)))

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.__post_init__()  # arrays that have travelled can be written to

    @property
    def total(self) -> Array:
        """Kinetic plus potential energy."""
        return self.kinetic + self.potential

    @property
    def residual(self) -> Array:
        """What the account does not explain."""
        work = self.applied + self.nonideal + self.servo + self.constraint + self.impact
        if self.friction.any():
            work = work + self.friction
        difference: Array = self.total - self.total[0] - work
        return difference


def has_energy(result: Result) -> bool:
    """Whether the energy account of a result is there or can be made."""
    return result.stored_energy is not None or (result.system is not None and bool(result.pieces))


def account(result: Result) -> Energy:
    """The energy account of a result that still knows its system and has dense output."""
    system = result.system
    assert system is not None
    dynamics = system.dynamics(result.v.shape[1])
    n = len(result.t)
    kinetic, potential = np.zeros(n), np.zeros(n)
    for i in range(n):
        snapshot = state_snapshot(system, dynamics, result.q[i], result.v[i], float(result.t[i]))
        kinetic[i] = 0.5 * snapshot.v @ snapshot.mass @ snapshot.v
        if system.potential is not None:
            potential[i] = potential_energy(system, result.q[i], float(result.t[i]))
    works = _works(result, system, dynamics)
    works["applied"] += potential - potential[0]
    impact = np.zeros(n)
    for event in result.events:
        after = _far_side(event, result)
        impact[after:] += event.energy_change - event.constraint_work
        works["constraint"][after:] += event.constraint_work
    return Energy(kinetic, potential, impact=impact, **works)


def _far_side(event: Event, result: Result) -> int:
    """The first row after an event; of one that does not know, the last row at its time."""
    if event.row >= 0:
        return event.row
    return int(np.searchsorted(result.t, event.t, side="right")) - 1


def notable_works(energy: Energy) -> dict[str, Array]:
    """The works, and the change at impacts, that are not negligible."""
    size = float(max(np.abs(energy.total).max(), np.abs(energy.kinetic).max()))
    works = {part: getattr(energy, part) for part in (*PARTS, "impact")}
    return {part: work for part, work in works.items() if np.abs(work).max() > NOTABLE_WORK * size}


def joined(parts: Sequence[Energy], between: Sequence[Event]) -> Energy:
    """The account of several phases in a row, with the impacts between them."""
    columns: dict[str, list[Array]] = {f.name: [] for f in fields(Energy)}
    so_far = dict.fromkeys(columns, 0.0)
    for number, part in enumerate(parts):
        for name, column in columns.items():
            column.append(getattr(part, name) + so_far[name])
        if number < len(between):
            event = between[number]
            works = {name: float(columns[name][-1][-1]) for name in (*PARTS, "impact")}
            works["impact"] += event.energy_change - event.constraint_work
            works["constraint"] += event.constraint_work
            so_far |= works
    return Energy(**{name: np.concatenate(column) for name, column in columns.items()})


def _works(result: Result, system: System, dynamics: Dynamics) -> dict[str, Array]:
    """Works since the start at the rows of a result; "applied" counts all applied forces."""
    times, totals = [float(result.t[0])], [np.zeros(len(PARTS))]
    flows: dict[tuple[tuple[int, ...], ...], Flow] = {}
    for piece in result.pieces:
        key = piece.held, piece.slides
        if key not in flows:
            held = np.array(piece.held, dtype=np.intp)
            q, v = np.split(piece.values[0], [dynamics.nq])
            start = state_snapshot(system, dynamics, q, v, piece.t0)
            flows[key] = Flow(system, dynamics, held, held_rows(start), piece.slides)
        inside = result.t[(result.t > piece.t0) & (result.t < piece.t1)]
        for start, end in pairwise([piece.t0, *np.unique(inside).tolist(), piece.t1]):
            half, middle = 0.5 * (end - start), 0.5 * (end + start)
            work, step = np.zeros(len(PARTS)), INERTIA_STEP * (piece.t1 - piece.t0)
            for point, weight in zip(_POINTS, _WEIGHTS, strict=True):
                t = middle + half * point
                work += weight * half * _power(flows[key], piece(t), t, step)
            times.append(end)
            totals.append(totals[-1] + work)
    place = np.searchsorted(times, result.t, side="right") - 1
    table = np.array(totals)[place]
    return {part: table[:, i] for i, part in enumerate(PARTS)}


def _power(flow: Flow, y: Array, t: float, step: float) -> Array:
    """Power of applied forces, of the non-ideal force, of servos, moving constraints and friction.

    ``step`` is a time in which the motion changes little.
    """
    dynamics = flow.dynamics
    q, v = y[: dynamics.nq], y[dynamics.nq :]
    snapshot = state_snapshot(flow.system, dynamics, q, v, t)
    _, multipliers, snapshot = flow.accelerate(snapshot)
    rows = multipliers * (snapshot.rows_of(flow.held) @ v)
    by_servo = dynamics.layout.kind[flow.held] == Kind.SERVO
    applied = float(snapshot.force @ v) + _inertia_power(flow, snapshot, step)
    nonideal = 0.0 if snapshot.nonideal is None else float(snapshot.nonideal @ v)
    servo = float(rows[by_servo].sum())
    moving, friction = float(rows.sum()) - servo, 0.0
    if len(dynamics.layout.normal_of):
        tangents = np.arange(dynamics.layout.tangents.start, dynamics.layout.tangents.stop)
        forces = flow.on_rows(multipliers)[tangents]
        friction = float(forces @ snapshot.rate[tangents])
        held = dynamics.layout.kind[flow.held] == Kind.TANGENT
        moving += float(forces @ (snapshot.rows_of(tangents) @ v)) - float(rows[held].sum())
        moving -= friction
    return np.array([applied, nonideal, servo, moving, friction])


def _inertia_power(flow: Flow, snapshot: Snapshot, step: float) -> float:
    """1/2 v' M' v along the motion: from the trace, or by differences where there is none."""
    dynamics, v, t = flow.dynamics, snapshot.v, snapshot.t
    if dynamics.constant_mass is not None:
        return 0.0
    graphs = dynamics.energy_graphs
    traced = None if graphs is None else graphs.inertia_power
    if traced is not None:
        y = np.concatenate([snapshot.q, v])
        return float(traced(y, t, flow.system.parameters)[0])

    def kinetic(s: float) -> float:
        at = state_snapshot(flow.system, dynamics, snapshot.q + s * snapshot.qdot, v, t + s)
        return float(0.5 * v @ at.mass @ v)

    slope = sum(
        share * (kinetic(k * step) - kinetic(-k * step)) for k, share in enumerate(EIGHTH_ORDER, 1)
    )
    return slope / step
