"""The answer to a problem with friction, with its certificate and how it was found."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...base.arrays import Array
from ...base.lazy import lazy
from .certificate import FrictionCertificate
from .problem import FrictionProblem
from .reduced import Reduced
from .states import ContactState, States
from .uniqueness import proved_unique

__all__ = ["FrictionSolution"]

_WORDS = {
    ContactState.OPEN: "open",
    ContactState.STICK: "stick",
    ContactState.FORWARD: "slide+",
    ContactState.BACKWARD: "slide-",
}


@dataclass(frozen=True, eq=False)
class FrictionSolution:
    """A certified answer to (C).

    Attributes
    ----------
    problem : FrictionProblem
    x : (n,) array
    row_multipliers : (m,) array
        One for each row: equalities, normals, tangents; M x - p = A'l.
    set : (n_normal,) array of int8
        The :class:`ContactState` of each normal.
    certificate : FrictionCertificate
        Residuals computed from the problem's data.
    solver : str
        Who proposed the set: a solver's name, ``"active set"`` when the last one still held,
        ``"lemke"`` or ``"enumeration"``.
    reduced : Reduced
        The problem as it was solved.
    attempts : tuple of (route, reason)
        Routes that were tried before and failed, and why.
    """

    problem: FrictionProblem
    x: Array
    row_multipliers: Array
    set: States
    certificate: FrictionCertificate
    solver: str
    reduced: Reduced
    attempts: tuple[tuple[str, str], ...] = ()

    @lazy
    def unique(self) -> bool:
        """Whether it is proved that there is no other answer, in x or in forces.

        Computed on demand; of many contacts with large coefficients nothing is proved.
        """
        return proved_unique(self.reduced, self.row_multipliers)

    @property
    def normal_multipliers(self) -> Array:
        """l_N >= 0, (n_normal,)."""
        return self.row_multipliers[self.problem.normals]

    @property
    def tangent_multipliers(self) -> Array:
        """l_T, (k,)."""
        return self.row_multipliers[self.problem.tangents]

    @lazy
    def multipliers(self) -> dict[str, Array]:
        """Forces by name: of equalities, of normals, and of tangents as ``friction of <name>``."""
        problem, collected = self.problem, dict[str, list[float]]()
        first = problem.tangents.start
        for i, value in enumerate(self.row_multipliers.tolist()):
            name = problem.smooth.names[i]
            collected.setdefault(name if i < first else f"friction of {name}", []).append(value)
        return {name: np.array(values) for name, values in collected.items()}

    @property
    def equality_multipliers(self) -> Array:
        """le, (ne,)."""
        return self.row_multipliers[: self.problem.n_equality]

    @lazy
    def gauss(self) -> float:
        """Half the square of the constraint acceleration in the mass metric: Gauss's function."""
        white = self.reduced.white
        z = self.x @ white.factor - white.center
        return float(0.5 * z @ z)

    @lazy
    def states(self) -> tuple[str, ...]:
        """``"open"``, ``"stick"``, ``"slide+"`` or ``"slide-"`` for each normal."""
        return tuple(_WORDS[ContactState(state % 4)] for state in self.set.tolist())

    def __str__(self) -> str:
        named = zip(self.problem.contact_names, self.states, strict=True)
        return "\n".join(
            [
                f"{self.problem}",
                f"  x = {np.array2string(self.x, precision=6, threshold=12)}",
                f"  {', '.join(f'{name}: {state}' for name, state in named)}",
                f"  solver: {self.solver}; certificate: {self.certificate}",
                *(f"  {name} failed: {reason}" for name, reason in self.attempts),
            ]
        )

    __repr__ = __str__
