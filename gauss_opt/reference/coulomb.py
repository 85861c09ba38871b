"""Coulomb friction in the plane, solved by trying every set of open, sticking and sliding contacts.

The problem is: ``M x - p = Ae'le + WN'lN + WT'lT`` with ``Ae x = be``, ``uN = WN x - wN``,
``uT = WT x - wT``, ``0 <= uN``, ``lN >= 0``, ``uN lN = 0``, and ``-lT in mu lN Sgn(uT)`` for free
contacts, ``lT = -mu lN d`` for those that slide already. Each set is one unsymmetric matrix
(Lagrange multipliers); nothing is whitened or eliminated.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import ArrayLike

from ..base.tolerances.reference import ORACLE_COULOMB, ORACLE_EXACT
from .algebra import Array, finite_rows, row_lengths, symmetric, vector

__all__ = ["CoulombAnswer", "coulomb_answers", "coulomb_set"]


@dataclass(frozen=True)
class CoulombAnswer:
    """One answer: x, forces, and ``o`` (open), ``s`` (stick), ``+`` or ``-`` for each contact."""

    x: Array
    equality: Array
    normal: Array
    tangent: Array
    states: str


@dataclass(frozen=True)
class _Scaled:
    """Coordinates of unit mass and rows of unit length, which mix no units."""

    M: Array
    p: Array
    A: Array
    b: Array
    N: Array
    n: Array
    T: Array
    t: Array
    mu: Array
    slide: Array
    column: Array
    lengths: tuple[Array, Array, Array]


def coulomb_answers(
    M: ArrayLike, p: ArrayLike, Ae: ArrayLike, be: ArrayLike, WN: ArrayLike, wN: ArrayLike,
    WT: ArrayLike, wT: ArrayLike, mu: ArrayLike, slide: ArrayLike | None = None,
    max_contacts: int = 6,
) -> list[CoulombAnswer]:  # fmt: skip
    """Return every answer that a set of contact states gives; there may be none, or several.

    Parameters
    ----------
    M : (n, n) positive definite
    p : (n,)
    Ae, be : (ke, n) and (ke,), independent rows
    WN, wN, WT, wT : (k, n) and (k,) rows of normals and tangents
    mu : (k,)
    slide : (k,) directions 1 or -1 of contacts that slide, 0 for free ones

    Examples
    --------
    A block of 2 kg on a floor with friction 0.2 is pushed with 5 N and slides:

    >>> contact = ([[0, 1]], [0], [[1, 0]], [0], [0.2])
    >>> found = coulomb_answers([[2, 0], [0, 2]], [5, -20], [], [], *contact)
    >>> [(a.states, a.x.round(12).tolist()) for a in found]
    [('+', [0.5, 0.0])]
    """
    s = _scaled(M, p, Ae, be, WN, wN, WT, wT, mu, slide)
    if len(s.n) > max_contacts:
        raise ValueError(f"{len(s.n)} contacts give too many sets; at most {max_contacts}")
    choices = [
        "o" + ("s+-" if d == 0 else "+" if d > 0 else "-") if m > 0 else "os"
        for d, m in zip(s.slide, s.mu, strict=True)
    ]
    found: list[CoulombAnswer] = []
    for states in product(*choices):
        answer = _on_set(s, "".join(states))
        if answer is not None and not any(_same(answer, other) for other in found):
            found.append(answer)
    return found


def coulomb_set(
    M: ArrayLike, p: ArrayLike, Ae: ArrayLike, be: ArrayLike, WN: ArrayLike, wN: ArrayLike,
    WT: ArrayLike, wT: ArrayLike, mu: ArrayLike, states: Sequence[str],
) -> CoulombAnswer:  # fmt: skip
    """Return x and forces with each contact as its state says, whether or not that is an answer."""
    s = _scaled(M, p, Ae, be, WN, wN, WT, wT, mu, None)
    return _unscaled(s, _solved(s, "".join(states)), "".join(states))


def _scaled(
    M: ArrayLike, p: ArrayLike, Ae: ArrayLike, be: ArrayLike, WN: ArrayLike, wN: ArrayLike,
    WT: ArrayLike, wT: ArrayLike, mu: ArrayLike, slide: ArrayLike | None,
) -> _Scaled:  # fmt: skip
    mass = symmetric(M, "M")
    n = len(mass)
    column = mass.diagonal() ** -0.5
    blocks = [finite_rows(rows, rhs, n) for rows, rhs in ((Ae, be), (WN, wN), (WT, wT))]
    rows = [block[0] * column for block in blocks]
    lengths = [row_lengths(block) for block in rows]
    (A, N, T) = (block / length[:, None] for block, length in zip(rows, lengths, strict=True))
    (b, wn, wt) = (block[1] / length for block, length in zip(blocks, lengths, strict=True))
    k = len(wn)
    coefficients = vector(np.broadcast_to(np.asarray(mu, dtype=float), (k,)), k, "mu")
    given = np.zeros(k) if slide is None else vector(slide, k, "slide")
    return _Scaled(
        mass * np.outer(column, column), vector(p, n, "p") * column, A, b, N, wn, T, wt,
        coefficients * lengths[2] / lengths[1], given, column, (lengths[0], lengths[1], lengths[2]),
    )  # fmt: skip


def _solved(s: _Scaled, states: str) -> Array:
    """The unknowns [x, le, lN, lT] of the unsymmetric matrix of a set."""
    n, ke, k = len(s.p), len(s.b), len(s.n)
    size = n + ke + 2 * k
    matrix, rhs = np.zeros((size, size)), np.zeros(size)
    matrix[:n, :n], rhs[:n] = s.M, s.p
    matrix[:n, n:] = -np.vstack([s.A, s.N, s.T]).T
    matrix[n : n + ke, :n], rhs[n : n + ke] = s.A, s.b
    for i, state in enumerate(states):
        normal, tangent = n + ke + i, n + ke + k + i
        if state == "o":
            matrix[normal, normal] = matrix[tangent, tangent] = 1.0
            continue
        matrix[normal, :n], rhs[normal] = s.N[i], s.n[i]
        if state == "s" and s.mu[i] > 0:
            matrix[tangent, :n], rhs[tangent] = s.T[i], s.t[i]
        else:
            matrix[tangent, tangent] = 1.0
            matrix[tangent, normal] = {"+": 1.0, "-": -1.0, "s": 0.0}[state] * s.mu[i]
    unknowns = np.asarray(np.linalg.lstsq(matrix, rhs, rcond=ORACLE_EXACT)[0], dtype=np.float64)
    if np.abs(matrix @ unknowns - rhs).max() > ORACLE_COULOMB * (1.0 + np.abs(unknowns).max()):
        raise ValueError("the rows of this set contradict each other")
    return unknowns


def _on_set(s: _Scaled, states: str) -> CoulombAnswer | None:
    try:
        unknowns = _solved(s, states)
    except ValueError:
        return None
    n, ke, k = len(s.p), len(s.b), len(s.n)
    x, normal, tangent = unknowns[:n], unknowns[n + ke : n + ke + k], unknowns[n + ke + k :]
    un, ut = s.N @ x - s.n, s.T @ x - s.t
    force, speed = np.abs(unknowns[n:]).max(initial=0.0), np.abs(x).max()
    zero_f = ORACLE_COULOMB * (force + np.abs(s.p).max(initial=0.0))
    zero_u = ORACLE_COULOMB * (speed + np.abs(s.n).max(initial=0.0) + np.abs(s.t).max(initial=0.0))
    free = s.slide == 0
    fine = (un >= -zero_u).all() and (normal >= -zero_f).all()
    fine &= bool((np.abs(tangent) <= s.mu * normal + zero_f)[free].all())
    for i, state in enumerate(states):
        if free[i] and state in "+-":
            fine &= ut[i] * (1.0 if state == "+" else -1.0) >= -zero_u
    return _unscaled(s, unknowns, states) if fine else None


def _unscaled(s: _Scaled, unknowns: Array, states: str) -> CoulombAnswer:
    n, ke, k = len(s.p), len(s.b), len(s.n)
    parts = np.split(unknowns[n:], [ke, ke + k])
    equality, normal, tangent = (part / size for part, size in zip(parts, s.lengths, strict=True))
    return CoulombAnswer(s.column * unknowns[:n], equality, normal, tangent, states)


def _same(one: CoulombAnswer, other: CoulombAnswer) -> bool:
    size = np.abs(one.x).max() + np.abs(other.x).max()
    return bool(np.abs(one.x - other.x).max() <= 10 * ORACLE_COULOMB * size)
