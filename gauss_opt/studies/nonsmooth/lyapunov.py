"""Lyapunov exponents of a run: how fast neighbouring motions part, by repeated QR factorisation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ...base.arrays import Array
from ...base.errors import InputError
from ...mechanics.impact_laws import ImpactLaw
from ...results.result import Result
from .monodromy import free_directions
from .variation import factors

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["Lyapunov", "lyapunov"]


@dataclass(frozen=True, eq=False)
class Lyapunov:
    """Exponents of a run.

    Attributes
    ----------
    exponents : (k,) array
        In 1/s, the largest first; minus infinity for a direction that an impact takes away.
    t : (nt,) array
    history : (nt, k) array
        What they would be if the run ended at t.
    """

    exponents: Array
    t: Array
    history: Array

    @property
    def sum(self) -> float:
        """Of all exponents: the mean rate at which volumes change."""
        return float(self.exponents.sum())

    @property
    def chaotic(self) -> bool:
        """Whether the largest is positive; of a short run that proves nothing."""
        return bool(self.exponents[0] > 0.0)

    def plot(self, ax: Axes | None = None) -> Axes:
        """How they settle along the run."""
        from .pictures import exponents_over_time

        return exponents_over_time(self, ax)

    def __str__(self) -> str:
        shown = ", ".join(f"{value:.6g}" for value in self.exponents.tolist())
        return f"Lyapunov exponents over {self.t[-1] - self.t[0]:.6g} s: {shown} (1/s)"

    __repr__ = __str__


def lyapunov(result: Result, *, law: str | ImpactLaw | None = None) -> Lyapunov:
    """Lyapunov exponents of a run, exact through impacts.

    The fundamental matrix of :func:`monodromy` is taken in factors, each short enough to be
    accurate, and orthonormalised after each.

    Parameters
    ----------
    result : Result
        With dense output; start it where the transients have died out.
    law : ImpactLaw, optional
        The law of the run, where it is not one that has a name.

    Examples
    --------
    >>> import gauss_opt as go
    >>> damped = go.System([1.0], lambda q, v, t: -3.0 * v - 2.0 * q)
    >>> run = go.simulate(damped, [1.0], [0.0], (0.0, 30.0))
    >>> exponents = go.lyapunov(run)
    >>> print(exponents.exponents.round(1), round(exponents.sum, 9))
    [-1. -2.] -3.0
    """
    t0, t1 = float(result.t[0]), float(result.t[-1])
    if not t1 > t0:
        raise InputError("Lyapunov exponents need a run that lasts")
    n = result.q.shape[1] + result.v.shape[1]
    system = result.system
    if system is None:
        raise InputError("this result came from a file: its system is not known any more")
    basis = free_directions(system, result.q[0], result.v[0], t0)
    sums = np.zeros(basis.shape[1])
    times, history = [], []
    for factor in factors(result, law, short=True):
        basis, triangle = np.linalg.qr(factor.matrix[:n, :n] @ basis)
        with np.errstate(divide="ignore"):  # a plastic impact takes a direction away
            sums = sums + np.log(np.abs(np.diag(triangle)))
        if factor.t > t0:
            times.append(factor.t)
            history.append(sums / (factor.t - t0))
    order = np.argsort(-sums, kind="stable")
    return Lyapunov((sums / (t1 - t0))[order], np.array(times), np.array(history)[:, order])
