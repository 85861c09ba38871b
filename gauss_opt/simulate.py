"""simulate(): from a system and a start to a Result, with limits, progress and interruption."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from time import monotonic
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .errors import SimulationError
from .impact import ImpactLaw
from .ladder import GaussSolver
from .problem import real_array
from .result import Result, State
from .settings import Settings
from .solvers import Adapter
from .stepper import Stepper
from .system import System

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
        solver = GaussSolver(solver, reuse_active_set=reuse_active_set)
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
    throw: bool = True,
    **options: Any,
) -> Result:
    """Simulate.

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
    deadline = monotonic() + stepper.settings.max_wall_time
    try:
        while stepper.status == "running":
            stepper.step()
            if callback is not None and callback(State(stepper.t, stepper.q, stepper.v)):
                stepper.stop("terminated", f"the callback stopped the run at t = {stepper.t:g}")
            if monotonic() > deadline and stepper.status == "running":
                stepper.stop("wall time", "the limit of wall time was reached")
                raise SimulationError(stepper.message, stepper.result())
    except KeyboardInterrupt:
        stepper.stop("interrupted", f"interrupted at t = {stepper.t:g}")
    except SimulationError as error:
        if throw or error.result is None:
            raise
        return error.result
    return stepper.result()
