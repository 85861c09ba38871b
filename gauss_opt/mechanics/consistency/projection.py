"""Drift removed: a state put back onto its rows by the least move in the mass metric."""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple

import numpy as np

from ...base.arrays import Array, Indices
from ...base.tolerances.mechanics import MOTION_FLOOR
from ...model.snapshot import Snapshot, state_snapshot
from ...qp.active_set import solve_set
from ...qp.problem import GaussProblem
from ...qp.whitening import whiten
from ..rank.independence import spectrum

__all__ = ["Drift", "Ranks", "Scales", "drift", "nearer", "project"]

MAX_ITERATIONS = 8


class Scales:
    """Sizes of positions and velocities seen so far: what tolerances are relative to.

    Parameters
    ----------
    q, v : arrays
        The start.
    length : float, optional
        The user's length scale, for all positions.
    time : float
        The time scale: the duration of the run unless the user gives one.
    """

    def __init__(self, q: Array, v: Array, length: float | None, time: float) -> None:
        self.fixed_length = length
        self.time = time
        self.q = np.abs(q) if length is None else np.full(len(q), length)
        self.v = np.abs(v)
        self._mass: Array | None = None
        self._inertia = self._mobility = np.zeros(0)
        self._lengths: tuple[Snapshot, Array] | None = None  # of the last snapshot asked about

    def update(self, q: Array, v: Array) -> None:
        """Take another state into account."""
        self._lengths = None
        if self.fixed_length is None:
            np.maximum(self.q, np.abs(q), out=self.q)
        np.maximum(self.v, np.abs(v), out=self.v)

    def lengths(self, snapshot: Snapshot) -> Array:
        """Size of the terms that the value of each row is made of, (m,), read-only."""
        if self._lengths is not None and self._lengths[0] is snapshot:
            return self._lengths[1]
        q = self.q
        if len(q) != len(snapshot.v):
            q = np.full(len(snapshot.v), q.max())
        sizes: Array = snapshot.jacobian.sizes(q) + self._floor(snapshot, q)
        sizes.setflags(write=False)
        self._lengths = snapshot, sizes
        return sizes

    def speeds(self, snapshot: Snapshot) -> Array:
        """Size of the terms that the rate of each row is made of, (m,)."""
        sizes: Array = snapshot.jacobian.sizes(self.v) + np.abs(snapshot.offset)
        sizes += self._floor(snapshot, self.v)
        return sizes

    def _floor(self, snapshot: Snapshot, sizes: Array) -> Array:
        """A small part of what the whole system's motion could do to each row.

        Rows of coordinates that have not moved yet have no size of their own; the mass relates
        their units to those of the others.
        """
        if snapshot.mass is not self._mass:
            self._mass = snapshot.mass
            self._inertia = snapshot.mass.diagonal()
            inertia = self._inertia
            self._mobility = np.divide(1.0, inertia, out=np.zeros(len(inertia)), where=inertia > 0)
        lengths: Array = np.sqrt(snapshot.jacobian.squares(self._mobility))
        lengths *= MOTION_FLOOR * sqrt(self._inertia.dot(sizes * sizes))
        return lengths


class Drift(NamedTuple):
    """How far a state is off the rows it should be on, relative."""

    position: float
    velocity: float


class Ranks(NamedTuple):
    """Ranks of the equalities, where they are known to be dependent on the constraint surface."""

    position: int
    velocity: int


def drift(snapshot: Snapshot, position: Indices, velocity: Indices, scales: Scales) -> Drift:
    """Relative drift of a state from rows of positions and of velocities."""
    if not len(velocity):
        return Drift(0.0, 0.0)
    return Drift(
        _worst(snapshot.value[position], scales.lengths(snapshot)[position]),
        _worst(snapshot.rate[velocity], scales.speeds(snapshot)[velocity]),
    )


def _worst(values: Array, sizes: Array) -> float:
    if not len(values):
        return 0.0
    return float((np.abs(values) / np.where(sizes > 0, sizes, 1.0)).max())


def project(
    snapshot: Snapshot,
    position: Indices,
    velocity: Indices,
    scales: Scales,
    tolerance: float,
    ranks: Ranks | None = None,
) -> Snapshot:
    """The nearest state on the rows; ``tolerance`` is relative, and reached quadratically.

    ``ranks`` says how many of the equalities are independent, where not all of them are.
    """
    in_q, in_v = (None, None) if ranks is None else ranks
    best = np.inf
    for _ in range(MAX_ITERATIONS):
        off = drift(snapshot, position, velocity, scales)
        if off.position <= tolerance or off.position > 0.5 * best:
            break
        best = off.position
        snapshot = nearer(snapshot, position, in_q)
    best = np.inf
    for _ in range(MAX_ITERATIONS):
        off = drift(snapshot, position, velocity, scales)
        if off.velocity <= tolerance or off.velocity > 0.5 * best:
            break
        best = off.velocity
        step = _shortest(snapshot, velocity, -snapshot.rate, in_v)
        snapshot = _moved(snapshot, snapshot.q, snapshot.v + step)
    return snapshot


def nearer(snapshot: Snapshot, position: Indices, rank: int | None = None) -> Snapshot:
    """One step of Gauss and Newton onto rows of positions."""
    step = _shortest(snapshot, position, -snapshot.value, rank)
    return _moved(snapshot, snapshot.q + _in_positions(snapshot, step), snapshot.v)


def _shortest(snapshot: Snapshot, rows: Indices, rhs: Array, rank: int | None) -> Array:
    """The least change, in the mass metric, that meets the rows, equalities up to their rank."""
    A, b, names = snapshot.rows_of(rows), rhs[rows], snapshot.layout.names_of(rows)
    if rank is not None:
        ne = int(np.count_nonzero(rows < snapshot.layout.equalities.stop))
        parts = spectrum(snapshot.mass, A[:ne])
        if parts is not None:
            T = parts.combinations(rank)
            A, b = np.concatenate([T @ A[:ne], A[ne:]]), np.concatenate([T @ b[:ne], b[ne:]])
            names = names[: len(b)]
    k = len(b)
    problem = GaussProblem(snapshot.mass, np.zeros(len(snapshot.v)), A, b, k, names, "projection")
    white = whiten(problem)
    return white.point(solve_set(white, np.arange(k)).z)


def _in_positions(snapshot: Snapshot, step: Array) -> Array:
    N = snapshot.velocity_map()
    return step if N is None else N @ step


def _moved(snapshot: Snapshot, q: Array, v: Array) -> Snapshot:
    return state_snapshot(snapshot.system, snapshot.dynamics, q, v, snapshot.t)
