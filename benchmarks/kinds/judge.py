"""Whether a run is right, from the model alone: gaps, forces, jumps and zeros by fine sampling.

Nothing here uses the guards, the solvers or the derivatives of the package. The polynomials of the
dense output are taken as what the run says the motion was; they are differentiated by numpy.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.polynomial import Chebyshev

from kinds.model import Array, Model
from kinds.nearest import Instant, Rows, nearest

DEPTH = 1e-7  # of a gap, or of a velocity limit: below this it was missed
OFF = 1e-7  # of a closure
NEAR = 1e-7  # gaps and rates below this may belong to a closed contact
DEFECT = 1e-2  # v' and the acceleration from (G) differ by more than this: not the motion
ROUND = 1e-6  # accelerations below this, times speed over duration, are none
JUMP = 1e-6  # relative distance of velocities after an impact
ENERGY = 1e-6
PIECES, TIMES = 60, 5  # pieces that are looked at closely, and times in each
FINE = 400  # times in every piece at which gaps are looked at


@dataclass
class Verdict:
    """What was found wrong, how much was looked at, and the largest figures."""

    wrong: list[str] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    worst: dict[str, float] = field(default_factory=dict)

    def note(self, name: str, figure: float) -> None:
        """Keep a figure if it is the largest so far."""
        self.worst[name] = max(self.worst.get(name, 0.0), float(figure))

    def at_most(self, name: str, figure: float, limit: float, where: str) -> None:
        """A figure and its limit; above that it is wrong."""
        self.note(name, figure)
        if not figure <= limit:
            self.wrong.append(f"{name}: {figure:.2e} {where}")


def judged(model: Model, result: Any, rng: np.random.Generator) -> Verdict:
    """Everything that can be said of a run from its model."""
    found = Verdict()
    if not all(np.isfinite(part).all() for part in (result.q, result.v, result.a)):
        found.wrong.append("a number that is not finite")
        return found
    pieces = [piece for piece in result.pieces if piece.t1 > piece.t0]
    _surfaces(model, pieces, found)
    _continuous(model, result, pieces, found)
    _motion(model, result, pieces, rng, found)
    if model.law == "newton":
        _jumps(model, result, found)
    _zeros(model, result, pieces, found)
    if model.potential is not None:
        _energy(model, result, pieces, found)
    return found


def _times(model: Model, piece: Any, count: int) -> Array:
    """Times inside a piece, close together where something short may happen."""
    marks = model.near_marks()
    marks = marks[(marks > piece.t0) & (marks < piece.t1)]
    even = np.linspace(piece.t0, piece.t1, count + 2)[1:-1]
    return np.unique(np.concatenate([even, marks]))


def _states(model: Model, piece: Any, times: Array) -> tuple[Array, Array]:
    n = len(model.q)
    values = piece.many(times)
    return values[:, :n].T, values[:, n:].T


def _surfaces(model: Model, pieces: list[Any], found: Verdict) -> None:
    """Gaps and limits are never negative where they count, and closures are zero."""
    for piece in pieces:
        times = _times(model, piece, FINE)
        q, v = _states(model, piece, times)
        found.counts["times at which gaps were looked at"] += len(times)
        for touch in model.touches:
            if touch.condition is not None:  # it may be below the surface, but not go there
                _fallen(model, piece, touch, times, found)
                continue
            low = float(np.min(touch.gap(q, times)))
            found.at_most("penetration", -low, DEPTH, f"of {touch.name} after t = {piece.t0:.9g}")
        for name, psi in model.limits:
            low = float(np.min(psi(q, v, times)))
            found.at_most("beyond a limit", -low, DEPTH, f"of {name} after t = {piece.t0:.9g}")
        for name, phi in model.closures:
            for k in range(0, len(times), 40):
                off = float(np.abs(phi(q[:, k], float(times[k]))).max())
                found.at_most("off a closure", off, OFF, f"of {name} at t = {times[k]:.9g}")


def _fallen(model: Model, piece: Any, touch: Any, times: Array, found: Verdict) -> None:
    """No gap goes through zero at a time at which its contact exists."""
    gaps = touch.gap(_states(model, piece, times)[0], times)
    for k in np.flatnonzero((gaps[:-1] > 0.0) & (gaps[1:] < -DEPTH)).tolist():
        low, high = times[k], times[k + 1]
        while high - low > 1e-14 * model.end and low < 0.5 * (low + high) < high:
            t = 0.5 * (low + high)
            below = float(touch.gap(_states(model, piece, np.array([t]))[0][:, 0], t)) < 0.0
            low, high = (low, t) if below else (t, high)
        around = np.clip(high + 1e-4 * model.feature * np.array([-1.0, 1.0]), piece.t0, piece.t1)
        q, v = _states(model, piece, around)
        if all(touch.condition(q[:, i], v[:, i], around[i]) for i in (0, 1)):
            found.wrong.append(f"through {touch.name} at t = {high:.9g}, where it exists")


def _continuous(model: Model, result: Any, pieces: list[Any], found: Verdict) -> None:
    """Positions never jump; velocities only where there is an event that makes them."""
    n = len(model.q)
    jumps = [e.t for e in result.events if e.kind in ("impact", "accumulation")]
    speed = float(np.abs(result.v).max()) + 1e-3  # of scenes about a metre in size
    for before, after in pairwise(pieces):
        off = np.abs(after.values[0] - before.values[-1])
        found.at_most("jump of a position", off[:n].max(), DEPTH, f"at t = {after.t0:.9g}")
        if abs(after.t0 - before.t1) > 1e-12 * model.end:
            found.wrong.append(f"nothing is known from {before.t1:.9g} to {after.t0:.9g}")
        if not any(abs(t - after.t0) <= 1e-9 * model.end for t in jumps):
            figure = off[n:].max() / speed
            found.at_most("jump of a velocity without an impact", figure, 1e-6,
                          f"at t = {after.t0:.9g}")  # fmt: skip
    if pieces and result.status == "finished" and abs(pieces[-1].t1 - model.end) > 1e-12:
        found.wrong.append(f"the run ends at {pieces[-1].t1}")


def _motion(
    model: Model, result: Any, pieces: list[Any], rng: np.random.Generator, found: Verdict
) -> None:
    """v' along the polynomials against the acceleration that (G) gives at the same states."""
    n = len(model.q)
    marks = model.near_marks()
    special = [i for i, p in enumerate(pieces) if ((marks > p.t0) & (marks < p.t1)).any()]
    chosen = rng.permutation(len(pieces))[:PIECES]
    for i in np.unique(np.concatenate([chosen, special])).astype(int).tolist():
        piece = pieces[i]
        span = piece.t1 - piece.t0
        if span < 1e-6 * model.end:
            continue  # differences of the model would be no better than what they are to judge
        coefficients = [
            Chebyshev.fit(piece.times, column, len(piece.values) - 1, domain=[piece.t0, piece.t1])
            for column in piece.values[:, n:].T
        ]
        inside = marks[(marks > piece.t0) & (marks < piece.t1)]
        times = np.concatenate([rng.uniform(piece.t0, piece.t1, TIMES), inside])
        for t in times.tolist():
            q, v = (part[:, 0] for part in _states(model, piece, np.array([t])))
            a = np.array([c.deriv()(t) for c in coefficients])
            _one_instant(model, q, v, a, t, found)


def _one_instant(model: Model, q: Array, v: Array, a: Array, t: float, found: Verdict) -> None:
    instant = Instant(model, q, v, t)
    limits = [limit for limit in model.limits if abs(float(limit[1](q, v, t))) <= NEAR * _speed(v)]
    near = [touch for touch in model.touches if _closed(model, touch, q, v, t)]
    found.counts["times at which forces were looked at"] += 1
    figure = np.inf
    for b in instant.accelerations(near, limits):
        size = np.abs(a).max() + np.abs(b).max() + np.abs(instant.free).max()
        off = np.abs(a - b).max() / (size + ROUND * _speed(v) / model.end)
        figure = min(figure, float(off))
        if figure <= DEFECT:
            break
    if figure == np.inf:
        found.wrong.append(f"no acceleration exists at t = {t:.9g}")
        return
    found.at_most("v' is not the acceleration", figure, DEFECT, f"at t = {t:.9g}")


def _speed(v: Array) -> float:
    return 1.0 + float(np.abs(v).max())


def _closed(model: Model, touch: Any, q: Array, v: Array, t: float) -> bool:
    if touch.condition is not None and not touch.condition(q, v, t):
        return False
    if abs(float(touch.gap(q, t))) > NEAR:
        return False
    return abs(float(Rows(model, touch.gap, q, v, t).rate[0])) <= NEAR * _speed(v)


def _jumps(model: Model, result: Any, found: Verdict) -> None:
    """Velocities after impacts, by Newton's law written anew."""
    for event in result.events:
        if event.kind != "impact":
            continue
        q, before, t = event.q, event.v_before, event.t
        named = [touch for touch in model.touches if touch.name in event.contacts]
        near = [touch for touch in model.touches if abs(float(touch.gap(q, t))) <= 1e-10]
        figures = []
        for touches in (named, [*named, *(touch for touch in near if touch not in named)]):
            closed = [
                (touch, Rows(model, touch.gap, q, before, t)) for touch in touches
                if touch.condition is None or touch.condition(q, before, t)
            ]  # fmt: skip
            after = newton(model, q, before, t, closed)
            if after is not None:
                size = np.abs(before).max() + np.abs(after).max() + 1e-12
                figures.append(float(np.abs(after - event.v_after).max() / size))
        found.counts["impacts solved anew"] += 1
        figure = min(figures, default=np.inf)
        found.at_most("velocity after an impact", figure, JUMP, f"at t = {t:.9g}")


def newton(model: Model, q: Array, v: Array, t: float, closed: list[Any]) -> Array | None:
    """v+ nearest to v-, with rate+ >= -e rate- of what does not separate; until none approaches."""
    mass, n = model.mass_at(q, t), len(q)
    held = [Rows(model, phi, q, v, t) for _, phi in model.closures]
    Ae = np.concatenate([np.zeros((0, n)), *(h.A for h in held)])
    be = Ae @ v - np.concatenate([np.zeros(0), *(h.rate for h in held)])
    speed = np.abs(v).max() + 1e-300
    for _ in range(50):
        rates = [float(rows.A[0] @ v + rows.own[0]) for _, rows in closed]
        if all(rate >= -1e-9 * speed for rate in rates):
            return v
        taken = [(touch.restitution, rows, rate) for (touch, rows), rate in
                 zip(closed, rates, strict=True) if rate <= 1e-9 * speed]  # fmt: skip
        Ai = np.concatenate([rows.A for _, rows, _ in taken])
        bi = np.array([-e * min(rate, 0.0) - rows.own[0] for e, rows, rate in taken])
        found = nearest(mass, v, Ae, be, Ai, bi)
        if found is None:
            return None
        v = found
    return v


def _zeros(model: Model, result: Any, pieces: list[Any], found: Verdict) -> None:
    """User events: as many as changes of sign between samples."""
    jumps = np.array([e.t for e in result.events if e.kind in ("impact", "accumulation")])
    for name, function in model.events.items():
        changes, last = 0, 0.0
        for piece in pieces:
            if (np.abs(jumps - piece.t0) <= 1e-9 * model.end).any():
                last = 0.0  # what jumps through zero has no zero
            times = _times(model, piece, FINE)
            q, v = _states(model, piece, times)
            values = np.asarray(function(q, v, times)) + 0.0 * times
            signs = np.sign(values[values != 0.0])
            if not len(signs):
                continue
            changes += int((np.diff(signs) != 0).sum()) + int(last * signs[0] < 0.0)
            last = signs[-1]
        told = sum(name in event.contacts for event in result.events if event.kind == "user")
        found.counts["zeros of user events"] += changes
        if told < changes:
            found.wrong.append(f"{changes} zeros of {name}, {told} told")


def _energy(model: Model, result: Any, pieces: list[Any], found: Verdict) -> None:
    """Constant between impacts, where nothing moves by itself."""
    assert model.potential is not None
    kinetic = max(
        0.5 * v @ model.mass_at(q, 0.0) @ v for q, v in zip(result.q, result.v, strict=True)
    )
    jumps = np.array([e.t for e in result.events if e.kind in ("impact", "accumulation")])
    begin: float | None = None
    for piece in pieces:
        if (np.abs(jumps - piece.t0) <= 1e-9 * model.end).any():
            begin = None
        for t in np.linspace(piece.t0, piece.t1, 9):
            q, v = (part[:, 0] for part in _states(model, piece, np.array([t])))
            energy = float(0.5 * v @ model.mass_at(q, t) @ v + model.potential(q, t))
            begin = energy if begin is None else begin
            figure = abs(energy - begin) / max(kinetic, 1e-12)
            found.at_most("change of the energy", figure, ENERGY, f"by t = {t:.9g}")
