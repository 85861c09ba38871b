"""Appell and Hamel's particle falls under a constraint that is quadratic in the velocity.

Teaches constraints nonlinear in the velocities: vx^2 + vy^2 = c^2 vz^2, the limit of a machine in
which a falling weight drives a wheel over a table. Gauss's principle needs no rule of virtual
displacements for it: the constraint is differentiated, and the nearest acceleration is taken.

Reference: closed form. It falls with acceleration g/(1 + c^2) along a straight line, and the
constraint does no work.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

import gauss_opt as go
from gauss_opt.viz import scene


@dataclass(frozen=True)
class AppellHamel(go.Case):
    """A particle whose horizontal speed is bound to its sinking speed."""

    reference = "closed form: constant acceleration g/(1 + c^2)"

    ratio: float = go.parameter(0.7, "", "horizontal over vertical speed, c")
    sinking: float = go.parameter(1.0, "m/s", "sinking speed at the start")
    direction: tuple[float, ...] = go.parameter(
        (0.6, 0.8), "", "horizontal direction, x and y", size=2
    )
    mass: float = go.parameter(1.0, "kg", "mass")
    duration: float = go.parameter(2.0, "s", "simulated time")
    gravity: float = go.parameter(9.81, "m/s^2", "gravitational acceleration")

    def __post_init__(self) -> None:
        for name in ("ratio", "sinking", "mass", "duration", "gravity"):
            if not getattr(self, name) > 0.0:
                raise go.InputError(
                    f"{name} must be positive"
                    + ("; at rest the constraint has no gradient" if name == "sinking" else "")
                )
        if len(self.direction) != 2 or not np.hypot(*self.direction) > 0.0:
            raise go.InputError("direction must be two numbers that are not both zero")

    @property
    def heading(self) -> np.ndarray:
        """Velocity at the start for a sinking speed of 1; its direction never changes."""
        x, y = np.array(self.direction) / np.hypot(*self.direction)
        return np.array([self.ratio * x, self.ratio * y, -1.0])

    @property
    def fall(self) -> float:
        """Its acceleration downwards."""
        return self.gravity / (1.0 + self.ratio**2)

    def build(self) -> go.Setup:
        c, weight = self.ratio, self.mass * self.gravity
        cone = go.Nonholonomic("cone", lambda q, v, t: v[0] ** 2 + v[1] ** 2 - c**2 * v[2] ** 2)
        particle = go.System(
            mass=[self.mass] * 3,
            force=[0.0, 0.0, -weight],
            constraints=[cone],
            potential=lambda q, t: weight * q[2],
            coordinates=["x", "y", "z"],
        )
        return go.Setup(particle, np.zeros(3), self.sinking * self.heading, (0.0, self.duration))

    def check(self, result: go.Result) -> Iterator[go.Check]:
        t = result.t
        sinking = self.sinking + self.fall * t
        depth = self.sinking * t + 0.5 * self.fall * t**2
        for i, name in enumerate("xyz"):
            exact = self.heading[i] * np.array([depth[-1], sinking[-1]])
            yield go.Check(f"{name} at the end", result.q[-1, i], exact[0], 1e-8, "m")
            yield go.Check(f"speed along {name}", result.v[-1, i], exact[1], 1e-8, "m/s")
        off = np.abs(result.q - np.outer(depth, self.heading)).max()
        yield go.Check.at_most("largest error of the position", off, 1e-8, "m")
        # The multiplier goes with the gradient 2 (vx, vy, -c^2 vz), which grows with the speed.
        multiplier = 0.5 * self.mass * self.fall / sinking
        off = np.abs(result.multipliers["cone"] / multiplier - 1.0).max()
        yield go.Check.at_most("largest relative error of the multiplier", off, 1e-8)
        force = self.mass * self.fall * self.ratio * np.sqrt(1.0 + self.ratio**2)
        carried = np.linalg.norm(result.constraint_force.total, axis=1)
        off = np.abs(carried - force).max()
        yield go.Check.at_most("largest error of the constraint force", off, 1e-8, "N")
        off = np.abs(result.values["cone"] / (self.ratio * sinking) ** 2).max()
        yield go.Check.at_most("off the cone, relative", off, 1e-9)
        change = np.abs(result.energy.total - result.energy.total[0]) / result.energy.kinetic
        yield go.Check.at_most("change of the energy, relative", change.max(), 1e-9)
        if self.at_defaults and t[-1] == 2.0:
            tabulated = (5.950469798658, 7.933959731544, -14.167785234899)
            for name, ours, theirs in zip("xyz", result.v[-1], tabulated, strict=True):
                yield go.Check(f"tabulated speed along {name} at 2 s", ours, theirs, 1e-8, "m/s")
            yield go.Check("tabulated z at 2 s", result.q[-1, 2], -15.167785234899, 1e-8, "m")

    def draw(self, q: np.ndarray, t: float) -> list[scene.Shape]:
        # The vertical plane of the motion: distance from the start to the right, height up.
        depth = self.sinking * self.duration + 0.5 * self.gravity * self.duration**2
        place = np.array([np.hypot(q[0], q[1]), q[2]])
        free = np.array([0.0, -self.sinking * t - 0.5 * self.gravity * t**2])
        slant = 0.12 * depth * np.array([self.ratio, 1.0]) / np.hypot(self.ratio, 1.0)
        cone = [place + slant, place, place + slant * [-1, 1]]
        below = [place - slant, place, place - slant * [-1, 1]]
        return [
            scene.line([[0.0, 0.0], [0.0, -depth]], role="ghost", width=1.0),
            scene.trail(place, role="second", width=1.5),
            scene.dot(free, role="ghost", size=8),
            scene.text([0.17 * depth, -0.97 * depth], "falling freely", role="string", size=9),
            scene.line(cone, role="accent", width=1.2),
            scene.line(below, role="accent", width=1.2),
            scene.dot(place, size=9),
        ]
