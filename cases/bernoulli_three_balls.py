"""Bernoulli's three balls: one flies into the gap between two that touch.

Teaches an impact on several contacts at once that all laws agree on: both struck balls leave along
the lines of centres, 30 degrees to either side, because contacts without friction push only along
their normals. The contact between the two carries nothing.

Reference: Johann Bernoulli's problem in closed form, by momentum and restitution along the normals:
with speed u, masses m and M, the impulse of each contact is (1 + e) u cos 30 / (1/M + 3/(2 m)).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

import gauss_opt as go
from gauss_opt.viz import scene

# Velocity of the first ball, and components of one of the others, at 10 m/s and equal masses.
PUBLISHED = {
    1.0: (-2.0, 6.0, 3.464101615138),
    0.5: (1.0, 4.5, 2.598076211353),
    0.0: (4.0, 3.0, 1.732050807569),
}
COS30 = np.sqrt(3.0) / 2.0


@dataclass(frozen=True)
class BernoulliThreeBalls(go.Case):
    """Three discs in the plane, without gravity."""

    reference = "closed form (Johann Bernoulli's problem)"
    laws = ("newton", "poisson", "sequential")

    speed: float = go.parameter(10.0, "m/s", "speed of the first ball")
    restitution: float = go.parameter(1.0, "", "coefficient of restitution of all contacts")
    mass: float = go.parameter(1.0, "kg", "mass of the first ball")
    struck_mass: float = go.parameter(1.0, "kg", "mass of each of the two others")
    radius: float = go.parameter(0.5, "m", "radius of all balls")
    distance: float = go.parameter(2.0, "m", "distance the first ball travels to the impact")

    def __post_init__(self) -> None:
        for name in ("speed", "mass", "struck_mass", "radius", "distance"):
            if not getattr(self, name) > 0.0:
                raise go.InputError(f"{name} must be positive, got {getattr(self, name):g}")

    def build(self) -> go.Setup:
        def apart(i: int, j: int) -> go.Contact:
            def gap(q, t):
                return np.hypot(q[2 * j] - q[2 * i], q[2 * j + 1] - q[2 * i + 1]) - 2.0 * r

            return go.Contact(f"{i + 1}-{j + 1}", gap, restitution=self.restitution)

        r, masses = self.radius, [self.mass, self.struck_mass, self.struck_mass]
        balls = go.System(
            mass=np.repeat(masses, 2),
            force=np.zeros(6),
            contacts=[apart(0, 1), apart(0, 2), apart(1, 2)],
            potential=lambda q, t: 0.0,
            coordinates=["x1", "y1", "x2", "y2", "x3", "y3"],
        )
        q0 = self.touching - self.distance * np.eye(6)[0]
        end = 2.0 * self.distance / self.speed
        return go.Setup(balls, q0, self.speed * np.eye(6)[0], (0.0, end))

    @property
    def touching(self) -> np.ndarray:
        """The position at the impact: the first ball at the origin."""
        across = 2.0 * self.radius * COS30
        return np.array([0.0, 0.0, across, self.radius, across, -self.radius])

    @property
    def impulse(self) -> float:
        """Of each of the two contacts of the first ball."""
        approach = self.speed * COS30
        return (1.0 + self.restitution) * approach / (1.0 / self.struck_mass + 1.5 / self.mass)

    @property
    def after(self) -> np.ndarray:
        """Velocities after the impact."""
        first = self.speed - 2.0 * COS30 * self.impulse / self.mass
        x, y = np.array([COS30, 0.5]) * self.impulse / self.struck_mass
        return np.array([first, 0.0, x, y, x, -y])

    def check(self, result: go.Result) -> Iterator[go.Check]:
        impact = next(event for event in result.events if event.kind == "impact")
        hit, names = self.distance / self.speed, result.system.coordinates
        yield go.Check("impact", impact.t, hit, 1e-10, "s")
        for name, value, exact in zip(names, impact.v_after, self.after, strict=True):
            yield go.Check(f"velocity of {name} after", value, exact, 1e-9 * self.speed, "m/s")
        for name, exact in (("1-2", self.impulse), ("1-3", self.impulse), ("2-3", 0.0)):
            tolerance = 1e-9 * self.impulse
            yield go.Check(f"impulse of {name}", impact.impulses[name], exact, tolerance, "N s")
        end = self.touching + self.after * (result.t[-1] - hit)
        off = np.abs(result.q[-1] - end).max() / self.distance
        yield go.Check.at_most("error of the position at the end, relative", off, 1e-9)
        kinetic, lost = 0.5 * self.mass * self.speed**2, result.energy.impact[-1]
        approach = self.speed * COS30
        exact = -self.impulse * (1.0 - self.restitution) * approach
        yield go.Check("energy lost", lost, exact, 1e-9 * kinetic, "J")
        deepest = -min(gap.min() for gap in result.gaps.values()) / self.radius
        yield go.Check.at_most("deepest penetration, of the radius", deepest, 1e-9)
        if self.at_defaults:
            yield from self._published()

    def _published(self) -> Iterator[go.Check]:
        """Every law with every published coefficient of restitution."""
        for e, (first, x, y) in PUBLISHED.items():
            other = BernoulliThreeBalls(restitution=e)
            system, v = other.build().system, other.speed * np.eye(6)[0]
            for law in self.laws:
                after = go.collide(system, other.touching, v, law=law).v_after
                off = np.abs(after - [first, 0.0, x, y, x, -y]).max()
                yield go.Check.at_most(f"largest error for e = {e:g}, {law}", off, 1e-11, "m/s")

    def draw(self, q: np.ndarray, t: float) -> list[scene.Shape]:
        balls = q.reshape(3, 2)
        contacts = (("1-2", "1-3"), "1-2", "1-3")
        roles = ("body", "second", "second")
        return [scene.trail(ball) for ball in balls] + [
            scene.disc(ball, self.radius, role, contacts=names)
            for ball, role, names in zip(balls, roles, contacts, strict=True)
        ]
