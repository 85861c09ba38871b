"""scipy's OdeSolver classes, stepped by hand: create, step, sample, put a projected state in."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, TypeGuard

import numpy as np
from scipy.integrate import BDF, DOP853, LSODA, RK23, RK45, OdeSolver, Radau
from scipy.integrate._ivp.rk import Dop853DenseOutput, RungeKutta

from ...base.arrays import Array
from ...base.chebyshev import nodes
from ...base.registry import Registry
from ...results.dense_output import Piece

__all__ = ["METHODS", "Integrator", "dop853_basis", "find_method"]


def _is_method(item: object) -> TypeGuard[type[OdeSolver]]:
    return isinstance(item, type) and issubclass(item, OdeSolver)


METHODS: Registry[Any] = Registry(
    "method",
    "a subclass of scipy's OdeSolver",
    _is_method,
    {method.__name__: method for method in (DOP853, RK45, RK23, Radau, BDF, LSODA)},
)

Derivative = Callable[[float, Array], Array]


def find_method(method: Any) -> Any:
    """A scipy solver class by name, or the class itself."""
    return METHODS.find(method)


@cache
def dop853_basis() -> Array:
    """Weights of DOP853's seven interpolation vectors at the Chebyshev points, (8, 7).

    Its polynomial is F0 x + F1 x (1 - x) + F2 x (1 - x) x + ...: the same at every step.
    """
    x = nodes(8)
    factors = np.array([x if i % 2 == 0 else 1.0 - x for i in range(7)])
    basis: Array = np.cumprod(factors, axis=0).T
    return basis


class Integrator:
    """One smooth segment under way.

    Parameters
    ----------
    method : type
        A scipy OdeSolver class.
    derivative : callable
        f(t, y).
    t, y : float and array
        Where it starts.
    t_bound : float
        Where it must stop.
    rtol, atol, max_step, first_step
        In scipy's meaning.
    """

    def __init__(
        self,
        method: Any,
        derivative: Derivative,
        t: float,
        y: Array,
        t_bound: float,
        *,
        rtol: float,
        atol: Array,
        max_step: float,
        first_step: float | None = None,
    ) -> None:
        if first_step is not None:
            first_step = min(first_step, t_bound - t)
        self._solver = method(
            derivative, t, y, t_bound, rtol=rtol, atol=atol, max_step=max_step,
            first_step=first_step,
        )  # fmt: skip
        self.one_step = isinstance(self._solver, RungeKutta)
        """Whether the method keeps nothing but its state and step size (Runge-Kutta)."""
        # LSODA's Adams formulas go up to order 12; all others are polynomials of degree 7 or less.
        self._nodes = nodes(13 if method is LSODA else 8)

    @property
    def t(self) -> float:
        """Current time."""
        return float(self._solver.t)

    @property
    def y(self) -> Array:
        """Current state."""
        state: Array = self._solver.y
        return state

    @property
    def finished(self) -> bool:
        """Whether the bound was reached."""
        return bool(self._solver.status == "finished")

    @property
    def next_step(self) -> float | None:
        """Step size it would try next; None where the method does not say."""
        return float(self._solver.h_abs) if self.one_step else None

    def step(self) -> str | None:
        """One accepted step; a message when the step size became too small."""
        message: str | None = self._solver.step()
        if self._solver.status == "failed":
            return message
        # Runge-Kutta methods keep f(t_old + h), which can be a rounding away from f(t). State and
        # step size alone shall determine what comes next.
        solver = self._solver
        if self.one_step and solver.t_old + (solver.t - solver.t_old) != solver.t:
            solver.f = solver.fun(solver.t, solver.y)
        return None

    def largest_error(self) -> int | None:
        """The entry of the state whose error counted most in the last step that was tried.

        None where the method does not keep its estimate.
        """
        solver: Any = self._solver
        if self.one_step:
            error = solver._estimate_error(solver.K, solver.h_previous or solver.h_abs)
        elif isinstance(self._solver, BDF):
            error = solver.D[solver.order + 1]
        else:
            return None
        counts = np.abs(error) / (solver.atol + solver.rtol * np.abs(solver.y))
        return int(np.argmax(counts)) if np.isfinite(counts).all() and counts.any() else None

    def piece(self) -> Piece:
        """The last step as a polynomial."""
        t0, t1 = float(self._solver.t_old), float(self._solver.t)
        interpolant = self._solver.dense_output()
        if isinstance(interpolant, Dop853DenseOutput):
            values = interpolant.y_old + dop853_basis().dot(interpolant.F)
        else:
            values = interpolant(t0 + (t1 - t0) * self._nodes).T
        values[-1] = self._solver.y
        return Piece(t0, t1, np.ascontiguousarray(values))

    def put(self, y: Array) -> bool:
        """Replace the state by a projected one; False when the method must start afresh.

        Methods that remember past states have all of them moved by the same small step.
        """
        solver = self._solver
        if isinstance(solver, BDF):
            solver.D[0] += y - solver.y
        elif isinstance(solver, LSODA):
            inner: Any = solver._lsoda_solver  # type: ignore[attr-defined]
            inner._integrator.rwork[20 : 20 + solver.n] = y
            inner._y = y.copy()
        elif isinstance(solver, Radau | RungeKutta):
            solver.f = solver.fun(solver.t, y)
        else:
            return False
        solver.y = y
        return True
