"""The smooth motion between events: accelerations with a frozen set of rows held as equalities."""

from __future__ import annotations

from math import isfinite

import numpy as np

from ..base.arrays import Array, Indices, surely_finite
from ..base.errors import InputError
from ..base.lazy import lazy
from ..base.matrices import factorise_once
from ..model.dynamics import Dynamics
from ..model.snapshot import Snapshot, state_snapshot
from ..model.system import System
from ..qp.active_set import SetSolution, solve_set
from ..qp.light_masses import has_light_masses, solve_split
from ..qp.problem import GaussProblem
from ..qp.whitening import whiten
from .friction.margins import Margins
from .friction.sliding import Sliding, solve_sliding
from .ideal_force import ideal_force_of_rows
from .rank.held_rows import HeldRows

__all__ = ["Flow"]


class Flow:
    """Right-hand side y' = f(t, y), y = (q, v), with the rows ``held`` as equalities.

    Parameters
    ----------
    system : System
    dynamics : Dynamics
    held : array of int
        Rows of the layout: all equalities, the contacts that carry force, the active limits.
    among : HeldRows, optional
        Which of the equalities are held, where they are dependent on the constraint surface.
    slides : tuple of int
        Tangents of held contacts that slide; of those that slide backward, minus the number.

    Attributes
    ----------
    asked : array of int
        The held rows, and the tangents of contacts that slide.
    sliding : Sliding or None
    margins : Margins or None
        What contacts with friction have to spare, as soon as somebody has made them.
    position_rows, velocity_rows : arrays of int
        Of the held rows, those that hold positions and those that hold velocities.
    calls : int
        Evaluations so far.
    """

    def __init__(
        self,
        system: System,
        dynamics: Dynamics,
        held: Indices,
        among: HeldRows | None = None,
        slides: tuple[int, ...] = (),
    ) -> None:
        self.system = system
        self.dynamics = dynamics
        self.held = held
        self.among = among
        self.slides = slides
        self.calls = 0
        self.sliding: Sliding | None = None
        self.margins: Margins | None = None
        asked = held
        if slides:
            coefficients = system.coefficients(dynamics.layout)
            self.sliding = Sliding.of(dynamics.layout, coefficients, held, slides)
            asked = self.sliding.rows
        self.asked = asked
        self._all = len(asked) == dynamics.layout.n_rows
        # Without held rows the motion is free, and one traced call may give all of y'.
        self._free = None if len(held) else dynamics.free_motion()
        self._part = dynamics.smooth(asked) if self._free is None else None
        self.position_rows, self.velocity_rows = dynamics.layout.held(held)
        self._names = dynamics.layout.names_of(asked)
        self._every = np.arange(len(asked))

    @lazy
    def _factor(self) -> Array | None:
        """Of a constant mass; a free motion never asks for it."""
        mass = self.dynamics.constant_mass
        return None if mass is None else factorise_once(mass)

    @property
    def left_out(self) -> int:
        """How many of the held rows follow from the others, and are left out."""
        return 0 if self.among is None else self.among.left_out

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

    def on_rows(self, multipliers: Array) -> Array:
        """Multipliers on the rows of the layout, with the friction of contacts that slide."""
        forces = np.zeros(self.dynamics.layout.n_rows)
        forces[self.held] = multipliers
        if self.sliding is not None:
            tangents = self.sliding.rows[self.sliding.tangents]
            forces[tangents] = self.sliding.push * multipliers[self.sliding.normals]
        return forces

    def _snapshot(self, y: Array, t: float) -> Snapshot:
        nq = self.dynamics.nq
        return state_snapshot(self.system, self.dynamics, y[:nq], y[nq:], t)

    def _refuse(self, y: Array, t: float) -> None:
        """Evaluate with all checks, which name the function that is not finite."""
        self._snapshot(y, t)

    def independent_rows(self, snapshot: Snapshot) -> Array:
        """The held rows without what is left out of the equalities."""
        rows = snapshot.rows_of(self.held)
        return rows if self.among is None else self.among.reduced(rows)

    def accelerate(self, snapshot: Snapshot) -> tuple[Array, Array, Snapshot]:
        """Acceleration, multipliers of the held rows, and the snapshot with its C."""
        rows, rhs = snapshot.rows_of(self.asked), snapshot.rhs
        rhs = rhs if self._all else rhs[self.asked]
        if snapshot.needs_ideal_force:
            reduced = self._reduced(rows, rhs)
            ideal = ideal_force_of_rows(snapshot, *reduced, self._names[: len(reduced[1])])
            snapshot = snapshot.with_ideal_force(ideal)
        load = snapshot.force if snapshot.nonideal is None else snapshot.force + snapshot.nonideal
        return (*self._solve(snapshot.mass, load, rows, rhs), snapshot)

    def _reduced(self, rows: Array, rhs: Array) -> tuple[Array, Array]:
        if self.among is None:
            return rows, rhs
        return self.among.reduced(rows), self.among.reduced(rhs)

    def _solve(self, mass: Array, load: Array, rows: Array, rhs: Array) -> tuple[Array, Array]:
        among, names, every = self.among, self._names, self._every
        if among is not None:
            rows, rhs = self._reduced(rows, rhs)
            names, every = names[: len(rhs)], every[: len(rhs)]
        if self.sliding is not None:
            ne = self.dynamics.layout.equalities.stop - self.left_out
            problem = GaussProblem(mass, load, rows, rhs, ne, names, "acceleration")
            return solve_sliding(problem, self.sliding, among, self._factor)
        problem = GaussProblem(mass, load, rows, rhs, len(rhs), names, "acceleration")
        white = whiten(problem, self._factor)
        answer: SetSolution = solve_set(white, every)
        if not answer.clear and has_light_masses(mass):
            split = solve_split(problem, every)
            if split is not None:
                x, multipliers = split
                return x, multipliers if among is None else among.spread(multipliers)
        multipliers = answer.multipliers if among is None else among.spread(answer.multipliers)
        return white.point(answer.z), multipliers
