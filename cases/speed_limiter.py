"""A car rolls down a hilly track; a governor brakes it whenever it would become too fast.

Teaches an inequality on velocities, psi(q, v, t) >= 0. The governor is inactive below the speed
limit, holds it exactly once reached, with the least force that does, and lets go by itself where
the track no longer pulls.

Reference: closed form. With the energy kept, the limit is reached at a known height; it holds to
the next valley, and the brake takes exactly the height lost in between. Times are arc lengths over
speeds, by quadrature. The kind of constraint is from Yao and Song (Gauss principle of least
constraints for nonsmooth multibody system), who differentiate it once and minimise as usual.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.integrate import quad
from scipy.optimize import brentq

import gauss_opt as go
from gauss_opt.viz import scene

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class SpeedLimiter(go.Case):
    """A point mass (x, y) on the track y = height cos(2 pi x / wave) - grade x."""

    reference = "closed form: energy, and quadrature for times"
    laws = ("newton", "poisson", "sequential")

    limit: float = go.parameter(6.0, "m/s", "speed that the governor allows")
    speed: float = go.parameter(2.0, "m/s", "speed at the start, on the first hill")
    height: float = go.parameter(1.0, "m", "height of the hills, half of it above their middle")
    wave: float = go.parameter(10.0, "m", "distance of the hills")
    grade: float = go.parameter(0.2, "", "mean descent of the track")
    mass: float = go.parameter(100.0, "kg", "mass of the car")
    hills: int = go.parameter(3, "", "number of hills", least=1, most=1000)
    gravity: float = go.parameter(9.81, "m/s^2", "gravitational acceleration")

    def __post_init__(self) -> None:
        for name in ("limit", "speed", "height", "wave", "grade", "mass", "hills", "gravity"):
            if not getattr(self, name) > 0.0:
                raise go.InputError(f"{name} must be positive, got {getattr(self, name):g}")
        if not self.grade < self.height * self.turns:
            raise go.InputError("a track this steep has no valleys: raise height or lower grade")
        if not self.speed < self.limit:
            raise go.InputError(f"speed = {self.speed:g} must be below limit = {self.limit:g}")
        fall = self.track(0.0) - self.track(self.valley(0))
        if not self.speed**2 + 2.0 * self.gravity * fall > self.limit**2:
            raise go.InputError("the limit is not reached on the first hill: lower it")
        climb = self.track(self.valley(0) + 2.0 * self._to_crest) - self.track(self.valley(0))
        if not self.limit**2 > 2.0 * self.gravity * climb:
            raise go.InputError("at the limit the car does not get over the next hill: raise it")

    @property
    def turns(self) -> float:
        """Wave number of the hills."""
        return 2.0 * np.pi / self.wave

    def track(self, x: float) -> float:
        """Height of the track."""
        return self.height * np.cos(self.turns * x) - self.grade * x

    def steepness(self, x: float) -> float:
        """Slope of the track."""
        return -self.height * self.turns * np.sin(self.turns * x) - self.grade

    def valley(self, number: int) -> float:
        """Where a valley is lowest."""
        ratio = self.grade / (self.height * self.turns)
        return float(self.wave * (number + 0.5) + np.arcsin(ratio) / self.turns)

    @property
    def _to_crest(self) -> float:
        """Half of the distance from a valley to the next crest."""
        ratio = self.grade / (self.height * self.turns)
        return float(0.25 * self.wave - np.arcsin(ratio) / self.turns)

    def stretches(self) -> list[tuple[float, float, float, float]]:
        """For each hill, place and time at which the limit is reached and let go."""
        x, t, square, found = 0.0, 0.0, self.speed**2, []
        for number in range(self.hills):
            below = self.track(x) - (self.limit**2 - square) / (2.0 * self.gravity)
            valley = self.valley(number)
            crest = valley - self.wave + 2.0 * self._to_crest
            on = brentq(lambda s, h=below: self.track(s) - h, max(x, crest), valley, xtol=1e-14)
            t_on = t + self._time(x, on, square)
            t_off = t_on + self._time(on, valley, None)
            found.append((on, t_on, valley, t_off))
            x, t, square = valley, t_off, self.limit**2
        return found

    def _time(self, start: float, end: float, square: float | None) -> float:
        """Time between two places: rolling freely from a squared speed, or at the limit."""

        def slowness(x: float) -> float:
            fast = self.limit**2
            if square is not None:
                fast = square + 2.0 * self.gravity * (self.track(start) - self.track(x))
            return float(np.sqrt((1.0 + self.steepness(x) ** 2) / fast))

        time, _ = quad(slowness, start, end, epsabs=1e-13, epsrel=1e-13, limit=200)
        return float(time)

    def build(self) -> go.Setup:
        m, g, limit = self.mass, self.gravity, self.limit
        car = go.System(
            mass=[m, m],
            force=[0.0, -m * g],
            constraints=[
                go.Holonomic("track", lambda q, t: q[1] - self.track(q[0])),
                # Written this way its gradient is a unit vector at the limit, so that the
                # multiplier is the braking force in newtons.
                go.VelocityLimit("governor", lambda q, v, t: (limit**2 - v @ v) / (2.0 * limit)),
            ],
            potential=lambda q, t: m * g * q[1],
            coordinates=["x", "y"],
        )
        direction = np.array([1.0, self.steepness(0.0)])
        v0 = self.speed * direction / np.hypot(*direction)
        end = self.stretches()[-1][-1] + 0.15 * self.wave / self.limit
        return go.Setup(car, [0.0, self.track(0.0)], v0, (0.0, end), {"rtol": 1e-12})

    def check(self, result: go.Result) -> Iterator[go.Check]:
        switched = [event for event in result.events if event.kind == "limit"]
        on = [event for event in switched if event.detail == "on"]
        off = [event for event in switched if event.detail == "off"]
        exact = self.stretches()
        m, g = self.mass, self.gravity
        yield go.Check("times that the governor brakes", len(on), self.hills, 0)
        yield go.Check("times that it lets go", len(off), self.hills, 0)
        lost = 0.0
        for k, (start, end, (x_on, t_on, x_off, t_off)) in enumerate(
            zip(on, off, exact, strict=False)
        ):
            yield go.Check(f"limit {k + 1} reached", start.t, t_on, 1e-8, "s")
            yield go.Check(f"where, {k + 1}", start.q[0], x_on, 1e-8, "m")
            yield go.Check(f"limit {k + 1} left", end.t, t_off, 1e-8, "s")
            yield go.Check(f"in the valley, {k + 1}", end.q[0], x_off, 1e-8, "m")
            lost += m * g * (self.track(x_on) - self.track(x_off))
        taken = -result.energy.constraint[-1]
        yield go.Check.relative("energy that the brake takes", taken, lost, 1e-8, "J")
        braking = np.zeros(len(result.t), dtype=bool)
        for _, t_on, _, t_off in exact:
            braking |= (result.t > t_on + 1e-9) & (result.t < t_off - 1e-9)
        steep = self.steepness(result.q[:, 0])
        pull = np.where(braking, -m * g * steep / np.hypot(1.0, steep), 0.0)
        inside = np.ones(len(result.t), dtype=bool)
        for event in switched:  # there the force jumps
            inside &= np.abs(result.t - event.t) > 1e-9
        force = np.abs(result.multipliers["governor"] - pull)[inside].max() / (m * g)
        yield go.Check.at_most("braking force off theory, over the weight", force, 1e-9)
        speeds = np.hypot(result.v[:, 0], result.v[:, 1])
        excess = speeds.max() / self.limit - 1.0
        yield go.Check.at_most("speed above the limit, relative", excess, 1e-9)
        drift = np.abs(result.values["track"]).max() / self.wave
        yield go.Check.at_most("drift off the track, relative", drift, 1e-9)
        account = np.abs(result.energy.residual).max() / (m * self.limit**2)
        yield go.Check.at_most("energy account, relative", account, 1e-9)

    def draw(self, q: np.ndarray, t: float) -> list[scene.Shape]:
        end = self.valley(self.hills - 1) + 0.25 * self.wave
        x = np.linspace(-0.05 * self.wave, end, 40 * self.hills)
        places = np.array([[s, self.track(s)] for s in x])
        below = [[end, places[-1, 1] - self.height], [x[0], places[-1, 1] - self.height]]
        braked = [[on, self.track(on)] for on, *_ in self.stretches()]
        let_go = [[off, self.track(off)] for _, _, off, _ in self.stretches()]
        slope = self.steepness(q[0])
        along = np.array([1.0, slope]) / np.hypot(1.0, slope)
        up = np.array([-along[1], along[0]])
        half, high = 0.06 * self.wave * along, 0.06 * self.wave * up
        return [
            scene.polygon([*places, *below], role="ground"),
            *(scene.dot(place, role="force", size=6) for place in braked),
            *(scene.dot(place, role="third", size=6) for place in let_go),
            scene.polygon([q - half, q + half, q + half + high, q - half + high]),
        ]

    def figures(self, result: go.Result) -> Mapping[str, Callable[[], Figure]]:
        def speed_and_force() -> Figure:
            from matplotlib.figure import Figure

            figure = Figure(figsize=(7.0, 4.5), layout="constrained")
            top, bottom = figure.subplots(2, sharex=True)
            top.plot(result.q[:, 0], np.hypot(result.v[:, 0], result.v[:, 1]), color="#0072B2")
            top.axhline(self.limit, color="#999999", linestyle="--")
            top.set_ylabel("speed [m/s]")
            bottom.plot(result.q[:, 0], result.multipliers["governor"], color="#D55E00")
            bottom.set_ylabel("braking force [N]")
            bottom.set_xlabel("x [m]")
            return figure

        return {"speed and braking force": speed_and_force}
