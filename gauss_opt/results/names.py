"""Names and units of what a result has columns of: coordinates, velocities, forces, works."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from ..base.arrays import Array
from ..model.units import energy_unit, force_unit, rate_unit

if TYPE_CHECKING:
    from .result import Result

__all__ = [
    "UNKNOWN",
    "WORKS",
    "by_component",
    "coordinate_names",
    "coordinate_units",
    "energy_name",
    "force_names",
    "force_units",
    "velocity_names",
    "velocity_units",
]

WORKS = {
    "applied": "work of applied forces",
    "nonideal": "work of non-ideal forces",
    "servo": "work of servos",
    "constraint": "work of moving constraints",
    "friction": "work of friction",
}
"""Names of the works in an energy account; "applied" is without forces from the potential."""

UNKNOWN = {"q": "m, rad", "v": "m/s, rad/s", "a": "m/s², rad/s²", "force": "N, N m"}
"""What is shown where the system has no units: lengths and angles cannot be told apart."""


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


def coordinate_units(result: Result) -> list[str]:
    """Unit of each position."""
    return list(result.units) or [UNKNOWN["q"]] * result.q.shape[1]


def velocity_units(result: Result, order: int = 1) -> list[str]:
    """Unit of each velocity; of each acceleration for order 2."""
    if _known(result):
        return [rate_unit(unit, order) for unit in result.units]
    return [UNKNOWN["v" if order == 1 else "a"]] * result.v.shape[1]


def force_units(result: Result) -> list[str]:
    """Unit of the generalised force on each coordinate."""
    if _known(result):
        return [force_unit(unit, result.units) for unit in result.units]
    return [UNKNOWN["force"]] * result.v.shape[1]


def energy_name(result: Result) -> str:
    """Unit of energies."""
    return energy_unit(result.units)


def _known(result: Result) -> bool:
    """Whether the units of velocities follow from those of the positions."""
    return bool(result.units) and result.q.shape[1] == result.v.shape[1]


def by_component(columns: Mapping[str, Array]) -> dict[str, Array]:
    """Vector quantities split into their components, ``name[i]``."""
    split: dict[str, Array] = {}
    for name, values in columns.items():
        if values.ndim == 1:
            split[name] = values
        else:
            split |= {f"{name}[{i}]": column for i, column in enumerate(values.T)}
    return split
