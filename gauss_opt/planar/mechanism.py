"""Mechanism: bodies, joints, forces and contacts that read like the drawing, and their motion."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Any

from ..base.arrays import Array
from ..base.errors import ModelError
from ..model.constraints import Contact
from ..model.system import System
from ..results.result import Result, load
from ..simulation.driver import simulate
from ..viz.scene import Drawing
from .assembling import system_of
from .contact.colliding import Collisions
from .contact.distances import refuse_overlap
from .drawing import Reach, drawing_of
from .forces.adding import Forces
from .freedom import Freedom, freedom_of
from .joints.one_way import OneWayJoints
from .result import MechanismResult
from .starts import Start, started

__all__ = ["Mechanism"]


class Mechanism(OneWayJoints, Forces, Collisions):
    """A planar mechanism.

    Parameters
    ----------
    gravity : float or (float, float)
        Gravitational acceleration in m/s^2: along -y, or as a vector.

    Examples
    --------
    >>> import gauss_opt.planar as pl
    >>> m = pl.Mechanism(gravity=9.81)
    >>> arm = m.body("arm", pl.Rod(1.0), mass=2.0)
    >>> pin = m.pin("pin", m.ground.at(0, 0), arm.start)
    >>> m.freedom({arm.angle: 0.0}).degrees
    1
    >>> swing = m.simulate({arm.angle: 0.0}, t_span=(0, 1))
    >>> swing.reaction("pin").force[0].round(9)  # a quarter of the weight, at the start
    array([0.   , 4.905])
    """

    def __init__(self, gravity: float | tuple[float, float] = 0.0) -> None:
        super().__init__()
        self.gravity = _vector(gravity)
        self._built: tuple[int, System] | None = None

    @property
    def system(self) -> System:
        """The system of all parts; made anew when something has been added."""
        if self._built is None or self._built[0] != self._version:
            contacts = [contact for pair in self.pairs for contact in pair.contacts]
            self._built = (self._version, system_of(self, self.gravity, contacts))
        return self._built[1]

    def assemble(self, start: Mapping[Any, Any] | None = None, t: float = 0.0) -> Start:
        """A consistent start from the values of some quantities.

        Parameters
        ----------
        start : mapping
            From quantities to values: ``{crank.angle: 1.0, crank.rate: 4.0, rod.end: (1, 0)}``.
        t : float
            Time.

        Raises
        ------
        ModelError
            When it is over-determined or under-determined; the message says by what.
        """
        return started(self, start or {}, t)

    def freedom(self, start: Mapping[Any, Any] | None = None, t: float = 0.0) -> Freedom:
        """Degrees of freedom, redundant joints and free directions at a start."""
        at = self.assemble(start, t)
        return freedom_of(self, self.system, at.q, at.v, t)

    def simulate(
        self, start: Mapping[Any, Any] | Start | None = None, t_span: Sequence[float] = (0.0, 1.0),
        **options: Any,
    ) -> MechanismResult:  # fmt: skip
        """Simulate from a start; options are those of :func:`gauss_opt.simulate`."""
        at = start if isinstance(start, Start) else self.assemble(start, float(t_span[0]))
        refuse_overlap(self.pairs, at.q, at.t)
        return self.read(simulate(self.system, at.q, at.v, t_span, **options))

    def read(self, result: Result | str | os.PathLike[str]) -> MechanismResult:
        """A result, or a file with one, seen with the bodies and joints of this mechanism."""
        found = result if isinstance(result, Result) else load(result)
        system = self.system
        if found.q.shape[1] != len(system.coordinates or ()):
            raise ModelError(
                f"this result has {found.q.shape[1]} coordinates, the mechanism has "
                f"{len(system.coordinates or ())}: it is not a result of this mechanism"
            )
        seen = MechanismResult.of(self, found)
        if seen.system is None:
            object.__setattr__(seen, "system", system)
        return seen

    def contact_names(self) -> dict[str, tuple[str, ...]]:
        """The contacts of each body by its name."""
        found: dict[str, list[str]] = {}
        for joint in self.joints:
            for item in joint.constraints:
                if isinstance(item, Contact):
                    for body in joint.bodies:
                        found.setdefault(body.name, []).append(item.name)
        for pair in self.pairs:
            for body in pair.bodies:
                found.setdefault(body.name, []).extend(item.name for item in pair.contacts)
        return {name: tuple(names) for name, names in found.items()}

    def drawing(self, result: Result | None = None, reach: Reach | None = None) -> Drawing:
        """The shapes of all bodies as a drawing; with a result also its contact forces.

        ``reach`` (left, right, bottom, top) is how far walls without end are drawn.
        """
        return drawing_of(self, result, reach)

    def draw(self, q: Array, t: float) -> Any:
        """The shapes of all bodies at a state."""
        return drawing_of(self, None)(q, t)


def _vector(gravity: Any) -> tuple[float, float]:
    try:
        x, y = (0.0, -float(gravity)) if isinstance(gravity, int | float) else map(float, gravity)
    except (TypeError, ValueError):
        x = y = float("nan")
    if not (isfinite(x) and isfinite(y)):
        raise ModelError(f"gravity must be a number, or a vector (x, y), got {gravity!r}")
    return x, y
