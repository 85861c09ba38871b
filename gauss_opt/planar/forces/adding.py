"""The methods of a mechanism that add forces."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from ...base.errors import ModelError
from ..bodies import Body, Point
from ..parts import Parts
from ..quantities import between
from ..shapes.shape import pair
from .applied import AppliedForce, Torque
from .compliant import CompliantContact, damping_of, features_of, positive_number
from .force import Force
from .springs import Law, Spring, TurningSpring

__all__ = ["Forces"]

Element = TypeVar("Element", bound=Force)


class Forces(Parts):
    """Springs, dampers, forces, torques and motors; see also ``compliant()`` for contact."""

    def spring(
        self, name: str, a: Point, b: Point, *, length: float = 0.0, stiffness: float = 0.0,
        damping: float = 0.0, law: Law | None = None,
    ) -> Spring:  # fmt: skip
        """A spring, a damper or both between two points.

        Parameters
        ----------
        name : str
        a, b : Point
        length : float
            Without tension, in m.
        stiffness, damping : float
            In N/m and N s/m.
        law : function of (stretch, rate), optional
            The tension in N instead.
        """
        a, b = self.point(f"spring {name!r}", a), self.point(f"spring {name!r}", b)
        self._check_law(name, stiffness, damping, law)
        return self._force(
            Spring(name, (a.body, b.body), a, b, float(length), stiffness, damping, law)
        )

    def turning_spring(
        self, name: str, a: Body, b: Body, *, angle: float = 0.0, stiffness: float = 0.0,
        damping: float = 0.0, law: Law | None = None,
    ) -> TurningSpring:  # fmt: skip
        """A torsion spring, a rotational damper or both between two bodies.

        ``law`` is the torque against the angle (of b from a, less ``angle``) as a function of
        (angle, rate), in N m.
        """
        a, b = self.member(f"spring {name!r}", a), self.member(f"spring {name!r}", b)
        self._check_law(name, stiffness, damping, law)
        turn = between(a, b)
        return self._force(TurningSpring(name, (a, b), turn, float(angle), stiffness, damping, law))

    def force(self, name: str, point: Point, force: Any, *, turning: bool = False) -> AppliedForce:
        """A force at a point: a pair in N, or a function of time that returns one.

        ``turning=True``: in the axes of the body, as of a thruster.
        """
        point = self.point(f"force {name!r}", point)
        if not callable(force):
            constant = pair(f"force {name!r}", force)
            given: Callable[[Any], Any] = lambda t: constant  # noqa: E731
        else:
            given = force
        return self._force(AppliedForce(name, (point.body,), point, given, turning))

    def torque(self, name: str, body: Body, torque: Any, *, on: Body | None = None) -> Torque:
        """A torque on a body in N m, a number or a function of time; ``on`` takes the opposite."""
        if callable(torque):
            return self.motor(name, body, lambda speed, t: torque(t), on=on)
        constant, _ = pair(f"torque {name!r}", (torque, 0.0))
        return self.motor(name, body, lambda speed, t: constant + 0.0 * speed, on=on)

    def motor(
        self, name: str, body: Body, curve: Callable[..., Any], *, on: Body | None = None
    ) -> Torque:
        """A motor: its torque in N m is a function of its speed, or of speed and time.

        A :class:`Curve` gives it by points. The speed is that of the body seen from the one the
        motor is mounted ``on``, the ground when left out.
        """
        a = self.ground if on is None else self.member(f"motor {name!r}", on)
        b = self.member(f"motor {name!r}", body)
        for each in (a, b):
            each.require_angle()
        if not callable(curve):
            raise ModelError(f"the curve of motor {name!r} must be a function of its speed")
        takes_time = len(inspect.signature(curve).parameters) > 1
        torque = curve if takes_time else lambda speed, t: curve(speed)
        return self._force(Torque(name, (a, b), a, b, torque))

    def compliant(
        self, name: str, a: Body, b: Body, *, stiffness: float, exponent: float = 1.5,
        damping: float | None = None, law: str = "hunt-crossley",
        restitution: float | None = None, speed: float | None = None,
    ) -> CompliantContact:  # fmt: skip
        """Two bodies that touch softly: the same shapes as in :meth:`collide`, with a force.

        The force at a depth d is ``stiffness * d**exponent * (1 + damping * d')``, never below
        zero, along the normal of each feature that is pressed in.

        Parameters
        ----------
        name : str
        a, b : Body
        stiffness : float
            In N/m^exponent.
        exponent : float
            1.5 is Hertz's law.
        damping : float, optional
            In s/m; none when left out.
        restitution, speed : float, optional
            Instead of ``damping``: it is what ``law`` takes for this restitution at an impact with
            this speed.
        law : str
            ``"hunt-crossley"`` or ``"flores"``; Flores' keeps to small restitutions better.
        """
        a, b = self.member(f"contact {name!r}", a), self.member(f"contact {name!r}", b)
        return self._force(
            CompliantContact(
                name, (a, b), features_of(a, b), positive_number(name, "stiffness", stiffness),
                positive_number(name, "exponent", exponent),
                damping_of(name, law, damping, restitution, speed),
            )
        )  # fmt: skip

    def _check_law(self, name: str, stiffness: Any, damping: Any, law: Any) -> None:
        for word, value in (("stiffness", stiffness), ("damping", damping)):
            if not isinstance(value, int | float | np.number) or not np.isfinite(value):
                raise ModelError(f"the {word} of {name!r} must be a number, got {value!r}")
        if law is not None and (stiffness or damping):
            raise ModelError(f"{name!r}: give either law= or stiffness= and damping=")
        if law is None and not (stiffness or damping):
            raise ModelError(f"{name!r} does nothing: give stiffness=, damping= or law=")

    def _force(self, force: Element) -> Element:
        self.require_new(force.name, "force")
        if not any(body.moves for body in force.bodies):
            raise ModelError(f"force {force.name!r} acts on nothing that can move")
        self.forces.append(force)
        self._version += 1
        return force
