"""A wheel without a rim rolls down a slope from spoke to spoke, and finds a steady pace.

Teaches a sequence of phases: each spoke stands until the next touches down, and its foot is a
parameter of the system. What an impact takes, the slope gives back, so there is a limit cycle.

Reference: closed form (T. McGeer, Passive dynamic walking, 1990, with massless spokes). Rates just
after impacts obey w'^2 = cos(2 a)^2 (w^2 + 4 g / l sin(a) sin(slope)), where 2 a is the angle
between spokes; the duration of a step is an elliptic integral.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import ellipkinc

import gauss_opt as go
from gauss_opt.viz import scene

# Eight spokes of 1 m, slope 0.08, g = 9.81 m/s^2: rates after and before an impact, and the step.
AFTER, BEFORE, STEP = 1.0954628396477, 1.5492184049055, 1.0345498114233


@dataclass(frozen=True)
class RimlessWheel(go.Case):
    """A hub (x, y) with massless spokes; the one that stands does not slide."""

    reference = "closed form: McGeer's step map, elliptic integrals between"
    laws = ("newton", "poisson", "sequential")

    spokes: int = go.parameter(8, "", "number of spokes", least=5, most=1000)
    slope: float = go.parameter(0.08, "rad", "angle of the slope")
    length: float = go.parameter(1.0, "m", "length of a spoke")
    pace: float = go.parameter(1.2, "", "rate at the start over that of the limit cycle")
    steps: int = go.parameter(10, "", "number of steps", least=1, most=1000)
    mass: float = go.parameter(1.0, "kg", "mass of the hub")
    gravity: float = go.parameter(9.81, "m/s^2", "gravitational acceleration")

    def __post_init__(self) -> None:
        for name in ("slope", "length", "pace", "steps", "mass", "gravity"):
            if not getattr(self, name) > 0.0:
                raise go.InputError(f"{name} must be positive, got {getattr(self, name):g}")
        if not self.spokes > 4:
            raise go.InputError(f"spokes must be at least 5, got {self.spokes}")
        if not self.slope < self.half_angle:
            raise go.InputError(
                f"slope must be below half the angle between spokes, {self.half_angle:g} rad"
            )
        if not all(self._crest(rate) > 0.0 for rate in self.rates()):
            raise go.InputError(
                "the wheel does not get over its spoke: give it more pace or slope, or more spokes"
            )

    @property
    def half_angle(self) -> float:
        """Half of the angle between spokes."""
        return np.pi / self.spokes

    @property
    def gain(self) -> float:
        """What the slope adds to the square of the rate in a step."""
        drop = 4.0 * np.sin(self.half_angle) * np.sin(self.slope)
        return float(self.gravity / self.length * drop)

    def rates(self) -> list[float]:
        """Rates just after each impact, the start first."""
        kept = np.cos(2.0 * self.half_angle) ** 2
        squares = [self.pace**2 * self.gain * kept / (1.0 - kept)]
        while len(squares) <= self.steps:
            squares.append(kept * (squares[-1] + self.gain))
        return np.sqrt(squares).tolist()

    def _crest(self, rate: float) -> float:
        """Square of the rate where the spoke is upright."""
        rise = 1.0 - np.cos(self.half_angle - self.slope)
        return float(rate**2 - 2.0 * self.gravity / self.length * rise)

    def step_time(self, rate: float) -> float:
        """How long a step takes that begins with a rate."""
        crest = self._crest(rate)
        m = -4.0 * self.gravity / (self.length * crest)
        ends = 0.5 * np.array([self.slope - self.half_angle, self.slope + self.half_angle])
        return float(2.0 / np.sqrt(crest) * np.diff(ellipkinc(ends, m))[0])

    def foot(self, step: int) -> np.ndarray:
        """Where the spoke of a step stands."""
        stride = 2.0 * self.length * np.sin(self.half_angle)
        return step * stride * np.array([np.cos(self.slope), -np.sin(self.slope)])

    def build(self) -> go.Setup:
        m, g, length = self.mass, self.gravity, self.length

        def above(q: np.ndarray, foot: np.ndarray) -> np.ndarray:
            return np.hypot(q[0] - foot[0], q[1] - foot[1]) - length

        wheel = go.System(
            mass=[m, m],
            force=[0.0, -m * g],
            constraints=[go.Holonomic("spoke", lambda q, t, here, ahead: above(q, here))],
            contacts=[go.Contact("next spoke", lambda q, t, here, ahead: above(q, ahead))],
            potential=lambda q, t: m * g * q[1],
            parameters={"here": self.foot(0), "ahead": self.foot(1)},
            coordinates=["x", "y"],
        )

        def next_spoke(number: int, event: go.Event) -> go.Phase | None:
            if number + 1 > self.steps:
                return None
            here, ahead = self.foot(number + 1), self.foot(number + 2)
            return go.Phase(wheel.with_parameters(here=here, ahead=ahead), "next spoke")

        angle, rates = self.slope - self.half_angle, self.rates()
        q0 = length * np.array([np.sin(angle), np.cos(angle)])
        v0 = length * rates[0] * np.array([np.cos(angle), -np.sin(angle)])
        # A little of the step after the last impact belongs to the picture.
        end = sum(map(self.step_time, rates[:-1])) + 0.3 * self.step_time(rates[-1])
        return go.Setup(wheel, q0, v0, (0.0, end), {"rtol": 1e-12}, "next spoke", next_spoke)

    def check(self, result: go.Result) -> Iterator[go.Check]:
        hits = [event for event in result.events if event.kind == "impact"]
        m, length, rates, t = self.mass, self.length, self.rates(), 0.0
        yield go.Check("number of impacts", len(hits), self.steps, 0)
        for k, hit in enumerate(hits):
            t += self.step_time(rates[k])
            before = np.sqrt(rates[k] ** 2 + self.gain)
            yield go.Check(f"impact {k + 1}", hit.t, t, 1e-8, "s")
            rate = np.hypot(*hit.v_before) / length
            yield go.Check(f"rate before impact {k + 1}", rate, before, 1e-8, "rad/s")
            rate = np.hypot(*hit.v_after) / length
            yield go.Check(f"rate after impact {k + 1}", rate, rates[k + 1], 1e-8, "rad/s")
            blow = m * length * before * np.sin(2.0 * self.half_angle)
            yield go.Check.relative(
                f"impulse of impact {k + 1}", hit.impulses["spoke"], blow, 1e-8, "N s"
            )
        if self.at_defaults:
            steady = replace(self, pace=1.0, steps=3).run()
            times = [0.0, *(event.t for event in steady.events)]
            for k, event in enumerate(steady.events):
                after, before = np.hypot(*event.v_after), np.hypot(*event.v_before)
                step = times[k + 1] - times[k]
                yield go.Check("after, on the limit cycle, tabulated", after, AFTER, 1e-8, "rad/s")
                yield go.Check("before, tabulated", before, BEFORE, 1e-8, "rad/s")
                yield go.Check("duration of a step, tabulated", step, STEP, 1e-8, "s")
        pull = max(0.0, -result.multipliers["spoke"].min())
        yield go.Check.at_most("the spoke never has to pull", pull, 0.0, "N")
        drift = np.abs(result.values["spoke"]).max() / length
        yield go.Check.at_most("drift of the spoke, relative", drift, 1e-9)
        deepest = -result.gaps["next spoke"].min() / length
        yield go.Check.at_most("deepest penetration, relative", deepest, 1e-9)
        account = np.abs(result.energy.residual).max() / (m * self.gravity * length)
        yield go.Check.at_most("energy account, relative", account, 1e-9)

    def draw(self, q: np.ndarray, t: float) -> list[scene.Shape]:
        size, downhill = self.length, self.foot(1)
        stride = float(np.hypot(*downhill))
        step = round(float(q @ downhill) / stride**2)  # the hub is nearest to the foot it is on
        foot = self.foot(step)
        stance = float(np.arctan2(*(foot - q)))
        angles = stance + 2.0 * self.half_angle * np.arange(self.spokes)
        tips = q + size * np.column_stack([np.sin(angles), np.cos(angles)])
        along = downhill / stride
        start, end = -1.2 * size * along, self.foot(self.steps) + 1.5 * size * along
        return [
            scene.ground(start, end, depth=0.12 * size),
            scene.trail(q, role="accent"),
            *(scene.line([q, tip], width=3.0) for tip in tips[1:]),
            scene.line([q, foot], role="second", width=4.0, contacts="next spoke"),
            scene.disc(q, 0.1 * size),
        ]
