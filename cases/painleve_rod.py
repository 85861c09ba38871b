"""Painleve's rod: sliding with much friction it jams, jumps up, and comes down again.

Teaches the impact without collision. At some angles the force that holds the tip of a sliding rod
draws it into the floor, whatever its size: no force satisfies Coulomb's law. Then an impulse acts
although nothing approaches; it stops the slip, and the rod takes off.

Reference: closed form. With b the angle from the floor the tip jams when 3 mu sin b cos b is more
than 1 + 3 cos^2 b, which takes mu above 4/3; the impulse is L = -G^-1 (0, u), so that
L_T = (1 + 3 cos^2 b) |u| / 4 in units of m.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

import gauss_opt as go
from gauss_opt.viz import scene

# For mu = 1.5, degrees.
FROM, TO = 50.64159816052117, 73.04846936545862


@dataclass(frozen=True)
class PainleveRod(go.Case):
    """A uniform rod (x, y, angle from the floor), its lower tip on the left."""

    reference = "closed form: the angles, and the impulse of the impact without collision"
    laws = ("poisson",)

    length: float = go.parameter(1.0, "m", "length")
    friction: float = go.parameter(1.5, "", "coefficient of friction")
    angle: float = go.parameter(63.0, "deg", "angle from the floor at the start")
    speed: float = go.parameter(1.0, "m/s", "speed with which the tip slides at the start")
    gravity: float = go.parameter(9.81, "m/s^2", "gravitational acceleration")
    duration: float = go.parameter(0.25, "s", "simulated time")

    def __post_init__(self) -> None:
        if not (self.length > 0.0 and self.gravity > 0.0 and self.speed > 0.0):
            raise go.InputError("length, gravity and speed must be positive")
        if not 0.0 < self.angle < 90.0:
            raise go.InputError("the angle must be between 0 and 90 degrees")

    def jams(self, degrees: float) -> bool:
        """Whether G_NN - mu d G_NT is below zero at an angle, for a rod that slides backward."""
        b = np.radians(degrees)
        own = 1.0 + 3.0 * np.cos(b) ** 2
        return bool(own < 3.0 * self.friction * np.sin(b) * np.cos(b))

    def build(self) -> go.Setup:
        a, g = 0.5 * self.length, self.gravity
        tip = go.Contact(
            "tip",
            lambda q, t: q[1] - a * np.sin(q[2]),
            slip=lambda q, v, t: v[0] + a * np.sin(q[2]) * v[2],
            friction=self.friction,
        )
        rod = go.System(
            mass=[1.0, 1.0, a**2 / 3.0],
            force=[0.0, -g, 0.0],
            contacts=[tip],
            potential=lambda q, t: g * q[1],
            coordinates=["x", "y", "angle"],
        )
        b = np.radians(self.angle)
        q0 = [a * np.cos(b), a * np.sin(b), b]
        return go.Setup(rod, q0, [-self.speed, 0.0, 0.0], (0.0, self.duration))

    def check(self, result: go.Result) -> Iterator[go.Check]:
        b, u = np.radians(self.angle), self.speed
        jam = result.events[0]
        yield go.Check("it jams at once", jam.kind == "jam", self.jams(self.angle), 0)
        along = 0.25 * (1.0 + 3.0 * np.cos(b) ** 2) * u
        yield go.Check("velocity along the floor", jam.v_after[0], along - u, 1e-9, "m/s")
        up = 0.75 * np.sin(b) * np.cos(b) * u
        yield go.Check("velocity upward", jam.v_after[1], up, 1e-9, "m/s")
        yield go.Check.at_most("energy change", jam.energy_change, 0.0, "J")
        account = np.abs(result.energy.residual).max()
        yield go.Check.at_most("energy account", account, 1e-9, "J")
        if self.at_defaults:
            setup = self.build()
            for degrees, wedged in (
                (FROM - 0.01, 0),
                (FROM + 0.01, 1),
                (TO - 0.01, 1),
                (TO + 0.01, 0),
            ):
                c = np.radians(degrees)
                try:
                    go.accelerate(setup.system, [0.0, 0.5 * np.sin(c), c], setup.v0)
                    found = 0
                except go.PainleveError:
                    found = 1
                yield go.Check(f"no acceleration at {degrees:.3f} degrees", found, wedged, 0)

    def draw(self, q: np.ndarray, t: float) -> list[scene.Shape]:
        a = 0.5 * self.length
        along = np.array([np.cos(q[2]), np.sin(q[2])])
        across = 0.02 * self.length * np.array([along[1], -along[0]])
        foot, top = q[:2] - a * along, q[:2] + a * along
        return [
            scene.ground([-0.6 * self.length, 0.0], [1.0 * self.length, 0.0], contacts="tip"),
            scene.trail(foot),
            scene.polygon([foot - across, foot + across, top + across, top - across]),
            scene.dot(foot, role="second", size=5, contacts="tip"),
        ]
