"""A picture of the energy account: where the energy is, and where it went."""

from __future__ import annotations

from matplotlib.axes import Axes

from ...results.analysis.quantities import LOSS, energy_family
from ...results.analysis.refinement import refined
from ...results.names import WORKS, energy_name
from ...results.result import Result
from ..style import BLACK, BLUE, GREEN, ORANGE, PURPLE, SKY, VERMILLION
from .panels import new_axes, over_time

__all__ = ["energy"]

LOOKS = {
    "kinetic": (BLUE, "-", 1.4),
    "potential": (ORANGE, "-", 1.4),
    "total": (BLACK, "-", 2.0),
    LOSS: (VERMILLION, "-", 1.6),
    WORKS["applied"]: (SKY, "--", 1.4),
    WORKS["nonideal"]: (PURPLE, "--", 1.4),
    WORKS["servo"]: (GREEN, "--", 1.4),
    WORKS["constraint"]: (BLUE, "--", 1.4),
    WORKS["friction"]: (VERMILLION, "--", 1.4),
}


def energy(
    result: Result, ax: Axes | None = None, *, events: bool = True, name_events: bool = True
) -> Axes:
    """Kinetic, potential and total energy, the loss at impacts, and every work that is not nil.

    The loss is drawn upwards: total energy plus losses minus works stays at its first value.
    """
    ax = new_axes(ax)
    family = energy_family(refined(result))
    if family is not None:
        for name, (t, values) in family.lines.items():
            color, dash, width = LOOKS[name]
            ax.plot(t, values, dash, color=color, linewidth=width, label=name)
    if result.system is None and family is not None:
        # Between its rows the energy of a result from a file is not known: the rows are shown.
        ax.plot(result.t, result.energy.kinetic, ".", color=BLUE, markersize=4, label="_rows")
    label = f"energy ({energy_name(result)})"
    return over_time(ax, result, label, events=events, names=name_events)
