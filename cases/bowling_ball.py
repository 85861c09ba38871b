"""A bowling ball slides down the lane until it rolls; with back-spin it may turn round first.

Teaches rolling as sticking: while the ball slides, friction brakes it and spins it up; from the
moment at which the slip is zero it rolls, and nothing acts on it any more.

Reference: closed form. Sliding ends after 2 (v + R w) / (7 mu g) with the speed (5 v - 2 R w) / 7.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

import gauss_opt as go
from gauss_opt.viz import scene


@dataclass(frozen=True)
class BowlingBall(go.Case):
    """A solid ball in the plane: x, y and its angle, counterclockwise."""

    reference = "closed form: constant friction until it rolls"
    laws = ("poisson", "newton")

    radius: float = go.parameter(0.11, "m", "radius")
    friction: float = go.parameter(0.2, "", "coefficient of friction")
    speed: float = go.parameter(7.0, "m/s", "speed at the start")
    spin: float = go.parameter(0.0, "rad/s", "back-spin at the start")
    gravity: float = go.parameter(9.81, "m/s^2", "gravitational acceleration")

    def __post_init__(self) -> None:
        if not (self.radius > 0.0 and self.friction > 0.0 and self.gravity > 0.0):
            raise go.InputError("radius, friction and gravity must be positive")
        if not self.speed + self.radius * self.spin > 0.0:
            raise go.InputError("the ball must slide forward at the start")

    @property
    def rolls(self) -> float:
        """Time from which on it rolls."""
        slip = self.speed + self.radius * self.spin
        return 2.0 * slip / (7.0 * self.friction * self.gravity)

    @property
    def final(self) -> float:
        """Speed with which it rolls."""
        return (5.0 * self.speed - 2.0 * self.radius * self.spin) / 7.0

    def build(self) -> go.Setup:
        R, g = self.radius, self.gravity
        lane = go.Contact(
            "lane",
            lambda q, t: q[1] - R,
            slip=lambda q, v, t: v[0] + R * v[2],
            friction=self.friction,
        )
        ball = go.System(
            mass=[1.0, 1.0, 0.4 * R**2],
            force=[0.0, -g, 0.0],
            contacts=[lane],
            potential=lambda q, t: g * q[1],
            coordinates=["x", "y", "angle"],
        )
        start = [self.speed, 0.0, self.spin]
        return go.Setup(ball, [0.0, R, 0.0], start, (0.0, 1.5 * self.rolls), {"rtol": 1e-11})

    def check(self, result: go.Result) -> Iterator[go.Check]:
        (event,) = result.events
        braked = self.friction * self.gravity
        place = self.speed * self.rolls - 0.5 * braked * self.rolls**2
        yield go.Check("it begins to stick", event.kind == "stick", True, 0)
        yield go.Check("it rolls from", event.t, self.rolls, 1e-10, "s")
        yield go.Check("place", event.q[0], place, 1e-9, "m")
        yield go.Check("speed", event.v_after[0], self.final, 1e-10, "m/s")
        yield go.Check("speed at the end", result.v[-1, 0], self.final, 1e-9, "m/s")
        yield go.Check("slip at the end", result.slips["lane"][-1], 0.0, 1e-12, "m/s")
        yield go.Check("friction while it rolls", result.friction["lane"][-1], 0.0, 1e-10, "N")
        account = np.abs(result.energy.residual).max()
        yield go.Check.at_most("energy account", account, 1e-8, "J")
        if self.at_defaults:
            yield go.Check("time, tabulated", event.t, 1.019367991845056, 1e-10, "s")
            yield go.Check("place, tabulated", event.q[0], 6.116207951070336, 1e-9, "m")
            (back,) = replace(self, speed=3.0, spin=60.0).run().events
            yield go.Check("with back-spin, time", back.t, 1.397990388816077, 1e-10, "s")
            yield go.Check("with back-spin, speed", back.v_after[0], 9 / 35, 1e-10, "m/s")
            yield go.Check("with back-spin, place", back.q[0], 2.276727204643325, 1e-9, "m")

    def draw(self, q: np.ndarray, t: float) -> list[scene.Shape]:
        R = self.radius
        end = q[:2] + 0.8 * R * np.array([np.cos(q[2]), np.sin(q[2])])
        braked = 0.5 * self.friction * self.gravity * self.rolls**2
        far = self.speed * self.rolls - braked + 0.5 * self.final * self.rolls + 0.3
        return [
            scene.ground([-0.5, 0.0], [far, 0.0]),
            scene.disc(q[:2], R),
            scene.line([q[:2], end], "second", 2.5),
        ]
