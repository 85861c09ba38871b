"""Symmetric matrices: checked, and factorised when they are safely positive definite."""

from __future__ import annotations

from collections.abc import Sequence
from weakref import ref

import numpy as np
from scipy.linalg import lapack

from .arrays import Array
from .errors import InputError
from .tolerances.base import (
    ASYMMETRY,
    ASYMMETRY_ROUND_OFF,
    INDEFINITE_MASS,
    SHOWN_COMPONENT,
    SINGULAR_MASS,
    SUSPECT_PIVOT,
)

__all__ = [
    "direction_in_words",
    "factorise",
    "factorise_once",
    "require_semidefinite",
    "symmetrised",
    "unit_diagonal",
]


def symmetrised(matrix: Array, what: str, tolerance: float = ASYMMETRY) -> Array:
    """The symmetric part; an asymmetry beyond round-off is an error that shows the difference.

    An entry is judged by the diagonal entries of its row and column, so that a heavy body does
    not hide the asymmetry of a light one.
    """
    difference = np.abs(matrix - matrix.T)
    size = np.sqrt(np.abs(matrix.diagonal()))
    round_off = ASYMMETRY_ROUND_OFF * np.abs(matrix).max(initial=0.0)
    allowed = tolerance * np.outer(size, size) + round_off
    if (difference > allowed).any():
        i, j = np.unravel_index(int((difference - allowed).argmax()), difference.shape)
        raise InputError(
            f"{what} is not symmetric: entry ({i}, {j}) is {matrix[i, j]:.6g} but entry "
            f"({j}, {i}) is {matrix[j, i]:.6g}, a difference of {difference[i, j]:.3g}"
        )
    return 0.5 * (matrix + matrix.T)


def direction_in_words(direction: Array, names: Sequence[str] | None = None) -> str:
    """A direction by the coordinates that it has a part along, the largest of them 1.

    >>> direction_in_words(np.array([0.0, 0.5]), ["x", "height"])
    "+1 along 'height'"
    >>> direction_in_words(np.array([1.0, -2.0]))
    '-0.5 along coordinate 0, +1 along coordinate 1'
    """
    components = direction / direction[np.abs(direction).argmax()]
    return ", ".join(
        f"{value:+.3g} along {f'coordinate {i}' if names is None else repr(names[i])}"
        for i, value in enumerate(components)
        if abs(value) > SHOWN_COMPONENT
    )


def require_semidefinite(matrix: Array, what: str, names: Sequence[str] | None = None) -> None:
    """Refuse an indefinite mass, with the smallest eigenvalue and its direction.

    It is judged with its diagonal scaled to 1, in which no unit of mass remains.
    """
    size = np.sqrt(np.abs(matrix.diagonal()))
    size = np.where(size > 0, size, 1.0)
    scaled = np.linalg.eigvalsh(matrix / np.outer(size, size))
    if scaled[0] < -INDEFINITE_MASS * np.abs(scaled).max():
        values, vectors = np.linalg.eigh(matrix)
        direction = direction_in_words(vectors[:, 0], names)
        raise InputError(
            f"{what} is indefinite: its smallest eigenvalue is {values[0]:.6g}, in the direction "
            f"{direction}; a mass must not be negative in any direction"
        )


def factorise(metric: Array) -> Array | None:
    """Lower Cholesky factor of the metric, or None when it is not safely positive definite."""
    factor: Array
    factor, info = lapack.dpotrf(metric, 1)
    if info != 0:
        return None
    pivots = factor.diagonal()
    diagonal = metric.diagonal()
    # The first test is cheap and nearly always enough; the others do not depend on units.
    if len(pivots) and min(pivots.tolist()) ** 2 > SUSPECT_PIVOT * max(diagonal.tolist()):
        return factor
    if (pivots * pivots > SUSPECT_PIVOT * diagonal).all():
        return factor
    return factor if np.linalg.eigvalsh(unit_diagonal(metric))[0] > SINGULAR_MASS else None


_factors: dict[int, tuple[ref[Array], Array | None]] = {}  # of arrays that are still there


def factorise_once(metric: Array) -> Array | None:
    """The factor of a metric that never changes: of the same array it is computed only once.

    >>> mass = np.diag([4.0, 9.0])
    >>> factorise_once(mass) is factorise_once(mass)
    True
    """
    key = id(metric)
    known = _factors.get(key)
    if known is None or known[0]() is not metric:
        # Another array may get the same id after this one, so its entry goes with it.
        known = ref(metric, lambda gone: _forget(key, gone)), factorise(metric)
        _factors[key] = known
    return known[1]


def _forget(key: int, gone: ref[Array]) -> None:
    known = _factors.get(key)
    if known is not None and known[0] is gone:
        del _factors[key]


def unit_diagonal(matrix: Array) -> Array:
    size = np.sqrt(np.abs(matrix.diagonal()))
    size = np.where(size > 0, size, 1.0)
    scaled: Array = matrix / np.outer(size, size)
    return scaled
