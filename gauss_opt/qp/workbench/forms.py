"""Problems in the forms of other programs: (P, q, A, l, u), and the files of qpbenchmark."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np

from ...base.arrays import Array
from ...base.errors import InputError, MissingPackageError
from ...base.whole_file import whole_file
from ..problem import GaussProblem

__all__ = ["QuadraticProgram", "as_qp", "save_qpbenchmark"]

KEYS = ("P", "q", "G", "h", "A", "b", "lb", "ub", "name")


class QuadraticProgram(NamedTuple):
    """Minimise 1/2 x'Px + q'x subject to l <= A x <= u.

    Attributes
    ----------
    P : (n, n) array
    q : (n,) array
    A : (m, n) array
        Equalities first.
    l, u : (m,) arrays
        Equal for equalities; u is infinite for inequalities.
    """

    P: Array
    q: Array
    A: Array
    l: Array  # noqa: E741 - its name everywhere
    u: Array


def as_qp(problem: GaussProblem) -> QuadraticProgram:
    """A problem as OSQP and most others take one; the numbers are the same.

    >>> problem = GaussProblem.create([[2.0]], load=[-19.62], Ai=[[1.0]], bi=[0.0])
    >>> P, q, A, l, u = as_qp(problem)
    >>> float(P[0, 0]), float(q[0]), float(l[0]), float(u[0])
    (2.0, 19.62, 0.0, inf)
    """
    upper = problem.rhs.copy()
    upper[problem.n_equality :] = np.inf
    return QuadraticProgram(
        problem.metric.copy(), -problem.load, problem.rows.copy(), problem.rhs.copy(), upper
    )


def save_qpbenchmark(
    problems: Iterable[GaussProblem] | Mapping[str, GaussProblem],
    path: str | os.PathLike[str],
) -> None:
    """Write problems to a parquet file that ``qpbenchmark`` reads as a test set.

    There a problem is to minimise 1/2 x'Px + q'x subject to G x <= h and A x = b. Needs pandas and
    pyarrow.
    """
    try:
        import pandas
        import pyarrow  # noqa: F401
    except ImportError as error:
        raise MissingPackageError(
            "save_qpbenchmark() needs pandas and pyarrow: pip install 'gauss-opt[studies]'"
        ) from error
    named = problems if isinstance(problems, Mapping) else _named(problems)
    if not named:
        raise InputError("there is no problem to save")
    rows = [_row(name, problem) for name, problem in named.items()]
    frame = pandas.DataFrame({key: [row[key] for row in rows] for key in KEYS})
    with whole_file(path) as temporary:
        frame.to_parquet(temporary, engine="pyarrow", index=False)


def _named(problems: Iterable[GaussProblem]) -> dict[str, GaussProblem]:
    return {f"{problem.kind} {i}": problem for i, problem in enumerate(problems)}


def _row(name: str, problem: GaussProblem) -> dict[str, Any]:
    """Matrices row after row, as the file has them; None where there are no rows."""
    inequalities, equalities = problem.n_inequality > 0, problem.n_equality > 0
    return {
        "P": problem.metric.ravel(),
        "q": -problem.load,
        "G": -problem.Ai.ravel() if inequalities else None,
        "h": -problem.bi if inequalities else None,
        "A": problem.Ae.ravel() if equalities else None,
        "b": problem.be.copy() if equalities else None,
        "lb": None,
        "ub": None,
        "name": name,
    }
