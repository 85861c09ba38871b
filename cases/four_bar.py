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
from functools import cached_property

import numpy as np
from scipy.integrate import solve_ivp

import gauss_opt as go
import gauss_opt.planar as pl
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

    @cached_property
    def row(self) -> pl.Mechanism:
        """All rods and pins."""
        n, length = self.mechanisms, self.length
        m = pl.Mechanism(gravity=self.gravity)
        upright, level = 90.0 * pl.deg, 0.0
        cranks = [
            m.body(f"crank {i + 1}", pl.Rod(length), mass=self.mass, at=(i * length, 0.0),
                   angle=upright)
            for i in range(n + 1)
        ]  # fmt: skip
        couplers = [
            m.body(f"coupler {i + 1}", pl.Rod(length), mass=self.mass, at=(i * length, length),
                   angle=level)
            for i in range(n)
        ]  # fmt: skip
        for i, crank in enumerate(cranks):
            m.pin(f"foot {i + 1}", m.ground.at(i * length, 0.0), crank.start)
        for i, coupler in enumerate(couplers):
            m.pin(f"left {i + 1}", cranks[i].end, coupler.start)
            m.pin(f"right {i + 1}", cranks[i + 1].end, coupler.end)
        return m

    def build(self) -> go.Setup:
        first = self.row.bodies[1]
        start = self.row.assemble({first.end.vx: self.speed})
        return go.Setup(self.row.system, start.q, start.v, (0.0, self.duration), {"rtol": 1e-10})

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
        drift = max(np.abs(values).max() for values in result.values.values()) / self.length
        yield go.Check.at_most("drift", drift, 1e-9)
        total = result.energy.total
        size = result.energy.kinetic.max() or 1.0
        yield go.Check.at_most("energy changed", np.abs(total - total[0]).max() / size, 1e-6)

    def draw(self, q: np.ndarray, t: float) -> list[scene.Shape]:
        tip = self.length * np.array([np.cos(q[2]), np.sin(q[2])])
        return [scene.trail(tip), *self.row.draw(q, t)]
