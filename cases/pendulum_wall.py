"""A pendulum swings against a wall below its pivot, lower and lower after every impact.

Teaches an impact of a body that is also held by a rod: both are in one problem, and the impulse of
the wall needs none of the rod. The impacts never accumulate, because small swings all take
equally long.

Reference: closed form with the complete elliptic integral K. A swing from the lowest point and back
takes 2 K(k) / w, where w^2 = g / L and k is its rate there over 2 w; every impact makes it e k.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.special import ellipk

import gauss_opt as go
from gauss_opt.viz import scene

# For L = 1 m, 60 degrees, e = 0.7, g = 9.81 m/s^2.
TIMES = (0.53821866672013, 1.5742853773352, 2.5929009032251, 3.6034341811652)


@dataclass(frozen=True)
class PendulumWall(go.Case):
    """A point mass on a rigid rod, with a vertical wall at its lowest point."""

    reference = "closed form: elliptic integrals"
    laws = ("newton", "poisson", "sequential")

    length: float = go.parameter(1.0, "m", "length of the rod")
    angle: float = go.parameter(60.0, "deg", "angle from the vertical it is released at")
    mass: float = go.parameter(1.0, "kg", "mass")
    restitution: float = go.parameter(0.7, "", "coefficient of restitution")
    gravity: float = go.parameter(9.81, "m/s^2", "gravitational acceleration")
    duration: float = go.parameter(4.0, "s", "simulated time")

    def __post_init__(self) -> None:
        for name in ("length", "mass", "gravity", "duration"):
            if not getattr(self, name) > 0.0:
                raise go.InputError(f"{name} must be positive, got {getattr(self, name):g}")
        if not 0.0 < self.angle < 180.0:
            raise go.InputError(f"angle must be between 0 and 180 degrees, got {self.angle:g}")

    def build(self) -> go.Setup:
        m, g, length = self.mass, self.gravity, self.length
        pendulum = go.System(
            mass=[m, m],
            force=[0.0, -m * g],
            # Written this way around, a positive multiplier is the pull of the rod.
            constraints=[go.Holonomic("rod", lambda q, t: length - np.hypot(q[0], q[1]))],
            contacts=[go.Contact("wall", lambda q, t: q[0], restitution=self.restitution)],
            potential=lambda q, t: m * g * q[1],
            coordinates=["x", "y"],
        )
        start = np.radians(self.angle)
        q0 = [length * np.sin(start), -length * np.cos(start)]
        return go.Setup(pendulum, q0, [0.0, 0.0], (0.0, self.duration), {"rtol": 1e-12})

    def impacts(self, end: float) -> list[float]:
        """Times of the impacts up to an end."""
        w, e = np.sqrt(self.gravity / self.length), self.restitution
        k = np.sin(0.5 * np.radians(self.angle))
        t, times = float(ellipk(k**2) / w), []
        while t < end:
            times.append(t)
            k *= e
            if k == 0.0:
                break
            t += float(2.0 * ellipk(k**2) / w)
        return times

    def check(self, result: go.Result) -> Iterator[go.Check]:
        hits = [event for event in result.events if event.kind == "impact"]
        exact = self.impacts(float(result.t[-1]))
        yield go.Check("number of impacts", len(hits), len(exact), 0)
        for k, (event, t) in enumerate(zip(hits, exact, strict=False)):
            yield go.Check(f"impact {k + 1}", event.t, t, 1e-8, "s")
        if self.at_defaults:
            for k, (event, t) in enumerate(zip(hits, TIMES, strict=False)):
                yield go.Check(f"impact {k + 1}, tabulated", event.t, t, 1e-8, "s")
        first, g = hits[0], self.gravity
        drop = 1.0 - np.cos(np.radians(self.angle))
        speed = np.sqrt(2.0 * g * self.length * drop)
        yield go.Check.relative("speed before the first", -first.v_before[0], speed, 1e-8, "m/s")
        blow = self.mass * (1.0 + self.restitution) * speed
        yield go.Check.relative("impulse of the wall", first.impulses["wall"], blow, 1e-8, "N s")
        yield go.Check("impulse of the rod", first.impulses["rod"], 0.0, 1e-8 * blow, "N s")
        pull = result.multipliers["rod"][np.flatnonzero(result.t == first.t)[0]]
        exact_pull = self.mass * g * (1.0 + 2.0 * drop)
        yield go.Check.relative("pull of the rod just before", pull, exact_pull, 1e-8, "N")
        drift = np.abs(result.values["rod"]).max() / self.length
        yield go.Check.at_most("drift of the rod, relative", drift, 1e-9)
        yield go.Check.at_most("deepest penetration", -result.gaps["wall"].min(), 1e-9, "m")
        swing = self.mass * g * self.length * drop
        account = np.abs(result.energy.residual).max() / swing
        yield go.Check.at_most("energy account, relative", account, 1e-9)

    def draw(self, q: np.ndarray, t: float) -> list[scene.Shape]:
        size = self.length
        bob = 0.07 * size
        return [
            # The wall stands one radius off, where the surface of the bob meets it.
            scene.ground(
                [-bob, -0.35 * size], [-bob, -1.25 * size], depth=0.1 * size, contacts="wall"
            ),
            scene.ground([0.3 * size, 0.0], [-0.3 * size, 0.0], depth=0.06 * size),
            scene.trail(q),
            scene.line([[0.0, 0.0], q], role="string"),
            scene.dot([0.0, 0.0], role="string", size=5),
            scene.disc(q, bob, contacts="wall"),
        ]
