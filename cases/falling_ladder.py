"""A ladder slides down a smooth wall, leaves it, and falls flat on the floor.

Teaches several contacts of one body: both ends carry force, the wall lets go while the floor
still pushes, and the ladder strikes the floor with its other end and stays.

Reference: closed form. The ladder leaves the wall when its top is at two thirds of its initial
height, after a time given by an elliptic integral; from there on the horizontal speed is constant
and energy conservation gives the rest.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.integrate import quad
from scipy.special import ellipk, ellipkinc

import gauss_opt as go
import gauss_opt.planar as pl
from gauss_opt.viz import scene

# For a rod of 2 m from rest at 60 degrees, g = 9.81 m/s^2.
ANGLE, LEAVES, RATE = 0.61547970867039, 0.459662826377, 2.0610324125454
FALL, FLAT_RATE = 0.22647668935564, 3.417835596587


@dataclass(frozen=True)
class FallingLadder(go.Case):
    """A uniform rod between a smooth wall and floor."""

    reference = "closed form: elliptic integral, then a quadrature"
    laws = ("newton", "poisson", "sequential")

    half_length: float = go.parameter(1.0, "m", "half of the length of the ladder")
    angle: float = go.parameter(60.0, "deg", "angle with the floor at the start, at rest")
    mass: float = go.parameter(1.0, "kg", "mass")
    gravity: float = go.parameter(9.81, "m/s^2", "gravitational acceleration")

    def __post_init__(self) -> None:
        for name in ("half_length", "mass", "gravity"):
            if not getattr(self, name) > 0.0:
                raise go.InputError(f"{name} must be positive, got {getattr(self, name):g}")
        if not 0.0 < self.angle < 90.0:
            raise go.InputError(f"angle must be between 0 and 90 degrees, got {self.angle:g}")

    @property
    def leave_angle(self) -> float:
        """Angle at which it leaves the wall."""
        return float(np.arcsin(2.0 / 3.0 * np.sin(np.radians(self.angle))))

    @property
    def leave_rate(self) -> float:
        """How fast it turns there."""
        sine = np.sin(np.radians(self.angle))
        return float(np.sqrt(0.5 * self.gravity * sine / self.half_length))

    @property
    def leaves(self) -> float:
        """Time at which it leaves: a pendulum of w^2 = 3 g / (4 a), upside down."""
        w = np.sqrt(0.75 * self.gravity / self.half_length)
        k = np.sin(0.5 * (np.radians(self.angle) + 0.5 * np.pi))
        now = np.sin(0.5 * (self.leave_angle + 0.5 * np.pi))
        return float((ellipk(k**2) - ellipkinc(np.arcsin(now / k), k**2)) / w)

    def rate(self, angle: float) -> float:
        """How fast it turns at an angle, once it has left the wall."""
        start = self.leave_rate**2 * (np.cos(self.leave_angle) ** 2 + 1.0 / 3.0)
        fall = 2.0 * self.gravity / self.half_length * (np.sin(self.leave_angle) - np.sin(angle))
        return float(np.sqrt((start + fall) / (np.cos(angle) ** 2 + 1.0 / 3.0)))

    @property
    def fall(self) -> float:
        """Time from the wall to the floor."""
        time, _ = quad(lambda s: 1.0 / self.rate(s), 0.0, self.leave_angle, epsabs=1e-13)
        return float(time)

    @cached_property
    def room(self) -> pl.Mechanism:
        """The ladder, from its top to its foot, and what its ends cannot pass."""
        a, floor = self.half_length, pl.HalfPlane(normal=(0, 1))
        m = pl.Mechanism(gravity=self.gravity)
        ladder = m.body("ladder", pl.Rod(2.0 * a, start=(-a, 0.0)), mass=self.mass)
        m.stop("wall", ladder.start, pl.HalfPlane(normal=(1, 0)))
        m.stop("floor", ladder.end, floor)
        m.stop("top on the floor", ladder.start, floor)
        return m

    def build(self) -> go.Setup:
        a, start = self.half_length, np.radians(self.angle)
        ladder = self.room.bodies[1]
        place = a * np.cos(start), a * np.sin(start)
        begin = self.room.assemble({ladder.position: place, ladder.angle: -start})
        end = 1.3 * (self.leaves + self.fall)
        return go.Setup(self.room.system, begin.q, begin.v, (0.0, end), {"rtol": 1e-12})

    def check(self, result: go.Result) -> Iterator[go.Check]:
        leave = next(event for event in result.events if event.kind == "release")
        flat = next(event for event in result.events if event.kind == "impact")
        m, g, a = self.mass, self.gravity, self.half_length
        releases = sum(event.kind == "release" for event in result.events)
        yield go.Check("number of releases", releases, 1, 0)
        yield go.Check("it leaves the wall at", -leave.q[2], self.leave_angle, 1e-8, "rad")
        yield go.Check("when", leave.t, self.leaves, 1e-8, "s")
        yield go.Check("how fast it turns", leave.v_before[2], self.leave_rate, 1e-8, "rad/s")
        sides = np.flatnonzero(result.t == leave.t)
        for side, row in zip(("before", "after"), sides[[0, -1]], strict=True):
            force = result.multipliers["floor"][row]
            yield go.Check.relative(f"floor force just {side}", force, 0.25 * m * g, 1e-8, "N")
        yield go.Check("from there to flat", flat.t - leave.t, self.fall, 1e-8, "s")
        yield go.Check("how fast it strikes", flat.v_before[2], self.rate(0.0), 1e-8, "rad/s")
        if self.at_defaults:
            yield go.Check("angle, tabulated", -leave.q[2], ANGLE, 1e-8, "rad")
            yield go.Check("time, tabulated", leave.t, LEAVES, 1e-8, "s")
            yield go.Check("rate, tabulated", leave.v_before[2], RATE, 1e-8, "rad/s")
            yield go.Check("fall, tabulated", flat.t - leave.t, FALL, 1e-8, "s")
            yield go.Check("rate when flat, tabulated", flat.v_before[2], FLAT_RATE, 1e-8, "rad/s")
        onward = a * np.sin(self.leave_angle) * self.leave_rate
        yield go.Check.relative("it slides on", result.v[-1, 0], onward, 1e-8, "m/s")
        for name in ("floor", "top on the floor"):
            force = result.multipliers[name][-1]
            yield go.Check.relative(f"half of the weight: {name}", force, 0.5 * m * g, 1e-8, "N")
        yield go.Check("height at rest", result.q[-1, 1], 0.0, 1e-9 * a, "m")
        deepest = -min(gap.min() for gap in result.gaps.values()) / a
        yield go.Check.at_most("deepest penetration, relative", deepest, 1e-9)
        account = np.abs(result.energy.residual).max() / (m * g * a)
        yield go.Check.at_most("energy account, relative", account, 1e-9)

    def draw(self, q: np.ndarray, t: float) -> list[scene.Shape]:
        a = self.half_length
        along = np.array([np.cos(q[2]), np.sin(q[2])])
        across = 0.04 * a * np.array([along[1], -along[0]])
        foot, top = q[:2] + a * along, q[:2] - a * along
        wide, high = 3.4 * a, 2.2 * a
        return [
            scene.ground([0.0, high], [0.0, 0.0], depth=0.1 * a),
            scene.ground([0.0, 0.0], [wide, 0.0], depth=0.1 * a, contacts="top on the floor"),
            scene.trail(q[:2]),
            scene.polygon([foot - across, foot + across, top + across, top - across]),
            scene.dot(foot, role="second", size=5, contacts="floor"),
            scene.dot(top, role="second", size=5, contacts="top on the floor"),
            scene.dot(q[:2], role="string", size=4),
        ]
