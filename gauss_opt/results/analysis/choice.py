"""Which rows a picture needs: of a long run a part, and extrema that lie between the rows.

A step may be longer than the time in which a coordinate turns round, so that the rows alone would
show a lower peak than there was. The extrema of the dense output are looked for, and added.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from ...base.arrays import Array, Indices
from ...base.chebyshev import halving
from ...base.tolerances.results import SEEN_EXCURSION
from ..columns import columns_of
from ..dense_output import Piece
from ..result import Result

__all__ = ["ENOUGH", "Choice", "choose", "kept_events"]

ENOUGH = 4000  # a result with more rows is drawn at some of them
MOST_ROWS = 12_000  # about so many are kept, and as many added
FEWEST_GROUPS, MOST_GROUPS = 60, 1000
MOST_EVENTS = 1500  # events of which both sides are kept for certain
MOST_SAMPLES = 2_000_000  # values of gaps between the rows that are looked at


class Choice(NamedTuple):
    """What to draw of a run of one phase.

    Attributes
    ----------
    rows : (k,) array of int
        Rows of the result that stay.
    times : (n,) array
        Times between them at which rows are to be added.
    """

    rows: Indices
    times: Array


def choose(result: Result, spacing: float) -> Choice:
    """Rows that stay, and times to add so that no two rows are further apart than ``spacing``.

    With the rows that stay all rows at the same time do: both sides of a jump are seen.
    """
    rows: Indices = np.arange(len(result.t)) if len(result.t) <= ENOUGH else _notable_rows(result)
    t = result.t[rows]
    times = np.concatenate([_evenly(t, spacing), *_extrema(result)])
    times = np.unique(times[~np.isin(times, result.t)])
    return Choice(rows, times[(times > t[0]) & (times < t[-1])])


def kept_events(times: Sequence[float]) -> Array:
    """Times of which both sides are shown: all of them, or of very many an even choice."""
    found = np.unique(np.asarray(times, dtype=float))
    return found[:: max(1, -(-len(found) // MOST_EVENTS))]


def _notable_rows(result: Result) -> Indices:
    """Both ends, events, and the rows with the extrema of every column over parts of the run."""
    t = result.t
    events = kept_events([event.t for event in result.events])
    keep = np.isin(t, events)
    keep[[0, -1]] = True
    columns = np.column_stack(
        [c.reshape(len(t), -1) for key, c in columns_of(result).items() if key != "t"]
    )
    edges = np.linspace(t[0], t[-1], _groups(columns.shape[1]) + 1)
    places = np.unique(np.searchsorted(t, edges))
    for start, end in pairwise(places.tolist()):
        part = np.nan_to_num(columns[start:end])
        keep[start + part.argmin(axis=0)] = True
        keep[start + part.argmax(axis=0)] = True
    chosen: Indices = np.flatnonzero(np.isin(t, t[keep]))
    return chosen


def _groups(columns: int) -> int:
    """How many parts of the run have their own extrema."""
    return int(np.clip(MOST_ROWS // (2 * max(columns, 1)), FEWEST_GROUPS, MOST_GROUPS))


def _evenly(t: Array, spacing: float) -> Array:
    """Times between those given, so that none are further apart than the spacing."""
    distinct = np.unique(t)
    parts = np.ceil(np.diff(distinct) / spacing).astype(int)
    inner = [
        np.linspace(distinct[i], distinct[i + 1], parts[i] + 1)[1:-1]
        for i in np.flatnonzero(parts > 1)
    ]
    return np.concatenate([np.zeros(0), *inner])


def _extrema(result: Result) -> Iterator[Array]:
    """Times inside the steps at which a coordinate, a velocity or a gap is at an extremum."""
    sampled = sum(2 * len(piece.values) - 1 for piece in result.pieces)
    gaps = _gap_rows(result)
    if sampled * len(gaps) > MOST_SAMPLES:
        gaps = gaps[:0]
    width = result.q.shape[1] + result.v.shape[1] + len(gaps)
    for pieces in _grouped(result, _groups(width)):
        times, values = _samples(pieces)
        if len(gaps):
            values = np.hstack([values, _gaps_at(result, gaps, times, values)])
        yield _turning(times, values)


def _grouped(result: Result, count: int) -> Iterator[Sequence[Piece]]:
    """Pieces one by one, or of very many those within the same part of the time."""
    pieces = result.pieces
    if len(pieces) <= count:
        yield from ([piece] for piece in pieces)
        return
    starts = np.array([piece.t0 for piece in pieces])
    edges = np.searchsorted(starts, np.linspace(result.t[0], result.t[-1], count + 1))
    edges[-1] = len(pieces)
    for start, end in pairwise(edges.tolist()):
        if end > start:
            yield pieces[start:end]


def _samples(pieces: Sequence[Piece]) -> tuple[Array, Array]:
    """Times and values at the points of the pieces and half-way between them, in order."""
    sizes = np.array([len(piece.values) for piece in pieces])
    times, values = [], []
    for size in np.unique(sizes).tolist():
        alike = [piece for piece in pieces if len(piece.values) == size]
        finer, matrix = halving(size)
        starts = np.array([piece.t0 for piece in alike])
        ends = np.array([piece.t1 for piece in alike])
        at = starts[:, None] + (ends - starts)[:, None] * finer
        at[:, -1] = ends
        times.append(at.ravel())
        values.append((matrix @ np.stack([piece.values for piece in alike])).reshape(at.size, -1))
    order = np.argsort(np.concatenate(times), kind="stable")
    return np.concatenate(times)[order], np.concatenate(values)[order]


def _gap_rows(result: Result) -> Indices:
    names = set(result.contacts)
    rows: Indices = np.array(
        [i for i, name in enumerate(result.row_names) if name in names], dtype=np.intp
    )
    return rows if result.system is not None else rows[:0]


def _gaps_at(result: Result, rows: Indices, times: Array, states: Array) -> Array:
    assert result.system is not None
    dynamics = result.system.dynamics(result.v.shape[1])
    return dynamics.sample(rows, states, times, result.system.parameters)[0]


def _turning(t: Array, values: Array) -> Array:
    """Times of the least and the greatest value of each column, where they lie between others.

    The vertex of the parabola through the sample and its neighbours is nearer than the sample.

    >>> t = np.linspace(0.0, 1.0, 9)
    >>> _turning(t, (t - 0.3)[:, None] ** 2)
    array([0.3])
    """
    values = np.nan_to_num(values)
    places = np.concatenate([values.argmin(axis=0), values.argmax(axis=0)])
    column = np.tile(np.arange(values.shape[1]), 2)
    ends = values[[0, -1]]
    beyond = np.concatenate([ends.min(axis=0) - values.min(axis=0),
                             values.max(axis=0) - ends.max(axis=0)])  # fmt: skip
    size = np.abs(values).max(axis=0)
    inside = beyond > SEEN_EXCURSION * np.tile(size, 2)
    i, k = places[inside], column[inside]
    before, after = t[i] - t[i - 1], t[i + 1] - t[i]
    smooth = (before > 0.0) & (after > 0.0)  # where two steps meet, the row is there already
    i, k, before, after = i[smooth], k[smooth], before[smooth], after[smooth]
    down = (values[i, k] - values[i - 1, k]) / before
    up = (values[i + 1, k] - values[i, k]) / after
    bend = up - down
    turns = bend != 0.0
    shift = np.zeros(len(i))
    shift[turns] = -0.5 * (down * after + up * before)[turns] / bend[turns]
    vertex = t[i] + np.clip(shift, -before, after)
    inner: Array = vertex[turns]
    return inner
