"""Pictures of friction: forces within their cones, slips with the intervals of sticking."""

from __future__ import annotations

from matplotlib.axes import Axes

from ...results.analysis.quantities import Family
from ...results.analysis.refinement import refined
from ...results.analysis.rubbing import cone, friction_families, slip_families, sticking
from ...results.result import Result
from ..style import LIGHT
from .panels import named_lines, over_units

__all__ = ["friction", "slips"]


def friction(
    result: Result,
    ax: Axes | None = None,
    *,
    unit: str | None = None,
    events: bool = True,
    name_events: bool = True,
) -> Axes:
    """Friction forces over time; of a single contact with the band of its cone, +-mu_s l_N.

    Parameters are those of :func:`~gauss_opt.viz.plots.gaps`.
    """
    fine = refined(result)

    def draw(panel: Axes, family: Family) -> None:
        named_lines(panel, family.lines)
        if len(family.lines) == 1:
            bound = cone(fine, next(iter(family.lines)))
            if bound is not None:
                panel.fill_between(
                    fine.t, -bound, bound, color=LIGHT.faint, alpha=0.2, linewidth=0, zorder=1.0
                )

    return over_units(
        result,
        friction_families(fine),
        ax,
        draw,
        unit=unit,
        events=events,
        names=name_events,
        title="friction force",
    )


def slips(
    result: Result,
    ax: Axes | None = None,
    *,
    unit: str | None = None,
    events: bool = True,
    name_events: bool = True,
) -> Axes:
    """Slips over time; of a single contact with the intervals of sticking shaded."""
    fine = refined(result)

    def draw(panel: Axes, family: Family) -> None:
        named_lines(panel, family.lines)
        panel.axhline(0.0, color=LIGHT.faint, linewidth=0.8, zorder=1.5)
        if len(family.lines) == 1:
            for begin, end in sticking(fine, next(iter(family.lines))):
                panel.axvspan(begin, end, color=LIGHT.faint, alpha=0.2, linewidth=0, zorder=1.0)

    return over_units(
        result,
        slip_families(fine),
        ax,
        draw,
        unit=unit,
        events=events,
        names=name_events,
        title="slip",
    )
