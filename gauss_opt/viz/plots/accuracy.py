"""A picture of how good a run is: drift, penetration, unexplained energy, certificates."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes

from ...base.tolerances.qp import CERTIFIED
from ...base.tolerances.viz import DRAWN_ZERO, HIGHEST_RESIDUAL
from ...results.analysis.drift import drift_by_name
from ...results.energy import has_energy
from ...results.result import Result
from ..style import LIGHT
from .panels import named_lines, new_axes, over_time

__all__ = ["accuracy"]


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
    named_lines(ax, {name: (result.t, np.maximum(off, DRAWN_ZERO)) for name, off in lines.items()})
    worst = max(result.stats.worst_residual, DRAWN_ZERO)
    ax.axhline(
        worst, linestyle=":", color=LIGHT.ink, linewidth=1.2, label=f"certificate {worst:.0e}"
    )
    required = f"tolerance {CERTIFIED:.0e}"
    ax.axhline(CERTIFIED, linestyle="--", color=LIGHT.faint, linewidth=1.0, label=required)
    ax.set_yscale("log")
    low, high = ax.get_ylim()
    ax.set_ylim(min(low, 0.3 * DRAWN_ZERO), max(high, HIGHEST_RESIDUAL))
    return over_time(ax, result, "relative residual", events=events, names=name_events)
