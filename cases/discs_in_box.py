"""Discs fly about in a box, and every collision happens where a hard-disc code predicts it.

Teaches a scene with many possible contacts of which one at a time is struck: eight discs in a box
have 60 gaps. Nothing overlaps, energy never rises, and every impact keeps the momentum across
its normal. The motion is chaotic, so only the first collisions can be compared.

Reference: an event-driven simulation of hard discs in this file, which knows neither gaps nor
optimisation: free flight between collisions, whose times are roots of quadratic equations.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np

import gauss_opt as go
import gauss_opt.planar as pl
from gauss_opt.viz import scene

COMPARED = 30  # collisions; every one makes differences several times larger
WALLS = {"left": (1.0, 0.0), "right": (-1.0, 0.0), "floor": (0.0, 1.0), "ceiling": (0.0, -1.0)}


@dataclass(frozen=True)
class DiscsInBox(go.Case):
    """Equal discs in a square box; coordinates are their centres."""

    reference = "event-driven simulation of hard discs by quadratic equations"
    laws = ("newton", "poisson", "sequential")

    discs: int = go.parameter(8, "", "number of discs", least=1, most=200)
    radius: float = go.parameter(0.08, "m", "radius of the discs")
    size: float = go.parameter(1.0, "m", "width and height of the box")
    speed: float = go.parameter(1.0, "m/s", "typical speed at the start")
    restitution: float = go.parameter(1.0, "", "coefficient of restitution of all contacts")
    gravity: float = go.parameter(0.0, "m/s^2", "gravitational acceleration")
    seed: int = go.parameter(1, "", "seed of the random start", least=0)
    duration: float = go.parameter(2.0, "s", "simulated time")

    def __post_init__(self) -> None:
        for name in ("discs", "radius", "size", "speed", "duration"):
            if not getattr(self, name) > 0:
                raise go.InputError(f"{name} must be positive, got {getattr(self, name):g}")
        if self.gravity < 0.0 or self.seed < 0:
            raise go.InputError("gravity and seed must not be negative")
        if self.per_side**2 < self.discs:
            raise go.InputError(f"{self.discs} discs do not fit: make them smaller, or fewer")

    @property
    def per_side(self) -> int:
        """Places for discs along one side, a tenth of a radius apart at least."""
        return int(self.size / (2.1 * self.radius))

    def start(self) -> tuple[np.ndarray, np.ndarray]:
        """Random places that do not overlap, and random velocities."""
        random = np.random.default_rng(self.seed)
        cell = self.size / self.per_side
        chosen = random.choice(self.per_side**2, self.discs, replace=False)
        middle = cell * (np.stack(np.divmod(chosen, self.per_side), axis=1) + 0.5)
        room = 0.5 * cell - self.radius
        places = middle + room * random.uniform(-1.0, 1.0, middle.shape)
        return places, self.speed * random.normal(size=middle.shape)

    @cached_property
    def box(self) -> pl.Mechanism:
        """Walls and discs, all of which can touch."""
        m = pl.Mechanism(gravity=self.gravity)
        for name, normal in WALLS.items():
            m.fixed(name, pl.HalfPlane(normal, offset=-self._far(normal)))
        for k, place in enumerate(self.start()[0].tolist(), 1):
            m.particle(str(k), pl.Disc(self.radius), mass=1.0, at=tuple(place))
        m.collide(restitution=self.restitution)
        return m

    def _far(self, normal: tuple[float, float]) -> float:
        """Distance of a wall from the corner at the origin."""
        return self.size if sum(normal) < 0.0 else 0.0

    def build(self) -> go.Setup:
        q0, v0 = (values.ravel() for values in self.start())
        return go.Setup(self.box.system, q0, v0, (0.0, self.duration))

    def check(self, result: go.Result) -> Iterator[go.Check]:
        impacts = [event for event in result.events if event.kind == "impact"]
        pairs = list(zip(impacts[:COMPARED], self.hard_discs(), strict=False))
        others = sum(event.contacts != (name,) for event, (_, name, _) in pairs)
        yield go.Check("collisions of others than the hard discs", others, 0, 0)
        for k, (event, (t, name, v)) in enumerate(pairs):
            if k % 10 == 9:
                yield go.Check(f"collision {k + 1}, {name}", event.t, t, 1e-8, "s")
                off = np.abs(event.v_after - v.ravel()).max() / self.speed
                yield go.Check.at_most("error of its velocities after, relative", off, 1e-8)
        lost = max((_unexplained_momentum(event) for event in impacts), default=0.0)
        yield go.Check.at_most("momentum not from the walls, relative", lost / self.speed, 1e-9)
        energy = result.energy.total
        rise = (energy - np.minimum.accumulate(energy)).max()
        yield go.Check.at_most("rise of the energy, relative", rise / energy[0], 1e-9)
        account = np.abs(result.energy.residual).max() / energy[0]
        yield go.Check.at_most("energy account, relative", account, 1e-9)
        deepest = -min(gap.min() for gap in result.gaps.values()) / self.radius
        yield go.Check.at_most("deepest overlap, of the radius", deepest, 1e-9)

    def hard_discs(self) -> Iterator[tuple[float, str, np.ndarray]]:
        """Time, name and velocities after of one collision after the other, until a disc rests."""
        t, (p, v), weight = 0.0, self.start(), np.array([0.0, -self.gravity])
        while True:
            flight, name, bodies, signs = min(self._next_hits(p, v, weight), key=lambda hit: hit[0])
            t, p = t + flight, p + flight * v + 0.5 * flight**2 * weight
            v = v + flight * weight
            if len(bodies) == 2:
                normal = (p[bodies[1]] - p[bodies[0]]) / (2.0 * self.radius)
            else:
                normal = np.array(WALLS[name.split("-")[0]])
            rate = float(signs @ v[bodies] @ normal)
            if not (np.isfinite(flight) and -self.restitution * rate > 1e-6 * self.speed):
                return
            v[bodies] -= (1.0 + self.restitution) * rate / len(bodies) * np.outer(signs, normal)
            yield t, name, v.copy()

    def _next_hits(self, p: np.ndarray, v: np.ndarray, weight: np.ndarray) -> Iterator[tuple]:
        """For each pair, and each disc and wall: time to the hit, name, bodies and their signs."""
        for i, j in combinations(range(self.discs), 2):
            d, w = p[j] - p[i], v[j] - v[i]  # gravity moves both alike
            flight = _root(0.5 * (d @ d - 4.0 * self.radius**2), d @ w, w @ w)
            yield flight, f"{i + 1}-{j + 1}", [i, j], np.array([-1.0, 1.0])
        for name, direction in WALLS.items():
            normal = np.array(direction)
            far = self._far(direction)
            for i in range(self.discs):
                gap = normal @ p[i] + far - self.radius
                flight = _root(gap, normal @ v[i], normal @ weight)
                yield flight, f"{name}-{i + 1}", [i], np.array([1.0])

    def draw(self, q: np.ndarray, t: float) -> list[scene.Shape]:
        reach = (0.0, self.size, 0.0, self.size)
        return [scene.trail(q[:2]), *self.box.drawing(reach=reach)(q, t)]


def _root(value: float, rate: float, curvature: float) -> float:
    """Next time at which value + rate t + 1/2 curvature t^2 falls through 0, or infinity."""
    inside = rate * rate - 2.0 * curvature * value
    if rate < 0.0:
        return max(0.0, 2.0 * value / (np.sqrt(inside) - rate)) if inside >= 0.0 else np.inf
    return (rate + np.sqrt(inside)) / -curvature if curvature < 0.0 else np.inf


def _unexplained_momentum(event: go.Event) -> float:
    """Change of the total momentum at an impact, without what the walls gave."""
    change = (event.v_after - event.v_before).reshape(-1, 2).sum(axis=0)
    for name, impulse in event.impulses.items():
        wall = name.split("-")[0]
        if wall in WALLS:
            change = change - impulse * np.array(WALLS[wall])
    return float(np.abs(change).max())
