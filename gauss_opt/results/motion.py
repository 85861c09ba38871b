"""The motion between the stored rows: dense output, put back onto the bilateral constraints."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from ..base.arrays import Array
from ..base.errors import InputError
from ..base.tolerances.results import INTERPOLATED_DRIFT
from ..mechanics.consistency.projection import Scales, project
from ..mechanics.rank.surface import surface_ranks
from ..model.snapshot import state_snapshot
from ..model.system import System
from .dense_output import Piece
from .records import State

__all__ = ["Motion"]


class Motion:
    """States at any time of a run of one phase.

    Parameters
    ----------
    t, q, v : (nt,), (nt, nq), (nt, nv) arrays
        The stored rows; both sides of a jump have the same time.
    pieces : tuple of Piece
        Dense output.
    system : System or None
        Without one an interpolated state is left as it is.
    """

    def __init__(
        self, t: Array, q: Array, v: Array, pieces: tuple[Piece, ...], system: System | None
    ) -> None:
        self.t, self.q, self.v = t, q, v
        self.pieces = pieces
        self.system = system
        self._starts = np.array([piece.t0 for piece in pieces])

    def at(self, t: float, side: str) -> State:
        """The state at a time; ``side`` says which limit to take at a jump."""
        first, last = self.t[0], self.t[-1]
        if not first <= t <= last:
            raise InputError(
                f"t = {t:g} is outside of the simulated interval [{first:g}, {last:g}]"
            )
        if self.t[min(int(np.searchsorted(self.t, t)), len(self.t) - 1)] == t:
            left = side == "left"
            row = int(np.searchsorted(self.t, t, side="left" if left else "right")) - (not left)
            return State(t, self.q[row].copy(), self.v[row].copy())
        if not self.pieces:
            raise InputError("this run kept no dense output (dense_output=False)")
        i = int(np.searchsorted(self._starts, t, side="right")) - 1
        y = self.pieces[max(i, 0)](t)
        nq = self.q.shape[1]
        return State(t, *self._consistent(t, y[:nq], y[nq:]))

    @cached_property
    def _scales(self) -> Scales:
        return Scales(np.abs(self.q).max(axis=0), np.abs(self.v).max(axis=0), None, 1.0)

    def _consistent(self, t: float, q: Array, v: Array) -> tuple[Array, Array]:
        """An interpolated state put back onto the bilateral constraints."""
        if self.system is None or not self.system.constraints:
            return q, v
        dynamics = self.system.dynamics(len(v))
        equalities = np.arange(dynamics.layout.equalities.stop)
        position, velocity = dynamics.layout.held(equalities)
        snapshot = state_snapshot(self.system, dynamics, q, v, t)
        ranks = surface_ranks(snapshot)
        snapshot = project(snapshot, position, velocity, self._scales, INTERPOLATED_DRIFT, ranks)
        return snapshot.q.copy(), snapshot.v.copy()
