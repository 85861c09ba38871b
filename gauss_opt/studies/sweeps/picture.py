"""A sweep as a picture: curves over one parameter, dots where a point has many values, colours."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes

from ...base.errors import InputError
from ...viz.plots.panels import name_axis, new_axes
from ...viz.style import LIGHT, LINES, literal

if TYPE_CHECKING:
    from .result import Sweep

__all__ = ["draw"]

FEW = 60  # points up to which each has a mark


def draw(sweep: Sweep, quantity: str | None, x: str | None, y: str | None, ax: Axes | None) -> Axes:
    """The quantity over x, or over x and y."""
    varying = [name for name in sweep.names if _varies(sweep, name)]
    quantity = quantity if quantity is not None else _first_number(sweep)
    if x is None:
        x = next(iter(varying), sweep.names[0])
        if y is None and len(varying) == 2:
            y = next(name for name in varying if name != x)
    for name in (quantity, x) if y is None else (quantity, x, y):
        sweep[name]  # refuses names that are not there
    ax = new_axes(ax)
    if y is not None:
        _coloured(ax, sweep, quantity, x, y)
    else:
        _over(ax, sweep, quantity, x, [n for n in varying if n not in (x, quantity)])
        name_axis(ax, "y", quantity)
    name_axis(ax, "x", x)
    if y is not None:
        name_axis(ax, "y", y)
    return ax


def _varies(sweep: Sweep, name: str) -> bool:
    column = sweep[name]
    return column.dtype != object and len(set(column.tolist())) > 1


def _first_number(sweep: Sweep) -> str:
    for name in sweep.quantities:
        if any(not isinstance(row.values.get(name), str | None) for row in sweep.rows):
            return name
    raise InputError("this sweep has no quantity that could be drawn")


def _pairs(sweep: Sweep, quantity: str, x: str) -> tuple[Any, Any]:
    """Every value with its x: a point may have many, or none."""
    across: list[Any] = []
    up: list[Any] = []
    for at, value in zip(sweep[x].tolist(), sweep[quantity].tolist(), strict=True):
        many = value if isinstance(value, list) else [value]
        across += [at] * len(many)
        up += many
    return np.array(across, dtype=float), np.array(up, dtype=float)


def _over(ax: Axes, sweep: Sweep, quantity: str, x: str, others: list[str]) -> None:
    color, _ = LINES[0]
    if others or sweep[quantity].dtype == object:  # a cloud, or many values at a point
        across, up = _pairs(sweep, quantity, x)
        size = 2.0 if len(across) < 2000 else 0.6
        ax.plot(across, up, "o", color=color, markersize=size, markeredgewidth=0, alpha=0.7)
        return
    across, up = sweep[x].astype(float), sweep[quantity].astype(float)
    order = np.argsort(across, kind="stable")
    marker = "o" if len(order) <= FEW else ""
    ax.plot(across[order], up[order], "-", marker=marker, markersize=3.5, color=color, lw=1.4)
    failed = np.array([not row.ok for row in sweep.rows])
    if failed.any():
        rim = ax.get_xaxis_transform()
        count = int(failed.sum())
        look: dict[str, Any] = {
            "color": LIGHT.roles["force"],
            "clip_on": False,
            "label": f"failed ({count})",
        }
        ax.plot(across[failed], np.zeros(count), "x", transform=rim, **look)
        ax.legend(frameon=False, fontsize=9)


def _coloured(ax: Axes, sweep: Sweep, quantity: str, x: str, y: str) -> None:
    """Squares of a grid where it is one, dots otherwise."""
    across, up = sweep[x].astype(float), sweep[y].astype(float)
    column = sweep[quantity]
    if column.dtype == object:
        raise InputError(f"{quantity!r} is not one number for each point: it has no colour")
    values = column.astype(float)
    columns, i = np.unique(across, return_inverse=True)
    lines, j = np.unique(up, return_inverse=True)
    if len(columns) * len(lines) == len(set(zip(i.tolist(), j.tolist(), strict=True))):
        field = np.full((len(lines), len(columns)), np.nan)
        field[j, i] = values
        drawn: Any = ax.pcolormesh(columns, lines, field, shading="nearest", cmap="cividis")
    else:
        drawn = ax.scatter(across, up, c=values, s=9.0, cmap="cividis", linewidths=0)
    ax.grid(False)
    bar = ax.figure.colorbar(drawn, ax=ax)
    bar.outline.set_visible(False)
    bar.set_label(literal(quantity))
