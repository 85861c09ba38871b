"""What you need to write your own solver: the problem it sees, its base class, the list of all."""

from .qp.solvers import Adapter, Proposal, available, make, names, require_known
from .qp.whitening import LeastDistance

__all__ = ["Adapter", "LeastDistance", "Proposal", "available", "make", "names", "require_known"]
