"""Discs fall through a hopper, past a paddle that goes to and fro.

Teaches many bodies with few lines: a loop adds the discs, `collide` lets everything touch that can,
and the paddle moves as given, whatever hits it. An impact with it is one with a moving wall: it
can give energy as well as take it.

Reference: an event-driven simulation of discs in this file, which knows neither shapes nor gaps of
the library: parabolas between collisions, whose times are the first roots of distances in time.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np
from scipy.optimize import brentq

import gauss_opt as go
import gauss_opt.planar as pl
from gauss_opt.viz import scene

COMPARED = 12  # collisions; every one makes differences several times larger
RADIUS, PADDLE, FLOOR = 0.05, 0.03, -0.4  # of the discs; of the round paddle; height of the floor
WALLS = (((-0.5, 0.5), (-0.1, 0.12)), ((0.1, 0.12), (0.5, 0.5)))
GRID = 2001  # times between which a distance is looked at for a root


@dataclass(frozen=True)
class Hopper(go.Case):
    """Discs between two slanting walls, a paddle below the outlet, and a floor."""

    reference = "event-driven simulation of discs by roots of distances"
    laws = ("newton", "sequential")

    discs: int = go.parameter(7, "", "number of discs", least=1, most=12)
    amplitude: float = go.parameter(0.1, "m", "how far the paddle goes to either side")
    frequency: float = go.parameter(9.0, "rad/s", "how fast the paddle goes to and fro")
    restitution: float = go.parameter(0.6, "", "coefficient of restitution of all contacts")
    gravity: float = go.parameter(9.81, "m/s^2", "gravitational acceleration")
    seed: int = go.parameter(3, "", "seed of the random start", least=0)
    duration: float = go.parameter(0.35, "s", "simulated time")

    def __post_init__(self) -> None:
        if not min(self.gravity, self.duration) > 0.0:
            raise go.InputError("gravity and duration must be positive")

    def start(self) -> tuple[np.ndarray, np.ndarray]:
        """Places in rows above the outlet, a little off, and small velocities."""
        random = np.random.default_rng(self.seed)
        rows, columns = np.divmod(np.arange(self.discs), 3)
        places = np.stack([0.16 * (columns - 1), 0.5 + 0.14 * rows], axis=1)
        shape = places.shape
        return places + 0.015 * random.uniform(-1, 1, shape), 0.2 * random.normal(size=shape)

    def paddle(self, t: Any) -> Any:
        """Where the paddle is."""
        return self.amplitude * np.sin(self.frequency * t)

    @cached_property
    def machine(self) -> pl.Mechanism:
        """The mechanism."""
        m = pl.Mechanism(gravity=self.gravity)
        m.fixed("hopper", *(pl.Segment(*ends) for ends in WALLS))
        m.fixed("floor", pl.HalfPlane((0, 1), offset=FLOOR))
        m.moved("paddle", pl.Disc(PADDLE), motion=lambda t: (self.paddle(t), 0.0, 0.0))
        for k, place in enumerate(self.start()[0].tolist(), 1):
            m.particle(f"disc {k}", pl.Disc(RADIUS), mass=1.0, at=tuple(place))
        m.collide(restitution=self.restitution)
        return m

    def build(self) -> go.Setup:
        q0, v0 = (values.ravel() for values in self.start())
        return go.Setup(self.machine.system, q0, v0, (0.0, self.duration), {"rtol": 1e-10})

    # The same by parabolas

    def distances(self, p: np.ndarray, t: Any) -> dict[tuple[int, ...], np.ndarray]:
        """Distances of all discs, whose places are (..., n, 2), by disc and thing, or by discs."""
        found = {}
        for i, j in combinations(range(self.discs), 2):
            found[i, j] = np.hypot(*np.moveaxis(p[..., i, :] - p[..., j, :], -1, 0)) - 2 * RADIUS
        for i in range(self.discs):
            for k, way in enumerate(self.ways(p[..., i, :], t)):
                found[i, -1 - k] = np.hypot(*np.moveaxis(way, -1, 0)) - RADIUS - (k == 3) * PADDLE
        return found

    def ways(self, place: np.ndarray, t: Any) -> Iterator[np.ndarray]:
        """From the nearest point of each wall, of the floor, and of the paddle's centre."""
        for start, end in np.array(WALLS):
            along = end - start
            foot = np.clip((place - start) @ along / (along @ along), 0.0, 1.0)
            yield place - start - foot[..., None] * along
        yield place * [0.0, 1.0] - [0.0, FLOOR]
        yield place - np.stack([self.paddle(t), 0.0 * np.asarray(t)], axis=-1)

    def collisions(self) -> Iterator[tuple[float, np.ndarray]]:
        """Time of one collision after the other, and all velocities after it."""
        t, (p, v), weight = 0.0, self.start(), np.array([0.0, -self.gravity])
        while t < self.duration:

            def flight(s: Any, p: np.ndarray = p, v: np.ndarray = v) -> np.ndarray:
                s = np.asarray(s)[..., None, None]
                return p + s * v + 0.5 * s**2 * weight

            times = np.linspace(0.0, self.duration - t, GRID)
            every = self.distances(flight(times), t + times)
            first: tuple[float, tuple[int, ...]] = (np.inf, ())
            for pair, gaps in every.items():
                falls = np.flatnonzero((gaps[:-1] > 0.0) & (gaps[1:] <= 0.0))
                if len(falls) and times[falls[0]] < first[0]:
                    low, high = times[falls[0]], times[falls[0] + 1]
                    root = brentq(
                        lambda s, k=pair, t=t, f=flight: self.distances(f(s), t + s)[k],
                        low, high, xtol=1e-15,
                    )  # fmt: skip
                    first = min(first, (root, pair))
            if not first[1]:
                return
            s, (i, j) = first
            t, p, v = t + s, flight(s), v + s * weight
            v = self.struck(p, v, t, i, j)
            yield t, v.copy()

    def struck(self, p: np.ndarray, v: np.ndarray, t: float, i: int, j: int) -> np.ndarray:
        """Velocities after disc i has hit disc j, or the thing of that number."""
        v = v.copy()
        way = p[i] - p[j] if j >= 0 else list(self.ways(p[i], t))[-1 - j]
        normal = way / np.hypot(*way)
        other = v[j] if j >= 0 else np.zeros(2)
        if j == -4:
            other = np.array([self.amplitude * self.frequency * np.cos(self.frequency * t), 0.0])
        change = -(1.0 + self.restitution) * float((v[i] - other) @ normal) * normal
        share = 0.5 if j >= 0 else 1.0
        v[i] += share * change
        if j >= 0:
            v[j] -= share * change
        return v

    def check(self, result: go.Result) -> Iterator[go.Check]:
        hits = [event for event in result.events if event.kind == "impact"]
        pairs = list(zip(hits[:COMPARED], self.collisions(), strict=False))
        for k, (hit, (t, v)) in enumerate(pairs, 1):
            if k % 4 == 0 or k == 1:
                yield go.Check(f"collision {k}", hit.t, t, 1e-8, "s")
                off = np.abs(hit.v_after - v.ravel()).max()
                yield go.Check.at_most(f"error of the velocities after {k}", off, 1e-6, "m/s")
        times = np.linspace(0.0, result.t[-1], GRID)
        places = result(times)[0].reshape(GRID, self.discs, 2)
        deepest = -min(float(gaps.min()) for gaps in self.distances(places, times).values())
        yield go.Check.at_most("deepest overlap, of the radius", deepest / RADIUS, 1e-9)
        account = np.abs(result.energy.residual).max() / result.energy.kinetic.max()
        yield go.Check.at_most("energy account", account, 1e-8)

    def draw(self, q: np.ndarray, t: float) -> list[scene.Shape]:
        return list(self.machine.drawing(reach=(-0.6, 0.6, -0.45, 0.9))(q, t))
