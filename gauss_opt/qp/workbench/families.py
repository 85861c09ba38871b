"""Families of least-constraint problems, each problem made from one seed.

The difficulties are those of mechanics: rows that follow from others, contacts in excess, masses of
very different size, room that is next to none, and contradictions.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ...base.arguments import whole_number
from ...base.arrays import Array
from ...base.errors import InputError
from ..problem import GaussProblem

__all__ = ["families", "family"]

SIZES = ((4, 1, 3), (8, 2, 6), (16, 5, 10), (30, 10, 20))
"""Unknowns, equalities and inequalities of random problems, in turn."""


def families() -> tuple[str, ...]:
    """Names of the families.

    >>> families()
    ('random', 'redundant', 'stack', 'mass_ratio', 'near_infeasible', 'infeasible')
    """
    return tuple(_FAMILIES)


def family(name: str, count: int = 10, *, seed: int = 0) -> tuple[GaussProblem, ...]:
    """Problems of a family; a longer series begins with the shorter one.

    Parameters
    ----------
    name : str
        ``"random"``: rows from a normal distribution. ``"redundant"``: a third of the rows are sums
        of others. ``"stack"``: blocks on one another with more contact points than it takes, all of
        them touching. ``"mass_ratio"``: a chain of masses from 1e-6 to 1e6.
        ``"near_infeasible"``: a point between two walls with next to no room. ``"infeasible"``: the
        walls overlap.
    count : int
    seed : int

    Examples
    --------
    >>> print(family("stack", 2)[1])
    GaussProblem 'stack': 6 coordinates, 0 equality rows, 12 inequality rows
    """
    if name not in _FAMILIES:
        raise InputError(f"no family is called {name!r}; choose from: {', '.join(_FAMILIES)}")
    seed = whole_number("seed", seed, least=0)
    place = list(_FAMILIES).index(name)
    return tuple(
        _FAMILIES[name](np.random.default_rng([seed, place, i]), i)
        for i in range(whole_number("count", count))
    )


def _rows(rng: np.random.Generator, number: int) -> tuple[Array, Array, Array, Array, Array]:
    """A metric, rows, and a point that satisfies them, half of the inequalities with room."""
    n, ne, ni = SIZES[number % len(SIZES)]
    root = rng.normal(size=(n, n))
    inside = rng.normal(size=n)
    room = rng.exponential(size=ni) * rng.integers(0, 2, size=ni)
    return (
        root @ root.T + np.eye(n),
        rng.normal(size=(ne, n)),
        rng.normal(size=(ni, n)),
        inside,
        room,
    )


def _random(rng: np.random.Generator, number: int) -> GaussProblem:
    metric, Ae, Ai, inside, room = _rows(rng, number)
    return GaussProblem.create(
        metric, target=rng.normal(size=len(inside)), Ae=Ae, be=Ae @ inside, Ai=Ai,
        bi=Ai @ inside - room, kind="random",
    )  # fmt: skip


def _redundant(rng: np.random.Generator, number: int) -> GaussProblem:
    metric, Ae, Ai, inside, room = _rows(rng, number)
    more = 1 + len(Ai) // 3
    mixed_e = rng.normal(size=(1 + len(Ae) // 3, len(Ae))) @ Ae
    shares = rng.integers(0, 3, size=(more, len(Ai))).astype(float)
    Ae, room = np.vstack([Ae, mixed_e]), np.concatenate([room, shares @ room])
    Ai = np.vstack([Ai, shares @ Ai])
    return GaussProblem.create(
        metric, target=rng.normal(size=len(inside)), Ae=Ae, be=Ae @ inside, Ai=Ai,
        bi=Ai @ inside - room, kind="redundant",
    )  # fmt: skip


def _stack(rng: np.random.Generator, number: int) -> GaussProblem:
    """Blocks (height, tilt) that rest on each other at four points each, some pushed aside."""
    blocks = 2 + number
    mass = rng.uniform(0.5, 2.0, size=blocks)
    inertia = mass * rng.uniform(0.1, 0.5, size=blocks)
    points = np.array([-0.5, -0.2, 0.2, 0.5])
    rows = np.zeros((blocks, len(points), blocks, 2))
    for k in range(blocks):
        rows[k, :, k] = np.column_stack([np.ones(len(points)), points])
        if k:
            rows[k, :, k - 1] = -rows[k, :, k]
    torque = rng.normal(size=blocks) * (rng.random(blocks) < 0.3)
    load = np.column_stack([-9.81 * mass, torque]).ravel()
    flat = rows.reshape(blocks * len(points), 2 * blocks)
    metric = np.column_stack([mass, inertia]).ravel()
    return GaussProblem.create(metric, load, Ai=flat, bi=np.zeros(len(flat)), kind="stack")


def _mass_ratio(rng: np.random.Generator, number: int) -> GaussProblem:
    """Masses in a row that must not come nearer to each other, the first driven."""
    n = 4 + number
    mass = 10.0 ** rng.uniform(-6.0, 6.0, size=n)
    gaps = np.eye(n)[1:] - np.eye(n)[:-1]
    target = np.sort(rng.normal(size=n))[::-1]
    return GaussProblem.create(
        mass, target=target, Ae=np.eye(n)[:1], be=[target[0] + rng.uniform()], Ai=gaps,
        bi=np.zeros(n - 1), kind="mass_ratio",
    )  # fmt: skip


def _walls(rng: np.random.Generator, number: int, room: float, kind: str) -> GaussProblem:
    """A random problem with one more pair of rows that face each other."""
    metric, Ae, Ai, inside, slack = _rows(rng, number)
    wall = rng.normal(size=len(inside))
    place = wall @ inside
    Ai = np.vstack([Ai, wall, -wall])
    bi = np.concatenate([Ai[:-2] @ inside - slack, [place, -place - room]])
    return GaussProblem.create(
        metric, target=rng.normal(size=len(inside)), Ae=Ae, be=Ae @ inside, Ai=Ai, bi=bi, kind=kind
    )


def _near_infeasible(rng: np.random.Generator, number: int) -> GaussProblem:
    return _walls(rng, number, 10.0 ** rng.uniform(-9.0, -5.0), "near_infeasible")


def _infeasible(rng: np.random.Generator, number: int) -> GaussProblem:
    return _walls(rng, number, -rng.uniform(0.05, 0.5), "infeasible")


_FAMILIES: dict[str, Callable[[np.random.Generator, int], GaussProblem]] = {
    "random": _random,
    "redundant": _redundant,
    "stack": _stack,
    "mass_ratio": _mass_ratio,
    "near_infeasible": _near_infeasible,
    "infeasible": _infeasible,
}
