"""A robot arm comes down upon a table, bounces with its hand, and holds it pressed down.

Teaches a mechanism from bodies, pins, servos and shapes: no gap and no constraint is written by
hand. The servos of shoulder and elbow pull the arm to a place below the table; the hand, round,
strikes the table again and again, comes to rest on it and slides until the arm hangs in balance.

Reference: the equations of motion of the two angles, integrated by scipy from impact to impact; the
impulse of each impact by the two angles; at the end, statics.
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

COMPARED = 4  # impacts
UPPER, LOWER = 0.5, 0.4  # lengths in m
MASSES = (3.0, 2.0)  # kg
STIFFNESS, DAMPING = (90.0, 40.0), (4.0, 1.5)  # of shoulder and elbow: N m/rad, N m s/rad
RADIUS = 0.03  # of the lower arm with its hand


@dataclass(frozen=True)
class RobotArm(go.Case):
    """Two arms with a servo each above a table."""

    reference = "the equations of motion of two angles by scipy; statics"
    laws = ("newton", "poisson", "sequential")

    height: float = go.parameter(0.45, "m", "height of the shoulder over the table")
    shoulder: float = go.parameter(-60.0, "deg", "angle that the shoulder's servo pulls to")
    elbow: float = go.parameter(10.0, "deg", "angle that the elbow's servo pulls to")
    restitution: float = go.parameter(0.5, "", "coefficient of restitution of hand and table")
    gravity: float = go.parameter(9.81, "m/s^2", "gravitational acceleration")
    duration: float = go.parameter(2.5, "s", "simulated time")

    def __post_init__(self) -> None:
        if not min(self.height, self.duration) > 0.0:
            raise go.InputError("height and duration must be positive")

    @property
    def wanted(self) -> tuple[float, float]:
        """What the servos pull to, in radians."""
        return float(np.radians(self.shoulder)), float(np.radians(self.elbow))

    @cached_property
    def arm(self) -> pl.Mechanism:
        """The mechanism."""
        m = pl.Mechanism(gravity=self.gravity)
        table = m.fixed("table", pl.Box(1.6, 0.06, (0.5, -0.03)))
        upper = m.body(
            "upper", pl.Rod(UPPER, 0.02), mass=MASSES[0], inertia=MASSES[0] * UPPER**2 / 12
        )
        lower = m.body(
            "lower", pl.Rod(LOWER, RADIUS), mass=MASSES[1], inertia=MASSES[1] * LOWER**2 / 12
        )
        m.pin("shoulder", m.ground.at(0, self.height), upper.start)
        m.pin("elbow", upper.end, lower.start)
        for name, a, b, k in (("servo 1", m.ground, upper, 0), ("servo 2", upper, lower, 1)):
            m.turning_spring(name, a, b, angle=self.wanted[k], stiffness=STIFFNESS[k],
                             damping=DAMPING[k])  # fmt: skip
        m.collide(table, lower, restitution=self.restitution)
        return m

    def build(self) -> go.Setup:
        _, upper, lower = (body for body in self.arm.bodies if body.name != "ground")
        start = self.arm.assemble({upper.angle: 0.3, lower.angle: 0.5})
        span = (0.0, self.duration)
        return go.Setup(self.arm.system, start.q, start.v, span, {"rtol": 1e-11})

    # The same with two angles

    def matrix(self, a: np.ndarray) -> np.ndarray:
        """Mass of the two angles."""
        (m1, m2), l1, l2 = MASSES, UPPER, LOWER
        both = 0.5 * m2 * l1 * l2 * np.cos(a[0] - a[1])
        return np.array([[(m1 / 3.0 + m2) * l1**2, both], [both, m2 * l2**2 / 3.0]])

    def load(self, a: np.ndarray, w: np.ndarray) -> np.ndarray:
        """Weight, servos, and the terms with squares of speeds."""
        (m1, m2), l1, l2, g = MASSES, UPPER, LOWER, self.gravity
        pull = 0.5 * m2 * l1 * l2 * np.sin(a[0] - a[1])
        first = STIFFNESS[0] * (self.wanted[0] - a[0]) - DAMPING[0] * w[0]
        second = STIFFNESS[1] * (self.wanted[1] - (a[1] - a[0])) - DAMPING[1] * (w[1] - w[0])
        weight = [(0.5 * m1 + m2) * g * l1 * np.cos(a[0]), 0.5 * m2 * g * l2 * np.cos(a[1])]
        return np.array([
            first - second - weight[0] - pull * w[1] ** 2, second - weight[1] + pull * w[0] ** 2
        ])  # fmt: skip

    def hand(self, a: np.ndarray) -> tuple[float, np.ndarray]:
        """Gap of the hand over the table, and its derivative by the angles."""
        gap = self.height + UPPER * np.sin(a[0]) + LOWER * np.sin(a[1]) - RADIUS
        return gap, np.array([UPPER * np.cos(a[0]), LOWER * np.cos(a[1])])

    def impacts(self) -> Iterator[tuple[float, np.ndarray, float]]:
        """Time, angular velocities after, and impulse of one impact after the other."""

        def slope(t: float, y: np.ndarray) -> np.ndarray:
            return np.concatenate(
                [y[2:], np.linalg.solve(self.matrix(y[:2]), self.load(y[:2], y[2:]))]
            )

        def reached(t: float, y: np.ndarray) -> float:
            return self.hand(y[:2])[0]

        reached.terminal, reached.direction = True, -1.0  # type: ignore[attr-defined]
        t, y = 0.0, np.array([0.3, 0.5, 0.0, 0.0])
        while True:
            accuracy = {"method": "DOP853", "rtol": 1e-12, "atol": 1e-13}
            flight = solve_ivp(slope, (t, self.duration), y, events=reached, **accuracy)
            if flight.status != 1:
                return
            t, y = float(flight.t_events[0][0]), flight.y_events[0][0]
            row = self.hand(y[:2])[1]
            answer = np.linalg.solve(self.matrix(y[:2]), row)
            impulse = -(1.0 + self.restitution) * float(row @ y[2:]) / float(row @ answer)
            y = np.concatenate([y[:2], y[2:] + impulse * answer])
            yield t, y[2:], impulse

    def check(self, result: go.Result) -> Iterator[go.Check]:
        hits = [event for event in result.events if event.kind == "impact"]
        pairs = list(zip(hits[:COMPARED], self.impacts(), strict=False))
        for k, (hit, (t, speeds, impulse)) in enumerate(pairs, 1):
            yield go.Check(f"impact {k}", hit.t, t, 1e-8, "s")
            off = np.abs(hit.v_after[[2, 5]] - speeds).max()
            yield go.Check.at_most(f"speeds after it, off two angles, {k}", off, 1e-6, "rad/s")
            given = hit.impulses[hit.contacts[0]]
            yield go.Check.relative(f"its impulse, {k}", given, impulse, 1e-7, "N s")
        run = self.arm.read(result)
        angles, speeds = result.q[-1, [2, 5]], result.v[-1, [2, 5]]
        if self.at_defaults:
            yield go.Check.at_most("speed at the end", np.abs(speeds).max(), 1e-3, "rad/s")
            push = -self.load(angles, speeds)[1] / self.hand(angles)[1][1]
            force = run.reaction("table-lower").force[-1, 1]
            yield go.Check.relative("force on the hand, by statics", force, push, 1e-3, "N")
            yield go.Check("height of the hand", self.hand(angles)[0], 0.0, 1e-9, "m")
        joints = max(np.abs(result.values[name]).max() for name in ("shoulder", "elbow"))
        yield go.Check.at_most("drift of the pins", joints, 1e-9, "m")
        energy = result.energy
        size = energy.kinetic.max() + np.ptp(energy.potential)
        yield go.Check.at_most("energy account", np.abs(energy.residual).max() / size, 1e-7)

    def draw(self, q: np.ndarray, t: float) -> list[scene.Shape]:
        lower = self.arm.bodies[-1]
        hand = q[3:5] + 0.5 * LOWER * np.array([np.cos(q[5]), np.sin(q[5])])
        assert lower.name == "lower"
        return [scene.trail(hand), *self.arm.draw(q, t)]
