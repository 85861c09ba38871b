"""Small piles and boxes of discs, and stacks in one dimension."""

from __future__ import annotations

import numpy as np

from kinds.model import Model, Touch, Trial
from kinds.surfaces import Generator

G = 9.81


def piles(rng: Generator) -> Trial:
    """Two to six discs fall into a box or a wedge."""
    count = int(rng.integers(2, 7))
    radii = rng.uniform(0.06, 0.12, count)
    masses = 10 ** rng.uniform(-0.7, 0.7, count)
    tilt = float(rng.choice([0.0, rng.uniform(0.1, 0.8)]))
    walls = [(-np.sin(tilt), np.cos(tilt), 0.0), (np.sin(tilt), np.cos(tilt), 0.0)]
    if not tilt:
        walls = [(0.0, 1.0, 0.0), (1.0, 0.0, -0.35), (-1.0, 0.0, -0.35)]
    same = float(rng.choice([0.0, 0.3, 0.5, 0.8]))
    touches = []
    for i in range(count):
        for k, (x, y, offset) in enumerate(walls):
            touches.append(Touch(
                f"wall {k} {i}",
                lambda q, t, i=i, x=x, y=y, o=offset + radii[i]:
                    x * q[2 * i] + y * q[2 * i + 1] - o,
                same,
            ))  # fmt: skip
        for j in range(i):
            touches.append(Touch(
                f"discs {j} {i}",
                lambda q, t, i=i, j=j: np.hypot(q[2 * i] - q[2 * j], q[2 * i + 1] - q[2 * j + 1])
                - radii[i] - radii[j],
                same,
            ))  # fmt: skip
    place = []
    for i in range(count):
        place += [rng.uniform(-0.2, 0.2), 0.3 + 0.26 * i + rng.uniform(0.0, 0.02)]
    mass = np.repeat(masses, 2)
    weight = -G * mass * np.tile([0.0, 1.0], count)
    law = str(rng.choice(["newton", "poisson", "sequential"]))
    return Trial(Model(
        mass, lambda q, v, t: weight + 0.0 * q, place, 0.5 * rng.normal(size=2 * count),
        float(rng.uniform(0.4, 1.5)), touches=touches, march=count <= 3 and law == "newton",
        options={"law": law},
    ))  # fmt: skip


def stacks(rng: Generator) -> Trial:
    """Blocks above each other in one dimension, some on springs, masses up to a thousand apart."""
    count = int(rng.integers(1, 6))
    mass = 10 ** rng.uniform(-1.5, 1.5, count)
    e = rng.choice([0.0, 0.2, 0.5, 0.8], count)
    spring = rng.uniform(0.0, 200.0) * (rng.random() < 0.4)
    touches = [Touch("floor", lambda q, t: q[0], float(e[0]))]
    touches += [
        Touch(f"blocks {i - 1} {i}", lambda q, t, i=i: q[i] - q[i - 1], float(e[i]))
        for i in range(1, count)
    ]
    place = np.cumsum(rng.uniform(0.0, 0.5, count) * (rng.random(count) < 0.7))

    def force(q, v, t):
        pull = [
            -G * mass[i] - (spring * (q[i] - place[i]) if i == 0 else 0.0) for i in range(count)
        ]
        return np.array(pull)

    return Trial(Model(
        mass, force, place, rng.normal(size=count) * (place > 0.0), float(rng.uniform(0.4, 1.5)),
        touches=touches, march=count <= 2,
        options={"law": str(rng.choice(["newton", "poisson"])), "length_scale": 1.0},
    ))  # fmt: skip
