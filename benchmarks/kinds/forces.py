"""Kinds whose forces come in pulses and waves, on bodies at rest and on tables with many legs."""

from __future__ import annotations

import numpy as np

from kinds.model import Model, Touch, Trial
from kinds.surfaces import Generator, wide

G = 9.81


def _lift(rng, end):
    """A force of time that is more than the weight now and then: itself, marks and its width."""
    kind = rng.choice(["sine", "pulse", "two pulses", "chirp", "train"])
    size = rng.uniform(10.5, 30.0)
    if kind == "sine":
        w, phase = 2 * np.pi * wide(rng, -0.5, 1.3), rng.uniform(0, 2 * np.pi)
        return lambda t: size * np.sin(w * t + phase), [], 1.0 / w
    if kind == "chirp":
        w = wide(rng, 0.0, 1.5)
        return lambda t: size * np.sin(w * t * (1.0 + t)), [], 1.0 / (w * (1 + 2 * end))
    if kind == "train":  # narrow pulses, one after the other
        w, narrow = 2 * np.pi * rng.uniform(0.5, 3.0), wide(rng, 1.0, 3.0)
        marks = [m for m in np.pi / w * (0.5 + 2 * np.arange(50)) if m < end]
        return (lambda t: size * np.exp(narrow * (np.sin(w * t) - 1.0)), marks,
                1.0 / (w * np.sqrt(narrow)))  # fmt: skip
    width = wide(rng, -3.5, -0.5)
    moments = rng.uniform(0.1, 0.9, 1 if kind == "pulse" else 2) * end
    return (lambda t: size * sum(np.exp(-(((t - m) / width) ** 2)) for m in moments),
            moments.tolist(), width)  # fmt: skip


def pulses_at_rest(rng: Generator) -> Trial:
    """Bodies at rest, or sliding, that sinusoidal and pulsed forces lift."""
    end = float(rng.uniform(0.5, 3.0))
    lift, marks, feature = _lift(rng, end)
    n = int(rng.integers(1, 4))
    e = rng.choice([0.0, 0.5, 0.9], n)
    slope = rng.uniform(-0.3, 0.3)

    def force(q, v, t):
        push = [-G + lift(t) * (1.0 if i == 0 else 0.7) for i in range(n)]
        return np.array([*push, 0.3 - 0.1 * v[n]])

    touches = [
        Touch(f"floor {i}", lambda q, t, i=i: q[i] - slope * np.sin(q[n]) * (i == 0), float(e[i]))
        for i in range(n)
    ]
    for i in range(1, n):  # bodies on each other
        if rng.random() < 0.5:
            touches[i] = Touch(f"on {i}", lambda q, t, i=i: q[i] - q[i - 1], float(e[i]))
    speed = np.zeros(n + 1)
    speed[n] = rng.uniform(-1.0, 1.0) * (slope == 0.0)
    return Trial(Model(
        np.ones(n + 1), force, np.zeros(n + 1), speed, end, touches=touches, marks=marks,
        feature=min(feature, 1.0), march=True,
    ))  # fmt: skip


def redundant_tables(rng: Generator) -> Trial:
    """A table on three to eight legs under forces that lift and tilt it."""
    end = float(rng.uniform(0.3, 1.5))
    lift, marks, feature = _lift(rng, end)
    legs = int(rng.integers(3, 9))
    if rng.random() < 0.5:
        angles = 2 * np.pi * np.arange(legs) / legs
        places = np.column_stack([np.cos(angles), np.sin(angles)])
    else:
        places = rng.uniform(-1, 1, (legs, 2))
    where, weight = rng.uniform(-0.5, 0.5, 2), rng.uniform(0.0, 0.9)
    touches = [
        Touch(f"leg {i}", lambda q, t, x=x, y=y: q[0] + x * q[1] + y * q[2], 0.0)
        for i, (x, y) in enumerate(places)
    ]
    if not _stands(places):
        touches.append(Touch("middle", lambda q, t: q[0], 0.0))
        touches += [
            Touch(f"corner {i}", lambda q, t, x=x, y=y: q[0] + x * q[1] + y * q[2], 0.0)
            for i, (x, y) in enumerate([(1.1, 1.1), (-1.1, 1.1), (0.0, -1.3)])
        ]

    def force(q, v, t):
        up = weight * lift(t)
        return np.array([up - G, up * where[0], up * where[1]])

    return Trial(Model(
        [1.0, 0.3, 0.3], force, np.zeros(3), np.zeros(3), end, touches=touches, marks=marks,
        feature=min(feature, 1.0), march=True, options={"length_scale": 1.0},
    ))  # fmt: skip


def _stands(places) -> bool:
    """Whether the origin is well inside of the legs."""
    angles = np.sort(np.arctan2(places[:, 1], places[:, 0]))
    gaps = np.diff(np.append(angles, angles[0] + 2 * np.pi))
    return bool(gaps.max() < 0.9 * np.pi and np.hypot(*places.T).min() > 0.1)
