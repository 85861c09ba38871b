"""For authors of solvers: the problem a solver sees, its base class, problems to try it on."""

from .qp.solvers import Adapter, Proposal, available, make, names, require_known
from .qp.whitening import LeastDistance
from .qp.workbench.families import families, family
from .qp.workbench.forms import QuadraticProgram, as_qp, save_qpbenchmark
from .qp.workbench.replay import Replay, replay

__all__ = [
    "Adapter",
    "LeastDistance",
    "Proposal",
    "QuadraticProgram",
    "Replay",
    "as_qp",
    "available",
    "families",
    "family",
    "make",
    "names",
    "replay",
    "require_known",
    "save_qpbenchmark",
]
