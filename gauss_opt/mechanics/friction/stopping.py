"""Contacts stopped that slide: their rates are removed along W_N - mu d W_T, not along W_N.

What is left of the rates when a series of impacts is closed stands for the impulses of all impacts
that would still have come. Each of them has its share of friction.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...base.arrays import Array, Indices
from ...base.tolerances.qp import DEPENDENT_STATES
from ...model.snapshot import Snapshot
from ...qp.problem import GaussProblem
from ...qp.whitening import whiten
from ..impact import Jump
from .problem import Slide

__all__ = ["RubbedJump", "with_friction"]


@dataclass(frozen=True, eq=False)
class RubbedJump(Jump):
    """A jump with the friction of contacts that slide; ``solution`` is the one without."""

    velocity: Array | None = None

    @property
    def v(self) -> Array:
        """Velocity after."""
        return self.solution.x if self.velocity is None else self.velocity


def with_friction(jump: Jump, snapshot: Snapshot, slide: Slide, stuck: Indices) -> Jump:
    """The jump after which the contacts of a jump have no rate, with the friction of those in it.

    Parameters
    ----------
    slide : array
        Direction on every tangent of the layout; 0 for contacts that do not slide.
    stuck : array of int
        Tangent rows of contacts that stick: their slips are removed as well.
    """
    layout, coefficients = snapshot.layout, snapshot.coefficients
    tangents = layout.tangents_of(jump.contacts[coefficients.rough[jump.contacts]])
    sliding = tangents[slide[tangents - layout.tangents.start] != 0.0]
    stuck = np.intersect1d(stuck, tangents)
    if not len(sliding) and not len(stuck):
        return jump
    rows = np.concatenate([layout.bilateral, jump.contacts, stuck])
    asked = np.concatenate([rows, sliding])
    problem = GaussProblem(
        snapshot.mass,
        snapshot.mass @ snapshot.v,
        snapshot.rows_of(asked),
        np.zeros(len(asked)) - snapshot.offset[asked],
        len(layout.bilateral),
        layout.names_of(asked),
        "impact",
    )
    white, k = whiten(problem), len(rows)
    held, columns = white.columns[:, :k], white.columns[:, :k].copy()
    normals = layout.normal_of[sliding - layout.tangents.start]
    places = len(layout.bilateral) + np.searchsorted(jump.contacts, normals)
    push = -coefficients.friction[normals] * slide[sliding - layout.tangents.start]
    columns[:, places] += push * white.columns[:, k:]
    sizes = white.lengths[:k]
    matrix = (held.T @ columns) / sizes / sizes[:, None]
    shares = np.linalg.lstsq(matrix, white.rhs[:k] / sizes, rcond=DEPENDENT_STATES)[0] / sizes
    impulses = np.zeros(layout.n_rows)
    impulses[rows] = shares
    impulses[sliding] = push * shares[places]
    v = white.point(columns @ shares)
    return RubbedJump(jump.solution, impulses, jump.contacts, jump.dependence, v)
