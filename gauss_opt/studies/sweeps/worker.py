"""What runs on a worker: points of a study, one after the other, each to a row whatever happens.

Nothing here knows of the table or of the other workers. The functions of the user arrive as bytes;
what was made of them is kept for the next chunk.
"""

from __future__ import annotations

import json
import signal
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from multiprocessing import connection, parent_process
from time import perf_counter
from typing import Any, NamedTuple

from ...base.carrying import unpacked
from ...base.errors import CarryingError, GaussError
from .points import Point
from .recipe import Recipe

__all__ = ["FAILED", "OK", "RawRow", "begin_worker", "keep", "run_chunk"]

OK, FAILED = "ok", "failed"
KEPT = 4  # recipes of different studies
LONGEST = 2000  # characters of an error that are kept

_RECIPES: OrderedDict[str, Recipe] = OrderedDict()


class RawRow(NamedTuple):
    """A row of the table.

    Attributes
    ----------
    key, text, repetition
        The point.
    status : str
        ``"ok"`` or ``"failed"``.
    values : str
        What was measured, as JSON.
    seconds : float
        Wall time.
    error : str
        Why it failed; empty otherwise.
    """

    key: str
    text: str
    repetition: int
    status: str
    values: str
    seconds: float
    error: str


def keep(name: str, recipe: Recipe) -> None:
    """Put a recipe where the chunks of this process find it."""
    _RECIPES[name] = recipe
    while len(_RECIPES) > KEPT:
        _RECIPES.popitem(last=False)


def run_chunk(name: str, packed: bytes, points: Sequence[Point]) -> list[RawRow] | str:
    """Rows of some points; or, where the functions cannot be unpacked here, why not."""
    if name not in _RECIPES:
        try:
            keep(name, unpacked(packed))
        except Exception as error:
            return f"{type(error).__name__}: {error}"
    recipe = _RECIPES[name]
    with _interrupts() as interrupted:
        rows = []
        for point in points:
            rows.append(_row(recipe, point))
            if interrupted():  # a run in between has ended early, as if that were its end
                raise KeyboardInterrupt
    return rows


def _row(recipe: Recipe, point: Point) -> RawRow:
    start = perf_counter()
    try:
        values = json.dumps(recipe.run(point))
        status, error = OK, ""
    except CarryingError:
        raise
    except Exception as failure:
        values, status = "{}", FAILED
        kind = "" if isinstance(failure, GaussError) else f"{type(failure).__name__}: "
        error = f"{kind}{failure}"[:LONGEST] or type(failure).__name__
    return RawRow(*point, status, values, perf_counter() - start, error)


@contextmanager
def _interrupts() -> Iterator[Callable[[], bool]]:
    """Whether Ctrl-C was pressed meanwhile, even where a run has caught it."""
    if threading.current_thread() is not threading.main_thread():
        yield lambda: False
        return
    pressed: list[bool] = []
    before = signal.getsignal(signal.SIGINT)
    if not callable(before):
        yield lambda: False
        return

    def note(number: int, frame: Any) -> None:
        pressed.append(True)
        before(number, frame)

    signal.signal(signal.SIGINT, note)
    try:
        yield lambda: bool(pressed)
    finally:
        signal.signal(signal.SIGINT, before)


def begin_worker() -> None:
    """Let Ctrl-C be the parent's affair, and end with the parent, however that ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = parent_process()
    if parent is not None:
        threading.Thread(target=_follow, args=(parent.sentinel,), daemon=True).start()


def _follow(sentinel: int) -> None:
    connection.wait([sentinel])
    signal.raise_signal(signal.SIGTERM)
