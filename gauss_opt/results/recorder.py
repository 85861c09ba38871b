"""Rows of a run as they come, and the Result they make."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..base.arrays import Array
from ..base.frozen import frozen_array
from ..model.rows import RowTable
from ..model.snapshot import Snapshot
from ..model.system import System
from .columns import STATES, columns_of
from .dense_output import Piece
from .growing.rows import Rows
from .growing.series import Series
from .growing.sources import nonideal_part
from .growing.stretch import Stretch
from .records import Event, Stats
from .result import Result

if TYPE_CHECKING:
    from ..model.dynamics import Dynamics

__all__ = ["NOTHING", "Mark", "Recorder", "states_of"]


class Mark(NamedTuple):
    """How much had been recorded at a moment: rows, events and dense output."""

    rows: int = 0
    events: int = 0
    pieces: int = 0


NOTHING = Mark()


class Recorder:
    """Collects rows, events and dense output."""

    def __init__(self, system: System, dynamics: Dynamics, *, dense: bool) -> None:
        self.system = system
        self.layout = dynamics.layout
        self.dense = dense
        self.rows = Rows(system, dynamics)
        self.events: Series[Event] = Series()
        self.pieces: Series[Piece] = Series()

    def refill(self, result: Result) -> None:
        """Take over what another recorder had collected."""
        self.rows.refill(columns_of(result))
        self.events = Series(result.events)
        self.pieces = Series(result.pieces)

    def extend(self, stretch: Stretch) -> None:
        """Take over what a compiled engine has done since."""
        before, layout, size = self.rows.count, self.layout, stretch.size
        self.rows.extend(stretch)
        self.events.extend(size.events, lambda: stretch.events.events(layout, before))
        if self.dense:
            self.pieces.extend(size.steps, lambda: stretch.steps.pieces())

    def row(
        self, snapshot: Snapshot, a: Array, multipliers: Array, states: Array | None = None
    ) -> None:
        """A stored time: state, acceleration, multipliers on the rows of the layout.

        ``states`` are those of contacts with a slip, by tangent; see :func:`states_of`.
        """
        total = snapshot.mass.dot(a) - snapshot.force
        parts = (
            snapshot.q,
            snapshot.v,
            a,
            multipliers,
            snapshot.value,
            snapshot.rate,
            np.zeros(len(self.layout.normal_of)) if states is None else states,
            total,
            nonideal_part(snapshot, multipliers, total),
        )
        self.rows.append(snapshot.t, parts)

    def piece(self, piece: Piece, held: tuple[int, ...], slides: tuple[int, ...] = ()) -> None:
        """Dense output of an accepted step, with the rows held and the slides meanwhile."""
        if self.dense and piece.t1 > piece.t0:
            values = frozen_array(piece.values)
            self.pieces.append(Piece(piece.t0, piece.t1, values, held, slides))

    @property
    def mark(self) -> Mark:
        """How much there is so far."""
        return Mark(self.rows.count, len(self.events), len(self.pieces))

    def result(
        self,
        *,
        success: bool,
        status: str,
        message: str,
        stats: Stats,
        settings: dict[str, Any],
        since: Mark = NOTHING,
    ) -> Result:
        """Everything so far, or what is new since a mark, frozen."""
        rows, layout = self.rows.since(since.rows), self.layout
        return Result.of_run(
            settings=settings,
            events=self.events.since(since.events),
            pieces=self.pieces.since(since.pieces),
            column=rows.column,
            success=success,
            status=status,
            message=message,
            row_names=layout.names,
            normal_of=tuple(layout.normal_of.tolist()),
            scalar=layout.scalar_names,
            contacts=layout.contact_names,
            stats=stats.frozen(),
            system=self.system,
            coordinates=tuple(self.system.coordinates or ()),
            units=tuple(self.system.units or ()),
        )


def states_of(layout: RowTable, held: Iterable[int], slides: Iterable[int]) -> Array:
    """How contacts with a slip stand by tangent, as numbers: held, sliding, or neither.

    Parameters
    ----------
    held, slides : iterables of int
        As a :class:`Piece` has them.
    """
    states, first = np.zeros(len(layout.normal_of)), layout.tangents.start
    for row in held:
        if row >= first:
            states[row - first] = STATES.index("stick")
    for row in slides:
        states[abs(row) - first] = STATES.index("slide+" if row > 0 else "slide-")
    return states
