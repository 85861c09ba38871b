"""simulate(): from a system and a start to a Result, with limits, progress and interruption."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from time import monotonic
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..base.arrays import real_array
from ..base.errors import InputError, SimulationError
from ..mechanics.impact_laws import ImpactLaw
from ..model.system import System
from ..qp.gauss_solver import GaussSolver
from ..qp.problem_file import save_problems
from ..qp.solvers import Adapter
from ..results.records import State
from ..results.result import Result
from .checkpoint import restore, write
from .event_driven.stepper import Stepper
from .progress import reporter
from .settings import Settings

__all__ = ["simulate", "start"]


def start(
    system: System,
    q0: ArrayLike,
    v0: ArrayLike,
    t_span: Sequence[float],
    *,
    law: str | ImpactLaw = "newton",
    solver: str | Adapter | GaussSolver = "osqp",
    method: Any = "DOP853",
    rtol: float = 1e-9,
    atol: ArrayLike | None = None,
    max_step: float = np.inf,
    first_step: float | None = None,
    t_eval: ArrayLike | None = None,
    events: Any = None,
    breakpoints: ArrayLike = (),
    dense_output: bool = True,
    length_scale: float | None = None,
    time_scale: float | None = None,
    project_start: bool = False,
    refuse_energy_gain: bool = False,
    max_steps: int = 10_000_000,
    max_events: int = 1_000_000,
    max_wall_time: float = 86_400.0,
    reuse_active_set: bool = True,
) -> Stepper:
    """A simulation to be driven by hand: call ``step()`` until ``status`` is not ``"running"``.

    The options are those of :func:`simulate`.
    """
    settings = Settings.create(
        t_span,
        law=law,
        method=method,
        rtol=rtol,
        atol=atol,
        max_step=max_step,
        first_step=first_step,
        t_eval=t_eval,
        events=events,
        breakpoints=breakpoints,
        dense_output=dense_output,
        length_scale=length_scale,
        time_scale=time_scale,
        project_start=project_start,
        refuse_energy_gain=refuse_energy_gain,
        max_steps=max_steps,
        max_events=max_events,
        max_wall_time=max_wall_time,
    )
    if not isinstance(solver, GaussSolver):
        solver = GaussSolver(
            solver, reuse_active_set=reuse_active_set, guess_active_set=reuse_active_set
        )
    stepper = Stepper(system, real_array("q0", q0), real_array("v0", v0), settings, solver)
    stepper.begin()
    return stepper


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
    **options: Any,
) -> Result:
    """Simulate a system from a start to an end, with every contact, impact and release located.

    Parameters
    ----------
    system : System
    q0, v0 : array_like
        Where it starts. The start must satisfy the constraints (see :func:`assemble`).
    t_span : (float, float)
        Start and end time.
    law : str or ImpactLaw
        ``"newton"`` (default), ``"poisson"``, ``"sequential"``, or a law of your own.
    solver : str, Adapter or GaussSolver
        QP solver to ask first; ``"osqp"`` by default.
    method : str or type
        scipy's ``"DOP853"`` (default), ``"RK45"``, ``"RK23"``, ``"Radau"``, ``"BDF"``,
        ``"LSODA"``, or an OdeSolver class.
    rtol, atol, max_step, first_step
        In scipy's meaning. ``atol`` is set from the size of the coordinates when left out.
    t_eval : array_like, optional
        Times to store instead of those of the steps; event times are stored in any case.
    events : callable, sequence or mapping of callables, optional
        Functions of (q, v, t) whose zeros are events, with attributes ``terminal`` and
        ``direction`` as in scipy.
    breakpoints : array_like
        Times at which forces have kinks; steps end there.
    dense_output : bool
        Keep what ``result(t)`` and the energy account need.
    length_scale, time_scale : float, optional
        What tolerances are relative to; taken from the run when left out.
    project_start : bool
        Move a start that violates constraints onto them, instead of refusing it.
    refuse_energy_gain : bool
        Make an impact that raises the energy an error.
    max_steps, max_events, max_wall_time
        Limits. A run always ends.
    callback : callable, optional
        Called with a :class:`State` after every step; a true return value ends the run.
    progress : bool or callable
        True shows a bar on a terminal. A callable gets the share done and the stepper.
    checkpoint : path, optional
        File to keep the run in, written every ``checkpoint_every`` steps.
    resume : bool
        Go on from ``checkpoint`` if it exists, with the same numbers as without interruption.
    record_problems : path, optional
        Save every QP of the run to one file, for :func:`load_problems`.
    throw : bool
        False: a failure does not raise, the result says what happened.

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
    stepper = start(system, q0, v0, t_span, **options)
    if resume and checkpoint is None:
        raise InputError("resume=True needs checkpoint=, the file to go on from")
    if checkpoint_every < 1:
        raise InputError(f"checkpoint_every must be at least 1, got {checkpoint_every}")
    if resume and checkpoint is not None and Path(checkpoint).exists():
        restore(stepper, checkpoint)
    problems = None if record_problems is None else stepper.harvest()
    try:
        with reporter(progress, stepper) as report:
            _drive(stepper, callback, report, checkpoint, checkpoint_every)
    except KeyboardInterrupt:
        stepper.stop("interrupted", f"interrupted at t = {stepper.t:g}")
    except SimulationError as error:
        if throw or error.result is None:
            raise
        return error.result
    finally:
        if problems is not None and record_problems is not None:
            save_problems(problems, record_problems)
    return stepper.result()


def _drive(
    stepper: Stepper,
    callback: Callable[[State], Any] | None,
    report: Callable[[], None],
    checkpoint: str | os.PathLike[str] | None,
    every: int,
) -> None:
    """Step until the end, a stop or a limit."""
    deadline = monotonic() + stepper.settings.max_wall_time
    while stepper.status == "running":
        stepper.step()
        report()
        if callback is not None and callback(State(stepper.t, stepper.q, stepper.v)):
            stepper.stop("terminated", f"the callback stopped the run at t = {stepper.t:g}")
        if checkpoint is not None and stepper.stats.steps % every == 0:
            _keep(stepper, checkpoint)
        if stepper.status == "running" and monotonic() > deadline:
            limit = stepper.settings.max_wall_time
            stepper.stop("wall time", f"the limit of {limit:g} s of wall time was reached")
            raise SimulationError(stepper.message, stepper.result())


def _keep(stepper: Stepper, path: str | os.PathLike[str]) -> None:
    """Write a checkpoint; on a full disk the run ends, with its result in the error."""
    try:
        write(stepper, path)
    except OSError as error:
        stepper.stop("failed", f"the checkpoint {path} cannot be written: {error}")
        raise SimulationError(stepper.message, stepper.result()) from error
