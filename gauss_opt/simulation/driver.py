"""simulate(): from a system and a start to a Result, with limits, progress and interruption."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from time import monotonic
from typing import Any, Unpack

from numpy.typing import ArrayLike

from ..base.arrays import real_array
from ..base.errors import InputError, SimulationError
from ..model.system import System
from ..qp.gauss_solver import GaussSolver
from ..qp.problem_file import save_problems
from ..results.records import RunStatus, State
from ..results.result import Result
from .checkpoint import Checkpoint
from .event_driven.stepper import Stepper
from .options import Options, make_solver, require_known, with_options
from .progress import reporter
from .settings import Settings

__all__ = ["simulate", "start"]


@with_options()
def start(
    system: System,
    q0: ArrayLike,
    v0: ArrayLike,
    t_span: Sequence[float],
    **options: Unpack[Options],
) -> Stepper:
    """A simulation to be driven by hand: call ``step()`` until ``status`` is not ``"running"``.

    Parameters
    ----------
    system : System
    q0, v0 : array_like
        Where it starts. The start must satisfy the constraints (see :func:`assemble`).
    t_span : (float, float)
        Start and end time.
    **options

    Examples
    --------
    >>> import gauss_opt as go
    >>> ball = go.System([1.0], [-9.81], contacts=[go.Contact("floor", lambda q, t: q[0])])
    >>> stepper = go.start(ball, [1.0], [0.0], (0, 3), rtol=1e-8)
    >>> while stepper.status == RunStatus.RUNNING and not stepper.events:
    ...     stepper.step()
    >>> round(stepper.t, 6)
    0.451524
    """
    require_known(start, options)
    stepper = _prepared(system, q0, v0, t_span, options)
    stepper.begin()
    return stepper


def _prepared(
    system: System, q0: ArrayLike, v0: ArrayLike, t_span: Sequence[float], options: Options
) -> Stepper:
    """A stepper that has not begun."""
    settings = Settings.create(t_span, **options)
    solver = make_solver(options)
    return Stepper(system, real_array("q0", q0), real_array("v0", v0), settings, solver)


@with_options()
def simulate(
    system: System,
    q0: ArrayLike,
    v0: ArrayLike,
    t_span: Sequence[float],
    *,
    callback: Callable[[State], Any] | None = None,
    progress: bool | Callable[[float, Stepper], Any] = False,
    checkpoint: str | os.PathLike[str] | None = None,
    checkpoint_every: int = 1000,
    resume: bool = False,
    record_problems: str | os.PathLike[str] | None = None,
    throw: bool = True,
    **options: Unpack[Options],
) -> Result:
    """Simulate a system from a start to an end, with every contact, impact and release located.

    Parameters
    ----------
    system : System
    q0, v0 : array_like
        Where it starts. The start must satisfy the constraints (see :func:`assemble`).
    t_span : (float, float)
        Start and end time.
    callback : callable, optional
        Called with a :class:`State` after every step; a true return value ends the run.
    progress : bool or callable
        True shows a bar on a terminal. A callable gets the share done and the stepper.
    checkpoint : path, optional
        File to keep the run in.
    checkpoint_every : int
        Number of steps from one checkpoint to the next.
    resume : bool
        Go on from ``checkpoint`` if it exists, with the same numbers as without interruption. A
        run that a terminal user event has ended stays ended; one that a callback has stopped goes
        on.
    record_problems : path, optional
        Save every QP of the run to one file, for :func:`load_problems`.
    throw : bool
        False: a failure does not raise, the result says what happened.
    **options

    Raises
    ------
    SimulationError
        When it cannot go on; what was computed is in ``error.result``.

    Examples
    --------
    >>> import gauss_opt as go
    >>> ball = go.System([1.0], [-9.81], contacts=[
    ...     go.Contact("floor", lambda q, t: q[0], restitution=0.5)])
    >>> result = go.simulate(ball, [1.0], [0.0], (0, 3))
    >>> round(result.events[-1].t, 9), result.events[-1].kind
    (1.354570923, 'accumulation')
    """
    require_known(simulate, options)
    if resume and checkpoint is None:
        raise InputError("resume=True needs checkpoint=, the file to go on from")
    if checkpoint_every < 1:
        raise InputError(f"checkpoint_every must be at least 1, got {checkpoint_every}")
    stepper = _prepared(system, q0, v0, t_span, options)
    with _recorded(stepper.solver, record_problems):
        stepper.begin()
        kept = None if checkpoint is None else Checkpoint(checkpoint)
        if resume and kept is not None and kept.path.exists():
            kept.restore(stepper)
        try:
            with reporter(progress, stepper) as report:
                _drive(stepper, callback, report, kept, checkpoint_every)
        except KeyboardInterrupt:
            stepper.stop(RunStatus.INTERRUPTED, f"interrupted at t = {stepper.t:g}")
        except SimulationError as error:
            if throw or error.result is None:
                raise
            return error.result
    return stepper.result()


@contextmanager
def _recorded(solver: GaussSolver, path: str | os.PathLike[str] | None) -> Iterator[None]:
    """Save every problem that is solved meanwhile, whatever happens."""
    if path is None:
        yield
        return
    with solver.recording() as problems:
        try:
            yield
        finally:
            if problems:
                save_problems(problems, path)


def _drive(
    stepper: Stepper,
    callback: Callable[[State], Any] | None,
    report: Callable[[], None],
    checkpoint: Checkpoint | None,
    every: int,
) -> None:
    """Step until the end, a stop or a limit."""
    deadline = monotonic() + stepper.settings.max_wall_time
    while stepper.status == RunStatus.RUNNING:
        stepper.step()
        report()
        if callback is not None and callback(State(stepper.t, stepper.q, stepper.v)):
            stepper.stop(RunStatus.TERMINATED, f"the callback stopped the run at t = {stepper.t:g}")
        if checkpoint is not None and stepper.stats.steps % every == 0:
            _keep(stepper, checkpoint)
        if stepper.status == RunStatus.RUNNING and monotonic() > deadline:
            limit = stepper.settings.max_wall_time
            stepper.stop(RunStatus.WALL_TIME, f"the limit of {limit:g} s of wall time was reached")
            raise SimulationError(stepper.message, stepper.result())


def _keep(stepper: Stepper, checkpoint: Checkpoint) -> None:
    """Write a checkpoint; on a full disk the run ends, with its result in the error."""
    try:
        checkpoint.write(stepper)
    except OSError as error:
        stepper.stop(
            RunStatus.FAILED, f"the checkpoint {checkpoint.path} cannot be written: {error}"
        )
        raise SimulationError(stepper.message, stepper.result()) from error
