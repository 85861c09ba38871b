"""What the user says about coordinates: their names, their units, and the bodies that they move."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..base.errors import ModelError
from ..base.words.choices import choices

__all__ = ["checked_bodies", "checked_coordinates", "checked_units"]


def checked_coordinates(names: Sequence[str] | None, nq: int | None) -> tuple[str, ...] | None:
    """The names of the positions; each is there once, and there is one for each position."""
    if names is None:
        return None
    found = tuple(map(str, names))
    if len(set(found)) < len(found):
        raise ModelError(f"coordinates= repeats a name: {', '.join(found)}")
    _require_length("coordinates", "names", found, nq)
    return found


def checked_units(units: Sequence[str] | None, nq: int | None) -> tuple[str, ...] | None:
    """The units of the positions, one for each."""
    if units is None:
        return None
    if isinstance(units, str):
        raise ModelError(
            f"units= must be a list with a unit for each coordinate: write units=[{units!r}, ...]"
        )
    for unit in units:
        if not isinstance(unit, str) or not unit.strip():
            raise ModelError(
                f"units= has {unit!r}: a unit is a word such as 'm' or 'rad', and '1' for a number"
            )
    found = tuple(unit.strip() for unit in units)
    _require_length("units", "entries", found, nq)
    return found


def _require_length(word: str, what: str, given: tuple[str, ...], nq: int | None) -> None:
    if nq is not None and len(given) != nq:
        raise ModelError(f"{word}= has {len(given)} {what} for nq={nq} positions")


def checked_bodies(
    bodies: Mapping[str, Sequence[str | int]] | None,
    coordinates: Sequence[str] | None,
    units: Sequence[str] | None,
) -> dict[str, tuple[int, ...]]:
    """The bodies by name, each with the indices of its coordinates.

    >>> checked_bodies({"rod": ["x", "y", 2]}, ["x", "y", "angle"], ["m", "m", "rad"])
    {'rod': (0, 1, 2)}
    """
    if not bodies:
        return {}
    if units is None:
        raise ModelError(
            "bodies= needs units=: lengths and angles of a body are told apart by their units"
        )
    found: dict[str, tuple[int, ...]] = {}
    taken: dict[int, str] = {}
    for body, members in bodies.items():
        if isinstance(members, str):
            raise ModelError(f"body {body!r} must have a list of coordinates, got {members!r}")
        indices = tuple(_index(body, member, coordinates, len(units)) for member in members)
        for index in indices:
            if index in taken:
                name = coordinates[index] if coordinates else f"q[{index}]"
                raise ModelError(
                    f"coordinate {name} is in two bodies, {taken[index]!r} and {body!r}"
                )
            taken[index] = body
        found[str(body)] = indices
    return found


def _index(body: str, member: Any, names: Sequence[str] | None, count: int) -> int:
    if isinstance(member, str) and names is not None and member in names:
        return list(names).index(member)
    if isinstance(member, int) and not isinstance(member, bool) and 0 <= member < count:
        return member
    known = map(str, range(count)) if names is None else names
    raise ModelError(f"body {body!r} has no coordinate {member!r}; {choices(str(member), known)}")
