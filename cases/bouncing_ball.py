"""A ball bounces on a floor, infinitely often in a finite time, and comes to rest.

Teaches impacts with restitution, and their accumulation: the intervals between impacts shrink by
the factor e, so that their sum is finite. The run goes on through it; afterwards the floor carries
the ball.

Reference: closed form. The first impact is at sqrt(2 h / g), every interval is e times the one
before, and the ball rests from sqrt(2 h / g) (1 + e) / (1 - e) on.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

import gauss_opt as go
from gauss_opt.viz import scene

# Accumulation times for h = 1 m and g = 9.81 m/s^2 with other coefficients of restitution.
OTHERS = {0.5: 1.3545709229572, 0.9: 8.5789491787289}


@dataclass(frozen=True)
class BouncingBall(go.Case):
    """A point mass that falls on a floor."""

    reference = "closed form: a geometric series of flights"
    laws = ("newton", "poisson", "sequential")

    height: float = go.parameter(1.0, "m", "height it is dropped from")
    restitution: float = go.parameter(0.8, "", "coefficient of restitution")
    speed: float = go.parameter(0.5, "m/s", "horizontal speed")
    gravity: float = go.parameter(9.81, "m/s^2", "gravitational acceleration")

    def __post_init__(self) -> None:
        if not (self.height > 0.0 and self.gravity > 0.0):
            raise go.InputError("height and gravity must be positive")

    @property
    def fall(self) -> float:
        """Time to the first impact."""
        return float(np.sqrt(2.0 * self.height / self.gravity))

    @property
    def rest(self) -> float:
        """Time at which the impacts accumulate; never, when they lose nothing."""
        if self.restitution == 1.0:
            return float("inf")
        return self.fall * (1.0 + self.restitution) / (1.0 - self.restitution)

    @property
    def end(self) -> float:
        """Time simulated."""
        return min(1.25 * self.rest, 100.0 * self.fall)

    def build(self) -> go.Setup:
        g = self.gravity
        ball = go.System(
            mass=[1.0, 1.0],
            force=[0.0, -g],
            contacts=[go.Contact("floor", lambda q, t: q[1], restitution=self.restitution)],
            potential=lambda q, t: g * q[1],
            coordinates=["x", "y"],
            units=["m", "m"],
        )
        return go.Setup(ball, [0.0, self.height], [self.speed, 0.0], (0.0, self.end))

    def check(self, result: go.Result) -> Iterator[go.Check]:
        impacts = [event for event in result.events if event.kind == "impact"]
        e = self.restitution
        for k, event in enumerate(impacts[:6]):
            exact = self.fall * (1.0 + 2.0 * sum(e**i for i in range(1, k + 1)))
            yield go.Check(f"impact {k + 1}", event.t, exact, 1e-10, "s")
        if self.rest < self.end and e > 0.0:
            (end,) = (event for event in result.events if event.kind == "accumulation")
            yield go.Check.relative("the impacts accumulate", end.t, self.rest, 1e-10, "s")
        if self.rest < self.end:
            force = result.multipliers["floor"][-1]
            yield go.Check("floor force at rest", force, self.gravity, 1e-9, "N")
        yield go.Check("it slides on", result.v[-1, 0], self.speed, 1e-12, "m/s")
        yield go.Check.at_most("deepest penetration", -result.gaps["floor"].min(), 1e-9, "m")
        yield go.Check.at_most("energy account", np.abs(result.energy.residual).max(), 1e-8, "J")
        if self.at_defaults:
            for other, exact in OTHERS.items():
                bounced = replace(self, restitution=other).run()
                (end,) = (event for event in bounced.events if event.kind == "accumulation")
                yield go.Check(f"accumulation for e = {other}", end.t, exact, 1e-9, "s")

    def draw(self, q: np.ndarray, t: float) -> list[scene.Shape]:
        right = self.speed * self.end + 0.3
        return [
            scene.ground([-0.3, 0.0], [right, 0.0], contacts="floor"),
            scene.trail(q),
            scene.dot(q, size=9, contacts="floor"),
        ]
