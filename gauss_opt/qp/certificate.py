"""The proof that travels with an answer: residuals of the optimality conditions, from the data.

x is the minimiser of (G) exactly when multipliers l exist with

    M x - p = A'l,   Ae x = be,   Ai x >= bi,   li >= 0,   li (Ai x - bi) = 0.

Each residual is relative to the size of the terms it is the difference of, so it has no unit and
a mass of 1e12 passes or fails like a mass of 1e-12.
"""

from __future__ import annotations

from math import isnan, nan
from operator import mul
from typing import NamedTuple

import numpy as np
from scipy.linalg import blas

from ..base.arrays import Array
from ..base.tolerances.base import TINY
from ..base.tolerances.qp import (
    CANCELLING,
    FARKAS_CANCELLED,
    FARKAS_GAIN,
    FARKAS_RESIDUAL,
    ROW_FLOOR,
)
from ..base.words import html
from .problem import GaussProblem
from .whitening import LOWER, TRANSPOSED, LeastDistance, Whitened, whiten

__all__ = ["Certificate", "FarkasCertificate", "certify", "residuals", "verify_farkas"]


class Certificate(NamedTuple):
    """Relative residuals of an answer to (G), computed from the problem's own data.

    Attributes
    ----------
    stationarity : float
        M x - p - A'l, in the metric of the inverse mass.
    equality : float
        Largest violation of an equality row.
    inequality : float
        Largest violation of an inequality row.
    dual : float
        Size of the most negative inequality multiplier.
    complementarity : float
        Largest product of a multiplier and the slack of its row.
    """

    stationarity: float
    equality: float
    inequality: float
    dual: float
    complementarity: float

    @property
    def worst(self) -> float:
        """The largest of the five; NaN when one of them is."""
        worst = max(self)
        return worst if sum(self) == sum(self) else float("nan")

    def passes(self, tolerance: float) -> bool:
        """Whether all five are at most ``tolerance``; a NaN never passes."""
        return (
            self.stationarity <= tolerance
            and self.equality <= tolerance
            and self.inequality <= tolerance
            and self.dual <= tolerance
            and self.complementarity <= tolerance
        )

    def __str__(self) -> str:
        return ", ".join(f"{name} {value:.1e}" for name, value in self._asdict().items())

    def _repr_html_(self) -> str:
        residuals = {**self._asdict(), "worst": self.worst}
        rows = [(name, f"{value:.1e}") for name, value in residuals.items()]
        return html.table(("residual", "relative"), rows, right=("relative",))


def certify(
    problem: GaussProblem,
    x: Array,
    multipliers: Array,
    white: Whitened | None = None,
) -> Certificate:
    """Certificate of a pair x, multipliers (m,), whoever computed it.

    ``white`` saves whitening the problem again; it supplies only scales.

    Examples
    --------
    >>> problem = GaussProblem.create([[2.0]], load=[-19.62], Ai=[[1.0]], bi=[0.0])
    >>> certify(problem, np.array([0.0]), np.array([19.62])).worst
    0.0
    >>> certify(problem, np.array([-1.0]), np.array([17.62])).passes(1e-9)
    False
    """
    white = whiten(problem) if white is None else white
    moved = x.dot(white.factor) - white.center
    return residuals(problem, white, x, moved, multipliers)


def residuals(
    problem: GaussProblem, white: Whitened, x: Array, z: Array, multipliers: Array
) -> Certificate:
    """The certificate when z is at hand, which supplies one more scale."""
    rows, rhs, ne = problem.rows, problem.rhs, problem.n_equality
    size = blas.dnrm2(z)
    whole = size + blas.dnrm2(white.center)
    gap = blas.dgemv(1.0, problem.metric.T, x, -1.0, problem.load)
    if not len(multipliers):
        return Certificate(_stationarity(white, gap, whole), 0.0, 0.0, 0.0, 0.0)
    gap = blas.dgemv(-1.0, rows.T, multipliers, 1.0, gap)
    duals = multipliers * white.lengths
    stationarity = _stationarity(white, gap, whole + CANCELLING * blas.dnrm2(duals))
    # The last term keeps 0 / 0 away where everything is zero. Lists: for the few rows of a
    # mechanism they are faster than arrays.
    floor = ROW_FLOOR * whole + TINY
    misfits = blas.dgemv(1.0, rows.T, x, -1.0, rhs, *TRANSPOSED).tolist()
    terms = zip(misfits, rhs.tolist(), white.lengths.tolist(), strict=True)
    relative = [misfit / (abs(b) + floor * length) for misfit, b, length in terms]
    if isnan(sum(relative)):  # max() and min() may not notice
        return Certificate(stationarity, nan, nan, nan, nan)
    equality = max(map(abs, relative[:ne])) if ne else 0.0
    if ne == len(relative):
        return Certificate(stationarity, equality, 0.0, 0.0, 0.0)
    slacks, forces = relative[ne:], duals.tolist()[ne:]
    largest = max(map(abs, forces))
    products = max(map(abs, map(mul, forces, slacks)))
    force_scale = size + CANCELLING * (whole + largest)
    return Certificate(
        stationarity,
        equality,
        max(0.0, -min(slacks)),
        _ratio(max(0.0, -min(forces)), force_scale),
        _ratio(products, force_scale + CANCELLING / ROW_FLOOR * largest),
    )


def _stationarity(white: Whitened, gap: Array, terms: float) -> float:
    return _ratio(blas.dnrm2(blas.dtrsv(white.factor, gap, *LOWER)), terms)


class FarkasCertificate(NamedTuple):
    """Multipliers y with y >= 0 on inequalities, A'y = 0 and b'y > 0: no x satisfies the rows.

    For any x, 0 = (A'y)'x = y'(A x) >= y'b > 0 would follow.

    Attributes
    ----------
    multipliers : (m,) array
        y, for unit whitened rows, scaled to y'r = 1.
    residual : float
        |B'y| max|r| for y'r = 1. Every feasible z has |z| >= max|r| / residual, so a residual at
        round-off level puts feasible points further away than the data could express.
    """

    multipliers: Array
    residual: float


def verify_farkas(
    problem: LeastDistance, y: Array, tolerance: float = FARKAS_GAIN
) -> FarkasCertificate | None:
    """The certificate that y makes, or None when y proves nothing."""
    if not np.isfinite(y).all():
        return None
    y = y.copy()
    y[problem.n_equality :] = np.maximum(y[problem.n_equality :], 0.0)
    weights = np.abs(y)
    gain = float(y @ problem.rhs)
    if not gain > tolerance * float(weights @ (np.abs(problem.rhs) + ROW_FLOOR * problem.terms)):
        return None
    y /= gain
    rest = float(np.linalg.norm(y @ problem.rows))
    if rest > FARKAS_CANCELLED * float(weights.sum()) / gain:
        return None
    residual = rest * float(np.abs(problem.rhs[weights > 0.0]).max())
    return FarkasCertificate(y, residual) if residual <= FARKAS_RESIDUAL else None


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole != 0.0 else (0.0 if part == 0.0 else float("inf"))
