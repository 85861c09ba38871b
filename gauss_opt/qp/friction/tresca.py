"""Sets proposed by QP solvers: with given bounds s on the friction forces, (C) is a convex QP.

    minimise 1/2 l'G l + c'l   subject to   l_N >= 0,  |l_T| <= s  (free),  l_T = -s d  (sliding)

It is written as a least-distance problem, so that every QP solver can be asked. Coulomb's law is
the fixed point s = mu l_N. It is not waited for: after every QP the set is read off, and the exact
forces of that set may pass already.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.linalg import blas, lapack

from ...base.arrays import Array, Indices
from ...base.tolerances.qp import TRESCA_COMPLIANCE
from ..solvers import Proposal
from ..whitening import LOWER_TRANSPOSED, LeastDistance
from .reduced import Reduced

__all__ = ["Tresca", "tresca"]


class Tresca(NamedTuple):
    """The QP for given bounds, and the way back from its z to the forces.

    Attributes
    ----------
    asked : LeastDistance
        For a solver; lengths in units of ``scale``.
    unknown : array of int
        Which forces are unknown.
    fixed : (m,) array
        The others; zeros for the unknown ones.
    factor : (k, k) array
        R with R R' = G of the unknown forces.
    shift : (k,) array
        R^-1 f.
    scale : float
    """

    asked: LeastDistance
    unknown: Indices
    fixed: Array
    factor: Array
    shift: Array
    scale: float

    def forces(self, proposal: Proposal) -> Array | None:
        """The forces that a solver's answer means; None when it gave none."""
        z = proposal.z
        if z is None and proposal.multipliers is not None:
            z = proposal.multipliers @ self.asked.rows
        if proposal.status != "solved" or z is None:
            return None
        forces = self.fixed.copy()
        away = self.scale * z - self.shift
        forces[self.unknown] = blas.dtrsv(self.factor, away, *LOWER_TRANSPOSED)
        return forces


def tresca(problem: Reduced, bounds: Array) -> Tresca:
    """The QP for bounds s on the friction of each normal, (n_normal,).

    A compliance of round-off size keeps it solvable where forces are redundant.
    """
    nn = problem.nn
    of, slide = problem.problem.normal_of, problem.problem.slide
    sliding = np.zeros(nn, dtype=bool)
    sliding[problem.problem.sliding] = True
    limit = bounds[of]
    fixed = np.zeros(nn + problem.nt)
    fixed[nn:] = -slide * limit
    loose = np.flatnonzero(~sliding[of] & (limit > 0.0))
    unknown = np.concatenate([np.arange(nn), nn + loose])
    G = problem.G[np.ix_(unknown, unknown)]
    G = G + TRESCA_COMPLIANCE * np.diag(np.maximum(G.diagonal(), 1.0))
    factor = np.linalg.cholesky(G)
    load = problem.c[unknown] + problem.G[unknown] @ fixed
    inverse = lapack.dtrtri(factor, 1)[0]  # small: threads would take longer to begin
    shift, back = inverse @ load, inverse.T
    least = back @ shift  # back z >= least + (0 or -s): the forces are back z - least
    rows = np.vstack([back, -back[nn:]])
    rhs = np.concatenate([least[:nn], least[nn:] - limit[loose], -least[nn:] - limit[loose]])
    lengths = np.linalg.norm(rows, axis=1)
    rhs = rhs / lengths
    scale = float(np.maximum(rhs, 0.0).max(initial=0.0)) or 1.0
    asked = LeastDistance(np.ascontiguousarray(rows / lengths[:, None]), rhs / scale, 0)
    return Tresca(asked, unknown, fixed, factor, shift, scale)
