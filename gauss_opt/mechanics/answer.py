"""The answer of an acceleration problem: acceleration, forces by name, and what they mean."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..base.arrays import Array, Indices
from ..base.lazy import lazy
from ..base.matrices import factorise
from ..base.words.choices import Named
from ..model.rows import Kind
from ..model.snapshot import Snapshot
from ..qp.certificate import Certificate
from ..qp.friction.certificate import FrictionCertificate
from ..qp.friction.solution import FrictionSolution
from ..qp.friction.states import ContactState
from ..qp.solution import GaussSolution
from .ideal_force import ideal_force_of_rows
from .rank.beside_surface import Dependence

__all__ = ["Acceleration", "ideal_force"]


@dataclass(frozen=True, eq=False)
class Acceleration:
    """The acceleration at a state, and the forces that constraints exert. Forces on demand.

    Attributes
    ----------
    snapshot : Snapshot
        The state, with the non-ideal force that goes with the answer.
    solution : GaussSolution or FrictionSolution
        The certified solution of (G), or of (C) where contacts with friction touch.
    weight : (nv, nv) array or None
        R, when the constraint force was weighted.
    chosen : array of int or None
        Rows of the layout that were in the problem; None when all of them were.
    dependence : Dependence or None
        What was done about equalities that contradict each other beside the constraint surface.
    """

    snapshot: Snapshot
    solution: GaussSolution | FrictionSolution
    weight: Array | None = None
    chosen: Indices | None = None
    dependence: Dependence | None = None

    @property
    def acceleration(self) -> Array:
        """q'' (or v'), (nv,)."""
        return self.solution.x

    @property
    def certificate(self) -> Certificate | FrictionCertificate:
        """Residuals of the answer."""
        return self.solution.certificate

    @property
    def unique(self) -> bool:
        """Whether the forces are unique; with friction, whether that is proved."""
        return self.solution.unique

    @property
    def working(self) -> Indices:
        """Numbers of the rows, among the chosen ones, that were held as equalities."""
        if isinstance(self.solution, FrictionSolution):
            ne, closed = self.solution.problem.n_equality, self.solution.set > ContactState.OPEN
            return np.concatenate([np.arange(ne), ne + np.flatnonzero(closed)])
        return self.solution.working

    @lazy
    def friction(self) -> dict[str, Any]:
        """Friction force of each contact with a slip, by name; against the slip."""
        return self.snapshot.layout.by_slip(self._all_multipliers)

    @lazy
    def states(self) -> dict[str, Any]:
        """``"open"``, ``"stick"``, ``"slide+"`` or ``"slide-"`` of each contact with a slip.

        A contact without force is open.
        """
        layout = self.snapshot.layout
        words = np.full(layout.n_rows, "open", dtype=object)
        if isinstance(self.solution, FrictionSolution) and self.chosen is not None:
            normals = self.chosen[self.solution.problem.normals]
            words[normals] = self.solution.states
        found = {}
        for name, _, _ in layout.slips:
            block = layout.block(name)
            of_rows = words[block.rows].tolist()
            found[name] = of_rows[0] if block.scalar else tuple(of_rows)
        return found

    @lazy
    def gauss(self) -> float:
        """The minimum of (G): 1/2 (a - a^)' M (a - a^); with a weight, 1/2 v'Rv of the force v."""
        solution = self.solution
        if isinstance(solution, FrictionSolution):
            return solution.gauss
        problem = solution.problem
        force = solution.row_multipliers @ problem.rows
        factor = factorise(problem.metric)
        if factor is None:  # a^ is that of the regular part; massless directions do not count
            away = solution.x - np.linalg.lstsq(problem.metric, problem.load, rcond=None)[0]
            return float(0.5 * away @ problem.metric @ away)
        return float(0.5 * np.sum(np.linalg.solve(factor, force) ** 2))

    @lazy
    def multipliers(self) -> dict[str, Any]:
        """Multiplier of each constraint by name; 0 for contacts that were not in the problem."""
        return self.snapshot.layout.by_name(self._all_multipliers)

    @lazy
    def constraint_force(self) -> Array:
        """Qc = M a - Q: everything the constraints add, (nv,)."""
        force: Array = self.snapshot.mass.dot(self.solution.x) - self.snapshot.force
        return force

    @lazy
    def ideal_force(self) -> Array:
        """The part that would be there with ideal constraints: the whole, unless C is given.

        With friction, all forces of constraints and contacts: what they add without C.
        """
        if self.snapshot.nonideal is None or isinstance(self.solution, FrictionSolution):
            nonideal = 0.0 if self.snapshot.nonideal is None else self.snapshot.nonideal
            return self.constraint_force - nonideal
        return ideal_force(self.snapshot, self.solution)

    @lazy
    def nonideal_force(self) -> Array:
        """The rest, caused by C; its acceleration is M-orthogonal to the ideal part's."""
        if self.snapshot.nonideal is None:
            return np.zeros(len(self.solution.x))
        return self.constraint_force - self.ideal_force

    @lazy
    def control_force(self) -> Array:
        """The force of the servos, (nv,)."""
        blocks = self.snapshot.layout.blocks
        servos = [block.name for block in blocks if block.kind == Kind.SERVO]
        return sum((self.forces[name] for name in servos), np.zeros(len(self.solution.x)))

    @lazy
    def forces(self) -> dict[str, Array]:
        """Force of each constraint by name, (nv,) each; their sum is Qc - C."""
        layout = self.snapshot.layout
        every = self._all_multipliers[:, None] * self.snapshot.rows
        shares, first = every[: layout.tangents.start], layout.tangents.start
        if len(layout.block_starts):
            shares = np.add.reduceat(shares, layout.block_starts) + 0.0  # no -0.0
        forces = Named(zip(layout.block_names, shares, strict=True))
        for row in range(first, layout.n_rows):
            forces[layout.names[row]] += every[row]
        if self.weight is None:
            return forces
        effect = self.weight @ self.snapshot.mass
        inverse = np.linalg.inv(effect.T)
        return Named((name, inverse @ force) for name, force in forces.items())

    @property
    def _all_multipliers(self) -> Array:
        """Multipliers on the rows of the layout."""
        if self.chosen is None:
            return self.solution.row_multipliers
        result = np.zeros(self.snapshot.layout.n_rows)
        result[self.chosen] = self.solution.row_multipliers
        return result

    def __str__(self) -> str:
        lines = [f"Acceleration at t = {self.snapshot.t:g}: {self.acceleration}"]
        for name, multiplier in self.multipliers.items():
            lines.append(f"  {name}: multiplier {multiplier}, force {self.forces[name]}")
        for name, force in self.friction.items():
            lines.append(f"  {name}: {self.states[name]}, friction {force}")
        unique = "" if self.solution.unique else "; multipliers not unique"
        lines.append(f"  Gauss function {self.gauss:.6g}{unique}")
        lines.append(f"  solver {self.solution.solver}; certificate: {self.certificate}")
        if self.dependence is not None:
            lines.append(f"  {self.dependence}")
        return "\n".join(lines)

    __repr__ = __str__


def ideal_force(snapshot: Snapshot, solution: GaussSolution) -> Array:
    """Force of the rows that carry force, were they ideal: M^1/2 B^+ (b - A a), (nv,)."""
    problem, carrying = solution.problem, solution.working
    names = tuple([problem.names[i] for i in carrying])
    return ideal_force_of_rows(snapshot, problem.rows[carrying], problem.rhs[carrying], names)
