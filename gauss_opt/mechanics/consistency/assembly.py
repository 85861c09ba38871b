"""Consistent positions and velocities: the least move, in the mass metric, onto constraints."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from ...base.arrays import Array
from ...base.errors import InputError
from ...base.words.choices import choices
from ...model.rows import Kind
from ...model.snapshot import evaluate, read_only
from ...model.system import System
from ...qp.gauss_solver import GaussSolver
from ..rank.beside_surface import Dependence
from ..rank.surface import off_surface
from .state import consistent_positions, consistent_velocities

__all__ = ["Assembly", "assemble"]


class Assembly(tuple[Array, Array]):
    """Consistent (q, v), which unpacks as such, with how it was found.

    Attributes
    ----------
    q, v : arrays
        The consistent state.
    degrees_of_freedom : tuple of int
        Independent motions that the constraints and the held coordinates leave, at the level of
        positions and of velocities. Along these the guess was kept as nearly as possible.
    moved : (nq,) array
        How far each position was moved from the guess.
    iterations : int
        Steps taken for the positions.
    dependence : Dependence or None
        Rows that follow from the others on the constraints, and how far the guess was off.
    """

    q: Array
    v: Array
    degrees_of_freedom: tuple[int, int]
    moved: Array
    iterations: int
    dependence: Dependence | None
    system: System

    def __str__(self) -> str:
        in_q, in_v = self.degrees_of_freedom
        lines = [f"q = {self.q}", f"v = {self.v}"]
        if in_q:
            largest = int(np.abs(self.moved).argmax())
            name = self.system.coordinate_name(largest)
            lines.append(
                f"positions: {_undetermined(in_q)}; the solution nearest to "
                f"the guess was taken (largest change: {name} by {self.moved[largest]:.3g}); fix "
                f"coordinates with hold_q= to choose them yourself"
            )
        else:
            lines.append("positions: determined by the constraints and the held coordinates")
        if in_v:
            lines.append(f"velocities: {_undetermined(in_v)}; the nearest to the guess were taken")
        else:
            lines.append("velocities: determined by the constraints and the held velocities")
        return "\n".join(lines)

    __repr__ = __str__


def _undetermined(count: int) -> str:
    noun = "degree of freedom is" if count == 1 else "degrees of freedom are"
    return f"{count} {noun} undetermined"


def assemble(
    system: System,
    q: ArrayLike,
    v: ArrayLike | None = None,
    t: float = 0.0,
    *,
    hold_q: Iterable[int | str] = (),
    hold_v: Iterable[int | str] = (),
    resting: Sequence[str] = (),
    solver: str | GaussSolver = "osqp",
) -> Assembly:
    """Consistent positions and velocities from a guess.

    Parameters
    ----------
    system : System
    q, v : array_like
        The guess; v = 0 when left out.
    t : float
        Time.
    hold_q : iterable of int or str
        Positions, by index or name, that must stay as guessed.
    hold_v : iterable of int or str
        Velocities, by index or as ``"v[0]"``, that must stay as guessed.
    resting : sequence of str
        Contacts that must stay closed: their gap and its rate are made 0. The rate of other
        contacts is not touched.

    Returns
    -------
    Assembly
        A pair (q, v) that says more when printed.

    Raises
    ------
    InfeasibleError
        When the constraints and what is held contradict each other; it names them.
    ModelError
        When the iteration does not reach the constraints.

    Examples
    --------
    >>> from gauss_opt import Holonomic
    >>> rod = Holonomic("rod", lambda q, t: q[0]**2 + q[1]**2 - 1.0)
    >>> pendulum = System([1.0, 1.0], [0.0, -9.81], [rod])
    >>> q, v = assemble(pendulum, [0.6, 0.7], [1.0, 0.0], hold_q=[0])
    >>> q.round(9), v.round(9)
    (array([0.6, 0.8]), array([ 0.64, -0.48]))
    """
    guess = read_only("q", q)
    if guess.ndim != 1:
        raise InputError(f"q must be a vector, got shape {guess.shape}")
    nv = system.nv or len(guess)
    speed = read_only("v", np.zeros(nv) if v is None else v)
    solver = solver if isinstance(solver, GaussSolver) else GaussSolver(solver)
    start = evaluate(system, guess, speed, t)
    held = _indices([system.coordinate_name(i) for i in range(len(guess))], hold_q, "hold_q")
    held_v = _indices([f"v[{i}]" for i in range(nv)], hold_v, "hold_v")
    resting = [resting] if isinstance(resting, str) else list(resting)
    for name in resting:
        block = start.layout.block(name)
        if block.kind != Kind.CONTACT:
            raise InputError(f"resting= names {block.item}, which is not a contact")
    off = off_surface(start)
    snapshot, dof_q, steps = consistent_positions(start, held, resting, solver)
    velocity, dof_v, dependence = consistent_velocities(snapshot, held_v, resting, solver)
    result = Assembly((snapshot.q, velocity))
    result.q, result.v = snapshot.q, velocity
    result.degrees_of_freedom = (dof_q, dof_v)
    result.moved, result.iterations, result.system = snapshot.q - guess, steps, system
    result.dependence = None if dependence is None else replace(dependence, off=off)
    return result


def _indices(names: Sequence[str], held: Iterable[int | str], what: str) -> list[int]:
    indices = []
    for entry in [held] if isinstance(held, str) else held:
        index = names.index(entry) if isinstance(entry, str) and entry in names else entry
        if not isinstance(index, int | np.integer) or not 0 <= index < len(names):
            raise InputError(
                f"{what} names {entry!r}; {choices(str(entry), names, f' (0 to {len(names) - 1})')}"
            )
        indices.append(int(index))
    return indices
