"""A bob on a string goes slack above the pivot, flies, and is caught by the string again.

Teaches a contact that pulls: the gap is the slack of the string. It carries force while
taut, lets go when that force is zero, and stops the bob with an impact when it tightens.

Reference: closed form. With v0^2 = k g L the string goes slack at the height L (k - 2) / 3 above
the pivot, after a time given by an elliptic integral; the parabola meets the circle again 4 v
cos(b) / g later, where v is the speed and b the angle above the horizontal at which it went slack.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.special import ellipkinc

import gauss_opt as go
from gauss_opt.viz import scene

# For L = 1 m, v0^2 = 3.5 g L, g = 9.81 m/s^2.
SLACK, TIGHT = 0.4819942834614, 1.2640561704672
BEFORE = (-1.1073617295175, -5.75402033364499)


@dataclass(frozen=True)
class SlackString(go.Case):
    """A point mass on a string, pushed at the lowest point."""

    reference = "closed form: elliptic integral, then a parabola"
    laws = ("newton", "poisson", "sequential")

    length: float = go.parameter(1.0, "m", "length of the string")
    launch: float = go.parameter(3.5, "", "square of the initial speed over g L, between 2 and 5")
    mass: float = go.parameter(1.0, "kg", "mass")
    restitution: float = go.parameter(0.0, "", "coefficient of restitution of the string")
    gravity: float = go.parameter(9.81, "m/s^2", "gravitational acceleration")

    def __post_init__(self) -> None:
        for name in ("length", "mass", "gravity"):
            if not getattr(self, name) > 0.0:
                raise go.InputError(f"{name} must be positive, got {getattr(self, name):g}")
        if not 2.0 < self.launch < 5.0:
            raise go.InputError(
                f"launch must be between 2 and 5 for the string to go slack, got {self.launch:g}"
            )

    @property
    def sine(self) -> float:
        """Sine of the angle above the horizontal at which the string goes slack."""
        return (self.launch - 2.0) / 3.0

    @property
    def slack(self) -> tuple[float, np.ndarray, np.ndarray]:
        """Time, position and velocity where the string goes slack."""
        sine, length, g = self.sine, self.length, self.gravity
        cosine = np.sqrt(1.0 - sine**2)
        # The elliptic integral F(half the angle, 4 / launch), where 4 / launch may exceed 1.
        half = np.sqrt(0.5 * (1.0 + sine))
        if self.launch < 4.0:
            t = ellipkinc(np.arcsin(2.0 * half / np.sqrt(self.launch)), 0.25 * self.launch)
        else:
            t = 2.0 * ellipkinc(np.arcsin(half), 4.0 / self.launch) / np.sqrt(self.launch)
        t *= np.sqrt(length / g)
        speed = np.sqrt(g * length * sine)
        return float(t), length * np.array([cosine, sine]), speed * np.array([-sine, cosine])

    @property
    def tight(self) -> tuple[float, np.ndarray, np.ndarray]:
        """Time, position and velocity where it is about to tighten."""
        t, q, v = self.slack
        flight = 4.0 * v[1] / self.gravity
        fall = np.array([0.0, -self.gravity])
        return t + flight, q + flight * v + 0.5 * flight**2 * fall, v + flight * fall

    def build(self) -> go.Setup:
        m, g, length = self.mass, self.gravity, self.length
        string = go.Contact(
            "string", lambda q, t: length - np.hypot(q[0], q[1]), restitution=self.restitution
        )
        bob = go.System(
            mass=[m, m],
            force=[0.0, -m * g],
            contacts=[string],
            potential=lambda q, t: m * g * q[1],
            coordinates=["x", "y"],
        )
        speed = np.sqrt(self.launch * g * length)
        end = 1.8 * self.tight[0]
        return go.Setup(bob, [0.0, -length], [speed, 0.0], (0.0, end), {"rtol": 1e-12})

    def check(self, result: go.Result) -> Iterator[go.Check]:
        slack = next(event for event in result.events if event.kind == "release")
        tight = next(event for event in result.events if event.kind == "impact")
        m, g, length = self.mass, self.gravity, self.length
        yield go.Check("the string goes slack", slack.t, self.slack[0], 1e-8, "s")
        angle = np.degrees(np.arctan2(slack.q[0], -slack.q[1]))
        exact = 90.0 + np.degrees(np.arcsin(self.sine))
        yield go.Check("where, from the lowest point", angle, exact, 1e-8, "deg")
        yield go.Check("it tightens", tight.t, self.tight[0], 1e-8, "s")
        for i, axis in enumerate("xy"):
            _, q, v = self.tight
            yield go.Check(f"where, {axis}", tight.q[i], q[i], 1e-8, "m")
            yield go.Check(f"velocity before, {axis}", tight.v_before[i], v[i], 1e-8, "m/s")
            along = q / length
            after = v - (1.0 + self.restitution) * (v @ along) * along
            yield go.Check(f"velocity after, {axis}", tight.v_after[i], after[i], 1e-8, "m/s")
        blow = m * (1.0 + self.restitution) * float(v @ q) / length
        yield go.Check.relative(
            "impulse of the string", tight.impulses["string"], blow, 1e-8, "N s"
        )
        loss = -0.5 * m * (1.0 - self.restitution**2) * float(v @ q / length) ** 2
        scale = m * g * length
        yield go.Check("energy change", tight.energy_change, loss, 1e-8 * scale, "J")
        taut = result.t < slack.t
        pull = m * (result.v[taut] ** 2).sum(axis=1) / length - m * g * result.q[taut, 1] / length
        off = np.abs(result.multipliers["string"][taut] - pull).max() / (m * g)
        yield go.Check.at_most("pull of the string off theory, over the weight", off, 1e-9)
        if self.at_defaults:
            yield go.Check("slack, tabulated", slack.t, SLACK, 1e-8, "s")
            yield go.Check("slack at 120 degrees", angle, 120.0, 1e-8, "deg")
            yield go.Check("tight, tabulated", tight.t, TIGHT, 1e-8, "s")
            for i, axis in enumerate("xy"):
                at = (0.0, -1.0)[i]
                after = (BEFORE[0], 0.0)[i]
                yield go.Check(f"at the lowest point, {axis}", tight.q[i], at, 1e-8, "m")
                yield go.Check(f"before, tabulated, {axis}", tight.v_before[i], BEFORE[i], 1e-8)
                yield go.Check(f"after, tabulated, {axis}", tight.v_after[i], after, 1e-8)
        stretch = -result.gaps["string"].min() / length
        yield go.Check.at_most("stretch of the string, relative", stretch, 1e-9)
        account = np.abs(result.energy.residual).max() / scale
        yield go.Check.at_most("energy account, relative", account, 1e-9)

    def draw(self, q: np.ndarray, t: float) -> list[scene.Shape]:
        size = self.length
        circle = np.linspace(0.0, 2.0 * np.pi, 61)
        return [
            scene.line(size * np.column_stack([np.sin(circle), np.cos(circle)]), "ghost", 1.0),
            scene.line(_hanging(q, size), role="string", width=1.5),
            scene.trail(q, role="accent"),
            scene.dot([0.0, 0.0], role="string", size=6),
            scene.disc(q, 0.06 * size, contacts="string"),
        ]


def _hanging(q: np.ndarray, length: float) -> np.ndarray:
    """A string between the pivot and the bob: straight when taut, with a belly when slack."""
    distance = float(np.hypot(*q))
    along = np.linspace(0.0, 1.0, 25)
    spare = max(length - distance, 0.0)
    belly = 0.5 * np.sqrt(spare * (length + 0.5 * distance)) * np.tanh(20.0 * q[0] / length)
    across = np.array([q[1], -q[0]]) / (distance or 1.0)
    return np.outer(along, q) + np.outer(4.0 * along * (1.0 - along) * belly, across)
