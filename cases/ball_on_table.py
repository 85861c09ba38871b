"""A ball bounces on a table that vibrates, once in each period of it.

Teaches the stability of periodic orbits: the orbit exists on a table that is fast enough, is stable
up to a certain amplitude, and from there on its period doubles. Both are found by following the
orbit over the amplitude.

Reference: closed form (P. J. Holmes, The dynamics of repeated impacts with a sinusoidally vibrating
table, 1982, without his assumption that the table hardly moves). The ball leaves with g T / 2, so
that the table moves with g T / 2 (1 - e) / (1 + e) at the impact; the monodromy has determinant e^2
and trace 1 + e^2 - (1 + e)^2 (A w^2 / g) sin(phase).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

import gauss_opt as go
from gauss_opt.viz import scene


@dataclass(frozen=True)
class BallOnTable(go.Case):
    """A point mass above a table at A sin(w t)."""

    reference = "closed form: parabolas between impacts at one phase"

    acceleration: float = go.parameter(1.0, "", "largest acceleration of the table over gravity")
    frequency: float = go.parameter(5.0, "Hz", "frequency of the table")
    restitution: float = go.parameter(0.6, "", "coefficient of restitution")
    gravity: float = go.parameter(9.81, "m/s^2", "gravitational acceleration")
    periods: int = go.parameter(12, "", "periods simulated")

    def __post_init__(self) -> None:
        for name in ("acceleration", "frequency", "gravity", "periods"):
            if not getattr(self, name) > 0:
                raise go.InputError(f"{name} must be positive, got {getattr(self, name):g}")
        if not 0.0 <= self.restitution < 1.0:
            raise go.InputError(
                f"restitution must be at least 0 and below 1, got {self.restitution:g}"
            )
        if not self.acceleration > self.limits()[0]:
            raise go.InputError(
                f"the ball keeps no period on a table with less than {self.limits()[0]:.4g} g"
            )

    @property
    def omega(self) -> float:
        """Of the table, in rad/s."""
        return 2.0 * np.pi * self.frequency

    @property
    def amplitude(self) -> float:
        """Of the table, in m."""
        return self.acceleration * self.gravity / self.omega**2

    def limits(self) -> tuple[float, float]:
        """Accelerations over g at which the orbit begins to exist, and at which it doubles."""
        e = self.restitution
        least = np.pi * (1.0 - e) / (1.0 + e)
        return float(least), float(np.hypot(least, 2.0 * (1.0 + e**2) / (1.0 + e) ** 2))

    def impact(self) -> tuple[float, float, float]:
        """Time and height of the impact, and velocity after it."""
        half = 0.5 * self.gravity / self.frequency
        e, A, w = self.restitution, self.amplitude, self.omega
        phase = float(np.arccos(half * (1.0 - e) / (1.0 + e) / (A * w)))
        return phase / w, A * np.sin(phase), half

    def state(self, t: float) -> tuple[float, float]:
        """Height and velocity of the orbit at a time."""
        hit, height, speed = self.impact()
        since = (t - hit) % (1.0 / self.frequency)
        g = self.gravity
        return height + speed * since - 0.5 * g * since**2, speed - g * since

    def trace(self) -> float:
        """Of the monodromy."""
        e, (hit, _, _) = self.restitution, self.impact()
        return float(1.0 + e**2 - (1.0 + e) ** 2 * self.acceleration * np.sin(self.omega * hit))

    def system(self) -> go.System:
        """The amplitude is a parameter."""
        g, w = self.gravity, self.omega
        table = go.Contact(
            "table", lambda q, t, A: q[0] - A * np.sin(w * t), restitution=self.restitution
        )
        return go.System(
            mass=[1.0],
            force=[-g],
            contacts=[table],
            potential=lambda q, t: g * q[0],
            parameters={"A": self.amplitude},
            coordinates=["height"],
            units=["m"],
        )

    def build(self) -> go.Setup:
        height, speed = self.state(0.0)
        span = (0.0, self.periods / self.frequency)
        return go.Setup(self.system(), [height], [speed], span, {"rtol": 1e-11})

    def orbit(self) -> go.Orbit:
        """The orbit from where the table is at its top, found from a guess a little off."""
        top = 0.25 / self.frequency
        height, speed = self.state(top)
        guess = ([1.001 * height], [speed], 1.0 / self.frequency)
        return go.periodic_orbit(self.system(), *guess, t0=top, solver="daqp")

    def check(self, result: go.Result) -> Iterator[go.Check]:
        hits = [event for event in result.events if event.kind == "impact"]
        hit, height, speed = self.impact()
        yield go.Check("number of impacts", len(hits), self.periods, 0)
        yield go.Check("first impact", hits[0].t, hit, 1e-10, "s")
        yield go.Check("its height", hits[0].q[0], height, 1e-10, "m")
        yield go.Check("velocity after it", hits[0].v_after[0], speed, 1e-9, "m/s")
        orbit = self.orbit()
        yield go.Check("height of the orbit", orbit.q[0], self.state(orbit.t0)[0], 1e-9, "m")
        trace = float(np.trace(orbit.monodromy.matrix))
        yield go.Check("trace of the monodromy", trace, self.trace(), 1e-7)
        determinant = orbit.monodromy.determinant
        yield go.Check.relative("its determinant", determinant, self.restitution**2, 1e-9)
        exact = max(np.abs(np.roots([1.0, -self.trace(), self.restitution**2])))
        largest = float(np.abs(orbit.multipliers).max())
        yield go.Check("size of the largest multiplier", largest, exact, 1e-7)
        doubling = self.limits()[1] * self.gravity / self.omega**2
        if self.acceleration < self.limits()[1]:
            branch = go.continue_orbit(orbit, "A", to=1.02 * doubling, step=0.2 * self.amplitude)
            found = [one.value for one in branch.special if one.kind == "period doubling"]
            yield go.Check.relative("amplitude of period doubling", found[0], doubling, 1e-8, "m")
        deepest = -result.gaps["table"].min()
        yield go.Check.at_most("deepest penetration", deepest, 1e-9, "m")

    def figures(self, result: go.Result):
        return {"orbit": self.draw_orbit}

    def draw_orbit(self):
        """The orbit in its phase plane, and its branch over the amplitude with both its limits."""
        from matplotlib.figure import Figure

        figure = Figure(figsize=(9.5, 4.0), layout="constrained")
        left, right = figure.subplots(1, 2)
        orbit = self.orbit()
        orbit.plot(left)
        left.set_xlabel("height (m)")
        left.set_ylabel("velocity (m/s)")
        least, doubling = (limit * self.gravity / self.omega**2 for limit in self.limits())
        step = 0.15 * (doubling - least)
        up = go.continue_orbit(orbit, "A", to=1.25 * doubling, step=step)
        down = go.continue_orbit(orbit, "A", to=0.5 * least, step=step, max_points=8)
        up.plot(right)
        down.plot(right)
        right.set_xlabel("amplitude of the table (m)")
        right.set_ylabel("height when the table is at its top (m)")
        return figure

    def draw(self, q: np.ndarray, t: float) -> list[scene.Shape]:
        table, size = self.amplitude * np.sin(self.omega * t), self.impact()[2] / self.omega
        ball = float(q[0])
        return [
            scene.line([[-size, table], [size, table]], "ground", 5.0, contacts="table"),
            scene.trail([0.0, ball]),
            scene.dot([0.0, ball], size=8, contacts="table"),
        ]
