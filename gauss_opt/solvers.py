"""What a solver of your own needs: the problem it sees, its base class, and the list of all."""

from .qp.solvers import Adapter, Proposal, available, make, names, require_known
from .qp.whitening import LeastDistance

__all__ = ["Adapter", "LeastDistance", "Proposal", "available", "make", "names", "require_known"]
