"""A point mass on a rigid rod, released from the side, swings as elliptic functions predict.

Teaches a holonomic constraint: the pendulum is a free point in the plane, and the rod is all that
keeps it on its circle. The multiplier of the rod is its tension, because the constraint is written
as a length in metres.

Reference: closed form with Jacobi's elliptic function cd, phi = 2 asin(k cd(sqrt(g/L) t, k)) with
k = sin(phi0 / 2), and the positions printed for problem A01 of the IFToMM multibody benchmark.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.special import ellipj, ellipk

import gauss_opt as go
from gauss_opt.viz import scene

PUBLISHED = {
    1.0: (0.98629175113188, -0.16501085312554),
    5.0: (-0.94230543504376, -0.334754338414),
    10.0: (-0.27508746257612, -0.96141920509913),
}


@dataclass(frozen=True)
class SimplePendulum(go.Case):
    """A point that a rod keeps at its distance from a pivot."""

    reference = "elliptic functions; IFToMM multibody benchmark A01"

    mass: float = go.parameter(1.0, "kg", "mass of the point")
    length: float = go.parameter(1.0, "m", "length of the rod")
    angle: float = go.parameter(90.0, "deg", "start, from the lowest position to the left")
    gravity: float = go.parameter(9.81, "m/s^2", "gravitational acceleration")
    duration: float = go.parameter(10.0, "s", "simulated time")

    def __post_init__(self) -> None:
        if not min(self.mass, self.length, self.gravity, self.duration) > 0.0:
            raise go.InputError("mass, length, gravity and duration must be positive")
        if not 0.0 < self.angle < 180.0:
            raise go.InputError(f"the start must be between 0 and 180 deg, got {self.angle:g}")

    @property
    def modulus(self) -> float:
        """k of the elliptic functions."""
        return float(np.sin(0.5 * np.radians(self.angle)))

    def swing(self, t: np.ndarray) -> np.ndarray:
        """Angle from the lowest position, by the closed form."""
        k = self.modulus
        _, cn, dn, _ = ellipj(np.sqrt(self.gravity / self.length) * t, k**2)
        return 2.0 * np.arcsin(k * cn / dn)

    def build(self) -> go.Setup:
        weight, length, phi = self.mass * self.gravity, self.length, np.radians(self.angle)
        pendulum = go.System(
            mass=[self.mass, self.mass],
            force=[0.0, -weight],
            # Written as L - |q|, the multiplier is the tension.
            constraints=[go.Holonomic("rod", lambda q, t: length - np.hypot(q[0], q[1]))],
            potential=lambda q, t: weight * q[1],
            coordinates=["x", "y"],
        )
        start = [-length * np.sin(phi), -length * np.cos(phi)]

        def lowest(q, v, t):
            return q[0]

        options = {"rtol": 1e-11, "events": lowest}
        return go.Setup(pendulum, start, [0.0, 0.0], (0.0, self.duration), options)

    def check(self, result: go.Result) -> Iterator[go.Check]:
        length, weight = self.length, self.mass * self.gravity
        if self.at_defaults:
            for t, (x, y) in PUBLISHED.items():
                at = result(t).q
                yield go.Check(f"x at t = {t:g} s", at[0], x, 1e-8, "m")
                yield go.Check(f"y at t = {t:g} s", at[1], y, 1e-8, "m")
        phi = self.swing(result.t)
        circle = length * np.column_stack([-np.sin(phi), -np.cos(phi)])
        off = np.abs(result.q - circle).max() / length
        yield go.Check.at_most("off the elliptic functions, by length", off, 1e-8)
        quarter = ellipk(self.modulus**2) * np.sqrt(length / self.gravity)
        passes = [event.t for event in result.events]
        for i, t in enumerate(passes[:3]):
            yield go.Check(f"pass {i + 1}", t, (2 * i + 1) * quarter, 1e-8, "s")
        # m g + m v^2 / L with v^2 = 2 g L (1 - cos phi0): three weights from the horizontal.
        tension = weight * (3.0 - 2.0 * np.cos(np.radians(self.angle)))
        if passes:
            force = result.multipliers["rod"][np.searchsorted(result.t, passes[0])]
            yield go.Check.relative("tension at the bottom", force, tension, 1e-8, "N")
        yield go.Check.at_most("drift", np.abs(result.values["rod"]).max() / length, 1e-9)
        residual = np.abs(result.energy.residual).max() / (weight * length)
        yield go.Check.at_most("energy account, by weight and length", residual, 1e-8)

    def draw(self, q: np.ndarray, t: float) -> list[scene.Shape]:
        size = self.length
        return [
            scene.ground([0.2 * size, 0.0], [-0.2 * size, 0.0], depth=0.05 * size),
            scene.trail(q),
            scene.line([[0.0, 0.0], q], "string", 3.0),
            scene.dot([0.0, 0.0], "string", 4.0),
            scene.dot(q, size=11.0),
        ]
