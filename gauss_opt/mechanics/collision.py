"""One impact without a simulation, with everything by name and a cross-check."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..base.arrays import Array, Indices
from ..base.lazy import lazy
from ..base.tolerances.base import TINY
from ..base.tolerances.mechanics import ENERGY_GAIN
from ..base.words.choices import Named
from ..model.snapshot import Snapshot, evaluate
from ..model.system import System
from ..qp.certificate import Certificate
from ..qp.friction.certificate import FrictionCertificate
from ..qp.friction.solution import FrictionSolution
from ..qp.gauss_solver import GaussSolver
from ..qp.solvers import Adapter
from ..reference import closed_form
from .friction.routes import difference_of_routes
from .impact import Impact, Jump
from .impact_laws import ImpactLaw, law_for
from .participants import contact_rows
from .rank.beside_surface import Dependence

__all__ = ["Collision", "collide", "collide_snapshot"]


@dataclass(frozen=True, eq=False)
class Collision:
    """The outcome of an impact, by name.

    Attributes
    ----------
    snapshot : Snapshot
        The state before.
    contacts : array of int
        Contact rows that took part.
    v_after : (nv,) array
    row_impulses : (m,) array
        On the rows of the layout; M (v+ - v-) = A' impulses.
    row_rates_after : (m,) array
    jumps : tuple of Jump
        The problems that were solved, in order.
    """

    snapshot: Snapshot
    contacts: Indices
    v_after: Array
    row_impulses: Array
    row_rates_after: Array
    jumps: tuple[Jump, ...]

    @property
    def v_before(self) -> Array:
        """Velocity before, (nv,)."""
        return self.snapshot.v

    @lazy
    def impulses(self) -> dict[str, Any]:
        """Impulse of every constraint by name."""
        return self.snapshot.layout.by_name(self.row_impulses)

    @lazy
    def shares(self) -> dict[str, Any]:
        """Impulses by name of what took part: contacts, bilateral constraints, limits reached."""
        layout = self.snapshot.layout
        rows = [self.contacts, layout.bilateral, np.flatnonzero(self.row_impulses)]
        taking_part = np.unique(layout.block_of[np.concatenate(rows)])
        blocks = [layout.blocks[i] for i in taking_part.tolist()]
        return Named((block.name, block.of(self.row_impulses)) for block in blocks)

    @lazy
    def rates_before(self) -> dict[str, Any]:
        """Rates before, by name of contact."""
        return self.snapshot.rates

    @lazy
    def rates_after(self) -> dict[str, Any]:
        """Rates after, by name of contact."""
        rates = self.snapshot.layout.by_name(self.row_rates_after)
        return Named((name, rates[name]) for name in self.snapshot.rates)

    @lazy
    def friction_impulses(self) -> dict[str, Any]:
        """Impulse of friction of each contact with a slip, by name; against the slip."""
        return self.snapshot.layout.by_slip(self.row_impulses)

    @lazy
    def slips_before(self) -> dict[str, Any]:
        """Slips before, by name of contact."""
        return self.snapshot.layout.by_slip(self.snapshot.rate)

    @lazy
    def slips_after(self) -> dict[str, Any]:
        """Slips after, by name of contact."""
        return self.snapshot.layout.by_slip(self.row_rates_after)

    @lazy
    def energy_change(self) -> float:
        """Change of the kinetic energy: dissipation plus the work of moving constraints."""
        jump = self.v_after - self.v_before
        return float(0.5 * jump @ self.snapshot.mass @ (self.v_after + self.v_before))

    @lazy
    def work_of_moving_constraints(self) -> float:
        """Work done by constraints that move by themselves: minus impulse times their rate.

        A velocity limit does not count: it brakes, and what it takes is lost.
        """
        limits = self.snapshot.layout.limits
        work = self.row_impulses * self.snapshot.at_velocity(self.v_after).offset
        return float(-(work[: limits.start].sum() + work[limits.stop :].sum()))

    @property
    def dissipation(self) -> float:
        """Change of the kinetic energy without the work of moving constraints; not above 0."""
        return self.energy_change - self.work_of_moving_constraints

    @property
    def gains_energy(self) -> bool:
        """Whether the law itself increased the energy."""
        before = 0.5 * self.v_before @ self.snapshot.mass @ self.v_before
        return bool(
            self.dissipation > ENERGY_GAIN * (before + abs(self.work_of_moving_constraints))
        )

    @lazy
    def certificate(self) -> Certificate | FrictionCertificate:
        """The worst residuals of the problems that were solved."""
        found = [jump.solution.certificate for jump in self.jumps]
        rubbing = [c for c in found if isinstance(c, FrictionCertificate)]
        if not rubbing:
            return Certificate(*(max(column) for column in zip(*found, strict=True)))
        padded = [(*c, *[0.0] * (len(FrictionCertificate._fields) - len(c))) for c in found]
        return FrictionCertificate(*(max(column) for column in zip(*padded, strict=True)))

    @property
    def unique(self) -> bool:
        """Whether all impulses are unique."""
        return all(jump.solution.unique for jump in self.jumps)

    @property
    def dependence(self) -> Dependence | None:
        """What was done about equalities that contradict each other beside their surface."""
        noted = [jump.dependence for jump in self.jumps if jump.dependence is not None]
        return max(noted, key=lambda one: one.misfit, default=None)

    @lazy
    def pseudoinverse_difference(self) -> float:
        """Distance to v- + M^-1/2 (W'M^-1/2)^+ (rate change), relative, on the active set.

        With friction, to the solution of the matrix of Lagrange multipliers. The cross-check of
        the last jump with a formula that shares no algebra with it.
        """
        solution = self.jumps[-1].solution
        if isinstance(solution, FrictionSolution):
            return difference_of_routes(solution)
        problem, working = solution.problem, solution.working
        if not len(working):
            return 0.0
        try:
            start = np.linalg.solve(problem.metric, problem.load)
            rows = problem.rows[working]
            change = problem.rhs[working] - rows @ start
            other = closed_form.impact_velocity(problem.metric, start, rows, change)
        except (ValueError, np.linalg.LinAlgError):
            return float("nan")
        scale = np.abs(start).max() + np.abs(solution.x).max() + TINY
        return float(np.abs(other - solution.x).max() / scale)

    def __str__(self) -> str:
        lines = [f"Collision at t = {self.snapshot.t:g}: energy change {self.energy_change:.6g}"]
        for name in self.rates_after:
            lines.append(
                f"  {name}: rate {self.rates_before[name]} -> {self.rates_after[name]}, "
                f"impulse {self.impulses[name]}"
            )
        lines.append(f"  v {self.v_before} -> {self.v_after}")
        for name, impulse in self.friction_impulses.items():
            lines.append(
                f"  {name}: slip {self.slips_before[name]} -> {self.slips_after[name]}, "
                f"friction {impulse}"
            )
        if self.gains_energy:
            lines.append("  the impact law increased the energy")
        lines.append(f"  certificate: {self.certificate}")
        if self.dependence is not None:
            lines.append(f"  {self.dependence}")
        return "\n".join(lines)

    __repr__ = __str__


def collide(
    system: System,
    q: ArrayLike,
    v: ArrayLike,
    t: float = 0.0,
    *,
    law: str | ImpactLaw | None = None,
    contacts: Iterable[str] | None = None,
    solver: str | Adapter | GaussSolver = "osqp",
) -> Collision:
    """The impact at a state, without a simulation.

    Parameters
    ----------
    system : System
    q, v : array_like
        Position, and velocity before.
    t : float
    law : str or ImpactLaw, optional
        ``"newton"``, ``"poisson"``, ``"sequential"`` or your own law. By default Poisson's where a
        contact has friction (and no tangential restitution), otherwise Newton's.
    contacts : iterable of str, optional
        Contacts that take part; by default those that touch and do not separate.
    solver : str, Adapter or GaussSolver

    Examples
    --------
    Three equal balls in a row, the first arrives:

    >>> from gauss_opt import Contact
    >>> row = System([1, 1, 1], [0, 0, 0], contacts=[
    ...     Contact("1-2", lambda q, t: q[1] - q[0] - 1, restitution=1.0),
    ...     Contact("2-3", lambda q, t: q[2] - q[1] - 1, restitution=1.0)])
    >>> collide(row, [0, 1, 2], [1, 0, 0]).v_after.round(6)
    array([-0.333333,  0.666667,  0.666667])
    >>> collide(row, [0, 1, 2], [1, 0, 0], law="sequential").v_after.round(6) + 0.0
    array([0., 0., 1.])
    """
    snapshot = evaluate(system, q, v, t)
    if not isinstance(solver, GaussSolver):
        solver = GaussSolver(solver)
    rows = contact_rows(snapshot, contacts)
    return collide_snapshot(snapshot, rows, law_for(snapshot.coefficients, law), solver)


def collide_snapshot(
    snapshot: Snapshot,
    rows: Indices,
    law: ImpactLaw,
    solver: GaussSolver,
    slow: Array | None = None,
) -> Collision:
    """:func:`collide` for contact rows of a snapshot, with a kept solver.

    ``slow`` is the size of rates that are zero, on the rows of the layout.
    """
    outcome = law.apply(Impact.at(snapshot, rows, solver, slow))
    after = snapshot.at_velocity(outcome.v)
    return Collision(snapshot, rows, outcome.v, outcome.impulses, after.rate, outcome.jumps)
