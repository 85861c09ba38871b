"""The result of a mechanism: a Result that also answers by body, point and joint."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from ..base.arrays import Array
from ..base.errors import InputError, ModelError
from ..base.words.choices import choices
from ..results.result import Result
from .bodies import Body, Point
from .posture import Posture
from .quantities import Quantity, Rate
from .reactions import Impulse, Reaction, impulses_of, reaction_of

if TYPE_CHECKING:
    from .mechanism import Mechanism

__all__ = ["MechanismResult"]


@dataclass(frozen=True, eq=False, repr=False)
class MechanismResult(Result):
    """A :class:`gauss_opt.Result` with the bodies, points and joints of its mechanism.

    Where a time or times are given, values are those of the dense output there; otherwise rows
    are the times of the result, ``result.t``.
    """

    mechanism: Mechanism = field(kw_only=True)

    @classmethod
    def of(cls, mechanism: Mechanism, result: Result) -> MechanismResult:
        """The result of a run of the mechanism's system."""
        values = {each.name: getattr(result, each.name) for each in fields(Result)}
        return cls(**values, mechanism=mechanism)

    # Bodies and points

    def path(self, point: Point | Body, t: ArrayLike | None = None) -> Array:
        """Places of a point, (nt, 2)."""
        return self._pairs(lambda p: p.at(_point(point)), t)

    def velocity(self, point: Point | Body, t: ArrayLike | None = None) -> Array:
        """Velocities of a point, (nt, 2)."""
        return self._pairs(lambda p: p.velocity(_point(point)), t)

    def acceleration(self, point: Point | Body) -> Array:
        """Accelerations of a point at the times of the result, (nt, 2)."""
        return self._pairs(lambda p: p.acceleration(_point(point)), None)

    def value(self, quantity: Quantity | Rate, t: ArrayLike | None = None) -> Array:
        """A quantity or its rate, (nt,): ``result.value(crank.angle)``."""
        rate = isinstance(quantity, Rate)
        of = quantity.of if isinstance(quantity, Rate) else quantity
        function = of.slope if rate else of.value
        if of.parts == 2:
            return self._pairs(function, t)
        p, n = self._posture(t)
        return np.array(np.broadcast_to(function(p), (n,)), dtype=float)

    # Joints and forces

    def reaction(self, joint: str, on: Body | None = None) -> Reaction:
        """The force and torque of a joint or contact on a body; see :class:`Reaction`.

        Parameters
        ----------
        joint : str
            Its name.
        on : Body, optional
            The body it acts on; the last that was named when the joint was added if left out.
        """
        return reaction_of(self, joint, on)

    def impulses(self, joint: str, on: Body | None = None) -> tuple[Impulse, ...]:
        """What a joint or contact gave a body at each impact of the run."""
        return impulses_of(self, joint, on)

    def force(self, name: str, t: ArrayLike | None = None) -> Array:
        """Tension in N or torque in N m of a force element, (nt,)."""
        for force in self.mechanism.forces:
            if force.name == name:
                p, n = self._posture(t)
                return np.array(np.broadcast_to(force.measure(p), (n,)), dtype=float)
        listed = choices(name, (force.name for force in self.mechanism.forces))
        raise ModelError(f"no force is called {name!r}; {listed}")

    # Pictures

    def animate(self, path: str | os.PathLike[str], drawing: Any = None, **options: Any) -> Path:
        """As :meth:`gauss_opt.Result.animate`, drawn from the shapes of the bodies."""
        return super().animate(path, drawing or self.mechanism.drawing(self), **options)

    def report(self, path: str | os.PathLike[str], **options: Any) -> Path:
        """As :meth:`gauss_opt.Result.report`, drawn from the shapes of the bodies."""
        if options.get("drawing") is None:
            options["drawing"] = self.mechanism.drawing(self)
        return super().report(path, **options)

    # What they share

    def _pairs(self, function: Callable[[Posture], Any], t: ArrayLike | None) -> Array:
        p, n = self._posture(t)
        x, y = function(p)
        return np.stack([np.broadcast_to(x, (n,)), np.broadcast_to(y, (n,))], axis=1)

    def _posture(self, t: ArrayLike | None) -> tuple[Posture, int]:
        if t is None:
            return Posture(self.q.T, self.v.T, self.t, self.a.T), len(self.t)
        times = np.atleast_1d(np.asarray(t, dtype=float))
        if times.ndim != 1:
            raise InputError(f"t must be a number or a vector, got shape {times.shape}")
        q, v = self(times)
        return Posture(q.T, v.T, times), len(times)


def _point(point: Point | Body) -> Point:
    if isinstance(point, Body):
        return point.center
    if not isinstance(point, Point):
        raise ModelError(f"{point!r} is not a point of a body, such as rod.end")
    return point
