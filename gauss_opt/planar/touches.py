"""Where each contact of a mechanism is, and along which direction its force acts."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from .posture import Posture

if TYPE_CHECKING:
    from .parts import Parts

__all__ = ["Touch", "touches"]

Touch = Callable[[Posture], tuple[tuple[Any, Any], tuple[Any, Any]]]
"""From a posture to the point of contact and the normal: the direction of the force."""


def touches(parts: Parts) -> dict[str, Touch]:
    """Point and normal of each contact by name."""
    found: dict[str, Touch] = {}
    for joint in parts.joints:
        if joint.touch is not None:
            found[joint.constraints[0].name] = joint.touch
    return found
