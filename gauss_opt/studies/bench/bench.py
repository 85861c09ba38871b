"""bench_solvers(): every solver on every problem, into a table that can be resumed."""

from __future__ import annotations

import os
import platform
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy

from ...base.arguments import positive, whole_number
from ...base.errors import InputError
from ...qp.problem import GaussProblem
from ...qp.solvers import Adapter, available, require_known
from ...qp.workbench.replay import replay
from ..sweeps.progress import Progress
from ..sweeps.sweep import sweep
from .problems import Problems, named
from .result import ACCURACIES, SolverBench

__all__ = ["bench_solvers"]

Solvers = Sequence[str] | Mapping[str, Callable[[], Adapter]]


@dataclass(frozen=True)
class _Ask:
    """What is asked at a point: one solver, one problem."""

    problems: Mapping[str, GaussProblem]
    solvers: Mapping[str, Callable[[], Adapter] | None]
    repeats: int
    time_limit: float

    def __call__(self, nothing: None, problem: str, solver: str) -> dict[str, Any]:
        made = self.solvers[solver]
        found = replay(
            self.problems[problem], solver if made is None else made(), repeats=self.repeats,
            time_limit=self.time_limit,
        )  # fmt: skip
        certificate = found.certificate
        return {
            "status": found.status,
            "feasible": found.feasible,
            "wrong": found.wrong,
            "residual": float("inf") if certificate is None else certificate.worst,
            **{name: found.solves(tolerance) for name, tolerance in ACCURACIES.items()},
            "error": found.error,
            "active_set": found.active_set,
            "iterations": found.iterations,
            "first_seconds": found.first_seconds,
            "setup_seconds": found.setup_seconds,
            "solve_seconds": found.seconds,
        }


def bench_solvers(
    problems: Problems,
    solvers: Solvers | None = None,
    *,
    repeats: int = 3,
    time_limit: float = 10.0,
    table: str | os.PathLike[str] | None = None,
    progress: bool | Callable[[Progress], Any] = False,
) -> SolverBench:
    """Compare solvers by what they answer themselves, before their active sets are solved anew.

    All of them get the same whitened problems, one after the other, each solver's turn on a
    problem right after the other's, and every answer is judged by :func:`gauss_opt.certify`.

    Parameters
    ----------
    problems : mapping of names to GaussProblem, or iterable of GaussProblem
        For instance ``go.load_problems(path)``, ``go.solvers.family("stack")`` or
        ``go.harvest("discs_in_box")``.
    solvers : sequence of names, or mapping of names to functions that make an Adapter
        All that are installed when left out.
    repeats : int
        Calls after the first one; the shortest counts.
    time_limit : float
        Seconds for one call; also what a failure counts as.
    table : path, optional
        File that keeps the rows; answers that are there are not asked for again.
    progress : bool or callable
        As for :func:`gauss_opt.sweep`.

    Examples
    --------
    >>> import gauss_opt as go
    >>> bench = go.bench_solvers(go.solvers.family("stack", 3), ["daqp", "nnls"])
    >>> bench.success("nnls", "high")
    1.0
    """
    chosen = named(problems)
    if solvers is None:
        solvers = available()
    if isinstance(solvers, str):
        solvers = (solvers,)
    if not solvers:
        raise InputError("there is no solver to compare")
    if isinstance(solvers, Mapping):
        makers: dict[str, Any] = {name: _maker(name, make) for name, make in solvers.items()}
    else:
        require_known(*solvers)
        makers = dict.fromkeys(solvers)
    ask = _Ask(
        chosen,
        makers,
        whole_number("repeats", repeats, least=0),
        positive("time_limit", time_limit),
    )
    points = [{"problem": problem, "solver": solver} for problem in chosen for solver in makers]
    rows = sweep(None, points, ask, table=table, progress=progress)
    return SolverBench(rows, tuple(makers), time_limit, _machine())


def _maker(name: str, make: Any) -> Callable[[], Adapter]:
    """A function that makes an adapter: a class is one."""
    if isinstance(make, Adapter):
        adapter = make
        return lambda: adapter
    if not callable(make):
        raise InputError(f"solver {name!r} must be an Adapter or a function that makes one")
    maker: Callable[[], Adapter] = make
    return maker


def _machine() -> str:
    return (
        f"Python {platform.python_version()}, numpy {np.__version__}, scipy {scipy.__version__}, "
        f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores"
    )
