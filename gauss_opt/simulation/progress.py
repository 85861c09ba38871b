"""How far a run is: a bar on a terminal, or calls of a user function."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .event_driven.stepper import Stepper

__all__ = ["reporter"]


@contextmanager
def reporter(
    progress: bool | Callable[[float, Stepper], Any],
    stepper: Stepper,
    *,
    since: float | None = None,
) -> Iterator[Callable[[], None]]:
    """A function to call after every step; ``since`` is when the run began, if before this."""
    t0 = stepper.settings.t0 if since is None else since
    span = stepper.settings.t1 - t0

    def share() -> float:
        return (stepper.t - t0) / span if span else 1.0

    if callable(progress):
        yield lambda: progress(share(), stepper)
    elif progress and sys.stderr.isatty():
        from rich.console import Console
        from rich.progress import Progress

        with Progress(console=Console(stderr=True), transient=True) as bar:
            task = bar.add_task("simulating", total=1.0)

            def update() -> None:
                text = f"t = {stepper.t:.4g}, {len(stepper.events)} events"
                bar.update(task, completed=share(), description=text)

            yield update
    else:
        yield lambda: None
