"""The steps onto the constraints as problems: nearest positions, and nearest velocities.

Positions: minimise 1/2 dq' M dq with phi_q dq = -phi and gap + gap_q dq >= 0, linearised.
Velocities: minimise 1/2 (v - v0)' M (v - v0) with phi1' = 0, phi2 = 0, psi >= 0.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...base.arrays import Array, Indices, Mask
from ...base.matrices import factorise
from ...base.tolerances.mechanics import MASSLESS
from ...model.rows import Kind
from ...model.snapshot import Snapshot
from ...qp.active_set import solve_unit_rows
from ...qp.problem import GaussProblem
from ...qp.whitening import whiten
from ..rank.surface import Equalities

__all__ = [
    "freedom",
    "misfit",
    "position_equalities",
    "position_problem",
    "velocity_equalities",
    "velocity_problem",
]


def position_problem(
    snapshot: Snapshot, held: Sequence[int], resting: Sequence[str], back: Array | None = None
) -> GaussProblem:
    """The step onto the constraints of positions, linearised at a snapshot.

    ``back`` is the way back for held positions that rows in contradiction have moved.
    """
    closed = _rows_named(snapshot, resting)
    equal = position_equalities(snapshot, held, resting).rows
    holding = _position_map(snapshot)[list(held)]
    unilateral = _existing(snapshot, (snapshot.layout.kind == Kind.CONTACT) & ~closed)
    names = [snapshot.system.coordinate_name(i) for i in held]
    rows, rhs, owners = _gather(snapshot, equal, -snapshot.value)
    contact_rows, contact_rhs, contact_owners = _gather(snapshot, unilateral, -snapshot.value)
    return GaussProblem.create(
        _metric(snapshot),
        target=np.zeros(len(snapshot.v)),
        Ae=np.vstack([rows, holding]),
        be=np.concatenate([rhs, np.zeros(len(held)) if back is None else back]),
        Ai=contact_rows,
        bi=contact_rhs,
        equality_names=[*owners, *(f"hold {name}" for name in names)],
        inequality_names=contact_owners,
        kind="consistent position (linearised)",
    )


def velocity_problem(
    snapshot: Snapshot, held: Sequence[int] = (), resting: Sequence[str] = ()
) -> GaussProblem:
    """The nearest velocity that satisfies all constraints, linearised at a snapshot."""
    equal = velocity_equalities(snapshot, held, resting).rows
    holding = np.eye(len(snapshot.v))[list(held)]
    limits = _existing(snapshot, snapshot.layout.kind == Kind.LIMIT)
    rows, rhs, owners = _gather(snapshot, equal, -snapshot.offset)
    limit_rows, limit_rhs, limit_owners = _gather(snapshot, limits, -snapshot.offset)
    return GaussProblem.create(
        _metric(snapshot),
        target=snapshot.v,
        Ae=np.vstack([rows, holding]),
        be=np.concatenate([rhs, snapshot.v[list(held)]]),
        Ai=limit_rows,
        bi=limit_rhs,
        equality_names=[*owners, *(f"hold velocity {i}" for i in held)],
        inequality_names=limit_owners,
        kind="consistent velocity",
    )


def position_equalities(
    snapshot: Snapshot, held: Sequence[int], resting: Sequence[str]
) -> Equalities:
    """The equalities of :func:`position_problem`: constraints, contacts, held positions."""
    wanted = (snapshot.layout.kind == Kind.HOLONOMIC) | _rows_named(snapshot, resting)
    return Equalities(_existing(snapshot, wanted), _position_map(snapshot)[list(held)])


def velocity_equalities(
    snapshot: Snapshot, held: Sequence[int] = (), resting: Sequence[str] = ()
) -> Equalities:
    """The equalities of :func:`velocity_problem`: constraints, contacts, held velocities."""
    kind = snapshot.layout.kind
    bilateral = (kind == Kind.HOLONOMIC) | (kind == Kind.NONHOLONOMIC)
    wanted = _existing(snapshot, bilateral | _rows_named(snapshot, resting))
    return Equalities(wanted, np.eye(len(snapshot.v))[list(held)])


def misfit(problem: GaussProblem) -> float:
    """Largest violation, as the distance it takes along the row to repair."""
    if not len(problem.rhs):
        return 0.0
    violation = problem.rhs.copy()
    violation[problem.n_equality :] = np.maximum(violation[problem.n_equality :], 0.0)
    lengths = np.linalg.norm(problem.rows, axis=1)
    lengths = np.where(lengths > 0, lengths, 1.0)
    return float(np.abs(violation / lengths).max())


def freedom(problem: GaussProblem, rank: int) -> int:
    """Independent motions that equalities leave; they have at most this rank."""
    if rank < problem.n_equality:
        return problem.n - rank
    unit = whiten(problem).unit()
    return problem.n - solve_unit_rows(unit, np.arange(problem.n_equality)).rank


def _metric(snapshot: Snapshot) -> Array:
    """The mass; where it is singular, with a typical mass for the directions that have none."""
    if factorise(snapshot.mass) is not None:
        return snapshot.mass
    typical = snapshot.mass.diagonal().max() or 1.0
    values, vectors = np.linalg.eigh(snapshot.mass)
    filled = np.where(values > MASSLESS * values[-1], values, typical)
    metric: Array = (vectors * filled) @ vectors.T
    return metric


def _position_map(snapshot: Snapshot) -> Array:
    """N(q): how positions follow velocities, (nq, nv)."""
    N = snapshot.velocity_map()
    return np.eye(len(snapshot.v)) if N is None else N


def _rows_named(snapshot: Snapshot, names: Sequence[str]) -> Mask:
    """Mask of the rows of some constraints."""
    mask = np.zeros(snapshot.layout.n_rows, dtype=bool)
    for name in names:
        mask[snapshot.layout.block(name).rows] = True
    return mask


def _existing(snapshot: Snapshot, wanted: Mask) -> Indices:
    """Of the wanted rows, those that are not switched off."""
    rows: Indices = np.flatnonzero(
        wanted if snapshot.enabled is None else wanted & snapshot.enabled
    )
    return rows


def _gather(snapshot: Snapshot, rows: Indices, rhs: Array) -> tuple[Array, Array, tuple[str, ...]]:
    return snapshot.rows_of(rows), rhs[rows], snapshot.layout.names_of(rows)
