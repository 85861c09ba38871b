"""A ball hits the ceiling and the floor of a box in turn, then only the floor, and rests.

Teaches two contacts that take turns, and a run in which one of them drops out: once the ball is too
slow for the ceiling, its bounces on the floor shrink and accumulate.

Reference: the two-contact ball example of Siconos for its times, and the same parabolas solved one
after the other in closed form for all parameters.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

import gauss_opt as go
from gauss_opt.viz import scene

SICONOS = (
    0.0513167019494862, 0.228318780052882, 0.466548616019545, 0.741359965747224, 1.83453542101504,
    2.7090757852293, 3.4087080766007,
)  # fmt: skip
SICONOS_REST = 6.20723724208631


@dataclass(frozen=True)
class BallInBox(go.Case):
    """A point mass between a floor and a ceiling."""

    reference = "Siconos (two-contact ball), and parabolas in closed form"
    laws = ("newton", "poisson", "sequential")

    ceiling: float = go.parameter(1.5, "m", "height of the ceiling above the floor")
    height: float = go.parameter(1.0, "m", "height at the start")
    speed: float = go.parameter(10.0, "m/s", "upward speed at the start")
    restitution: float = go.parameter(0.8, "", "coefficient of restitution of both")
    gravity: float = go.parameter(10.0, "m/s^2", "gravitational acceleration")
    duration: float = go.parameter(8.0, "s", "simulated time")

    def __post_init__(self) -> None:
        if not 0.0 < self.height < self.ceiling:
            raise go.InputError(
                f"height must be between the floor at 0 and the ceiling at {self.ceiling:g}, "
                f"got {self.height:g}"
            )
        if not (self.gravity > 0.0 and self.duration > 0.0):
            raise go.InputError("gravity and duration must be positive")

    def build(self) -> go.Setup:
        g, top, e = self.gravity, self.ceiling, self.restitution
        ball = go.System(
            mass=[1.0],
            force=[-g],
            contacts=[
                go.Contact("floor", lambda q, t: q[0], restitution=e),
                go.Contact("ceiling", lambda q, t: top - q[0], restitution=e),
            ],
            potential=lambda q, t: g * q[0],
            coordinates=["y"],
        )
        return go.Setup(ball, [self.height], [self.speed], (0.0, self.duration))

    def hits(self, count: int) -> list[tuple[float, str]]:
        """Times and places of the first hits, from one parabola to the next."""
        t, y, v, g = 0.0, self.height, self.speed, self.gravity
        found: list[tuple[float, str]] = []
        while len(found) < count:
            spare = v * v - 2.0 * g * (self.ceiling - y)
            if v > 0.0 and spare > 0.0:
                at, place, arrival = self.ceiling, "ceiling", float(np.sqrt(spare))
            else:
                at, place, arrival = 0.0, "floor", -float(np.sqrt(v * v + 2.0 * g * y))
            t, y, v = t + (v - arrival) / g, at, -self.restitution * arrival
            found.append((t, place))
        return found

    @property
    def rest(self) -> float:
        """Time at which the ball comes to rest, or infinity."""
        e = self.restitution
        if e == 1.0:
            return float("inf")
        # The intervals between far bounces on the floor are a geometric series.
        hits = self.hits(count=int(60 / (1.0 - e)))
        last, interval = hits[-1][0], hits[-1][0] - hits[-2][0]
        return last + interval * e / (1.0 - e)

    def check(self, result: go.Result) -> Iterator[go.Check]:
        impacts = [event for event in result.events if event.kind == "impact"]
        exact = [hit for hit in self.hits(count=12) if hit[0] < min(result.t[-1], self.rest)]
        for k, (t, place) in enumerate(exact):
            yield go.Check(f"hit {k + 1}, {place}", impacts[k].t, t, 1e-10, "s")
        pairs = zip(impacts, exact, strict=False)
        elsewhere = sum(event.contacts != (place,) for event, (_, place) in pairs)
        yield go.Check("hits on another surface than the exact ones", elsewhere, 0, 0)
        if self.at_defaults:
            for k, t in enumerate(SICONOS[: len(exact)]):
                yield go.Check(f"hit {k + 1}, Siconos", impacts[k].t, t, 1e-10, "s")
        if self.rest < result.t[-1]:
            end = result.events[-1]
            yield go.Check.relative("at rest from", end.t, self.rest, 1e-10, "s")
            force = result.multipliers["floor"][-1]
            yield go.Check("floor force at rest", force, self.gravity, 1e-9, "N")
            if self.at_defaults:
                yield go.Check("at rest from, Siconos", end.t, SICONOS_REST, 1e-10, "s")
        deepest = -min(gap.min() for gap in result.gaps.values())
        yield go.Check.at_most("deepest penetration", deepest, 1e-9, "m")
        account = np.abs(result.energy.residual).max() / result.energy.total[0]
        yield go.Check.at_most("energy account, relative", account, 1e-9)

    def draw(self, q: np.ndarray, t: float) -> list[scene.Shape]:
        # Time runs to the right, so that the trail shows the bounces.
        width = 1.6 * self.ceiling
        thick, place = 0.05 * self.ceiling, [width * t / self.duration, q[0]]
        left, right = -2.0 * thick, width + 2.0 * thick
        return [
            scene.ground([left, 0.0], [right, 0.0], depth=thick, contacts="floor"),
            scene.ground([right, self.ceiling], [left, self.ceiling], depth=thick,
                         contacts="ceiling"),
            scene.trail(place),
            scene.dot(place, size=10, contacts=("floor", "ceiling")),
        ]  # fmt: skip
