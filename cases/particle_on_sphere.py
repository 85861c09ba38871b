"""A particle slides off the top of a smooth sphere, leaves it, and lands on the plane below.

Teaches a contact that is kept and then lost: the sphere carries the part of the weight that does
not bend the path, and lets go at the instant at which that part is zero. No threshold on the gap is
involved.

Reference: closed form. It leaves where cos(theta) = (2 + v0^2 / (g R)) / 3, with the speed
sqrt(g R cos(theta)), after a time given by an elliptic integral; then it flies on a parabola.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.special import ellipkinc

import gauss_opt as go
from gauss_opt.viz import scene

# For R = 1 m, 0.5 m/s, g = 9.81 m/s^2.
ANGLE, SPEED, LEAVES = 0.82961284957365, 2.5735837529277, 0.75423883800255
FLIGHT, PLACE = 0.42208463869996, 1.4710777250571


@dataclass(frozen=True)
class ParticleOnSphere(go.Case):
    """A point mass on a fixed sphere that stands on a plane, in the plane of its motion."""

    reference = "closed form: elliptic integral, then a parabola"
    laws = ("newton", "poisson", "sequential")

    radius: float = go.parameter(1.0, "m", "radius of the sphere")
    speed: float = go.parameter(0.5, "m/s", "speed at the top")
    mass: float = go.parameter(1.0, "kg", "mass")
    gravity: float = go.parameter(9.81, "m/s^2", "gravitational acceleration")

    def __post_init__(self) -> None:
        for name in ("radius", "speed", "mass", "gravity"):
            if not getattr(self, name) > 0.0:
                raise go.InputError(f"{name} must be positive, got {getattr(self, name):g}")
        if not self.speed**2 < self.gravity * self.radius:
            raise go.InputError(
                f"with speed = {self.speed:g} the particle flies off at the top; it must be below "
                f"sqrt(g R) = {np.sqrt(self.gravity * self.radius):g}"
            )

    @property
    def cosine(self) -> float:
        """Cosine of the angle from the top at which it leaves."""
        return (2.0 + self.speed**2 / (self.gravity * self.radius)) / 3.0

    @property
    def leaves(self) -> float:
        """Time at which it leaves."""
        half = 0.5 * np.arccos(self.cosine)
        steep = 4.0 * self.gravity * self.radius / self.speed**2
        return float(2.0 * self.radius / self.speed * ellipkinc(half, -steep))

    @property
    def leaving_speed(self) -> float:
        """Speed at which it leaves."""
        return float(np.sqrt(self.gravity * self.radius * self.cosine))

    @property
    def flight(self) -> float:
        """Time from the sphere to the plane."""
        down = self.leaving_speed * np.sqrt(1.0 - self.cosine**2)
        height = self.radius * (1.0 + self.cosine)
        return float((np.sqrt(down**2 + 2.0 * self.gravity * height) - down) / self.gravity)

    def build(self) -> go.Setup:
        m, g, radius = self.mass, self.gravity, self.radius
        particle = go.System(
            mass=[m, m],
            force=[0.0, -m * g],
            contacts=[
                go.Contact("sphere", lambda q, t: np.hypot(q[0], q[1]) - radius),
                go.Contact("plane", lambda q, t: q[1] + radius),
            ],
            potential=lambda q, t: m * g * q[1],
            coordinates=["x", "y"],
        )
        end = 1.25 * (self.leaves + self.flight)
        return go.Setup(particle, [0.0, radius], [self.speed, 0.0], (0.0, end), {"rtol": 1e-12})

    def check(self, result: go.Result) -> Iterator[go.Check]:
        leave = next(event for event in result.events if event.kind == "release")
        land = next(event for event in result.events if event.kind == "impact")
        m, g, radius = self.mass, self.gravity, self.radius
        angle, speed = float(np.arctan2(*leave.q)), float(np.hypot(*leave.v_before))
        sine = np.sqrt(1.0 - self.cosine**2)
        onward = self.leaving_speed * self.cosine
        place = radius * sine + onward * self.flight
        yield go.Check("number of events", len(result.events), 2, 0)
        yield go.Check("it leaves at", angle, np.arccos(self.cosine), 1e-8, "rad")
        yield go.Check("its speed there", speed, self.leaving_speed, 1e-8, "m/s")
        yield go.Check("when", leave.t, self.leaves, 1e-8, "s")
        yield go.Check("flight", land.t - leave.t, self.flight, 1e-8, "s")
        yield go.Check("it lands at x", land.q[0], place, 1e-8, "m")
        if self.at_defaults:
            yield go.Check("angle, tabulated", angle, ANGLE, 1e-8, "rad")
            yield go.Check("speed, tabulated", speed, SPEED, 1e-8, "m/s")
            yield go.Check("time, tabulated", leave.t, LEAVES, 1e-8, "s")
            yield go.Check("flight, tabulated", land.t - leave.t, FLIGHT, 1e-8, "s")
            yield go.Check("place, tabulated", land.q[0], PLACE, 1e-8, "m")
        on = result.t < leave.t
        press = m * g * result.q[on, 1] / radius - m * (result.v[on] ** 2).sum(axis=1) / radius
        off = np.abs(result.multipliers["sphere"][on] - press).max() / (m * g)
        yield go.Check.at_most("force of the sphere off theory, over the weight", off, 1e-9)
        down = np.sqrt(self.leaving_speed**2 + 2.0 * g * radius * (1.0 + self.cosine) - onward**2)
        yield go.Check.relative(
            "impulse of the plane", land.impulses["plane"], m * down, 1e-8, "N s"
        )
        yield go.Check.relative("it slides on", result.v[-1, 0], onward, 1e-8, "m/s")
        yield go.Check.relative("plane force", result.multipliers["plane"][-1], m * g, 1e-9, "N")
        deepest = -min(gap.min() for gap in result.gaps.values()) / radius
        yield go.Check.at_most("deepest penetration, relative", deepest, 1e-9)
        account = np.abs(result.energy.residual).max() / (m * g * radius)
        yield go.Check.at_most("energy account, relative", account, 1e-9)

    def draw(self, q: np.ndarray, t: float) -> list[scene.Shape]:
        size = self.radius
        angle = np.arccos(self.cosine)
        leave = size * np.array([np.sin(angle), np.cos(angle)])
        return [
            scene.ground(
                [-1.4 * size, -size], [2.6 * size, -size], depth=0.1 * size, contacts="plane"
            ),
            scene.disc([0.0, 0.0], size, role="ghost"),
            scene.line([[0.0, 0.0], leave], role="string", width=1.0),
            scene.trail(q, role="accent"),
            scene.dot(q, size=8, contacts="plane"),
        ]
