"""The mass as functions may return it: a number, a diagonal or a matrix."""

from __future__ import annotations

import numpy as np

from ..base.arrays import Array
from ..base.errors import InputError
from ..base.matrices import symmetrised

__all__ = ["full_mass", "symmetric"]


def full_mass(mass: Array, nv: int) -> Array:
    """The mass matrix.

    >>> full_mass(np.array([1.0, 2.0]), 2)
    array([[1., 0.],
           [0., 2.]])
    """
    full: Array = mass * np.eye(nv) if mass.ndim == 0 else np.diag(mass) if mass.ndim == 1 else mass
    if full.shape != (nv, nv):
        raise InputError(
            f"mass must return a number, shape ({nv},) or shape ({nv}, {nv}), got {mass.shape}"
        )
    return full


def symmetric(mass: Array, t: float) -> Array:
    """The mass, its round-off made symmetric; what is more is refused."""
    # Comparing bytes is the quickest; only -0.0 against 0.0 needs the slower comparison.
    if mass.tobytes() == mass.T.tobytes() or np.array_equal(mass, mass.T):
        return mass
    return symmetrised(mass, f"mass (at t={t:g})")
