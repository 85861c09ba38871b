"""Which engine a run is given, and why not the other."""

from __future__ import annotations

from typing import Literal, NamedTuple, get_args

from scipy.integrate import DOP853

from ...base.errors import InputError
from ...model.tapes.tape import NoProgram
from ...model.tracing.user_function import UserFunction
from ..event_driven.context import Context
from .compiled import Compiled
from .constants import law_number
from .extension import extension

__all__ = ["ENGINES", "Chosen", "EngineName", "choose", "engine_name"]

EngineName = Literal["auto", "native", "python"]
ENGINES: tuple[str, ...] = get_args(EngineName)


class Chosen(NamedTuple):
    """The compiled engine, or none and why.

    Attributes
    ----------
    compiled : Compiled or None
    reason : str
        Why there is none; empty where there is.
    """

    compiled: Compiled | None
    reason: str

    def __str__(self) -> str:
        return "native" if self.compiled is not None else f"python: {self.reason}"


def engine_name(name: object) -> str:
    """The name of an engine, checked."""
    if not isinstance(name, str) or name not in ENGINES:
        listed = ", ".join(map(repr, ENGINES))
        raise InputError(f"engine must be one of {listed}, got {name!r}")
    return name


def choose(name: str, context: Context) -> Chosen:
    """The engine of a run.

    Raises
    ------
    InputError
        When the compiled engine is asked for and cannot take the run.
    """
    if engine_name(name) == "python":
        return Chosen(None, "it was asked for")
    try:
        return Chosen(_compiled(context), "")
    except NoProgram as error:
        if name == "native":
            raise InputError(
                f"engine='native' is not possible here: {error}. Use engine='auto', which takes "
                f"the compiled engine where it can"
            ) from None
        return Chosen(None, str(error))


def _compiled(context: Context) -> Compiled:
    """The compiled engine for a run; NoProgram says why there is none."""
    settings, found = context.settings, extension()
    if found.module is None:
        raise NoProgram(found.reason)
    if settings.method is not DOP853:
        raise NoProgram(f"the method {settings.method.__name__} is not in it, only DOP853")
    if law_number(settings.law) is None:
        raise NoProgram(f"the impact law {settings.law} is not in it")
    if not context.solver.reuse_active_set:
        raise NoProgram("reuse_active_set=False sends every problem to the solver")
    if context.dynamics.programs is None:
        raise NoProgram("the system has no traced functions")
    watched = [
        UserFunction.of(f"event {event.name!r}", event.function, ("q", "v", "t"), {})
        for event in settings.events
    ]
    program = context.dynamics.programs.of(watched, context.system.parameters)
    return Compiled(found.module, program, context)
