"""The events of a run: a tuple that shows itself as a table, and can become one."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, SupportsIndex, overload

import numpy as np

from ..base.optional import optional_package
from ..base.words import html
from .records import Event

__all__ = ["EventList"]


MOST_LINES = 50
HEAD = ("t", "kind", "contacts", "energy_change", "exact", "remarks")


class EventList(tuple[Event, ...]):
    """Events in the order of time; a part of it is one again.

    >>> EventList()
    no events
    """

    __slots__ = ()

    def of(self, *kinds: str) -> EventList:
        """Those of some kinds: ``result.events.of("impact", "accumulation")``."""
        return EventList(event for event in self if event.kind in kinds)

    def to_dataframe(self) -> Any:
        """One row for each event, as a pandas DataFrame; needs pandas.

        Columns are the time, the kind, the contacts (names with commas between them), the change
        of the kinetic energy, what is unusual, ``q[i]``, ``v_before[i]`` and ``v_after[i]``, and
        ``impulse NAME`` of whatever took part in an impact; NaN for what did not.
        """
        pandas = optional_package("pandas", "to_dataframe()")
        return pandas.DataFrame([_as_row(event) for event in self], columns=None if self else HEAD)

    @overload
    def __getitem__(self, index: SupportsIndex) -> Event: ...
    @overload
    def __getitem__(self, index: slice) -> EventList: ...

    def __getitem__(self, index: Any) -> Any:
        found = super().__getitem__(index)
        return EventList(found) if isinstance(index, slice) else found

    def __repr__(self) -> str:
        left_out = len(self) - MOST_LINES
        more = [f"and {left_out} more"] if left_out > 0 else []
        return "\n".join([*map(str, self[:MOST_LINES]), *more]) or "no events"

    def _repr_html_(self) -> str:
        if not self:
            return html.sentence("no events")
        head = ("t", "kind", "contacts", "energy change", "remarks")
        rows = (
            (
                f"{event.t:.12g}",
                event.kind,
                ", ".join(event.contacts),
                f"{event.energy_change:.6g}" if event.impulses else "",
                "; ".join(event.remarks),
            )
            for event in self
        )
        return html.table(head, rows, right=("t", "energy change"))


def _as_row(event: Event) -> dict[str, Any]:
    row: dict[str, Any] = {
        "t": event.t,
        "kind": str(event.kind),
        "contacts": ", ".join(event.contacts),
        "energy_change": event.energy_change,
        "exact": event.exact,
        "remarks": "; ".join(event.remarks),
    }
    for name, values in (("q", event.q), ("v_before", event.v_before), ("v_after", event.v_after)):
        row |= {f"{name}[{i}]": float(value) for i, value in enumerate(values)}
    for name, impulse in event.impulses.items():
        row |= _parts(f"impulse {name}", impulse)
    return row


def _parts(name: str, value: Any) -> Iterable[tuple[str, float]]:
    if np.ndim(value) == 0:
        return [(name, float(value))]
    return [(f"{name}[{i}]", float(part)) for i, part in enumerate(value)]
