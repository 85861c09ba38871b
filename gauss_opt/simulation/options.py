"""The options of a simulation, spelled out once: names, types, defaults and what they mean.

:func:`gauss_opt.simulate`, :func:`gauss_opt.start` and :func:`gauss_opt.simulate_phases` take
them as keywords. Their signatures and docstrings are completed from here, so that ``help()``,
completion and type checkers know every one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from inspect import Parameter, cleandoc, signature
from math import inf
from typing import Any, TypedDict, TypeVar

from numpy.typing import ArrayLike

from ..base.arguments import flag
from ..base.errors import UnknownOptionError
from ..base.tolerances.simulation import DEFAULT_CLOSURE, DEFAULT_RTOL
from ..base.words.choices import choices
from ..mechanics.impact_laws import ImpactLaw
from ..qp.gauss_solver import GaussSolver
from ..qp.solvers import Adapter

__all__ = ["DEFAULTS", "Options", "make_solver", "require_known", "with_options"]

Function = TypeVar("Function", bound=Callable[..., Any])


class Options(TypedDict, total=False):
    """What a simulation can be asked for.

    Attributes
    ----------
    law : str or ImpactLaw, optional
        ``"newton"``, ``"poisson"``, ``"sequential"``, or a law of your own. By default Poisson's
        where a contact has friction (and no tangential restitution), otherwise Newton's.
    solver : str, Adapter or GaussSolver
        QP solver to ask first; ``"osqp"`` by default.
    method : str or type
        scipy's ``"DOP853"`` (default), ``"RK45"``, ``"RK23"``, ``"Radau"``, ``"BDF"``,
        ``"LSODA"``, or an OdeSolver class.
    rtol : float
        Relative tolerance of the integrator.
    atol : float or array_like, optional
        Absolute tolerance; set from the size of the coordinates when left out.
    max_step : float
        Largest step of the integrator.
    first_step : float, optional
        Size of the first step; chosen by the integrator when left out.
    t_eval : array_like, optional
        Times to store instead of those of the steps; event times are stored in any case.
    events : callable, sequence or mapping of callables, optional
        Functions of (q, v, t) whose zeros are events, with attributes ``terminal`` and
        ``direction`` as in scipy.
    breakpoints : array_like
        Times at which forces have kinks; steps end there.
    dense_output : bool
        Keep what ``result(t)`` and the energy account need.
    length_scale : float, optional
        Length that tolerances are relative to; taken from the run when left out.
    time_scale : float, optional
        Time that tolerances are relative to; the duration of the run when left out.
    project_start : bool
        Move a start that violates constraints onto them, instead of refusing it.
    refuse_energy_gain : bool
        Make an impact that raises the energy an error.
    sampled_guards : bool
        Call a run a success although, within the limits, not everything could be proved between
        the points (``stats.unsettled`` says of what).
    max_steps : int
        Maximum number of steps of the integrator. A run always ends.
    max_events : int
        Maximum number of events.
    max_wall_time : float
        Maximum wall time in seconds.
    closure : float
        Clusters of contacts that bounce lower than this, relative to their length scales, are
        closed when no limit of their impacts can be told: each gap moves by at most this, and each
        contact loses at most this part of the energy scale of the run. 0: never; at most 1e-5.
    reuse_active_set : bool
        Try the last active set before asking the solver; without effect on a GaussSolver, which
        has an option of its own.
    """

    law: str | ImpactLaw | None
    solver: str | Adapter | GaussSolver
    method: Any
    rtol: float
    atol: ArrayLike | None
    max_step: float
    first_step: float | None
    t_eval: ArrayLike | None
    events: Any
    breakpoints: ArrayLike
    dense_output: bool
    length_scale: float | None
    time_scale: float | None
    project_start: bool
    refuse_energy_gain: bool
    sampled_guards: bool
    max_steps: int
    max_events: int
    max_wall_time: float
    closure: float
    reuse_active_set: bool


DEFAULTS: Options = {
    "law": None,
    "solver": "osqp",
    "method": "DOP853",
    "rtol": DEFAULT_RTOL,
    "atol": None,
    "max_step": inf,
    "first_step": None,
    "t_eval": None,
    "events": None,
    "breakpoints": (),
    "dense_output": True,
    "length_scale": None,
    "time_scale": None,
    "project_start": False,
    "refuse_energy_gain": False,
    "sampled_guards": False,
    "max_steps": 10_000_000,
    "max_events": 1_000_000,
    "max_wall_time": 86_400.0,
    "closure": DEFAULT_CLOSURE,
    "reuse_active_set": True,
}

PLACE = "**options\n"  # the line of a docstring that the options replace


def with_options(*without: str) -> Callable[[Function], Function]:
    """Complete the signature and the docstring of a function that ends in ``**options``.

    Parameters
    ----------
    *without : str
        Options that the function does not have.
    """

    def complete(function: Function) -> Function:
        names = [name for name in Options.__annotations__ if name not in without]
        plain = signature(function)
        own = [p for p in plain.parameters.values() if p.kind != Parameter.VAR_KEYWORD]
        taken = [
            Parameter(name, Parameter.KEYWORD_ONLY, default=DEFAULTS[name],  # type: ignore[literal-required]
                      annotation=Options.__annotations__[name].__forward_arg__)
            for name in names
        ]  # fmt: skip
        function.__signature__ = plain.replace(parameters=[*own, *taken])  # type: ignore[attr-defined]
        if function.__doc__ and Options.__doc__:
            function.__doc__ = _described(function.__doc__, Options.__doc__, names)
        return function

    return complete


def _described(text: str, options: str, names: Iterable[str]) -> str:
    """A docstring with the descriptions of options in place of ``**options``."""
    entries: dict[str, list[str]] = {}
    for line in cleandoc(options).partition("----------\n")[2].splitlines():
        if not line.startswith(" "):
            entry = entries[line.partition(" : ")[0]] = []
        entry.append(line)
    listed = "\n".join(line for name in names for line in entries[name])
    return cleandoc(text).replace(PLACE, f"{listed}\n")


def require_known(function: Callable[..., Any], options: Mapping[str, Any]) -> None:
    """Refuse an option that a function (:func:`with_options`) does not have.

    The message names the nearest that it has, and all of them.
    """
    parameters = function.__signature__.parameters  # type: ignore[attr-defined]
    for name in options:
        if name not in parameters:
            known = [p.name for p in parameters.values() if p.kind == Parameter.KEYWORD_ONLY]
            raise UnknownOptionError(
                f"{function.__name__}() has no option {name!r}; {choices(name, known)}"
            )


def make_solver(options: Options) -> GaussSolver:
    """The solver that is asked for."""
    solver = options.get("solver", DEFAULTS["solver"])
    if isinstance(solver, GaussSolver):
        return solver
    reuse = flag("reuse_active_set", options.get("reuse_active_set", DEFAULTS["reuse_active_set"]))
    return GaussSolver(solver, reuse_active_set=reuse, guess_active_set=reuse)
