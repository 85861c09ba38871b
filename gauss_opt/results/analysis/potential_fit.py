"""Whether the potential of a system fits its force: what does not fit is said in a sentence.

The potential may belong to a part of the force only: drags, drives and friction beside it are no
errors. So the two are compared where the force can be nothing else, on coordinates on which the
potential acts and at rest:

- how they change with the positions, unless the change of the force depends on time, or has a
  curl, so that no potential could have it;
- where the force of the potential is constant, as a weight is, their values, unless the force
  depends on time there, or on the velocity otherwise than by resisting it.

A constant force beside a spring is taken for a drive, and is not found.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...base.arrays import Array, Mask
from ...base.tolerances.results import POTENTIAL_FITS
from ...model.system import System
from ...model.tracing.energy_graphs import RestForces

__all__ = ["misfits"]

MOST_STATES = 64  # of a run, at which force and potential are compared
MOST_COORDINATES = 100  # all pairs of coordinates are looked at


def misfits(system: System, t: Array, q: Array, v: Array) -> tuple[str, ...]:
    """A sentence for each coordinate on which force and potential do not fit along a run."""
    graphs = system.dynamics(v.shape[1]).energy_graphs
    if graphs is None or system.potential is None or v.shape[1] > MOST_COORDINATES:
        return ()
    chosen = np.unique(np.linspace(0, len(t) - 1, min(MOST_STATES, len(t))).astype(np.intp))
    rest = graphs.at_rest(q[chosen], v[chosen], t[chosen], system.parameters)
    if rest is None:
        return ()
    with np.errstate(invalid="ignore"):  # what is not defined at rest is left out
        return tuple(_found(system, rest))


def _found(system: System, rest: RestForces) -> Iterator[str]:
    acts = _size(rest.gradient) > 0.0
    slope: Array = rest.force_slope + rest.gradient_slope
    size = _size(rest.force_slope) + _size(rest.gradient_slope)
    asymmetry = _size(slope - slope.transpose(0, 2, 1))
    curl = (asymmetry - POTENTIAL_FITS * (size + size.T)).max(axis=1) > 0.0
    differs = (_size(slope) > POTENTIAL_FITS * size) & ~rest.slope_varies[:, None]
    differs &= (acts & ~curl)[:, None]
    flat = (_size(rest.gradient_slope) == 0.0).all(axis=1)
    resists = _size(rest.uneven) <= POTENTIAL_FITS * (_size(rest.force) + _size(rest.gradient))
    total = rest.force + rest.gradient
    off = _size(total) > POTENTIAL_FITS * np.maximum(_size(rest.force), _size(rest.gradient))
    off &= acts & flat & resists & ~rest.varies & ~differs.any(axis=1)
    for i in np.flatnonzero(_finite(rest)):
        name = system.coordinate_name(int(i))
        if off[i]:
            k = int(np.abs(total[:, i]).argmax())
            yield _sentence(name, "", rest.force[k, i], rest.gradient[k, i])
        elif differs[i].any():
            j = int(np.flatnonzero(differs[i])[0])
            k = int(np.abs(slope[:, i, j]).argmax())
            by = f"the derivative by {system.coordinate_name(j)} of "
            yield _sentence(name, by, rest.force_slope[k, i, j], rest.gradient_slope[k, i, j])


def _sentence(name: str, what: str, force: float, gradient: float) -> str:
    return (
        f"the potential does not fit the force on {name}: {what}the force at rest is "
        f"{force:.6g}, {what}-grad V is {0.0 - gradient:.6g}; the difference counts as applied work"
    )


def _size(array: Array) -> Array:
    """The largest size of each entry over all states; NaN, where one is, is larger than all."""
    sizes: Array = np.abs(array).max(axis=0)
    return sizes


def _finite(rest: RestForces) -> Mask:
    """Coordinates on which everything is defined at rest."""
    arrays = (rest.force, rest.gradient, rest.uneven)
    slopes = (rest.force_slope, rest.gradient_slope)
    finite = [np.isfinite(a).all(axis=0) for a in arrays]
    finite += [np.isfinite(a).all(axis=(0, 2)) for a in slopes]
    return np.asarray(np.logical_and.reduce(finite))
