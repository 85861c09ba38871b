"""A picture of the energy account: where the energy is, and where it went."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes

from ..results.result import Result
from .panels import new_axes, over_time
from .refine import refined
from .style import BLACK, BLUE, GREEN, ORANGE, PURPLE, SKY, VERMILLION

__all__ = ["energy", "has_energy"]

WORKS = {
    "applied": ("work of other forces", SKY, "--"),
    "nonideal": ("work of non-ideal forces", PURPLE, "--"),
    "servo": ("work of servos", GREEN, "--"),
    "constraint": ("work of moving constraints", BLUE, "--"),
}


def has_energy(result: Result) -> bool:
    """Whether the energy account of the result can be made."""
    return result.stored_energy is not None or (result.system is not None and bool(result.pieces))


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
    size = float(max(np.abs(account.total).max(), np.abs(account.kinetic).max()))
    for part, (label, color, dash) in WORKS.items():
        work = getattr(account, part)
        if np.abs(work).max() > 1e-6 * size:
            ax.plot(fine.t, work, dash, color=color, linewidth=1.4, label=label)
    return over_time(ax, result, "energy (J)", events=events, names=name_events)
