"""A ladder on a rough floor and a rough wall stays, until somebody has climbed too high.

Teaches two contacts that stick with redundant forces: how the ladder is held is not unique, but
whether it is held is. It slips when no forces within the cones of friction are left.

Reference: statics. With b the angle from the floor a ladder alone stays for
tan b >= (1 - mu_f mu_w) / (2 mu_f); with a load it slips when both contacts are at their limits.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

import gauss_opt as go
from gauss_opt.viz import scene


@dataclass(frozen=True)
class RoughLadder(go.Case):
    """A uniform rod (x, y, angle) and the weight of a climber, who goes up at constant speed."""

    reference = "statics: the cones of friction and the line of the weight"
    laws = ("poisson",)

    floor: float = go.parameter(0.4, "", "coefficient of friction of the floor")
    wall: float = go.parameter(0.3, "", "coefficient of friction of the wall")
    angle: float = go.parameter(55.0, "deg", "angle from the floor")
    climber: float = go.parameter(3.0, "kg", "mass of the climber, for a ladder of 1 kg")
    speed: float = go.parameter(0.5, "m/s", "speed of the climber along the ladder of 2 m")
    gravity: float = go.parameter(9.81, "m/s^2", "gravitational acceleration")

    def __post_init__(self) -> None:
        if not (self.floor > 0.0 and self.wall >= 0.0 and self.climber > 0.0 and self.speed > 0.0):
            raise go.InputError("coefficients, climber and speed must be positive")
        if not self.limit < self.angle < 90.0:
            raise go.InputError(f"the ladder alone needs more than {self.limit:.4g} degrees")

    @property
    def limit(self) -> float:
        """The least angle at which the ladder alone stays, in degrees."""
        tangent = (1.0 - self.floor * self.wall) / (2.0 * self.floor)
        return float(np.degrees(np.arctan(tangent)))

    @property
    def too_high(self) -> float:
        """Way of the climber along the ladder at which it slips."""
        b, total = np.radians(self.angle), 1.0 + self.climber
        # Both contacts at their limits: N_w = mu_f N_f, N_f + mu_w N_w = total weight.
        normal = total / (1.0 + self.floor * self.wall)
        moment = 2.0 * self.floor * normal * (np.sin(b) + self.wall * np.cos(b))
        return float((moment / np.cos(b) - 1.0) / self.climber)

    def build(self) -> go.Setup:
        g, u, m = self.gravity, self.speed, self.climber
        b = np.radians(self.angle)
        floor = go.Contact(
            "floor",
            lambda q, t: q[1] - np.sin(q[2]),
            slip=lambda q, v, t: v[0] - np.sin(q[2]) * v[2],
            friction=self.floor,
        )
        wall = go.Contact(
            "wall",
            lambda q, t: q[0] - np.cos(q[2]),
            slip=lambda q, v, t: v[1] + np.cos(q[2]) * v[2],
            friction=self.wall,
        )

        def force(q: np.ndarray, v: np.ndarray, t: float) -> np.ndarray:
            # The weight of the climber, at a way s from the foot; its inertia is left out.
            s = u * t
            return np.array([0.0, -(1.0 + m) * g, -m * g * (s - 1.0) * np.cos(q[2])])

        ladder = go.System(
            mass=[1.0, 1.0, 1.0 / 3.0],
            force=force,
            contacts=[floor, wall],
            coordinates=["x", "y", "angle"],
        )
        end = self.too_high / u + 0.3
        return go.Setup(ladder, [np.cos(b), np.sin(b), b], [0.0, 0.0, 0.0], (0.0, end))

    def check(self, result: go.Result) -> Iterator[go.Check]:
        slip, other = (event for event in result.events if event.kind == "slip")
        yield go.Check(
            "it slips with the climber at", slip.t * self.speed, self.too_high, 1e-8, "m"
        )
        both = {*slip.contacts, *other.contacts} == {"floor", "wall"}
        yield go.Check("floor and wall", both, True, 0)
        yield go.Check("at once", other.t, slip.t, 0.0, "s")
        before = result.t < slip.t
        still = np.abs(result.v[before]).max()
        yield go.Check.at_most("until then nothing moves", still, 1e-9, "m/s")
        yield go.Check.at_most("work of friction", result.energy.friction.max(), 1e-9, "J")
        account = np.abs(result.energy.residual).max()
        yield go.Check.at_most("energy account", account, 1e-8, "J")
        if self.at_defaults:
            yield go.Check("limit without climber", self.limit, 47.72631099390627, 1e-9, "deg")

    def draw(self, q: np.ndarray, t: float) -> list[scene.Shape]:
        along = np.array([-np.cos(q[2]), np.sin(q[2])])
        foot, top = q[:2] - along, q[:2] + along
        man = foot + self.speed * t * along + np.array([0.06, 0.1])
        return [
            scene.ground([0.0, 2.2], [0.0, 0.0], depth=0.08),
            scene.ground([0.0, 0.0], [2.2, 0.0], depth=0.08),
            scene.line([foot, top], width=4.0),
            scene.disc(man, 0.09, "second"),
            scene.dot(foot, "accent", 5),
            scene.dot(top, "accent", 5),
        ]
