"""Whether a run gets stuck before a rank drop, and when to step over it."""

from __future__ import annotations

from collections import deque

import numpy as np

from ...base.arrays import Array
from ...mechanics.independence import independence
from ...model.snapshot import Snapshot
from ...results.dense_output import Piece
from .rank_drop import Landing, leap
from .run import Run

__all__ = ["RankWatch"]

COLLAPSED = 0.02  # a step this much smaller than the longest of late
FEWEST_STEPS = 4  # that are looked back on
NEARLY_DEPENDENT = 0.02  # unit rows this close to dependence may be about to drop in rank
NOISE = 30.0  # times the root of round-off over rtol: here round-off keeps the steps small
EXACT = 1e-9  # a correction by the constraints this small, relative, cannot get much better
WORSE = 1.5  # a landing gets worse when its correction grows by this


class RankWatch:
    """The last steps of a segment, and the best landing beyond a rank drop so far.

    Attributes
    ----------
    recent : deque of Piece
        Dense output of the last steps.
    correction : float
        Of the best landing that was tried in this segment.
    """

    def __init__(self, rtol: float) -> None:
        self.recent: deque[Piece] = deque(maxlen=40)
        self.correction = float("inf")
        noise = NOISE * float(np.sqrt(np.finfo(float).eps / rtol))
        self._nearly_dependent = max(NEARLY_DEPENDENT, noise)

    def forget(self) -> None:
        """A new segment begins."""
        self.recent.clear()
        self.correction = float("inf")

    def steps_collapse(self, next_step: float | None, run: Run) -> bool:
        """Whether steps have become far smaller than they were, with rows nearly dependent."""
        if next_step is None or not len(run.flow.held) or len(self.recent) < FEWEST_STEPS:
            return False
        longest = max(piece.t1 - piece.t0 for piece in self.recent)
        if next_step > COLLAPSED * longest:
            return False
        return independence(run.now, run.flow.held) < self._nearly_dependent

    def landing(self, run: Run, bound: float, *, last_resort: bool = False) -> Landing | None:
        """The state beyond a rank drop ahead, if there is one and it is time to go there.

        The nearer, the shorter the leap, but the more round-off is in what it starts from. So not
        before the landing is exact, or gets worse, or there is no other way.
        """
        if len(self.recent) < FEWEST_STEPS:
            return None

        def arrive(t: float, y: Array) -> Snapshot:
            return run.on_constraints(run.at(t, y))

        found = leap(list(self.recent), run.now, run.flow.held, arrive, bound)
        if found is None:
            return None
        self.correction = min(self.correction, found.correction)
        worse = found.correction > WORSE * self.correction
        return found if found.correction <= EXACT or worse or last_resort else None
