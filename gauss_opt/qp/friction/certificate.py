"""The proof that travels with an answer to (C): residuals of Coulomb's conditions, from the data.

Forces and rates are those of unit rows. The scale of rates is that of their terms, |G||l| + |c|.
The scale of forces is the larger of |l| and what the rates without forces could ask for: an open
contact has no force to be relative to.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.linalg import blas

from ...base.arrays import Array
from ...base.tolerances.base import TINY
from ...base.tolerances.qp import CANCELLING, ROW_FLOOR
from ..whitening import LOWER
from .problem import FrictionProblem
from .reduced import Reduced

__all__ = ["FrictionCertificate", "certify_friction"]


class FrictionCertificate(NamedTuple):
    """Relative residuals of an answer to (C), computed from the problem's own data.

    Attributes
    ----------
    stationarity : float
        M x - p - A'l, in the metric of the inverse mass.
    equality : float
        Largest violation of an equality row.
    inequality : float
        Largest violation of u_N >= 0.
    dual : float
        Size of the most negative normal force.
    complementarity : float
        Largest of min(u_N, l_N).
    cone : float
        Largest excess of |l_T| over mu (l_N + p).
    friction : float
        Largest misfit of the direction of friction: min(|u_T|, |l_T + mu (l_N + p) u_T/|u_T||) of
        free contacts, |l_T + mu (l_N + p) d| of sliding ones.
    """

    stationarity: float
    equality: float
    inequality: float
    dual: float
    complementarity: float
    cone: float
    friction: float

    @property
    def worst(self) -> float:
        """The largest of them; NaN when one of them is."""
        return max(self) if sum(self) == sum(self) else float("nan")

    def passes(self, tolerance: float) -> bool:
        """Whether all are at most ``tolerance``; a NaN never passes."""
        return self.worst <= tolerance

    def __str__(self) -> str:
        return ", ".join(f"{name} {value:.1e}" for name, value in self._asdict().items())


def certify_friction(
    problem: FrictionProblem, x: Array, multipliers: Array, reduced: Reduced | None = None
) -> FrictionCertificate:
    """Certificate of a pair x, multipliers (all rows of the problem), whoever computed it.

    ``reduced`` saves whitening the problem again; it supplies only scales.

    Examples
    --------
    A block of 1 kg with a weight of 1 N on a floor with friction 0.5, pushed with 0.2 N:

    >>> problem = FrictionProblem.create(
    ...     [1.0, 1.0], [0.2, -1.0], normals=[[0, 1]], tangents=[[1, 0]], friction=0.5)
    >>> certify_friction(problem, np.array([0.0, 0.0]), np.array([1.0, -0.2])).passes(1e-9)
    True
    >>> certify_friction(problem, np.array([-0.3, 0.0]), np.array([1.0, -0.5])).passes(1e-9)
    False
    """
    reduced = Reduced(problem) if reduced is None else reduced
    smooth, white, ne, nn = problem.smooth, reduced.white, problem.n_equality, problem.n_normal
    z = x @ white.factor - white.center
    whole = blas.dnrm2(z) + blas.dnrm2(white.center)
    duals = multipliers * white.lengths
    gap = smooth.metric @ x - smooth.load - multipliers @ smooth.rows
    stationarity = blas.dnrm2(blas.dtrsv(white.factor, gap, *LOWER))
    stationarity /= whole + CANCELLING * blas.dnrm2(duals) + TINY
    misfit = smooth.rows @ x - smooth.rhs
    floor = ROW_FLOOR * whole + TINY
    equality = np.abs(misfit[:ne]) / (np.abs(smooth.be) + floor * white.lengths[:ne])
    rates, forces = misfit[ne:] / reduced.lengths, multipliers[ne:] * reduced.lengths
    speed, force = _scales(reduced, forces)
    noise = CANCELLING * whole  # rates of round-off alone are none, as in the certificate of (G)
    speed, force = speed + noise, force + noise
    u, l_n = rates[:nn] / speed, forces[:nn] / force
    cone, friction = _friction(reduced, rates / speed, forces, force)
    return FrictionCertificate(
        stationarity,
        float(equality.max(initial=0.0)),
        float(np.maximum(-u, 0.0).max(initial=0.0)),
        float(np.maximum(-l_n, 0.0).max(initial=0.0)),
        float(np.abs(np.minimum(u, l_n)).max(initial=0.0)),
        cone,
        friction,
    )


def _scales(reduced: Reduced, forces: Array) -> tuple[float, float]:
    """Sizes of rates and of forces."""
    terms = np.abs(reduced.G) @ np.abs(forces) + np.abs(reduced.c)
    largest = float(np.abs(forces).max(initial=0.0))
    preload = float(reduced.preload.max(initial=0.0))
    return float(terms.max(initial=0.0)) + TINY, max(largest, reduced.force_scale, preload) + TINY


def _friction(reduced: Reduced, rates: Array, forces: Array, force: float) -> tuple[float, float]:
    """The residuals of cones and of directions; rates are relative already."""
    problem, nn = reduced.problem, reduced.nn
    of = problem.normal_of
    if not len(of):
        return 0.0, 0.0
    bound, slip, rub = reduced.bounds(forces) / force, rates[nn:], forces[nn:] / force
    given = np.zeros(nn, dtype=bool)
    given[problem.sliding] = True
    size_slip = np.sqrt(np.bincount(of, slip * slip, minlength=nn))
    size_rub = np.sqrt(np.bincount(of, rub * rub, minlength=nn))
    along = slip / np.where(size_slip > 0.0, size_slip, 1.0)[of]
    direction = np.where(given[of], problem.slide, along)
    off = rub + bound[of] * direction
    miss = np.sqrt(np.bincount(of, off * off, minlength=nn))
    rough = np.bincount(of, minlength=nn) > 0
    miss = np.where(given, miss, np.minimum(miss, size_slip))[rough]
    # In the plane a slip of round-off may have either sign; min() with the slip covers it.
    cone = np.where(given, 0.0, size_rub - bound)[rough]
    friction = float("nan") if np.isnan(miss).any() else float(miss.max(initial=0.0))
    return float(np.maximum(cone, 0.0).max(initial=0.0)), friction
