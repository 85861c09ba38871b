"""Pictures of contacts and forces: gaps, contact forces, reactions, impulses, constraint forces."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes

from ...base.arrays import Array
from ...results.analysis.loads import Load, loads
from ...results.analysis.loads import impulses as loads_at_impacts
from ...results.analysis.quantities import (
    Family,
    constraint_force_families,
    contact_load_families,
    gap_families,
    impulse_families,
    reaction_families,
)
from ...results.analysis.refinement import refined
from ...results.names import by_component
from ...results.result import Result
from ..style import LIGHT, LINES, literal
from .legends import ASIDE, Others
from .panels import MAX_LINES, named_lines, over_units, styles_of

__all__ = ["constraint_forces", "contact_forces", "gaps", "impulses", "reactions"]

IDEAL, NONIDEAL = ", ideal", ", non-ideal"  # how the parts of a force are named


def gaps(
    result: Result,
    ax: Axes | None = None,
    *,
    unit: str | None = None,
    events: bool = True,
    name_events: bool = True,
) -> Axes:
    """Gaps of the contacts over time; below zero is penetration.

    Parameters
    ----------
    ax : Axes, optional
        Where to draw; a new figure otherwise, with axes for each unit.
    unit : str, optional
        Draw only what has this unit.
    events, name_events : bool
        Whether events are marked, and whether the legend explains their marks.
    """
    colors = _colors(result)

    def draw(panel: Axes, family: Family) -> None:
        named_lines(panel, family.lines, colors=colors)
        panel.axhline(0.0, color=LIGHT.faint, linewidth=0.8, zorder=1.5)

    return over_units(
        result,
        gap_families(refined(result)),
        ax,
        draw,
        unit=unit,
        events=events,
        names=name_events,
        title="gap",
    )


def contact_forces(
    result: Result,
    ax: Axes | None = None,
    *,
    unit: str | None = None,
    events: bool = True,
    name_events: bool = True,
) -> Axes:
    """Forces of the contacts between impacts; parameters as for :func:`gaps`.

    A force on a body where the body is known, or on a single coordinate; otherwise the multiplier,
    which is a force only where the gap is a length and its gradient has unit length.
    """
    colors = _colors(result)

    def draw(panel: Axes, family: Family) -> None:
        named_lines(panel, family.lines, colors=colors)
        if family.without:
            panel.plot([], [], " ", label=f"{family.without} without force", gid=ASIDE)

    families = contact_load_families(refined(result))
    return over_units(
        result,
        families,
        ax,
        draw,
        unit=unit,
        events=events,
        names=name_events,
        title="contact force",
    )


def reactions(
    result: Result,
    ax: Axes | None = None,
    *,
    unit: str | None = None,
    events: bool = True,
    name_events: bool = True,
) -> Axes:
    """Reactions of pins, strings and other constraints; parameters as for :func:`gaps`."""

    def draw(panel: Axes, family: Family) -> None:
        named_lines(panel, family.lines)

    families = reaction_families(refined(result))
    return over_units(
        result,
        families,
        ax,
        draw,
        unit=unit,
        events=events,
        names=name_events,
        title="reaction",
    )


def impulses(
    result: Result,
    ax: Axes | None = None,
    *,
    unit: str | None = None,
    events: bool = False,
    name_events: bool = False,
) -> Axes:
    """Impulses as stems, those of contacts in the colours that they have elsewhere.

    Parameters as for :func:`gaps`; of very many contacts the strongest have names.
    """
    colors = _colors(result)

    def draw(panel: Axes, family: Family) -> None:
        largest = {name: float(np.abs(y).max()) for name, (_, y) in family.lines.items()}
        named = sorted(largest, key=lambda name: (name not in colors, -largest[name]))[:MAX_LINES]
        styles = styles_of([name for name in family.lines if name in named], colors)
        for name, (t, values) in family.lines.items():
            if name not in named:
                _stems(panel, t, values, LIGHT.roles["ghost"], "_others")
        for name, (color, dash) in styles.items():
            _stems(panel, *family.lines[name], color, literal(name), filled=dash == "-")
        others = len(largest) - len(named)
        if others:
            grey = LIGHT.roles["ghost"]
            panel.add_line(Others(others, marker="o", markersize=4.0, color=grey))
        panel.axhline(0.0, color=LIGHT.faint, linewidth=0.8)

    return over_units(
        result,
        impulse_families(result),
        ax,
        draw,
        unit=unit,
        events=events,
        names=name_events,
        title="impulse",
    )


def _coordinate(name: str) -> str:
    """The coordinate that a part of the force acts on."""
    return name.removesuffix(NONIDEAL).removesuffix(IDEAL)


def _stems(
    ax: Axes, t: Array, values: Array, color: str, label: str, *, filled: bool = True
) -> None:
    """Stems from zero, with rings for heads where another line has the same colour."""
    few = len(t) <= 60
    inside = color if filled else LIGHT.paper
    ax.vlines(t, 0.0, values, color=color, linewidth=1.2 if few else 0.6)
    heads: dict[str, Any] = {"markersize": 4.0 if few else 2.0, "markerfacecolor": inside}
    ax.plot(t, values, "o", color=color, label=label, **heads)


def _colors(result: Result) -> dict[str, tuple[str, str]]:
    """Colour and dash of contacts, the same in all pictures; of many those that do the most."""
    names = list(by_component(result.gaps))
    if len(names) > len(LINES):
        struck = _strength(loads_at_impacts(result))
        pushed = _strength(loads(refined(result)))
        order = sorted(names, key=lambda n: -struck.get(n, 0.0) - pushed.get(n, 0.0))
        chosen = set(order[: len(LINES)])
        names = [name for name in names if name in chosen]
    return dict(zip(names, LINES, strict=False))


def _strength(found: tuple[Load, ...]) -> dict[str, float]:
    """The largest load of each contact, relative to the largest of all."""
    sizes = {load.constraint: float(np.abs(load.values).max()) for load in found}
    largest = max(sizes.values(), default=1.0)
    return {name: size / largest for name, size in sizes.items()}


def constraint_forces(
    result: Result,
    ax: Axes | None = None,
    *,
    unit: str | None = None,
    events: bool = True,
    name_events: bool = True,
) -> Axes:
    """Constraint force on each coordinate: the ideal part full, the non-ideal part dashed.

    Parameters as for :func:`gaps`.
    """

    def draw(panel: Axes, family: Family) -> None:
        sizes = {name: float(np.abs(y).max()) for name, (_, y) in family.lines.items()}
        coordinates = dict.fromkeys(_coordinate(name) for name in sizes)
        split = len(coordinates) < len(sizes)
        room = MAX_LINES // 2 if split else MAX_LINES
        size = {
            c: sum(s for name, s in sizes.items() if _coordinate(name) == c) for c in coordinates
        }
        chosen = sorted(size, key=lambda c: -size[c])[:room]
        styles = dict(zip((c for c in coordinates if c in chosen), LINES, strict=False))
        for name, (t, y) in family.lines.items():
            if _coordinate(name) not in styles:
                continue
            color, dash = styles[_coordinate(name)]
            line = (0, (4, 2)) if name.endswith(NONIDEAL) else dash
            panel.plot(t, y, linestyle=line, color=color, linewidth=1.6, label=literal(name))
        if len(coordinates) > len(chosen):
            panel.add_line(Others(len(coordinates) - len(chosen)))

    families = constraint_force_families(refined(result))
    return over_units(
        result,
        families,
        ax,
        draw,
        unit=unit,
        events=events,
        names=name_events,
        title="constraint force",
    )
