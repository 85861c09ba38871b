"""Gauss's principle at one state by other means: differences in long double, SVD, and NNLS."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Any

import numpy as np
from scipy.optimize import nnls

from kinds.model import Array, Model

LONG = np.longdouble
SMALL = 1e-6  # of the shortest feature: steps of first differences
STEP = 2e-5  # the same, of second differences
RANK = 1e-7  # singular values below this are none
MANY = 8  # contacts whose subsets are all tried


def _value(function: Any, *arguments: Any) -> Array:
    return np.atleast_1d(np.asarray(function(*arguments), dtype=LONG)).ravel()


def gradient(function: Any, x: Array, step: float) -> Array:
    """Central differences of a function of one vector, (k, n)."""
    columns = []
    for i in range(len(x)):
        d = np.zeros(len(x), dtype=LONG)
        d[i] = LONG(step)
        columns.append((_value(function, x + d) - _value(function, x - d)) / (2 * LONG(step)))
    return np.array(columns).T.astype(float)


class Rows:
    """Rows of one constraint at a state: its values, rates, A and b of A a = b (or >=)."""

    def __init__(self, model: Model, function: Any, q: Array, v: Array, t: float) -> None:
        q, v, t = q.astype(LONG), v.astype(LONG), LONG(t)
        self.A = gradient(lambda x: function(x, t), q, SMALL * model.feature)
        # Along a straight line with constant speed: what v and t alone do.
        h = LONG(STEP * model.feature / max(1.0, float(np.abs(v).max())))
        here = _value(function, q, t)
        after = _value(function, q + h * v, t + h)
        before = _value(function, q - h * v, t - h)
        self.value = here.astype(float)
        self.rate = ((after - before) / (2 * h)).astype(float)
        self.own = self.rate - self.A @ v.astype(float)  # what the surface does by itself
        self.b = (-(after - 2 * here + before) / h**2).astype(float)


class LimitRows:
    """The same of a velocity limit: its rows are on velocities."""

    def __init__(self, model: Model, function: Any, q: Array, v: Array, t: float) -> None:
        q, v, t = q.astype(LONG), v.astype(LONG), LONG(t)
        self.A = gradient(lambda x: function(q, x, t), v, SMALL * model.feature)
        h = LONG(STEP * model.feature / max(1.0, float(np.abs(v).max())))
        after, before = _value(function, q + h * v, v, t + h), _value(function, q - h * v, v, t - h)
        self.value = _value(function, q, v, t).astype(float)
        self.b = (-(after - before) / (2 * h)).astype(float)


def nearest(mass: Array, x: Array, Ae: Array, be: Array, Ai: Array, bi: Array) -> Array | None:
    """The point nearest to x in the metric of the mass; None where there is none."""
    factor = np.linalg.cholesky(mass)
    back = np.linalg.inv(factor).T
    B, D = Ae @ back, Ai @ back
    z = np.zeros(len(x))
    free = np.eye(len(x))
    if len(B):
        B = B / np.linalg.norm(Ae @ back, axis=1, keepdims=True)
        r = (be - Ae @ x) / np.linalg.norm(Ae @ back, axis=1)
        left, sigma, right = np.linalg.svd(B)
        rank = int((sigma > RANK * sigma.max()).sum())
        z = right[:rank].T @ ((left[:, :rank].T @ r) / sigma[:rank])
        free = right[rank:].T
    if len(D) and free.shape[1]:
        G, h = D @ free, bi - Ai @ x - D @ z
        size = np.linalg.norm(G, axis=1)
        G, h = G[size > 1e-12], h[size > 1e-12]
        G, h = G / size[size > 1e-12, None], h / size[size > 1e-12]
        scale = max(np.abs(h).max(initial=0.0), 1e-300)
        if (h > 0.0).any():
            E = np.vstack([G.T, h / scale])
            last = np.eye(len(E))[-1]
            u, off = nnls(E, last, maxiter=100 * len(E) + 1000)
            left_over = E @ u - last
            if off < 1e-9:
                return None
            z = z + free @ (-scale * left_over[:-1] / left_over[-1])
    return x + back @ z


class Instant:
    """All rows of a model at a state."""

    def __init__(self, model: Model, q: Array, v: Array, t: float) -> None:
        self.model, self.q, self.v, self.t = model, q, v, t
        self.mass = model.mass_at(q, t)
        force = np.asarray(model.force(q, v, t), dtype=float)
        self.free = np.linalg.solve(self.mass, force)
        closures = [Rows(model, phi, q, v, t) for _, phi in model.closures]
        n = len(q)
        self.Ae = np.concatenate([np.zeros((0, n)), *(c.A for c in closures)])
        self.be = np.concatenate([np.zeros(0), *(c.b for c in closures)])

    def acceleration(self, touches: list[Any], limits: list[Any]) -> Array | None:
        """With some contacts closed and some limits reached."""
        rows: list[Any] = [Rows(self.model, touch.gap, self.q, self.v, self.t) for touch in touches]
        rows += [LimitRows(self.model, psi, self.q, self.v, self.t) for _, psi in limits]
        Ai = np.concatenate([np.zeros((0, len(self.q))), *(r.A for r in rows)])
        bi = np.concatenate([np.zeros(0), *(r.b for r in rows)])
        if not len(Ai) and not len(self.Ae):
            return self.free
        return nearest(self.mass, self.free, self.Ae, self.be, Ai, bi)

    def accelerations(self, touches: list[Any], limits: list[Any]) -> Iterator[Array]:
        """With every choice among contacts that may be closed or just not, and limits reached."""
        sizes = range(len(touches), -1, -1) if len(touches) <= MANY else (len(touches), 0)
        for reached in (limits, []) if limits else ([],):
            for k in sizes:
                for chosen in combinations(touches, k):
                    a = self.acceleration(list(chosen), list(reached))
                    if a is not None:
                        yield a
