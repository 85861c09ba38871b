"""What a solver itself answers, judged as it is: before its active set is solved anew.

The certificate needs multipliers on all rows. Those that a solver does not give are chosen in its
favour: the ones with which its point comes nearest to stationarity.
"""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter
from typing import NamedTuple

import numpy as np
from scipy.optimize import nnls

from ...base.arguments import whole_number
from ...base.arrays import Array
from ...base.errors import InfeasibleError
from ...base.tolerances.qp import CERTIFIED
from ..acceptance import accept
from ..certificate import Certificate, certify
from ..gauss_solver import GaussSolver
from ..problem import GaussProblem
from ..proposals import as_answer, proposed_sets
from ..solution import GaussSolution
from ..solver_sequence import SolverSequence
from ..solvers import Adapter, Proposal
from ..whitening import LeastDistance, Whitened, whiten

__all__ = ["Replay", "replay"]


class Replay(NamedTuple):
    """The answer of one solver to one problem.

    Attributes
    ----------
    solver : str
    status : str
        ``"solved"``, ``"infeasible"``, or in its own words why it gave up.
    feasible : bool
        Whether the problem has an answer; if not, that is proved.
    x : (n,) array or None
        Its own point.
    certificate : Certificate or None
        Of that point, with its own multipliers where it gives them.
    error : float
        Distance of its point from the certified one, in the metric of the mass, relative to the
        larger of the distances that both have from the free point x^; infinite without a point.
    active_set : bool
        Whether the active set it proposes is the right one at first go.
    iterations : int or None
    first_seconds, setup_seconds, seconds : float or None
        The first call with all it sets up; what it says it needs to set up each time; and the
        shortest call of all.
    """

    solver: str
    status: str
    feasible: bool
    x: Array | None
    certificate: Certificate | None
    error: float
    active_set: bool
    iterations: int | None
    first_seconds: float
    setup_seconds: float | None
    seconds: float

    def solves(self, tolerance: float) -> bool:
        """Whether its own answer is right to this accuracy; of a contradiction, that it is one."""
        if not self.feasible:
            return self.status == "infeasible"
        return self.certificate is not None and self.certificate.passes(tolerance)

    @property
    def wrong(self) -> bool:
        """Whether it reports an answer where there is none, or none where there is one."""
        return self.status == ("infeasible" if self.feasible else "solved")


def replay(
    problem: GaussProblem,
    solver: str | Adapter | Callable[[], Adapter],
    *,
    repeats: int = 3,
    time_limit: float | None = None,
) -> Replay:
    """Let a solver answer a problem, several times, and judge what it says itself.

    Parameters
    ----------
    problem : GaussProblem
    solver : str, Adapter, or function that makes one
    repeats : int
        Calls after the first one, for the time.
    time_limit : float, optional
        Seconds after which it is given up on.

    Examples
    --------
    >>> problem = GaussProblem.create([[2.0]], load=[-19.62], Ai=[[1.0]], bi=[0.0])
    >>> answer = replay(problem, "daqp")
    >>> answer.status, answer.solves(1e-9), answer.wrong
    ('solved', True, False)
    """
    made = solver() if callable(solver) and not isinstance(solver, Adapter) else solver
    sequence = SolverSequence(made, (), time_limit)
    name, white = sequence.names[0], whiten(problem)
    start = perf_counter()
    proposal = sequence.ask(name, white.normalised())
    first = perf_counter() - start
    times = [first if proposal.seconds is None else proposal.seconds]
    for _ in range(whole_number("repeats", repeats, least=0)):
        if proposal.status != "solved":
            break
        again = sequence.ask(name, white.normalised())
        times.append(again.seconds if again.seconds is not None else first)
    reference = _reference(problem)
    unit = white.normalised()
    x, certificate = _judged(problem, white, unit, proposal)
    return Replay(
        name, proposal.status, reference is not None, x, certificate,
        _distance(problem, white, x, reference), _right_set(unit, proposal, reference),
        proposal.iterations, first, proposal.setup_seconds, min(times),
    )  # fmt: skip


def _reference(problem: GaussProblem) -> GaussSolution | None:
    """The certified answer, from whoever has it; None where a contradiction is proved."""
    try:
        return GaussSolver("daqp").solve(problem)
    except InfeasibleError:
        return None


def _judged(
    problem: GaussProblem, white: Whitened, unit: LeastDistance, proposal: Proposal
) -> tuple[Array | None, Certificate | None]:
    """Its point and the certificate of that; nothing where it has no answer."""
    if proposal.status != "solved":
        return None, None
    rows, ne = unit.rows, unit.n_equality
    multipliers = _completed(unit, proposal)
    z = rows.T @ multipliers if proposal.z is None else proposal.z
    answer = as_answer(white, unit, proposal._replace(z=z))
    assert answer.x is not None
    on_rows = unit.unit * multipliers / white.lengths
    if answer.inequality_multipliers is not None:
        on_rows[ne:] = answer.inequality_multipliers
    return answer.x, certify(problem, answer.x, on_rows, white)


def _completed(unit: LeastDistance, proposal: Proposal) -> Array:
    """Multipliers on all rows: its own, and for the rest those that suit its point best."""
    rows, ne = unit.rows, unit.n_equality
    if proposal.multipliers is not None:
        own = rows[ne:].T @ proposal.multipliers
        if proposal.z is not None:
            rest = np.linalg.lstsq(rows[:ne].T, proposal.z - own, rcond=None)[0]
        else:  # the point at which the equalities hold
            gram = rows[:ne] @ rows[:ne].T
            rest = np.linalg.lstsq(gram, unit.rhs[:ne] - rows[:ne] @ own, rcond=None)[0]
        return np.concatenate([rest, proposal.multipliers])
    z = proposal.z
    assert z is not None
    found, _ = nnls(np.hstack([rows[:ne].T, -rows[:ne].T, rows[ne:].T]), z)
    return np.concatenate([found[:ne] - found[ne : 2 * ne], found[2 * ne :]])


def _distance(
    problem: GaussProblem, white: Whitened, x: Array | None, reference: GaussSolution | None
) -> float:
    if x is None or reference is None:
        return float("inf")
    own, right = x @ white.factor, reference.x @ white.factor
    free = white.center
    size = max(float(np.linalg.norm(right - free)), float(np.linalg.norm(own - free)))
    size = size or float(np.linalg.norm(free)) or 1.0
    return float(np.linalg.norm(own - right)) / size


def _right_set(unit: LeastDistance, proposal: Proposal, reference: GaussSolution | None) -> bool:
    """Whether the first set it means gives the certified point."""
    if reference is None or proposal.status != "solved":
        return False
    first = next(iter(proposed_sets(unit, proposal)), None)
    if first is None:
        return False
    solution = accept(reference.problem, whiten(reference.problem), first, CERTIFIED, "replay")
    return isinstance(solution, GaussSolution)
