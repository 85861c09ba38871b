"""The problem (C) whitened, with rows of unit length, without its equalities.

With z = L'(x - x^) and the bilateral rows solved first, u = G l + c for the rates and forces of
unit rows. Rows of another length change the coefficient: mu becomes mu |B_T| / |B_N|.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.linalg import qr, solve_triangular

from ...base.arrays import Array, Indices
from ...base.lazy import lazy
from ...base.tolerances.qp import DEPENDENT
from ..whitening import Whitened, whiten
from .problem import FrictionProblem

__all__ = ["Reduced", "reduce"]


class _Base(NamedTuple):
    """What the equalities leave: the point they hold, and an orthonormal basis of their rows."""

    z: Array
    basis: Array


class Reduced:
    """(C) for the solvers: normals first, then tangents, all of unit length.

    Attributes
    ----------
    problem : FrictionProblem
    white : Whitened
        All rows, whitened.
    rows : (m, n) array
        B, without the directions that the equalities hold.
    c : (m,) array
        Rates without contact forces.
    lengths : (m,) array
        Whitened length of each row as the problem has it; the two tangents of a contact share one.
    mu : (n_normal,) array
        Coefficients of the unit rows.
    preload : (n_normal,) array
        Of the unit rows.
    """

    def __init__(self, problem: FrictionProblem, factor: Array | None = None) -> None:
        self.problem = problem
        self.white: Whitened = whiten(problem.smooth, factor)
        ne, nn = problem.n_equality, problem.n_normal
        lengths = self.white.lengths[ne:].copy()
        normal_lengths, tangent_lengths = lengths[:nn], lengths[nn:]
        if problem.in_space:
            longest = np.zeros(nn)
            np.maximum.at(longest, problem.normal_of, tangent_lengths)
            tangent_lengths[:] = longest[problem.normal_of]
        self.lengths = lengths
        self.nn, self.nt = nn, len(tangent_lengths)
        self.mu = np.zeros(nn)
        of = problem.normal_of
        self.mu[of] = problem.friction[of] * tangent_lengths / normal_lengths[of]
        self.preload = problem.preload * normal_lengths
        self.base = _held(self.white)
        rows = (self.white.columns[:, ne:] / lengths).T
        if ne:
            rows = rows - (rows @ self.base.basis) @ self.base.basis.T
            whole = (self.white.columns[:, ne:] / lengths).T
            self.c = whole @ self.base.z - self.white.rhs[ne:] / lengths
        else:
            self.c = -self.white.rhs / lengths
        self.rows = rows

    @lazy
    def G(self) -> Array:
        """B B', (m, m)."""
        gram: Array = self.rows @ self.rows.T
        return gram

    @lazy
    def force_scale(self) -> float:
        """Size of the forces that the rates without contact forces could ask for."""
        return float(np.abs(self.c).max(initial=0.0) / (self.G.diagonal().max(initial=0.0) or 1.0))

    @property
    def tangents_of(self) -> tuple[Indices, ...]:
        """For each normal the numbers of its tangents."""
        return self.problem.tangents_of

    def rates(self, forces: Array) -> Array:
        """u = G l + c."""
        u: Array = self.rows @ (self.rows.T @ forces) + self.c
        return u

    def bounds(self, forces: Array) -> Array:
        """mu (l_N + p): the largest friction force of each normal."""
        bound: Array = self.mu * (forces[: self.nn] + self.preload)
        return bound

    def answer(self, forces: Array) -> tuple[Array, Array]:
        """x and the multipliers of all rows of the problem that belong to contact forces."""
        ne = self.problem.n_equality
        z = self.base.z + self.rows.T @ forces
        multipliers = np.concatenate([np.zeros(ne), forces / self.lengths])
        if ne:
            columns = self.white.columns
            rest = z - columns[:, ne:] @ multipliers[ne:]
            unit = columns[:, :ne] / self.white.lengths[:ne]
            multipliers[:ne] = np.linalg.lstsq(unit, rest, rcond=None)[0] / self.white.lengths[:ne]
        return self.white.point(z), multipliers


def reduce(problem: FrictionProblem, factor: Array | None = None) -> Reduced:
    """Whiten a problem and eliminate its equalities.

    Examples
    --------
    A slip written twice as large as it is means twice the coefficient in unit rows:

    >>> problem = FrictionProblem.create(
    ...     [1.0, 1.0], [0.0, -1.0], normals=[[0, 1]], tangents=[[2, 0]], friction=0.2)
    >>> reduce(problem).mu
    array([0.4])
    """
    return Reduced(problem, factor)


def _held(white: Whitened) -> _Base:
    """The shortest z on the equalities, and their directions."""
    ne, n = white.n_equality, len(white.center)
    if not ne:
        return _Base(np.zeros(n), np.zeros((n, 0)))
    unit = white.columns[:, :ne] / white.lengths[:ne]
    q, r, order = qr(unit, mode="economic", pivoting=True)
    rank = int(np.count_nonzero(np.abs(r.diagonal()) > DEPENDENT))
    rhs = (white.rhs[:ne] / white.lengths[:ne])[order[:rank]]
    shares = solve_triangular(r[:rank, :rank], rhs, trans=1)
    basis = np.asarray(q[:, :rank], dtype=np.float64)
    return _Base(basis @ shares, basis)
