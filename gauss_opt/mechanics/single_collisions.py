"""Collisions of single contacts in closed form, one after the other within an impact.

Without bilateral constraints and velocity limits, one contact that must leave at a rate needs the
impulse (wanted rate - rate) / (W'M^-1 W): no active set has to be found. Every collision has its
certificate nevertheless, from its own data.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import blas

from ..base.arrays import Array
from ..qp.certificate import residuals
from ..qp.problem import GaussProblem
from ..qp.solution import GaussSolution
from ..qp.whitening import LOWER_TRANSPOSED, Whitened, whiten
from .impact import Impact, Jump

__all__ = ["SingleCollisions", "whitened_contacts"]

ONLY = np.array([0])  # the working set of a problem with one row


class SingleCollisions:
    """The contacts of an impact, whitened once, for as many collisions as there may be.

    Parameters
    ----------
    impact : Impact
    white : Whitened
        Its problem, with a row for each contact.
    """

    def __init__(self, impact: Impact, white: Whitened) -> None:
        self.impact = impact
        self.white = white
        self.offset = impact.snapshot.offset[impact.contacts]
        self.names = impact.snapshot.layout.names_of(impact.contacts)
        self.slow = None if impact.slow is None else impact.slow[impact.contacts]

    @staticmethod
    def possible(impact: Impact) -> bool:
        """Whether nothing but contacts takes part."""
        return not len(impact.equalities) and not len(impact.limits)

    def newton(self, place: int, v: Array) -> Jump | None:
        """The contact at a place in the list of contacts struck at velocity v, by Newton's law.

        None: the certificate of the closed form does not pass.
        """
        row = self.impact.rows[place]
        rate = float(row @ v + self.offset[place])
        wanted = -float(self.impact.restitution[place]) * rate
        if self.slow is not None and abs(rate) <= self.slow[place]:
            wanted = 0.0
        white = self._of_one(place, v, wanted - rate)
        share = (wanted - rate) / float(white.lengths[0]) ** 2
        z = share * white.columns[:, 0]
        x = v + blas.dtrsv(white.factor, z, *LOWER_TRANSPOSED)
        problem = self._problem(place, v, wanted)
        multipliers = np.array([share])
        certificate = residuals(problem, white, x, z, multipliers)
        if not certificate.passes(self.impact.solver.tolerance):
            return None
        solution = GaussSolution(
            problem, x, multipliers, ONLY, unique=True, certificate=certificate, solver="one row"
        )
        contact = self.impact.contacts[place : place + 1]
        impulses = np.zeros(self.impact.snapshot.layout.n_rows)
        impulses[contact] = share
        return Jump(solution, impulses, contact)

    def _of_one(self, place: int, v: Array, change: float) -> Whitened:
        """The whitened problem of one contact, from that of all."""
        white, one = self.white, slice(place, place + 1)
        center = white.factor.T @ v
        rhs = np.array([change])
        return Whitened(
            white.columns[:, one], rhs, 0, None, white.lengths[one], white.factor, center
        )

    def _problem(self, place: int, v: Array, wanted: float) -> GaussProblem:
        mass, one = self.impact.snapshot.mass, slice(place, place + 1)
        rhs = np.array([wanted - self.offset[place]])
        return GaussProblem(
            mass, mass @ v, self.impact.rows[one], rhs, 0, self.names[one], "impact", v
        )


def whitened_contacts(impact: Impact) -> Whitened:
    """The rows of an impact whitened: equalities, contacts, limits."""
    problem = impact._problem(
        impact.snapshot, impact.rates, impact.contacts, impact.v, None, equality=False
    )
    return whiten(problem)
