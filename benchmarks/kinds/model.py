"""A random model as plain functions: the package's system and its judge are both made of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import gauss_opt as go

Array = np.ndarray
Function = Callable[..., Any]

WALL_TIME = 60.0


@dataclass(frozen=True)
class Touch:
    """A contact: gap(q, t) >= 0 with a coefficient, as long as the condition, if any, holds.

    With a slip it has friction; what is judged then is judged by the kind.
    """

    name: str
    gap: Function
    restitution: float = 0.0
    condition: Function | None = None
    slip: Function | None = None
    friction: float = 0.0

    def contact(self) -> go.Contact:
        """The same for the package."""
        if self.slip is not None:
            rough = {"slip": self.slip, "friction": self.friction}
            return go.Contact(self.name, self.gap, self.restitution, **rough)
        if self.condition is None:
            return go.Contact(self.name, self.gap, self.restitution)
        return go.Contact(
            self.name, self.gap, self.restitution, active_when=self.condition, passable=True
        )


@dataclass
class Model:
    """What a user would write down, and what the judge reads.

    Attributes
    ----------
    mass : (n, n) or (n,) array, or function of (q, t)
    force : function of (q, v, t)
    q, v, end
        The start, and how long.
    closures : list of (name, function of (q, t))
        Held positions; a function may give many rows.
    touches : list of Touch
    limits : list of (name, function of (q, v, t))
        Velocity limits.
    events : dict of functions of (q, v, t)
    potential : function of (q, t), optional
        Where given, the energy is constant between impacts.
    marks : array
        Times at which something short may happen; looked at closely.
    feature : float
        The shortest length or time in it, for differences.
    march : bool
        Whether tiny steps tell the motion as well.
    options : dict
        For :func:`gauss_opt.simulate`.
    """

    mass: Any
    force: Function
    q: Any
    v: Any
    end: float
    closures: list[tuple[str, Function]] = field(default_factory=list)
    touches: list[Touch] = field(default_factory=list)
    limits: list[tuple[str, Function]] = field(default_factory=list)
    events: dict[str, Function] = field(default_factory=dict)
    potential: Function | None = None
    marks: Any = ()
    feature: float = 1.0
    march: bool = False
    options: dict[str, Any] = field(default_factory=dict)

    @property
    def law(self) -> str:
        """Name of the impact law."""
        return str(self.options.get("law", "newton"))

    def system(self) -> go.System:
        """The model for the package."""
        held: list[Any] = [go.Holonomic(name, phi) for name, phi in self.closures]
        held += [go.VelocityLimit(name, psi) for name, psi in self.limits]
        return go.System(
            self.mass, self.force, held, [touch.contact() for touch in self.touches],
            potential=self.potential,
        )  # fmt: skip

    def run(self, **more: Any) -> go.Result:
        """Simulate it."""
        given = {"max_wall_time": WALL_TIME, **self.options, **more}
        if self.events:
            given["events"] = self.events
        return go.simulate(self.system(), self.q, self.v, (0.0, self.end), **given)

    def mass_at(self, q: Array, t: Any) -> Array:
        """The mass as a matrix."""
        mass = np.asarray(self.mass(q, t) if callable(self.mass) else self.mass, dtype=float)
        return np.diag(mass) if mass.ndim == 1 else mass

    def near_marks(self, times: int = 41) -> Array:
        """Times in and around what is short."""
        places = np.asarray(self.marks, dtype=float)
        if not len(places):
            return places
        spread = self.feature * np.linspace(-3.0, 3.0, times)
        found = (places[:, None] + spread).ravel()
        return np.unique(found[(found > 0.0) & (found < self.end)])


@dataclass
class Trial:
    """A model with the way it is run, if not the plain one, and what else must hold.

    Attributes
    ----------
    model : Model
    run : callable, optional
        Gives the result.
    more : callable, optional
        From a result to what is wrong with it, as sentences.
    """

    model: Model
    run: Callable[[], go.Result] | None = None
    more: Callable[[go.Result], list[str]] | None = None

    def result(self) -> go.Result:
        """What the package says."""
        return self.model.run() if self.run is None else self.run()
