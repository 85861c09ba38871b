"""The system: mass, force, constraints and contacts, checked and traced when it is made."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..base.arrays import Array, real_array
from ..base.carrying import Carried, Unchanging
from ..base.errors import InputError, ModelError
from ..base.frozen import frozen_in_place
from ..base.lazy import made
from ..base.matrices import require_semidefinite, symmetrised
from ..base.words.choices import choices, keywords_checked
from .bodies import checked_bodies, checked_coordinates, checked_units
from .coefficients import Coefficients
from .constraints import Constraint, Contact, Function
from .dynamics import Dynamics
from .late_binding import require_own_functions
from .rows import RowTable
from .traces import Traces
from .tracing.tracer import trace_system

__all__ = ["System"]


@keywords_checked
@dataclass(frozen=True, eq=False)
class System(Carried, Unchanging):
    """A mechanical system: M(q, t) q'' = Q(q, v, t) plus what its constraints add.

    Parameters
    ----------
    mass : float, (nv,) array, (nv, nv) array, or function of (q, t)
        A function returns any of these three.
    force : function of (q, v, t), or constant
        Everything on the right-hand side: applied forces, and for a mass that depends on q the
        velocity terms as well. Left out: minus the gradient of ``potential``, or nothing.
    constraints : sequence of Holonomic, Nonholonomic, VelocityLimit, Servo
    contacts : sequence of Contact
    nonideal : function of (q, v, t) or of (q, v, t, ideal_force), optional
        The force C whose virtual work the constraints do. With a fourth argument it receives the
        ideal constraint force, so that a resistance can depend on the normal force.
    potential : function of (q, t), optional
        Potential energy of the forces in ``force``, for the energy account.
    kinematics : function of q, optional
        N(q) with q' = N(q) v, shape (nq, nv), where positions and velocities differ.
    nq, nv : int, optional
        Sizes, where the mass does not tell them.
    parameters : mapping, optional
        Values of the named parameters of functions and of coefficients of contacts; see
        :meth:`with_parameters`.
    coordinates : sequence of str, optional
        Names of the positions, for messages, tables and pictures.
    units : sequence of str, optional
        Unit of each position: a length such as "m", "rad", "deg", or "1" for a number. Masses are
        in kg and times in s; units of velocities and forces follow. Pictures then draw quantities
        of different units over different axes.
    bodies : mapping of str to sequences, optional
        Name of each body and the names (or indices) of the coordinates that move it: of a point
        its x and y, of a rigid body in the plane its angle as well. Pictures and reports then show
        forces on bodies.

    Examples
    --------
    >>> ball = System(mass=[1.0, 1.0], force=lambda q, v, t, g: np.array([0.0, -g]),
    ...               contacts=[Contact("floor", gap=lambda q, t: q[1])], parameters={"g": 9.81})
    >>> print(ball)
    System of 2 coordinates: no constraints; contacts 'floor'; parameters g=9.81
    >>> print(ball.with_parameters(g=1.62).parameters)
    {'g': 1.62}
    """

    mass: Any
    force: Any = None
    constraints: Sequence[Constraint] = ()
    contacts: Sequence[Contact] = ()
    nonideal: Function | None = field(default=None, kw_only=True)
    potential: Function | None = field(default=None, kw_only=True)
    kinematics: Function | None = field(default=None, kw_only=True)
    nq: int | None = field(default=None, kw_only=True)
    nv: int | None = field(default=None, kw_only=True)
    parameters: Mapping[str, Any] = field(default_factory=dict, kw_only=True)
    coordinates: Sequence[str] | None = field(default=None, kw_only=True)
    units: Sequence[str] | None = field(default=None, kw_only=True)
    bodies: Mapping[str, Sequence[str | int]] | None = field(default=None, kw_only=True)
    _dynamics: Traces = field(default_factory=Traces, init=False, repr=False)
    _coefficients: dict[RowTable, Coefficients] = field(
        default_factory=dict, init=False, repr=False
    )

    def __post_init__(self) -> None:
        set_field = object.__setattr__
        for word in ("constraints", "contacts"):
            given = getattr(self, word)
            if isinstance(given, (Constraint, Contact)):
                raise ModelError(f"{word}= must be a list: write {word}=[...] around {given}")
            set_field(self, word, tuple(given))
        self._check_kinds()
        if not callable(self.mass):
            set_field(self, "mass", _constant_mass(self.mass, self.coordinates))
        if self.force is not None and not callable(self.force):
            set_field(self, "force", real_array("force", self.force))
        if self.force is None and callable(self.mass):
            raise ModelError(
                "a mass that depends on q needs force=: its velocity terms belong there"
            )
        set_field(self, "parameters", _checked_parameters(self.parameters))
        self._check_coefficients()
        self._check_sizes()
        if self.nv is not None:
            self.dynamics(self.nv)

    def dynamics(self, nv: int) -> Dynamics:
        """The source of all numbers for a number of velocities; traced once and kept."""
        if nv not in self._dynamics:
            for word, given in (("coordinates", self.coordinates), ("units", self.units)):
                if given is not None and self.nq is None and len(given) != nv:
                    raise ModelError(f"{word}= has {len(given)} entries for {nv} positions")
            self._dynamics[nv] = trace_system(self, self.nq if self.nq is not None else nv, nv)
        return self._dynamics[nv]

    def coefficients(self, layout: RowTable) -> Coefficients:
        """Restitution and friction on the rows of its table, as the parameters have them."""
        if layout not in self._coefficients:
            self._coefficients[layout] = Coefficients.of(layout, self.parameters)
        return self._coefficients[layout]

    def _check_coefficients(self) -> None:
        """Refuse coefficients that are parameters and out of their bounds."""
        for contact in self.contacts:
            if contact.named:
                contact.coefficients(self.parameters)

    def _check_kinds(self) -> None:
        for item in self.constraints:
            if isinstance(item, Contact):
                raise ModelError(f"{item} belongs in contacts=, not in constraints=")
            if not isinstance(item, Constraint):
                raise ModelError(f"{item!r} in constraints= is not a kind of constraint")
        for contact in self.contacts:
            if not isinstance(contact, Contact):
                raise ModelError(f"{contact} in contacts= is not a Contact")
        require_own_functions(
            (f"the function of {item}", item.phi) for item in (*self.constraints, *self.contacts)
        )
        name, count = Counter(self.names).most_common(1)[0] if self.names else ("", 1)
        if count > 1:
            raise ModelError(f"two constraints are called {name!r}: names must be unique")

    def _check_sizes(self) -> None:
        set_field = object.__setattr__
        size = self.mass.shape[-1] if not callable(self.mass) and self.mass.ndim else None
        for word, value in (("nq", self.nq), ("nv", self.nv)):
            if value is not None and (not isinstance(value, (int, np.integer)) or value < 1):
                raise ModelError(f"{word} must be a whole number of at least 1, got {value!r}")
        if size is not None and self.nv not in (None, size):
            raise ModelError(f"the mass is for {size} velocities but nv={self.nv}")
        nv = size if size is not None else self.nv
        if nv is None and self.kinematics is None:
            nv = self.nq
        if self.nq not in (None, nv) and self.kinematics is None:
            raise ModelError(
                f"nq={self.nq} differs from nv={nv}: give kinematics=, the matrix N(q) with "
                f"q' = N(q) v"
            )
        if self.kinematics is not None and (self.nq is None or nv is None):
            raise ModelError("kinematics= needs nq= and nv= (or a mass that is an array)")
        set_field(self, "nv", nv)
        set_field(self, "nq", self.nq if self.nq is not None else nv)
        set_field(self, "coordinates", checked_coordinates(self.coordinates, self.nq))
        set_field(self, "units", checked_units(self.units, self.nq))
        if self.bodies and self.nq != self.nv:
            raise ModelError("bodies= needs velocities that are the rates of the positions")
        set_field(self, "bodies", checked_bodies(self.bodies, self.coordinates, self.units))

    @property
    def names(self) -> tuple[str, ...]:
        """Names of all constraints, then of all contacts, as given."""
        return tuple(item.name for item in (*self.constraints, *self.contacts))

    def with_parameters(self, **values: ArrayLike) -> System:
        """The same system with other values of some parameters; nothing is traced again."""
        for name, value in values.items():
            if name not in self.parameters:
                raise InputError(f"unknown parameter {name!r}; {choices(name, self.parameters)}")
            if np.shape(value) != np.shape(self.parameters[name]):
                raise InputError(
                    f"parameter {name!r} has shape {np.shape(self.parameters[name])}, "
                    f"got {np.shape(value)}"
                )
        parameters = _checked_parameters({**self.parameters, **values})
        own = {"parameters": parameters, "_coefficients": {}}
        changed = made(type(self), **{**vars(self), **own})
        changed._check_coefficients()
        return changed

    def departing(self) -> dict[str, Any]:
        """All but the traces: these stay, and are made again where they are not known."""
        left = {"parameters": dict(self.parameters), "_dynamics": self._dynamics.token}
        return {**vars(self), **left, "_coefficients": {}}

    def functions(self) -> Iterator[tuple[str, Any]]:
        """Whatever of it may be or hold a function."""
        for word in ("mass", "force", "nonideal", "potential", "kinematics"):
            yield word, getattr(self, word)
        for item in (*self.constraints, *self.contacts):
            yield str(item), item

    def __setstate__(self, state: dict[str, Any]) -> None:
        for given in (state["mass"], state["force"]):
            if isinstance(given, np.ndarray):
                frozen_in_place(given)
        state["parameters"] = _checked_parameters(state["parameters"])
        state["_dynamics"] = Traces.known_as(state["_dynamics"])
        self.__dict__.update(state)

    def coordinate_name(self, index: int) -> str:
        """Name of a position, ``q[index]`` unless the user gave one."""
        return f"q[{index}]" if self.coordinates is None else self.coordinates[index]

    @property
    def velocity_coordinates(self) -> Sequence[str] | None:
        """Names of the coordinates whose rates the velocities are, where there are such names."""
        return self.coordinates if self.nq == self.nv else None

    def __str__(self) -> str:
        size = f"of {self.nq} coordinates" if self.nq is not None else "of any size"
        if self.nq != self.nv:
            size += f" and {self.nv} velocities"
        parts = [f"{c.name!r} ({type(c).__name__.lower()})" for c in self.constraints]
        text = f"System {size}: " + (
            f"constraints {', '.join(parts)}" if parts else "no constraints"
        )
        if self.contacts:
            text += "; contacts " + ", ".join(repr(c.name) for c in self.contacts)
        if self.parameters:
            text += "; parameters " + ", ".join(f"{k}={v}" for k, v in self.parameters.items())
        return text

    __repr__ = __str__


def _checked_parameters(parameters: Mapping[str, Any]) -> Mapping[str, Any]:
    """Floats and read-only arrays, in a mapping nobody can change behind the traced functions."""
    for name in parameters:
        if name in ("q", "v", "t", "ideal_force"):
            raise ModelError(
                f"a parameter cannot be called {name!r}: that is an argument of every function"
            )
    values = {name: real_array(f"parameter {name!r}", v) for name, v in parameters.items()}
    for array in values.values():
        array.setflags(write=False)
    return MappingProxyType({k: float(v) if v.ndim == 0 else v for k, v in values.items()})


def _constant_mass(mass: Any, names: Sequence[str] | None) -> Array:
    """A scalar or a matrix; a vector becomes the diagonal of one."""
    array = real_array("mass", mass)
    if array.ndim == 0:
        if array <= 0:
            raise ModelError(f"mass must be positive, got {float(array)}")
        return array
    array = np.diag(array) if array.ndim == 1 else array
    if array.ndim != 2 or array.shape[0] != array.shape[1]:
        raise InputError(
            f"mass must be a number, a vector or a square matrix, got shape {array.shape}"
        )
    matrix = symmetrised(array, "mass")
    require_semidefinite(matrix, "mass", names if names and len(names) == len(matrix) else None)
    matrix.setflags(write=False)
    return matrix
