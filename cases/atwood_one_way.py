"""Two weights on a string over a pulley: the heavy one lands and is jerked up, many times.

Teaches an accumulation of two kinds of event in turn: landings on the floor and jerks of a string
that can only pull, all plastic. Everything is at rest after a finite time.

Reference: closed form. Each jerk shares the momentum of the light weight between both, so that
every cycle begins with r = m2 / (m1 + m2) times the speed of the one before and lasts r times as
long.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

import gauss_opt as go
from gauss_opt.viz import scene

# For 2 kg and 1 kg, a drop of 1 m, g = 9.81 m/s^2.
SPEED, LANDS, TIGHT, END = 2.5573423705089, 0.7820618870, 1.3034364783, 2.3461856610


@dataclass(frozen=True)
class AtwoodOneWay(go.Case):
    """Heights of two weights that a string over a massless pulley connects."""

    reference = "closed form: a geometric series of flights"
    laws = ("newton", "poisson", "sequential")

    heavy: float = go.parameter(2.0, "kg", "mass that goes down")
    light: float = go.parameter(1.0, "kg", "mass that goes up")
    drop: float = go.parameter(1.0, "m", "height of the heavy mass above the floor")
    gravity: float = go.parameter(9.81, "m/s^2", "gravitational acceleration")

    def __post_init__(self) -> None:
        for name in ("light", "drop", "gravity"):
            if not getattr(self, name) > 0.0:
                raise go.InputError(f"{name} must be positive, got {getattr(self, name):g}")
        if not self.heavy > self.light:
            raise go.InputError(
                f"heavy = {self.heavy:g} must be above light = {self.light:g} to go down"
            )

    @property
    def pace(self) -> float:
        """Acceleration of both weights while the string is taut."""
        return self.gravity * (self.heavy - self.light) / (self.heavy + self.light)

    @property
    def ratio(self) -> float:
        """Speed, and duration, of a cycle over those of the one before."""
        return self.light / (self.heavy + self.light)

    @property
    def speed(self) -> float:
        """Speed of the first landing."""
        return float(np.sqrt(2.0 * self.pace * self.drop))

    @property
    def cycle(self) -> float:
        """Duration of the first cycle: the light weight flies, then the heavy one goes up."""
        return self.speed * 2.0 * (1.0 / self.gravity + self.ratio / self.pace)

    @property
    def end(self) -> float:
        """Time at which landings and jerks accumulate."""
        return self.speed / self.pace + self.cycle / (1.0 - self.ratio)

    def build(self) -> go.Setup:
        m1, m2, g, drop = self.heavy, self.light, self.gravity, self.drop
        weights = go.System(
            mass=[m1, m2],
            force=[-m1 * g, -m2 * g],
            contacts=[
                go.Contact("string", lambda q, t: q[0] + q[1] - drop),
                go.Contact("floor", lambda q, t: q[0]),
            ],
            potential=lambda q, t: g * (m1 * q[0] + m2 * q[1]),
            coordinates=["heavy", "light"],
        )
        return go.Setup(weights, [drop, 0.0], [0.0, 0.0], (0.0, 1.25 * self.end), {"rtol": 1e-12})

    def check(self, result: go.Result) -> Iterator[go.Check]:
        impacts = [event for event in result.events if event.kind == "impact"]
        (end,) = (event for event in result.events if event.kind == "accumulation")
        m1, m2, g = self.heavy, self.light, self.gravity
        landing, speed, cycle = self.speed / self.pace, self.speed, self.cycle
        for k in range(3):
            land, jerk = impacts[2 * k : 2 * k + 2]
            shared = self.ratio * speed
            tight = landing + 2.0 * speed / g
            yield go.Check(f"landing {k + 1}", land.t, landing, 1e-8, "s")
            yield go.Check(f"speed of landing {k + 1}", -land.v_before[0], speed, 1e-8, "m/s")
            yield go.Check("the light weight flies on", land.v_after[1], speed, 1e-8, "m/s")
            yield go.Check(f"jerk {k + 1}", jerk.t, tight, 1e-8, "s")
            yield go.Check(f"speed after jerk {k + 1}", jerk.v_after[0], shared, 1e-8, "m/s")
            yield go.Check.relative(
                f"impulse of jerk {k + 1}", jerk.impulses["string"], m1 * shared, 1e-8, "N s"
            )
            landing, speed, cycle = landing + cycle, shared, cycle * self.ratio
        yield go.Check("landings and jerks accumulate", end.t, self.end, 1e-8, "s")
        yield go.Check("contacts that accumulate", len(set(end.contacts)), 2, 0)
        if self.at_defaults:
            first, jerk = impacts[:2]
            yield go.Check("speed, tabulated", -first.v_before[0], SPEED, 1e-8, "m/s")
            yield go.Check("lands, tabulated", first.t, LANDS, 1e-8, "s")
            yield go.Check("tight, tabulated", jerk.t, TIGHT, 1e-8, "s")
            yield go.Check("ends, tabulated", end.t, END, 1e-8, "s")
        pull, press = result.multipliers["string"], result.multipliers["floor"]
        falling = 2.0 * m1 * m2 * g / (m1 + m2)
        yield go.Check.relative("pull of the string going down", pull[0], falling, 1e-9, "N")
        yield go.Check.relative("pull of the string at rest", pull[-1], m2 * g, 1e-9, "N")
        yield go.Check.relative("floor force at rest", press[-1], (m1 - m2) * g, 1e-9, "N")
        yield go.Check("height of the heavy weight at rest", result.q[-1, 0], 0.0, 1e-9, "m")
        yield go.Check("height of the light weight at rest", result.q[-1, 1], self.drop, 1e-9, "m")
        deepest = -min(gap.min() for gap in result.gaps.values())
        yield go.Check.at_most("deepest penetration", deepest, 1e-9, "m")
        account = np.abs(result.energy.residual).max() / (m1 * g * self.drop)
        yield go.Check.at_most("energy account, relative", account, 1e-9)

    def draw(self, q: np.ndarray, t: float) -> list[scene.Shape]:
        unit = self.drop
        radius, top = 0.3 * unit, 2.7 * unit  # the light weight never rises above 2 unit
        heavy, light = q + 0.12 * unit  # boxes hang by the middle of their upper edges
        half = np.linspace(np.pi, 0.0, 19)
        rim = radius * np.column_stack([np.cos(half), np.sin(half)]) + [0.0, top]
        spare = max(float(q.sum()) - unit, 0.0)
        along = np.linspace(0.0, 1.0, 19)
        belly = 0.5 * np.sqrt(spare * (top - light + 0.5 * spare)) * np.sin(np.pi * along)
        right = np.column_stack([radius + belly, top + along * (light + 0.12 * unit - top)])
        return [
            scene.ground(
                [-0.8 * unit, 0.0], [0.1 * unit, 0.0], depth=0.08 * unit, contacts="floor"
            ),
            scene.disc([0.0, top], radius, role="ghost"),
            scene.dot([0.0, top], role="string", size=6),
            scene.line([[-radius, heavy + 0.12 * unit], *rim, *right], role="string", width=1.5),
            scene.polygon(_box(-radius, heavy, 0.16 * unit, 0.12 * unit), contacts=("floor",)),
            scene.polygon(
                _box(radius, light, 0.11 * unit, 0.12 * unit), "second", contacts=("string",)
            ),
        ]


def _box(x: float, y: float, wide: float, high: float) -> list[list[float]]:
    """A box around a centre, by half its sizes."""
    return [[x - wide, y - high], [x + wide, y - high], [x + wide, y + high], [x - wide, y + high]]
