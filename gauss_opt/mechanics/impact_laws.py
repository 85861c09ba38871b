"""Impact laws: Newton, Poisson, one contact after the other, and the base class for your own."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import TypeGuard

import numpy as np

from ..base.arrays import Array, Indices
from ..base.errors import InputError
from ..base.registry import Registry, entry_points_of
from ..base.tolerances.mechanics import (
    APPROACH_ROUND_OFF,
    LEFT_APPROACH,
    RETURNED_UNDERFLOW,
    TIED_APPROACH,
)
from ..model.coefficients import Coefficients
from .impact import Impact, Jump, Outcome
from .single_collisions import SingleCollisions, whitened_contacts

__all__ = ["LAWS", "ImpactLaw", "Newton", "Poisson", "Sequential", "law_for", "make_law"]


class ImpactLaw(ABC):
    """Base class of impact laws. One method: from an impact to its outcome.

    Examples
    --------
    A law that stops every contact:

    >>> class Plastic(ImpactLaw):
    ...     def apply(self, impact):
    ...         return Outcome.of(impact.solve(rates=np.zeros(len(impact.contacts))))
    """

    @abstractmethod
    def apply(self, impact: Impact) -> Outcome:
        """Velocity after the impact, with impulses."""

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"

    def __str__(self) -> str:
        """The name it is registered under, if there is one."""
        return LAWS.name_of(self) or repr(self)


@dataclass(frozen=True)
class Newton(ImpactLaw):
    """Rates after are at least -e times the rates before: rate+ >= -e rate-.

    Contacts may separate faster than their own coefficient asks. The kinetic energy never rises
    for 0 <= e <= 1 when constraints do not move.

    Attributes
    ----------
    equality : bool
        The textbook form rate+ = -e rate-, which can pull and can gain energy; for comparison.
    """

    equality: bool = False

    def apply(self, impact: Impact) -> Outcome:
        if not impact.rubs:
            wanted = -impact.restitution * impact.rates
            return Outcome.of(impact.solve(wanted, equality=self.equality))
        if self.equality:
            raise InputError("Newton(equality=True) is not defined with friction: use Newton()")
        slips = tangential_restitution(impact) * impact.snapshot.rate
        return Outcome.of(impact.solve(-impact.restitution * impact.rates, reversed_slips=slips))


@dataclass(frozen=True)
class Poisson(ImpactLaw):
    """Compression until no contact approaches, then e times its impulse, with complementarity.

    The default where a contact has friction: with one contact, or equal coefficients, the energy
    does not rise, as it may with Newton's law.
    """

    def apply(self, impact: Impact) -> Outcome:
        still = np.zeros(len(impact.contacts))
        if impact.rubs and tangential_restitution(impact).any():
            raise InputError(
                "tangential_restitution is defined with Newton's law only: use law='newton'"
            )
        compression = impact.solve(still)
        returned = impact.restitution * compression.impulses[impact.contacts]
        returned[returned < RETURNED_UNDERFLOW] = 0.0
        if impact.rubs and not returned.any():
            return Outcome.of(compression)
        push = returned @ impact.rows
        expansion = impact.solve(still, velocity=compression.v, push=push, preload=returned)
        expansion.impulses[impact.contacts] += returned
        return Outcome.of(compression, expansion)


@dataclass(frozen=True)
class Sequential(ImpactLaw):
    """One contact after the other: the fastest approach first, ties together.

    Attributes
    ----------
    law : ImpactLaw
        For each single collision.
    max_collisions : int
        Maximum number of collisions in one impact; then what still approaches is stopped, all
        together.
    """

    law: ImpactLaw = Newton()
    max_collisions: int = 1000

    def apply(self, impact: Impact) -> Outcome:
        white = whitened_contacts(impact)
        ne = len(impact.equalities)
        lengths = white.lengths[ne : ne + len(impact.contacts)]
        one_by_one = None
        if self.law == Newton() and not impact.rubs and SingleCollisions.possible(impact):
            one_by_one = SingleCollisions(impact, white)
        v = impact.v
        jumps: list[Jump] = []
        largest = float((-impact.rates / lengths).max(initial=0.0))
        offset = impact.snapshot.offset[impact.contacts]
        motion = np.sqrt(v @ impact.snapshot.mass @ v) + np.abs(offset) / lengths
        small = np.maximum(LEFT_APPROACH * largest, APPROACH_ROUND_OFF * motion)
        for _ in range(self.max_collisions):
            rates = impact.rows @ v + offset
            approach = np.where(-rates > small * lengths, -rates / lengths, 0.0)
            if not approach.any():
                break
            first = np.flatnonzero(approach >= approach.max() * (1.0 - TIED_APPROACH))
            jump = None
            if one_by_one is not None and len(first) == 1:
                jump = one_by_one.newton(int(first[0]), v)
            outcome = Outcome.of(jump) if jump else self._together(impact, first, v)
            jumps += outcome.jumps
            v = outcome.v
        else:
            snapshot = impact.snapshot.at_velocity(v)
            last = replace(impact, snapshot=snapshot)
            jumps.append(last.solve(np.zeros(len(impact.contacts))))
        if not jumps:
            return Outcome.of(impact.solve(np.minimum(impact.rates, 0.0)))
        return Outcome.of(*jumps)

    def _together(self, impact: Impact, places: Indices, v: Array) -> Outcome:
        """The collision of some of the contacts at once, in the law for each collision."""
        snapshot, contacts = impact.snapshot.at_velocity(v), impact.contacts[places]
        return self.law.apply(replace(impact, snapshot=snapshot, contacts=contacts))


def tangential_restitution(impact: Impact) -> Array:
    """Coefficients of the contacts that take part, on the rows of the layout."""
    layout, coefficients = impact.snapshot.layout, impact.snapshot.coefficients
    found = np.zeros(layout.n_rows)
    tangents = layout.tangents_of(impact.contacts)
    normals = layout.normal_of[tangents - layout.tangents.start]
    found[tangents] = coefficients.tangential_restitution[normals]
    return found


def _is_law(item: object) -> TypeGuard[ImpactLaw]:
    return isinstance(item, ImpactLaw)


LAWS: Registry[ImpactLaw] = Registry(
    "impact law",
    "an instance of gauss_opt.ImpactLaw",
    _is_law,
    {
        "newton": Newton(),
        "poisson": Poisson(),
        "sequential": Sequential(),
        "newton-equality": Newton(equality=True),
    },
    [entry_points_of("gauss_opt.impact_laws")],
)
"""Laws by name."""


def make_law(law: str | ImpactLaw) -> ImpactLaw:
    """A law from its name, or the law itself."""
    return LAWS.find(law)


def law_for(coefficients: Coefficients, law: str | ImpactLaw | None) -> ImpactLaw:
    """A law from its name, or the one that is right where none was asked for.

    That is Poisson's with friction and Newton's otherwise; Newton's as well where slips are
    reversed, since tangential restitution is defined for it only.
    """
    if law is not None:
        return make_law(law)
    rubs = coefficients.has_friction and not coefficients.tangential_restitution.any()
    return Poisson() if rubs else Newton()
