"""What a QP solver must provide: one method."""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cache
from importlib.util import find_spec
from typing import ClassVar, NamedTuple

import numpy as np

from ...base.arrays import Array
from ...base.errors import InputError
from ..whitening import LeastDistance

__all__ = ["Adapter", "Proposal"]


class Proposal(NamedTuple):
    """What a solver proposes: multipliers if the solver has them, z otherwise or as well.

    Attributes
    ----------
    status : str
        ``"solved"``, ``"infeasible"``, or in the solver's own words why it gave up.
    z : (n,) array or None
        The point.
    multipliers : (ni,) array or None
        Multipliers of the inequality rows, positive where the row pushes.
    iterations : int or None
        How many the solver took, in its own count.
    setup_seconds : float or None
        How much of its time went into setting up, where that is a step of its own.
    seconds : float or None
        How long the answer took; filled in by whoever asks.
    """

    status: str
    z: Array | None = None
    multipliers: Array | None = None
    iterations: int | None = None
    setup_seconds: float | None = None
    seconds: float | None = None


@cache
def can_import(package: str) -> bool:
    """Whether a package is there; looked up once, since looking takes longer than a solution."""
    return find_spec(package) is not None


class Adapter(ABC):
    """Base class of the adapters. Instances may keep workspaces between calls.

    Parameters
    ----------
    option : str, optional
        What follows the colon in a solver's name, as in ``"cvxpy:CLARABEL"``.
    """

    package: ClassVar[str | None] = None
    """Import name of the package the adapter needs; None when it needs nothing extra."""

    install: ClassVar[str] = "gauss-opt[solvers]"
    """What to ``pip install`` to get it."""

    def __init__(self, option: str | None = None) -> None:
        if option is not None:
            name = type(self).__module__.rpartition(".")[2]
            raise InputError(f"solver {name!r} takes no option, got {option!r}")

    @classmethod
    def installed(cls) -> bool:
        """Whether the package behind the adapter can be imported."""
        return cls.package is None or can_import(cls.package)

    @abstractmethod
    def propose(self, problem: LeastDistance) -> Proposal:
        """Minimise 1/2 |z|^2 with rows z = rhs (the first n_equality), rows z >= rhs (others)."""


def bounds(problem: LeastDistance) -> tuple[Array, Array]:
    """The rows as lower <= rows z <= upper, with an infinite upper bound on inequalities."""
    upper = problem.rhs.copy()
    upper[problem.n_equality :] = np.inf
    return problem.rhs, upper
