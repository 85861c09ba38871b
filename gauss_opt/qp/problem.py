"""The one problem of the package: the nearest point, in the mass metric, within linear constraints.

    minimise 1/2 (x - x^)' M (x - x^)   subject to   Ae x = be,   Ai x >= bi              (G)

It is stored with its load p = M x^, so that a singular M, for which x^ does not exist, is no
special case: the objective is 1/2 x'Mx - p'x. Rows of equalities come first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..base.arrays import Array, real_array
from ..base.errors import InputError
from ..base.matrices import symmetrised

__all__ = ["GaussProblem"]


@dataclass(frozen=True, eq=False, slots=True)
class GaussProblem:
    """An instance of (G). Make one with :meth:`create`, which checks everything.

    Attributes
    ----------
    metric : (n, n) array
        M: symmetric, positive semidefinite. The mass, or M R M for a weighted constraint force.
    load : (n,) array
        p = M x^; for an acceleration problem the applied plus the non-ideal force, Q + C.
    rows : (m, n) array
        A: the equality rows, then the inequality rows.
    rhs : (m,) array
        b, in the same order.
    n_equality : int
        How many of the rows are equalities.
    names : tuple of str
        The constraint each row belongs to.
    kind : str
        What the problem is for: ``"acceleration"``, ``"impact"``, ... ; free text.
    target : (n,) array or None
        x^, when it is known better than by solving M x^ = p (the velocity before an impact).
    """

    metric: Array
    load: Array
    rows: Array
    rhs: Array
    n_equality: int
    names: tuple[str, ...]
    kind: str = "general"
    target: Array | None = None

    @classmethod
    def create(
        cls,
        metric: ArrayLike,
        load: ArrayLike | None = None,
        *,
        target: ArrayLike | None = None,
        Ae: ArrayLike | None = None,
        be: ArrayLike | None = None,
        Ai: ArrayLike | None = None,
        bi: ArrayLike | None = None,
        equality_names: Sequence[str] | None = None,
        inequality_names: Sequence[str] | None = None,
        kind: str = "general",
    ) -> GaussProblem:
        """Check the pieces of (G) and put them together. Give ``load`` or ``target``.

        Examples
        --------
        A mass of 2 kg under its weight, on a floor: x'' >= 0.

        >>> problem = GaussProblem.create([[2.0]], load=[-19.62], Ai=[[1.0]], bi=[0.0])
        >>> print(problem)
        GaussProblem 'general': 1 coordinate, 0 equality rows, 1 inequality row
        """
        M = real_array("metric", metric)
        M = np.diag(M) if M.ndim == 1 else _matrix("metric", M)
        n = len(M)
        if M.shape != (n, n):
            raise InputError(f"metric must be square, got shape {M.shape}")
        M = symmetrised(M, "metric")
        if (load is None) == (target is None):
            raise InputError("give exactly one of load (p = M x^) and target (x^)")
        x_hat = None if target is None else _vector("target", target, n)
        p = M @ x_hat if x_hat is not None else _vector("load", load, n)
        A_eq, b_eq = _row_block("e", Ae, be, n)
        A_in, b_in = _row_block("i", Ai, bi, n)
        names = (
            *_names("equality", equality_names, len(b_eq)),
            *_names("inequality", inequality_names, len(b_in)),
        )
        rows, rhs = np.vstack([A_eq, A_in]), np.concatenate([b_eq, b_in])
        return cls(M, p, rows, rhs, len(b_eq), names, kind, x_hat)

    @property
    def n(self) -> int:
        """Number of unknowns."""
        return len(self.load)

    @property
    def n_inequality(self) -> int:
        """Number of inequality rows."""
        return len(self.rhs) - self.n_equality

    @property
    def Ae(self) -> Array:
        """Equality rows, (ne, n)."""
        return self.rows[: self.n_equality]

    @property
    def be(self) -> Array:
        """Right-hand sides of the equalities, (ne,)."""
        return self.rhs[: self.n_equality]

    @property
    def Ai(self) -> Array:
        """Inequality rows, (ni, n)."""
        return self.rows[self.n_equality :]

    @property
    def bi(self) -> Array:
        """Right-hand sides of the inequalities, (ni,)."""
        return self.rhs[self.n_equality :]

    def objective(self, x: ArrayLike) -> float:
        """1/2 x'Mx - p'x: (G) up to a constant, defined for a singular metric too."""
        point = np.asarray(x, dtype=float)
        return float(0.5 * point @ self.metric @ point - self.load @ point)

    def __str__(self) -> str:
        return (
            f"GaussProblem {self.kind!r}: {_count(self.n, 'coordinate')}, "
            f"{_count(self.n_equality, 'equality row')}, "
            f"{_count(self.n_inequality, 'inequality row')}"
        )

    __repr__ = __str__


def _matrix(what: str, array: Array) -> Array:
    if array.ndim != 2:
        raise InputError(f"{what} must be a matrix, got shape {array.shape}")
    return array


def _vector(what: str, value: Any, n: int) -> Array:
    array = real_array(what, value)
    if array.shape != (n,):
        raise InputError(f"{what} must have shape ({n},), got {array.shape}")
    return array


def _row_block(suffix: str, A: Any, b: Any, n: int) -> tuple[Array, Array]:
    if (A is None) != (b is None):
        raise InputError(f"give A{suffix} and b{suffix} together")
    if A is None:
        return np.zeros((0, n)), np.zeros(0)
    rows = real_array(f"A{suffix}", A)
    rows = _matrix(f"A{suffix}", rows if rows.size else rows.reshape(0, n))
    if rows.shape[1] != n:
        raise InputError(f"A{suffix} must have {n} columns, got shape {rows.shape}")
    return rows, _vector(f"b{suffix}", b, len(rows))


def _names(what: str, names: Sequence[str] | None, count: int) -> tuple[str, ...]:
    if names is None:
        return tuple(f"{what} {i}" for i in range(count))
    if len(names) != count:
        raise InputError(f"{what}_names has {len(names)} entries for {count} rows")
    return tuple(names)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" + ("" if number == 1 else "s")
