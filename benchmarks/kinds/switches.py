"""Kinds that switch: conditions of contacts, velocity limits, user events."""

from __future__ import annotations

import numpy as np

from kinds.model import Model, Touch, Trial
from kinds.surfaces import Generator, wide

G = 9.81


def conditions(rng: Generator) -> Trial:
    """A floor with narrow holes, or one that exists now and then, under a rolling body."""
    width, count = wide(rng, -3.0, -1.0), int(rng.integers(1, 4))
    holes = np.sort(rng.uniform(0.1, 0.9, count))
    kind = int(rng.integers(0, 3))

    def floor(q, v, t):
        where = q[0] if kind < 2 else t
        if kind == 0:
            near = sum(np.exp(-(((where - h) / width) ** 2)) for h in holes)
            return near < 0.5
        return np.abs(where - holes[0]) > width

    e = float(rng.choice([0.0, 0.5]))
    high = float(rng.choice([0.0, 0.05]))
    speed = float(rng.uniform(0.5, 2.0))
    model = Model(
        [1.0, 1.0], lambda q, v, t: np.array([0.0 * q[0], -G + 0.0 * q[1]]), [0.0, high],
        [speed, 0.0], 1.0 / speed, touches=[Touch("floor", lambda q, t: q[1], e, floor)],
        marks=holes[:1] if kind == 2 else holes / speed if kind == 0 else holes[:1] / speed,
        feature=width / max(speed, 1.0),
    )  # fmt: skip

    def more(result):
        """Whoever rests on the floor before a hole must have left it behind the hole."""
        wrong = []
        for hole in np.asarray(model.marks):
            if not width < hole * speed:
                continue
            if hole >= model.end:
                continue
            before = result(max(0.0, float(hole - 3 * model.feature)))
            at = result(float(hole))
            if abs(before.q[1]) < 1e-12 and before.v[1] == 0.0 and abs(at.v[1]) < 1e-12:
                wrong.append(f"held above the hole at t = {hole:.9g}")
        return wrong

    return Trial(model, more=more)


def platforms(rng: Generator) -> Trial:
    """Platforms that hold from above only, for bodies thrown up through them."""
    count = int(rng.integers(1, 4))
    levels = np.sort(rng.uniform(0.0, 2.0, count))
    e, tilt = float(rng.choice([0.0, 0.5, 0.8])), rng.uniform(-0.2, 0.2, count)
    w = wide(rng, 0.0, 1.5)
    touches = [
        Touch(
            f"platform {k}",
            lambda q, t, k=k: q[1] - levels[k] - tilt[k] * np.sin(w * q[0]),
            e,
            lambda q, v, t, k=k: v[1] - tilt[k] * w * np.cos(w * q[0]) * v[0] <= 1e-6,
        )
        for k in range(count)
    ]
    return Trial(Model(
        [1.0, 1.0], lambda q, v, t: np.array([0.0 * q[0], -G + 0.0 * q[1]]),
        [0.0, -float(rng.uniform(0.5, 1.5))],
        [float(rng.uniform(0.1, 2.0)), float(rng.uniform(3.0, 9.0))], 2.0, touches=touches,
        feature=0.1,
    ))  # fmt: skip


def velocity_limits(rng: Generator) -> Trial:
    """A body that is driven against limits of its speed, which change on the way."""
    end, width = float(rng.uniform(0.5, 2.0)), wide(rng, -2.7, -0.5)
    place, drive, w = rng.uniform(0.3, 1.5), rng.uniform(0.5, 6.0), wide(rng, 0.0, 1.5)
    kind = int(rng.integers(0, 3))

    def psi(q, v, t):
        if kind == 0:
            return 1.5 - v[0] + 0.0 * t
        if kind == 1:
            return 1.5 + 0.3 * np.sin(w * t) - v[0]
        return 2.5 - v[0] - np.exp(-(((q[0] - place) / width) ** 2))

    limits = [("limit", psi)]
    if rng.random() < 0.5:
        limits.append(("other way", lambda q, v, t: 1.2 + v[0] + 0.0 * t))
    return Trial(Model(
        [float(rng.uniform(0.5, 2.0)), 1.0],
        lambda q, v, t: np.array([drive * np.cos(w * t + 0.3), -q[1]]), [0.0, 1.0], [0.5, 0.0], end,
        limits=limits, feature=min(width if kind == 2 else 1.0, 1.0 / w),
    ))  # fmt: skip


def user_events(rng: Generator) -> Trial:
    """Functions of a body's motion that dip through zero for an instant, beside impacts."""
    width, count = wide(rng, -3.0, -0.5), int(rng.integers(1, 4))
    places = rng.uniform(0.1, 2.0, count)
    levels = rng.uniform(0.2, 0.8, count)
    wave = wide(rng, 0.5, 2.3)
    events = {}
    for k, (place, level) in enumerate(zip(places, levels, strict=True)):
        kind = int(rng.integers(0, 4))
        if kind == 0:
            events[f"dip {k}"] = lambda q, v, t, p=place, s=level: (
                s - np.exp(-(((q[0] - p) / width) ** 2))
            )
        elif kind == 1:
            events[f"wave {k}"] = lambda q, v, t, s=level: np.sin(wave * q[0]) - s
        elif kind == 2:
            events[f"moment {k}"] = lambda q, v, t, p=place, s=level: (
                s - 1.0 / (1.0 + ((t - p) / width) ** 2)
            )
        else:
            events[f"speed {k}"] = lambda q, v, t, s=level: v[1] - s
    return Trial(Model(
        [1.0, 1.0], lambda q, v, t: np.array([np.sin(q[1]), -G + 0.0 * q[1]]), [0.0, 0.3],
        [float(rng.uniform(0.5, 2.0)), 0.0], 1.0,
        touches=[Touch("floor", lambda q, t: q[1], float(rng.choice([0.0, 0.5, 0.9])))],
        events=events, feature=width / 2, marks=places if width < 0.1 else (), march=False,
    ))  # fmt: skip
