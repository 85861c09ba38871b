"""Joints that hold: pin, weld, slider, prismatic, distance, lock, gear, rolling, and drivers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...base.errors import ModelError
from ...model.constraints import Constraint, Contact
from ..bodies import Body, Point
from ..motion import Motion
from ..parts import Parts
from ..posture import Posture
from ..quantities import Quantity
from ..shapes.shape import positive
from ..shapes.straight_shapes import Line
from .joint import Joint, difference, distinct, on_positions, on_velocities

__all__ = ["HoldingJoints"]


class HoldingJoints(Parts):
    """The methods that add equalities. All reactions are had by :meth:`Motion.reaction`."""

    def pin(self, name: str, a: Point, b: Point) -> Joint:
        """A pin: both points are at one place, and both bodies turn freely about it."""
        a, b = self._ends(name, a, b)
        rows = on_positions(name, lambda p: difference(p.at(a), p.at(b)))
        return self._joint(name, "pin", (a.body, b.body), (rows,), b, (a, b))

    def weld(self, name: str, a: Point, b: Point, angle: float = 0.0) -> Joint:
        """Both points at one place, and body b at an angle from body a that does not change."""
        a, b = self._ends(name, a, b)
        for body in (a.body, b.body):
            body.require_angle()

        def rows(p: Posture) -> Any:
            return [*difference(p.at(a), p.at(b)), self._turn(p, a.body, b.body) - angle]

        return self._joint(name, "weld", (a.body, b.body), (on_positions(name, rows),), b, (a, b))

    def slider(self, name: str, point: Point, line: Line, on: Body | None = None) -> Joint:
        """A pin in a straight slot: the point is on the line, which is fixed to a body.

        The line is in the axes of that body, the ground when left out.
        """
        point = self.point(f"slider {name!r}", point)
        body = self.ground if on is None else self.member(f"slider {name!r}", on)
        rows = on_positions(name, lambda p: self._across(p, body, line, point))
        bodies = distinct(name, body, point.body)
        return self._joint(name, "slider", bodies, (rows,), point, (point,))

    def prismatic(
        self, name: str, point: Point, line: Line, on: Body | None = None, angle: float = 0.0
    ) -> Joint:
        """A slide: the point is on the line, and its body cannot turn from the line's body."""
        point = self.point(f"prismatic joint {name!r}", point)
        body = self.ground if on is None else self.member(f"prismatic joint {name!r}", on)
        point.body.require_angle()

        def rows(p: Posture) -> Any:
            turn = self._turn(p, body, point.body) - angle
            return [self._across(p, body, line, point), turn]

        bodies = distinct(name, body, point.body)
        constraint = on_positions(name, rows)
        return self._joint(name, "prismatic", bodies, (constraint,), point, (point,))

    def rod(self, name: str, a: Point, b: Point, length: float) -> Joint:
        """Two points at a distance that does not change, as by a rod without mass."""
        a, b = self._ends(name, a, b)
        length = positive(f"the length of {name!r}", length)

        def rows(p: Posture) -> Any:
            dx, dy = difference(p.at(a), p.at(b))
            return np.hypot(dx, dy) - length

        return self._joint(name, "rod", (a.body, b.body), (on_positions(name, rows),), b, (a, b))

    def lock(self, name: str, quantity: Quantity, value: float) -> Joint:
        """A quantity, such as ``body.x`` or ``body.angle``, that keeps a value."""
        self._check_quantity(name, quantity)
        rows = on_positions(name, lambda p: quantity.value(p) - value)
        return self._of_quantity(name, "lock", quantity, rows)

    def drive(self, name: str, quantity: Quantity, motion: Callable[[Any], Any]) -> Joint:
        """A quantity that follows a function of time, whatever force or torque that takes.

        It is ``result.multipliers[name]``: along the quantity, in N or N m.
        """
        self._check_quantity(name, quantity)
        given = Motion(f"the motion of driver {name!r}", motion, 1)
        rows = on_positions(name, lambda p: quantity.value(p) - given.value(p.t)[0])
        return self._of_quantity(name, "drive", quantity, rows)

    def gear(
        self, name: str, a: Body, b: Body, ratio: float, *, carrier: Body | None = None,
        offset: float = 0.0,
    ) -> Joint:  # fmt: skip
        """Two gears: the angle of b is ratio times that of a, plus an offset.

        The ratio is negative for wheels that mesh from outside (minus radius of a over radius of
        b). Both angles are seen from the carrier that holds the axles, the ground when left out.
        """
        a, b = self.member(f"gear {name!r}", a), self.member(f"gear {name!r}", b)
        arm = self.ground if carrier is None else self.member(f"gear {name!r}", carrier)
        for body in distinct(name, a, b):
            body.require_angle()

        def rows(p: Posture) -> Any:
            return self._turn(p, arm, b) - ratio * self._turn(p, arm, a) - offset

        bodies = (a, b) if arm is self.ground else distinct(name, arm, a, b)
        return self._joint(name, "gear", bodies, (on_positions(name, rows),), b.center)

    def ratio(
        self, name: str, a: Quantity, b: Quantity, ratio: float, offset: float = 0.0
    ) -> Joint:
        """Two quantities: b is ratio times a, plus an offset, as of a rack and its pinion."""
        self._check_quantity(name, a)
        self._check_quantity(name, b)
        rows = on_positions(name, lambda p: b.value(p) - ratio * a.value(p) - offset)
        bodies = tuple(dict.fromkeys((*a.bodies, *b.bodies)))
        return self._joint(name, "ratio", bodies, (rows,), b.bodies[-1].center)

    def knife_edge(self, name: str, point: Point, angle: float = 0.0) -> Joint:
        """A blade or a skate: the point moves only along a direction of its body."""
        point = self.point(f"knife edge {name!r}", point)
        point.body.require_angle()
        across = (-float(np.sin(angle)), float(np.cos(angle)))

        def rows(p: Posture) -> Any:
            nx, ny = p.direction(point.body, across)
            vx, vy = p.velocity(point)
            return nx * vx + ny * vy

        bodies = distinct(name, self.ground, point.body)
        return self._joint(
            name, "knife edge", bodies, (on_velocities(name, rows),), point, (point,)
        )

    def rolling(
        self, name: str, center: Point, radius: float, line: Line, on: Body | None = None
    ) -> Joint:
        """A disc that rolls on a line without slipping, and does not leave it.

        It is on the left of the line. Two constraints: ``name`` keeps the distance, and
        ``name + " roll"`` the point of contact at rest.
        """
        center = self.point(f"rolling joint {name!r}", center)
        center.body.require_angle()
        body = self.ground if on is None else self.member(f"rolling joint {name!r}", on)
        radius = positive(f"the radius of {name!r}", radius)
        near = body.at(*line.point)

        def slip(p: Posture) -> Any:
            tx, ty = p.direction(body, line.direction)
            (ax, ay), (bx, by) = p.at(near), p.at(center)
            (vx, vy), (ux, uy) = p.velocity(near), p.velocity(center)
            along = tx * (bx - ax) + ty * (by - ay)
            rate = p.speed(body)[2]
            # Of the line's body at the contact, and of the disc there.
            wx, wy = vx - rate * along * ty, vy + rate * along * tx
            return tx * (ux - wx) + ty * (uy - wy) + radius * p.speed(center.body)[2]

        keeps = on_positions(name, lambda p: self._across(p, body, line, center) - radius)
        rolls = on_velocities(f"{name} roll", slip)
        bodies = distinct(name, body, center.body)
        return self._joint(name, "rolling", bodies, (keeps, rolls), center)

    # What they share

    def _ends(self, name: str, a: Any, b: Any) -> tuple[Point, Point]:
        a, b = self.point(f"joint {name!r}", a), self.point(f"joint {name!r}", b)
        distinct(name, a.body, b.body)
        return a, b

    def _turn(self, p: Posture, a: Body, b: Body) -> Any:
        return p.place(b)[2] - p.place(a)[2]

    def _across(self, p: Posture, body: Body, line: Line, point: Point) -> Any:
        """Distance of a point from a line of a body, positive on its left."""
        nx, ny = p.direction(body, line.normal)
        dx, dy = difference(p.at(body.at(*line.point)), p.at(point))
        return nx * dx + ny * dy

    def _check_quantity(self, name: str, quantity: Any) -> None:
        if not isinstance(quantity, Quantity) or quantity.parts != 1:
            raise ModelError(
                f"joint {name!r} needs a quantity such as body.angle, point.x or "
                f"distance(a, b), got {quantity!r}"
            )
        for body in quantity.bodies:
            self.member(f"joint {name!r}", body)

    def _of_quantity(self, name: str, kind: str, quantity: Quantity, rows: Constraint) -> Joint:
        bodies = quantity.bodies
        whole = bodies if len(bodies) > 1 else distinct(name, self.ground, *bodies)
        return self._joint(name, kind, whole, (rows,), bodies[-1].center)

    def _joint(
        self, name: str, kind: str, bodies: tuple[Body, ...],
        constraints: tuple[Constraint | Contact, ...], at: Point, ends: tuple[Point, ...] = (),
    ) -> Joint:  # fmt: skip
        return self._added_joint(Joint(name, kind, bodies, constraints, at, ends))

    def _added_joint(self, joint: Joint) -> Joint:
        for name in dict.fromkeys((joint.name, *(item.name for item in joint.constraints))):
            self.require_new(name, "joint")
        self._check_once(joint)
        self.joints.append(joint)
        self._version += 1
        return joint

    def _check_once(self, joint: Joint) -> None:
        """Refuse the same joint a second time."""
        for other in self.joints:
            same = other.kind == joint.kind and joint.kind in ("pin", "weld", "rod", "slider")
            if same and _places(other) == _places(joint):
                raise ModelError(
                    f"joint {joint.name!r} is {other.name!r} once more: it connects the same "
                    f"points of the same bodies"
                )


def _places(joint: Joint) -> set[tuple[Body, tuple[float, float]]]:
    return {(point.body, point.place) for point in joint.ends}
