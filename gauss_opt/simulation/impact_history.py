"""What a run remembers of its impacts: the series so far, and a limit that it is on its way to."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..base.arrays import Array, Indices
from .event_driven.accumulation import Bounce

__all__ = ["ImpactSeries", "PendingLimit"]


@dataclass(frozen=True, eq=False)
class PendingLimit:
    """The limit of an accumulation that a run is on its way to, its contacts held closed.

    Attributes
    ----------
    t : float
        Accumulation time.
    rows : tuple of int
        Its contacts.
    exact : bool
        Whether the time is the limit, or that of the last impact before round-off.
    v_before : (nv,) array
        Velocity before the contacts were closed.
    energy_change, constraint_work : float
        What closing them took, and the part of it done by constraints that move.
    row : int
        The first row of the result that is after the closing; -1: not known yet.
    """

    t: float
    rows: tuple[int, ...]
    exact: bool
    v_before: Array
    energy_change: float
    constraint_work: float
    row: int = -1


@dataclass(frozen=True, eq=False)
class ImpactSeries:
    """The impacts so far, as far as the search for accumulations looks back.

    Attributes
    ----------
    struck : (m,) array
        Time of the last impact of each row.
    rates : (m,) array
        Rate at which each row left it.
    low : (m,) array of int
        Strikes of each row in a row before which it was never higher than ``closure``.
    closed : (m,) array of int
        How often it was closed among them.
    bounces : tuple of Bounce
    """

    struck: Array
    rates: Array
    low: Indices
    closed: Indices
    bounces: tuple[Bounce, ...] = ()

    @classmethod
    def none(cls, n_rows: int) -> ImpactSeries:
        """No impact yet."""
        none = np.zeros(n_rows, dtype=np.intp)
        return cls(np.full(n_rows, -np.inf), np.zeros(n_rows), none, none)
