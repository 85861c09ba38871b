"""How often problems were solved, and by which means."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Counts"]


@dataclass(slots=True)
class Counts:
    """How the problems were solved.

    Attributes
    ----------
    qp_total : int
        Problems solved.
    qp_from_active_set : int
        Of these, without asking a solver.
    qp_solver_calls : int
        Calls of solvers, failed ones included.
    qp_fallbacks : int
        Solver calls whose answer failed, so that the next solver was asked.
    """

    qp_total: int = 0
    qp_from_active_set: int = 0
    qp_solver_calls: int = 0
    qp_fallbacks: int = 0

    def __sub__(self, other: Counts) -> Counts:
        """What has been added since."""
        return Counts(
            self.qp_total - other.qp_total,
            self.qp_from_active_set - other.qp_from_active_set,
            self.qp_solver_calls - other.qp_solver_calls,
            self.qp_fallbacks - other.qp_fallbacks,
        )
