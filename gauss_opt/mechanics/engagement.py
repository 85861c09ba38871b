"""A plastic impact onto bilateral constraints that have just closed."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ..base.errors import InputError
from ..base.tolerances.mechanics import ENGAGED_MISFIT
from ..model.rows import Kind
from ..model.snapshot import Snapshot, evaluate
from ..model.system import System
from ..qp.gauss_solver import GaussSolver
from ..qp.solvers import Adapter
from .collision import Collision, collide_snapshot
from .consistency.projection import Scales
from .impact_laws import Newton

__all__ = ["engage", "engage_snapshot"]


def engage(
    system: System,
    q: ArrayLike,
    v: ArrayLike,
    t: float = 0.0,
    *,
    solver: str | Adapter | GaussSolver = "osqp",
    length_scale: float | None = None,
) -> Collision:
    """A plastic impact onto the bilateral constraints: they have just closed, the motion sticks.

    The velocity after is the nearest, in the mass metric, that satisfies all constraints of
    ``system``. Walking machines and latches are loops of :func:`simulate` up to an event,
    ``engage`` with the constraints of the next phase, and so on.

    Parameters
    ----------
    system : System
    q, v : array_like
        Position, and velocity before.
    t : float
    solver : str, Adapter or GaussSolver
    length_scale : float, optional
        Length that the position is judged by; the coordinates themselves when left out.

    Raises
    ------
    InputError
        When the position is not on the constraints: they cannot be engaged there.

    Examples
    --------
    A point moving past a pin gets caught by a rod:

    >>> from gauss_opt import Holonomic
    >>> rod = Holonomic("rod", lambda q, t: q[0]**2 + q[1]**2 - 1.0)
    >>> caught = engage(System([1.0, 1.0], [0.0, 0.0], [rod]), [0.0, 1.0], [3.0, 4.0])
    >>> caught.v_after + 0.0, caught.energy_change
    (array([3., 0.]), -8.0)
    """
    snapshot = evaluate(system, q, v, t)
    if not isinstance(solver, GaussSolver):
        solver = GaussSolver(solver)
    return engage_snapshot(snapshot, solver, Scales(snapshot.q, snapshot.v, length_scale, 1.0))


def engage_snapshot(snapshot: Snapshot, solver: GaussSolver, scales: Scales) -> Collision:
    """:func:`engage` at a snapshot, with a kept solver and the sizes of a run."""
    off, lengths = np.abs(snapshot.value), scales.lengths(snapshot)
    for block in snapshot.layout.blocks:
        if block.kind != Kind.HOLONOMIC:
            continue
        if (off[block.rows] > ENGAGED_MISFIT * lengths[block.rows]).any():
            raise InputError(
                f"{block.item} is violated by {off[block.rows].max():.3g} at this position: it "
                f"cannot be engaged here. Locate the event first, or use assemble()"
            )
    return collide_snapshot(snapshot, np.arange(0), Newton(), solver)
