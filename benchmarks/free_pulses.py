"""Families with peaks of forces that an integrator's stages could all miss, on bodies that move."""

from __future__ import annotations

import numpy as np
from scipy.integrate import quad
from trials import Trial, wide

import gauss_opt as go

CLOSE = 1e-5  # of the velocities: farther off, something was missed
METHODS = ("DOP853", "RK45", "Radau", "LSODA")

SHAPES = (
    lambda u: np.exp(-(u**2)),
    lambda u: 1.0 / (1.0 + u**2) ** 4,
    lambda u: np.maximum(0.0, 1.0 - u**2),
    lambda u: np.where(u * u < 1.0, 1.0, 0.0),
)


def _area(shape, width: float, moment: float) -> float:
    """Of a peak within the run from 0 to 1."""
    low, high = max(-moment / width, -60.0), min((1.0 - moment) / width, 60.0)
    corners = [p for p in (-10.0, -1.0, 0.0, 1.0, 10.0) if low < p < high]
    return width * quad(shape, low, high, points=corners, limit=500)[0]


def free_pulses(rng: np.random.Generator) -> Trial:
    """A free body that one narrow pulse of force strikes."""
    shape, method = SHAPES[int(rng.integers(len(SHAPES)))], str(rng.choice(METHODS))
    width, moment, weight = wide(rng, -4.0, -0.3), rng.uniform(0.1, 0.9), rng.choice([0.0, 9.81])
    size = wide(rng, -1.0, 2.0) * rng.choice([-1.0, 1.0]) * rng.choice([1.0, 1.0 / width])
    system = go.System(
        [1.0], lambda q, v, t: np.array([size * shape((t - moment) / width) - weight])
    )
    change = size * _area(shape, width, moment)
    exact = 0.3 - weight + change

    def wrong(result: go.Result) -> bool:
        off = abs(result.v[-1, 0] - exact)
        return bool(off > CLOSE * (1.0 + abs(exact) + abs(change)))

    return Trial(lambda: go.simulate(system, [0.0], [0.3], (0.0, 1.0), method=method), wrong)


def narrow_hills(rng: np.random.Generator) -> Trial:
    """A bead on a wire with a hill of potential narrower than its steps."""
    width, place, speed = wide(rng, -3.5, -0.5), rng.uniform(0.2, 0.8), rng.uniform(1.5, 3.0)
    top = 0.5 * speed**2
    height = rng.uniform(0.55, 2.0) * top * rng.choice([-1.0, 1.0])

    def potential(q, t):
        return height * np.exp(-(((q[0] - place) / width) ** 2))

    def wrong(result: go.Result) -> bool:
        energy = 0.5 * result.v[:, 0] ** 2 + potential(result.q.T, 0.0)
        turned = bool(result.v[-1, 0] < 0.0)
        return bool(np.ptp(energy) > CLOSE * top or turned != (height > energy[0]))

    system = go.System([1.0], potential=potential)
    return Trial(lambda: go.simulate(system, [0.0], [speed], (0.0, 1.0)), wrong)


def moving_rails(rng: np.random.Generator) -> Trial:
    """A rail that moves for an instant, and a body that is pulled along."""
    width, moment, pull = wide(rng, -3.5, -0.5), rng.uniform(0.3, 0.7), rng.uniform(1.0, 10.0)
    rail = go.Holonomic("rail", lambda q, t: q[0] - np.exp(-(((t - moment) / width) ** 2)))
    system = go.System([1.0, 1.0], lambda q, v, t: np.array([0.0, pull * q[0]]), [rail])
    change = pull * _area(SHAPES[0], width, moment)
    u = moment / width
    start = [float(np.exp(-(u**2))), 0.0], [float(2.0 * u / width * np.exp(-(u**2))), 0.0]

    def wrong(result: go.Result) -> bool:
        return bool(abs(result.v[-1, 1] - change) > CLOSE * (1.0 + change))

    return Trial(lambda: go.simulate(system, *start, (0.0, 1.0)), wrong)
