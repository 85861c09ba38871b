"""Two stacked boxes on a table that is tilted: first the upper one slips, then the other.

Teaches stacks with friction: four feet with redundant forces, each of which may stick or slide. The
upper box slips on the lower one first, and what it pushes the lower one with is then known.

Reference: statics. The upper box slips at tan a = mu_2; while it slides the lower one still sticks,
until tan a = 2 mu_1 - mu_2 for boxes of the same mass.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

import gauss_opt as go
from gauss_opt.viz import scene


@dataclass(frozen=True)
class TiltingStack(go.Case):
    """Two cubes of 1 kg: x, y and angle of the lower, then of the upper one, along the table."""

    reference = "statics: the angles at which the boxes slip"
    laws = ("poisson",)

    lower: float = go.parameter(0.35, "", "coefficient of friction between lower box and table")
    upper: float = go.parameter(0.3, "", "coefficient of friction between the boxes")
    rate: float = go.parameter(0.4, "rad/s", "how fast the table is tilted")
    half: float = go.parameter(0.25, "m", "half of the width of the lower box")
    gravity: float = go.parameter(9.81, "m/s^2", "gravitational acceleration")

    def __post_init__(self) -> None:
        if not 0.0 < self.upper < self.lower:
            raise go.InputError("the upper coefficient must be positive and the smaller one")
        if not (self.rate > 0.0 and self.half > 0.0 and self.gravity > 0.0):
            raise go.InputError("rate, half and gravity must be positive")

    @property
    def times(self) -> tuple[float, float]:
        """When the upper box slips, and when the lower one."""
        second = 2.0 * self.lower - self.upper
        return float(np.arctan(self.upper) / self.rate), float(np.arctan(second) / self.rate)

    def build(self) -> go.Setup:
        h, g, rate = self.half, self.gravity, self.rate

        def corner(q: np.ndarray, i: int, side: int) -> tuple[float, float]:
            """A lower corner of a box, from its centre."""
            c, s = np.cos(q[i + 2]), np.sin(q[i + 2])
            return side * 0.5 * h * c + h * s, side * 0.5 * h * s - h * c

        def foot(side: int) -> go.Contact:
            return go.Contact(
                f"foot {'left' if side < 0 else 'right'}",
                lambda q, t: q[1] + side * h * np.sin(q[2]) - h * np.cos(q[2]),
                slip=lambda q, v, t: v[0] + (h * np.cos(q[2]) - side * h * np.sin(q[2])) * v[2],
                friction=self.lower,
            )

        def on_top(side: int) -> go.Contact:
            def gap(q: np.ndarray, t: float) -> float:
                dx, dy = corner(q, 3, side)
                away = (q[3] + dx - q[0]) * -np.sin(q[2]) + (q[4] + dy - q[1]) * np.cos(q[2])
                distance: float = away - h
                return distance

            def slip(q: np.ndarray, v: np.ndarray, t: float) -> float:
                dx, dy = corner(q, 3, side)
                ex, ey = q[3] + dx - q[0], q[4] + dy - q[1]
                ux = v[3] - dy * v[5] - v[0] + ey * v[2]
                uy = v[4] + dx * v[5] - v[1] - ex * v[2]
                along: float = ux * np.cos(q[2]) + uy * np.sin(q[2])
                return along

            word = "left" if side < 0 else "right"
            return go.Contact(f"upper {word}", gap, slip=slip, friction=self.upper)

        def force(q: np.ndarray, v: np.ndarray, t: float) -> np.ndarray:
            a = rate * t
            pull = np.array([g * np.sin(a), -g * np.cos(a), 0.0])
            return np.concatenate([pull, pull])

        inertia = [2.0 * h**2 / 3.0, 1.25 * h**2 / 3.0]
        stack = go.System(
            mass=[1.0, 1.0, inertia[0], 1.0, 1.0, inertia[1]],
            force=force,
            contacts=[foot(-1), foot(1), on_top(-1), on_top(1)],
            coordinates=["x", "y", "angle", "x of upper", "y of upper", "angle of upper"],
        )
        q0 = [0.0, h, 0.0, 0.0, 3.0 * h, 0.0]
        return go.Setup(stack, q0, [0.0] * 6, (0.0, self.times[1] + 0.05))

    def check(self, result: go.Result) -> Iterator[go.Check]:
        slips = [event for event in result.events if event.kind == "slip"]
        yield go.Check("number of slips", len(slips), 2, 0)
        for event, exact, name in zip(slips, self.times, ("upper", "foot"), strict=True):
            alike = event.contacts == (f"{name} left", f"{name} right")
            yield go.Check(f"both of {name}", alike, True, 0)
            yield go.Check(f"{name} slips at", event.t, exact, 1e-8, "s")
        t1, t2 = self.times
        w, mu, g = self.rate, self.upper, self.gravity
        fall = (np.cos(w * t1) - np.cos(w * t2)) / w - mu * (np.sin(w * t2) - np.sin(w * t1)) / w
        speed = slips[1].v_before[3]
        yield go.Check("speed of the upper box then", speed, g * fall, 1e-8, "m/s")
        account = np.abs(result.energy.residual).max()
        yield go.Check.at_most("energy account", account, 1e-8, "J")

    def draw(self, q: np.ndarray, t: float) -> list[scene.Shape]:
        a, h = -self.rate * t, self.half
        turn = np.array([[np.cos(a), -np.sin(a)], [np.sin(a), np.cos(a)]])

        def box(i: int, half: float) -> Callable[..., scene.Shape]:
            c, s = np.cos(q[i + 2]), np.sin(q[i + 2])
            own = np.array([[c, -s], [s, c]])
            corners = np.array([(-half, -h), (half, -h), (half, h), (-half, h)]) @ own.T
            return scene.polygon((corners + q[i : i + 2]) @ turn.T, "body" if i == 0 else "second")

        ends = np.array([[-4.0 * h, 0.0], [6.0 * h, 0.0]]) @ turn.T
        return [scene.ground(*ends, depth=0.3 * h), box(0, h), box(3, 0.5 * h)]
