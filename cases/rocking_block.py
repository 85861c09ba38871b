"""A block rocks from one corner to the other and loses a share of its speed at every impact.

Teaches phases: the block turns about a pin at one corner until the other comes down; then that one
is pinned, by a plastic impact, and the first lets go. One system with a parameter serves both.

Reference: closed form (G. W. Housner, The behavior of inverted pendulum structures during
earthquakes, 1963). Every impact multiplies the rate by 1 - 3/2 sin(a)^2, where a is the slenderness
of the block; the swings in between last as long as elliptic integrals say.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.special import ellipk, ellipkinc

import gauss_opt as go
from gauss_opt.viz import scene

# Half sizes 0.2 m and 1 m, from half the critical angle, g = 9.81 m/s^2.
RATIO, FIRST, RATE = 0.942307692307692, 0.490864457849, 0.458239851116


@dataclass(frozen=True)
class RockingBlock(go.Case):
    """A uniform block (x, y, angle) that does not slide on its floor."""

    reference = "closed form: Housner's ratio of rates, elliptic integrals between"
    laws = ("newton", "poisson", "sequential")

    half_width: float = go.parameter(0.2, "m", "half of the width")
    half_height: float = go.parameter(1.0, "m", "half of the height")
    tilt: float = go.parameter(0.5, "", "angle at the start over the one at which it falls over")
    impacts: int = go.parameter(12, "", "number of impacts simulated", least=1, most=1000)
    mass: float = go.parameter(1.0, "kg", "mass")
    gravity: float = go.parameter(9.81, "m/s^2", "gravitational acceleration")

    def __post_init__(self) -> None:
        for name in ("half_width", "half_height", "impacts", "mass", "gravity"):
            if not getattr(self, name) > 0.0:
                raise go.InputError(f"{name} must be positive, got {getattr(self, name):g}")
        if not 0.0 < self.tilt < 1.0:
            raise go.InputError(f"tilt must be between 0 and 1, got {self.tilt:g}")
        if not self.ratio > 0.0:
            raise go.InputError("a block this wide does not rock: it stops at the first impact")

    @property
    def slenderness(self) -> float:
        """Angle at which the block is about to fall over."""
        return float(np.arctan2(self.half_width, self.half_height))

    @property
    def ratio(self) -> float:
        """Rate after an impact over the rate before."""
        return float(1.0 - 1.5 * np.sin(self.slenderness) ** 2)

    @property
    def frequency(self) -> float:
        """Housner's p: p^2 = 3 g / (4 R), where R is half of the diagonal."""
        half_diagonal = np.hypot(self.half_width, self.half_height)
        return float(np.sqrt(0.75 * self.gravity / half_diagonal))

    def swings(self) -> tuple[list[float], list[float]]:
        """Times of the impacts, and rates just before them."""
        cosine, p = np.cos(self.slenderness), self.frequency
        turn = np.cos(self.slenderness * (1.0 - self.tilt))  # of what is left where it turns back
        times, rates = [self._quarter(turn)], [p * np.sqrt(2.0 * (turn - cosine))]
        while len(times) < self.impacts:
            rates.append(self.ratio * rates[-1])
            turn = cosine + 0.5 * (rates[-1] / p) ** 2
            times.append(times[-1] + 2.0 * self._quarter(turn))
        return times, rates

    def _quarter(self, turn: float) -> float:
        """Time from rest to the impact: an inverted pendulum that falls away from the vertical."""
        m = 0.5 * (1.0 + turn)
        sine = np.cos(0.5 * self.slenderness) / np.sqrt(m)
        return float((ellipk(m) - ellipkinc(np.arcsin(sine), m)) / self.frequency)

    def corner(self, q: np.ndarray, side: float) -> np.ndarray:
        """A corner at the floor: the left one for -1, the right one for 1."""
        across, down = side * self.half_width, self.half_height
        cos, sin = np.cos(q[2]), np.sin(q[2])
        return np.array([q[0] + across * cos + down * sin, q[1] + across * sin - down * cos])

    def build(self) -> go.Setup:
        m, g, b, h = self.mass, self.gravity, self.half_width, self.half_height

        def pin(q: np.ndarray, t: float, side: float) -> np.ndarray:
            return self.corner(q, side) - np.array([side * b, 0.0])

        block = go.System(
            mass=[m, m, m * (b**2 + h**2) / 3.0],
            force=[0.0, -m * g, 0.0],
            constraints=[go.Holonomic("pin", pin)],
            contacts=[go.Contact("free corner", lambda q, t, side: self.corner(q, -side)[1])],
            potential=lambda q, t: m * g * q[1],
            parameters={"side": 1.0},
            coordinates=["x", "y", "angle"],
        )

        def other_corner(number: int, event: go.Event) -> go.Phase | None:
            if number + 1 >= self.impacts:
                return None
            side = -1.0 if number % 2 == 0 else 1.0
            return go.Phase(block.with_parameters(side=side), "free corner")

        angle = -self.tilt * self.slenderness
        arm = self.corner(np.array([0.0, 0.0, angle]), 1.0)
        start = [b - arm[0], -arm[1], angle]
        end = 1.1 * self.swings()[0][-1]
        return go.Setup(
            block, start, [0.0, 0.0, 0.0], (0.0, end), {"rtol": 1e-12}, "free corner", other_corner
        )

    def check(self, result: go.Result) -> Iterator[go.Check]:
        hits = [event for event in result.events if event.kind == "impact"]
        times, rates = self.swings()
        yield go.Check("number of impacts", len(hits), self.impacts, 0)
        # The last impact ends the run: no pin closes there.
        for k, (hit, t, rate) in enumerate(zip(hits, times, rates, strict=True)):
            yield go.Check(f"impact {k + 1}", hit.t, t, 1e-8, "s")
            yield go.Check(f"rate before {k + 1}", abs(hit.v_before[2]), rate, 1e-8, "rad/s")
        for k, hit in enumerate(hits[:-1]):
            ratio = hit.v_after[2] / hit.v_before[2]
            yield go.Check(f"ratio of rates at {k + 1}", ratio, self.ratio, 1e-10)
            loss = -(1.0 - self.ratio**2) * self._kinetic(rates[k])
            yield go.Check.relative(f"energy change at {k + 1}", hit.energy_change, loss, 1e-8, "J")
        if self.at_defaults:
            first = hits[0]
            yield go.Check("first impact, tabulated", first.t, FIRST, 1e-8, "s")
            yield go.Check("rate before it, tabulated", first.v_before[2], RATE, 1e-8, "rad/s")
            ratio = first.v_after[2] / first.v_before[2]
            yield go.Check("ratio of rates, tabulated", ratio, RATIO, 1e-10)
        size = np.hypot(self.half_width, self.half_height)
        drift = np.abs(result.values["pin"]).max() / size
        yield go.Check.at_most("drift of the pin, relative", drift, 1e-9)
        deepest = -result.gaps["free corner"].min() / size
        yield go.Check.at_most("deepest penetration, relative", deepest, 1e-9)
        account = np.abs(result.energy.residual).max() / self._kinetic(rates[0])
        yield go.Check.at_most("energy account, relative", account, 1e-9)

    def _kinetic(self, rate: float) -> float:
        """Kinetic energy of the block that turns about a corner."""
        square = self.half_width**2 + self.half_height**2
        return 2.0 / 3.0 * self.mass * square * rate**2

    def draw(self, q: np.ndarray, t: float) -> list[scene.Shape]:
        b, h = self.half_width, self.half_height
        turn = np.array([[np.cos(q[2]), -np.sin(q[2])], [np.sin(q[2]), np.cos(q[2])]])
        corners = np.array([[-b, -h], [b, -h], [b, h], [-b, h]]) @ turn.T + q[:2]
        reach = 2.0 * b + 0.5 * h
        # Two lines from the corners at the floor to the centre show about which one it turns.
        return [
            scene.ground([-reach, 0.0], [reach, 0.0], depth=0.08 * h),
            scene.polygon(corners, contacts="free corner"),
            scene.line([corners[0], q[:2], corners[1]], role="string", width=1.0),
            scene.trail(q[:2], role="accent"),
            scene.dot(q[:2], role="string", size=4),
            scene.dot(corners[0], role="second", size=5),
            scene.dot(corners[1], role="second", size=5),
        ]
