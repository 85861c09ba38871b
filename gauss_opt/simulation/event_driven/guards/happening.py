"""What can be found inside a step."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import NamedTuple

import numpy as np

from ....base.arrays import Indices
from ...settings import UserEvent

__all__ = ["Happening", "HappeningKind"]


NO_ROWS: Indices = np.arange(0)


class HappeningKind(StrEnum):
    """What is found inside a step; what comes of it, if anything, is an event."""

    CONTACT = "contact"
    GRAZE = "graze"
    LIMIT = "limit"
    RELEASE = "release"
    SLIP = "slip"
    STOP = "stop"
    JAM = "jam"
    SWITCH = "switch"
    BEHIND = "behind"
    USER = "user"


class Happening(NamedTuple):
    """Something found inside a step.

    Attributes
    ----------
    t : float
        When.
    kind : HappeningKind
    rows : array of int
        Constraint rows concerned; of a switch, the contacts that cease to exist.
    users : tuple of (int, str)
        User events at that time: the number of each, and ``"rising"`` or ``"falling"``.
    on : array of int
        Contacts that begin to exist, on their surface.
    slides : tuple of int
        Tangents along which contacts begin to slip; of those backward, minus the number.
    """

    t: float
    kind: HappeningKind
    rows: Indices
    users: tuple[tuple[int, str], ...] = ()
    on: Indices = NO_ROWS
    slides: tuple[int, ...] = ()

    def terminal(self, events: Sequence[UserEvent]) -> list[UserEvent]:
        """The user events at that time that end the run."""
        return [events[number] for number, _ in self.users if events[number].terminal]

    def stops(self, events: Sequence[UserEvent]) -> bool:
        """Whether it is more than a user event to take note of."""
        return self.kind != HappeningKind.USER or bool(self.terminal(events))
