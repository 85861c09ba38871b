"""Periodic orbits by Newton's method, with the derivative of the period map through impacts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from ...base.arguments import number, positive, whole_number
from ...base.arrays import Array, real_array
from ...base.errors import GaussError, InputError, OrbitError
from ...base.tolerances.studies import NEUTRAL, ORBIT_CLOSED, ORBIT_RTOL, START_INSIDE
from ...model.snapshot import evaluate
from ...model.system import System
from ...results.result import Result
from ...simulation.driver import simulate
from .monodromy import Monodromy, monodromy, stability_of
from .periodicity import require_periodic
from .segments import impact_word

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["Orbit", "PeriodMap", "closed", "periodic_orbit"]

HALVINGS = 30


@dataclass(frozen=True, eq=False)
class Orbit:
    """A motion that repeats itself after a period of the system.

    Attributes
    ----------
    system : System
    t0, period : float
    q, v : arrays
        The state at t0.
    result : Result
        One period of it.
    residual : float
        Distance of the end from the start, relative to the size of the orbit.
    iterations : int
        Newton steps that it took.
    options : dict
        Options of simulate.
    """

    system: System
    t0: float
    period: float
    q: Array
    v: Array
    result: Result
    residual: float
    iterations: int
    options: dict[str, Any]

    @cached_property
    def monodromy(self) -> Monodromy:
        """How its end depends on its start."""
        return monodromy(self.result, law=self.options.get("law"))

    @property
    def multipliers(self) -> Array:
        """Floquet multipliers, the largest first."""
        return self.monodromy.multipliers

    @cached_property
    def transverse(self) -> Array:
        """The monodromy matrix without the direction of the flow where time itself has no part.

        A system that does not depend on time has an orbit from each point of the orbit: a shift
        along it stays, so that one multiplier is 1, whether the orbit attracts or not.
        """
        found = self.monodromy
        at = evaluate(self.system, self.q, self.v, self.t0)
        flow = found.basis.T @ np.concatenate([at.qdot, self.result.a[0]])
        speed = float(np.linalg.norm(flow))
        if not speed or np.linalg.norm(found.by_start) > NEUTRAL * speed:
            return found.reduced
        across = np.linalg.svd(flow[None, :])[2][1:]
        matrix: Array = across @ found.reduced @ across.T
        return matrix

    @property
    def stability(self) -> str:
        """``"stable"``, ``"unstable"``, or ``"neutral"``: some on the unit circle, none outside.

        For a system that does not depend on time without the multiplier 1 along the orbit.
        """
        return stability_of(self.transverse)

    @property
    def stable(self) -> bool:
        """Whether all multipliers are inside the unit circle, but for one along the orbit."""
        return self.stability == "stable"

    @property
    def word(self) -> tuple[str, ...]:
        """Contacts of the impacts of one period, in order."""
        return impact_word(self.result)

    def plot(self, ax: Axes | None = None, *, coordinate: int = 0) -> Axes:
        """The closed curve of one coordinate and its velocity, with every jump."""
        from .pictures import orbit_curve

        return orbit_curve(self, coordinate, ax)

    def __str__(self) -> str:
        word = " ".join(self.word) or "no impact"
        largest = float(np.abs(self.multipliers).max(initial=0.0))
        return (
            f"{self.stability} orbit of period {self.period:.9g} s ({word}): largest multiplier "
            f"{largest:.6g}, residual {self.residual:.1e} after {self.iterations} Newton steps"
        )

    __repr__ = __str__


@dataclass(frozen=True, eq=False)
class PeriodMap:
    """The map of a state at t0 to the state one period later."""

    system: System
    t0: float
    period: float
    options: Mapping[str, Any]

    def __call__(self, y: Array) -> Result:
        """The run from a state y = (q, v); a start inside an obstacle raises InputError."""
        nq = self.system.nq if self.system.nq is not None else len(y) // 2
        q, v = y[:nq], y[nq:]
        at = evaluate(self.system, q, v, self.t0)
        allowed = -START_INSIDE * float(np.abs(q).max(initial=0.0))
        for name, gap in at.gaps.items():
            if np.min(gap) < allowed:
                raise InputError(f"the start is inside of contact {name!r} (gap {np.min(gap):.3g})")
        span = (self.t0, self.t0 + self.period)
        return simulate(self.system, q, v, span, **{"project_start": True, **self.options})

    def orbit(self, run: Result, iterations: int) -> Orbit:
        """A run as an orbit, however well it is closed."""
        return Orbit(
            self.system, self.t0, self.period, run.q[0], run.v[0], run,
            misfit(run), iterations, dict(self.options),
        )  # fmt: skip


def ends(run: Result) -> tuple[Array, Array]:
    """The first and the last state of a run as y = (q, v)."""
    first, last = (np.concatenate([run.q[row], run.v[row]]) for row in (0, -1))
    return first, last


def sizes(run: Result) -> Array:
    """How large each coordinate and each velocity becomes; of all like ones where one rests."""
    found = [np.abs(part).max(axis=0) for part in (run.q, run.v)]
    return np.concatenate([np.maximum(part, part.max(initial=0.0) or 1.0) for part in found])


def misfit(run: Result) -> float:
    """Largest distance of the end from the start, relative to the size of the motion."""
    first, last = ends(run)
    return float((np.abs(last - first) / sizes(run)).max(initial=0.0))


def periodic_orbit(
    system: System,
    q0: ArrayLike,
    v0: ArrayLike,
    period: float,
    *,
    t0: float = 0.0,
    max_iterations: int = 30,
    **options: Any,
) -> Orbit:
    """The periodic orbit near a state, stable or not, by Newton's method.

    For systems whose forces have a period; an orbit that repeats after k of them is found with k
    times the period. Choose t0 such that no impact happens there. A step that would start inside of
    an obstacle, or that makes the misfit larger, is halved.

    Parameters
    ----------
    system : System
    q0, v0 : array_like
        A guess of the state at t0.
    period : float
    t0 : float
    max_iterations : int
    **options
        Options of :func:`gauss_opt.simulate`.

    Raises
    ------
    InputError
        When the system is not the same one period later.
    OrbitError
        When the steps do not converge.

    Examples
    --------
    An oscillator without impacts, where the orbit is known:

    >>> import gauss_opt as go
    >>> forced = go.System([1.0], lambda q, v, t: np.array([np.cos(2 * t) - 0.2 * v[0] - q[0]]))
    >>> orbit = go.periodic_orbit(forced, [0.0], [0.0], np.pi)
    >>> print(orbit.q.round(6), orbit.stable, orbit.multipliers.real.round(4))
    [-0.327511] True [-0.7303 -0.7303]
    """
    options = {"rtol": ORBIT_RTOL, **options}
    chosen = PeriodMap(system, number("t0", t0), positive("period", period), options)
    y = np.concatenate([np.atleast_1d(real_array(n, x)) for n, x in (("q0", q0), ("v0", v0))])
    run = chosen(y)
    return closed(chosen, run, whole_number("max_iterations", max_iterations))


def closed(chosen: PeriodMap, run: Result, most: int) -> Orbit:
    """Newton's method from a run."""
    require_periodic(chosen.system, run, chosen.period)
    for iteration in range(most + 1):
        orbit = chosen.orbit(run, iteration)
        if orbit.residual <= ORBIT_CLOSED:
            return orbit
        if iteration < most:
            run = _stepped(chosen, orbit)
    raise OrbitError(
        f"no periodic orbit was found in {most} Newton steps: the ends are {orbit.residual:.1e} "
        f"of its size apart. Start nearer to it, for instance from a run after its transients; or "
        f"the period is another one",
        orbit.residual,
    )


def _stepped(chosen: PeriodMap, orbit: Orbit) -> Result:
    """The run after one step, shortened as far as necessary."""
    run = orbit.result
    first, last = ends(run)
    scale, basis = sizes(run), orbit.monodromy.basis
    scaled = (orbit.monodromy.matrix - np.eye(len(first))) @ basis / scale[:, None]
    step = basis @ np.linalg.lstsq(scaled, (first - last) / scale, rcond=None)[0]
    best: Result | None = None
    why: Exception | None = None
    for _ in range(HALVINGS):
        try:
            found = chosen(first + step)
        except GaussError as error:
            why = error
        else:
            if misfit(found) < orbit.residual:
                return found
            best = best or found
        step = 0.5 * step
    if best is None:
        raise OrbitError(
            f"no step from the state at t = {chosen.t0:.6g} can be taken: {why}", orbit.residual
        ) from why
    return best
