"""From a proposed active set to an answer that passes its certificate, or to the one that fails."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from ..base.arrays import Array, Indices
from ..base.lazy import made
from ..base.tolerances.qp import NEARLY_CERTIFIED, SHARP, WEAK
from .active_set import SetSolution, pivot, solve_set, solve_unit_rows, solve_without_gram
from .certificate import Certificate, residuals
from .light_masses import has_light_masses, solve_split
from .minimum_norm import holding_rows, is_weak, minimum_norm_multipliers, reach
from .problem import GaussProblem
from .solution import GaussSolution
from .whitening import Whitened

__all__ = ["accept", "repaired", "sharpened"]

Attempts = tuple[tuple[str, str], ...]


def accept(
    problem: GaussProblem,
    white: Whitened,
    working: Indices,
    tolerance: float,
    solver: str,
    attempts: Attempts = (),
) -> GaussSolution | Certificate:
    """The solution on a working set if it passes, otherwise the certificate that fails.

    Parameters
    ----------
    problem, white
        The problem, as it is and whitened.
    working : array of int
        The proposed active set: rows to solve as equalities.
    tolerance : float
        Largest residual of an accepted certificate.
    solver, attempts
        Who proposed, and who had failed before.
    """
    answer, x, certificate = _on_set(problem, white, working, tolerance)
    unique = not (answer.rank < len(working) or is_weak(white, answer))
    if not unique:
        shared = _shared(problem, white, answer, certificate, tolerance)
        if shared is not None:
            return GaussSolution(problem, *shared, solver, attempts)
    if not certificate.passes(tolerance):
        return certificate
    return made(
        GaussSolution,
        problem=problem,
        x=x,
        row_multipliers=answer.multipliers,
        working=working,
        unique=unique,
        certificate=certificate,
        solver=solver,
        attempts=attempts,
        clearly_independent=answer.clear,
    )


def sharpened(white: Whitened, solution: GaussSolution, tolerance: float) -> GaussSolution:
    """The same solution, unless it stays within the tolerance only just.

    The right active set leaves round-off. What is more comes from a row that a solver, with a
    tolerance of its own, took for inactive or active: then a few pivots lead to the right set.
    """
    found = solution.certificate
    if max(found.equality, found.inequality, found.dual) <= SHARP:
        return solution
    if white.n_equality == len(white.rhs):
        return solution
    working = _pivoted(white, solution.working)
    if working is None:
        return solution
    better = accept(solution.problem, white, working, tolerance, solution.solver, solution.attempts)
    if isinstance(better, Certificate) or better.certificate.worst > found.worst:
        return solution
    return replace(better, raw=solution.raw)


def repaired(
    problem: GaussProblem,
    white: Whitened,
    missed: Iterable[tuple[str, Indices]],
    tolerance: float,
    attempts: Attempts,
) -> GaussSolution | None:
    """An answer that passes, some pivots away from proposed sets that do not.

    Beside nearly dependent rows a solver's own tolerance is enough to take one of them for
    inactive, and the certificate fails narrowly. From there pivots lead to the right set. What is
    certified is the very point that they have ended at: solved in another order, the rows give one
    that differs by the round-off of x over their smallest singular value.
    """
    unit = white.unit()
    unit = unit._replace(terms=np.abs(unit.rhs) + 2.0 * float(np.linalg.norm(white.center)))
    for solver, proposed in missed:
        try:
            result = pivot(unit, proposed[proposed >= unit.n_equality])
        except (ArithmeticError, np.linalg.LinAlgError):
            continue
        answer = solve_unit_rows(unit, result.working)
        answer = answer._replace(multipliers=answer.multipliers / white.lengths)
        x = white.point(answer.z)
        certificate = residuals(problem, white, x, answer.z, answer.multipliers)
        if result.farkas is None and certificate.passes(tolerance):
            unique = answer.rank == len(result.working) and not is_weak(white, answer)
            working = np.sort(result.working)
            found = (x, answer.multipliers, working, unique, certificate)
            return GaussSolution(problem, *found, solver, attempts)
    return None


def _pivoted(white: Whitened, working: Indices) -> Indices | None:
    """The right set, reached by pivots from a proposed one; None: there was no way."""
    unit = white.normalised()
    try:
        result = pivot(unit, working[working >= unit.n_equality])
    except (ArithmeticError, np.linalg.LinAlgError):
        return None
    if result.farkas is not None:
        return None
    right: Indices = np.union1d(np.arange(unit.n_equality), result.working)
    return right


def _on_set(
    problem: GaussProblem, white: Whitened, working: Indices, tolerance: float
) -> tuple[SetSolution, Array, Certificate]:
    """The exact answer on a working set, x, and its certificate.

    The Gram matrix of the rows squares their condition number. Where that may be why the
    certificate fails, the rows are solved again without it. Where light masses may have cost
    digits, they are solved without whitening.
    """
    answer = solve_set(white, working)
    if not answer.clear and has_light_masses(problem.metric):
        split = solve_split(problem, working)
        if split is not None:
            x, multipliers = split
            z = x @ white.factor - white.center
            certificate = residuals(problem, white, x, z, multipliers)
            if certificate.passes(tolerance):
                return SetSolution(z, multipliers, len(working), working), x, certificate
    x = white.point(answer.z)
    certificate = residuals(problem, white, x, answer.z, answer.multipliers)
    if certificate.passes(tolerance) or not certificate.passes(NEARLY_CERTIFIED):
        return answer, x, certificate
    answer = solve_without_gram(white, working)
    x = white.point(answer.z)
    return answer, x, residuals(problem, white, x, answer.z, answer.multipliers)


def _shared(
    problem: GaussProblem,
    white: Whitened,
    answer: SetSolution,
    certificate: Certificate,
    tolerance: float,
) -> tuple[Array, Array, Indices, bool, Certificate] | None:
    """x, multipliers, working rows, uniqueness and certificate with redundant or weak rows.

    The minimum-norm multipliers over all rows that hold with equality do not depend on who
    proposed the active set, and neither does x solved from the rows that carry force.
    """
    if max(certificate.equality, certificate.inequality) > tolerance:
        return None
    unit = white.unit()
    holding = holding_rows(white, answer.z)
    duals = minimum_norm_multipliers(unit, answer.z, holding)
    if duals is None:
        return None
    threshold = WEAK * max(reach(white, answer.z), np.abs(duals).max(initial=0.0))
    carrying = holding[(holding < unit.n_equality) | (duals[holding] > threshold)]
    (z, multipliers, rank, _, _), x, _ = _on_set(problem, white, carrying, tolerance)
    # From here on everything follows from this z, which is the same whoever proposed.
    holding = holding_rows(white, z)
    if rank < len(carrying):
        if (z != answer.z).any():
            duals = minimum_norm_multipliers(unit, z, holding)
            if duals is None:
                return None
        multipliers = duals / white.lengths
    proof = residuals(problem, white, x, z, multipliers)
    if not proof.passes(tolerance):
        return None
    unique = solve_unit_rows(unit, holding).rank == len(holding)
    return x, multipliers, carrying, unique, proof
