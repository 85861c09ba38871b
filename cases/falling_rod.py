"""A rod falls over on a rough floor: its foot sticks, slips backward, then forward.

Teaches slip, and a reversal: the friction that a falling rod needs grows until it is more than the
floor can give. With how much friction the foot would never slip backward is the largest ratio of
friction to normal force while it sticks.

Reference: while the foot sticks, closed form by the energy (the ratio of the forces as a function
of the angle); the times of slip, reversal and impact from another event-driven program at 1e-12.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq

import gauss_opt as go
from gauss_opt.viz import scene

# For a rod of 1 m from rest at 0.1 rad from the vertical, mu = 0.2, g = 9.81 m/s^2.
SLIP, ANGLE, RATE = 0.4308106792780835, 0.2699890876164744, 0.9587019581632386
REVERSAL, FLAT = 0.7981335309727644, 0.8866762756898737


@dataclass(frozen=True)
class FallingRod(go.Case):
    """A uniform rod (x, y, angle from the vertical) on its foot."""

    reference = "closed form while it sticks; then an independent program at 1e-12"
    laws = ("poisson",)

    length: float = go.parameter(1.0, "m", "length")
    friction: float = go.parameter(0.2, "", "coefficient of friction")
    start: float = go.parameter(0.1, "rad", "angle from the vertical at the start, at rest")
    gravity: float = go.parameter(9.81, "m/s^2", "gravitational acceleration")

    def __post_init__(self) -> None:
        if not (self.length > 0.0 and self.gravity > 0.0 and 0.0 < self.start < 0.5):
            raise go.InputError("length and gravity must be positive, the start up to 0.5 rad")

    def ratio(self, angle: float) -> float:
        """Friction over normal force while the foot sticks, both in m g."""
        c, c0 = np.cos(angle), np.cos(self.start)
        turn = 3.0 * (c0 - c)  # w^2 L / g
        friction = 0.75 * np.sin(angle) * c - 0.5 * turn * np.sin(angle)
        normal = 1.0 - 0.75 * np.sin(angle) ** 2 - 0.5 * turn * c
        return float(friction / normal)

    def build(self) -> go.Setup:
        a, g = 0.5 * self.length, self.gravity
        foot = go.Contact(
            "foot",
            lambda q, t: q[1] - a * np.cos(q[2]),
            slip=lambda q, v, t: v[0] - a * np.cos(q[2]) * v[2],
            friction=self.friction,
        )
        rod = go.System(
            mass=[1.0, 1.0, a**2 / 3.0],
            force=[0.0, -g, 0.0],
            contacts=[foot],
            potential=lambda q, t: g * q[1],
            coordinates=["x", "y", "angle"],
        )

        def flat(q: np.ndarray, v: np.ndarray, t: float) -> float:
            angle: float = q[2]
            return angle - 0.5 * np.pi

        flat.terminal = True  # type: ignore[attr-defined]
        q0 = [a * np.sin(self.start), a * np.cos(self.start), self.start]
        options = {"rtol": 1e-12, "events": [flat]}
        return go.Setup(rod, q0, [0.0, 0.0, 0.0], (0.0, 5.0 * np.sqrt(self.length / g)), options)

    def check(self, result: go.Result) -> Iterator[go.Check]:
        slip = next(event for event in result.events if event.kind == "slip")
        angle = brentq(lambda s: self.ratio(s) - self.friction, self.start, 0.45, xtol=1e-14)
        turn = np.sqrt(3.0 * self.gravity / self.length * (np.cos(self.start) - np.cos(angle)))
        yield go.Check("it slips at the angle", slip.q[2], angle, 1e-9, "rad")
        yield go.Check("turning at", slip.v_after[2], turn, 1e-9, "rad/s")
        yield go.Check("backward", slip.detail == "backward", True, 0)
        account = np.abs(result.energy.residual).max() / (self.gravity * self.length)
        yield go.Check.at_most("energy account, relative", account, 1e-9)
        if self.at_defaults:
            kinds = [str(event.kind) for event in result.events]
            yield go.Check("slip, reversal, flat", kinds == ["slip", "reversal", "user"], True, 0)
            _, back, end = result.events
            yield go.Check("slip, tabulated", slip.t, SLIP, 1e-9, "s")
            yield go.Check("angle, tabulated", slip.q[2], ANGLE, 1e-9, "rad")
            yield go.Check("rate, tabulated", slip.v_after[2], RATE, 1e-9, "rad/s")
            yield go.Check("reversal, tabulated", back.t, REVERSAL, 1e-9, "s")
            yield go.Check("flat, tabulated", end.t, FLAT, 1e-9, "s")

    def draw(self, q: np.ndarray, t: float) -> list[scene.Shape]:
        a = 0.5 * self.length
        along = np.array([np.sin(q[2]), np.cos(q[2])])
        across = 0.02 * self.length * np.array([along[1], -along[0]])
        foot, top = q[:2] - a * along, q[:2] + a * along
        return [
            scene.ground([-0.5 * self.length, 0.0], [1.3 * self.length, 0.0]),
            scene.trail(foot),
            scene.polygon([foot - across, foot + across, top + across, top - across]),
            scene.dot(foot, role="second", size=5),
        ]
