"""A light mass on a stiff spring beats against a stop until its weight holds it there.

Teaches scales: the spring makes the first impact happen at some 300 m/s, and after more than a
hundred impacts a weight of 10 mN decides when the motion ends. Impacts are first evenly spaced, by
half a period of the spring, and in the end like those of a bouncing ball.

Reference: Siconos for the first impact, and closed form: the mass leaves the stop with e times its
speed of arrival, v, and returns after 2 atan(w v / g) / w, where w^2 = k / m.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

import gauss_opt as go
from gauss_opt.viz import scene


@dataclass(frozen=True)
class OscillatorOnStop(go.Case):
    """A mass on a spring whose unloaded end is at a stop."""

    reference = "Siconos (oscillator on a stop), and harmonic flights in closed form"
    laws = ("newton", "poisson", "sequential")

    mass: float = go.parameter(1e-3, "kg", "mass")
    stiffness: float = go.parameter(100.0, "N/m", "spring, relaxed when the mass is at the stop")
    height: float = go.parameter(1.0, "m", "height above the stop it is released at")
    restitution: float = go.parameter(0.9, "", "coefficient of restitution, below 1")
    gravity: float = go.parameter(9.81, "m/s^2", "gravitational acceleration")

    def __post_init__(self) -> None:
        for name in ("mass", "stiffness", "height", "gravity"):
            if not getattr(self, name) > 0.0:
                raise go.InputError(f"{name} must be positive, got {getattr(self, name):g}")
        if not 0.0 <= self.restitution < 1.0:
            raise go.InputError(
                f"restitution must be at least 0 and below 1 for the mass to come to rest, "
                f"got {self.restitution:g}"
            )

    @property
    def frequency(self) -> float:
        """Of the mass on its spring, in rad/s."""
        return float(np.sqrt(self.stiffness / self.mass))

    @property
    def sag(self) -> float:
        """How far below the stop the weight would pull the mass."""
        return self.mass * self.gravity / self.stiffness

    @property
    def first(self) -> tuple[float, float]:
        """Time of the first impact, and speed of arrival."""
        radius, w = self.height + self.sag, self.frequency
        return float(np.arccos(self.sag / radius)) / w, w * float(np.sqrt(radius**2 - self.sag**2))

    def impacts(self) -> np.ndarray:
        """Times of all impacts, until they no longer differ: the last is where they accumulate."""
        (t, v), w, e = self.first, self.frequency, self.restitution
        times = [t]
        while (flight := 2.0 * np.arctan2(e * v, self.sag * w) / w) > 1e-20 * t:
            t, v = t + flight, e * v
            times.append(t)
        return np.array(times)

    def build(self) -> go.Setup:
        m, k, g = self.mass, self.stiffness, self.gravity
        oscillator = go.System(
            mass=[m],
            force=lambda q, v, t: np.array([-k * q[0] - m * g]),
            contacts=[go.Contact("stop", lambda q, t: q[0], restitution=self.restitution)],
            potential=lambda q, t: 0.5 * k * q[0] ** 2 + m * g * q[0],
            coordinates=["y"],
        )
        span = (0.0, 1.15 * float(self.impacts()[-1]))
        return go.Setup(oscillator, [self.height], [0.0], span, {"rtol": 1e-12})

    def check(self, result: go.Result) -> Iterator[go.Check]:
        impacts = [event for event in result.events if event.kind == "impact"]
        exact, arrival = self.impacts(), self.first[1]
        first, rest = impacts[0], result.events[-1]
        yield go.Check("first impact", first.t, exact[0], 1e-10, "s")
        yield go.Check.relative("its speed before", -first.v_before[0], arrival, 1e-10, "m/s")
        for k in (1, 10, 30, 60):
            if k < min(len(impacts), len(exact)) - 10:
                yield go.Check(f"impact {k + 1}", impacts[k].t, exact[k], 1e-8, "s")
        yield go.Check("at rest from", rest.t, exact[-1], 1e-8, "s")
        weight = self.mass * self.gravity
        force = result.multipliers["stop"][-1]
        yield go.Check.relative("stop force at rest", force, weight, 1e-8, "N")
        if self.at_defaults:
            yield go.Check("first impact, Siconos", first.t, 0.00496698394388863, 1e-10, "s")
            before, after = first.v_before[0], first.v_after[0]
            yield go.Check.relative(
                "velocity before, Siconos", before, -316.258786439207, 1e-10, "m/s"
            )
            yield go.Check.relative("velocity after, Siconos", after, 284.632907795, 1e-10, "m/s")
            yield go.Check.relative("stop force at rest, Siconos", force, 9.81e-3, 1e-8, "N")
        deepest = -result.gaps["stop"].min() / self.height
        yield go.Check.at_most("deepest penetration, of the height", deepest, 1e-9)
        account = np.abs(result.energy.residual).max() / result.energy.total[0]
        yield go.Check.at_most("energy account, relative", account, 1e-9)

    def draw(self, q: np.ndarray, t: float) -> list[scene.Shape]:
        size = self.height
        post, block = 0.28 * size, 0.12 * size
        low, high = q[0], q[0] + 2.0 * block
        return [
            # The stop is a ledge that the block overhangs; the spring ends below it.
            scene.ground([-post, 0.0], [-0.7 * block, 0.0], depth=0.08 * size, contacts="stop"),
            scene.ground([0.7 * block, 0.0], [post, 0.0], depth=0.08 * size, contacts="stop"),
            scene.ground([-post, -0.7 * size], [post, -0.7 * size], depth=0.08 * size),
            scene.spring([0.0, -0.7 * size], [0.0, q[0]], width=0.06 * size),
            scene.polygon(
                [[-block, low], [block, low], [block, high], [-block, high]], contacts="stop"
            ),
        ]
