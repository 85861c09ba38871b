"""Shapes of a planar picture: what a case draws of a state, without knowing how it is shown.

A drawing is a function of (q, t) that returns a list of shapes, the same kinds in the same order at
every state. Animations and reports show them; colours belong to roles, not to shapes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..base.arrays import Array
from ..base.errors import InputError
from ..base.words.choices import choices

__all__ = [
    "ROLES",
    "Drawing",
    "Shape",
    "arrow",
    "disc",
    "dot",
    "ground",
    "line",
    "pivot",
    "polygon",
    "spring",
    "text",
    "trail",
]

ROLES = ("body", "second", "third", "ground", "string", "ghost", "force", "accent")
"""What a shape stands for; each has one colour, told apart by colour-blind people too."""


@dataclass(frozen=True, eq=False)
class Shape:
    """One shape of a drawing.

    Attributes
    ----------
    kind : str
        ``"line"``, ``"polygon"`` (filled), ``"disc"``, ``"dot"``, ``"arrow"``, ``"trail"`` or
        ``"text"``.
    points : (k, 2) array
        In metres; one point for discs, dots, trails and texts.
    role : str
        One of :data:`ROLES`.
    size : float
        Radius of a disc in metres; of a dot in points; width of a line in points.
    text : str
        What a text says.
    contacts : tuple of str
        Contacts at whose impacts the shape flashes.
    """

    kind: str
    points: Array
    role: str
    size: float
    text: str = ""
    contacts: tuple[str, ...] = ()


Drawing = Callable[[Array, float], Sequence[Shape]]


def _shape(
    kind: str,
    points: Any,
    role: str,
    size: float,
    contacts: str | Sequence[str] = (),
    text: str = "",
) -> Shape:
    if role not in ROLES:
        raise InputError(f"no role is called {role!r}; {choices(str(role), ROLES)}")
    array = np.array(points, dtype=float).reshape(-1, 2)
    if not np.isfinite(array).all():
        raise InputError(f"a {kind} has a point that is not finite: {array.tolist()}")
    names = (contacts,) if isinstance(contacts, str) else tuple(contacts)
    return Shape(kind, array, role, float(size), text, names)


def line(
    points: ArrayLike, role: str = "body", width: float = 2.0, *, contacts: str | Sequence[str] = ()
) -> Shape:
    """Straight segments through points, (k, 2).

    >>> line([[0, 0], [1, 0]], role="string").points.shape
    (2, 2)
    """
    return _shape("line", points, role, width, contacts)


def polygon(points: ArrayLike, role: str = "body", *, contacts: str | Sequence[str] = ()) -> Shape:
    """A filled polygon with its outline."""
    return _shape("polygon", points, role, 1.5, contacts)


def disc(
    center: ArrayLike, radius: float, role: str = "body", *, contacts: str | Sequence[str] = ()
) -> Shape:
    """A filled circle of a radius in metres."""
    return _shape("disc", center, role, radius, contacts)


def dot(
    center: ArrayLike, role: str = "body", size: float = 6.0, *, contacts: str | Sequence[str] = ()
) -> Shape:
    """A point mass: its size is in points and does not zoom."""
    return _shape("dot", center, role, size, contacts)


def arrow(tail: ArrayLike, head: ArrayLike, role: str = "force", width: float = 2.0) -> Shape:
    """An arrow from tail to head."""
    return _shape("arrow", [tail, head], role, width)


def trail(point: ArrayLike, role: str = "ghost", width: float = 1.2) -> Shape:
    """The path that a point has taken so far."""
    return _shape("trail", point, role, width)


def text(at: ArrayLike, words: str, role: str = "string", size: float = 10.0) -> Shape:
    """Words centred at a point."""
    return _shape("text", at, role, size, text=words)


def spring(
    start: ArrayLike,
    end: ArrayLike,
    *,
    coils: int = 8,
    width: float = 0.1,
    role: str = "string",
) -> Shape:
    """A zigzag between two points; ``width`` is its half width in metres."""
    a, b = np.asarray(start, dtype=float), np.asarray(end, dtype=float)
    along = b - a
    length = float(np.hypot(*along)) or 1.0
    across = np.array([-along[1], along[0]]) / length
    places = np.array([0.0, 0.12, *np.linspace(0.18, 0.82, 2 * coils), 0.88, 1.0])
    sides = np.array([0.0, 0.0, *np.resize([1.0, -1.0], 2 * coils), 0.0, 0.0])
    return _shape("line", a + np.outer(places, along) + np.outer(width * sides, across), role, 1.5)


def ground(
    start: ArrayLike,
    end: ArrayLike,
    *,
    depth: float = 0.08,
    solid: str = "right",
    contacts: str | Sequence[str] = (),
) -> Shape:
    """A fixed surface from start to end; seen along this way it is solid on its right-hand side.

    A floor goes from left to right, a ceiling from right to left, a wall on the left of the room
    upwards on its left side: ``solid="left"``, or downwards.

    Parameters
    ----------
    depth : float
        How thick the solid part is drawn, in metres.
    solid : ``"right"`` or ``"left"``
        On which side of the way from start to end the ground is.

    Examples
    --------
    >>> ground([-1, 0], [1, 0]).points[2:, 1]  # going right, the solid side is below
    array([-0.08, -0.08])
    >>> ground([-1, 0], [1, 0], solid="left").points[2:, 1]
    array([0.08, 0.08])
    """
    if solid not in ("right", "left"):
        raise InputError(f"solid must be 'right' or 'left', got {solid!r}")
    depth = depth if solid == "right" else -depth
    a, b = np.asarray(start, dtype=float), np.asarray(end, dtype=float)
    along = b - a
    inward = depth * np.array([along[1], -along[0]]) / (float(np.hypot(*along)) or 1.0)
    return _shape("polygon", [a, b, b + inward, a + inward], "ground", 1.5, contacts)


def pivot(at: ArrayLike, size: float = 0.08, *, angle: float = 0.0, role: str = "ground") -> Shape:
    """A fixed pin: a triangle that stands on the ground, with its tip at the pin.

    Parameters
    ----------
    at : (2,) array_like
        The pin.
    size : float
        Height of the triangle in metres.
    angle : float
        How it is turned, in radians: 0 stands on the ground below, pi hangs from a ceiling.

    Examples
    --------
    >>> pivot([0, 1], 0.1).points.round(3).tolist()
    [[0.0, 1.0], [-0.06, 0.9], [0.06, 0.9]]
    """
    tip = np.asarray(at, dtype=float)
    down = size * np.array([np.sin(angle), -np.cos(angle)])
    along = 0.6 * np.array([-down[1], down[0]])
    return _shape("polygon", [tip, tip + down - along, tip + down + along], role, 1.5)
