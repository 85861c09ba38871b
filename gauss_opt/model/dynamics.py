"""Dynamics: what every source of numbers about a system must provide.

Everything above the model (accelerations, impacts, the simulation) speaks to this protocol alone.
The traced system is one source, derivatives by hand another. A model of another program can be a
third: so far only the tests have one, and a public way to give one to a system comes with the
first that is not a test's.

Arrays that come out are fresh, read-only or parts of those that went in: a source never writes
again into an array it has returned. Positions and velocities that go in are read-only. Calls are
safe from several threads at once, since systems that differ in parameters only share one source.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from ..base.arrays import Array, Indices
from ..base.row_matrix import RowMatrix
from .rows import RowTable
from .switches import Switches

if TYPE_CHECKING:
    from .derivatives.variation_graphs import VariationGraphs
    from .enclosure.enclosures import Enclosures
    from .tapes.programs import Programs
    from .tracing.energy_graphs import EnergyGraphs

__all__ = ["Dynamics", "Motion", "Parameters", "Smooth", "Values"]

Parameters = Mapping[str, Any]


class Values(NamedTuple):
    """Everything about a system at one state; rows are those of the table.

    Attributes
    ----------
    mass : (nv, nv) array
        M.
    force : (nv,) array
        Q.
    nonideal : (nv,) array or None
        C; None without one, or where it waits for the ideal force.
    jacobian : RowMatrix
        A: the rows of the acceleration problem.
    rhs : (m,) array
        b with A a = b, or A a >= b for inequalities.
    value : (m,) array
        phi, gap or psi.
    rate : (m,) array
        Its time derivative; for constraints on velocities the value itself.
    qdot : (nq,) array
        q' = N v.
    """

    mass: Array
    force: Array
    nonideal: Array | None
    jacobian: RowMatrix
    rhs: Array
    value: Array
    rate: Array
    qdot: Array


class Smooth(NamedTuple):
    """What the smooth motion with some rows held needs at a state, and no more.

    Attributes
    ----------
    mass, load : (nv, nv) and (nv,) arrays
        M, and Q + C.
    rows, rhs : (k, nv) and (k,) arrays
        Of the held rows.
    qdot : (nq,) array
    """

    mass: Array
    load: Array
    rows: Array
    rhs: Array
    qdot: Array


Motion = Callable[[Array, float, Parameters], Array]
"""(q', v') as a function of y = (q, v), t and the parameters."""

SmoothPart = Callable[[Array, float, Parameters], Smooth]
"""What the smooth motion needs, as a function of y = (q, v), t and the parameters."""


class Dynamics(Protocol):
    """A source of numbers.

    Attributes
    ----------
    nq, nv : int
        Positions and velocities.
    layout : RowTable
        The constraint rows.
    constant_mass : (nv, nv) array or None
        The mass where it depends on nothing: one array, always the same object.
    needs_ideal_force : bool
        Whether the non-ideal force can only be had from the ideal one (:meth:`nonideal_force`).
    switches : Switches
        Contacts that exist only while a condition holds.
    """

    @property
    def nq(self) -> int: ...
    @property
    def nv(self) -> int: ...
    @property
    def layout(self) -> RowTable: ...
    @property
    def constant_mass(self) -> Array | None: ...
    @property
    def needs_ideal_force(self) -> bool: ...
    @property
    def switches(self) -> Switches: ...

    def evaluate(self, q: Array, v: Array, t: float, parameters: Parameters) -> Values:
        """All numbers at a state; what is not finite is refused with the function's name."""
        ...

    def smooth(self, held: Indices) -> SmoothPart | None:
        """The numbers that the motion with these rows held needs, and no others.

        None where it takes the whole of :meth:`evaluate` to get them.
        """
        ...

    def free_motion(self) -> Motion | None:
        """The motion without any row held as one function, where there is such a function."""
        ...

    @property
    def enclosures(self) -> Enclosures | None:
        """What can be proved of the functions between the points; None where nothing can."""
        ...

    @property
    def programs(self) -> Programs | None:
        """What a compiled engine can take of it; None where there is nothing."""
        ...

    @property
    def energy_graphs(self) -> EnergyGraphs | None:
        """What the energy account needs of the graphs; None where there are none."""
        ...

    @property
    def variation_graphs(self) -> VariationGraphs | None:
        """Derivatives of all numbers by state, time and parameters; None where there are none."""
        ...

    def gap_and_rate(
        self, row: int, y: Array, t: float, parameters: Parameters
    ) -> tuple[float, float]:
        """Value and rate of one row at y = (q, v)."""
        ...

    def sample(
        self, rows: Indices, states: Array, times: Array, parameters: Parameters
    ) -> tuple[Array, Array]:
        """Values and rates of some rows, (k, len(rows)), at states (k, nq + nv) and times (k,)."""
        ...

    def nonideal_force(
        self, q: Array, v: Array, t: float, ideal_force: Array, parameters: Parameters
    ) -> Array:
        """C where it depends on the ideal force, (nv,)."""
        ...

    def velocity_map(self, q: Array, t: float, parameters: Parameters) -> Array | None:
        """N with q' = N v, (nq, nv); None for the identity."""
        ...

    def potential(self, q: Array, t: float, parameters: Parameters) -> float:
        """Potential energy, where the system has one."""
        ...

    def watch(self, q: Array, v: Array, t: float, parameters: Parameters) -> None:
        """Called at every state that is evaluated, to compare the numbers with their origin.

        It may refuse the state, or do nothing.
        """
        ...
