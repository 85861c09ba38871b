"""The saltation matrix: what an event does to a small change of the motion.

Neighbouring motions have the event at other times. With z = (q, v, t, p), the fields F- and F+ on
both sides, the reset z+ = R(z) and the function g whose zero is the event,

    S = R_z + (F+ - R_z F-) g_z / (g_z F-),

which contains the terms by time, since t and p are among z. It grows without bound as the event
becomes tangential (g_z F- = 0: the contact grazes), where the motion has no derivative.
"""

from __future__ import annotations

import numpy as np

from ...base.arrays import Array, Indices
from ...base.errors import NotSmoothError
from ...base.tolerances.studies import CONTINUOUS_FIELD, GRAZING
from ...mechanics.impact import Impact
from ...mechanics.impact_laws import ImpactLaw
from ...mechanics.variation.jump import reset
from ...mechanics.variation.smooth import SmoothField, require_variations
from ...model.snapshot import Snapshot, state_snapshot
from ...model.system import System
from ...qp.gauss_solver import GaussSolver
from ...results.records import EventKind
from .segments import Cut

__all__ = ["Crossing"]

AT_ONCE = "no derivative"


class Crossing:
    """Saltation matrices of one system under one law."""

    def __init__(self, system: System, nv: int, law: ImpactLaw) -> None:
        self._system, self._law = system, law
        self._dynamics = system.dynamics(nv)
        self._solver = GaussSolver("daqp")

    def matrix(self, cut: Cut, before: Indices, after: Indices) -> Array:
        """S of size (nz, nz), between segments with these rows held."""
        for event in cut.events:
            if event.kind in (EventKind.GRAZE, EventKind.ACCUMULATION):
                how = "grazes" if event.kind == EventKind.GRAZE else "has infinitely many impacts"
                raise NotSmoothError(
                    f"the motion has no derivative: contact {_listed(event.contacts)} {how} at "
                    f"t = {cut.t:.9g}",
                    t=cut.t, contacts=event.contacts,
                )  # fmt: skip
        at = self._snapshot(cut, cut.v_before)
        slope = self._extended(SmoothField(self._system, self._dynamics, before), cut, cut.v_before)
        other = self._extended(SmoothField(self._system, self._dynamics, after), cut, cut.v_after)
        jump = self._reset(cut, at, len(slope))
        rows = self._arriving(cut, at, before, after)
        step = other - jump @ slope
        if rows is None:
            self._require_continuous(cut, slope, other)
            return jump
        return jump + np.outer(step, rows) / self._speed(cut, rows, slope)

    def _snapshot(self, cut: Cut, v: Array) -> Snapshot:
        return state_snapshot(self._system, self._dynamics, cut.q, v, cut.t)

    def _extended(self, field: SmoothField, cut: Cut, v: Array) -> Array:
        """(q', v', 1, 0) at the cut."""
        found = field(cut.t, np.concatenate([cut.q, v]))
        rest = np.zeros(found.slope.shape[1] - len(found.f))
        rest[0] = 1.0
        return np.concatenate([found.f, rest])

    def _reset(self, cut: Cut, at: Snapshot, nz: int) -> Array:
        """R_z: impacts change velocities, one after the other."""
        nq, nv = len(at.q), len(at.v)
        whole = np.eye(nz)
        for event in cut.impacts:
            snapshot = at.at_velocity(event.v_before)
            rows = [
                row for name in event.contacts for row in at.layout.block(name).indices
                if self._takes_part(snapshot, row)
            ]  # fmt: skip
            answer = reset(self._law, Impact.at(snapshot, np.array(rows), self._solver))
            step = np.eye(nz)
            step[nq : nq + nv] = answer.slope
            whole = step @ whole
        return whole

    def _takes_part(self, at: Snapshot, row: int) -> bool:
        """Whether a row of a contact that is struck touches: another row of it may be open."""
        block = at.layout.block_at(row)
        if block.scalar or block.size == 1:
            return True
        size = np.abs(at.q).max(initial=1.0)
        return bool(abs(at.value[row]) <= CONTINUOUS_FIELD * size)

    def _arriving(self, cut: Cut, at: Snapshot, before: Indices, after: Indices) -> Array | None:
        """g_z of the row that made the event; None where the motion is only continuous there."""
        layout = at.layout
        zeros = np.zeros(layout.n_rows)
        ask = (at.q, at.v, at.t, self._system.parameters, 0.0 * at.v, zeros)
        if cut.impacts:
            struck = {
                row for name in cut.impacts[0].contacts for row in layout.block(name).indices
                if self._takes_part(at, row)
            }  # fmt: skip
            new = sorted(struck - set(before.tolist()))
            new = [row for row in new if at.rate[row] < 0.0]
        else:
            limits = range(layout.limits.start, layout.limits.stop)
            new = sorted(set(after.tolist()) - set(before.tolist()) & set(limits))
            new = [row for row in new if row in limits]
            if not new:
                return None
        if len(new) != 1:
            names = tuple(dict.fromkeys(layout.names_of(np.array(new, dtype=np.intp))))
            how = f"{_listed(names)} are reached at once" if names else "an impact has no approach"
            raise NotSmoothError(
                f"the motion has no derivative: {how} at t = {cut.t:.9g}", t=cut.t, contacts=names
            )
        slopes = require_variations(self._dynamics).slopes(*ask)
        chosen: Array = slopes.value[new[0]]
        return chosen

    def _speed(self, cut: Cut, row: Array, slope: Array) -> float:
        """g_z F-: how fast the event is approached."""
        speed = float(row @ slope)
        size = float(np.abs(row) @ np.abs(slope))
        if abs(speed) <= GRAZING * size:
            names = cut.impacts[0].contacts if cut.impacts else ()
            raise NotSmoothError(
                f"the motion has no derivative: contact {_listed(names)} grazes at "
                f"t = {cut.t:.9g} (it arrives with a rate of {speed:.1e})",
                t=cut.t, contacts=names,
            )  # fmt: skip
        return speed

    def _require_continuous(self, cut: Cut, slope: Array, other: Array) -> None:
        """Refuse a force that jumps with the state: contacts that cease, for instance."""
        names = tuple(name for event in cut.events for name in event.contacts)
        if not names:  # a breakpoint: the time is the same for all motions
            return
        size = float(np.abs(slope).max() + np.abs(other).max())
        if float(np.abs(other - slope).max()) > CONTINUOUS_FIELD * size:
            raise NotSmoothError(
                f"the motion has no derivative that is known here: the force of {_listed(names)} "
                f"jumps at t = {cut.t:.9g} without an impact",
                t=cut.t, contacts=names,
            )  # fmt: skip


def _listed(names: tuple[str, ...]) -> str:
    return ", ".join(repr(name) for name in names)
