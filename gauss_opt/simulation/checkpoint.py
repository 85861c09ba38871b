"""A run put on disk so that it can go on after anything, with the same numbers to the last bit.

A one-step method goes on from its state and step size alone. Methods that remember more (LSODA,
BDF, Radau) start afresh at every checkpoint, in the interrupted run as in the resumed one.
"""

from __future__ import annotations

import os
from dataclasses import asdict
from typing import Any

import numpy as np

from ..base.arrays import Array
from ..base.errors import InputError
from ..qp.gauss_solver import Counts
from ..results.records import Event, Stats
from ..results.result import Result
from ..results.result_file import pack, read, unpack
from ..results.result_file import write as write_file
from .event_driven.accumulation import Accumulation, Bounce
from .event_driven.stepper import Memory, Stepper

__all__ = ["restore", "write"]

_MASKS = ("resting", "carrying", "leaving")
_COUNTS = ("qp_total", "qp_from_active_set", "qp_solver_calls", "qp_fallbacks")


def write(stepper: Stepper, path: str | os.PathLike[str]) -> None:
    """Write a checkpoint: complete, or the old one stays."""
    run, bounces, in_segment, next_step, atol, recent, last_event, landing = stepper.memory()
    arrays, header = pack(stepper.result())
    arrays |= {
        "now": np.concatenate([[stepper.t], stepper.q, stepper.v]),
        "start": np.concatenate([stepper.start.q, stepper.start.v]),
        **{f"state_{name}": getattr(run.state, name) for name in _MASKS},
        "scale_q": run.scales.q,
        "scale_v": run.scales.v,
        "struck": bounces.struck,
        "bounce_rates": bounces.rates,
        "bounces": np.array([[b.t, b.height] for b in bounces.series]).reshape(-1, 2),
        "atol": atol if atol is not None else np.zeros(0),
    }
    header["checkpoint"] = {
        "in_segment": in_segment,
        "next_step": next_step,
        "bounced": [sorted(b.contacts) for b in bounces.series],
        "pending": None if bounces.pending is None else _pack_pending(bounces.pending),
        "t_eval": run.next_t_eval,
        "recent": recent,
        "last_event": last_event,
        "correction": None if landing == np.inf else landing,
        "counts": asdict(stepper.counts),
    }
    write_file(path, arrays, header)


def restore(stepper: Stepper, path: str | os.PathLike[str]) -> None:
    """Put a new stepper, made with the same arguments, where the checkpoint was written."""

    def fill(arrays: dict[str, Any], header: dict[str, Any]) -> None:
        if "checkpoint" not in header:
            raise InputError(f"{path} is a result, not a checkpoint: nothing to go on with")
        result = Result(**unpack(arrays, header))
        _check_same(stepper, result, arrays["start"], path)
        _fill(stepper, result, arrays, header)

    read(path, fill)


def _check_same(
    stepper: Stepper, result: Result, began: Array, path: str | os.PathLike[str]
) -> None:
    asked = {**stepper.settings.describe(), "solver": stepper.solver.name}
    different = [k for k, value in asked.items() if result.settings.get(k) != value]
    start = np.concatenate([stepper.start.q, stepper.start.v])
    if not np.array_equal(start, began):
        different.append("the initial state")
    if result.row_names != stepper.compiled.layout.names:
        different.append("the constraints")
    if different:
        raise InputError(
            f"{path} is the checkpoint of another run: {', '.join(different)} differ. Resume with "
            f"the same system and options, or remove the file"
        )


def _fill(stepper: Stepper, result: Result, arrays: dict[str, Any], header: dict[str, Any]) -> None:
    extra = header["checkpoint"]
    run, bounces, *_ = stepper.memory()
    for name in _MASKS:
        getattr(run.state, name)[:] = arrays[f"state_{name}"].astype(bool)
    run.scales.q[:], run.scales.v[:] = arrays["scale_q"], arrays["scale_v"]
    run.next_t_eval = int(extra["t_eval"])
    bounces.struck[:], bounces.rates[:] = arrays["struck"], arrays["bounce_rates"]
    bounces.series[:] = [
        Bounce(float(t), frozenset(contacts), float(height))
        for (t, height), contacts in zip(arrays["bounces"], extra["bounced"], strict=True)
    ]
    bounces.pending = None if extra["pending"] is None else _unpack_pending(extra["pending"])
    stepper.counts = Counts(**{name: int(extra["counts"][name]) for name in _COUNTS})
    now = run.at(float(arrays["now"][0]), arrays["now"][1:])
    atol = arrays["atol"] if len(arrays["atol"]) else None
    memory = Memory(
        run,
        bounces,
        bool(extra["in_segment"]),
        extra["next_step"],
        atol,
        int(extra["recent"]),
        float(extra["last_event"]),
        np.inf if extra["correction"] is None else float(extra["correction"]),
    )
    stepper.remember(result, now, Stats(**header["stats"]), memory)


def _pack_pending(pending: tuple[Accumulation, Event]) -> dict[str, Any]:
    limit, event = pending
    return {
        "t": limit.t,
        "rows": sorted(limit.contacts),
        "exact": limit.exact,
        "names": list(event.contacts),
        "q": event.q.tolist(),
        "v_before": event.v_before.tolist(),
        "v_after": event.v_after.tolist(),
        "energy_change": event.energy_change,
        "constraint_work": event.constraint_work,
    }


def _unpack_pending(entry: dict[str, Any]) -> tuple[Accumulation, Event]:
    limit = Accumulation(float(entry["t"]), frozenset(entry["rows"]), bool(entry["exact"]))
    event = Event(
        "accumulation",
        limit.t,
        tuple(entry["names"]),
        np.array(entry["q"]),
        np.array(entry["v_before"]),
        np.array(entry["v_after"]),
        energy_change=float(entry["energy_change"]),
        constraint_work=float(entry["constraint_work"]),
        exact=limit.exact,
    )
    return limit, event
