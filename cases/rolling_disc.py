"""A disc on an incline rolls, or spins too slowly for its speed, when friction is not enough.

Teaches that a body at rest may begin to slide and to roll at once: which of them is decided by the
problem with friction, without an event.

Reference: closed form. A homogeneous disc rolls as long as mu is at least a third of the tangent of
the slope; then it accelerates with 2/3 g sin a, otherwise with g (sin a - mu cos a).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

import gauss_opt as go
from gauss_opt.viz import scene


@dataclass(frozen=True)
class RollingDisc(go.Case):
    """A homogeneous disc: along the incline, away from it, and its angle."""

    reference = "closed form: rolling or sliding with constant acceleration"
    laws = ("poisson", "newton")

    radius: float = go.parameter(0.2, "m", "radius")
    slope: float = go.parameter(30.0, "deg", "angle of the incline")
    friction: float = go.parameter(0.15, "", "coefficient of friction")
    gravity: float = go.parameter(9.81, "m/s^2", "gravitational acceleration")
    duration: float = go.parameter(2.0, "s", "simulated time")

    def __post_init__(self) -> None:
        if not (self.radius > 0.0 and self.gravity > 0.0 and 0.0 < self.slope < 90.0):
            raise go.InputError("radius and gravity must be positive, the slope below 90 degrees")

    @property
    def angle(self) -> float:
        """The slope in radians."""
        return float(np.radians(self.slope))

    @property
    def rates(self) -> tuple[float, float]:
        """Acceleration down the incline, and angular acceleration."""
        g, a, mu = self.gravity, self.angle, self.friction
        if mu >= np.tan(a) / 3.0:
            down = 2.0 / 3.0 * g * np.sin(a)
            return float(down), float(-down / self.radius)
        return float(g * (np.sin(a) - mu * np.cos(a))), float(
            -2.0 * mu * g * np.cos(a) / self.radius
        )

    def build(self) -> go.Setup:
        R, g, a = self.radius, self.gravity, self.angle
        plane = go.Contact(
            "incline",
            lambda q, t: q[1] - R,
            slip=lambda q, v, t: v[0] + R * v[2],
            friction=self.friction,
        )
        disc = go.System(
            mass=[1.0, 1.0, 0.5 * R**2],
            force=[g * np.sin(a), -g * np.cos(a), 0.0],
            contacts=[plane],
            potential=lambda q, t: g * (np.cos(a) * q[1] - np.sin(a) * q[0]),
            coordinates=["along", "away", "angle"],
        )
        return go.Setup(disc, [0.0, R, 0.0], [0.0, 0.0, 0.0], (0.0, self.duration))

    def check(self, result: go.Result) -> Iterator[go.Check]:
        down, turn = self.rates
        T = self.duration
        yield go.Check("number of events", len(result.events), 0, 0)
        yield go.Check("speed at the end", result.v[-1, 0], down * T, 1e-8, "m/s")
        yield go.Check("spin at the end", result.v[-1, 2], turn * T, 1e-8, "rad/s")
        slip = down * T + self.radius * turn * T
        yield go.Check("slip at the end", result.slips["incline"][-1], slip, 1e-8, "m/s")
        account = np.abs(result.energy.residual).max()
        yield go.Check.at_most("energy account", account, 1e-8, "J")
        if self.at_defaults:
            yield go.Check("speed, tabulated", result.v[-1, 0], 7.261287236662397, 1e-8, "m/s")
            yield go.Check("spin, tabulated", result.v[-1, 2], -25.48712763337603, 1e-8, "rad/s")
            rough = replace(self, friction=0.25).run()
            yield go.Check("with mu = 0.25, speed", rough.v[-1, 0], 6.54, 1e-8, "m/s")
            yield go.Check("with mu = 0.25, slip", rough.slips["incline"][-1], 0.0, 1e-12, "m/s")

    def draw(self, q: np.ndarray, t: float) -> list[scene.Shape]:
        along = np.array([np.cos(self.angle), -np.sin(self.angle)])
        away = np.array([-along[1], along[0]])
        centre = q[0] * along + q[1] * away
        turned = np.cos(q[2]) * along + np.sin(q[2]) * away
        far = self.rates[0] * self.duration**2 / 2.0 + 0.5
        return [
            scene.ground(-0.5 * along, far * along),
            scene.disc(centre, self.radius),
            scene.line([centre, centre + 0.85 * self.radius * turned], "second", 2.5),
        ]
