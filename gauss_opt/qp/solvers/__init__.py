"""QP solvers: one file each, one small adapter in it, found by the name of the file.

An adapter proposes an answer to the whitened least-distance problem; it is never believed on its
word. A module of this package, or a class named in the entry-point group ``gauss_opt.solvers`` of
an installed distribution, is a solver.
"""

from __future__ import annotations

from .interface import Adapter, Proposal
from .registry import available, make, names, require_known

__all__ = ["Adapter", "Proposal", "available", "make", "names", "require_known"]
