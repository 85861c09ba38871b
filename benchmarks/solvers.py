"""All installed solvers on random whitened problems: time, active sets, accuracy of their own x.

Run ``python benchmarks/solvers.py``. Every solver gets the same problems.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from time import perf_counter

import numpy as np

import gauss_opt as go
from gauss_opt.qp.active_set import solve_set
from gauss_opt.qp.certificate import residuals
from gauss_opt.qp.gauss_solver import proposed_sets
from gauss_opt.qp.whitening import whiten

SIZES = ((6, 2, 4), (12, 4, 8), (30, 10, 20), (60, 20, 60))
COUNT = 30
TOLERANCE = 1e-9

LIMITATIONS = f"""
Limitations
  The problems are random: normal rows, some right-hand sides beyond the free point, no dependent
  rows and no nearly dependent ones. Mechanisms have structure that random rows have not, and
  contacts are often redundant. Each adapter keeps the settings it has in the package; with others
  a solver may be faster or more accurate. Times are medians over {COUNT} problems, include the
  Python wrapper of each solver, and are from one machine under whatever load it had. The first
  call, which sets up workspaces, is not timed. A share below 100% is not a wrong answer: the next
  guess of the active set, or the next fallback solver, is asked.
"""


def random_problem(rng: np.random.Generator, n: int, ne: int, ni: int) -> go.GaussProblem:
    """A feasible problem: some point satisfies every row, about half of them with room."""
    root = rng.normal(size=(n, n))
    inside = rng.normal(size=n)
    Ae, Ai = rng.normal(size=(ne, n)), rng.normal(size=(ni, n))
    return go.GaussProblem.create(
        root @ root.T + np.eye(n),
        target=rng.normal(size=n),
        Ae=Ae,
        be=Ae @ inside,
        Ai=Ai,
        bi=Ai @ inside - rng.exponential(size=ni) * rng.integers(0, 2, size=ni),
    )


@contextmanager
def quiet() -> Iterator[None]:
    """Keep what solvers print from C out of the table."""
    sys.stdout.flush()
    kept, nowhere = os.dup(1), os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 1)
        yield
    finally:
        os.dup2(kept, 1)
        os.close(kept)
        os.close(nowhere)


def certifies(problem: go.GaussProblem, proposal: go.solvers.Proposal) -> bool:
    """Whether the first active set that a proposal means passes the certificate."""
    white = whiten(problem)
    working = next(iter(proposed_sets(white.normalised(), proposal)), None)
    if working is None:
        return False
    answer = solve_set(white, working)
    x = white.point(answer.z)
    return residuals(problem, white, x, answer.z, answer.multipliers).passes(TOLERANCE)


def measure(name: str, problems: list[go.GaussProblem]) -> tuple[float, float, float]:
    """Median seconds, share certified at first go, worst relative distance of the solver's x."""
    adapter = go.solvers.make(name)
    times, good, worst = [], 0, 0.0
    adapter.propose(whiten(problems[0]).normalised())
    for problem in problems:
        white = whiten(problem)
        unit = white.normalised()
        start = perf_counter()
        try:
            proposal = adapter.propose(unit)
        except Exception as error:
            proposal = go.solvers.Proposal(f"{type(error).__name__}: {error}")
        times.append(perf_counter() - start)
        good += certifies(problem, proposal)
        certified = go.solve(problem, "daqp").x @ white.factor - white.center
        exact = certified * np.linalg.norm(unit.rhs) / np.linalg.norm(white.unit().rhs)
        if proposal.z is None:
            worst = np.inf
        else:
            distance = np.linalg.norm(proposal.z - exact) / np.linalg.norm(exact)
            worst = max(worst, float(distance))
    return float(np.median(times)), good / len(problems), worst


def main() -> None:
    """One table for each size, then what the tables do not say."""
    for n, ne, ni in SIZES:
        rng = np.random.default_rng(n)
        problems = [random_problem(rng, n, ne, ni) for _ in range(COUNT)]
        print(f"\n{n} unknowns, {ne} equalities, {ni} inequalities, {COUNT} problems")
        print(f"  {'solver':<14}{'median time':>14}{'first go':>12}{'distance of own x':>20}")
        for name in go.solvers.available():
            try:
                with quiet():
                    seconds, share, worst = measure(name, problems)
            except Exception as error:
                print(f"  {name:<14}  failed: {type(error).__name__}: {error}")
                continue
            print(f"  {name:<14}{1e6 * seconds:>11.0f} us{share:>12.0%}{worst:>20.1e}")
    print(LIMITATIONS)


if __name__ == "__main__":
    main()
