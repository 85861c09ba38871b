"""The problem (C) at a state, built without being solved: accelerations under friction.

Unknown are q'' and the forces; rows are the equalities, the normals of what touches (contacts with
and without friction, velocity limits), and the tangents of the rough contacts among them.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from ...base.arrays import Array, Indices
from ...base.errors import InputError, ModelError
from ...base.tolerances.mechanics import TOUCHING
from ...model.snapshot import Snapshot
from ...qp.friction.problem import FrictionProblem
from ..acceleration_problem import problem_on
from ..participants import chosen_rows

__all__ = ["Slide", "build_friction", "friction_on", "rough_tangents", "slides_at"]

Slide = Array
"""Unit direction of the slip on every tangent of the layout; 0 where a contact does not slide."""


def build_friction(
    snapshot: Snapshot, *, contacts: Iterable[str] | None = None, slide: Slide | None = None
) -> FrictionProblem:
    """The acceleration problem with friction at a state, not yet solved.

    Parameters
    ----------
    snapshot : Snapshot
        From :func:`evaluate`.
    contacts : iterable of str, optional
        As for :func:`build_acceleration`.
    slide : (k,) array, optional
        Direction of the slip on every tangent of the layout, 0 for contacts that do not slide. By
        default that of the slips at the state; contacts without slip are free to stick or slide.

    Examples
    --------
    >>> from gauss_opt import Contact, System, evaluate, solve
    >>> floor = Contact("floor", lambda q, t: q[1], slip=lambda q, v, t: v[0], friction=0.5)
    >>> block = System([1.0, 1.0], [2.0, -10.0], contacts=[floor])
    >>> problem = build_friction(evaluate(block, [0.0, 0.0], [3.0, 0.0]))
    >>> print(problem.slide, solve(problem).x)
    [1.] [-3.  0.]
    """
    chosen = chosen_rows(snapshot, contacts)
    chosen = np.arange(snapshot.layout.n_rows) if chosen is None else chosen
    given = slides_at(snapshot) if slide is None else np.asarray(slide, dtype=float)
    size = len(snapshot.layout.normal_of)
    if given.shape != (size,):
        raise InputError(f"slide must have shape ({size},), got {given.shape}")
    return friction_on(snapshot, chosen, given)


def rough_tangents(snapshot: Snapshot, chosen: Indices) -> Indices:
    """Tangent rows of the contacts with friction among chosen rows."""
    return snapshot.layout.tangents_of(chosen[snapshot.coefficients.rough[chosen]])


def friction_on(
    snapshot: Snapshot, chosen: Indices, slide: Slide, friction: Array | None = None
) -> FrictionProblem:
    """The problem with chosen rows of the layout and the tangents of those with friction.

    ``friction`` are coefficients on the rows of the layout; those of the contacts when left out.
    """
    if snapshot.dynamics.needs_ideal_force:
        raise ModelError(
            "a non-ideal force that takes the ideal force is not supported together with friction: "
            "write the resistance as friction of a contact"
        )
    layout, coefficients = snapshot.layout, snapshot.coefficients
    ne = layout.equalities.stop
    tangents = rough_tangents(snapshot, chosen)
    smooth = problem_on(snapshot, np.concatenate([chosen, tangents]))
    normals = chosen[ne:]
    of = layout.normal_of[tangents - layout.tangents.start]
    mu = coefficients.friction if friction is None else friction
    return FrictionProblem(
        smooth,
        len(normals),
        np.searchsorted(normals, of),
        np.where(coefficients.rough[normals], mu[normals], 0.0),
        slide[tangents - layout.tangents.start],
        np.zeros(len(normals)),
    )


def slides_at(snapshot: Snapshot) -> Slide:
    """Directions of the slips at a state; a slip of round-off is none."""
    layout = snapshot.layout
    if not len(layout.normal_of):
        return np.zeros(0)
    slips = snapshot.rate[layout.tangents]
    sizes = snapshot.jacobian.sizes(np.abs(snapshot.v)) + np.abs(snapshot.offset)
    squares = np.bincount(layout.normal_of, slips * slips, minlength=layout.n_rows)
    terms = np.bincount(layout.normal_of, sizes[layout.tangents], minlength=layout.n_rows)
    length = np.sqrt(squares)
    moves = length > TOUCHING * terms
    along = slips / np.where(length > 0.0, length, 1.0)[layout.normal_of]
    direction: Array = np.where(moves[layout.normal_of], along, 0.0)
    return direction
