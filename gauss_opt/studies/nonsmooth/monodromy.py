"""The monodromy matrix of a run: how its end depends on its start, through every impact."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ...base.arrays import Array
from ...base.tolerances.studies import NEUTRAL
from ...mechanics.impact_laws import ImpactLaw
from ...mechanics.variation.smooth import require_variations
from ...model.snapshot import evaluate
from ...model.system import System
from ...results.result import Result
from .segments import impact_word
from .variation import factors

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["Monodromy", "Saltation", "monodromy"]


@dataclass(frozen=True, eq=False)
class Saltation:
    """The factor of one event.

    Attributes
    ----------
    t : float
    contacts : tuple of str
    matrix : (n, n) array
        On y = (q, v).
    """

    t: float
    contacts: tuple[str, ...]
    matrix: Array


@dataclass(frozen=True, eq=False)
class Monodromy:
    """The derivative of the end of a run by its start.

    Attributes
    ----------
    matrix : (n, n) array
        d y(t1) / d y(t0) with y = (q, v).
    by_start : (n,) array
        d y(t1) / d t0 at the same duration: what a shift of the time in forces does.
    by_parameter : dict
        d y(t1) / d p by name of the parameter: (n,), or (n, size) for an array.
    basis : (n, k) array
        Directions that the bilateral constraints leave at the start.
    word : tuple of str
        Contacts of all impacts, in order.
    saltations : tuple of Saltation
    t0, t1 : float
    """

    matrix: Array
    by_start: Array
    by_parameter: dict[str, Array]
    basis: Array
    word: tuple[str, ...]
    saltations: tuple[Saltation, ...]
    t0: float
    t1: float

    @cached_property
    def reduced(self) -> Array:
        """The matrix in the directions that are free, (k, k)."""
        shortened: Array = self.basis.T @ self.matrix @ self.basis
        return shortened

    @cached_property
    def multipliers(self) -> Array:
        """Floquet multipliers: its eigenvalues, the largest first."""
        found: Any = np.linalg.eigvals(self.reduced)
        ordered: Array = found[np.argsort(-np.abs(found), kind="stable")]
        return ordered

    @property
    def stability(self) -> str:
        """``"stable"``, ``"unstable"``, or ``"neutral"``: some on the unit circle, none outside."""
        return stability_of(self.reduced)

    @property
    def stable(self) -> bool:
        """Whether all multipliers are inside the unit circle, and not on it within round-off."""
        return self.stability == "stable"

    @property
    def determinant(self) -> float:
        """Of the matrix: the volume that is left of a small one."""
        return float(np.linalg.det(self.reduced))

    def plot(self, ax: Axes | None = None) -> Axes:
        """The multipliers beside the unit circle."""
        from .pictures import multipliers

        return multipliers([self], ax)

    def __str__(self) -> str:
        shown = ", ".join(f"{m:.6g}" for m in _tidy(self.multipliers))
        word = " ".join(self.word) or "no impact"
        return f"monodromy over {self.t1 - self.t0:.6g} s ({word}): multipliers {shown}"

    __repr__ = __str__


def stability_of(matrix: Array) -> str:
    """Where the eigenvalues of a matrix are: inside the unit circle, on it, or outside.

    One is on it where a matrix closer than round-off has it there. For a multiple eigenvalue, which
    moves by the root of a change of the matrix, that is right where its own distance is not.
    """
    values = np.linalg.eigvals(matrix)
    close = NEUTRAL * max(1.0, float(np.linalg.norm(matrix)))
    identity = np.eye(len(matrix))
    on = False
    for value in values[np.abs(values) > 0.5]:
        distance = np.linalg.svd(matrix - value / abs(value) * identity, compute_uv=False)[-1]
        if distance <= close:
            on = True
        elif abs(value) > 1.0:
            return "unstable"
    return "neutral" if on else "stable"


def _tidy(values: Array) -> list[Any]:
    """Numbers without an imaginary part that is zero."""
    return [v.real if v.imag == 0.0 else v for v in values.tolist()]


def monodromy(result: Result, *, law: str | ImpactLaw | None = None) -> Monodromy:
    """The derivative of the end of a run by its start, exact through impacts.

    Between events the variational equation is integrated, with derivatives from the traced
    functions; at events it is multiplied by their saltation matrices.

    Parameters
    ----------
    result : Result
        With dense output, of one phase.
    law : ImpactLaw, optional
        The law of the run, where it is not one that has a name.

    Raises
    ------
    NotSmoothError
        Where there is no derivative: a contact grazes, several are reached at once, or infinitely
        many impacts accumulate.
    ModelError
        Where functions of the system cannot be differentiated.

    Examples
    --------
    A ball that falls and bounces: a small change of its height makes it arrive later, and that much
    slower on the way up.

    >>> import gauss_opt as go
    >>> ball = go.System([1.0], [-9.81], contacts=[
    ...     go.Contact("floor", lambda q, t: q[0], restitution=0.5)])
    >>> run = go.simulate(ball, [1.0], [0.0], (0.0, 0.6))
    >>> go.monodromy(run).matrix.round(6) + 0.0
    array([[-0.006749, -0.077285],
           [ 3.322085,  1.      ]])
    """
    system = result.system
    whole: Array | None = None
    n = result.q.shape[1] + result.v.shape[1]
    found = []
    for factor in factors(result, law):
        whole = factor.matrix if whole is None else factor.matrix @ whole
        if factor.cut is not None and factor.cut.events:
            names = tuple(dict.fromkeys(c for e in factor.cut.events for c in e.contacts))
            found.append(Saltation(factor.t, names, factor.matrix[:n, :n]))
    assert system is not None
    size = sum(np.size(value) for value in system.parameters.values())
    whole = np.eye(n + 1 + size) if whole is None else whole
    return Monodromy(
        matrix=whole[:n, :n],
        by_start=whole[:n, n],
        by_parameter=_by_name(system, whole[:n, n + 1 :]),
        basis=free_directions(system, result.q[0], result.v[0], float(result.t[0])),
        word=impact_word(result),
        saltations=tuple(found),
        t0=float(result.t[0]),
        t1=float(result.t[-1]),
    )


def _by_name(system: System, columns: Array) -> dict[str, Array]:
    found, end = {}, 0
    for name, value in system.parameters.items():
        part = columns[:, end : (end := end + np.size(value))]
        found[name] = part[:, 0] if np.ndim(value) == 0 else part
    return found


def free_directions(system: System, q: Array, v: Array, t: float) -> Array:
    """An orthonormal basis of the changes of (q, v) that the bilateral constraints allow."""
    at = evaluate(system, q, v, t)
    n = len(at.q) + len(at.v)
    position, velocity = at.layout.held(np.arange(at.layout.equalities.stop))
    if not len(velocity):
        return np.eye(n)
    zeros = np.zeros(at.layout.n_rows)
    ask = (at.q, at.v, at.t, system.parameters, 0.0 * at.v, zeros)
    slopes = require_variations(at.dynamics).slopes(*ask)
    rows = np.vstack([slopes.value[position, :n], slopes.rate[velocity, :n]])
    _, sizes, directions = np.linalg.svd(rows)
    rank = int(np.count_nonzero(sizes > n * np.finfo(float).eps * sizes.max(initial=0.0)))
    free: Array = directions[rank:].T
    return free
