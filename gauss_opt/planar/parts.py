"""The parts of a mechanism as they are added: bodies, joints, forces; every name is used once."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from ..base.carrying import Carried
from ..base.errors import ModelError
from .bodies import Body, Point, require_body, require_point
from .motion import Motion
from .shapes.round_shapes import Dot, InnerDisc
from .shapes.shape import Shape, combined, pair
from .shapes.straight_shapes import HalfPlane

if TYPE_CHECKING:
    from .forces.force import Force
    from .joints.joint import Joint

__all__ = ["Parts"]


class Parts(Carried):
    """What has been added so far.

    Attributes
    ----------
    ground : Body
        The world, with the origin and the axes of all coordinates.
    bodies : list of Body
        The ground first.
    joints, forces : lists of Joint and of Force
    """

    def __init__(self) -> None:
        self._token = uuid4().hex
        self.ground = Body("ground", owner=self._token)
        self.bodies: list[Body] = [self.ground]
        self.joints: list[Joint] = []
        self.forces: list[Force] = []
        self._size = 0
        self._version = 0

    def body(
        self,
        name: str,
        *shapes: Shape,
        mass: float,
        inertia: float | None = None,
        center: tuple[float, float] | None = None,
        at: tuple[float, float] | None = None,
        angle: float | None = None,
        material: str = "",
    ) -> Body:
        """A rigid body.

        Parameters
        ----------
        name : str
        *shapes : Shape
            In the body's own axes.
        mass : float
            In kg. 0 only for a part that joints hold.
        inertia : float, optional
            About the mass centre, in kg m^2; that of the shapes, uniform, when left out.
        center : (float, float), optional
            The mass centre in the body's own axes; that of the shapes when left out.
        at : (float, float), optional
            Where its origin is drawn: where it starts, or where assembly begins.
        angle : float, optional
            The angle at which it is drawn.
        material : str
            For restitution by pairs of materials.
        """
        self._check_new(name, shapes)
        whole = combined(shapes)
        if mass != 0 and inertia is None and whole is None:
            raise ModelError(
                f"body {name!r} has no shape to take its inertia from: give inertia=, or use "
                f"particle() for a body without one"
            )
        if inertia is None:
            inertia = 0.0 if whole is None else mass * whole.gyration
            if whole is not None and center is not None:
                off = pair(f"center of {name!r}", center)
                inertia += mass * _square(off, whole.center)
        if center is None:
            center = (0.0, 0.0) if whole is None else whole.center
        drawn = None if at is None and angle is None else self._drawn(name, at, angle)
        return self._added(
            Body(
                name, shapes, _amount("mass", name, mass), _amount("inertia", name, inertia),
                pair(f"center of {name!r}", center), self._size, 3, None, drawn, material,
                self._token,
            )
        )  # fmt: skip

    def particle(
        self,
        name: str,
        *shapes: Shape,
        mass: float,
        at: tuple[float, float] | None = None,
        material: str = "",
    ) -> Body:
        """A body that cannot turn, or need not: a point mass, also with a round shape."""
        shapes = shapes or (Dot(),)
        self._check_new(name, shapes)
        center = shapes[0].points().get("center", (0.0, 0.0))
        drawn = None if at is None else self._drawn(name, at, None)
        mass = _amount("mass", name, mass)
        return self._added(
            Body(name, shapes, mass, 0.0, center, self._size, 2, None, drawn, material, self._token)
        )

    def fixed(
        self,
        name: str,
        *shapes: Shape,
        at: tuple[float, float] = (0.0, 0.0),
        angle: float = 0.0,
        material: str = "",
    ) -> Body:
        """A body that stands still: a floor, a wall, a peg."""
        self._check_new(name, shapes)
        x, y, turn = self._drawn(name, at, angle)
        motion = Motion(f"the place of {name!r}", lambda t: (x, y, turn), 3)
        still = (x, y, turn) == (0.0, 0.0, 0.0)
        return self._given(name, shapes, None if still else motion, material)

    def moved(self, name: str, *shapes: Shape, motion: Any, material: str = "") -> Body:
        """A body that moves as given: ``motion(t)`` is (x, y, angle) of its origin."""
        self._check_new(name, shapes)
        given = Motion(f"the motion of {name!r}", motion, 3)
        return self._given(name, shapes, given, material)

    # Checks

    def point(self, what: str, value: Any) -> Point:
        """A point of a body of this mechanism."""
        return require_point(what, value, self.bodies)

    def member(self, what: str, value: Any) -> Body:
        """A body of this mechanism."""
        return require_body(what, value, self.bodies)

    def names(self) -> list[str]:
        """All names in use."""
        joints = [item.name for joint in self.joints for item in joint.constraints]
        named = [body.name for body in self.bodies] + [force.name for force in self.forces]
        return [*named, *(joint.name for joint in self.joints), *joints]

    def require_new(self, name: Any, what: str) -> str:
        """A name that is not in use."""
        if not isinstance(name, str) or not name:
            raise ModelError(f"the name of a {what} must be a non-empty string, got {name!r}")
        if name in self.names():
            raise ModelError(
                f"there is already a part called {name!r}: every body, joint and force needs a "
                f"name of its own"
            )
        return name

    def _check_new(self, name: str, shapes: tuple[Shape, ...]) -> None:
        self.require_new(name, "body")
        for shape in shapes:
            if not isinstance(shape, Shape):
                raise ModelError(
                    f"body {name!r}: {shape!r} is not a shape; mass and inertia are given as "
                    f"mass= and inertia="
                )

    def _given(
        self, name: str, shapes: tuple[Shape, ...], motion: Motion | None, material: str
    ) -> Body:
        """A body whose place is given."""
        return self._added(Body(name, shapes, motion=motion, material=material, owner=self._token))

    def _added(self, body: Body) -> Body:
        for shape in body.shapes:
            if body.moves and isinstance(shape, HalfPlane):
                raise ModelError(f"body {body.name!r}: a HalfPlane has no end, so it cannot move "
                                 f"freely; use a Box, or fixed() or moved()")  # fmt: skip
            if body.size == 2 and type(shape) is InnerDisc:
                raise ModelError(f"particle {body.name!r}: an InnerDisc needs a body()")
        self.bodies.append(body)
        self._size += body.size
        self._version += 1
        return body

    def _drawn(self, name: str, at: Any, angle: Any) -> tuple[float, float, float]:
        x, y = (0.0, 0.0) if at is None else pair(f"at= of {name!r}", at)
        turn, _ = pair(f"angle= of {name!r}", (0.0 if angle is None else angle, 0.0))
        return x, y, turn


def _amount(what: str, name: str, value: Any) -> float:
    if not isinstance(value, int | float) or not (isfinite(value) and value >= 0.0):
        raise ModelError(f"the {what} of {name!r} must be a number >= 0, got {value!r}")
    return float(value)


def _square(a: tuple[float, float], b: tuple[float, float]) -> float:
    return (a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2
