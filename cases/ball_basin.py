"""Where a ball on a vibrating table ends: bouncing with the table for ever, or at rest on it.

Teaches basins of attraction and sweeps: on this table both motions are stable, and it depends on
the start which of them remains. A sweep over starts draws the basin; those that end at rest lose
their energy in infinitely many impacts, which the run goes through.

Reference: an independent computation, the map from one impact to the next, with parabolas and
a root found by bisection; at rest the ball stays, since the table accelerates with less than g.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

import numpy as np
from scipy.optimize import brentq

import gauss_opt as go
from gauss_opt.viz import scene


@dataclass(frozen=True)
class BallBasin(go.Case):
    """A point mass that is dropped or thrown onto a table at A sin(w t)."""

    reference = "the map from impact to impact, computed independently"

    acceleration: float = go.parameter(0.9, "", "largest acceleration of the table over gravity")
    frequency: float = go.parameter(5.0, "Hz", "frequency of the table")
    restitution: float = go.parameter(0.6, "", "coefficient of restitution")
    gravity: float = go.parameter(9.81, "m/s^2", "gravitational acceleration")
    height: float = go.parameter(0.01, "m", "height at the start, at which the table is at 0")
    speed: float = go.parameter(0.0, "m/s", "velocity at the start, upwards")
    periods: int = go.parameter(12, "", "periods simulated")
    side: int = go.parameter(3, "", "heights, and velocities, of the basin; 40 make a picture")

    def __post_init__(self) -> None:
        for name in ("acceleration", "frequency", "gravity", "height", "periods", "side"):
            if not getattr(self, name) > 0:
                raise go.InputError(f"{name} must be positive, got {getattr(self, name):g}")
        least = np.pi * (1.0 - self.restitution) / (1.0 + self.restitution)
        if not least < self.acceleration < 1.0:
            raise go.InputError(
                f"both motions are there with accelerations between {least:.4g} and 1 only"
            )

    @property
    def omega(self) -> float:
        """Of the table, in rad/s."""
        return 2.0 * np.pi * self.frequency

    @property
    def amplitude(self) -> float:
        """Of the table, in m."""
        return self.acceleration * self.gravity / self.omega**2

    @property
    def end(self) -> float:
        """Time simulated."""
        return self.periods / self.frequency

    def flight(self, t: float, height: float, speed: float) -> float:
        """Time of the next impact of a flight from a state above the table."""
        A, w, g = self.amplitude, self.omega, self.gravity

        def gap(s: float) -> float:
            return height + speed * s - 0.5 * g * s * s - A * np.sin(w * (t + s))

        # The first change of sign, on a grid much finer than the motion of the table.
        times = np.linspace(0.0, 1.0 / self.frequency, 2001)[1:]
        shift = 0.0
        while True:
            below = np.flatnonzero(gap(shift + times) < 0.0)
            if len(below) and not shift and below[0] == 0:
                return float(t + times[0])  # as good as at once
            if len(below):
                end = shift + times[below[0]]
                return float(t + brentq(gap, end - times[0], end, xtol=1e-15))
            shift += times[-1]

    def ends_at_rest(self, height: float, speed: float) -> bool:
        """Whether the map from impact to impact comes to an end."""
        A, w, g, e = self.amplitude, self.omega, self.gravity, self.restitution
        t = 0.0
        while t < self.end:
            hit = self.flight(t, height, speed)
            if hit - t < 1e-3 / self.frequency and t > 0.0:
                return True
            table, speed = A * w * np.cos(w * hit), speed - g * (hit - t)
            t, height, speed = hit, A * np.sin(w * hit), table - e * (speed - table)
        return False

    def system(self) -> go.System:
        """The ball above the table."""
        g, w, A = self.gravity, self.omega, self.amplitude
        table = go.Contact(
            "table", lambda q, t: q[0] - A * np.sin(w * t), restitution=self.restitution
        )
        return go.System(
            mass=[1.0], force=[-g], contacts=[table], potential=lambda q, t: g * q[0],
            coordinates=["height"], units=["m"],
        )  # fmt: skip

    def build(self) -> go.Setup:
        return go.Setup(self.system(), [self.height], [self.speed], (0.0, self.end))

    @cache  # noqa: B019 - a case is small
    def basin(self) -> go.Sweep:
        """For each start whether the ball ends at rest."""
        top = 0.5 * self.gravity / self.frequency  # the speed with which the orbit bounces

        def rests(system, height, speed):
            run = go.simulate(system, [height], [speed], (0.0, self.end), solver="daqp")
            return {"rests": bool(run.multipliers["table"][-1] > 0.0), "impacts": run.stats.impacts}

        grid = {
            "height": np.linspace(0.002, 0.08, self.side),
            "speed": np.linspace(-top, 1.5 * top, self.side),
        }
        return go.sweep(self.system(), grid, rests)

    def check(self, result: go.Result) -> Iterator[go.Check]:
        first = next(event.t for event in result.events if event.kind == "impact")
        yield go.Check("first impact", first, self.flight(0.0, self.height, self.speed), 1e-10, "s")
        resting = float(result.multipliers["table"][-1] > 0.0)
        exact = self.ends_at_rest(self.height, self.speed)
        yield go.Check("at rest in the end", resting, float(exact), 0)
        if exact:
            pull = self.gravity - self.amplitude * self.omega**2 * np.sin(self.omega * self.end)
            yield go.Check("force of the table", result.multipliers["table"][-1], pull, 1e-8, "N")
        found = self.basin()
        yield go.Check("starts that failed", len(found.failures), 0, 0)
        other = sum(
            row.values["rests"] is not self.ends_at_rest(row.point["height"], row.point["speed"])
            for row in found
        )
        yield go.Check("starts that end otherwise than by the map", other, 0, 0)
        if self.at_defaults:
            kinds = len(set(found["rests"].tolist()))
            yield go.Check("motions that remain", kinds, 2, 0)

    def figures(self, result: go.Result):
        return {"basin": self.draw_basin}

    def draw_basin(self):
        """Starts that end at rest, and those that bounce for ever."""
        ax = self.basin().plot("rests", "height", "speed")
        ax.figure.axes[1].set_yticks([0.0, 1.0], ["bounces", "rests"])
        ax.figure.axes[1].set_ylabel("")
        ax.set_xlabel("height at the start (m)")
        ax.set_ylabel("velocity at the start (m/s)")
        return ax.figure

    def draw(self, q: np.ndarray, t: float) -> list[scene.Shape]:
        table = self.amplitude * np.sin(self.omega * t)
        ball = float(q[0])
        return [
            scene.line([[-0.02, table], [0.02, table]], "ground", 5.0, contacts="table"),
            scene.trail([0.0, ball]),
            scene.dot([0.0, ball], size=8, contacts="table"),
        ]
