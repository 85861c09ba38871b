"""What the user writes: the kinds of constraint, and contacts.

Nothing is computed here. Functions are plain numpy; they may take named parameters after their
standard arguments, whose values are in ``System(parameters=...)``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import numpy as np

from ..base.arrays import Array
from ..base.errors import ModelError
from ..base.words.choices import keywords_checked

__all__ = [
    "COEFFICIENTS",
    "Constraint",
    "Contact",
    "Function",
    "Holonomic",
    "Nonholonomic",
    "Servo",
    "VelocityLimit",
]

Function = Callable[..., Any]

COEFFICIENTS: Mapping[str, float] = MappingProxyType({
    "restitution": 1.0, "friction": np.inf, "static_friction": np.inf,
    "tangential_restitution": 1.0,
})  # fmt: skip
"""The coefficients of a contact, each with the largest value it can have."""


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


@keywords_checked
@dataclass(frozen=True)
class Holonomic(_ByHand):
    """A constraint on positions: phi(q, t) = 0, scalar or vector.

    >>> Holonomic("rod", lambda q, t: q[0]**2 + q[1]**2 - 1.0).name
    'rod'
    """

    name: str
    phi: Function


@keywords_checked
@dataclass(frozen=True)
class Nonholonomic(_ByHand):
    """A constraint on velocities: phi(q, v, t) = 0, which may be nonlinear in v."""

    name: str
    phi: Function


@keywords_checked
@dataclass(frozen=True)
class VelocityLimit(_ByHand):
    """An inequality on velocities: psi(q, v, t) >= 0."""

    name: str
    psi: Function

    @property
    def phi(self) -> Function:
        """The function, under the name the other constraints have for it."""
        return self.psi


@keywords_checked
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


@keywords_checked
@dataclass(frozen=True)
class Contact(_ByHand):
    """A unilateral contact: gap(q, t) >= 0, with Coulomb friction where it has a slip.

    Attributes
    ----------
    gap : callable
        Distance; twice differentiable near contact. One contact for each feature. With friction it
        must be a true distance: with ``gap = 2 * y`` the friction would be halved.
    restitution : float, sequence or str
        Between 0 (plastic) and 1 (elastic); one for each row of a vector gap, or one for all. A
        string is the name of a parameter of the system, so that
        :meth:`~gauss_opt.System.with_parameters` can change it.
    active_when : callable, optional
        Function of (q, v, t): the contact exists only while it is true. When it becomes true with
        the gap at zero, the contact closes.
    passable : bool
        Whether bodies may come from behind the surface, as on a platform that can be jumped on from
        below: at the start, or when ``active_when`` becomes true, the gap may be below zero, and
        the contact holds nothing until it has come up. Otherwise that is an error.
    slip : callable, optional
        Velocity of the body along the surface, function of (q, v, t), affine in v: one number for
        each row of the gap in the plane, two (along orthonormal directions) in space.
    friction : float, sequence or str
        Coefficient mu of Coulomb's law, as for ``restitution``.
    static_friction : float, sequence or str, optional
        Coefficient while the contact sticks, at least ``friction``; the same when left out.
    tangential_restitution : float, sequence or str
        Part of the slip that an impact reverses where friction allows (a superball has 1), between
        0 and 1; for Newton's law.

    Examples
    --------
    A ball of radius R that may roll, slide and bounce; q is x, y and the angle:

    >>> R = 0.1
    >>> floor = Contact("floor", lambda q, t: q[1] - R, 0.5, friction=0.3,
    ...                 slip=lambda q, v, t: v[0] + R * v[2])
    >>> floor.rough
    True
    """

    name: str
    gap: Function
    restitution: float | Sequence[float] | str = 0.0
    active_when: Function | None = None
    passable: bool = False
    slip: Function | None = field(default=None, kw_only=True)
    friction: float | Sequence[float] | str = field(default=0.0, kw_only=True)
    static_friction: float | Sequence[float] | str | None = field(default=None, kw_only=True)
    tangential_restitution: float | Sequence[float] | str = field(default=0.0, kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        named = self.named
        values = {word: self._values(word, {}) for word in COEFFICIENTS if word not in named}
        for word in values:
            given = getattr(self, word)
            if given is not None and np.ndim(given):  # a list could be changed afterwards
                object.__setattr__(self, word, tuple(np.asarray(given).tolist()))
        rubs = [word for word in COEFFICIENTS if word in named or values[word].any()]
        if self.slip is None and rubs not in ([], ["restitution"]):
            raise ModelError(
                f"{self}: friction needs slip=, the velocity along the surface as a function of "
                f"(q, v, t), for instance slip=lambda q, v, t: v[0]"
            )
        if not named:
            self._require_higher(values)

    @property
    def named(self) -> dict[str, str]:
        """The coefficients that are parameters of the system, with the names of these."""
        given = {word: self._given(word) for word in COEFFICIENTS}
        return {word: name for word, name in given.items() if isinstance(name, str)}

    def coefficients(self, parameters: Mapping[str, Any]) -> dict[str, Array]:
        """All coefficients, each one value or one for each row; out of their bounds is an error.

        >>> floor = Contact("floor", lambda q, t: q[1], restitution="e")
        >>> floor.coefficients({"e": 0.7})["restitution"]
        array([0.7])
        """
        values = {word: self._values(word, parameters) for word in COEFFICIENTS}
        self._require_higher(values)
        return values

    def _given(self, word: str) -> Any:
        given = getattr(self, word)
        return self.friction if word == "static_friction" and given is None else given

    def _values(self, word: str, parameters: Mapping[str, Any]) -> Array:
        given, most = self._given(word), COEFFICIENTS[word]
        value, what = given, word
        if isinstance(given, str):
            value, what = self._parameter(word, given, parameters), f"{word} (parameter {given!r})"
        try:
            values = np.atleast_1d(np.asarray(value))
        except ValueError:  # a ragged list
            values = np.array([None])
        fits = values.dtype.kind in "fiu" and values.ndim == 1 and values.size > 0
        if not fits or not ((values >= 0) & (values <= most) & np.isfinite(values)).all():
            raise ModelError(f"{self}: {what} must be {_bounds(word)}, got {value!r}")
        return values.astype(float)

    def _parameter(self, word: str, name: str, parameters: Mapping[str, Any]) -> Any:
        if name not in parameters:
            known = ", ".join(map(repr, parameters)) or "none"
            raise ModelError(
                f"{self}: {word} must be {_bounds(word)}, or the name of a parameter of the "
                f"system; got {name!r}, and System(parameters=...) has: {known}"
            )
        return parameters[name]

    def _require_higher(self, values: Mapping[str, Array]) -> None:
        """Static friction is at least as high as friction."""
        static, friction = values["static_friction"], values["friction"]
        fits = friction.size == static.size or 1 in (friction.size, static.size)
        if not fits or (static < friction).any():
            raise ModelError(
                f"{self}: static_friction must be at least friction, got {_shown(static)} and "
                f"{_shown(friction)}"
            )

    @property
    def rough(self) -> bool:
        """Whether it has a slip, and so may have friction."""
        return self.slip is not None

    @property
    def phi(self) -> Function:
        """The gap, under the name the other constraints have for it."""
        return self.gap


Constraint = Holonomic | Nonholonomic | VelocityLimit | Servo


def _bounds(word: str) -> str:
    """What a coefficient may be, in words."""
    return "between 0 and 1" if COEFFICIENTS[word] == 1.0 else "a finite number, at least 0"


def _shown(values: Array) -> str:
    """One number, or all of them."""
    return f"{values[0]:g}" if len(values) == 1 else str(values.tolist())


def _check_name(name: object) -> None:
    if not isinstance(name, str) or not name:
        raise ModelError(f"a constraint's name must be a non-empty string, got {name!r}")
