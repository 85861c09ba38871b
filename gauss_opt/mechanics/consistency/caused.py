"""What accelerations forces can cause: the scale on which two accelerations are the same."""

from __future__ import annotations

import numpy as np

from ...base.arrays import Array, Indices
from ...base.tolerances.simulation import BALANCED, SAME_ACCELERATION
from ...model.snapshot import Snapshot
from ...qp.parts import coupled_unknowns

__all__ = ["caused_accelerations", "coupled_accelerations", "least_difference"]

FAR_SMALLER = 1e-3  # the square of a size that others may hide


def least_difference(snapshot: Snapshot, a: Array, rows: Indices, multipliers: Array) -> Array:
    """Accelerations of each coordinate that differ by no more are the same, (nv,).

    Each coordinate has a size of its own, made of its acceleration and of what the applied forces
    cause: beside a force of 1e11 N elsewhere an acceleration of 1 m/s^2 is not small. Forces of
    constraints balance each other and leave round-off, and so do large forces on anything that
    forces of constraints couple to the coordinate.

    Parameters
    ----------
    a : (nv,) array
        The acceleration.
    rows, multipliers : (k,) arrays
        Rows of the layout, and the forces that they carry there.
    """
    applied = np.abs(snapshot.force)
    if snapshot.nonideal is not None:
        applied = applied + np.abs(snapshot.nonideal)
    carried = np.abs(multipliers) @ np.abs(snapshot.rows_of(rows))
    around = coupled_accelerations(snapshot, applied + carried, rows[multipliers != 0.0])
    noise = caused_accelerations(snapshot, carried) + around
    least: Array = SAME_ACCELERATION * (np.abs(a) + caused_accelerations(snapshot, applied))
    least += BALANCED * noise
    massless = snapshot.mass.diagonal() <= 0.0
    if massless.any():  # what has no inertia follows the others
        least[massless] = least.max(initial=0.0)
    return least


def coupled_accelerations(snapshot: Snapshot, sizes: Array, rows: Indices) -> Array:
    """What forces of these sizes could cause wherever rows pass them on, in the metric of the mass.

    Each coordinate has the size of all that the mass and these rows couple it to.

    Examples
    --------
    >>> from gauss_opt import Holonomic, System, evaluate
    >>> tie = Holonomic("tie", lambda q, t: q[0] - q[1])
    >>> snapshot = evaluate(System(np.ones(3), constraints=[tie]), np.zeros(3), np.zeros(3))
    >>> coupled_accelerations(snapshot, np.array([3.0, 4.0, 1e11]), np.array([0]))
    array([5.e+00, 5.e+00, 1.e+11])
    """
    inertia = snapshot.mass.diagonal()
    mobility = np.divide(1.0, inertia, out=np.zeros(len(inertia)), where=inertia > 0.0)
    squares = mobility * sizes**2
    around = squares.sum()
    if squares.min(initial=around) < FAR_SMALLER * around:  # else it is about the same for all
        labels = coupled_unknowns(snapshot.mass, snapshot.rows_of(rows))
        around = np.bincount(labels, squares, len(inertia))[labels]
    reached: Array = np.sqrt(mobility * around)
    return reached


def caused_accelerations(snapshot: Snapshot, sizes: Array) -> Array:
    """The largest acceleration of each coordinate under forces of these sizes: |M^-1| sizes.

    Each coordinate has one of its own, so that forces elsewhere do not hide what is small. Without
    inertia it is 0: constraints decide there.

    Examples
    --------
    >>> from gauss_opt import System, evaluate
    >>> snapshot = evaluate(System([2.0, 0.5]), [0.0, 0.0], [0.0, 0.0])
    >>> caused_accelerations(snapshot, np.array([1e11, 1.0]))
    array([5.e+10, 2.e+00])
    """
    mass = snapshot.mass
    diagonal = mass.diagonal()
    if np.count_nonzero(mass) == np.count_nonzero(diagonal):
        alone: Array = np.divide(sizes, diagonal, out=np.zeros(len(sizes)), where=diagonal > 0.0)
        return alone
    try:
        inverse = np.linalg.inv(mass)
    except np.linalg.LinAlgError:
        inverse = np.linalg.pinv(mass, hermitian=True)
    coupled: Array = np.abs(inverse) @ sizes
    return coupled
