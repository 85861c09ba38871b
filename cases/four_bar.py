"""Four-bar mechanisms in a row pass the flat position, where the constraint rank drops.

Upright cranks of equal length carry couplers; all are uniform rods. When the cranks lie flat, every
rod is on one line, the rows of the joints become dependent, and the forces in the joints are no
longer unique. Teaches that the run steps over such places and notes them in
``result.stats.rank_drops``.

Reference: one degree of freedom, theta'' = -(V / I) (g / L) cos(theta), with I = (N + 1)/3 + N and
V = (N + 1)/2 + N for N mechanisms; positions printed for problem A02 of the IFToMM multibody
benchmark.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.integrate import solve_ivp

import gauss_opt as go
from gauss_opt.viz import scene

# Tip of the first crank.
PUBLISHED = {
    1.0: (-0.19502030194944, -0.98079920566217),
    5.0: (-0.81131046100511, -0.58461554534898),
    10.0: (0.32845811154082, 0.9445185381786),
}


@dataclass(frozen=True)
class FourBar(go.Case):
    """Cranks on ground pins, and couplers between neighbouring cranks."""

    reference = "one degree of freedom by scipy; IFToMM multibody benchmark A02"

    mechanisms: int = go.parameter(2, "", "four-bar mechanisms in the row, N", least=1, most=50)
    length: float = go.parameter(1.0, "m", "length of each rod")
    mass: float = go.parameter(1.0, "kg", "mass of each rod")
    speed: float = go.parameter(1.0, "m/s", "speed of the couplers at the start")
    gravity: float = go.parameter(9.81, "m/s^2", "gravitational acceleration")
    duration: float = go.parameter(10.0, "s", "simulated time")

    def __post_init__(self) -> None:
        if self.mechanisms < 1:
            raise go.InputError(f"there must be at least one mechanism, got {self.mechanisms}")
        if not min(self.length, self.mass, self.duration) > 0.0:
            raise go.InputError("length, mass and duration must be positive")

    def build(self) -> go.Setup:
        n, half, weight = self.mechanisms, 0.5 * self.length, self.mass * self.gravity
        bodies = 2 * n + 1  # n + 1 cranks, then n couplers

        def joints(q, t):
            def end(body, side):
                x, y, angle = q[3 * body : 3 * body + 3]
                return np.array([x + side * half * np.cos(angle), y + side * half * np.sin(angle)])

            ground = [end(i, -1) - np.array([i * self.length, 0.0]) for i in range(n + 1)]
            left = [end(n + 1 + i, -1) - end(i, 1) for i in range(n)]
            right = [end(n + 1 + i, 1) - end(i + 1, 1) for i in range(n)]
            return np.concatenate([*ground, *left, *right])

        rod = [self.mass, self.mass, self.mass * self.length**2 / 12.0]
        system = go.System(
            mass=rod * bodies,
            force=[0.0, -weight, 0.0] * bodies,
            constraints=[go.Holonomic("joints", joints)],
            potential=lambda q, t: weight * sum(q[3 * i + 1] for i in range(bodies)),
            coordinates=[f"{c} {i + 1}" for i in range(bodies) for c in ("x", "y", "angle")],
        )
        cranks = [[i * self.length, half, 0.5 * np.pi] for i in range(n + 1)]
        couplers = [[(i + 0.5) * self.length, self.length, 0.0] for i in range(n)]
        turning = [0.5 * self.speed, 0.0, -self.speed / self.length]
        v0 = turning * (n + 1) + [self.speed, 0.0, 0.0] * n
        start = np.ravel(cranks + couplers)
        return go.Setup(system, start, v0, (0.0, self.duration), {"rtol": 1e-10})

    def angle(self, times: np.ndarray) -> np.ndarray:
        """Angle of the cranks, by the one degree of freedom."""
        n = self.mechanisms
        inertia, lever = (n + 1) / 3 + n, (n + 1) / 2 + n
        pull = lever / inertia * self.gravity / self.length
        start = [0.5 * np.pi, -self.speed / self.length]
        accuracy = {"method": "DOP853", "rtol": 1e-13, "atol": 1e-13}
        span = (0.0, times[-1])
        return solve_ivp(
            lambda t, y: [y[1], -pull * np.cos(y[0])], span, start, t_eval=times, **accuracy
        ).y[0]

    def check(self, result: go.Result) -> Iterator[go.Check]:
        if self.at_defaults:
            for t, tip in PUBLISHED.items():
                angle = result(t).q[2]
                yield go.Check(f"tip x at t = {t:g} s", np.cos(angle), tip[0], 1e-6, "m")
                yield go.Check(f"tip y at t = {t:g} s", np.sin(angle), tip[1], 1e-6, "m")
        off = np.abs(result.q[:, 2] - self.angle(result.t)).max()
        yield go.Check.at_most("crank off one degree of freedom", off, 1e-6, "rad")
        cranks = result.q[:, 2 : 3 * self.mechanisms + 3 : 3]
        yield go.Check.at_most("cranks not parallel", np.ptp(cranks, axis=1).max(), 1e-6, "rad")
        drops = result.stats.rank_drops
        if self.at_defaults:
            yield go.Check.at_most("no drop of the rank was noted", float(not drops), 0.0)
        flat = max((abs(np.sin(result(t).q[2])) for t in drops), default=0.0)
        yield go.Check.at_most("height of the tips at a noted drop, by length", flat, 0.05)
        drift = np.abs(result.values["joints"]).max() / self.length
        yield go.Check.at_most("drift", drift, 1e-9)
        total = result.energy.total
        size = result.energy.kinetic.max() or 1.0
        yield go.Check.at_most("energy changed", np.abs(total - total[0]).max() / size, 1e-6)

    def draw(self, q: np.ndarray, t: float) -> list[scene.Shape]:
        n, length = self.mechanisms, self.length
        bodies = q.reshape(-1, 3)
        along = 0.5 * length * np.column_stack([np.cos(bodies[:, 2]), np.sin(bodies[:, 2])])
        starts, ends = bodies[:, :2] - along, bodies[:, :2] + along
        row = [scene.line([a, b], "body", 7.0) for a, b in zip(starts[: n + 1], ends, strict=False)]
        row += [
            scene.line([a, b], "second", 5.0)
            for a, b in zip(starts[n + 1 :], ends[n + 1 :], strict=True)
        ]
        feet = [
            scene.polygon(
                np.array([[i, 0], [i - 0.08, -0.14], [i + 0.08, -0.14]]) * length, "ground"
            )
            for i in range(n + 1)
        ]
        pins = [scene.dot(p, "string", 3.0) for p in [*starts[: n + 1], *ends[: n + 1]]]
        return [*feet, scene.trail(ends[0]), *row, *pins]
