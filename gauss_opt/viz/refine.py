"""Rows between the rows of a result, so that its curves are smooth however long its steps were."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from itertools import pairwise

import numpy as np

from ..base.arrays import Array
from ..base.errors import GaussError
from ..mechanics.flow import Flow
from ..model.snapshot import Snapshot, state_snapshot
from ..model.system import System
from ..qp.gauss_solver import GaussSolver
from ..qp.problem import GaussProblem
from ..results.recorder import Recorder
from ..results.result import Result

__all__ = ["refined"]

POINTS = 600  # rows over the whole time, about as many as a picture is wide
ENOUGH = 20_000  # a result with more rows is drawn as it is


def refined(result: Result, points: int = POINTS) -> Result:
    """The result with rows added from its dense output; its own rows stay as they are.

    Forces and gaps of the added rows are computed anew where the system is known; for a result
    from a file they are interpolated, gaps with their rates and forces linearly.
    """
    span = float(result.t[-1] - result.t[0])
    if not result.pieces or span <= 0.0 or len(result.t) > ENOUGH:
        return result
    if result.parts:
        return _joined(result, tuple(_with_rows(part, span / points) for part in result.parts))
    return _with_rows(result, span / points)


def _with_rows(result: Result, spacing: float) -> Result:
    """One phase with rows at most ``spacing`` apart."""
    if result.system is not None:
        added = _computed(result, result.system, spacing)
    else:
        added = _interpolated(result, spacing)
    return result if added is None else _merged(result, added)


def _times_between(result: Result, start: float, end: float, spacing: float) -> Array:
    """Times to add inside a piece of dense output, none of them a row's."""
    rows = result.t[(result.t > start) & (result.t < end)]
    marks = [start, *np.unique(rows).tolist(), end]
    inner = [np.linspace(a, b, int((b - a) / spacing) + 2)[1:-1] for a, b in pairwise(marks)]
    return np.concatenate(inner)


def _computed(result: Result, system: System, spacing: float) -> Result | None:
    """Added rows with the accelerations and forces of the set held in each step."""
    compiled = system.compiled(result.v.shape[1])
    recorder = Recorder(system, compiled, dense=False)

    @cache
    def flow(held: tuple[int, ...]) -> Flow:
        return Flow(system, compiled, np.array(held, dtype=np.intp))

    solver = GaussSolver("daqp")
    for piece in result.pieces:
        end = min(piece.t1, float(result.t[-1]))
        for t in _times_between(result, piece.t0, end, spacing).tolist():
            y = piece(t)
            try:
                snapshot = state_snapshot(system, compiled, y[: compiled.nq], y[compiled.nq :], t)
                a, forces, snapshot = flow(piece.held).accelerate(snapshot)
                multipliers = np.zeros(compiled.layout.n_rows)
                multipliers[list(piece.held)] = forces
                if _redundant(snapshot, piece.held):
                    a, multipliers = _fair(snapshot, piece.held, solver)
            except GaussError:  # a function that is not defined there: the row is left out
                continue
            recorder.row(snapshot, a, multipliers)
    if not recorder.rows:
        return None
    return recorder.result(
        success=True, status="", message="", stats=result.stats, settings=result.settings
    )


def _redundant(snapshot: Snapshot, held: tuple[int, ...]) -> bool:
    """Whether rows that are held depend on each other, so that their forces are not unique."""
    rows = snapshot.rows[list(held)]
    return bool(len(rows) and np.linalg.matrix_rank(rows) < len(rows))


def _fair(snapshot: Snapshot, held: tuple[int, ...], solver: GaussSolver) -> tuple[Array, Array]:
    """Acceleration and multipliers as in the stored rows: of least norm, and no contact pulls."""
    layout = snapshot.layout
    inequalities = [i for i in held if i >= layout.equalities.stop]
    rows = [*range(layout.equalities.stop), *inequalities]
    load = snapshot.force if snapshot.nonideal is None else snapshot.force + snapshot.nonideal
    problem = GaussProblem(
        snapshot.mass,
        load,
        snapshot.rows[rows],
        snapshot.rhs[rows],
        layout.equalities.stop,
        tuple(layout.names[i] for i in rows),
        "acceleration",
    )
    solution = solver.solve(problem)
    multipliers = np.zeros(layout.n_rows)
    multipliers[rows] = solution.row_multipliers
    return solution.x, multipliers


def _interpolated(result: Result, spacing: float) -> Result | None:
    """Added rows of a result without a system: states exact, the rest from the rows around."""
    nq = result.q.shape[1]
    times: list[Array] = []
    states: list[Array] = []
    for piece in result.pieces:
        inner = _times_between(result, piece.t0, piece.t1, spacing)
        if len(inner):
            times.append(inner)
            states.append(piece.many(inner))
    if not times:
        return None
    t, y = np.concatenate(times), np.concatenate(states)
    before = np.searchsorted(result.t, t, side="right") - 1
    share = (t - result.t[before]) / (result.t[before + 1] - result.t[before])

    def linear(rows: Array) -> Array:
        weight = share.reshape(-1, *([1] * (rows.ndim - 1)))
        values: Array = (1.0 - weight) * rows[before] + weight * rows[before + 1]
        return values

    rows = {name: linear(value) for name, value in result.rows.items()}
    length = (result.t[before + 1] - result.t[before])[:, None]
    gaps = [i for i, name in enumerate(result.row_names) if name in result.contacts]
    value, rate = result.rows["values"][:, gaps], result.rows["rates"][:, gaps]
    s = share[:, None]
    rows["values"][:, gaps] = (
        (1 + 2 * s) * (1 - s) ** 2 * value[before]
        + s**2 * (3 - 2 * s) * value[before + 1]
        + s * (1 - s) * length * ((1 - s) * rate[before] - s * rate[before + 1])
    )
    energy = result.stored_energy
    if energy is not None:
        energy = replace(energy, **{k: linear(v) for k, v in vars(energy).items()})
    return replace(
        result,
        t=t,
        q=y[:, :nq],
        v=y[:, nq:],
        a=linear(result.a),
        rows=rows,
        forces={name: linear(value) for name, value in result.forces.items()},
        stored_energy=energy,
    )


def _merged(result: Result, added: Result) -> Result:
    """Both sets of rows in the order of time; rows at the same time keep their order."""
    order = np.argsort(np.concatenate([result.t, added.t]), kind="stable")

    def merge(own: Array, other: Array) -> Array:
        rows: Array = np.concatenate([own, other])[order]
        return rows

    energy = result.stored_energy
    if energy is not None and added.stored_energy is not None:
        other = vars(added.stored_energy)
        energy = replace(energy, **{k: merge(v, other[k]) for k, v in vars(energy).items()})
    return replace(
        result,
        t=merge(result.t, added.t),
        q=merge(result.q, added.q),
        v=merge(result.v, added.v),
        a=merge(result.a, added.a),
        rows={name: merge(value, added.rows[name]) for name, value in result.rows.items()},
        forces={name: merge(value, added.forces[name]) for name, value in result.forces.items()},
        stored_energy=energy,
    )


def _joined(result: Result, parts: tuple[Result, ...]) -> Result:
    """The whole made of refined phases."""
    return replace(
        result,
        t=np.concatenate([part.t for part in parts]),
        q=np.concatenate([part.q for part in parts]),
        v=np.concatenate([part.v for part in parts]),
        a=np.concatenate([part.a for part in parts]),
        rows={k: np.concatenate([part.rows[k] for part in parts]) for k in result.rows},
        forces={k: np.concatenate([part.forces[k] for part in parts]) for k in result.forces},
        parts=parts,
    )
