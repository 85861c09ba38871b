"""How each contact stands: history, not a threshold on gaps; and what can happen to it.

The status is one small integer for each row of the layout, :class:`Status`, in an array of int8.
Every change is a function here, from a status to a new one; no status is ever written into. What
they keep true:

- a bilateral row carries force, always;
- a velocity limit is OPEN (inactive) or CARRYING (held at psi = 0);
- a contact is open (ABSENT, OPEN, LEAVING) or closed (RESTING or more, its gap rate is 0);
- only a contact with friction sticks or slides, and its tangents are always OPEN.

Closed rows are compared by order, so statuses of rows that carry force come last.
"""

from __future__ import annotations

from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from ...base.arrays import Indices, Mask
from ...model.rows import RowTable

__all__ = ["Status", "Statuses"]

Statuses = NDArray[np.int8]


class Status(IntEnum):
    """How a row stands.

    Attributes
    ----------
    ABSENT
        A contact that is switched off; or on again, but the bodies are behind its surface: it holds
        nothing until they have come up.
    OPEN
        Not in contact; for a velocity limit, not reached.
    LEAVING
        Open, was closed an instant ago and separates: its zero at the start of the segment is no
        crossing.
    RESTING
        Closed, without force.
    CARRYING
        Closed, with force: held as an equality.
    STICKING
        The same with friction, and held against slipping as well.
    FORWARD, BACKWARD
        Closed, with force, sliding in the positive or negative direction of its slip.
    """

    ABSENT = 0
    OPEN = 1
    LEAVING = 2
    RESTING = 3
    CARRYING = 4
    STICKING = 5
    FORWARD = 6
    BACKWARD = 7


ABSENT, OPEN, LEAVING, RESTING, CARRYING = (np.int8(status) for status in list(Status)[:5])
STICKING, FORWARD, BACKWARD = (np.int8(status) for status in list(Status)[5:])


def all_open(layout: RowTable, there: Mask | None = None) -> Statuses:
    """Every contact open, or absent where it is not ``there``, and every limit inactive."""
    status = np.full(layout.n_rows, OPEN)
    if there is not None:
        status[~there] = ABSENT
    status[layout.equalities] = CARRYING
    return status


def require_valid(status: Statuses, layout: RowTable) -> None:
    """Refuse what breaks the rules above with a ValueError."""
    if status.dtype != np.int8 or status.shape != (layout.n_rows,):
        raise ValueError(f"the status must be {layout.n_rows} small integers")
    if not np.isin(status, list(Status)).all():
        raise ValueError("a row has a status that does not exist")
    if (status[layout.equalities] != CARRYING).any():
        raise ValueError("a bilateral row does not carry force")
    limits = status[layout.limits]
    if not ((limits == OPEN) | (limits == CARRYING)).all():
        raise ValueError("a velocity limit is neither inactive nor held")
    if (status[layout.tangents] != OPEN).any():
        raise ValueError("a tangent has a status of its own")
    smooth = np.ones(layout.n_rows, dtype=bool)
    smooth[layout.normal_of] = False
    if (status[smooth] > CARRYING).any():
        raise ValueError("a row without slip sticks or slides")


def _rows(mask: Mask, first: int = 0) -> Indices:
    """Rows that a mask picks from ``first`` on; quicker than np.flatnonzero."""
    rows: Indices = mask.nonzero()[0]
    return rows + first if first else rows


# What it says


def held(status: Statuses) -> Indices:
    """Rows held as equalities: bilateral ones and those that carry force."""
    return _rows(status >= CARRYING)


def stuck(status: Statuses, layout: RowTable) -> Indices:
    """Tangent rows of contacts that stick: held like the rows that carry force."""
    return _rows(status[layout.normal_of] == STICKING, layout.tangents.start)


def slides(status: Statuses, layout: RowTable) -> tuple[int, ...]:
    """Tangent rows of contacts that slide; of those that slide backward, minus the number."""
    if not len(layout.normal_of):
        return ()
    states = status[layout.normal_of]
    rows = np.arange(layout.tangents.start, layout.tangents.stop)
    signed = np.where(states == FORWARD, rows, -rows)[states >= FORWARD]
    return tuple(signed.tolist())


def rubbing(status: Statuses) -> Mask:
    """Contacts that stick or slide, as a mask over all rows."""
    mask: Mask = status >= STICKING
    return mask


def in_problem(status: Statuses) -> Indices:
    """Rows that take part in (G): bilateral, closed, or reached."""
    return _rows(status >= RESTING)


def pressing(status: Statuses, layout: RowTable) -> Indices:
    """Contacts and limits that carry force: they may let go."""
    first = layout.equalities.stop
    return _rows(status[first:] >= CARRYING, first)


def idle(status: Statuses) -> Indices:
    """Closed contacts without force."""
    return _rows(status == RESTING)


def leaving(status: Statuses) -> Mask:
    """Contacts that separate from zero, as a mask over all rows."""
    mask: Mask = status == LEAVING
    return mask


def closed_contacts(status: Statuses, layout: RowTable) -> Indices:
    """Rows of closed contacts."""
    return _rows(status[layout.contacts] >= RESTING, layout.contacts.start)


def open_contacts(status: Statuses, layout: RowTable) -> Indices:
    """Rows of open contacts."""
    return _rows(status[layout.contacts] < RESTING, layout.contacts.start)


def present_and_open(status: Statuses, layout: RowTable) -> Indices:
    """Rows of open contacts that are there."""
    contacts = status[layout.contacts]
    return _rows((contacts < RESTING) & (contacts > ABSENT), layout.contacts.start)


def inactive_limits(status: Statuses, layout: RowTable) -> Indices:
    """Rows of velocity limits that are not held."""
    return _rows(status[layout.limits] < CARRYING, layout.limits.start)


def closed(status: Statuses) -> Mask:
    """Rows that are closed or held, as a mask: what an event may change."""
    mask: Mask = status >= RESTING
    return mask


# What happens


def struck(status: Statuses, contacts: Indices, stay: Mask) -> Statuses:
    """After an impact the contacts that ``stay`` are closed, the others leave.

    A contact that carried force and stays goes on carrying until (G) is asked, and slides or
    sticks as it did.
    """
    after = status.copy()
    after[contacts] = np.where(stay, np.maximum(status[contacts], RESTING), LEAVING)
    return after


def closed_again(status: Statuses, contacts: Indices) -> Statuses:
    """Contacts come to rest without an impact; (G) will say whether they carry force."""
    return struck(status, contacts, np.ones(len(contacts), dtype=bool))


def rubs(status: Statuses, rows: Indices, ways: Indices) -> Statuses:
    """Contacts with friction stick (way 0), or slide forward (1) or backward (-1)."""
    if not len(rows):
        return status
    after = status.copy()
    after[rows] = np.where(ways == 0, STICKING, np.where(ways > 0, FORWARD, BACKWARD))
    return after


def pressed(status: Statuses, rows: Indices) -> Statuses:
    """Contacts or limits are held from now on, as if they carried force."""
    if not len(rows):
        return status
    after = status.copy()
    after[rows] = np.maximum(status[rows], CARRYING)
    return after


def with_forces(status: Statuses, rows: Indices, carries: Mask, layout: RowTable) -> Statuses:
    """What (G) says about the rows in it: contacts carry or rest, limits are held or let go."""
    bilateral = layout.contacts.start  # so many rows come first
    if len(rows) == bilateral:
        return status
    after = status.copy()
    rows, carries = rows[bilateral:], carries[bilateral:]
    without = np.where(rows < layout.contacts.stop, RESTING, OPEN)
    after[rows] = np.where(carries, CARRYING, without)
    return after


def released(status: Statuses, rows: Indices, layout: RowTable) -> Statuses:
    """Rows let go: contacts leave, limits become inactive."""
    if not len(rows):
        return status
    after = status.copy()
    after[rows] = np.where(rows < layout.contacts.stop, LEAVING, OPEN)
    return after


def separated(status: Statuses, apart: Mask) -> Statuses:
    """Leaving contacts that are ``apart`` (over all rows) are open like any other."""
    return np.where((status == LEAVING) & apart, OPEN, status)


def switched_off(status: Statuses, rows: Indices) -> Statuses:
    """Contacts cease to exist."""
    after = status.copy()
    after[rows] = ABSENT
    return after


def as_switched(status: Statuses, there: Mask, apart: Mask) -> Statuses:
    """Open contacts that are not there are absent; absent ones that are, and are apart, open."""
    after = np.where((status < RESTING) & ~there, ABSENT, status)
    return np.where((after == ABSENT) & there & apart, OPEN, after)
