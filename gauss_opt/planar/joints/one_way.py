"""Joints that hold in one sense only: strings, stops, limits, one-way clutches, speed limiters."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...base.errors import ModelError
from ...model.constraints import Contact
from ..bodies import Body, Point
from ..posture import Posture
from ..quantities import Quantity, Rate
from ..shapes.shape import positive
from ..shapes.straight_shapes import HalfPlane
from .holding import HoldingJoints
from .joint import Joint, contact, difference, distinct, one_way

__all__ = ["OneWayJoints"]


class OneWayJoints(HoldingJoints):
    """The methods that add inequalities."""

    def string(
        self, name: str, a: Point, b: Point, length: float, *, restitution: float = 0.0
    ) -> Joint:
        """A string: two points not farther apart than its length."""
        a, b = self._ends(name, a, b)
        length = positive(f"the length of {name!r}", length)

        def gap(p: Posture) -> Any:
            dx, dy = difference(p.at(a), p.at(b))
            return length - np.hypot(dx, dy)

        tight = contact(name, gap, restitution)
        return self._joint(name, "string", (a.body, b.body), (tight,), b, (a, b))

    def stop(
        self, name: str, point: Point, at: HalfPlane, *, on: Body | None = None,
        restitution: float = 0.0,
    ) -> Joint:  # fmt: skip
        """A stop: a point that cannot enter a half plane, which is fixed to a body."""
        point = self.point(f"stop {name!r}", point)
        if not isinstance(at, HalfPlane):
            raise ModelError(
                f"stop {name!r} must be at a HalfPlane, got {at!r}: bodies that meet other shapes "
                f"are told to collide()"
            )
        body = self.ground if on is None else self.member(f"stop {name!r}", on)
        surface = body.at(at.normal[0] * at.offset, at.normal[1] * at.offset)

        def gap(p: Posture) -> Any:
            nx, ny = p.direction(body, at.normal)
            dx, dy = difference(p.at(surface), p.at(point))
            return nx * dx + ny * dy

        bodies = distinct(name, body, point.body)
        rows = contact(name, gap, restitution)
        joint = Joint(
            name, "stop", bodies, (rows,), point, (point,),
            at if body is self.ground else None,
            lambda p: (p.at(point), p.direction(body, at.normal)),
        )  # fmt: skip
        return self._added_joint(joint)

    def limit(
        self, name: str, quantity: Quantity, *, lower: float | None = None,
        upper: float | None = None, restitution: float = 0.0,
    ) -> Joint:  # fmt: skip
        """Bounds of a quantity: contacts ``name + " lower"`` and ``name + " upper"``."""
        self._check_quantity(name, quantity)
        if lower is not None and upper is not None and lower >= upper:
            raise ModelError(
                f"limit {name!r} has lower={lower:g} and upper={upper:g}: lower must be below upper"
            )
        found: list[Contact] = []
        if lower is not None:
            low = lower
            found.append(contact(f"{name} lower", lambda p: quantity.value(p) - low, restitution))
        if upper is not None:
            high = upper
            found.append(contact(f"{name} upper", lambda p: high - quantity.value(p), restitution))
        if not found:
            raise ModelError(f"limit {name!r} needs lower=, upper=, or both")
        bodies = quantity.bodies
        bodies = bodies if len(bodies) > 1 else distinct(name, self.ground, *bodies)
        return self._joint(name, "limit", bodies, tuple(found), quantity.bodies[-1].center)

    def clutch(self, name: str, a: Body, b: Body) -> Joint:
        """A one-way clutch: b never turns backwards (clockwise) from a."""
        a, b = self.member(f"clutch {name!r}", a), self.member(f"clutch {name!r}", b)
        for body in distinct(name, a, b):
            body.require_angle()
        rows = one_way(name, lambda p: p.speed(b)[2] - p.speed(a)[2])
        return self._joint(name, "clutch", (a, b), (rows,), b.center)

    def speed_limit(self, name: str, rate: Rate | Quantity, most: float) -> Joint:
        """A speed limiter: the rate of a quantity is never above a speed."""
        quantity = rate.of if isinstance(rate, Rate) else rate
        self._check_quantity(name, quantity)
        rows = one_way(name, lambda p: most - quantity.slope(p))
        bodies = quantity.bodies
        bodies = bodies if len(bodies) > 1 else distinct(name, self.ground, *bodies)
        return self._joint(name, "speed limit", bodies, (rows,), quantity.bodies[-1].center)
