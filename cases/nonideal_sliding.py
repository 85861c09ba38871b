"""Two sliding bodies resisted by mu times the normal force: constraints that do work.

Teaches non-ideal constraints. A block is kept on an incline, and a bead on a circular wire that
lies flat; both are resisted by mu |N| against their motion. The constraint force has two parts: the
ideal one, which would be there without resistance, and the non-ideal one; divided by the mass they
are orthogonal in the metric of the mass. The resistance is a non-ideal force that is given the
ideal one, which does not depend on it. It does not model sticking, so the block must not come to
rest.

Reference: closed form. The block accelerates by g (sin a - mu cos a). The bead's speed is
v0 exp(-mu theta) after the angle theta, v0 / (1 + mu v0 t / R) after the time t, whatever its mass.
The split is that of F. E. Udwadia, Recent Advances in Multi-body Dynamics and Nonlinear Control.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

import gauss_opt as go
from gauss_opt.viz import scene

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class NonidealSliding(go.Case):
    """A block on an incline and a bead on a wire."""

    reference = "closed form: constant acceleration, and exponential decay in the angle"

    angle: float = go.parameter(30.0, "deg", "angle of the incline")
    resistance: float = go.parameter(0.2, "", "mu, resistance over normal force")
    block: float = go.parameter(3.0, "kg", "mass of the block")
    bead: float = go.parameter(0.5, "kg", "mass of the bead")
    radius: float = go.parameter(0.5, "m", "radius of the wire")
    block_speed: float = go.parameter(0.5, "m/s", "speed of the block at the start, downhill")
    bead_speed: float = go.parameter(4.0, "m/s", "speed of the bead at the start")
    duration: float = go.parameter(1.0, "s", "simulated time")
    gravity: float = go.parameter(9.81, "m/s^2", "gravitational acceleration")

    def __post_init__(self) -> None:
        positive = ("block", "bead", "radius", "block_speed", "bead_speed", "duration", "gravity")
        for name in positive:
            if not getattr(self, name) > 0.0:
                raise go.InputError(f"{name} must be positive")
        if self.resistance < 0.0 or not 0.0 <= self.angle < 90.0:
            raise go.InputError("resistance must be at least 0, and angle from 0 to below 90 deg")
        if self.block_speed + self.acceleration * self.duration <= 0.0:
            stop = -self.block_speed / self.acceleration
            raise go.InputError(
                f"the block comes to rest after {stop:.3g} s, where this resistance has no "
                f"direction: choose a shorter duration, a steeper incline or less resistance"
            )

    @property
    def acceleration(self) -> float:
        """Acceleration of the block, downhill."""
        a = np.radians(self.angle)
        return float(self.gravity * (np.sin(a) - self.resistance * np.cos(a)))

    @property
    def downhill(self) -> np.ndarray:
        """Direction in which the block slides."""
        return np.array([np.cos(np.radians(self.angle)), -np.sin(np.radians(self.angle))])

    def turned(self, t: np.ndarray) -> np.ndarray:
        """Angle of the bead, in closed form."""
        rate, mu = self.bead_speed / self.radius, self.resistance
        return np.asarray(np.log1p(mu * rate * t) / mu if mu else rate * t)

    def build(self) -> go.Setup:
        mu, (along, down), weight = self.resistance, self.downhill, self.block * self.gravity

        def against(v, normal):
            return -mu * np.linalg.norm(normal) * v / np.linalg.norm(v)

        def resistance(q, v, t, ideal_force):
            block = against(v[:2], ideal_force[:2])
            return np.concatenate([block, against(v[2:], ideal_force[2:])])

        bodies = go.System(
            mass=[self.block, self.block, self.bead, self.bead],
            force=[0.0, -weight, 0.0, 0.0],
            constraints=[
                go.Holonomic("incline", lambda q, t: along * q[1] - down * q[0]),
                go.Holonomic("wire", lambda q, t: np.hypot(q[2], q[3]) - self.radius),
            ],
            nonideal=resistance,
            potential=lambda q, t: weight * q[1],
            coordinates=["block x", "block y", "bead x", "bead y"],
        )
        q0 = [0.0, 0.0, self.radius, 0.0]
        v0 = [*(self.block_speed * self.downhill), 0.0, self.bead_speed]
        return go.Setup(bodies, q0, v0, (0.0, self.duration), {"rtol": 1e-11})

    def check(self, result: go.Result) -> Iterator[go.Check]:
        yield from self._block(result)
        yield from self._bead(result)
        yield from self._split(result)
        yield go.Check.at_most("relative drift", result.stats.worst_drift, 1e-9)
        account = np.abs(result.energy.residual).max() / result.energy.kinetic.max()
        yield go.Check.at_most("energy account, relative", account, 1e-9)

    def _block(self, result: go.Result) -> Iterator[go.Check]:
        t, a = float(result.t[-1]), self.acceleration
        slid = self.block_speed * t + 0.5 * a * t**2
        yield go.Check("distance slid", result.q[-1, :2] @ self.downhill, slid, 1e-8, "m")
        ours = result.a[:, :2] @ self.downhill
        yield go.Check("acceleration of the block", ours[-1], a, 1e-10, "m/s^2")
        if self.at_defaults:
            yield go.Check("the same, tabulated", ours[-1], 3.205858157775, 1e-10, "m/s^2")
        normal = self.block * self.gravity * np.cos(np.radians(self.angle))
        force = result.constraint_force
        ideal = np.linalg.norm(force.ideal[:, :2], axis=1)
        nonideal = -force.nonideal[:, :2] @ self.downhill
        yield go.Check.relative("normal force", ideal[-1], normal, 1e-9, "N")
        off = np.abs(nonideal - self.resistance * normal).max()
        yield go.Check.at_most("largest error of the resistance", off, 1e-9 * normal, "N")

    def _bead(self, result: go.Result) -> Iterator[go.Check]:
        speed = np.linalg.norm(result.v[:, 2:], axis=1)
        angle = np.unwrap(np.arctan2(result.q[:, 3], result.q[:, 2]))
        by_angle = self.bead_speed * np.exp(-self.resistance * angle)
        off = np.abs(speed - by_angle).max()
        yield go.Check.at_most("largest difference from v0 exp(-mu theta)", off, 1e-8, "m/s")
        yield go.Check("angle at the end", angle[-1], self.turned(result.t[-1]), 1e-8, "rad")
        normal = self.bead * by_angle**2 / self.radius
        ideal = np.linalg.norm(result.constraint_force.ideal[:, 2:], axis=1)
        off = np.abs(ideal / normal - 1.0).max()
        yield go.Check.at_most("largest relative error of the wire's force", off, 1e-8)

    def _split(self, result: go.Result) -> Iterator[go.Check]:
        """The two parts are orthogonal, and the acceleration is that of a + c."""
        mass = np.array([self.block, self.block, self.bead, self.bead])
        if self.resistance > 0.0:
            parts = result.constraint_force
            ideal, nonideal = parts.ideal / np.sqrt(mass), parts.nonideal / np.sqrt(mass)
            sizes = np.linalg.norm(ideal, axis=1) * np.linalg.norm(nonideal, axis=1)
            cosine = np.abs((ideal * nonideal).sum(axis=1) / sizes).max()
            yield go.Check.at_most("cosine between the two parts", cosine, 1e-12)
        # Udwadia and Kalaba's formula for ideal constraints, with c added to the free acceleration.
        q, v, g = result.q[-1], result.v[-1], self.gravity
        block, bead = v[:2] / np.linalg.norm(v[:2]), np.linalg.norm(v[2:]) * v[2:]
        c = -self.resistance * np.array([*(g * self.downhill[0] * block), *(bead / self.radius)])
        free = np.array([0.0, -g, 0.0, 0.0]) + c
        rows = np.zeros((2, 4))
        rows[0, :2] = -self.downhill[1], self.downhill[0]
        rows[1, 2:] = q[2:] / self.radius
        b = np.array([0.0, -(v[2:] @ v[2:]) / self.radius])
        step = np.linalg.pinv(rows / np.sqrt(mass)) @ (b - rows @ free)
        off = np.abs(result.a[-1] - (free + step / np.sqrt(mass))).max()
        yield go.Check.at_most("acceleration beside the ideal one with a + c", off, 1e-8, "m/s^2")

    def draw(self, q: np.ndarray, t: float) -> list[scene.Shape]:
        end = self.block_speed * self.duration + 0.5 * self.acceleration * self.duration**2
        r, normal = self.radius, self.downhill[::-1] * [-1, 1]
        size = 0.05 * max(end, 2.0 * r)
        corners = [(-1.5, 0), (1.5, 0), (1.5, 1.6), (-1.5, 1.6)]
        block = [q[:2] + size * (x * self.downhill + y * normal) for x, y in corners]
        x, y = end * self.downhill
        # The wire is drawn in the free corner above the lower end of the incline.
        centre = np.array([x - r, y + 2.2 * r * np.tan(np.radians(self.angle)) + 1.3 * r])
        angles = np.linspace(0.0, 2.0 * np.pi, 73)
        ring = centre + r * np.column_stack([np.cos(angles), np.sin(angles)])
        return [
            scene.ground(-3.0 * size * self.downhill, (end + 3.0 * size) * self.downhill),
            scene.polygon(block),
            scene.line(ring, role="ground", width=3.0),
            scene.trail(centre + q[2:], role="second", width=1.5),
            scene.dot(centre + q[2:], role="second", size=10),
            scene.text(centre + np.array([0.0, 1.3 * r]), "seen from above", size=8),
        ]

    def figures(self, result: go.Result) -> Mapping[str, Callable[[], Figure]]:
        return {"constraint force": lambda: self._parts(result)}

    def _parts(self, result: go.Result) -> Figure:
        """Both parts of the constraint force of both bodies over time."""
        from matplotlib.figure import Figure

        figure = Figure(figsize=(8.0, 3.4), layout="constrained")
        for axes, name, part in zip(
            figure.subplots(1, 2), ("block", "bead"), (slice(2), slice(2, 4)), strict=True
        ):
            force = result.constraint_force
            for word, colour, vectors in (
                ("ideal: the normal force", "#0072B2", force.ideal),
                ("non-ideal: the resistance", "#D55E00", force.nonideal),
            ):
                size = np.linalg.norm(vectors[:, part], axis=1)
                axes.plot(result.t, size, color=colour, label=word)
            axes.set(title=name, xlabel="time (s)", ylabel="force (N)", ylim=(0.0, None))
        figure.axes[1].legend(frameon=False)
        return figure
