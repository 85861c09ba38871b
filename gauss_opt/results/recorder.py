"""Rows of a run as they come, and the Result they make."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ..base.arrays import Array
from ..model.constraints import Contact
from ..model.snapshot import Snapshot
from ..model.system import System
from .dense_output import Piece
from .records import Event, Stats
from .result import Result

if TYPE_CHECKING:
    from ..model.dynamics import Dynamics as Compiled

__all__ = ["Recorder"]


class Recorder:
    """Collects rows, events and dense output."""

    def __init__(self, system: System, compiled: Compiled, *, dense: bool) -> None:
        self.system = system
        self.compiled = compiled
        self.dense = dense
        self.rows: list[tuple[Array, ...]] = []
        self.times: list[float] = []
        self.events: list[Event] = []
        self.pieces: list[Piece] = []

    def refill(self, result: Result) -> None:
        """Take over what another recorder had collected."""
        columns = [result.q, result.v, result.a, *result.rows.values(), *result.forces.values()]
        self.rows = [tuple(row) for row in zip(*columns, strict=True)]
        self.times = result.t.tolist()
        self.events = list(result.events)
        self.pieces = list(result.pieces)

    def row(self, snapshot: Snapshot, a: Array, multipliers: Array) -> None:
        """A stored time: state, acceleration, multipliers on the rows of the layout."""
        total = snapshot.mass.dot(a) - snapshot.force
        nonideal = np.zeros(len(a))
        if snapshot.nonideal is not None:
            nonideal = total - self._ideal(snapshot, multipliers)
        self.times.append(snapshot.t)
        self.rows.append(
            (snapshot.q, snapshot.v, a, multipliers, snapshot.value, snapshot.rate, total, nonideal)
        )

    def _ideal(self, snapshot: Snapshot, multipliers: Array) -> Array:
        """Ideal force of the rows that carry force."""
        from ..mechanics.flow import Flow

        layout = snapshot.layout
        carrying = np.flatnonzero(multipliers != 0.0)
        held = np.union1d(np.arange(layout.equalities.stop), carrying)
        ideal = replace(snapshot, nonideal=np.zeros(len(snapshot.v)))
        flow = Flow(self.system, self.compiled, held)
        _, forces, _ = flow.accelerate(ideal)
        force: Array = forces @ snapshot.rows[held]
        return force

    def piece(self, piece: Piece, held: tuple[int, ...]) -> None:
        """Dense output of an accepted step, with the rows held meanwhile."""
        if self.dense and piece.t1 > piece.t0:
            self.pieces.append(replace(piece, held=held))

    def result(
        self, *, success: bool, status: str, message: str, stats: Stats, settings: dict[str, Any]
    ) -> Result:
        """Everything so far, frozen."""
        layout = self.compiled.layout
        columns = [np.array(column) for column in zip(*self.rows, strict=True)]
        q, v, a, multipliers, values, rates, total, nonideal = columns
        return Result(
            success=success,
            status=status,
            message=message,
            t=np.array(self.times),
            q=q,
            v=v,
            a=a,
            rows={"multipliers": multipliers, "values": values, "rates": rates},
            row_names=layout.names,
            scalar=frozenset(block.name for block in layout.blocks if block.scalar),
            contacts=tuple(b.name for b in layout.blocks if isinstance(b.item, Contact)),
            forces={"total": total, "nonideal": nonideal},
            events=tuple(self.events),
            pieces=tuple(self.pieces),
            stats=stats,
            settings=settings,
            system=self.system,
            coordinates=tuple(self.system.coordinates or ()),
        )
