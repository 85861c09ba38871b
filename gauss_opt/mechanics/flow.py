"""The smooth motion between events: accelerations with a frozen set of rows held as equalities."""

from __future__ import annotations

from math import isfinite

import numpy as np

from ..base.arrays import Array, Indices
from ..base.matrices import factorise
from ..model.rows import held_rows
from ..model.snapshot import Snapshot, evaluate_checked
from ..model.system import System
from ..model.tracing.compiled import Compiled
from ..qp.active_set import SetSolution, solve_set
from ..qp.problem import GaussProblem
from ..qp.whitening import whiten

__all__ = ["Flow"]


class Flow:
    """Right-hand side y' = f(t, y), y = (q, v), with the rows ``held`` as equalities.

    Parameters
    ----------
    system : System
    compiled : Compiled
    held : array of int
        Rows of the layout: all equalities, the contacts that carry force, the active limits.

    Attributes
    ----------
    position_rows, velocity_rows : arrays of int
        Of the held rows, those that hold positions and those that hold velocities.
    calls : int
        Evaluations so far.
    """

    def __init__(self, system: System, compiled: Compiled, held: Indices) -> None:
        self.system = system
        self.compiled = compiled
        self.held = held
        self.calls = 0
        self._all = len(held) == compiled.layout.n_rows
        # Without held rows the motion is free, and one traced call gives all of y'.
        self._free = None if len(held) else compiled.free_flow
        self.position_rows, self.velocity_rows = held_rows(compiled.layout, held)
        self._names = tuple([compiled.layout.names[i] for i in held])
        self._factor = None
        if compiled.constant_mass is not None:
            self._factor = factorise(compiled.constant_mass)
        # With a constant regular mass and a traced force, one call gives everything.
        self._simple = (
            self._factor is not None
            and not compiled.direct
            and not compiled.by_hand
            and system.nonideal is None
        )

    def __call__(self, t: float, y: Array) -> Array:
        self.calls += 1
        compiled = self.compiled
        nq = compiled.nq
        if self._free is not None:
            motion = self._free.at(y, t, self.system.parameters)
            if not isfinite(motion.dot(motion)):
                self._refuse(y, t)
            return motion
        result = np.empty(len(y))
        if not self._simple:
            state = y.copy()
            state.setflags(write=False)
            snapshot = evaluate_checked(self.system, compiled, state[:nq], state[nq:], t)
            result[:nq] = snapshot.qdot
            result[nq:] = self.accelerate(snapshot)[0]
            return result
        out = compiled.run(y[:nq], y[nq:], t, self.system.parameters)
        slices = compiled.slices
        result[:nq] = out[slices["qdot"]] if "qdot" in slices else y[nq:]
        rows, rhs = self._rows(out[slices["rows"]].reshape(-1, compiled.nv), out[slices["rhs"]])
        result[nq:] = self._solve(compiled.constant_mass, out[slices["force"]], rows, rhs)[0]
        if not isfinite(result.dot(result)):
            self._refuse(y, t)
        return result

    def _refuse(self, y: Array, t: float) -> None:
        """Evaluate with all checks, which name the function that is not finite."""
        state = y.copy()
        state.setflags(write=False)
        nq = self.compiled.nq
        evaluate_checked(self.system, self.compiled, state[:nq], state[nq:], t)

    def accelerate(self, snapshot: Snapshot) -> tuple[Array, Array, Snapshot]:
        """Acceleration, multipliers of the held rows, and the snapshot with its C."""
        rows, rhs = self._rows(snapshot.rows, snapshot.rhs)
        if snapshot.needs_ideal_force:
            _, multipliers = self._solve(snapshot.mass, snapshot.force, rows, rhs)
            snapshot = snapshot.with_ideal_force(multipliers @ rows)
        load = snapshot.force if snapshot.nonideal is None else snapshot.force + snapshot.nonideal
        return (*self._solve(snapshot.mass, load, rows, rhs), snapshot)

    def _rows(self, rows: Array, rhs: Array) -> tuple[Array, Array]:
        return (rows, rhs) if self._all else (rows[self.held], rhs[self.held])

    def _solve(
        self, mass: Array | None, load: Array, rows: Array, rhs: Array
    ) -> tuple[Array, Array]:
        assert mass is not None
        k = len(rhs)
        problem = GaussProblem(mass, load, rows, rhs, k, self._names, "acceleration")
        white = whiten(problem, self._factor)
        answer: SetSolution = solve_set(white, np.arange(k))
        return white.point(answer.z), answer.multipliers
