"""A ball strikes the lower end of a hanging rod, which swings up on its hinge.

Teaches an impact that a hinge takes part in: contact and hinge are rows of one problem, and the
hinge's own impulse comes with the answer. The rod is modelled by its centre and its angle, so that
this impulse is visible.

Reference: F. P. Beer, E. R. Johnston, Vector Mechanics for Engineers: Dynamics, sample problem
17.10: 45/14 rad/s and -1/7 m/s. Closed form for other values, and an integration of the swinging
rod with its angle alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.integrate import solve_ivp
from scipy.special import ellipk

import gauss_opt as go
from gauss_opt.viz import scene

BALL = 0.06  # radius drawn, as part of the length of the rod


@dataclass(frozen=True)
class StruckRod(go.Case):
    """A uniform rod on a hinge, and a ball that slides along a rail."""

    reference = "Beer and Johnston, sample problem 17.10; closed form"
    laws = ("newton", "poisson", "sequential")

    rod_mass: float = go.parameter(8.0, "kg", "mass of the rod")
    length: float = go.parameter(1.2, "m", "length of the rod")
    ball_mass: float = go.parameter(2.0, "kg", "mass of the ball")
    speed: float = go.parameter(5.0, "m/s", "speed of the ball")
    restitution: float = go.parameter(0.8, "", "coefficient of restitution")
    distance: float = go.parameter(1.0, "m", "distance the ball travels to the impact")
    gravity: float = go.parameter(9.81, "m/s^2", "gravitational acceleration")

    def __post_init__(self) -> None:
        for name in (p.name for p in self.parameters() if p.name != "restitution"):
            if not getattr(self, name) > 0.0:
                raise go.InputError(f"{name} must be positive, got {getattr(self, name):g}")

    @property
    def inertia(self) -> float:
        """Of the rod about its hinge."""
        return self.rod_mass * self.length**2 / 3.0

    @property
    def after(self) -> tuple[float, float]:
        """Rate of the rod and velocity of the ball after the impact.

        The moment of momentum about the hinge is kept, m v L = I w + m v+ L, and the end of the
        rod leaves the ball at e times the speed of approach, w L - v+ = e v.
        """
        m, v, length = self.ball_mass, self.speed, self.length
        rate = (1.0 + self.restitution) * m * v * length / (self.inertia + m * length**2)
        return rate, rate * length - self.restitution * v

    @property
    def frequency(self) -> float:
        """Of small swings of the rod, in rad/s."""
        return float(np.sqrt(0.5 * self.rod_mass * self.gravity * self.length / self.inertia))

    @property
    def return_time(self) -> float:
        """Within this time after the impact, the end of the rod does not come back to the left."""
        rate, w = self.after[0], self.frequency
        over_the_top = 2.0 * ellipk((2.0 * w / rate) ** 2) / rate if rate > 2.0 * w else np.inf
        return float(min(np.pi / w, over_the_top))

    def build(self) -> go.Setup:
        half, m, g = 0.5 * self.length, self.rod_mass, self.gravity

        def hinge(q, t):
            return np.array([q[0] - half * np.sin(q[2]), q[1] + half * np.cos(q[2])])

        def tip(q, t):
            return q[0] + half * np.sin(q[2]) - q[3]

        system = go.System(
            mass=[m, m, m * self.length**2 / 12.0, self.ball_mass],
            force=[0.0, -m * g, 0.0, 0.0],
            constraints=[go.Holonomic("hinge", hinge)],
            contacts=[go.Contact("tip", tip, restitution=self.restitution)],
            potential=lambda q, t: m * g * q[1],
            coordinates=["x", "y", "angle", "ball"],
        )
        q0, v0 = [0.0, -half, 0.0, -self.distance], [0.0, 0.0, 0.0, self.speed]
        end = self.distance / self.speed + 0.8 * self.return_time
        return go.Setup(system, q0, v0, (0.0, end), {"rtol": 1e-11})

    def check(self, result: go.Result) -> Iterator[go.Check]:
        impact = next(event for event in result.events if event.kind == "impact")
        hit, (rate, ball) = self.distance / self.speed, self.after
        yield go.Check("impact", impact.t, hit, 1e-10, "s")
        yield go.Check.relative("rate of the rod after", impact.v_after[2], rate, 1e-9, "rad/s")
        tolerance = 1e-9 * self.speed
        yield go.Check("velocity of the ball after", impact.v_after[3], ball, tolerance, "m/s")
        if self.at_defaults:
            book = {"rate of the rod": (2, 45 / 14, "rad/s"), "ball": (3, -1 / 7, "m/s")}
            for what, (i, exact, unit) in book.items():
                yield go.Check(f"{what}, book", impact.v_after[i], exact, 1e-10, unit)
        blow = self.ball_mass * (self.speed - ball)
        yield go.Check.relative("impulse of the ball", impact.impulses["tip"], blow, 1e-9, "N s")
        # The hinge gives what the centre of the rod gains beyond the blow.
        across = self.rod_mass * 0.5 * self.length * rate - blow
        for i, exact in enumerate((across, 0.0)):
            value = impact.impulses["hinge"][i]
            yield go.Check(f"hinge impulse in {'xy'[i]}", value, exact, 1e-9 * blow, "N s")
        if ball <= 0.0:  # otherwise the ball follows the rod and strikes again
            angle, turning = self._swing(rate, result.t[-1] - hit)
            yield go.Check("angle at the end", result.q[-1, 2], angle, 1e-8, "rad")
            yield go.Check("rate at the end", result.v[-1, 2], turning, 1e-8, "rad/s")
        yield go.Check.at_most(
            "drift of the hinge", np.abs(result.values["hinge"]).max(), 1e-9, "m"
        )
        yield go.Check.at_most("deepest penetration", -result.gaps["tip"].min(), 1e-9, "m")
        account = np.abs(result.energy.residual).max() / (0.5 * self.ball_mass * self.speed**2)
        yield go.Check.at_most("energy account, relative", account, 1e-9)

    def _swing(self, rate: float, duration: float) -> tuple[float, float]:
        """Angle and rate of the rod some time after it hung with a rate."""
        motion = solve_ivp(
            lambda t, y: [y[1], -(self.frequency**2) * np.sin(y[0])],
            (0.0, duration), [0.0, rate], method="DOP853", rtol=1e-12, atol=1e-13,
        )  # fmt: skip
        return float(motion.y[0, -1]), float(motion.y[1, -1])

    def draw(self, q: np.ndarray, t: float) -> list[scene.Shape]:
        size, radius = self.length, BALL * self.length
        tip = size * np.array([np.sin(q[2]), -np.cos(q[2])])
        across = 0.02 * size * np.array([np.cos(q[2]), np.sin(q[2])])
        # The ball is drawn left of the point it strikes with, half a thickness off the axis.
        ball = [q[3] - radius - 0.02 * size, -size]
        rail = -size - radius
        return [
            scene.ground([-1.3 * size, rail], [0.5 * size, rail], depth=0.05 * size),
            scene.ground([0.25 * size, 0.0], [-0.25 * size, 0.0], depth=0.05 * size),
            scene.trail(tip),
            scene.polygon([across, tip + across, tip - across, -across], contacts="tip"),
            scene.dot([0.0, 0.0], role="string", size=6),
            scene.disc(ball, radius, "second", contacts="tip"),
        ]
