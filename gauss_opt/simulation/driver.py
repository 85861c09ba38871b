"""simulate(): from a system and a start to a Result, with limits, progress and interruption."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from time import monotonic
from typing import Any, Unpack

from numpy.typing import ArrayLike

from ..base.arguments import flag, function, path, whole_number
from ..base.arrays import Array, real_array
from ..base.errors import (
    GaussError,
    InputError,
    ProblemError,
    SimulationError,
    UserFunctionError,
)
from ..model.system import System
from ..qp.gauss_solver import GaussSolver
from ..qp.problem_file import save_problems
from ..results.recorder import Recorder
from ..results.records import RunStatus, State, Stats
from ..results.result import Result
from .checkpoint import Checkpoint
from .engine.choice import EngineName, engine_name
from .engine.driving import Driver
from .event_driven.stepper import Stepper
from .options import Options, make_solver, require_known, with_options
from .progress import reporter
from .settings import Settings

__all__ = ["begun", "simulate", "start"]

_AT_START = "the simulation failed at its start"


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
    stepper = begun(system, q0, v0, Settings.create(t_span, **options), make_solver(options))
    assert isinstance(stepper, Stepper)
    return stepper


def begun(
    system: System,
    q0: ArrayLike,
    v0: ArrayLike,
    settings: Settings,
    solver: GaussSolver,
    *,
    throw: bool = True,
) -> Stepper | Result:
    """A stepper at its start; or, unless it is to ``throw``, a result that says what failed.

    Arguments that cannot be used are errors in any case.
    """
    q, v = real_array("q0", q0), real_array("v0", v0)
    try:
        stepper = Stepper(system, q, v, settings, solver)
    except (UserFunctionError, ProblemError) as error:
        if throw:
            raise
        return _nothing(system, v, settings, solver, error)
    try:
        stepper.begin()
    except GaussError as error:
        if throw:
            raise
        stepper.stop(RunStatus.FAILED, f"{_AT_START}: {error}")
        return stepper.result()
    return stepper


def _nothing(
    system: System, v: Array, settings: Settings, solver: GaussSolver, error: GaussError
) -> Result:
    """The result of a run whose system cannot be evaluated at the start: no rows."""
    dynamics = system.dynamics(len(v) if system.nv is None else system.nv)
    return Recorder(system, dynamics, dense=settings.dense_output).result(
        success=False,
        status=RunStatus.FAILED,
        message=f"{_AT_START}: {error}",
        stats=Stats(),
        settings={**settings.describe(), **solver.describe()},
    )


@with_options()
def simulate(
    system: System,
    q0: ArrayLike,
    v0: ArrayLike,
    t_span: Sequence[float],
    *,
    engine: EngineName = "python",
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
    engine : str
        ``"python"`` (default); ``"auto"``: the compiled engine wherever it is installed and the
        system allows it, which leaves what is rare to the Python engine, step by step;
        ``"native"``: the same, or an error. ``stats.engine`` says which ran and why.
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
        False: a failure of the run, also at its start, does not raise; the result says what
        happened. Arguments that cannot be used are errors in any case.
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
    require_watchers(callback, progress, throw)
    flag("resume", resume)
    engine_name(engine)
    for name, file in (("checkpoint", checkpoint), ("record_problems", record_problems)):
        if file is not None:
            path(name, file)
    checkpoint_every = whole_number("checkpoint_every", checkpoint_every)
    settings, solver = Settings.create(t_span, **options), make_solver(options)
    with _recorded(solver, record_problems):
        stepper = begun(system, q0, v0, settings, solver, throw=throw)
        if isinstance(stepper, Result):
            return stepper
        kept = None if checkpoint is None else Checkpoint(checkpoint)
        if resume and kept is not None and kept.path.exists():
            kept.restore(stepper)
        driver = Driver.of(engine, stepper, saves_problems=record_problems is not None)
        try:
            with reporter(progress, stepper) as report:
                stops = [checkpoint_every] if kept else []
                stops += [1] if callback is not None or callable(progress) else []
                _drive(stepper, driver, stops, callback, report, kept, checkpoint_every)
        except KeyboardInterrupt:
            stepper.stop(RunStatus.INTERRUPTED, f"interrupted at t = {stepper.t:g}")
        except SimulationError as error:
            if throw or error.result is None:
                raise
            return error.result
    return stepper.result()


def require_watchers(callback: Any, progress: Any, throw: Any) -> None:
    """Refuse what cannot watch a run."""
    if callback is not None:
        function("callback", callback, "state")
    if not callable(progress):
        flag("progress", progress)
    flag("throw", throw)


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
    driver: Driver,
    stops: Sequence[int],
    callback: Callable[[State], Any] | None,
    report: Callable[[], None],
    checkpoint: Checkpoint | None,
    every: int,
) -> None:
    """Step until the end, a stop or a limit."""
    deadline = monotonic() + stepper.settings.max_wall_time
    while stepper.status == RunStatus.RUNNING:
        driver.go(stops)
        report()
        if callback is not None and callback(State(stepper.t, stepper.q, stepper.v)):
            stepper.stop(RunStatus.TERMINATED, f"the callback stopped the run at t = {stepper.t:g}")
        if checkpoint is not None and stepper.stats.steps % every == 0:
            _keep(stepper, checkpoint)
        late = stepper.status == RunStatus.RUNNING and monotonic() > deadline
        if late:
            stepper.step()  # by the Python engine, which knows what keeps its steps small
        if late and stepper.status == RunStatus.RUNNING:
            limit = f"the limit of {stepper.settings.max_wall_time:g} s of wall time was reached"
            stepper.stop(RunStatus.WALL_TIME, f"{limit} {stepper.whereabouts()}")
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
