"""The derivative of the smooth motion with frozen rows: y' = f(z), z = (q, v, t, p).

The accelerations solve the equations

    M a - A'l = Q + C,   A a = b   on the held rows,

so their derivatives solve the same equations with -(d balance, d rows) on the right-hand side.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ...base.arrays import Array, Indices
from ...base.errors import ModelError
from ...base.tolerances.mechanics import WELL_POSED
from ...model.derivatives.variation_graphs import VariationGraphs
from ...model.dynamics import Dynamics
from ...model.system import System

__all__ = ["Field", "SmoothField", "kkt", "require_variations", "solved"]


class Field(NamedTuple):
    """The right-hand side at a state, and its derivative.

    Attributes
    ----------
    f : (n,) array
        (q', v').
    slope : (n, nz) array
        d f / d z.
    """

    f: Array
    slope: Array


class SmoothField:
    """The field with some rows held as equalities.

    Parameters
    ----------
    system : System
    dynamics : Dynamics
    held : array of int
        Rows of the layout.
    """

    def __init__(self, system: System, dynamics: Dynamics, held: Indices) -> None:
        self._system, self._dynamics, self.held = system, dynamics, held
        self._graphs = require_variations(dynamics)
        self._solve: Callable[[Array, Array], Array] | None = None

    def __call__(self, t: float, y: Array) -> Field:
        """At a state y = (q, v)."""
        nq, parameters, held = self._dynamics.nq, self._system.parameters, self.held
        q, v = y[:nq], y[nq:]
        now = self._dynamics.evaluate(q, v, t, parameters)
        load = now.force if now.nonideal is None else now.force + now.nonideal
        nv = len(load)
        matrix = kkt(now.mass, now.jacobian.take(held)) if len(held) else now.mass
        if self._solve is None:  # whether rows are dependent does not change on the way
            self._solve = _solver(matrix)
        solved = self._solve
        answer = solved(matrix, np.concatenate([load, now.rhs[held]]))
        multipliers = np.zeros(self._dynamics.layout.n_rows)
        multipliers[held] = answer[nv:]
        slopes = self._graphs.slopes(q, v, t, parameters, answer[:nv], multipliers)
        change = solved(matrix, -np.vstack([slopes.balance, slopes.rows[held]]))
        return Field(np.concatenate([now.qdot, answer[:nv]]), np.vstack([slopes.qdot, change[:nv]]))


def require_variations(dynamics: Dynamics) -> VariationGraphs:
    """The derivatives of a system, or why there are none."""
    graphs = dynamics.variation_graphs
    if graphs is None:
        raise ModelError(
            "this system cannot be differentiated: a function of it could not be traced, takes "
            "the ideal force, or has derivatives by hand. Write it in plain numpy without branches"
        )
    return graphs


def kkt(mass: Array, rows: Array) -> Array:
    """The matrix (M, -A'; A, 0)."""
    nv, k = len(mass), len(rows)
    matrix = np.zeros((nv + k, nv + k))
    matrix[:nv, :nv], matrix[:nv, nv:], matrix[nv:, :nv] = mass, -rows.T, rows
    return matrix


def solved(matrix: Array, right: Array) -> Array:
    """The solution of a linear system; the shortest where rows are dependent."""
    return _solver(matrix)(matrix, right)


def _solver(matrix: Array) -> Callable[[Array, Array], Array]:
    """How to solve a system with such a matrix."""
    sizes = np.abs(matrix).max(axis=1)
    scaled = matrix / np.where(sizes > 0.0, sizes, 1.0)[:, None]
    regular = np.linalg.cond(scaled) * np.finfo(float).eps < WELL_POSED
    return _plain if regular else _shortest


def _plain(matrix: Array, right: Array) -> Array:
    answer: Array = np.asarray(np.linalg.solve(matrix, right), dtype=float)
    return answer


def _shortest(matrix: Array, right: Array) -> Array:
    answer: Array = np.asarray(np.linalg.lstsq(matrix, right, rcond=None)[0], dtype=float)
    return answer
