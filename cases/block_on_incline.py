"""A block is thrown up an incline; it stays where it stops, or slides back.

Teaches sticking and sliding: friction is against the slip as long as there is one, and against
what would move the block once there is none. Which of the two happens at the top depends on
whether mu is above the tangent of the slope.

Reference: closed form. Up the incline the deceleration is g (sin a + mu cos a), down it the
acceleration is g (sin a - mu cos a).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

import gauss_opt as go
from gauss_opt.viz import scene


@dataclass(frozen=True)
class BlockOnIncline(go.Case):
    """A block on a rough incline, with coordinates along it and away from it."""

    reference = "closed form: two constant accelerations"
    laws = ("poisson", "newton")

    slope: float = go.parameter(0.3, "rad", "angle of the incline")
    friction: float = go.parameter(0.2, "", "coefficient of friction")
    speed: float = go.parameter(2.0, "m/s", "speed up the incline at the start")
    gravity: float = go.parameter(9.81, "m/s^2", "gravitational acceleration")
    duration: float = go.parameter(3.0, "s", "simulated time")

    def __post_init__(self) -> None:
        if not (self.speed > 0.0 and self.gravity > 0.0 and self.friction >= 0.0):
            raise go.InputError("speed and gravity must be positive, friction not negative")

    @property
    def stays(self) -> bool:
        """Whether friction holds the block."""
        return self.friction >= np.tan(self.slope)

    @property
    def top(self) -> float:
        """Time at which it stops."""
        up = np.sin(self.slope) + self.friction * np.cos(self.slope)
        return float(self.speed / (self.gravity * up))

    @property
    def acceleration_down(self) -> float:
        """Acceleration back down the incline; 0 where friction holds the block."""
        down = np.sin(self.slope) - self.friction * np.cos(self.slope)
        return float(self.gravity * max(down, 0.0))

    def build(self) -> go.Setup:
        a, g = self.slope, self.gravity
        plane = go.Contact(
            "incline", lambda q, t: q[1], slip=lambda q, v, t: v[0], friction=self.friction
        )
        block = go.System(
            mass=[1.0, 1.0],
            force=[-g * np.sin(a), -g * np.cos(a)],
            contacts=[plane],
            potential=lambda q, t: g * (np.sin(a) * q[0] + np.cos(a) * q[1]),
            coordinates=["along", "away"],
        )
        return go.Setup(block, [0.0, 0.0], [self.speed, 0.0], (0.0, self.duration))

    def check(self, result: go.Result) -> Iterator[go.Check]:
        (event,) = result.events
        yield go.Check("it stops at", event.t, self.top, 1e-10, "s")
        yield go.Check("it stays there", event.kind == "stick", self.stays, 0)
        after = -self.acceleration_down * (self.duration - self.top)
        yield go.Check("velocity at the end", result.v[-1, 0], after, 1e-9, "m/s")
        normal = self.gravity * np.cos(self.slope)
        path = np.abs(np.diff(result.q[:, 0])).sum()
        rubbed = -self.friction * normal * path
        if not self.stays:
            yield go.Check("work of friction", result.energy.friction[-1], rubbed, 1e-9, "J")
        account = np.abs(result.energy.residual).max()
        yield go.Check.at_most("energy account", account, 1e-9, "J")
        if self.at_defaults:
            yield go.Check("reversal, tabulated", event.t, 0.4189865060019928, 1e-10, "s")
            yield go.Check("end, tabulated", result.v[-1, 0], -2.644720742169445, 1e-9, "m/s")
            (stops,) = replace(self, friction=0.4).run().events
            yield go.Check("mu = 0.4 sticks", stops.t, 0.3008516986429785, 1e-10, "s")
            yield go.Check("for good", stops.kind == "stick", True, 0)

    def draw(self, q: np.ndarray, t: float) -> list[scene.Shape]:
        along = np.array([np.cos(self.slope), np.sin(self.slope)])
        away = np.array([-along[1], along[0]])
        foot, size = q[0] * along + q[1] * away, 0.12
        high = 0.5 * self.speed * self.top
        down = 0.5 * self.acceleration_down * max(self.duration - self.top, 0.0) ** 2
        corners = [(-1.5, 0.0), (1.5, 0.0), (1.5, 2.0), (-1.5, 2.0)]
        return [
            scene.ground((high - down - 0.5) * along, (high + 0.5) * along, depth=0.1),
            scene.polygon([foot + size * (x * along + y * away) for x, y in corners]),
        ]
