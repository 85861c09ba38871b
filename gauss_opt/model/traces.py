"""The traces of a system, by number of velocities; a system that returns finds its own again."""

from __future__ import annotations

from collections import deque
from uuid import uuid4
from weakref import WeakValueDictionary

from .dynamics import Dynamics

__all__ = ["Traces"]

# So many of those that came from other processes are kept while no system has them: in a sweep one
# system goes before the next one comes.
KEPT = 8


class Traces(dict[int, Dynamics]):
    """What systems that differ in parameters share, within a process and under one name anywhere.

    A system takes the name along to other processes. The first of its kind to arrive is traced, the
    others find its traces; and one that comes back, in a result for instance, is not traced again.

    >>> traces = Traces()
    >>> Traces.known_as(traces.token) is traces
    True
    """

    def __init__(self, token: str = "") -> None:
        super().__init__()
        self.token = token or uuid4().hex
        _KNOWN[self.token] = self

    @classmethod
    def known_as(cls, token: str) -> Traces:
        """The traces of this name in this process; none so far where it is new here."""
        known = _KNOWN.get(token)
        if known is None:
            known = cls(token)
            _ARRIVED.append(known)
        return known


_KNOWN: WeakValueDictionary[str, Traces] = WeakValueDictionary()
_ARRIVED: deque[Traces] = deque(maxlen=KEPT)
