"""The motion by tiny steps: Runge-Kutta of fourth order, impacts where a gap has changed its sign.

Who is closed, presses or opens is decided at each stage by (G) as `nearest` solves it. It is
accurate to about the square of a step at releases, and knows nothing that happens within a step;
so a motion counts only if half the steps give the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from kinds.judge import newton
from kinds.model import Array, Model
from kinds.nearest import Instant, Rows

STEPS = 1500
STOPS = 1e-5  # of the fastest so far: a rebound below this is none
OPENS = 1e-9
FALLEN = 1e-5  # tiny steps that begin below a surface by round-off do not come back
SPREAD = 1e-3  # both motions must agree to this, or chaos has come between them
TIMES_THE_SPREAD, FLOOR = 30.0, 1e-4
IMPACTS = 60


@dataclass
class _March:
    model: Model
    q: Array
    v: Array
    t: float
    closed: set[int]
    fastest: float = 0.0
    impacts: int = 0

    def slope(self, q: Array, v: Array, t: float) -> Array:
        touches = [self.model.touches[i] for i in sorted(self.closed)]
        instant = Instant(self.model, q, v, t)
        a = instant.acceleration(touches, [])
        if a is None:
            raise ArithmeticError("no acceleration")
        return a

    def tried(self, h: float) -> tuple[Array, Array]:
        q, v, t = self.q, self.v, self.t
        a1 = self.slope(q, v, t)
        v2 = v + 0.5 * h * a1
        a2 = self.slope(q + 0.5 * h * v, v2, t + 0.5 * h)
        v3 = v + 0.5 * h * a2
        a3 = self.slope(q + 0.5 * h * v2, v3, t + 0.5 * h)
        v4 = v + h * a3
        a4 = self.slope(q + h * v3, v4, t + h)
        return q + h / 6 * (v + 2 * v2 + 2 * v3 + v4), v + h / 6 * (a1 + 2 * a2 + 2 * a3 + a4)

    def under(self, q: Array, t: float) -> bool:
        return any(
            float(touch.gap(q, t)) < 0.0
            for i, touch in enumerate(self.model.touches)
            if i not in self.closed
        )

    def step(self, h: float) -> None:
        q, v = self.tried(h)
        if self.under(q, self.t + h) and not self.under(self.q, self.t):
            low, high = 0.0, h
            for _ in range(40):
                middle = 0.5 * (low + high)
                inside = self.under(self.tried(middle)[0], self.t + middle)
                low, high = (low, middle) if inside else (middle, high)
            q, v = self.tried(low)
            touching = self._touching(high)
            self.q, self.v, self.t = q, v, self.t + low
            self._strike(touching)
        else:
            self.q, self.v, self.t = q, v, self.t + h
            self.fastest = max(self.fastest, float(np.abs(v).max()))
        if self.deepest() < -FALLEN:
            raise ArithmeticError("fell through a surface")
        for i in sorted(self.closed):
            if float(self.model.touches[i].gap(self.q, self.t)) > OPENS:
                rows = Rows(self.model, self.model.touches[i].gap, self.q, self.v, self.t)
                if rows.rate[0] > 0.0:
                    self.closed.discard(i)

    def deepest(self) -> float:
        """The least gap."""
        return min((float(t.gap(self.q, self.t)) for t in self.model.touches), default=0.0)

    def _touching(self, h: float) -> set[int]:
        q = self.tried(h)[0]
        touches = enumerate(self.model.touches)
        return {i for i, touch in touches if float(touch.gap(q, self.t + h)) < OPENS}

    def _strike(self, touching: set[int]) -> None:
        self.impacts += 1
        if self.impacts > IMPACTS:
            raise ArithmeticError("too many impacts")
        rows = [
            (
                self.model.touches[i],
                Rows(self.model, self.model.touches[i].gap, self.q, self.v, self.t),
            )
            for i in sorted(touching | self.closed)
        ]
        before = {touch.name: float(r.rate[0]) for touch, r in rows}
        after = newton(self.model, self.q, self.v, self.t, rows)
        if after is None:
            raise ArithmeticError("no answer")
        self.v = after
        speed = max(self.fastest, float(np.abs(after).max()))
        for i, (touch, r) in zip(sorted(touching | self.closed), rows, strict=True):
            rate = float(r.A[0] @ after + r.own[0])
            if rate <= STOPS * speed and before[touch.name] <= STOPS * speed:
                self.closed.add(i)
            elif rate > STOPS * speed:
                self.closed.discard(i)


def march(model: Model, steps: int) -> tuple[Array, int]:
    """Position at the end, and the number of impacts."""
    touching = {
        i for i, touch in enumerate(model.touches)
        if abs(float(touch.gap(np.asarray(model.q, float), 0.0))) <= OPENS
    }  # fmt: skip
    now = _March(model, np.array(model.q, float), np.array(model.v, float), 0.0, set())
    now.fastest = float(np.abs(now.v).max())
    if touching:  # some may approach already
        now._strike(touching)
    grid = np.unique(
        np.concatenate([np.linspace(0.0, model.end, steps + 1), model.near_marks(steps // 8)])
    )
    for end in grid[1:].tolist():
        for _ in range(20):
            if now.t >= end:
                break
            now.step(end - now.t)
    return now.q, now.impacts


def compared(model: Model, result: Any) -> tuple[str, float]:
    """How a run compares with tiny steps: a word, and how far apart they are."""
    try:
        (coarse, _), (fine, _) = march(model, STEPS), march(model, 2 * STEPS)
    except (ArithmeticError, np.linalg.LinAlgError, RuntimeError):
        return "tiny steps gave up", 0.0
    size = 1.0 + float(np.abs(fine).max())
    spread = float(np.abs(fine - coarse).max()) / size
    if not spread <= SPREAD:
        return "tiny steps do not agree with themselves", spread
    apart = float(np.abs(fine - result.q[-1]).max()) / size
    if apart <= TIMES_THE_SPREAD * spread + FLOOR:
        return "agrees with tiny steps", apart
    return "differs from tiny steps", apart
