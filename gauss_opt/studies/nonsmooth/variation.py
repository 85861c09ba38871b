"""The variational equation along a run: smooth parts integrated, saltation matrices in between."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.integrate import solve_ivp

from ...base.arrays import Array
from ...base.tolerances.base import TINY
from ...base.tolerances.studies import VARIATION_ATOL, VARIATION_RTOL
from ...mechanics.impact_laws import ImpactLaw, make_law
from ...mechanics.variation.smooth import SmoothField
from ...model.system import System
from ...results.result import Result
from .saltation import Crossing
from .segments import Cut, Segment, segments

__all__ = ["Factor", "factors", "law_of"]

FOLDS = 5.0  # a short piece lasts so long, times the largest rate of change


@dataclass(frozen=True, eq=False)
class Factor:
    """One factor of the fundamental matrix, in z = (q, v, t, p).

    Attributes
    ----------
    t : float
        Where it ends.
    matrix : (nz, nz) array
    cut : Cut or None
        The event, when it is a saltation matrix; None for a smooth part.
    """

    t: float
    matrix: Array
    cut: Cut | None = None


def law_of(result: Result, law: str | ImpactLaw | None) -> ImpactLaw:
    """The law that a run was computed with."""
    return make_law(result.settings["law"] if law is None else law)


def factors(
    result: Result, law: str | ImpactLaw | None = None, *, short: bool = False
) -> Iterator[Factor]:
    """The factors of the fundamental matrix, in the order of time.

    ``short`` cuts smooth parts in pieces in which directions do not differ by many digits.
    """
    parts = list(segments(result))
    system = result.system
    assert system is not None
    crossing = Crossing(system, result.v.shape[1], law_of(result, law))
    for i, part in enumerate(parts):
        if part.t1 > part.t0:
            for t1, matrix in _smooth(system, result.v.shape[1], part, short):
                yield Factor(t1, matrix)
        if part.end is not None:
            after = parts[i + 1].held if i + 1 < len(parts) else part.held
            yield Factor(part.t1, crossing.matrix(part.end, part.held, after), part.end)


def _smooth(system: System, nv: int, part: Segment, short: bool) -> Iterator[tuple[float, Array]]:
    """Fundamental matrices of a smooth part: state and variations integrated together."""
    field = SmoothField(system, system.dynamics(nv), part.held)
    n = len(part.start)
    nz = field(part.t0, part.start).slope.shape[1]

    def right(t: float, x: Array) -> Array:
        now = field(t, x[:n])
        change = x[n:].reshape(n, nz)
        whole = now.slope[:, :n] @ change
        whole[:, n:] += now.slope[:, n:]
        return np.concatenate([now.f, whole.ravel()])

    t, y = part.t0, part.start
    while t < part.t1:
        t1 = part.t1
        if short:
            reach = FOLDS / (float(np.abs(field(t, y).slope[:, :n]).max()) + TINY)
            t1 = part.t1 if part.t1 - t <= 1.5 * reach else t + reach
        start = np.concatenate([y, np.eye(n, nz).ravel()])
        tolerances: dict[str, Any] = {
            "rtol": VARIATION_RTOL, "atol": VARIATION_ATOL * _sizes(start, n)
        }  # fmt: skip
        found = solve_ivp(right, (t, t1), start, method="DOP853", **tolerances)
        matrix = np.eye(nz)
        matrix[:n] = found.y[n:, -1].reshape(n, nz)
        t, y = t1, found.y[:n, -1]
        yield t, matrix


def _sizes(start: Array, n: int) -> Array:
    """What absolute tolerances are relative to: the largest entry of the state, or 1."""
    sizes = np.ones(len(start))
    sizes[:n] = np.abs(start[:n]).max(initial=0.0) or 1.0
    return sizes
