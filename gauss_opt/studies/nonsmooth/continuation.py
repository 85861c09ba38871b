"""Branches of periodic orbits over a parameter, by pseudo-arclength with a fixed word of impacts.

In scaled unknowns u = (y, p) an orbit is a zero of G(u) = P(y, p) - y, where P is the period map.
A step goes along the tangent of G = 0 and is corrected by Newton's method at right angles to it, so
that it goes around folds. As long as the word stays the same G is smooth; where it changes, a
contact grazes, and the branch ends there: steps are halved until the place is known.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from ...base.arguments import number, whole_number
from ...base.arrays import Array
from ...base.errors import GaussError, InputError
from ...base.tolerances.studies import BRANCH_END, ORBIT_CLOSED, PERIOD_STEP
from ...model.snapshot import evaluate
from .grazing import grazing_contact
from .orbit import Orbit, PeriodMap, closed, ends, sizes
from .periodicity import require_periodic
from .special import Special, special_points

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["Branch", "continue_orbit"]

MOST_CORRECTIONS = 8
QUICK = 3  # corrections after which the next step may be longer
Period = float | Callable[[float], float]


@dataclass(frozen=True, eq=False)
class Branch:
    """Orbits along a parameter.

    Attributes
    ----------
    parameter : str
    values : (k,) array
        The parameter, in the order of the branch; it may turn around.
    orbits : tuple of Orbit
    special : tuple of Special
        Folds, period doublings and other changes of stability between them.
    ended : str
        Why the branch is not longer.
    grazing : str
        The contact that grazes at its end; empty where it ends otherwise.
    """

    parameter: str
    values: Array
    orbits: tuple[Orbit, ...]
    special: tuple[Special, ...]
    ended: str
    grazing: str = ""

    def __len__(self) -> int:
        return len(self.orbits)

    def plot(self, ax: Axes | None = None, *, coordinate: int = 0) -> Axes:
        """The position at the section over the parameter; dashed where orbits are unstable."""
        from .pictures import branch_curve

        return branch_curve(self, coordinate, ax)

    def __str__(self) -> str:
        lines = [
            f"branch of {len(self)} orbits over {self.parameter} from {self.values[0]:.6g} to "
            f"{self.values[-1]:.6g}: {self.ended}"
        ]
        return "\n".join([*lines, *(f"  {one}" for one in self.special)])

    __repr__ = __str__


@dataclass(frozen=True, eq=False)
class _Family:
    """The orbits of a system over one parameter."""

    first: Orbit
    parameter: str
    period: Callable[[float], float]
    span: float

    def map(self, p: float) -> PeriodMap:
        system = self.first.system.with_parameters(**{self.parameter: p})
        return PeriodMap(system, self.first.t0, self.period(p), self.first.options)

    def orbit(self, y: Array, p: float) -> Orbit:
        """The run from a state, whether it is closed or not."""
        chosen = self.map(p)
        return chosen.orbit(chosen(y), 0)

    def slopes(self, orbit: Orbit, p: float) -> Array:
        """Derivative of G by (directions that are free, p), in scaled unknowns, (n, k + 1)."""
        found = orbit.monodromy
        first, _ = ends(orbit.result)
        step = PERIOD_STEP * (abs(p) + self.span)
        longer = (self.period(p + step) - self.period(p - step)) / (2.0 * step)
        run = orbit.result
        last = evaluate(orbit.system, run.q[-1], run.v[-1], float(run.t[-1]))
        speed = np.concatenate([last.qdot, run.a[-1]])
        by_p = found.by_parameter[self.parameter] + speed * longer
        by_y = (found.matrix - np.eye(len(first))) @ found.basis
        scale = sizes(run)
        size = float(scale.max())
        return np.hstack([by_y * size, self.span * by_p[:, None]]) / scale[:, None]

    def moved(self, orbit: Orbit, p: float, change: Array) -> tuple[Array, float]:
        """The state and the parameter after a change of the scaled unknowns."""
        first, _ = ends(orbit.result)
        size = float(sizes(orbit.result).max())
        return first + orbit.monodromy.basis @ change[:-1] * size, p + self.span * float(change[-1])

    def tangent(self, orbit: Orbit, p: float) -> Array:
        """The direction in which G stays zero, of length one."""
        direction: Array = np.linalg.svd(self.slopes(orbit, p))[2][-1]
        return direction

    def corrected(self, orbit: Orbit, p: float, normal: Array) -> tuple[Orbit, float, int]:
        """Newton's method at right angles to ``normal``."""
        word = orbit.word
        for corrections in range(MOST_CORRECTIONS):
            if orbit.residual <= ORBIT_CLOSED:
                require_periodic(orbit.system, orbit.result, orbit.period)
                return replace(orbit, iterations=corrections), p, corrections
            first, last = ends(orbit.result)
            scale = sizes(orbit.result)
            matrix = np.vstack([self.slopes(orbit, p), normal])
            right = np.append((first - last) / scale, 0.0)
            y, p = self.moved(orbit, p, np.linalg.lstsq(matrix, right, rcond=None)[0])
            before, orbit = orbit, self.orbit(y, p)
            if orbit.residual > before.residual or orbit.word != word:
                break
        raise InputError("the corrections do not converge")


def continue_orbit(
    orbit: Orbit,
    parameter: str,
    to: float,
    *,
    period: Period | None = None,
    step: float | None = None,
    max_points: int = 200,
) -> Branch:
    """Follow a periodic orbit, stable or not, along a parameter, around folds.

    Parameters
    ----------
    orbit : Orbit
        Where to start (:func:`periodic_orbit`).
    parameter : str
        A parameter of the system that is one number.
    to : float
        Where to stop.
    period : float or function of the parameter, optional
        The period, where it depends on the parameter, as in ``period=lambda w: 2 * np.pi / w``.
    step : float, optional
        Length of the first step, as a change of the parameter; a 50th of the way when left out.
    max_points : int
        Maximum number of orbits.

    Examples
    --------
    >>> import gauss_opt as go
    >>> forced = go.System([1.0], lambda q, v, t, k: np.array([np.cos(t) - 0.2 * v[0] - k * q[0]]),
    ...                    parameters={"k": 4.0})
    >>> orbit = go.periodic_orbit(forced, [0.3], [0.0], 2 * np.pi)
    >>> branch = go.continue_orbit(orbit, "k", to=6.0)
    >>> print(branch.orbits[-1].q.round(6), branch.ended)
    [0.199681] k = 6 is reached
    """
    system = orbit.system
    if parameter not in system.parameters or np.ndim(system.parameters[parameter]):
        known = ", ".join(repr(n) for n, v in system.parameters.items() if not np.ndim(v)) or "none"
        raise InputError(
            f"{parameter!r} is no parameter of the system that is one number; there are: {known}"
        )
    start, goal = float(system.parameters[parameter]), number("to", to)
    if start == goal:
        raise InputError(f"the orbit is at {parameter} = {goal:g} already")
    given = orbit.period if period is None else period
    family = _Family(
        orbit, parameter, given if callable(given) else lambda p: float(given), abs(goal - start)
    )
    if abs(family.period(start) - orbit.period) > ORBIT_CLOSED * orbit.period:
        raise InputError(
            f"period= is {family.period(start):g} at {parameter} = {start:g}, but that of the "
            f"orbit is {orbit.period:g}"
        )
    length = 1.0 / 50.0 if step is None else abs(number("step", step)) / family.span
    nearby = family.map(start + min(length, 1.0) * (goal - start))
    require_periodic(nearby.system, orbit.result, nearby.period)
    return _Walk(family, goal, length, whole_number("max_points", max_points)).branch()


@dataclass(eq=False)
class _Walk:
    """From orbit to orbit."""

    family: _Family
    goal: float
    length: float
    most: int
    ended: str = ""
    grazing: str = ""

    def branch(self) -> Branch:
        found = list(self._orbits())
        family = self.family
        values = np.array([p for _, p in found])
        orbits = tuple(orbit for orbit, _ in found)
        special = special_points(orbits, values, self._at)
        name = family.parameter
        return Branch(name, values, orbits, special, self.ended, self.grazing)

    def _at(self, near: Orbit, p: float) -> Orbit:
        """The orbit at a parameter, from one nearby."""
        chosen = self.family.map(p)
        return closed(chosen, chosen(ends(near.result)[0]), MOST_CORRECTIONS)

    def _orbits(self) -> Iterator[tuple[Orbit, float]]:
        family, name = self.family, self.family.parameter
        orbit = family.first
        p = float(orbit.system.parameters[name])
        side = np.sign(self.goal - p)
        tangent = family.tangent(orbit, p)
        tangent = tangent * (side * np.sign(tangent[-1]) or 1.0)
        length, longest = self.length, 4.0 * self.length
        yield orbit, p
        for _ in range(self.most - 1):
            while True:
                why, after = self._step(orbit, p, tangent, length)
                if after is not None:
                    break
                length *= 0.5
                if length < BRANCH_END:
                    self._say_why(orbit, p, why)
                    return
            new, q, corrections, turned = after
            if side * (q - self.goal) >= 0.0:
                self.ended = f"{name} = {self.goal:g} is reached"
                yield self._last(orbit, new), self.goal
                return
            tangent = turned * (np.sign(turned @ tangent) or 1.0)
            orbit, p = new, q
            yield orbit, p
            if side * (p - float(family.first.system.parameters[name])) < -self.length:
                self.ended = f"it has turned back beyond its start, at {name} = {p:.6g}"
                return
            if corrections <= QUICK:
                length = min(1.5 * length, longest)
        self.ended = f"the limit of {self.most} orbits was reached"

    def _step(
        self, orbit: Orbit, p: float, tangent: Array, length: float
    ) -> tuple[Exception | Orbit | None, tuple[Orbit, float, int, Array] | None]:
        """One step, or what is in its way: an error, or an orbit with another word."""
        try:
            y, q = self.family.moved(orbit, p, length * tangent)
            guess = self.family.orbit(y, q)
            if guess.word != orbit.word:
                return guess, None
            found, q, corrections = self.family.corrected(guess, q, tangent)
            return None, (found, q, corrections, self.family.tangent(found, q))
        except GaussError as error:
            return error, None

    def _last(self, before: Orbit, after: Orbit) -> Orbit:
        """The orbit exactly at the goal."""
        try:
            return self._at(after, self.goal)
        except GaussError:
            return self._at(before, self.goal)

    def _say_why(self, orbit: Orbit, p: float, why: Exception | Orbit | None) -> None:
        name = self.family.parameter
        self.grazing = grazing_contact(orbit, why)
        if self.grazing:
            self.ended = f"contact {self.grazing!r} grazes at {name} = {p:.6g}"
        else:
            self.ended = f"no further step could be taken at {name} = {p:.6g}: {why}"
