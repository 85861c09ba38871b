"""A block on a belt sticks and slips for ever, if it takes more to start than to slide.

Teaches static and sliding friction, and surfaces that move: the belt is in the slip of the contact.
With one coefficient for both, the block slips once and then swings for good: its slip touches zero
once in a period, and no more.

Reference: closed form. The block sticks from x_k - a to x_k + a with the belt, where x_k is the
equilibrium of sliding and a = (mu_s - mu_k) m g / k, and swings back in (pi + 2 atan(v/(w a))) / w.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

import gauss_opt as go
from gauss_opt.viz import scene


@dataclass(frozen=True)
class BeltStickSlip(go.Case):
    """A block of 1 kg, held by a spring, on a belt."""

    reference = "closed form: the cycle of stick and slip"
    laws = ("poisson", "newton")

    stiffness: float = go.parameter(100.0, "N/m", "stiffness of the spring")
    friction: float = go.parameter(0.4, "", "coefficient of sliding friction")
    static: float = go.parameter(0.6, "", "coefficient of static friction")
    belt: float = go.parameter(0.2, "m/s", "speed of the belt")
    gravity: float = go.parameter(9.81, "m/s^2", "gravitational acceleration")
    duration: float = go.parameter(4.0, "s", "simulated time")

    def __post_init__(self) -> None:
        if not (self.stiffness > 0.0 and self.belt > 0.0 and self.gravity > 0.0):
            raise go.InputError("stiffness, belt and gravity must be positive")
        if not self.static >= self.friction > 0.0:
            raise go.InputError("friction must be positive, and static at least as much")

    @property
    def half(self) -> float:
        """Half of the way with the belt."""
        return (self.static - self.friction) * self.gravity / self.stiffness

    @property
    def period(self) -> float:
        """Time from slip to slip."""
        w = np.sqrt(self.stiffness)
        swing = (np.pi + 2.0 * np.arctan2(self.belt / w, self.half)) / w
        return float(2.0 * self.half / self.belt + swing)

    def build(self) -> go.Setup:
        k, g, u = self.stiffness, self.gravity, self.belt
        belt = go.Contact(
            "belt",
            lambda q, t: q[1],
            slip=lambda q, v, t: v[0] - u,
            friction=self.friction,
            static_friction=self.static,
        )
        block = go.System(
            mass=[1.0, 1.0],
            force=lambda q, v, t: [-k * q[0], -g],
            contacts=[belt],
            potential=lambda q, t: 0.5 * k * q[0] ** 2 + g * q[1],
            coordinates=["x", "y"],
        )
        return go.Setup(block, [0.0, 0.0], [0.0, 0.0], (0.0, self.duration), {"rtol": 1e-11})

    def check(self, result: go.Result) -> Iterator[go.Check]:
        slips = [event for event in result.events if event.kind == "slip"]
        limit = self.static * self.gravity / self.stiffness
        yield go.Check("it slips at", slips[0].q[0], limit, 1e-9, "m")
        if self.static > self.friction:
            for i in range(min(len(slips) - 1, 4)):
                apart = slips[i + 1].t - slips[i].t
                yield go.Check(f"period {i + 1}", apart, self.period, 1e-9, "s")
        account = np.abs(result.energy.residual).max()
        yield go.Check.at_most("energy account", account, 1e-9, "J")
        yield go.Check.at_most("work of friction", result.energy.friction.max(), 0.0, "J")
        if self.at_defaults:
            alike = replace(self, static=0.4).run()
            kinds = [str(event.kind) for event in alike.events]
            yield go.Check("without more, it slips once", kinds == ["stick", "slip"], True, 0)
            stick, slip = alike.events
            yield go.Check("it sticks at", stick.t, 0.05348174581667207, 1e-9, "s")
            yield go.Check("where", stick.q[0], 0.005479407588136135, 1e-9, "m")
            yield go.Check("and slips at", slip.t, 0.2222847078759914, 1e-9, "s")

    def draw(self, q: np.ndarray, t: float) -> list[scene.Shape]:
        size = 0.02
        x = float(q[0])
        marks = (np.arange(-3, 8) * 0.03 + np.mod(self.belt * t, 0.03)).tolist()
        corners = [(-size, 0.0), (size, 0.0), (size, 1.6 * size), (-size, 1.6 * size)]
        return [
            scene.ground([-0.09, 0.0], [0.24, 0.0], depth=0.008),
            *[scene.line([[m, -0.008], [m + 0.004, 0.0]], "string", 1.5) for m in marks],
            scene.ground([-0.09, 0.06], [-0.09, 0.0], depth=0.01),
            scene.spring([-0.09, 0.8 * size], [x - size, 0.8 * size], width=0.006),
            scene.polygon([[x + a, b] for a, b in corners]),
        ]
