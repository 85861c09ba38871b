"""Whether a system is the same one period later: without that, an end at the start is no orbit."""

from __future__ import annotations

import numpy as np

from ...base.arrays import Array
from ...base.errors import InputError
from ...base.tolerances.studies import SAME_SYSTEM
from ...model.snapshot import Snapshot, evaluate
from ...model.system import System
from ...results.result import Result

__all__ = ["require_periodic"]

TIMES = 24
GOLDEN = 0.5 * (5.0**0.5 - 1.0)


def require_periodic(system: System, run: Result, period: float) -> None:
    """Refuse a period after which mass, forces or rows are others at the same states of a run.

    The times divide the period irrationally, so that they miss jumps of a force that switches. A
    difference counts relative to what is compared and to the terms that it is in balance with:
    forces to M a, values to A q, rates to A v, right sides to A a.
    """
    worst, name, when = 0.0, "", 0.0
    for k in range(TIMES):
        t = float(run.t[0]) + period * ((k + 0.5) * GOLDEN % 1.0)
        row = max(int(np.searchsorted(run.t, t, side="right")) - 1, 0)
        q, v = run.q[row], run.v[row]
        now, later = evaluate(system, q, v, t), evaluate(system, q, v, t + period)
        for what, apart in _differences(now, later, run.a[row]).items():
            if apart > worst:
                worst, name, when = apart, what, t
    if worst > SAME_SYSTEM:
        raise InputError(
            f"the system is not the same one period later: at the same state, its {name} at t = "
            f"{when:.6g} and at t = {when + period:.6g} differ by {worst:.1e} of their size. "
            f"period= {period:.9g} must be the period of the system or a multiple of it"
        )


def _differences(now: Snapshot, later: Snapshot, a: Array) -> dict[str, float]:
    """How far apart two snapshots are, by what is compared, each relative to its size."""
    rows = np.abs(now.rows)
    held = rows.shape[1] == len(now.q)
    found = {
        "mass": _apart(now.mass, later.mass),
        "force": _apart(now.force, later.force, np.abs(now.mass) @ np.abs(a)),
        "q'": _apart(now.qdot, later.qdot),
        "constraint rows": _apart(now.rows, later.rows),
        "right sides of constraints": _apart(now.rhs, later.rhs, rows @ np.abs(a)),
        "values of constraints": _apart(
            now.value, later.value, rows @ np.abs(now.q) if held else rows
        ),
        "rates of constraints": _apart(now.rate, later.rate, rows @ np.abs(now.v)),
    }
    if now.nonideal is not None and later.nonideal is not None:
        found["non-ideal force"] = _apart(now.nonideal, later.nonideal, now.force)
    if now.enabled is not None and later.enabled is not None:
        found["active contacts"] = float(np.any(now.enabled != later.enabled))
    return found


def _apart(one: Array, other: Array, *terms: Array) -> float:
    size = max(float(np.abs(part).max(initial=0.0)) for part in (one, other, *terms))
    return float(np.abs(one - other).max(initial=0.0)) / size if size else 0.0
