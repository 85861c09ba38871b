"""The rows that pictures of a result need: some are added, and of very many some left out."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache

import numpy as np

from ...base.arrays import Array, Indices
from ...base.errors import GaussError
from ...mechanics.acceleration import accelerate_rows
from ...mechanics.flow import Flow
from ...mechanics.rank.held_rows import held_rows
from ...model.snapshot import Snapshot, state_snapshot
from ...model.system import System
from ...qp.gauss_solver import GaussSolver
from ..columns import all_together, as_fields, each
from ..dense_output import Piece
from ..energy import Energy
from ..event_list import EventList
from ..recorder import Recorder, states_of
from ..records import Event
from ..result import Result
from .choice import choose
from .kept import kept

__all__ = ["refined"]

POINTS = 600  # rows over the whole time, about as many as a picture is wide


@kept
def refined(result: Result, points: int = POINTS) -> Result:
    """The result with the rows that pictures need: some added from its dense output.

    Added are rows between those that are far apart, and at extrema inside the steps. All rows of
    the result stay, unless there are thousands: then those with extrema and events do. Forces and
    gaps of the added rows are computed anew where the system is known; for a result from a file
    they are interpolated, gaps with their rates and forces linearly.
    """
    span = float(result.t[-1] - result.t[0])
    if not result.pieces or span <= 0.0:
        return result
    if result.parts:
        parts = tuple(_with_rows(part, span / points) for part in result.parts)
        whole = replace(result, **as_fields(all_together(parts)), parts=parts)
        return replace(whole, events=EventList(_at_rows(result, whole.t)))
    return _with_rows(result, span / points)


def _with_rows(result: Result, spacing: float) -> Result:
    """One phase at the rows chosen for it."""
    if not result.t[-1] > result.t[0]:
        return result
    rows, times = choose(result, spacing)
    kept = result if len(rows) == len(result.t) else _at(result, rows)
    if not len(times):
        return kept
    if result.system is not None:
        added = _computed(result, result.system, times)
    else:
        added = _interpolated(result, times)
    return kept if added is None else _merged(kept, added)


def _at(result: Result, rows: Indices) -> Result:
    """The result at some of its rows."""
    energy = result.stored_energy and _each_energy(lambda c: c[rows], result.stored_energy)
    columns = each(lambda column: column[rows], result)
    events = _at_rows(result, columns["t"])
    return replace(result, **as_fields(columns), stored_energy=energy, events=EventList(events))


def _by_piece(result: Result, times: Array) -> Iterator[tuple[Piece, Array]]:
    """The times by the piece of dense output that they are in."""
    ends = np.array([piece.t1 for piece in result.pieces])
    places = np.minimum(np.searchsorted(ends, times), len(ends) - 1)
    for place in np.unique(places).tolist():
        yield result.pieces[place], times[places == place]


def _computed(result: Result, system: System, times: Array) -> Result | None:
    """Added rows with the accelerations and forces of the set held in each step."""
    dynamics = system.dynamics(result.v.shape[1])
    recorder = Recorder(system, dynamics, dense=False)

    @cache
    def flow(held: tuple[int, ...], slides: tuple[int, ...]) -> Flow:
        start = next(p for p in result.pieces if (p.held, p.slides) == (held, slides))
        q, v = np.split(start.values[0], [dynamics.nq])
        among = held_rows(state_snapshot(system, dynamics, q, v, start.t0))
        return Flow(system, dynamics, np.array(held, dtype=np.intp), among, slides)

    solver = GaussSolver("daqp")
    for piece, inner in _by_piece(result, times):
        for t in inner.tolist():
            y = piece(t)
            try:
                snapshot = state_snapshot(system, dynamics, y[: dynamics.nq], y[dynamics.nq :], t)
                motion = flow(piece.held, piece.slides)
                a, forces, snapshot = motion.accelerate(snapshot)
                multipliers = motion.on_rows(forces)
                if _redundant(snapshot, piece.held):
                    a, multipliers = _without_pulling(snapshot, piece, solver)
            except GaussError:  # a function that is not defined there: the row is left out
                continue
            states = states_of(dynamics.layout, piece.held, piece.slides)
            recorder.row(snapshot, a, multipliers, states)
    if not recorder.rows.count:
        return None
    return recorder.result(
        success=True, status="", message="", stats=result.stats, settings=result.settings
    )


def _redundant(snapshot: Snapshot, held: tuple[int, ...]) -> bool:
    """Whether rows that are held depend on each other, so that their forces are not unique."""
    rows = snapshot.rows_of(np.array(held, dtype=np.intp))
    return bool(len(rows) and np.linalg.matrix_rank(rows) < len(rows))


def _without_pulling(snapshot: Snapshot, piece: Piece, solver: GaussSolver) -> tuple[Array, Array]:
    """Acceleration and multipliers as in the stored rows: minimum-norm, and no contact pulls."""
    layout = snapshot.layout
    equalities, tangents = layout.equalities.stop, layout.tangents.start
    rows: Indices = np.array(
        [*range(equalities), *(i for i in piece.held if equalities <= i < tangents)], dtype=np.intp
    )
    slide = np.zeros(len(layout.normal_of))
    along = np.array(piece.slides, dtype=np.intp)
    slide[np.abs(along) - tangents] = np.sign(along)
    answer = accelerate_rows(snapshot, solver, rows, slide=slide)
    chosen = rows if answer.chosen is None else answer.chosen
    multipliers = np.zeros(layout.n_rows)
    multipliers[chosen] = answer.solution.row_multipliers
    return answer.acceleration, multipliers


def _interpolated(result: Result, t: Array) -> Result:
    """Added rows of a result without a system: states exact, the rest from the rows around."""
    y = np.concatenate([piece.many(inner) for piece, inner in _by_piece(result, t)])
    before = np.searchsorted(result.t, t, side="right") - 1
    share = (t - result.t[before]) / (result.t[before + 1] - result.t[before])

    def linear(rows: Array) -> Array:
        weight = share.reshape(-1, *([1] * (rows.ndim - 1)))
        values: Array = (1.0 - weight) * rows[before] + weight * rows[before + 1]
        return values

    nq = result.q.shape[1]
    columns = each(linear, result) | {"t": t, "q": y[:, :nq], "v": y[:, nq:]}
    columns["rows_states"] = result.rows["states"][before]
    gaps = [i for i, name in enumerate(result.row_names) if name in result.contacts]
    columns["rows_values"][:, gaps] = _by_rates(result, gaps, before, share)
    energy = result.stored_energy and _each_energy(linear, result.stored_energy)
    return replace(result, **as_fields(columns), stored_energy=energy)


def _by_rates(result: Result, gaps: list[int], before: Indices, share: Array) -> Array:
    """Gaps between rows as the cubic polynomials that have their values and rates at both."""
    value, rate = result.rows["values"][:, gaps], result.rows["rates"][:, gaps]
    length = (result.t[before + 1] - result.t[before])[:, None]
    s = share[:, None]
    cubic: Array = (
        (1 + 2 * s) * (1 - s) ** 2 * value[before]
        + s**2 * (3 - 2 * s) * value[before + 1]
        + s * (1 - s) * length * ((1 - s) * rate[before] - s * rate[before + 1])
    )
    return cubic


def _merged(result: Result, added: Result) -> Result:
    """Both sets of rows in the order of time; rows at the same time keep their order."""
    order = np.argsort(np.concatenate([result.t, added.t]), kind="stable")
    columns = {key: column[order] for key, column in all_together([result, added]).items()}
    energy = result.stored_energy
    if energy is not None and added.stored_energy is not None:
        other = vars(added.stored_energy)
        energy = Energy(
            **{k: np.concatenate([v, other[k]])[order] for k, v in vars(energy).items()}
        )
    events = _at_rows(result, columns["t"])
    return replace(result, **as_fields(columns), stored_energy=energy, events=EventList(events))


def _at_rows(result: Result, times: Array) -> tuple[Event, ...]:
    """The events with the rows where they are when other times are there."""
    t = result.t
    rows = np.array([event.row for event in result.events], dtype=np.intp)
    known = (rows >= 0) & (rows < len(t))
    at = t[np.where(known, rows, 0)]
    # Of rows at the same time there may be several, with events between them.
    within = rows - np.searchsorted(t, at)
    first, last = np.searchsorted(times, at), np.searchsorted(times, at, side="right")
    moved = np.where(known, np.minimum(first + within, last), rows)
    return tuple(
        replace(event, row=row) for event, row in zip(result.events, moved.tolist(), strict=True)
    )


def _each_energy(change: Callable[[Array], Array], energy: Energy) -> Energy:
    return Energy(**{name: change(column) for name, column in vars(energy).items()})
