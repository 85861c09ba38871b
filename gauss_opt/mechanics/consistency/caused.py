"""What accelerations forces can cause: the scale on which two accelerations are the same."""

from __future__ import annotations

import numpy as np

from ...base.arrays import Array
from ...model.snapshot import Snapshot

__all__ = ["caused_accelerations"]


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
