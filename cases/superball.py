"""A superball bounces to and fro: every impact turns round its slip as well as its fall.

Teaches tangential restitution. A ball that is elastic along the surface too keeps its energy, and
trades speed for spin and back at every impact; thrown flat it comes back after two.

Reference: closed form. For a solid sphere the horizontal velocity after an impact is
(3 v - 4 R w) / 7 with w counterclockwise, and R w becomes -(10 v + 3 R w) / 7.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

import gauss_opt as go
from gauss_opt.viz import scene


@dataclass(frozen=True)
class Superball(go.Case):
    """A solid sphere in the plane: x, y and its angle."""

    reference = "closed form: an elastic impact in both directions"

    radius: float = go.parameter(0.1, "m", "radius")
    height: float = go.parameter(0.5, "m", "height of fall")
    speed: float = go.parameter(3.0, "m/s", "horizontal speed at the start")
    friction: float = go.parameter(10.0, "", "coefficient of friction: enough not to slip")
    gravity: float = go.parameter(9.81, "m/s^2", "gravitational acceleration")

    def __post_init__(self) -> None:
        if not (self.radius > 0.0 and self.height > 0.0 and self.gravity > 0.0):
            raise go.InputError("radius, height and gravity must be positive")

    @property
    def fall(self) -> float:
        """Time to the first impact; twice as long lies between two."""
        return float(np.sqrt(2.0 * self.height / self.gravity))

    def build(self) -> go.Setup:
        R, g = self.radius, self.gravity
        floor = go.Contact(
            "floor",
            lambda q, t: q[1] - R,
            restitution=1.0,
            slip=lambda q, v, t: v[0] + R * v[2],
            friction=self.friction,
            tangential_restitution=1.0,
        )
        ball = go.System(
            mass=[1.0, 1.0, 0.4 * R**2],
            force=[0.0, -g, 0.0],
            contacts=[floor],
            potential=lambda q, t: g * q[1],
            coordinates=["x", "y", "angle"],
        )
        q0, v0 = [0.0, R + self.height, 0.0], [self.speed, 0.0, 0.0]
        return go.Setup(ball, q0, v0, (0.0, 8.0 * self.fall), {"rtol": 1e-11})

    def check(self, result: go.Result) -> Iterator[go.Check]:
        v, turn = self.speed, 0.0
        for k, event in enumerate(result.events[:4]):
            v, turn = (3.0 * v - 4.0 * turn) / 7.0, -(10.0 * v + 3.0 * turn) / 7.0
            yield go.Check(f"impact {k + 1}", event.t, (2 * k + 1) * self.fall, 1e-10, "s")
            yield go.Check(f"speed after {k + 1}", event.v_after[0], v, 1e-9, "m/s")
            spin = event.v_after[2] * self.radius
            yield go.Check(f"spin times R after {k + 1}", spin, turn, 1e-9, "m/s")
            yield go.Check.at_most(f"energy lost at {k + 1}", abs(event.energy_change), 1e-9, "J")
        account = np.abs(result.energy.residual).max()
        yield go.Check.at_most("energy account", account, 1e-9, "J")
        if self.at_defaults:
            first = result.events[0].v_after
            yield go.Check("speed, tabulated", first[0], 9 / 7, 1e-9, "m/s")
            yield go.Check("spin, tabulated", first[2] * self.radius, -30 / 7, 1e-9, "m/s")

    def draw(self, q: np.ndarray, t: float) -> list[scene.Shape]:
        R = self.radius
        end = q[:2] + 0.8 * R * np.array([np.cos(q[2]), np.sin(q[2])])
        return [
            scene.ground([-0.5, 0.0], [8.0 * self.fall * self.speed, 0.0], contacts="floor"),
            scene.trail(q[:2]),
            scene.disc(q[:2], R, contacts="floor"),
            scene.line([q[:2], end], "second", 2.5),
        ]
