"""Names of what a result has columns of: coordinates, velocities, components, works."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from ..base.arrays import Array

if TYPE_CHECKING:
    from .result import Result

__all__ = ["WORKS", "by_component", "coordinate_names", "force_names", "velocity_names"]

WORKS = {
    "applied": "work of applied forces",
    "nonideal": "work of non-ideal forces",
    "servo": "work of servos",
    "constraint": "work of moving constraints",
}
"""Names of the works in an energy account; "applied" is without forces from the potential."""


def coordinate_names(result: Result) -> list[str]:
    """Names of the positions, ``q[i]`` unless the user gave others."""
    return list(result.coordinates) or [f"q[{i}]" for i in range(result.q.shape[1])]


def velocity_names(result: Result) -> list[str]:
    """Names of the velocities: those of the positions with "rate of", or ``v[i]``."""
    n = result.v.shape[1]
    if not result.coordinates or result.q.shape[1] != n:
        return [f"v[{i}]" for i in range(n)]
    return [f"rate of {name}" for name in coordinate_names(result)]


def force_names(result: Result) -> list[str]:
    """Names of generalised forces: each by the coordinate that it acts on, or ``v[i]``."""
    n = result.v.shape[1]
    return coordinate_names(result) if result.q.shape[1] == n else [f"v[{i}]" for i in range(n)]


def by_component(columns: Mapping[str, Array]) -> dict[str, Array]:
    """Vector quantities split into their components, ``name[i]``."""
    split: dict[str, Array] = {}
    for name, values in columns.items():
        if values.ndim == 1:
            split[name] = values
        else:
            split |= {f"{name}[{i}]": column for i, column in enumerate(values.T)}
    return split
