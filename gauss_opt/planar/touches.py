"""Where each contact of a mechanism is, and along which direction its force acts."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from .posture import Posture

if TYPE_CHECKING:
    from .contact.colliding import Collisions
    from .contact.rows import Row

__all__ = ["Touch", "touches"]

Touch = Callable[[Posture], tuple[tuple[Any, Any], tuple[Any, Any]]]
"""From a posture to the point of contact and the normal: the direction of the force."""


def touches(parts: Collisions) -> dict[str, Touch]:
    """Point and normal of each contact by name."""
    found: dict[str, Touch] = {}
    for joint in parts.joints:
        if joint.touch is not None:
            found[joint.constraints[0].name] = joint.touch
    for pair in parts.pairs:
        for row, contact in zip(pair.rows, pair.contacts, strict=True):
            found[contact.name] = _of_row(row)
    return found


def _of_row(row: Row) -> Touch:
    """Where a feature touches; the force on the body that moves, where only one does."""
    sign = 1.0 if row.second.moves else -1.0

    def touch(p: Posture) -> tuple[tuple[Any, Any], tuple[Any, Any]]:
        _, place, (nx, ny) = row.touching(p)
        return place, (sign * nx, sign * ny)

    return touch
