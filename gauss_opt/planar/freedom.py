"""Degrees of freedom of a mechanism: how many, which joints are redundant, what can move."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..base.arrays import Array
from ..base.tolerances.planar import DEPENDENT_ROWS, TAKES_PART
from ..model.snapshot import evaluate
from ..model.system import System
from .parts import Parts

__all__ = ["Freedom", "free_directions", "freedom_of", "takes_part"]


@dataclass(frozen=True, eq=False)
class Freedom:
    """What the joints leave free at a state.

    Attributes
    ----------
    degrees : int
        Degrees of freedom: independent velocities that the joints allow.
    redundant : int
        Rows of joints that follow from the others.
    redundant_joints : dict
        Joints by name that hold less than they have rows, given the others, with how many of
        their rows follow. Any one of them may be the redundant one.
    directions : (nv, degrees) array
        Independent velocities that are free.
    moving : dict
        For each body by name the coordinates that can move: ``("x", "y", "angle")`` or fewer.
    """

    degrees: int
    redundant: int
    redundant_joints: dict[str, int]
    directions: Array
    moving: dict[str, tuple[str, ...]]

    def __str__(self) -> str:
        noun = "degree" if self.degrees == 1 else "degrees"
        lines = [f"{self.degrees} {noun} of freedom"]
        if self.redundant:
            spare = self.redundant_joints.items()
            which = ", ".join(f"{name!r} ({count})" for name, count in spare)
            rows = "row follows" if self.redundant == 1 else "rows follow"
            lines.append(
                f"{self.redundant} {rows} from the others; joints with rows to spare: {which}"
            )
        for name, axes in self.moving.items():
            lines.append(f"  {name}: {', '.join(axes) if axes else 'held'}")
        return "\n".join(lines)

    __repr__ = __str__


def freedom_of(parts: Parts, system: System, q: Array, v: Array, t: float) -> Freedom:
    """What the joints leave free at a state."""
    snapshot = evaluate(system, q, v, t)
    layout = snapshot.layout
    rows = snapshot.rows[layout.equalities]
    owner = np.array(layout.names[layout.equalities], dtype=object)
    rank = _rank(rows)
    spare: dict[str, int] = {}
    for joint in parts.joints:
        names = {item.name for item in joint.constraints}
        mine = np.array([name in names for name in owner], dtype=bool)
        count = int(mine.sum()) - (rank - _rank(rows[~mine]))
        if mine.any() and count > 0:
            spare[joint.name] = count
    free = free_directions(rows)
    moving = {
        body.name: tuple(
            axis
            for axis, slot in zip(("x", "y", "angle"), body.slots, strict=False)
            if takes_part(free, slot)
        )
        for body in parts.bodies
        if body.moves
    }
    return Freedom(rows.shape[1] - rank, len(rows) - rank, spare, free, moving)


def free_directions(rows: Array) -> Array:
    """Velocities that rows allow, as columns, orthonormal."""
    n = rows.shape[1]
    if not len(rows):
        return np.eye(n)
    _, values, directions = np.linalg.svd(_unit(rows))
    rank = int(np.count_nonzero(values > DEPENDENT_ROWS * values.max(initial=0.0)))
    free: Array = directions[rank:].T
    return free


def takes_part(free: Array, slot: int) -> bool:
    """Whether a coordinate moves in any free direction."""
    return bool(np.abs(free[slot]).max(initial=0.0) > TAKES_PART)


def _rank(rows: Array) -> int:
    if not len(rows):
        return 0
    values = np.linalg.svd(_unit(rows), compute_uv=False)
    return int(np.count_nonzero(values > DEPENDENT_ROWS * values.max(initial=0.0)))


def _unit(rows: Array) -> Array:
    sizes = np.linalg.norm(rows, axis=1, keepdims=True)
    unit: Array = np.divide(rows, sizes, out=np.zeros_like(rows), where=sizes > 0.0)
    return unit
