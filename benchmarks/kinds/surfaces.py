"""Kinds with surfaces that are hard to see: bumps, and obstacles that move."""

from __future__ import annotations

import numpy as np

from kinds.model import Model, Touch, Trial

Generator = np.random.Generator
G = 9.81


def wide(rng: Generator, low: float, high: float) -> float:
    """A number whose logarithm is uniform."""
    return float(10.0 ** rng.uniform(low, high))


def bumps(rng: Generator) -> Trial:
    """A body flies over a landscape of narrow bumps, in two or three dimensions."""
    n = int(rng.integers(2, 4))
    count = int(rng.integers(1, 5))
    width = wide(rng, -2.7, -0.3)
    places = rng.uniform(0.3, 3.0, (count, n - 1))
    heights, e = rng.uniform(0.3, 1.2, count), float(rng.choice([0.0, 0.5, 1.0, rng.uniform()]))
    shape = int(rng.integers(0, 3))

    def ground(q, t):
        level = 0.0 * q[0]
        for place, height in zip(places, heights, strict=True):
            square = sum((q[i] - place[i]) ** 2 for i in range(n - 1)) / width**2
            if shape == 0:
                level = level + height * np.exp(-square)
            elif shape == 1:
                level = level + height / (1.0 + square) ** 2
            else:
                level = level + height / np.cosh(np.sqrt(square + 1e-3))
        return q[n - 1] - level

    start = np.append(np.full(n - 1, -0.2), rng.uniform(0.9, 1.6))
    speed = np.append(rng.uniform(0.5, 4.0, n - 1), rng.uniform(-0.5, 0.5))
    if rng.random() < 0.6:  # straight over the first of them
        speed[:-1] = (places[0] - start[:-1]) * rng.uniform(0.5, 2.0)
    weight = np.append(np.zeros(n - 1), -float(rng.choice([0.0, 1.0, G])))
    mass = rng.uniform(0.5, 2.0, n)
    return Trial(Model(
        mass, lambda q, v, t: mass * weight, start, speed, float(rng.uniform(0.5, 1.5)),
        touches=[Touch("ground", ground, e)], feature=width,
    ))  # fmt: skip


def moving_obstacles(rng: Generator) -> Trial:
    """A body among obstacles that swing, shake, turn, or come up for an instant."""
    touches, marks, feature = [], [], 1.0
    end = float(rng.uniform(0.5, 2.0))
    for k in range(int(rng.integers(1, 4))):
        e = float(rng.choice([0.0, 0.5, 1.0, rng.uniform()], p=[0.3, 0.3, 0.1, 0.3]))
        kind = rng.choice(["shaker", "piston", "ball", "blade"])
        if kind == "shaker":
            w, size = wide(rng, 0.5, 2.3), wide(rng, -3.0, -1.0)
            gap = lambda q, t, w=w, s=size: q[1] + 0.3 - s * np.sin(w * t)  # noqa: E731
            feature = min(feature, 1.0 / w)
        elif kind == "piston":
            moment, width = float(rng.uniform(0.1, 0.9) * end), wide(rng, -2.5, -0.5)
            gap = lambda q, t, m=moment, w=width: (  # noqa: E731
                1.5 - q[1] - 0.7 * np.exp(-(((t - m) / w) ** 2))
            )
            marks.append(moment)
            feature = min(feature, width)
        elif kind == "ball":
            w, radius, phase = rng.uniform(1.0, 20.0), wide(rng, -2.0, -0.5), rng.uniform(0, 6)
            gap = lambda q, t, w=w, r=radius, f=phase: (  # noqa: E731
                np.hypot(q[0] - 1.2 * np.cos(w * t + f) - 2.0, q[1] - 1.2 * np.sin(w * t + f)) - r
            )
            feature = min(feature, radius / w)
        else:
            w, phase = rng.uniform(0.3, 3.0), rng.uniform(0.0, 0.3)
            gap = lambda q, t, w=w, f=phase: (  # noqa: E731
                q[1] * np.cos(0.3 * np.sin(w * t) - f)
                - q[0] * np.sin(0.3 * np.sin(w * t) - f)
                + 0.5
            )
        touches.append(Touch(f"{kind} {k}", gap, e))
    mass = [1.0, float(rng.uniform(0.5, 2.0))]
    weight = -mass[1] * float(rng.choice([0.0, G]))
    model = Model(
        mass, lambda q, v, t: np.array([-q[0], weight + 0.0 * q[1]]), rng.uniform(-0.2, 0.2, 2),
        rng.normal(size=2), end, touches=touches, marks=marks, feature=feature, march=True,
    )  # fmt: skip
    kept = [t for t in touches if float(t.gap(np.asarray(model.q), 0.0)) > 1e-3]
    model.touches = kept
    return Trial(model)
