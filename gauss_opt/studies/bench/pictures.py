"""Performance profiles as a picture."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.axes import Axes

from ...viz.plots.panels import new_axes
from ...viz.style import LINES, literal

if TYPE_CHECKING:
    from .result import SolverBench

__all__ = ["profiles"]

DASHES = ("-", "--", ":")


def profiles(bench: SolverBench, accuracy: str, ax: Axes | None) -> Axes:
    """One step line for each solver over the ratio to the best time."""
    ax = new_axes(ax)
    found = {name: bench.profile(name, accuracy) for name in bench.solvers}
    reach = 1.2 * max((float(r[-1]) for r, _ in found.values() if len(r)), default=1.0)
    reach = max(reach, 2.0)
    colors = list(dict.fromkeys(color for color, _ in LINES))
    order = sorted(found, key=lambda name: -bench.success(name, accuracy))
    for number, name in enumerate(order):
        ratio, share = found[name]
        across = np.concatenate([[1.0], ratio, [reach]])
        last = float(share[-1]) if len(share) else 0.0
        up = np.concatenate([[float((ratio <= 1.0).mean() * last) if len(ratio) else 0.0],
                             share, [last]])  # fmt: skip
        dash = DASHES[number // len(colors) % len(DASHES)]
        ax.step(across, up, dash, where="post", color=colors[number % len(colors)],
                linewidth=1.6, label=f"{literal(name)} ({last:.0%})")  # fmt: skip
    ax.set_xscale("log")
    ax.set_xlim(1.0, reach)
    ax.set_ylim(0.0, 1.03)
    ax.set_xlabel("time over that of the fastest solver")
    ax.set_ylabel(f"share of problems solved ({accuracy} accuracy)")
    ax.legend(frameon=False, fontsize=9, loc="upper left", bbox_to_anchor=(1.0, 1.0))
    return ax
