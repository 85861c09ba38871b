"""What the user writes: the kinds of constraint, and contacts.

Nothing is computed here. Functions are plain numpy; they may take named parameters after their
standard arguments, whose values are in ``System(parameters=...)``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..base.errors import ModelError

__all__ = [
    "Constraint",
    "Contact",
    "Function",
    "Holonomic",
    "Nonholonomic",
    "Servo",
    "VelocityLimit",
]

Function = Callable[..., Any]


@dataclass(frozen=True, kw_only=True)
class _ByHand:
    """Derivatives given by hand, for a function that cannot be traced.

    Attributes
    ----------
    jacobian : callable, optional
        d phi/dq as function of (q, t), shape (k, nq); for a constraint on velocities d phi/dv as
        function of (q, v, t), shape (k, nv).
    bias : callable, optional
        Function of (q, v, t), shape (k,): the second time derivative of phi (for a constraint on
        velocities the first) without the term that holds the acceleration.
    time_derivative : callable, optional
        d phi/dt at fixed q, function of (q, t); needed when phi depends on time explicitly. Not
        used for constraints on velocities.
    check_derivatives : bool
        Compare these with differences of the function at the start.
    """

    jacobian: Function | None = None
    bias: Function | None = None
    time_derivative: Function | None = None
    check_derivatives: bool = True

    def __post_init__(self) -> None:
        _check_name(self.name)  # type: ignore[attr-defined]
        if (self.jacobian is None) != (self.bias is None):
            raise ModelError(f"{self}: give jacobian= and bias= together, or neither")
        if self.time_derivative is not None and self.jacobian is None:
            raise ModelError(f"{self}: time_derivative= needs jacobian= and bias= as well")

    @property
    def by_hand(self) -> bool:
        """Whether the derivatives are given instead of traced."""
        return self.jacobian is not None

    def __str__(self) -> str:
        kind = type(self).__name__
        return f"{kind} {self.name!r}"  # type: ignore[attr-defined]


@dataclass(frozen=True)
class Holonomic(_ByHand):
    """A constraint on positions: phi(q, t) = 0, scalar or vector.

    >>> Holonomic("rod", lambda q, t: q[0]**2 + q[1]**2 - 1.0).name
    'rod'
    """

    name: str
    phi: Function


@dataclass(frozen=True)
class Nonholonomic(_ByHand):
    """A constraint on velocities: phi(q, v, t) = 0, which may be nonlinear in v."""

    name: str
    phi: Function


@dataclass(frozen=True)
class VelocityLimit(_ByHand):
    """An inequality on velocities: psi(q, v, t) >= 0."""

    name: str
    psi: Function

    @property
    def phi(self) -> Function:
        """The function, under the name the other constraints have for it."""
        return self.psi


@dataclass(frozen=True)
class Servo(_ByHand):
    """A trajectory to track exactly: phi(q, t) = 0 by a control force.

    A start off the trajectory decays by phi'' + 2 zeta w phi' + w^2 phi = 0.

    Attributes
    ----------
    frequency : float
        w in rad/s.
    damping : float
        zeta; 1 is critical.
    """

    name: str
    phi: Function
    frequency: float
    damping: float = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        for word, value in (("frequency", self.frequency), ("damping", self.damping)):
            if not isinstance(value, int | float | np.number) or not 0.0 <= float(value) < np.inf:
                raise ModelError(f"{self}: {word} must be a number >= 0, got {value!r}")


@dataclass(frozen=True)
class Contact(_ByHand):
    """A unilateral contact: gap(q, t) >= 0.

    Attributes
    ----------
    gap : callable
        Distance; twice differentiable near contact. One contact for each feature.
    restitution : float or sequence
        Between 0 (plastic) and 1 (elastic); one for each row of a vector gap, or one for all.
    active_when : callable, optional
        Function of (q, v, t): the contact exists only while it is true. When it becomes true with
        the gap at zero, the contact closes.
    passable : bool
        Whether bodies may come from behind the surface, as on a platform that can be jumped on from
        below: at the start, or when ``active_when`` becomes true, the gap may be below zero, and
        the contact holds nothing until it has come up. Otherwise that is an error.
    """

    name: str
    gap: Function
    restitution: float | Sequence[float] = 0.0
    active_when: Function | None = None
    passable: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        try:
            values = np.atleast_1d(np.asarray(self.restitution))
        except ValueError:  # a ragged list
            values = np.array([None])
        fits = values.dtype.kind in "fiu" and values.ndim == 1 and values.size > 0
        if not fits or not ((values >= 0) & (values <= 1)).all():
            raise ModelError(
                f"{self}: restitution must be between 0 and 1, got {self.restitution!r}"
            )

        if np.ndim(self.restitution):  # a list could be changed afterwards
            object.__setattr__(self, "restitution", tuple(values.tolist()))

    @property
    def phi(self) -> Function:
        """The gap, under the name the other constraints have for it."""
        return self.gap


Constraint = Holonomic | Nonholonomic | VelocityLimit | Servo


def _check_name(name: object) -> None:
    if not isinstance(name, str) or not name:
        raise ModelError(f"a constraint's name must be a non-empty string, got {name!r}")
