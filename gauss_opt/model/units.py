"""Units of coordinates, and of what follows from them: velocities, forces, energy, impulses.

Masses are in kilograms and times in seconds, so the unit of a force follows from the lengths: N
where they are in metres, kg mm/s² where they are in millimetres.
"""

from __future__ import annotations

from collections.abc import Sequence

__all__ = [
    "ANGLES",
    "NUMBER",
    "energy_unit",
    "force_unit",
    "impulse_unit",
    "is_length",
    "rate_unit",
]

ANGLES = ("rad", "deg")
NUMBER = "1"
"""The unit of a coordinate that is a mere number."""


def is_length(unit: str) -> bool:
    """Whether a force acts along the coordinate: not an angle, and not a mere number."""
    return unit not in (*ANGLES, NUMBER)


def rate_unit(unit: str, order: int = 1) -> str:
    """Unit of the first or second derivative with respect to time.

    >>> rate_unit("m"), rate_unit("rad", 2), rate_unit("1")
    ('m/s', 'rad/s²', '1/s')
    """
    return f"{unit}/s" if order == 1 else f"{unit}/s²"


def energy_unit(units: Sequence[str]) -> str:
    """Unit of energies in a system whose coordinates have these units.

    >>> energy_unit(["m", "rad"]), energy_unit(["mm", "rad"])
    ('J', 'kg mm²/s²')
    """
    length = _only_length(units)
    return "J" if length == "m" else f"kg {length}²/s²"


def force_unit(unit: str, units: Sequence[str]) -> str:
    """Unit of the generalised force on a coordinate, whose work is an energy.

    >>> units = ["m", "rad"]
    >>> force_unit("m", units), force_unit("rad", units), force_unit("deg", ["deg"])
    ('N', 'N m', 'J/deg')
    """
    length, energy = _only_length(units), energy_unit(units)
    if unit == length:
        return "N" if length == "m" else f"kg {length}/s²"
    if unit == "rad":
        return "N m" if energy == "J" else energy
    return energy if unit == NUMBER else f"{energy}/{unit}"


def impulse_unit(force: str) -> str:
    """Unit of a force over a time.

    >>> impulse_unit("N m"), impulse_unit("kg mm/s²"), impulse_unit("J/deg")
    ('N m s', 'kg mm/s', 'J s/deg')
    """
    if ", " in force:
        return ", ".join(impulse_unit(one) for one in force.split(", "))
    if force.endswith("/s²"):
        return force[: -len("²")]
    above, slash, below = force.partition("/")
    return f"{above} s{slash}{below}"


def _only_length(units: Sequence[str]) -> str:
    """The unit of all lengths; metres where there are none, or several."""
    lengths = {unit for unit in units if is_length(unit)}
    return lengths.pop() if len(lengths) == 1 else "m"
