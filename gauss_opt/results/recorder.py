"""Rows of a run as they come, and the Result they make."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ..base.arrays import Array
from ..base.frozen import frozen_array, frozen_in_place
from ..mechanics.ideal_force import ideal_force_of_rows
from ..model.snapshot import Snapshot
from ..model.system import System
from .columns import COLUMNS, as_fields, columns_of
from .dense_output import Piece
from .records import Event, Stats
from .result import Result

if TYPE_CHECKING:
    from ..model.dynamics import Dynamics

__all__ = ["Recorder"]


class Recorder:
    """Collects rows, events and dense output."""

    def __init__(self, system: System, dynamics: Dynamics, *, dense: bool) -> None:
        self.system = system
        self.layout = dynamics.layout
        self.dense = dense
        self.columns: dict[str, list[Any]] = {column.key: [] for column in COLUMNS}
        self.events: list[Event] = []
        self.pieces: list[Piece] = []

    @property
    def times(self) -> list[float]:
        """The stored times."""
        return self.columns["t"]

    def refill(self, result: Result) -> None:
        """Take over what another recorder had collected."""
        self.columns = {key: list(column) for key, column in columns_of(result).items()}
        self.columns["t"] = result.t.tolist()
        self.events = list(result.events)
        self.pieces = list(result.pieces)

    def row(self, snapshot: Snapshot, a: Array, multipliers: Array) -> None:
        """A stored time: state, acceleration, multipliers on the rows of the layout."""
        total = snapshot.mass.dot(a) - snapshot.force
        values = {
            "t": snapshot.t,
            "q": snapshot.q,
            "v": snapshot.v,
            "a": a,
            "rows_multipliers": multipliers,
            "rows_values": snapshot.value,
            "rows_rates": snapshot.rate,
            "forces_total": total,
            "forces_nonideal": self._nonideal(snapshot, multipliers, total),
        }
        for key, column in self.columns.items():
            column.append(values[key])

    def _nonideal(self, snapshot: Snapshot, multipliers: Array, total: Array) -> Array:
        """What the total constraint force has beyond the ideal force of the rows that carry it."""
        if snapshot.nonideal is None:
            return np.zeros(len(total))
        carrying = np.flatnonzero(multipliers != 0.0)
        held = np.union1d(np.arange(self.layout.equalities.stop), carrying)
        names = tuple([self.layout.names[i] for i in held])
        rows, rhs = snapshot.rows_of(held), snapshot.rhs[held]
        return total - ideal_force_of_rows(snapshot, rows, rhs, names)

    def piece(self, piece: Piece, held: tuple[int, ...]) -> None:
        """Dense output of an accepted step, with the rows held meanwhile."""
        if self.dense and piece.t1 > piece.t0:
            self.pieces.append(replace(piece, values=frozen_array(piece.values), held=held))

    def result(
        self, *, success: bool, status: str, message: str, stats: Stats, settings: dict[str, Any]
    ) -> Result:
        """Everything so far, frozen."""
        blocks = self.layout.blocks
        return Result(
            success=success,
            status=status,
            message=message,
            **as_fields({key: frozen_in_place(np.array(c)) for key, c in self.columns.items()}),
            row_names=self.layout.names,
            scalar=frozenset(block.name for block in blocks if block.scalar),
            contacts=self.layout.contact_names,
            events=tuple(self.events),
            pieces=tuple(self.pieces),
            stats=stats,
            settings=settings,
            system=self.system,
            coordinates=tuple(self.system.coordinates or ()),
        )
