"""From the parts of a mechanism to its System: mass, forces, energy, constraints, coordinates."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..base.arrays import Array
from ..base.errors import ModelError
from ..model.constraints import Contact
from ..model.system import System
from .bodies import Body
from .parts import Parts
from .posture import Posture

__all__ = ["coordinates", "equalities", "masses", "system_of"]


def system_of(parts: Parts, gravity: tuple[float, float], contacts: list[Contact]) -> System:
    """The system of a mechanism, with contacts besides those of its joints."""
    moving = [body for body in parts.bodies if body.moves]
    if not moving:
        raise ModelError("nothing in this mechanism can move: add a body() or a particle()")
    _require_held(parts, moving)
    items = [item for joint in parts.joints for item in joint.constraints]
    return System(
        mass=masses(parts),
        force=_force(parts, gravity),
        constraints=[item for item in items if not isinstance(item, Contact)],
        contacts=[*(item for item in items if isinstance(item, Contact)), *contacts],
        potential=_potential(parts, gravity),
        coordinates=coordinates(parts),
    )


def masses(parts: Parts) -> Array:
    """Mass of each coordinate."""
    rows = [
        [body.mass, body.mass, body.inertia][: body.size] for body in parts.bodies if body.moves
    ]
    return np.concatenate(rows)


def coordinates(parts: Parts) -> list[str]:
    """Name of each coordinate."""
    return [
        f"{body.name}.{axis}" for body in parts.bodies for axis in ("x", "y", "angle")[: body.size]
    ]


def equalities(parts: Parts) -> list[Any]:
    """The constraints of all joints that are equalities."""
    return [
        item
        for joint in parts.joints
        for item in joint.constraints
        if type(item).__name__ in ("Holonomic", "Nonholonomic")
    ]


def _require_held(parts: Parts, moving: list[Body]) -> None:
    """Refuse a body without mass that no joint holds."""
    held = {body for joint in parts.joints for body in joint.bodies}
    for body in moving:
        missing = "mass" if body.mass == 0.0 else "inertia" if body.inertia == 0.0 else ""
        if missing and body not in held and not (missing == "inertia" and body.size == 2):
            raise ModelError(
                f"body {body.name!r} has no {missing} and no joint holds it: its acceleration is "
                f"undefined. Give it a {missing}, or connect it"
            )


def _force(parts: Parts, gravity: tuple[float, float]) -> Any:
    """All applied forces: an array where they are constant."""
    weight = np.concatenate([
        [gravity[0] * body.mass, gravity[1] * body.mass, 0.0][: body.size]
        for body in parts.bodies if body.moves
    ])  # fmt: skip
    if not parts.forces:
        return weight
    constant, forces = weight.tolist(), tuple(parts.forces)

    def force(q: Any, v: Any, t: Any) -> Any:
        p, total = Posture(q, v, t), list(constant)
        for element in forces:
            for load in element.loads(p):
                for slot, part in zip(load.body.slots, load[1:], strict=False):
                    total[slot] = total[slot] + part
        return np.array(total)

    return force


def _potential(parts: Parts, gravity: tuple[float, float]) -> Callable[[Any, Any], Any]:
    """Energy of weight and of springs."""
    weights = [(body, body.mass) for body in parts.bodies if body.moves and body.mass]
    forces = tuple(parts.forces)

    def potential(q: Any, t: Any) -> Any:
        p = Posture(q, None, t)
        total = 0.0 * q[0]
        for body, mass in weights:
            x, y, _ = p.place(body)
            total = total - mass * (gravity[0] * x + gravity[1] * y)
        for element in forces:
            part = element.potential(p)
            total = total if part is None else total + part
        return total

    return potential
