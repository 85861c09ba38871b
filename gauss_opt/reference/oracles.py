"""Independent ways to solve Gauss's problem with inequality rows, for checking solvers.

The problem is: minimise ``1/2 x'Mx - p'x`` subject to ``Ae x = be`` and ``Ai x >= bi``.
Signs: ``M x - p = Ae' le + Ai' li`` with ``li >= 0``.

`enumerate_active_sets` tries every set of active rows; `lcp` pivots a linear complementarity
problem. `coulomb_answers` tries every set of contacts with friction. All are for small problems,
and made to be right rather than fast.
"""

from __future__ import annotations

from .complementarity import lcp
from .coulomb import CoulombAnswer, coulomb_answers, coulomb_set
from .enumeration import enumerate_active_sets
from .scaled_problem import OracleSolution

__all__ = [
    "CoulombAnswer",
    "OracleSolution",
    "coulomb_answers",
    "coulomb_set",
    "enumerate_active_sets",
    "lcp",
]
