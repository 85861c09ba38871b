"""Special points of a branch: folds, period doublings, and where multipliers leave as a pair."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ...base.arrays import Array
from ...base.errors import GaussError
from ...base.tolerances.studies import SPECIAL_POINT
from .orbit import Orbit

__all__ = ["Special", "special_points"]

MOST_SECANTS = 40
Finder = Callable[[Orbit, float], Orbit]


@dataclass(frozen=True, eq=False)
class Special:
    """A place of a branch where its stability changes.

    Attributes
    ----------
    kind : str
        ``"fold"``, ``"period doubling"`` or ``"torus"`` (Neimark-Sacker: two complex multipliers
        leave the unit circle together).
    value : float
        The parameter there.
    orbit : Orbit
        The nearest orbit that was computed.
    exact : bool
        Whether it was located; otherwise the value is interpolated.
    """

    kind: str
    value: float
    orbit: Orbit
    exact: bool

    def __str__(self) -> str:
        return f"{self.kind} at {'' if self.exact else 'about '}{self.value:.9g}"

    __repr__ = __str__


def special_points(orbits: Sequence[Orbit], values: Array, find: Finder) -> tuple[Special, ...]:
    """All special points between neighbouring orbits of a branch."""
    found = list(_folds(orbits, values))
    for kind, test in (("period doubling", _doubling), ("torus", _torus)):
        signs = [test(orbit) for orbit in orbits]
        for i in range(len(orbits) - 1):
            pair = (signs[i], signs[i + 1])
            if np.isfinite(pair).all() and pair[0] * pair[1] < 0.0:
                found.append(_located(kind, test, orbits[i : i + 2], values[i : i + 2], find))
    return tuple(found)


def _folds(orbits: Sequence[Orbit], values: Array) -> Iterator[Special]:
    """Where the parameter turns around: the top of a parabola over the length of the branch."""
    for i in range(1, len(values) - 1):
        a, b, c = values[i - 1 : i + 2].tolist()
        if (b - a) * (c - b) >= 0.0:
            continue
        one, two = _distance(orbits[i - 1], orbits[i]), _distance(orbits[i], orbits[i + 1])
        bend = ((c - b) / two - (b - a) / one) / (one + two)
        slope = (b - a) / one + bend * one
        yield Special("fold", b - slope**2 / (4.0 * bend), orbits[i], exact=False)


def _distance(one: Orbit, other: Orbit) -> float:
    step = np.concatenate([other.q - one.q, other.v - one.v])
    return float(np.linalg.norm(step)) or 1.0


def _doubling(orbit: Orbit) -> float:
    """det(Phi + 1): zero where a multiplier is -1."""
    reduced = orbit.monodromy.reduced
    return float(np.linalg.det(reduced + np.eye(len(reduced))))


def _torus(orbit: Orbit) -> float:
    """How far a complex pair is outside of the unit circle; NaN where there is none."""
    pairs = [m for m in orbit.multipliers.tolist() if complex(m).imag > 0.0]
    return max((abs(m) - 1.0 for m in pairs), default=float("nan"))


def _located(
    kind: str, test: Callable[[Orbit], float], orbits: Sequence[Orbit], values: Array, find: Finder
) -> Special:
    """The zero of a test function between two orbits, by bisection and secants (Illinois)."""
    (low, high), (a, b) = orbits, values.tolist()
    at_a, at_b = test(low), test(high)
    scale = max(abs(a), abs(b))
    value, orbit = b, high
    for _ in range(MOST_SECANTS):
        value = b - at_b * (b - a) / (at_b - at_a)
        try:
            orbit = find(low if abs(value - a) < abs(value - b) else high, value)
        except GaussError:
            return Special(kind, value, high, exact=False)
        now = test(orbit)
        if not np.isfinite(now):
            return Special(kind, value, orbit, exact=False)
        if now * at_b < 0.0:
            a, at_a, low = b, at_b, high
        else:
            at_a *= 0.5
        moved = abs(value - b)
        b, at_b, high = value, now, orbit
        if now == 0.0 or min(moved, abs(b - a)) <= SPECIAL_POINT * scale:
            return Special(kind, value, orbit, exact=True)
    return Special(kind, value, orbit, exact=False)
