"""A picture of the energy account: where the energy is, and where it went."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes

from ...results.analysis.refinement import refined
from ...results.energy import notable_works
from ...results.names import WORKS
from ...results.result import Result
from ..style import BLACK, BLUE, GREEN, ORANGE, PURPLE, SKY, VERMILLION
from .panels import new_axes, over_time

__all__ = ["energy"]

LOOKS = {
    "applied": (SKY, "--"),
    "nonideal": (PURPLE, "--"),
    "servo": (GREEN, "--"),
    "constraint": (BLUE, "--"),
}


def energy(
    result: Result, ax: Axes | None = None, *, events: bool = True, name_events: bool = True
) -> Axes:
    """Kinetic, potential and total energy, the loss at impacts, and every work that is not nil.

    The loss is drawn upwards: total energy plus losses minus works stays at its first value.
    """
    ax = new_axes(ax)
    fine = refined(result)
    account = fine.energy
    ax.plot(fine.t, account.kinetic, color=BLUE, linewidth=1.4, label="kinetic")
    if np.any(account.potential):
        ax.plot(fine.t, account.potential, color=ORANGE, linewidth=1.4, label="potential")
        ax.plot(fine.t, account.total, color=BLACK, linewidth=2.0, label="total")
    if result.system is None:
        # Between its rows the energy of a result from a file is not known: the rows are shown.
        ax.plot(result.t, result.energy.kinetic, ".", color=BLUE, markersize=4, label="_rows")
    if np.any(account.impact):
        ax.plot(fine.t, -account.impact, color=VERMILLION, linewidth=1.6, label="lost at impacts")
    for part, work in notable_works(account).items():
        if part in LOOKS:
            color, dash = LOOKS[part]
            ax.plot(fine.t, work, dash, color=color, linewidth=1.4, label=WORKS[part])
    return over_time(ax, result, "energy (J)", events=events, names=name_events)
