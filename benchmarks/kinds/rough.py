"""Kinds with friction: bodies that slide, stick, roll and tip over, and blocks on belts."""

from __future__ import annotations

import numpy as np

import gauss_opt as go
from kinds.model import Model, Touch, Trial
from kinds.surfaces import Generator

G = 9.81


def rubbing_bodies(rng: Generator) -> Trial:
    """Discs and boxes on a tilted rough floor, on springs beside each other, pulled to and fro."""
    count, mu = int(rng.integers(1, 4)), float(rng.uniform(0.05, 0.9))
    e, tilt = float(rng.choice([0.0, 0.3, 0.6])), float(rng.choice([0.0, 0.2, 0.5]))
    k, pull, w = (
        float(rng.choice([0.0, 20.0])),
        float(rng.choice([0.0, 2.0, 5.0])),
        rng.uniform(1, 5),
    )
    touches: list[Touch] = []
    mass: list[float] = []
    q: list[float] = []
    v: list[float] = []
    for i in range(count):
        size, m = float(rng.uniform(0.1, 0.3)), float(rng.uniform(0.5, 2.0))
        boxed, resting = bool(rng.random() < 0.6), bool(rng.random() < 0.5)
        touches += _corners(i, size, e, mu) if boxed else [_disc(i, size, e, mu)]
        mass += [m, m, m * size**2 * (2 / 3 if boxed else 1 / 2)]
        flat = boxed and resting
        high = size if resting else size * (1.5 if boxed else 1.0) + float(rng.uniform(0.0, 0.5))
        q += [float(i), high, 0.0 if flat else float(rng.uniform(-0.5, 0.5))]
        v += [2.0 * float(rng.normal()), 0.0 if resting else float(rng.normal())]
        v += [0.0 if flat else 3.0 * float(rng.normal())]

    def force(q, v, t):
        found = []
        for i in range(count):
            along = mass[3 * i] * G * np.sin(tilt) + pull * np.sin(w * t)
            if i > 0:
                along = along - k * (q[3 * i] - q[3 * i - 3] - 1.0)
            if i < count - 1:
                along = along + k * (q[3 * i + 3] - q[3 * i] - 1.0)
            found += [along, -mass[3 * i] * G * np.cos(tilt) + 0.0 * q[0], 0.0 * q[0]]
        return np.array(found)

    model = Model(mass, force, q, v, float(rng.uniform(0.5, 2.0)), touches=touches)
    return Trial(model, run=model.run, more=lambda result: wrong(model, result))


def belts(rng: Generator) -> Trial:
    """A block on a spring, on a belt that may change its speed: it sticks and slips."""
    mu, u, w = float(rng.uniform(0.1, 0.8)), float(rng.uniform(-0.5, 0.5)), rng.uniform(1.0, 8.0)
    swing, stiff = float(rng.choice([0.0, 0.3])), float(rng.uniform(20.0, 200.0))

    def slip(q, v, t):
        return v[0] - u - swing * np.sin(w * t)

    def force(q, v, t):
        return np.array([-stiff * q[0], -G + 0.0 * q[1]])

    model = Model(
        [1.0, 1.0], force, [0.0, 0.0], [float(rng.normal()), 0.0], 2.0,
        touches=[Touch("belt", lambda q, t: q[1], slip=slip, friction=mu)],
    )  # fmt: skip
    return Trial(model, run=model.run, more=lambda result: wrong(model, result))


def _disc(i: int, radius: float, e: float, mu: float) -> Touch:
    o = 3 * i
    return Touch(
        f"disc {i}", lambda q, t: q[o + 1] - radius, e,
        slip=lambda q, v, t: v[o] + radius * v[o + 2], friction=mu,
    )  # fmt: skip


def _corners(i: int, half: float, e: float, mu: float) -> list[Touch]:
    o, found = 3 * i, []
    for s, c in ((-1, -1), (1, -1), (1, 1), (-1, 1)):

        def gap(q, t, s=s, c=c):
            return q[o + 1] + half * (s * np.sin(q[o + 2]) + c * np.cos(q[o + 2]))

        def slip(q, v, t, s=s, c=c):
            return v[o] - half * (s * np.sin(q[o + 2]) + c * np.cos(q[o + 2])) * v[o + 2]

        found.append(Touch(f"corner {s:+d} {c:+d} of {i}", gap, e, slip=slip, friction=mu))
    return found


def wrong(model: Model, result: go.Result) -> list[str]:
    """What breaks Coulomb's law, or gains energy, at the rows of a result."""
    found, energy = [], result.energy
    size = max(float(np.abs(energy.total).max()), float(energy.kinetic.max()), 1e-12)
    if np.abs(energy.residual).max() > 1e-6 * size:
        found.append(f"the energy account is off by {np.abs(energy.residual).max() / size:.1e}")
    if np.diff(energy.friction).max(initial=0.0) > 1e-8 * size:
        found.append("friction does positive work")
    for event in result.events:
        gain = event.energy_change - event.constraint_work
        if event.kind in ("impact", "jam") and gain > 1e-9 * size:
            found.append(f"an impact gains energy: {event}")
    for touch in model.touches:
        gap, force = result.gaps[touch.name], result.multipliers[touch.name]
        rub, slip = result.friction[touch.name], result.slips[touch.name]
        scale, fastest = max(float(force.max()), G), max(float(np.abs(slip).max()), 1.0)
        if gap.min() < -1e-8:
            found.append(f"{touch.name} is penetrated by {-gap.min():.1e}")
        if (np.abs(rub) - touch.friction * force).max() > 1e-7 * scale:
            found.append(f"{touch.name} leaves its cone")
        if (rub * slip).max() > 1e-7 * scale * fastest:
            found.append(f"friction of {touch.name} is with its slip")
        sliding = (force > 1e-9 * scale) & (np.abs(slip) > 1e-6 * fastest)
        off = np.abs(rub + touch.friction * force * np.sign(slip))[sliding]
        if off.max(initial=0.0) > 1e-7 * scale:
            found.append(f"{touch.name} slides with a friction that is not mu times its force")
    return found
