"""The acceleration problem at a state, built without being solved.

minimise 1/2 (a - a^)' M (a - a^),   a^ = M^-1 (Q + C)

equalities     phi1'' = 0, phi2' = 0, servo error dynamics
inequalities   gap'' >= 0 of resting contacts, psi' >= 0 of active velocity limits
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike

from ..base.arrays import Array, Indices, real_array
from ..base.errors import InputError
from ..base.matrices import factorise, symmetrised
from ..model.snapshot import Snapshot
from ..qp.problem import GaussProblem
from .participants import chosen_rows

__all__ = ["build_acceleration", "problem_on", "weight_matrix"]


def build_acceleration(
    snapshot: Snapshot,
    *,
    contacts: Iterable[str] | None = None,
    weight: ArrayLike | None = None,
) -> GaussProblem:
    """The acceleration problem at a state, not yet solved.

    Parameters
    ----------
    snapshot : Snapshot
        From :func:`evaluate`.
    contacts : iterable of str, optional
        Contacts and velocity limits to include. By default the contacts that touch and do not
        separate, and the limits that are reached.
    weight : (nv, nv) array, (nv,) array or float, optional
        R: minimise v'Rv over the constraint force v instead of Gauss's function; the metric is
        then M R M. R = M^-1 is Gauss's principle. Not defined together with a non-ideal force.

    Examples
    --------
    >>> from gauss_opt import Contact, System, evaluate
    >>> ball = System([1.0], [-9.81], contacts=[Contact("floor", lambda q, t: q[0])])
    >>> print(build_acceleration(evaluate(ball, [0.0], [0.0])))
    GaussProblem 'acceleration': 1 coordinate, 0 equality rows, 1 inequality row
    >>> print(build_acceleration(evaluate(ball, [1.0], [0.0])))
    GaussProblem 'acceleration': 1 coordinate, 0 equality rows, 0 inequality rows
    """
    return problem_on(snapshot, chosen_rows(snapshot, contacts), weight)


def problem_on(
    snapshot: Snapshot, chosen: Indices | None, weight: ArrayLike | None = None
) -> GaussProblem:
    """The problem with chosen rows of the layout, or with all of them."""
    load = snapshot.force if snapshot.nonideal is None else snapshot.force + snapshot.nonideal
    metric = snapshot.mass
    if weight is not None:
        metric, load = _weighted(snapshot, load, weight)
    layout = snapshot.layout
    if chosen is None:
        rows, rhs, names = snapshot.rows, snapshot.rhs, layout.names
    else:
        rows, rhs = snapshot.rows_of(chosen), snapshot.rhs.take(chosen)
        names = layout.names_of(chosen)
    return GaussProblem(metric, load, rows, rhs, layout.equalities.stop, names, "acceleration")


def _weighted(snapshot: Snapshot, load: Array, weight: ArrayLike) -> tuple[Array, Array]:
    """Metric M R M and load M R Q of the weighted constraint force."""
    if snapshot.system.nonideal is not None:
        raise InputError("weight= is not defined together with a non-ideal force")
    R = weight_matrix(weight, len(snapshot.v))
    if factorise(snapshot.mass) is None:
        raise InputError("weight= needs a positive definite mass")
    half = snapshot.mass @ R
    metric = half @ snapshot.mass
    return 0.5 * (metric + metric.T), half @ load


def weight_matrix(weight: ArrayLike, n: int) -> Array:
    """R as a symmetric positive definite matrix."""
    R = real_array("weight", weight)
    R = R * np.eye(n) if R.ndim == 0 else np.diag(R) if R.ndim == 1 else R
    if R.shape != (n, n):
        raise InputError(f"weight must be a number, ({n},) or ({n}, {n}), got shape {R.shape}")
    R = symmetrised(R, "weight")
    if factorise(R) is None:
        raise InputError("weight must be positive definite")
    return R
