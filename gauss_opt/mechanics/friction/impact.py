"""The problem (C) of an impact: the one of its normals, with the tangents of rough contacts."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...base.arrays import Array, Indices
from ...model.snapshot import Snapshot
from ...qp.friction.problem import FrictionProblem
from ...qp.problem import GaussProblem

__all__ = ["Rub", "with_tangents"]


class Rub(NamedTuple):
    """What friction is told about an impact.

    Attributes
    ----------
    reversed_slips : (m,) array or None
        What is opposed besides the slip after, on the rows of the layout.
    preload : (k,) array or None
        Normal impulses of the contacts that are given already.
    """

    reversed_slips: Array | None
    preload: Array | None


def with_tangents(
    problem: GaussProblem, at: Snapshot, contacts: Indices, rows: Indices, rub: Rub
) -> tuple[FrictionProblem, Indices]:
    """The problem with friction, and the rows of the layout that it is on.

    Parameters
    ----------
    problem : GaussProblem
        With the equalities, contacts and limits ``rows``, in this order.
    at : Snapshot
        Where rows are taken from.
    contacts : array of int
        The contacts that take part.
    """
    layout, coefficients, ne = at.layout, at.coefficients, problem.n_equality
    tangents = layout.tangents_of(contacts[coefficients.rough[contacts]])
    opposed = -at.offset[tangents]
    if rub.reversed_slips is not None:
        opposed = opposed - rub.reversed_slips[tangents]
    smooth = GaussProblem(
        problem.metric,
        problem.load,
        np.concatenate([problem.rows, at.rows_of(tangents)]),
        np.concatenate([problem.rhs, opposed]),
        ne,
        (*problem.names, *layout.names_of(tangents)),
        problem.kind,
        problem.target,
    )
    normals = rows[ne:]
    preload = np.zeros(len(normals))
    if rub.preload is not None:
        preload[: len(contacts)] = rub.preload
    place = {row: i for i, row in enumerate(normals.tolist())}
    of = [place[row] for row in layout.normal_of[tangents - layout.tangents.start].tolist()]
    mu = np.where(coefficients.rough[normals], coefficients.friction[normals], 0.0)
    free = np.zeros(len(tangents))
    rough = FrictionProblem(smooth, len(normals), np.array(of, dtype=np.intp), mu, free, preload)
    return rough, np.concatenate([rows, tangents])
