"""A phase of a machine whose constraints change, and what ends it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..base.carrying import Carried
from ..base.errors import InputError, ModelError, UserFunctionError
from ..model.rows import RowTable
from ..model.system import System
from ..results.records import Event
from .settings import UserEvent, user_events

__all__ = ["NextPhase", "Phase", "ask_for_next", "endings", "require_alike"]


@dataclass(frozen=True, eq=False)
class Phase(Carried):
    """A system, and what ends its phase.

    Attributes
    ----------
    system : System
    until : str, callable, or sequence or mapping of them
        Names of contacts whose impact ends the phase, or functions of (q, v, t) whose zero does
        (with the attribute ``direction`` as in scipy).
    """

    system: System
    until: Any = ()


NextPhase = Callable[[int, Event], Phase | None]


def ask_for_next(next_phase: NextPhase, number: int, ending: Event) -> Phase | None:
    """The phase that the user wants next; what goes wrong in there is blamed on it."""
    try:
        following = next_phase(number, ending)
    except Exception as error:
        raise UserFunctionError(
            f"next_phase raised {type(error).__name__}: {error} (after phase {number}, at "
            f"t={ending.t:g})",
            function="next_phase",
            t=ending.t,
        ) from error
    if following is not None and not isinstance(following, Phase):
        raise InputError(f"next_phase must return a Phase or None, got {following!r}")
    return following


def endings(phase: Phase) -> tuple[frozenset[str], tuple[UserEvent, ...]]:
    """Names of contacts, and functions, that end a phase."""
    until = phase.until
    contacts: frozenset[str] = frozenset()
    if isinstance(until, str) or callable(until):
        until = [until]
    if isinstance(until, Sequence):
        contacts = frozenset(item for item in until if isinstance(item, str))
        until = [item for item in until if not isinstance(item, str)]
    known = [contact.name for contact in phase.system.contacts]
    for name in contacts:
        if name not in known:
            listed = ", ".join(known) or "none"
            raise ModelError(f"until={name!r} is not a contact of the phase; there are: {listed}")
    return contacts, tuple(replace(event, terminal=True) for event in user_events(until))


def require_alike(one: RowTable, other: RowTable) -> None:
    """Refuse a phase whose constraints have other names, kinds or sizes."""

    def listed(layout: RowTable) -> list[str]:
        return [f"{block.item} ({block.size})" for block in layout.blocks]

    if listed(one) != listed(other):
        raise ModelError(
            f"all phases must have constraints of the same names, kinds and sizes: "
            f"{', '.join(listed(one)) or 'none'} in the first, "
            f"{', '.join(listed(other)) or 'none'} in the next"
        )
