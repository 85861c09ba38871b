"""Two independent ways to solve Gauss's problem with inequality rows, for checking solvers.

The problem is: minimise ``1/2 x'Mx - p'x`` subject to ``Ae x = be`` and ``Ai x >= bi``.
Signs: ``M x - p = Ae' le + Ai' li`` with ``li >= 0``.

`enumerate_active_sets` tries every set of active rows; `lcp` pivots a linear complementarity
problem. Both are for small problems, and made to be right rather than fast.
"""

from __future__ import annotations

from .complementarity import lcp
from .enumeration import enumerate_active_sets
from .scaled_problem import OracleSolution

__all__ = ["OracleSolution", "enumerate_active_sets", "lcp"]
