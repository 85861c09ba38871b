"""A knife edge on a slope slides sideways in cycloids and never runs downhill.

Teaches a nonholonomic constraint: the edge may slide along itself and turn, but not move across.
It could reach every point of the slope, yet from rest with a spin it stays on a strip: each half
turn brings it back to its starting height, one arch further to the side.

Reference: closed form. With s = g sin(slope) and the spin w, the path downhill is
s/(2 w^2) sin(w t)^2, the path across s/(2 w^2) (w t - sin(2 w t)/2): a cycloid. The edge carries
2 m s sin(w t).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

import gauss_opt as go
from gauss_opt.viz import scene


@dataclass(frozen=True)
class KnifeEdge(go.Case):
    """A plate that stands on a sharp edge, seen from above the slope."""

    reference = "closed form: a cycloid across the slope"

    slope: float = go.parameter(30.0, "deg", "angle of the slope")
    spin: float = go.parameter(2.0, "rad/s", "angular velocity, which is constant")
    mass: float = go.parameter(2.0, "kg", "mass")
    inertia: float = go.parameter(0.3, "kg m^2", "moment of inertia about the point of contact")
    turns: float = go.parameter(1.0, "", "turns of the edge to simulate; each is two arches")
    gravity: float = go.parameter(9.81, "m/s^2", "gravitational acceleration")

    def __post_init__(self) -> None:
        for name in ("mass", "inertia", "turns", "gravity"):
            if not getattr(self, name) > 0.0:
                raise go.InputError(f"{name} must be positive")
        if not 0.0 < self.slope <= 90.0:
            raise go.InputError("the slope must be above 0 and at most 90 degrees")
        if self.spin == 0.0:
            raise go.InputError("the spin must not be zero: the edge would run straight downhill")

    @property
    def pull(self) -> float:
        """Gravitational acceleration along the slope."""
        return float(self.gravity * np.sin(np.radians(self.slope)))

    @property
    def depth(self) -> float:
        """How far downhill it ever gets."""
        return self.pull / (2.0 * self.spin**2)

    def path(self, t: np.ndarray | float) -> np.ndarray:
        """Where it is: downhill and across."""
        angle = self.spin * np.asarray(t)
        return self.depth * np.array([np.sin(angle) ** 2, angle - 0.5 * np.sin(2.0 * angle)])

    def build(self) -> go.Setup:
        m, pull = self.mass, self.pull
        edge = go.Nonholonomic("edge", lambda q, v, t: -v[0] * np.sin(q[2]) + v[1] * np.cos(q[2]))
        plate = go.System(
            mass=[m, m, self.inertia],
            constraints=[edge],
            potential=lambda q, t: -m * pull * q[0],
            coordinates=["downhill", "across", "heading"],
        )
        duration = 2.0 * np.pi * self.turns / abs(self.spin)
        return go.Setup(
            plate, [0.0, 0.0, 0.0], [0.0, 0.0, self.spin], (0.0, duration), {"rtol": 1e-11}
        )

    def check(self, result: go.Result) -> Iterator[go.Check]:
        t, angle = result.t, self.spin * result.t
        off = np.abs(result.q[:, :2] - self.path(t).T).max()
        yield go.Check.at_most("distance from the cycloid", off, 1e-8 * max(1.0, self.depth), "m")
        heading = np.array([np.cos(angle), np.sin(angle)])
        speed = self.pull / self.spin * np.sin(angle)
        off = np.abs(result.v[:, :2] - (speed * heading).T).max()
        yield go.Check.at_most("largest error of the velocity", off, 1e-8, "m/s")
        yield go.Check("the spin is constant", result.v[-1, 2], self.spin, 1e-12, "rad/s")
        carried = 2.0 * self.mass * self.pull
        off = np.abs(result.multipliers["edge"] - carried * np.sin(angle)).max()
        yield go.Check.at_most("largest error of the edge's force", off, 1e-8 * carried, "N")
        yield go.Check.at_most("sliding across", np.abs(result.values["edge"]).max(), 1e-9, "m/s")
        lifted = self.mass * self.pull * self.depth
        residual = np.abs(result.energy.residual).max()
        yield go.Check.at_most("energy account", residual, 1e-9 * max(1.0, lifted), "J")
        if self.at_defaults and t[-1] >= 3.0:
            downhill, across, _ = result(3.0).q
            yield go.Check("downhill at 3 s", downhill, 0.047868520776070, 1e-8, "m")
            yield go.Check("across at 3 s", across, 3.843243135174508, 1e-8, "m")

    def draw(self, q: np.ndarray, t: float) -> list[scene.Shape]:
        end = 2.0 * np.pi * self.turns * self.depth * np.sign(self.spin)
        size = 0.45 * self.depth
        place = np.array([q[1], -q[0]])  # downhill is down in the picture
        along = size * np.array([np.sin(q[2]), -np.cos(q[2])])
        blade = np.array(
            [along, 0.18 * along[::-1] * [-1, 1], -along, 0.18 * along[::-1] * [1, -1]]
        )
        bottom = [[0.0, -self.depth], [end, -self.depth]]
        below = np.array([0.5 * end, -1.15 * self.depth])
        return [
            scene.line([[0.0, 0.0], [end, 0.0]], role="ghost", width=1.0),
            scene.line(bottom, role="ghost", width=1.0),
            scene.arrow(below, below - [0.0, 0.6 * self.depth], role="ground"),
            scene.text([0.65 * end, -1.45 * self.depth], "downhill"),
            scene.trail(place, role="second"),
            scene.polygon(place + blade),
            scene.dot(place, role="string", size=4),
        ]
