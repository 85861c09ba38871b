"""A rigid body turns about a pin: its motion, and the two components of the pin's reaction.

Teaches planar rigid bodies: three coordinates for a body, two constraints for a pin. The constraint
is written for the mass centre seen from the pin, so that its multipliers are the force of the pin
on the body, in newtons.

Reference: closed form with elliptic functions, and histories of MSC ADAMS (six digits) that are
distributed with Project Chrono.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.special import ellipj

import gauss_opt as go
from gauss_opt.viz import scene

# Mass centre at t, by ADAMS: six digits, good to half of the last.
ADAMS = {
    1.0: ((-0.892381, 5e-7), (-1.78988, 5e-6)),
    2.0: ((-1.95112, 5e-6), (-0.439479, 5e-7)),
}
CLOSED_FORM = {1.0: (-0.8923814855, -1.7898757734), 2.0: (-1.9511171688, -0.4394790026)}


@dataclass(frozen=True)
class PhysicalPendulum(go.Case):
    """A body that is pinned to the ground away from its mass centre."""

    reference = "elliptic functions; MSC ADAMS histories shipped with Project Chrono"

    mass: float = go.parameter(1.0, "kg", "mass of the body")
    inertia: float = go.parameter(0.1, "kg m^2", "moment of inertia about the mass centre")
    distance: float = go.parameter(2.0, "m", "from the pin to the mass centre")
    angle: float = go.parameter(90.0, "deg", "start, from the lowest position to the right")
    gravity: float = go.parameter(9.80665, "m/s^2", "gravitational acceleration")
    duration: float = go.parameter(2.0, "s", "simulated time")

    def __post_init__(self) -> None:
        positive = (self.mass, self.inertia, self.distance, self.gravity, self.duration)
        if not min(positive) > 0.0:
            raise go.InputError("mass, inertia, distance, gravity and duration must be positive")
        if not 0.0 < self.angle < 180.0:
            raise go.InputError(f"the start must be between 0 and 180 deg, got {self.angle:g}")

    def swing(self, t: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Angle from the lowest position, its rate and its acceleration, by the closed form."""
        arm = self.inertia + self.mass * self.distance**2
        w2 = self.mass * self.gravity * self.distance / arm
        k = np.sin(0.5 * np.radians(self.angle))
        sn, cn, dn, _ = ellipj(np.sqrt(w2) * t, k**2)
        psi = 2.0 * np.arcsin(k * cn / dn)
        # d/du of cd is -(1 - k^2) sn / dn^2, and cos(psi / 2) = sqrt(1 - k^2) / dn.
        rate = -2.0 * k * np.sqrt(w2 * (1.0 - k**2)) * sn / dn
        return psi, rate, -w2 * np.sin(psi)

    def reaction(self, t: np.ndarray) -> np.ndarray:
        """Force of the pin, from the acceleration of the mass centre; rows are times."""
        psi, rate, acceleration = self.swing(t)
        s, c, d = np.sin(psi), np.cos(psi), self.distance
        x2 = d * (c * acceleration - s * rate**2)
        y2 = d * (s * acceleration + c * rate**2)
        return self.mass * np.column_stack([x2, y2 + self.gravity])

    def build(self) -> go.Setup:
        weight, d = self.mass * self.gravity, self.distance

        def pin(q, t):
            x, y, angle = q
            return np.array([x - d * np.cos(angle), y - d * np.sin(angle)])

        body = go.System(
            mass=[self.mass, self.mass, self.inertia],
            force=[0.0, -weight, 0.0],
            constraints=[go.Holonomic("pin", pin)],
            potential=lambda q, t: weight * q[1],
            coordinates=["x", "y", "angle"],
        )
        angle = np.radians(self.angle) - 0.5 * np.pi
        start = [d * np.cos(angle), d * np.sin(angle), angle]
        return go.Setup(body, start, np.zeros(3), (0.0, self.duration), {"rtol": 1e-11})

    def check(self, result: go.Result) -> Iterator[go.Check]:
        d, weight = self.distance, self.mass * self.gravity
        if self.at_defaults:
            for t in ADAMS:
                at = result(t).q
                for i, axis in enumerate("xy"):
                    published, digits = ADAMS[t][i]
                    closed = CLOSED_FORM[t][i]
                    yield go.Check(f"{axis} at t = {t:g} s, ADAMS", at[i], published, digits, "m")
                    yield go.Check(f"{axis} at t = {t:g} s, closed form", at[i], closed, 1e-8, "m")
        psi, rate, _ = self.swing(result.t)
        place = d * np.column_stack([np.sin(psi), -np.cos(psi)])
        off = np.abs(result.q[:, :2] - place).max() / d
        yield go.Check.at_most("off the elliptic functions, by distance", off, 1e-8)
        yield go.Check("turning rate at the end", result.v[-1, 2], rate[-1], 1e-8, "rad/s")
        for i, axis in enumerate("xy"):
            force, expected = result.multipliers["pin"][-1, i], self.reaction(result.t)[-1, i]
            yield go.Check(f"pin force {axis} at the end", force, expected, 1e-8 * weight, "N")
        off = np.abs(result.multipliers["pin"] - self.reaction(result.t)).max() / weight
        yield go.Check.at_most("pin force off the closed form, by weight", off, 1e-8)
        yield go.Check.at_most("drift", np.abs(result.values["pin"]).max() / d, 1e-9)
        residual = np.abs(result.energy.residual).max() / (weight * d)
        yield go.Check.at_most("energy account, by weight and distance", residual, 1e-8)

    def draw(self, q: np.ndarray, t: float) -> list[scene.Shape]:
        d = self.distance
        along = np.array([np.cos(q[2]), np.sin(q[2])])
        across = np.array([-along[1], along[0]])
        # A uniform bar of this inertia about its centre, as far as it goes.
        half = min(np.sqrt(3.0 * self.inertia / self.mass), 0.9 * d)
        ends = [(-half, -0.08 * d), (half, -0.08 * d), (half, 0.08 * d), (-half, 0.08 * d)]
        return [
            scene.ground([0.15 * d, 0.06 * d], [-0.15 * d, 0.06 * d], depth=0.05 * d),
            scene.trail(q[:2]),
            scene.line([[0.0, 0.0], q[:2]], "string", 3.0),
            scene.polygon([q[:2] + a * along + b * across for a, b in ends]),
            scene.dot([0.0, 0.0], "string", 4.0),
            scene.dot(q[:2], "second", 3.0),
        ]
