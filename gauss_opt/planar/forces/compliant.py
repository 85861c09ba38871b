"""Compliant contact: a force that grows with the depth, with damping, on the shapes of two bodies.

F = K d^n max(0, 1 + D d'), for a depth d and its rate d'. With n = 3/2 that is Hertz's law with the
damping of Hunt and Crossley, who take D = 3 (1 - e) / (2 v), or of Flores, D = 8 (1 - e) / (5 e v),
for a restitution e at an impact with speed v. The force is zero at first touch, whatever D is, and
never pulls.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from math import inf, isfinite
from typing import Any

import numpy as np

from ...base.errors import ModelError
from ..bodies import Body
from ..contact.frames import frame_of
from ..contact.rows import Row, can_touch, rows_of
from ..posture import Posture
from .force import Force, Load

__all__ = ["CompliantContact", "Pressed", "damping_of", "features_of", "positive_number"]

LAWS: dict[str, Callable[[float, float], float]] = {
    "hunt-crossley": lambda e, v: 1.5 * (1.0 - e) / v,
    "flores": lambda e, v: 1.6 * (1.0 - e) / (e * v),
}


@dataclass(frozen=True)
class Pressed:
    """One feature that is pressed in: where, along which direction on the second body, how deep."""

    first: Body
    second: Body
    place: tuple[Any, Any]
    normal: tuple[Any, Any]
    depth: Any


@dataclass(frozen=True, eq=False)
class CompliantContact(Force):
    """A force at each feature that is pressed in.

    Attributes
    ----------
    features : tuple of tuple of Row
        Of rows together the one with the largest gap counts, and only while all are negative: a
        corner in a polygon is pushed out through the edge that is nearest.
    stiffness : float
        K in N/m^n.
    exponent : float
        n.
    damping : float
        D in s/m.
    """

    features: tuple[tuple[Row, ...], ...]
    stiffness: float
    exponent: float
    damping: float

    def loads(self, p: Posture) -> Sequence[Load]:
        return [load for one in self.pressed(p) for load in self._loads(p, one)]

    def measure(self, p: Posture) -> Any:
        """The sum of the normal forces."""
        return sum((self.force(p, one) for one in self.pressed(p)), start=0.0)

    def potential(self, p: Posture) -> Any:
        power = self.exponent + 1.0
        depths = (one.depth for one in self.pressed(p))
        return sum((self.stiffness / power * depth**power for depth in depths), start=0.0)

    def pressed(self, p: Posture) -> Iterator[Pressed]:
        """All features, with the depth of each, zero where it does not touch."""
        for rows in self.features:
            first = rows[0]
            gap, place, normal = first.touching(p)
            for row in rows[1:]:
                other = row.touching(p)
                larger = other.gap > gap
                gap = np.where(larger, other.gap, gap)[()]
                place = _chosen(larger, other.place, place)
                normal = _chosen(larger, other.normal, normal)
            depth = np.maximum(0.0, -gap)
            if len(rows) == 1 and first.condition is not None:
                depth = np.where(first.exists(p), depth, 0.0)[()]
            yield Pressed(first.first, first.second, place, normal, depth)

    def force(self, p: Posture, one: Pressed) -> Any:
        """The normal force of a feature, in N."""
        elastic = self.stiffness * one.depth**self.exponent
        if not self.damping:
            return elastic
        (ax, ay), (bx, by) = (_velocity(p, body, one.place) for body in (one.first, one.second))
        rate = one.normal[0] * (ax - bx) + one.normal[1] * (ay - by)
        return elastic * np.maximum(0.0, 1.0 + self.damping * rate)

    def _loads(self, p: Posture, one: Pressed) -> Iterator[Load]:
        force = self.force(p, one)
        for body, sign in ((one.second, 1.0), (one.first, -1.0)):
            if body.moves:
                x, y, _ = p.place(body)
                fx, fy = sign * force * one.normal[0], sign * force * one.normal[1]
                yield Load(body, fx, fy, (one.place[0] - x) * fy - (one.place[1] - y) * fx)


def features_of(a: Body, b: Body) -> tuple[tuple[Row, ...], ...]:
    """The features of two bodies; the edges that a corner may be behind of are together."""
    found: dict[Any, list[Row]] = {}
    for i, (one, other) in enumerate(product(a.shapes, b.shapes)):
        if not can_touch(one, other):
            continue
        for row in rows_of(a, one, b, other):
            corner = (i, row.second, row.constants[4:6]) if row.passable else object()
            found.setdefault(corner, []).append(row)
    if not found:
        raise ModelError(f"no two shapes of {a.name!r} and {b.name!r} can touch")
    return tuple(tuple(rows) for rows in found.values())


def damping_of(
    name: str, law: str, damping: float | None, restitution: float | None, speed: float | None
) -> float:
    """D from what is given: itself, or a restitution at a speed by one of the laws.

    >>> damping_of("tyre", "hunt-crossley", None, 0.5, 2.0)
    0.375
    """
    if law not in LAWS:
        raise ModelError(f"{name!r}: law= is one of {', '.join(map(repr, LAWS))}, got {law!r}")
    if restitution is None and speed is None:
        return _number(name, "damping", 0.0 if damping is None else damping, 0.0, inf)
    if restitution is None or speed is None or damping is not None:
        raise ModelError(f"{name!r}: give either damping=, or restitution= and speed= together")
    e = _number(name, "restitution", restitution, 0.0, 1.0)
    v = _number(name, "speed", speed, 0.0, inf)
    if not v or (not e and law == "flores"):
        raise ModelError(f"{name!r}: speed= must be above zero, and restitution= too for 'flores'")
    return LAWS[law](e, v)


def positive_number(name: str, what: str, value: Any) -> float:
    """A number above zero."""
    number = _number(name, what, value, 0.0, inf)
    if not number:
        raise ModelError(f"the {what} of {name!r} must be above zero")
    return number


def _number(name: str, what: str, value: Any, least: float, most: float) -> float:
    number = isinstance(value, int | float | np.number) and not isinstance(value, bool)
    if not number or not (isfinite(value) and least <= value <= most):
        upper = "" if most == inf else f" and at most {most:g}"
        raise ModelError(f"the {what} of {name!r} must be at least {least:g}{upper}, got {value!r}")
    return float(value)


def _chosen(condition: Any, a: Sequence[Any], b: Sequence[Any]) -> tuple[Any, Any]:
    x, y = (np.where(condition, one, other)[()] for one, other in zip(a, b, strict=True))
    return x, y


def _velocity(p: Posture, body: Body, place: tuple[Any, Any]) -> tuple[Any, Any]:
    """Velocity of the point of a body that is at a place of the world."""
    frame = frame_of(body, turns=True)
    q, v = ([values[i] for i in body.slots] for values in (p.q, p.v))
    return frame.twist(v, p.t).at(frame.axes(q, p.t), *place)
