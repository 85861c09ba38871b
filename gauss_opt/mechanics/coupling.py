"""What impulses on contact rows do to each other at a state."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..base.arrays import Array, Indices, Mask
from ..base.tolerances.mechanics import COUPLED
from ..model.snapshot import Snapshot
from ..qp.problem import GaussProblem
from ..qp.whitening import whiten

__all__ = ["Coupling", "coupling"]


class Coupling(NamedTuple):
    """What unit impulses on some rows do.

    Attributes
    ----------
    mobility : (k,) array
        Rate that a unit impulse on a row gives to it.
    linked : (k, k) mask
        Whether an impulse on one row moves bodies that the other belongs to.
    """

    mobility: Array
    linked: Mask

    def together(self, start: Mask) -> Mask:
        """The rows that hang together with those in ``start``, however many lie between."""
        inside = start
        while True:
            grown = inside | self.linked[inside].any(axis=0)
            if np.array_equal(grown, inside):
                return inside
            inside = grown


def coupling(snapshot: Snapshot, rows: Indices) -> Coupling:
    """The coupling of contact rows at a state; the mass may be singular."""
    bilateral = snapshot.layout.bilateral
    asked = np.concatenate([bilateral, rows])
    problem = GaussProblem(
        snapshot.mass,
        np.zeros(len(snapshot.v)),
        snapshot.rows_of(asked),
        np.zeros(len(asked)),
        len(bilateral),
        ("",) * len(asked),
        "coupling",
    )
    whitened = whiten(problem).columns
    held, wanted = whitened[:, : len(bilateral)], whitened[:, len(bilateral) :]
    free = np.eye(len(snapshot.v)) - held @ np.linalg.pinv(held)
    mobility = np.einsum("ik,ik->k", wanted, free @ wanted)
    strength = np.abs(wanted).T @ np.abs(free) @ np.abs(wanted)  # what cancels counts as well
    lengths = np.linalg.norm(wanted, axis=0)
    return Coupling(mobility, strength > COUPLED * np.outer(lengths, lengths))
