"""The state of a run as arrays and a header for a file, and back: what is damaged is refused."""

from __future__ import annotations

from dataclasses import asdict
from math import inf, isfinite, isnan, nan
from typing import Any

import numpy as np

from ..base.arrays import Array, Indices, Mask
from ..mechanics.consistency.projection import Scales
from ..model.snapshot import Snapshot
from ..results.dense_output import Piece
from ..results.files.result_file import pack_pieces, read_stats, unpack_pieces
from ..results.files.values import floats
from .event_driven.accumulation import Bounce
from .event_driven.contact_status import require_valid
from .impact_history import ImpactSeries, PendingLimit
from .known_rank import KnownRank
from .run_state import RunState
from .settings import Settings

__all__ = ["pack_state", "unpack_state"]

_NUMBERS = {  # from where to where each may be; those that are None are stored as nan
    "t": (-inf, inf),
    "last_event": (-inf, inf),
    "fired_at": (-inf, inf),
    "correction": (0.0, inf),
    "quiet": (0.0, inf),
    "next_step": (0.0, inf),
}
_MAY_BE_INFINITE = {"fired_at", "correction", "quiet"}
_MAY_BE_NONE = {"next_step"}
_PENDING = ("t", "energy_change", "constraint_work")


def pack_state(state: RunState) -> tuple[dict[str, Any], dict[str, Any]]:
    """All of it as arrays by name, and a header that JSON can write."""
    scales, series, pending = state.scales, state.series, state.pending
    numbers = [getattr(state, name) for name in _NUMBERS]
    arrays: dict[str, Any] = {
        "numbers": np.array([nan if x is None else x for x in numbers]),
        "scale": np.array([scales.time, scales.fixed_length or nan]),
        "q": state.q,
        "v": state.v,
        "status": state.status,
        "scale_q": scales.q.copy(),
        "scale_v": scales.v.copy(),
        "struck": series.struck,
        "rates": series.rates,
        "low": series.low.astype(np.int64),
        "closed": series.closed.astype(np.int64),
        "bounces": np.array([[b.t, b.height] for b in series.bounces]).reshape(-1, 2),
        "fired": state.fired,
        **pack_pieces(state.recent),
        **state.equalities.to_arrays(),
    }
    header: dict[str, Any] = {
        "bounced": [sorted(bounce.contacts) for bounce in series.bounces],
        "standstill": state.standstill,
        "next_t_eval": state.next_t_eval,
        "stats": asdict(state.stats),
    }
    if state.atol is not None:
        arrays["atol"] = state.atol
    if pending is not None:
        arrays["pending_v"] = pending.v_before
        arrays["pending"] = np.array([getattr(pending, name) for name in _PENDING])
        header["pending"] = {
            "rows": list(pending.rows),
            "exact": pending.exact,
            "row": pending.row,
        }
    return arrays, header


def unpack_state(
    arrays: dict[str, Any], header: dict[str, Any], start: Snapshot, settings: Settings
) -> RunState:
    """The state that :func:`pack_state` wrote; a ValueError or KeyError when it is damaged.

    Parameters
    ----------
    arrays, header : dict
    start : Snapshot
        Where the run began: what the state must have the size of.
    settings : Settings
        Of the run.
    """
    try:
        return _unpacked(arrays, header, start, settings)
    except (TypeError, AttributeError, IndexError, OverflowError) as error:
        raise ValueError(f"the state is not what it should be: {error}") from error


def _unpacked(
    arrays: dict[str, Any], header: dict[str, Any], start: Snapshot, settings: Settings
) -> RunState:
    layout, nq, nv = start.layout, len(start.q), len(start.v)
    require_valid(arrays["status"], layout)
    numbers = _numbers(arrays["numbers"])
    if not settings.t0 <= numbers["t"] <= settings.t1:
        raise ValueError("the time is not within the run")
    n_times = 0 if settings.t_eval is None else len(settings.t_eval)
    return RunState(
        q=_read_only(arrays["q"], nq),
        v=_read_only(arrays["v"], nv),
        status=arrays["status"],
        scales=_scales(arrays, nq, nv),
        series=_series(arrays, header, layout.n_rows),
        fired=_mask(arrays["fired"], len(settings.events)),
        atol=_sizes(arrays["atol"], nq + nv) if "atol" in arrays else None,
        recent=_recent(arrays, nq + nv),
        standstill=_count(header["standstill"]),
        next_t_eval=_count(header["next_t_eval"], n_times),
        pending=_pending(arrays, header, start) if "pending" in header else None,
        stats=read_stats(header["stats"]),
        equalities=KnownRank.from_arrays(arrays, layout),
        **numbers,
    )


def _finite(array: Any, *shape: int) -> Array:
    found = floats(array)
    if found.shape != shape:
        raise ValueError(f"an array of the state has shape {found.shape} instead of {shape}")
    if not np.isfinite(found).all():
        raise ValueError("an array of the state is not finite")
    return found


def _sizes(array: Any, n: int) -> Array:
    sizes = _finite(array, n)
    if (sizes < 0.0).any():
        raise ValueError("a size is negative")
    return sizes


def _read_only(array: Any, n: int) -> Array:
    state = _finite(array, n).copy()
    state.setflags(write=False)
    return state


def _mask(array: Any, n: int) -> Mask:
    if array.dtype != bool or array.shape != (n,):
        raise ValueError(f"expected {n} times true or false, got {array.dtype} {array.shape}")
    result: Mask = array
    return result


def _count(number: Any, most: float = inf) -> int:
    if type(number) is not int or not 0 <= number <= most:
        raise ValueError(f"{number!r} is not a count")
    return number


def _rows(rows: Any, first: int, stop: int) -> list[int]:
    if not all(type(row) is int and first <= row < stop for row in rows):
        raise ValueError("there are no such rows")
    return list(rows)


def _numbers(array: Any) -> dict[str, Any]:
    values: dict[str, Any] = dict(zip(_NUMBERS, floats(array).tolist(), strict=True))
    for name, value in values.items():
        low, high = _NUMBERS[name]
        if isnan(value) and name in _MAY_BE_NONE:
            values[name] = None
        elif not low <= value <= high or not (isfinite(value) or name in _MAY_BE_INFINITE):
            raise ValueError(f"{name} cannot be {value}")
    return values


def _scales(arrays: dict[str, Any], nq: int, nv: int) -> Scales:
    time, length = floats(arrays["scale"]).tolist()
    if not 0.0 < time < inf or not (isnan(length) or 0.0 < length < inf):
        raise ValueError("a scale is not positive")
    sizes = _sizes(arrays["scale_q"], nq), _sizes(arrays["scale_v"], nv)
    return Scales(*sizes, None if isnan(length) else length, time)


def _series(arrays: dict[str, Any], header: dict[str, Any], n_rows: int) -> ImpactSeries:
    struck, entries = floats(arrays["struck"]), floats(arrays["bounces"])
    if struck.shape != (n_rows,) or not (struck < inf).all():
        raise ValueError("the times of the last impacts do not fit the rows")
    bounces = []
    for (t, height), rows in zip(entries.tolist(), header["bounced"], strict=True):
        if not isfinite(t) or not height >= 0.0:
            raise ValueError("an impact has no time or no height")
        bounces.append(Bounce(t, frozenset(_rows(rows, 0, n_rows)), height))
    low, closed = _counts(arrays["low"], n_rows), _counts(arrays["closed"], n_rows)
    return ImpactSeries(struck, _finite(arrays["rates"], n_rows), low, closed, tuple(bounces))


def _counts(array: Any, n_rows: int) -> Indices:
    if array.dtype != np.int64 or array.shape != (n_rows,) or (array < 0).any():
        raise ValueError("the counts of impacts do not fit the rows")
    counts: Indices = array.astype(np.intp)
    return counts


def _recent(arrays: dict[str, Any], width: int) -> tuple[Piece, ...]:
    pieces = unpack_pieces(arrays, [[]] * len(arrays["piece_sizes"]))
    for piece in pieces:
        _finite(piece.values, len(piece.values), width)
        if not -inf < piece.t0 <= piece.t1 < inf:
            raise ValueError("a step ends before it begins")
    return pieces


def _pending(arrays: dict[str, Any], header: dict[str, Any], start: Snapshot) -> PendingLimit:
    t, change, work = _finite(arrays["pending"], len(_PENDING)).tolist()
    entry, contacts = header["pending"], start.layout.contacts
    if type(entry["exact"]) is not bool:
        raise ValueError("a limit is exact or it is not")
    rows = tuple(_rows(entry["rows"], contacts.start, contacts.stop))
    v_before = _read_only(arrays["pending_v"], len(start.v))
    if type(entry["row"]) is not int or entry["row"] < -1:
        raise ValueError("a limit is not at a row of the result")
    return PendingLimit(t, rows, entry["exact"], v_before, change, work, entry["row"])
