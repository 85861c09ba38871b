"""The derivative of an impact: how the velocity after it changes with z = (q, v-, t, p).

A law solves one or more least-distance problems. On its active set each is a system of equations,

    M (v+ - v-) = A'(L + L0),   rate(q, v+, t) = target   on the active rows,

which is differentiated. Newton's target is -e rate(q, v-, t); Poisson's are zero, the second time
with the impulses L0 = e L of the first. So the derivative is that of the law itself, for as long as
the same rows stay active.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...base.arrays import Array, Indices
from ...base.errors import ModelError
from ...model.constraints import Contact
from ...model.snapshot import Snapshot
from ...qp.friction.solution import FrictionSolution
from ...qp.solution import GaussSolution
from ..impact import Impact, Jump, Outcome
from ..impact_laws import ImpactLaw, Newton, Poisson, Sequential
from .smooth import kkt, require_variations, solved

__all__ = ["Reset", "reset"]


@dataclass(frozen=True, eq=False)
class Reset:
    """An impact and its derivative.

    Attributes
    ----------
    v : (nv,) array
        Velocity after.
    slope : (nv, nz) array
        d v+ / d (q, v-, t, p).
    """

    v: Array
    slope: Array


@dataclass(frozen=True, eq=False)
class _Balance:
    """Equations of one jump on its active rows: solved for v+ and impulses, and for changes."""

    snapshot: Snapshot
    rows: Indices

    def change(
        self, jump: Jump, start: Array, start_slope: Array, total: Array, target_slope: Array,
        given: Array,
    ) -> tuple[Array, Array]:  # fmt: skip
        """Derivatives of v+ and of the impulses on the active rows.

        Parameters
        ----------
        start, start_slope : (nv,) and (nv, nz) arrays
            The velocity that the jump starts from.
        total : (m,) array
            All impulses that are in the balance.
        target_slope : (k, nz) array
            Of the rates that the active rows are to have.
        given : (nv, nz) array
            A' times the change of the impulses that are given.
        """
        at = self.snapshot
        nq, nv = len(at.q), len(at.v)
        graphs = require_variations(at.dynamics)
        slopes = graphs.slopes(at.q, jump.v, at.t, at.system.parameters, jump.v - start, total)
        after = at.at_velocity(jump.v)
        matrix = kkt(at.mass, after.rows_of(self.rows))
        velocity = slice(nq, nq + nv)
        inertia, rate = slopes.inertia.copy(), slopes.rate[self.rows].copy()
        matrix[:nv, :nv] += inertia[:, velocity]  # rows that turn with the velocity
        inertia[:, velocity], rate[:, velocity] = 0.0, 0.0
        balance = -inertia + at.mass @ start_slope + given
        change = solved(matrix, np.vstack([balance, target_slope - rate]))
        return change[:nv], change[nv:]


def reset(law: ImpactLaw, impact: Impact) -> Reset:
    """The impact by a law, with the derivative of the law on its active set."""
    outcome = law.apply(impact)
    if impact.rubs or any(isinstance(j.solution, FrictionSolution) for j in outcome.jumps):
        raise ModelError("an impact with friction cannot be differentiated yet")
    inner = law.law if isinstance(law, Sequential) else law
    if inner == Newton():
        return _newton(impact, outcome)
    if inner == Poisson() and inner is law:
        return _poisson(impact, outcome)
    raise ModelError(f"the derivative of the impact law {law} is not known: use newton or poisson")


def _newton(impact: Impact, outcome: Outcome) -> Reset:
    """One jump, or several one after the other, each of them Newton's."""
    at, (v, slope) = impact.snapshot, _beginning(impact)
    for jump in outcome.jumps:
        rows = _active(impact, jump)
        before = at.at_velocity(v)
        target = _returned(before, slope, rows)
        balance = _Balance(before, rows)
        start, v = v, jump.v
        slope, _ = balance.change(jump, start, slope, jump.impulses, target, 0.0 * slope)
    return Reset(v, slope)


def _poisson(impact: Impact, outcome: Outcome) -> Reset:
    """Compression, and where there is any, expansion."""
    compression, *rest = outcome.jumps
    v, slope = _beginning(impact)
    rows, at = _active(impact, compression), impact.snapshot
    none = np.zeros((len(rows), slope.shape[1]))
    balance = _Balance(at, rows)
    start, v = v, compression.v
    ask = (start, slope, compression.impulses, none, 0.0 * slope)
    slope, change = balance.change(compression, *ask)
    for expansion in rest:  # its impulses are those that were returned, and those on top
        e = at.coefficients.restitution
        within = np.isin(rows, impact.contacts)
        pushed, pushed_rows = change[within], rows[within]
        back = e[pushed_rows, None] * pushed
        back += compression.impulses[pushed_rows, None] * _restitution_slopes(at)[pushed_rows]
        given = at.rows_of(pushed_rows).T @ back
        active = _active(impact, expansion)
        none = np.zeros((len(active), slope.shape[1]))
        ask = (v, slope, expansion.impulses, none, given)
        slope, _ = _Balance(at, active).change(expansion, *ask)
        v = expansion.v
    return Reset(v, slope)


def _beginning(impact: Impact) -> tuple[Array, Array]:
    """The velocity before, and its derivative by z."""
    at = impact.snapshot
    nq, nv = len(at.q), len(at.v)
    size = sum(np.size(value) for value in at.system.parameters.values())
    slope = np.zeros((nv, nq + nv + 1 + size))
    slope[:, nq : nq + nv] = np.eye(nv)
    return at.v, slope


def _active(impact: Impact, jump: Jump) -> Indices:
    """Rows held as equalities in a jump: bilateral ones, and those on its active set."""
    assert isinstance(jump.solution, GaussSolution)
    rows = np.concatenate([impact.equalities, jump.contacts, impact.limits])
    if len(jump.solution.problem.rhs) == len(rows):
        return np.sort(rows[jump.solution.working])
    # Another form of the problem: of one contact, or without rows that follow from others.
    pushing = np.flatnonzero(jump.impulses)
    return np.union1d(impact.equalities, pushing)


def _returned(before: Snapshot, slope: Array, rows: Indices) -> Array:
    """Derivative of -e rate(q, v, t) where v changes by ``slope``; 0 for what is no contact."""
    nq, nv = len(before.q), len(before.v)
    zeros = np.zeros(before.layout.n_rows)
    graphs, parameters = require_variations(before.dynamics), before.system.parameters
    ask = (before.q, before.v, before.t, parameters, np.zeros(nv), zeros)
    rate = graphs.slopes(*ask).rate[rows]
    by_velocity = rate[:, nq : nq + nv] @ slope
    rate = rate.copy()
    rate[:, nq : nq + nv] = 0.0
    e = before.coefficients.restitution[rows, None]
    returned: Array = -e * (rate + by_velocity)
    returned -= before.rate[rows, None] * _restitution_slopes(before)[rows]
    return returned


def _restitution_slopes(at: Snapshot) -> Array:
    """d e / d z on the rows of the layout: e may be a parameter."""
    parameters = at.system.parameters
    first = len(at.q) + len(at.v) + 1
    slopes = np.zeros((at.layout.n_rows, first + sum(map(np.size, parameters.values()))))
    places, end = {}, first
    for name, value in parameters.items():
        places[name] = np.arange(end, end := end + np.size(value))
    for block in at.layout.blocks:
        named = block.item.named if isinstance(block.item, Contact) else {}
        if "restitution" in named:
            slopes[np.array(block.indices), places[named["restitution"]]] = 1.0
    return slopes
