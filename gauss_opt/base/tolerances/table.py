"""The table of tolerances, and how a room of the package writes into it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

__all__ = ["TOLERANCES", "Room", "Tolerance"]

Value = TypeVar("Value", float, tuple[float, ...])


@dataclass(frozen=True)
class Tolerance:
    """What is known about one tolerance.

    Attributes
    ----------
    name : str
        The constant.
    value : float, or several
        Its value.
    relative_to : str
        What it is multiplied by before it is compared: ``"nothing"`` for what has no unit.
    used_for : str
        What is decided with it.
    room : str
        The part of the package it belongs to.
    """

    name: str
    value: float | tuple[float, ...]
    relative_to: str
    used_for: str
    room: str


TOLERANCES: dict[str, Tolerance] = {}
"""All tolerances by name."""


@dataclass(frozen=True)
class Room:
    """Writes the tolerances of one room into the table, and returns each as the plain number.

    Parameters
    ----------
    name : str
        The room, as its folder is called.
    """

    name: str

    def __call__(self, name: str, value: Value, relative_to: str, used_for: str) -> Value:
        """Write one line of the table. A name that is taken is an error."""
        if name in TOLERANCES:
            raise ValueError(f"{name} is a tolerance of {TOLERANCES[name].room} already")
        TOLERANCES[name] = Tolerance(name, value, relative_to, used_for, self.name)
        return value
