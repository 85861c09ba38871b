"""How far a study is: done, failed, points per second, time that remains."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from time import monotonic
from typing import Any

__all__ = ["Progress", "reporter"]


@dataclass(frozen=True)
class Progress:
    """A moment of a study.

    Attributes
    ----------
    done, total : int
        Points with a row, and all.
    failed : int
        Rows that say why there are no values.
    computed : int
        Points that were computed now; the others were in the table.
    seconds : float
        Wall time so far.

    Examples
    --------
    >>> print(Progress(done=600, total=1000, failed=2, computed=500, seconds=4.0))
    600 of 1000 points, 2 failed, 125 per second, 3 s left
    """

    done: int
    total: int
    failed: int
    computed: int
    seconds: float

    @property
    def rate(self) -> float:
        """Points per second."""
        return self.computed / self.seconds if self.seconds else 0.0

    @property
    def remaining(self) -> float:
        """Seconds left at this rate; infinite before the first point."""
        left = self.total - self.done
        return left / self.rate if self.rate else float("inf") if left else 0.0

    def __str__(self) -> str:
        words = [f"{self.done} of {self.total} points"]
        if self.failed:
            words.append(f"{self.failed} failed")
        if self.computed:
            words += [f"{self.rate:.3g} per second", f"{_duration(self.remaining)} left"]
        return ", ".join(words)


def _duration(seconds: float) -> str:
    """Seconds in words.

    >>> _duration(3.2), _duration(200), _duration(9000)
    ('3 s', '3 min 20 s', '2 h 30 min')
    """
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


Report = Callable[[int, int, int], None]


@contextmanager
def reporter(progress: bool | Callable[[Progress], Any], total: int) -> Iterator[Report]:
    """A function to call with the number of points done, failed and computed."""
    start = monotonic()

    def now(done: int, failed: int, computed: int) -> Progress:
        return Progress(done, total, failed, computed, monotonic() - start)

    if callable(progress):
        yield lambda *counts: progress(now(*counts)) and None
    elif progress and sys.stderr.isatty():
        from rich.console import Console
        from rich.progress import BarColumn, TextColumn
        from rich.progress import Progress as Bars

        columns = (BarColumn(), TextColumn("{task.description}"))
        with Bars(*columns, console=Console(stderr=True), transient=True) as bar:
            task = bar.add_task("sweep", total=total)
            yield lambda *counts: bar.update(
                task, completed=counts[0], description=str(now(*counts))
            )
    else:
        yield lambda *counts: None
