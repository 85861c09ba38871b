"""Problems for the bench by words: a file, a family, or what a case solves on its way."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping

import numpy as np

from ...base.arguments import whole_number
from ...base.errors import InputError
from ...qp.gauss_solver import GaussSolver
from ...qp.problem import GaussProblem
from ...qp.problem_file import load_problems
from ...qp.workbench.families import families, family
from ..case import Case
from ..case_files import case_names, find_case

__all__ = ["harvest", "named", "problems_of"]

Problems = Mapping[str, GaussProblem] | Iterable[GaussProblem]


def harvest(case: str | Case, count: int = 20) -> dict[str, GaussProblem]:
    """Problems that the run of a case solves, evenly taken; only those with inequalities.

    Examples
    --------
    >>> found = harvest("bouncing_ball", 3)
    >>> list(found)
    ['bouncing_ball impact 1', 'bouncing_ball impact 2', 'bouncing_ball acceleration 3']
    """
    chosen = find_case(case)() if isinstance(case, str) else case
    count = whole_number("count", count)
    solver = GaussSolver("daqp")
    with solver.recording() as recorded:
        chosen.run(solver=solver)
    found = [p for p in recorded if isinstance(p, GaussProblem) and p.n_inequality]
    if not found:
        return {}
    places = np.unique(np.linspace(0, len(found) - 1, count).round().astype(int))
    return {
        f"{chosen.name()} {found[place].kind} {number}": found[place]
        for number, place in enumerate(places.tolist(), 1)
    }


def named(problems: Problems) -> dict[str, GaussProblem]:
    """Problems by name; a number goes with the kind of those without."""
    if isinstance(problems, Mapping):
        found = dict(problems)
    else:
        found = {f"{getattr(p, 'kind', 'item')} {i}": p for i, p in enumerate(problems, 1)}
    for name, problem in found.items():
        if not isinstance(problem, GaussProblem):
            raise InputError(
                f"{name!r} is no GaussProblem: {problem!r} (friction has no bench yet)"
            )
    if not found:
        raise InputError("there is no problem to solve")
    return found


def problems_of(words: str) -> dict[str, GaussProblem]:
    """Problems that a word means: a file, ``family:NAME[:COUNT]`` or ``case:NAME[:COUNT]``.

    >>> list(problems_of("family:stack:2"))
    ['stack 1', 'stack 2']
    """
    kind, _, rest = words.partition(":")
    name, _, count = rest.partition(":")
    if kind in ("family", "case") and rest:
        known = families() if kind == "family" else case_names()
        if name not in known:
            raise InputError(f"no {kind} is called {name!r}; choose from: {', '.join(known)}")
        try:
            number = int(count) if count else None
        except ValueError as error:
            raise InputError(f"{words!r} must end in a whole number") from error
        if kind == "case":
            return harvest(name) if number is None else harvest(name, number)
        return named(family(name) if number is None else family(name, number))
    if not os.path.exists(words):
        raise InputError(f"{words!r} is neither a file of problems, nor family:NAME, nor case:NAME")
    smooth = [p for p in load_problems(words) if isinstance(p, GaussProblem)]
    stem = os.path.splitext(os.path.basename(words))[0]
    return {f"{stem} {problem.kind} {i}": problem for i, problem in enumerate(smooth, 1)}
