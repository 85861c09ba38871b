"""The error that names the function behind a number that is not finite."""

from __future__ import annotations

from ..base.arrays import Array
from ..base.errors import NonFiniteError
from .rows import RowTable

__all__ = ["WORDS", "not_finite"]

# What is wrong with a constraint, by the name of the number.
WORDS = {"value": "value", "rate": "rate", "rows": "normal", "rhs": "second derivative"}
_OTHERS = {"short mass": "mass", "N": "kinematics", "qdot": "kinematics"}


def not_finite(
    layout: RowTable, name: str, row: int, value: float, state: tuple[Array, Array, float]
) -> NonFiniteError:
    """The error for a value at a state (q, v, t); ``row`` where it is one of a constraint."""
    q, v, t = state
    if name in WORDS:
        label = str(layout.block_at(row).item)
        what = f"the {WORDS[name]} of {label} is not finite"
    else:
        label = _OTHERS.get(name, name)
        what = f"{label} is not finite"
    return NonFiniteError(
        f"{what} ({value}) at t={t:g}, q={q}, v={v}: check the function for divisions by zero and "
        f"roots of negative numbers there",
        function=label,
        t=t,
    )
