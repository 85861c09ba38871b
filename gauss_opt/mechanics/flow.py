"""The smooth motion between events: accelerations with a frozen set of rows held as equalities."""

from __future__ import annotations

from math import isfinite

import numpy as np

from ..base.arrays import Array, Indices, surely_finite
from ..base.errors import InputError
from ..base.matrices import factorise
from ..model.dynamics import Dynamics
from ..model.snapshot import Snapshot, state_snapshot
from ..model.system import System
from ..qp.active_set import SetSolution, solve_set
from ..qp.problem import GaussProblem
from ..qp.whitening import whiten
from .ideal_force import ideal_force_of_rows

__all__ = ["Flow"]


class Flow:
    """Right-hand side y' = f(t, y), y = (q, v), with the rows ``held`` as equalities.

    Parameters
    ----------
    system : System
    dynamics : Dynamics
    held : array of int
        Rows of the layout: all equalities, the contacts that carry force, the active limits.

    Attributes
    ----------
    position_rows, velocity_rows : arrays of int
        Of the held rows, those that hold positions and those that hold velocities.
    calls : int
        Evaluations so far.
    """

    def __init__(self, system: System, dynamics: Dynamics, held: Indices) -> None:
        self.system = system
        self.dynamics = dynamics
        self.held = held
        self.calls = 0
        self._all = len(held) == dynamics.layout.n_rows
        # Without held rows the motion is free, and one traced call may give all of y'.
        self._free = None if len(held) else dynamics.free_motion()
        self._part = dynamics.smooth(held) if self._free is None else None
        self.position_rows, self.velocity_rows = dynamics.layout.held(held)
        self._names = dynamics.layout.names_of(held)
        self._every = np.arange(len(held))
        self._factor = None
        if dynamics.constant_mass is not None:
            self._factor = factorise(dynamics.constant_mass)

    def __call__(self, t: float, y: Array) -> Array:
        self.calls += 1
        if self._free is not None:
            motion = self._free(y, t, self.system.parameters)
        else:
            nq = self.dynamics.nq
            motion = np.empty(len(y))
            if self._part is None:
                snapshot = self._snapshot(y, t)
                motion[:nq], motion[nq:] = snapshot.qdot, self.accelerate(snapshot)[0]
            else:
                mass, load, rows, rhs, motion[:nq] = self._part(y, t, self.system.parameters)
                if self._factor is None and not surely_finite(mass.ravel()):
                    self._refuse(y, t)
                try:
                    motion[nq:] = self._solve(mass, load, rows, rhs)[0]
                except InputError:  # what is not finite looks like a row of impossible length, too
                    self._refuse(y, t)
                    raise
        if not isfinite(motion.dot(motion)):
            self._refuse(y, t)
        return motion

    def _snapshot(self, y: Array, t: float) -> Snapshot:
        nq = self.dynamics.nq
        return state_snapshot(self.system, self.dynamics, y[:nq], y[nq:], t)

    def _refuse(self, y: Array, t: float) -> None:
        """Evaluate with all checks, which name the function that is not finite."""
        self._snapshot(y, t)

    def accelerate(self, snapshot: Snapshot) -> tuple[Array, Array, Snapshot]:
        """Acceleration, multipliers of the held rows, and the snapshot with its C."""
        rows, rhs = snapshot.rows_of(self.held), snapshot.rhs
        rhs = rhs if self._all else rhs[self.held]
        if snapshot.needs_ideal_force:
            ideal = ideal_force_of_rows(snapshot, rows, rhs, self._names)
            snapshot = snapshot.with_ideal_force(ideal)
        load = snapshot.force if snapshot.nonideal is None else snapshot.force + snapshot.nonideal
        return (*self._solve(snapshot.mass, load, rows, rhs), snapshot)

    def _solve(self, mass: Array, load: Array, rows: Array, rhs: Array) -> tuple[Array, Array]:
        problem = GaussProblem(mass, load, rows, rhs, len(rhs), self._names, "acceleration")
        white = whiten(problem, self._factor)
        answer: SetSolution = solve_set(white, self._every)
        return white.point(answer.z), answer.multipliers
