"""From a problem with friction to a certified answer.

Routes propose how each contact stands; forces come from the exact solution of that set and are
accepted only with their certificate. The routes: the last set, QPs with given friction (any solver
of the sequence), Lemke's method, and for few contacts all sets one by one.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from ...base.arrays import Array
from ...base.errors import PainleveError, SolverError
from ...base.tolerances.qp import STILL
from ..infeasibility import find_farkas, infeasible
from ..memory import Memory
from ..problem import GaussProblem
from ..solver_sequence import Counts, SolverSequence
from ..whitening import whiten
from .certificate import certify_friction
from .lemke import lemke_forces
from .problem import FrictionProblem
from .reduced import Reduced
from .solution import FrictionSolution
from .states import ContactState, States, can_be, forces_of, read_states
from .tresca import tresca
from .uniqueness import FEW_SETS, all_sets, countable, surely_unique

__all__ = ["FrictionLadder"]

log = logging.getLogger(__name__)

MOST_QPS = 40  # of one solver: then friction bounds go round in circles


class FrictionLadder(NamedTuple):
    """What a :class:`GaussSolver` lends to problems with friction.

    Attributes
    ----------
    solvers : SolverSequence
    memory : Memory
    counts : Counts
    tolerance : float
    reuse : bool
        Whether the last set is tried first.
    """

    solvers: SolverSequence
    memory: Memory
    counts: Counts
    tolerance: float
    reuse: bool

    def solve(self, problem: FrictionProblem) -> FrictionSolution:
        """The certified answer; of several, where they can be counted, that of least force."""
        reduced = Reduced(problem, self.memory.factor(problem.smooth.metric))
        last = self._last(reduced)
        if last is not None:
            answer = self._accept(reduced, last, "active set")
            if answer is not None:
                self.counts.qp_from_active_set += 1
                return answer
        attempts: list[tuple[str, str]] = []
        for name, propose in self._routes(reduced):
            for states in propose():
                answer = self._accept(reduced, states, name, tuple(attempts))
                if answer is not None:
                    answer = self._of_least_force(reduced, self._stuck(reduced, answer))
                    self.memory.remember(_key(problem), answer.set.astype(np.intp))
                    return answer
            attempts.append((name, "none of its sets passes"))
            self.counts.qp_fallbacks += 1
            log.info("route %s failed on a %s problem with friction", name, problem.kind)
        raise _no_answer(reduced, tuple(attempts))

    def _last(self, reduced: Reduced) -> States | None:
        """The last set of such a problem, if it can be one of this problem."""
        if not self.reuse:
            return None
        working = self.memory.active_set(_key(reduced.problem))
        if working is None or len(working) != reduced.nn:
            return None
        states = working.astype(np.int8)
        return states if can_be(reduced, states) else None

    def _routes(self, reduced: Reduced) -> Iterator[tuple[str, Callable[[], Iterator[States]]]]:
        for name in self.solvers:
            yield name, lambda name=name: self._by_tresca(reduced, name)  # type: ignore[misc]
        yield "lemke", lambda: _by_lemke(reduced)
        if countable(reduced):
            yield "enumeration", lambda: iter([s for s, _ in all_sets(reduced, self.tolerance)])

    def _by_tresca(self, reduced: Reduced, name: str) -> Iterator[States]:
        """Sets read off one QP after another, each with the friction that the last one allows."""
        bounds = np.zeros(reduced.nn)
        seen: set[bytes] = set()
        for _ in range(MOST_QPS):
            self.counts.qp_solver_calls += 1
            qp = tresca(reduced, bounds)
            forces = qp.forces(self.solvers.ask(name, qp.asked))
            if forces is None:
                return
            states = read_states(reduced, forces, bounds)
            if states.tobytes() not in seen:
                seen.add(states.tobytes())
                yield states
            bounds = np.maximum(reduced.bounds(forces), 0.0)

    def _accept(
        self,
        reduced: Reduced,
        states: States,
        solver: str,
        attempts: tuple[tuple[str, str], ...] = (),
    ) -> FrictionSolution | None:
        forces = forces_of(reduced, states)
        if forces is None or not np.isfinite(forces).all():
            return None
        return self._certified(reduced, states, forces, solver, attempts)

    def _certified(
        self,
        reduced: Reduced,
        states: States,
        forces: Array,
        solver: str,
        attempts: tuple[tuple[str, str], ...],
    ) -> FrictionSolution | None:
        problem = reduced.problem
        x, multipliers = reduced.answer(forces)
        certificate = certify_friction(problem, x, multipliers, reduced)
        if not certificate.passes(self.tolerance):
            return None
        found = (x, multipliers, states, certificate, solver, reduced, attempts)
        return FrictionSolution(problem, *found)

    def _stuck(self, reduced: Reduced, answer: FrictionSolution) -> FrictionSolution:
        """The same with every contact sticking that slides in name only, if that passes as well."""
        nn, of = reduced.nn, reduced.problem.normal_of
        slips = np.abs(reduced.rates(answer.row_multipliers[-nn - reduced.nt :] * reduced.lengths))
        slip = np.bincount(of, slips[nn:], minlength=nn)
        still = slip <= STILL * float(np.abs(reduced.c).max(initial=0.0))
        idle = (answer.set % 4 > ContactState.STICK) & still
        idle[reduced.problem.sliding] = False
        if not idle.any():
            return answer
        states = np.where(idle, answer.set - answer.set % 4 + ContactState.STICK, answer.set)
        other = self._accept(reduced, states.astype(np.int8), answer.solver, answer.attempts)
        return answer if other is None else other

    def _of_least_force(self, reduced: Reduced, answer: FrictionSolution) -> FrictionSolution:
        """Of several answers the one with the least Gauss function."""
        if reduced.problem.in_space or surely_unique(reduced) or not countable(reduced, FEW_SETS):
            return answer
        others = (
            self._certified(reduced, states, forces, answer.solver, answer.attempts)
            for states, forces in all_sets(reduced, self.tolerance)
        )
        best = answer
        for other in others:
            if other is not None and other.gauss < best.gauss * (1.0 - self.tolerance):
                best = other
        return best


def _by_lemke(reduced: Reduced) -> Iterator[States]:
    for forces in lemke_forces(reduced):
        yield read_states(reduced, forces, np.maximum(reduced.bounds(forces), 0.0))


def _key(problem: FrictionProblem) -> GaussProblem:
    """What the set of a problem is remembered by: its kind and names."""
    smooth = problem.smooth
    kind = f"{smooth.kind} with friction"
    return GaussProblem(
        smooth.metric, smooth.load, smooth.rows, smooth.rhs, smooth.n_equality, smooth.names, kind
    )


def _no_answer(reduced: Reduced, attempts: tuple[tuple[str, str], ...]) -> SolverError:
    """The error of a problem without a certified answer."""
    problem = reduced.problem
    smooth, ne, nn = problem.smooth, problem.n_equality, problem.n_normal
    plain = GaussProblem(
        smooth.metric, smooth.load, smooth.rows[: ne + nn], smooth.rhs[: ne + nn], ne,
        smooth.names[: ne + nn], smooth.kind, smooth.target,
    )  # fmt: skip
    proof = find_farkas(whiten(plain).normalised())
    if proof is not None:
        raise infeasible(plain, whiten(plain), proof)
    wedged = _painleve(reduced)
    if not wedged and len(problem.sliding) and countable(reduced):
        wedged = [(i, _own_rate(reduced, i)) for i in problem.sliding.tolist()]
    if wedged:
        i, p = min(wedged, key=lambda one: one[1])
        name, mu = problem.contact_names[i], float(problem.friction[i])
        return PainleveError(
            f"contact {name!r} slides with friction {mu:g} where no acceleration satisfies "
            f"Coulomb's law (Painleve's paradox; G_NN - mu d G_NT is {p:.6g}, and below 0 its own "
            f"force draws the contact together). An impact without collision follows; or use a "
            f"smaller coefficient",
            problem,
            attempts,
            tuple(problem.contact_names[j] for j, _ in wedged),
        )
    listed = "; ".join(f"{name}: {reason}" for name, reason in attempts)
    return SolverError(
        f"no certified answer was found to this {problem.kind} problem with friction ({listed}). "
        f"Save it with gauss_opt.save_problem(error.problem, ...) and try another solver",
        problem,
        attempts,
    )


def _painleve(reduced: Reduced) -> list[tuple[int, float]]:
    """Sliding normals whose own force would pull them closed, and G_NN - mu d G_NT as it is."""
    own = [(i, _own_rate(reduced, i)) for i in reduced.problem.sliding.tolist()]
    return [(i, p) for i, p in own if p <= 0.0]


def _own_rate(reduced: Reduced, i: int) -> float:
    """G_NN - mu d G_NT of a sliding normal, as it is: what a unit force does to its own rate."""
    tangents = reduced.tangents_of[i]
    coupled = float(reduced.G[i, reduced.nn + tangents] @ reduced.problem.slide[tangents])
    p = float(reduced.G[i, i]) - float(reduced.mu[i]) * coupled
    return p * float(reduced.lengths[i]) ** 2
