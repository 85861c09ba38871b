"""Gaps that can never be negative: behind such a surface a body is as free as before it."""

from __future__ import annotations

from typing import Any

import casadi as ca

from ...base.errors import ModelError
from .extension import NoEnclosure, extended

__all__ = ["never_negative", "require_two_sides"]

ADVICE = (
    "write a gap that becomes negative behind the surface, like q[0] instead of abs(q[0]) or "
    "q[0]**2; for a wall with two sides use two contacts with active_when="
)

EVERYWHERE = 1e30

# A gap that ends in another operation, as distance - radius does, is not looked at.
LAST = {
    ca.OP_FABS, ca.OP_SQ, ca.OP_SQRT, ca.OP_HYPOT, ca.OP_ADD, ca.OP_MUL, ca.OP_TWICE, ca.OP_FMAX,
    ca.OP_POW, ca.OP_CONSTPOW,
}  # fmt: skip


def never_negative(arguments: list[Any], gap: Any) -> bool:
    """Whether a traced gap is proved to be zero or more wherever its arguments are.

    >>> x = ca.SX.sym("x")
    >>> [never_negative([x], gap) for gap in (ca.fabs(x), x * x, x - 1.0, ca.fabs(x) - 1.0)]
    [True, True, False, False]
    """
    function = ca.Function("gap", arguments, [gap])
    last = function.n_instructions() - 2  # the one before the output
    if last < 0 or function.instruction_id(last) not in LAST:
        return False
    boxes = [
        (ca.SX([-EVERYWHERE] * argument.shape[0]), ca.SX([EVERYWHERE] * argument.shape[0]))
        for argument in arguments
    ]
    try:
        lower, _ = extended(function, boxes)
    except NoEnclosure:
        return False
    # Zero exactly: what stays well above zero is harmless.
    return bool(lower.is_constant() and float(lower) == 0.0)


def require_two_sides(what: str, arguments: list[Any], gap: Any) -> None:
    """Refuse a gap that can never be negative."""
    if never_negative(arguments, gap):
        raise ModelError(f"the {what} can never be negative: {ADVICE}")
