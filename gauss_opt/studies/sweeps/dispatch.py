"""Chunks on their way to workers and back, with workers that may die at any moment.

A chunk is about half a second of work, so that neither its way nor its loss matters. When a worker
dies, the chunks under way are suspects: each is sent again alone, in halves where it fails again,
until a single point is found that ends every process it comes to. That point gets a failure row.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from typing import Any

from ...base.errors import InputError, SimulationError
from .points import Point
from .pools import Pool
from .worker import FAILED, RawRow, run_chunk

__all__ = ["CHUNK_SECONDS", "Dispatch"]

CHUNK_SECONDS = 0.5
AHEAD = 2  # chunks for each worker, so that none waits for the next
MOST = 1000  # points of a chunk
LOOK = 0.5  # seconds after which Ctrl-C is looked for where waiting cannot be interrupted

Chunk = tuple[Point, ...]


@dataclass(eq=False)
class Dispatch:
    """The points of a study that have no row yet.

    Attributes
    ----------
    pool : Pool
    name, packed : str and bytes
        The recipe, as workers know it.
    waiting : deque of Point
    chunk : int or None
        Points of a chunk; None fits it to the time they take.
    """

    pool: Pool
    name: str
    packed: bytes
    waiting: deque[Point]
    chunk: int | None = None
    _running: dict[Any, Chunk] = field(default_factory=dict)
    _suspects: deque[Chunk] = field(default_factory=deque)
    _back: SimpleQueue[Any] = field(default_factory=SimpleQueue)
    _alone: bool = False
    _points: int = 0
    _seconds: float = 0.0

    def rows(self) -> Iterator[Sequence[RawRow]]:
        """Rows as they come, chunk by chunk."""
        while self.waiting or self._suspects or self._running:
            self._fill()
            future = self._next()
            chunk = self._running.pop(future, None)
            if chunk is None:  # of a pool that has broken since
                continue
            try:
                rows = future.result()
            except KeyboardInterrupt:
                raise
            except BaseException as error:  # CancelledError is no Exception everywhere
                yield from self._after_death(chunk, error)
                continue
            if isinstance(rows, str):
                raise InputError(
                    f"a worker cannot load what is to be measured: {rows}. Its functions must be "
                    f"importable there, or be defined in the script or notebook itself"
                )
            self._alone = False
            self._points += len(rows)
            self._seconds += sum(row.seconds for row in rows)
            yield rows

    def finished(self) -> Iterator[Sequence[RawRow]]:
        """Rows that have come back but were not asked for, after an interruption."""
        for future, _ in list(self._running.items()):
            future.cancel()
            if future.done() and not future.cancelled():
                try:
                    rows = future.result()
                except BaseException:  # what is lost is computed again
                    continue
                if not isinstance(rows, str):
                    yield rows

    def _fill(self) -> None:
        """Send as many chunks as the workers can use; suspects one at a time."""
        if self._suspects or self._alone:
            if not self._running and self._suspects:
                self._alone = True
                self._send(self._suspects.popleft())
            return
        width = self.pool.width()
        while self.waiting and len(self._running) < AHEAD * width:
            size = min(self._size(width), len(self.waiting))
            self._send(tuple(self.waiting.popleft() for _ in range(size)))
            if self._back.qsize() and width == 1:  # here and now
                return

    def _size(self, width: int) -> int:
        if self.chunk is not None:
            return self.chunk
        if not self._points or not self._seconds:
            return 1
        fitting = int(CHUNK_SECONDS * self._points / self._seconds)
        share = len(self.waiting) // (AHEAD * width)  # so that all end together
        return max(1, min(fitting, share, MOST))

    def _send(self, chunk: Chunk) -> None:
        try:
            future = self.pool.submit(run_chunk, self.name, self.packed, chunk)
        except KeyboardInterrupt:
            raise
        except Exception as error:  # a pool that has broken a moment ago
            self._require_renewed(error)
            future = self.pool.submit(run_chunk, self.name, self.packed, chunk)
        self._running[future] = chunk
        future.add_done_callback(self._back.put)

    def _next(self) -> Any:
        while True:
            try:
                return self._back.get(timeout=LOOK)
            except Empty:
                continue

    def _after_death(self, chunk: Chunk, error: BaseException) -> Iterator[Sequence[RawRow]]:
        """Find out which point it was."""
        lost = [chunk]
        for future in list(self._running):
            if future.done():  # of the same pool: they fail together
                other = self._running.pop(future)
                try:
                    rows = future.result()
                    if not isinstance(rows, str):
                        yield rows
                except BaseException:
                    lost.append(other)
        self._require_renewed(error)
        guilty, self._alone = self._alone and not self._running, False
        if not guilty:
            self._suspects.extend(lost)
        elif len(chunk) > 1:
            half = len(chunk) // 2
            self._suspects.extendleft([chunk[half:], chunk[:half]])
        else:
            said = f"the worker died at this point ({type(error).__name__})"
            yield [RawRow(*chunk[0], FAILED, "{}", 0.0, said)]

    def _require_renewed(self, error: BaseException) -> None:
        if not self.pool.renew():
            raise SimulationError(
                f"the executor has broken ({type(error).__name__}: {error}); what was computed is "
                f"in the table, and another call goes on from there"
            ) from error
