"""Does a block that stands on its own fall over in an earthquake? A Monte Carlo study.

Teaches Monte Carlo by a sweep: blocks of uncertain size stand on ground that moves like El Centro,
1940, scaled up and down; the share of them that falls over, by scale, is the fragility curve. It is
not smooth, and a block that survives one scale may fall under a smaller one.

The block turns about a corner and does not slide. Whichever corner that is, its centre moves
sideways by x' = -y angle', where y is its height: one nonholonomic row serves both corners, which
are plastic contacts. Coordinates are relative to the ground.

Reference: an independent integration of Housner's equation for the angle alone (G. W. Housner, The
behavior of inverted pendulum structures during earthquakes, 1963) by the classical Runge-Kutta
method between the samples of the record, with his ratio of rates 1 - 3/2 sin(a)^2 at each impact.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from scipy.optimize import brentq

import gauss_opt as go
from gauss_opt.viz import scene

RECORD = Path(__file__).parent / "data" / "elcentro.csv"
FLAT = 0.5 * np.pi  # the block lies on its side
SUBSTEPS = 8  # of the reference, between two samples
AT_REST = 1e-9  # rad/s: below it the reference takes the block for one at rest


@cache
def samples() -> tuple[np.ndarray, np.ndarray]:
    """Times and ground acceleration in g, as recorded; still after the last sample."""
    times, share = np.loadtxt(RECORD, delimiter=",", unpack=True)
    return np.append(times, times[-1] + 0.02), np.append(share, 0.0)


@dataclass(frozen=True)
class Housner:
    """Angle'' = p^2 (share cos(a - |angle|) - side sin(a - |angle|)), side the sign of angle."""

    slenderness: float
    frequency: float
    scale: float

    def rates(self, t: float, y: np.ndarray, side: float) -> np.ndarray:
        """Derivative of angle and rate, on one side."""
        left = self.slenderness - side * y[0]
        share = self.scale * np.interp(t, *samples())
        return np.array([y[1], self.frequency**2 * (share * np.cos(left) - side * np.sin(left))])

    def advance(self, t: float, y: np.ndarray, side: float, h: float) -> np.ndarray:
        """One step of the classical Runge-Kutta method."""
        a = self.rates(t, y, side)
        b = self.rates(t + 0.5 * h, y + 0.5 * h * a, side)
        c = self.rates(t + 0.5 * h, y + 0.5 * h * b, side)
        d = self.rates(t + h, y + h * c, side)
        return y + h / 6.0 * (a + 2.0 * b + 2.0 * c + d)

    def lift(self, since: float) -> tuple[float, float]:
        """When a block at rest begins to rock, and to which side: the ground exceeds g tan(a)."""
        times, share = samples()
        limit = np.tan(self.slenderness) / self.scale
        times, share = np.append(since, times), np.append(np.interp(since, times, share), share)
        times, share = times[times >= since], share[times >= since]
        for t, length, old, new in zip(times, np.diff(times), share, share[1:], strict=False):
            if abs(new) > limit:
                side = float(np.sign(new))
                return t + length * max(0.0, (side * limit - old) / (new - old)), side
        return np.inf, 0.0

    def motion(self, end: float) -> tuple[np.ndarray, int]:
        """Rows of time, angle and rate until the end or the fall, and the number of impacts."""
        ratio = 1.0 - 1.5 * np.sin(self.slenderness) ** 2
        fine = (samples()[0][1] - samples()[0][0]) / SUBSTEPS
        (t, side), y, impacts, rows = self.lift(0.0), np.zeros(2), 0, [np.zeros(3)]
        while t < end and abs(y[0]) < FLAT:
            rows.append(np.array([t, *y]))
            h = min((np.floor(t / fine + 1e-6) + 1.0) * fine, end) - t
            new = self.advance(t, y, side, h)
            if side * new[0] < 0.0:
                h = self.crossing(t, y, side, h)
                rate = self.advance(t, y, side, h)[1]
                new, side, impacts = np.array([0.0, ratio * rate]), -side, impacts + 1
            t, y = t + h, new
            if y[0] == 0.0 and abs(y[1]) < AT_REST:
                (t, side), y = self.lift(t), np.zeros(2)
        rows.append(np.array([min(t, end), *y]))
        return np.array(rows), impacts

    def crossing(self, t: float, y: np.ndarray, side: float, h: float) -> float:
        """Length of the step that ends in an impact."""
        low = 1e-6 * h if y[0] == 0.0 else 0.0
        while side * self.advance(t, y, side, low)[0] < 0.0:
            low *= 0.1  # the start of a swing that is shorter still
        return float(brentq(lambda s: self.advance(t, y, side, s)[0], low, h, xtol=1e-16))

    def falls(self, end: float) -> bool:
        """Whether the block lies on its side by then."""
        return bool(abs(self.motion(end)[0][-1, 1]) >= FLAT)


@dataclass(frozen=True)
class RockingBlockEarthquake(go.Case):
    """A uniform block (x, y, angle), seen from the ground that shakes."""

    reference = "Housner's equation for the angle, integrated independently"

    half_width: float = go.parameter(0.2, "m", "half of the width")
    half_height: float = go.parameter(1.0, "m", "half of the height")
    scale: float = go.parameter(1.0, "", "factor on the recorded ground acceleration")
    duration: float = go.parameter(5.0, "s", "simulated time; the record has 31.18 s")
    gravity: float = go.parameter(9.81, "m/s^2", "gravity, and unit of the record")
    scatter: float = go.parameter(0.15, "", "standard deviation of the logarithm of either size")
    weakest: float = go.parameter(1.0, "", "smallest factor of the study")
    strongest: float = go.parameter(2.5, "", "largest factor of the study")
    scales: int = go.parameter(2, "", "factors of the study; 6 make a picture", least=2)
    blocks: int = go.parameter(
        2, "", "blocks for each factor; 6 make a picture, 100 a result", least=1
    )
    seed: int = go.parameter(4, "", "of the sizes of the blocks", least=0)

    def __post_init__(self) -> None:
        for name in ("half_width", "half_height", "scale", "duration", "gravity", "weakest"):
            if not getattr(self, name) > 0.0:
                raise go.InputError(f"{name} must be positive, got {getattr(self, name):g}")
        if not self.strongest > self.weakest:
            raise go.InputError("strongest must be more than weakest")
        if not 0.0 <= self.scatter < 1.0:
            raise go.InputError(f"scatter must be at least 0 and below 1, got {self.scatter:g}")
        if not 3.0 * self.half_width**2 < 2.0 * (self.half_width**2 + self.half_height**2):
            raise go.InputError("a block this wide does not rock: it stops at the first impact")

    def housner(self, half_width: float, half_height: float, scale: float) -> Housner:
        """The reference for a block."""
        frequency = np.sqrt(0.75 * self.gravity / np.hypot(half_width, half_height))
        return Housner(float(np.arctan2(half_width, half_height)), float(frequency), scale)

    def system(self) -> go.System:
        """The block, of unit mass; its sizes and the shaking are parameters of a sweep."""
        g, (times, share) = self.gravity, samples()

        def inertia(q, t, half_width, half_height, scale):
            return np.diag([1.0, 1.0, (half_width**2 + half_height**2) / 3.0])

        def force(q, v, t, half_width, half_height, scale):
            return np.array([-scale * g * np.interp(t, times, share), -g, 0.0])

        def corner(side: float):
            def height(q, t, half_width, half_height, scale):
                return q[1] - half_height * np.cos(q[2]) + side * half_width * np.sin(q[2])

            return height

        return go.System(
            mass=inertia,
            force=force,
            constraints=[go.Nonholonomic("no sliding", lambda q, v, t: v[0] + q[1] * v[2])],
            contacts=[go.Contact("left", corner(-1.0)), go.Contact("right", corner(1.0))],
            parameters={
                "half_width": self.half_width,
                "half_height": self.half_height,
                "scale": self.scale,
            },
            coordinates=["x", "y", "angle"],
        )

    def options(self) -> dict:
        """Of every run: it ends where the block lies on its side; steps end at the samples."""

        def lies(q, v, t):
            return abs(q[2]) - FLAT

        lies.terminal = True
        return {"breakpoints": samples()[0], "events": {"lies": lies}, "rtol": 1e-10}

    def build(self) -> go.Setup:
        start = [0.0, self.half_height, 0.0]
        return go.Setup(self.system(), start, np.zeros(3), (0.0, self.duration), self.options())

    def sizes(self) -> list[tuple[float, float]]:
        """Half width and half height of the blocks, the same under every scale."""
        normal = np.random.default_rng(self.seed).normal(size=(self.blocks, 2))
        draws = np.exp(self.scatter * normal)
        return [(float(self.half_width * a), float(self.half_height * b)) for a, b in draws]

    @cache  # noqa: B019 - a case is small
    def study(self) -> go.Sweep:
        """Every block under every scale: whether it falls, after how many impacts."""

        def shake(system, half_height):
            run = go.simulate(
                system, [0.0, half_height, 0.0], np.zeros(3), (0.0, self.duration),
                solver="daqp", dense_output=False, **self.options(),
            )  # fmt: skip
            fell = any(event.kind == "user" for event in run.events)
            return {"falls": fell, "impacts": run.stats.impacts}

        points = [
            {"half_width": b, "half_height": h, "scale": float(scale)}
            for scale in np.linspace(self.weakest, self.strongest, self.scales)
            for b, h in self.sizes()
        ]
        return go.sweep(self.system(), points, shake)

    def check(self, result: go.Result) -> Iterator[go.Check]:
        housner = self.housner(self.half_width, self.half_height, self.scale)
        rows, _ = housner.motion(self.duration)
        rows = rows[rows[:, 0] <= result.t[-1]]  # a fall ends the run between two rows
        starts = [event.t for event in result.events if event.kind == "release"]
        lift = housner.lift(0.0)[0]
        if lift < self.duration:
            yield go.Check("first lift", starts[0], lift, 1e-8, "s")
        for share in (0.4, 0.6, 0.8, 1.0):
            row = rows[np.searchsorted(rows[:, 0], share * rows[-1, 0], side="right") - 1]
            angle = result(row[0]).q[2]
            yield go.Check(f"angle at {row[0]:.3f} s", angle, row[1], 1e-6, "rad")
        rate = result(rows[-1, 0]).v[2]
        yield go.Check(f"rate at {rows[-1, 0]:.3f} s", rate, rows[-1, 2], 1e-6, "rad/s")
        ratio = 1.0 - 1.5 * np.sin(housner.slenderness) ** 2
        for event in [event for event in result.events if event.kind == "impact"][:3]:
            rates = event.v_after[2] / event.v_before[2]
            yield go.Check(f"ratio of rates at {event.t:.3f} s", rates, ratio, 1e-9)
        deepest = -min(gap.min() for gap in result.gaps.values()) / self.half_height
        yield go.Check.at_most("deepest penetration, relative", deepest, 1e-9)
        study = self.study()
        yield go.Check("blocks that failed to run", len(study.failures), 0, 0)
        ends = [self.housner(**row.point).falls(self.duration) for row in study]
        other = sum(row.values["falls"] is not end for row, end in zip(study, ends, strict=True))
        yield go.Check("blocks that end otherwise than Housner's", other, 0, 0)
        if self.at_defaults:
            yield go.Check("blocks that fall, and that do not", len(set(ends)), 2, 0)

    def fragility(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Scales, shares of blocks that fall, and Wilson's 95 % interval of their probability."""
        study, z = self.study(), 1.959963984540054
        scales = np.unique(study["scale"])
        fallen = np.array([np.mean(study["falls"][study["scale"] == scale]) for scale in scales])
        n = self.blocks
        middle = (fallen + z**2 / (2.0 * n)) / (1.0 + z**2 / n)
        half = np.sqrt(fallen * (1.0 - fallen) / n + (z / (2.0 * n)) ** 2) * z / (1.0 + z**2 / n)
        return scales, fallen, middle - half, middle + half

    def figures(self, result: go.Result):
        return {"fragility": lambda: self.draw_fragility(result)}

    def draw_fragility(self, result: go.Result):
        """The block of this case, and the share of all that falls over, by scale."""
        from matplotlib.figure import Figure

        figure = Figure(figsize=(8.0, 6.5), layout="constrained")
        top, bottom = figure.subplots(2, 1, height_ratios=[1.0, 1.4])
        limit = np.arctan2(self.half_width, self.half_height)
        top.plot(result.t, result.q[:, 2] / limit, color="#0072B2", lw=1.1)
        top.set(xlabel="time (s)", ylabel="angle over slenderness", xlim=(0.0, result.t[-1]))
        top.set_title(f"(a) one block, record times {self.scale:g}", loc="left", fontsize=10)
        scales, fallen, low, high = self.fragility()
        bottom.fill_between(scales, low, high, color="#E69F00", alpha=0.25, label="95 % confidence")
        bottom.plot(scales, fallen, "o-", color="#D55E00", ms=5, label=f"of {self.blocks} blocks")
        bottom.set(
            xlabel="factor on the record", ylabel="share that falls over", ylim=(-0.03, 1.03)
        )
        bottom.set_title(
            f"(b) fragility, first {self.duration:g} s of El Centro", loc="left", fontsize=10
        )
        bottom.legend(loc="upper left", frameon=False)
        for axis in (top, bottom):
            axis.grid(alpha=0.3)
        return figure

    def draw(self, q: np.ndarray, t: float) -> list[scene.Shape]:
        b, h = self.half_width, self.half_height
        turn = np.array([[np.cos(q[2]), -np.sin(q[2])], [np.sin(q[2]), np.cos(q[2])]])
        corners = np.array([[-b, -h], [b, -h], [b, h], [-b, h]]) @ turn.T + q[:2]
        shake = self.scale * float(np.interp(t, *samples()))
        return [
            scene.ground([-3.0 * b, 0.0], [3.0 * b, 0.0], depth=0.1 * h),
            scene.line([[0.0, -0.2 * h], [shake * h, -0.2 * h]], "force", 5.0),
            scene.polygon(corners, contacts=("left", "right")),
            scene.dot(corners[0], size=5, contacts="left"),
            scene.dot(corners[1], size=5, contacts="right"),
        ]
