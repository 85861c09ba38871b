"""A picture of how good a run is: drift, penetration, unexplained energy, certificates."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes

from ..base.arrays import Array
from ..mechanics.projection import Scales
from ..model.constraints import Servo, VelocityLimit
from ..model.rows import held_rows
from ..model.snapshot import state_snapshot
from ..results.result import Result
from .energies import has_energy
from .panels import named_lines, new_axes, over_time
from .style import LIGHT

__all__ = ["accuracy", "drift_by_name"]

FLOOR = 1e-18  # what is smaller, such as an exact zero, is drawn here


def accuracy(
    result: Result, ax: Axes | None = None, *, events: bool = True, name_events: bool = True
) -> Axes:
    """Relative residuals at the rows of a run, on a logarithmic scale.

    For each constraint how far the state is off it, for the contacts how deep they penetrate, and
    the energy that the account does not explain; each relative to the size of its terms. The
    dotted line is the worst certificate of all problems solved.
    """
    ax = new_axes(ax)
    lines = drift_by_name(result)
    if has_energy(result):
        account = result.energy
        size = max(float(np.abs(account.total).max()), float(account.kinetic.max())) or 1.0
        lines["energy"] = np.abs(account.residual) / size
    named_lines(ax, result.t, {name: np.maximum(values, FLOOR) for name, values in lines.items()})
    worst = max(result.stats.worst_residual, FLOOR)
    ax.axhline(
        worst, linestyle=":", color=LIGHT.ink, linewidth=1.2, label=f"certificate {worst:.0e}"
    )
    ax.axhline(1e-9, linestyle="--", color=LIGHT.faint, linewidth=1.0, label="tolerance 1e-9")
    ax.set_yscale("log")
    low, high = ax.get_ylim()
    ax.set_ylim(min(low, 0.3 * FLOOR), max(high, 1e-8))
    return over_time(ax, result, "relative residual", events=events, names=name_events)


def drift_by_name(result: Result) -> dict[str, Array]:
    """Relative drift of each constraint and penetration of each contact at the rows.

    Servos and velocity limits are left out: a servo may be off its trajectory, a limit is not held.
    Nothing for a result from a file: the sizes of the terms are known only with the system.
    """
    if result.parts:
        parts = [drift_by_name(part) for part in result.parts]
        return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    if result.system is None:
        return {}
    system = result.system
    compiled = system.compiled(result.v.shape[1])
    layout = compiled.layout
    scales = Scales(np.abs(result.q).max(axis=0), np.abs(result.v).max(axis=0), None, 1.0)
    position, velocity = held_rows(layout, np.arange(layout.equalities.stop))
    on_velocity = np.setdiff1d(velocity, position)
    off = np.zeros((len(result.t), layout.n_rows))
    for k, t in enumerate(result.t.tolist()):
        snapshot = state_snapshot(system, compiled, result.q[k], result.v[k], t)
        lengths, speeds = scales.lengths(snapshot), scales.speeds(snapshot)
        off[k, position] = _relative(np.abs(snapshot.value), lengths)[position]
        off[k, on_velocity] = _relative(np.abs(snapshot.rate), speeds)[on_velocity]
        depth = _relative(np.maximum(0.0, -snapshot.value), lengths)
        if snapshot.enabled is not None:
            depth[~snapshot.enabled] = 0.0
        off[k, layout.contacts] = depth[layout.contacts]
    return {
        block.name: off[:, block.rows].max(axis=1)
        for block in layout.blocks
        if not isinstance(block.item, Servo | VelocityLimit)
    }


def _relative(values: Array, sizes: Array) -> Array:
    relative: Array = values / np.where(sizes > 0.0, sizes, 1.0)
    return relative
