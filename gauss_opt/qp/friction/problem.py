"""The problem of contacts with Coulomb friction.

    M x - p = Ae'le + W_N l_N + W_T l_T,   Ae x = be
    0 <= u_N  perp  l_N >= 0,              u = W'x - w
    free contacts:     -l_T in mu (l_N + p_N) Sgn(u_T)                                     (C)
    sliding contacts:  l_T = -mu (l_N + p_N) d,  d the unit direction of the slip

It is (G) for given friction forces, but no minimisation by itself: the bound of the friction is
part of the answer. Rows are equalities, then normals (also those of contacts without friction and
of velocity limits), then tangents: one for each rough contact in the plane, two in space.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ...base.arrays import Array, Indices, real_array
from ...base.errors import InputError
from ...base.lazy import lazy
from ...base.tolerances.qp import UNIT_DIRECTION
from ..problem import GaussProblem

__all__ = ["FrictionProblem"]


@dataclass(frozen=True, eq=False)
class FrictionProblem:
    """An instance of (C). Make one with :meth:`create`, which checks everything.

    Attributes
    ----------
    smooth : GaussProblem
        Metric, load, and all rows: equalities, then normals and tangents.
    n_normal : int
        How many of the rows after the equalities are normals.
    normal_of : (k,) array of int
        For each tangent row the number of its normal, ascending.
    friction : (n_normal,) array
        mu; 0 for normals without tangents.
    slide : (k,) array
        d for the tangents of contacts that slide already; 0 for those that are free to choose.
    preload : (n_normal,) array
        p_N: normal force that is there besides l_N and counts for friction. It is part of the
        load already.
    """

    smooth: GaussProblem
    n_normal: int
    normal_of: Indices
    friction: Array
    slide: Array
    preload: Array

    @classmethod
    def create(
        cls,
        metric: ArrayLike,
        load: ArrayLike | None = None,
        *,
        target: ArrayLike | None = None,
        normals: ArrayLike,
        tangents: ArrayLike,
        friction: ArrayLike,
        normal_rhs: ArrayLike | None = None,
        tangent_rhs: ArrayLike | None = None,
        normal_of: Sequence[int] | None = None,
        slide: ArrayLike | None = None,
        preload: ArrayLike | None = None,
        Ae: ArrayLike | None = None,
        be: ArrayLike | None = None,
        equality_names: Sequence[str] | None = None,
        names: Sequence[str] | None = None,
        kind: str = "general",
    ) -> FrictionProblem:
        """Check the pieces of (C) and put them together. Give ``load`` or ``target``.

        Parameters
        ----------
        normals, tangents : (n_normal, n) and (k, n) arrays
            W_N' and W_T'.
        friction : float or (n_normal,) array
            mu of each normal.
        normal_rhs, tangent_rhs : arrays, optional
            w; zeros when left out.
        normal_of : sequence of int, optional
            The normal of each tangent; the one of the same number when left out.
        names : sequence of str, optional
            The contact of each normal.

        Examples
        --------
        A block of 2 kg on a rough floor, pushed with 3 N: it stays where it is.

        >>> problem = FrictionProblem.create(
        ...     [2.0, 2.0], [3.0, -19.62], normals=[[0, 1]], tangents=[[1, 0]], friction=0.2)
        >>> print(problem)
        FrictionProblem 'general': 2 coordinates, 0 equality rows, 1 normal, 1 tangent
        """
        W = np.atleast_2d(real_array("normals", normals))
        T = np.atleast_2d(real_array("tangents", tangents))
        nn, nt = len(W), len(T) if T.size else 0
        T = T if T.size else np.zeros((0, W.shape[1]))
        w = np.zeros(nn) if normal_rhs is None else _vector("normal_rhs", normal_rhs, nn)
        wt = np.zeros(nt) if tangent_rhs is None else _vector("tangent_rhs", tangent_rhs, nt)
        of = np.arange(nt) if normal_of is None else np.array(normal_of, dtype=np.intp)
        called = [f"contact {i}" for i in range(nn)] if names is None else [str(n) for n in names]
        if len(called) != nn:
            raise InputError(f"{nn} normals need as many names, got {len(called)}")
        _check_tangents(of, nn, nt)
        smooth = GaussProblem.create(
            metric, load, target=target, Ae=Ae, be=be, equality_names=equality_names,
            Ai=np.vstack([W, T]), bi=np.concatenate([w, wt]),
            inequality_names=called + [called[i] for i in of.tolist()], kind=kind,
        )  # fmt: skip
        mu = _each("friction", friction, nn)
        if (mu < 0.0).any():
            raise InputError(f"friction must not be negative, got {mu.min():g}")
        d = np.zeros(nt) if slide is None else _vector("slide", slide, nt)
        p = np.zeros(nn) if preload is None else _each("preload", preload, nn)
        if (p < 0.0).any():
            raise InputError(f"preload must not be negative, got {p.min():g}")
        problem = cls(smooth, nn, of, mu, d, p)
        problem._check_directions()
        return problem

    def _check_directions(self) -> None:
        squares = np.bincount(self.normal_of, self.slide**2, minlength=self.n_normal)
        off = np.minimum(np.abs(squares - 1.0), np.abs(squares))
        if (off > UNIT_DIRECTION).any():
            i = int(off.argmax())
            raise InputError(
                f"slide of {self.contact_names[i]!r} has length {np.sqrt(squares[i]):g}: it must "
                f"be a unit direction for a contact that slides, or 0 for one that is free"
            )

    @property
    def n(self) -> int:
        """Number of unknowns."""
        return self.smooth.n

    @property
    def n_equality(self) -> int:
        """Number of equality rows."""
        return self.smooth.n_equality

    @property
    def n_inequality(self) -> int:
        """Number of normals and tangents."""
        return self.smooth.n_inequality

    @property
    def kind(self) -> str:
        """What the problem is for."""
        return self.smooth.kind

    @property
    def contact_names(self) -> tuple[str, ...]:
        """The contact (or limit) of each normal."""
        ne = self.n_equality
        return self.smooth.names[ne : ne + self.n_normal]

    @property
    def normals(self) -> slice:
        """The rows of normals."""
        return slice(self.n_equality, self.n_equality + self.n_normal)

    @property
    def tangents(self) -> slice:
        """The rows of tangents."""
        return slice(self.n_equality + self.n_normal, len(self.smooth.rhs))

    @lazy
    def tangents_of(self) -> tuple[Indices, ...]:
        """For each normal the numbers of its tangents."""
        return tuple(np.flatnonzero(self.normal_of == i) for i in range(self.n_normal))

    @lazy
    def in_space(self) -> bool:
        """Whether a contact has two tangents."""
        return any(len(tangents) > 1 for tangents in self.tangents_of)

    @lazy
    def sliding(self) -> Indices:
        """Normals of contacts whose direction of sliding is given."""
        moving: Indices = np.unique(self.normal_of[self.slide != 0.0])
        return moving

    def __str__(self) -> str:
        def counted(count: int, word: str) -> str:
            return f"{count} {word}" if count == 1 else f"{count} {word}s"

        return (
            f"FrictionProblem {self.kind!r}: {counted(self.n, 'coordinate')}, "
            f"{counted(self.n_equality, 'equality row')}, {counted(self.n_normal, 'normal')}, "
            f"{counted(len(self.slide), 'tangent')}"
        )

    __repr__ = __str__


def _vector(what: str, value: Any, n: int) -> Array:
    array = real_array(what, value)
    if array.shape != (n,):
        raise InputError(f"{what} must have shape ({n},), got {array.shape}")
    return array


def _each(what: str, value: Any, n: int) -> Array:
    array = real_array(what, value)
    return np.full(n, float(array)) if array.ndim == 0 else _vector(what, array, n)


def _check_tangents(normal_of: Indices, nn: int, nt: int) -> None:
    """Each tangent belongs to a normal, in ascending order, and no normal has more than two."""
    if normal_of.shape != (nt,) or (nt and not 0 <= normal_of.min() <= normal_of.max() < nn):
        raise InputError(f"normal_of must name one of the {nn} normals for each tangent")
    if (np.diff(normal_of) < 0).any() or np.bincount(normal_of, minlength=1).max() > 2:
        raise InputError("normal_of must ascend, with one or two tangents for a normal")
