"""What a simulation is asked for, checked once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isfinite
from typing import Any, Literal, Unpack
from zlib import crc32

import numpy as np
from numpy.typing import ArrayLike

from ..base.arguments import flag, function, number, positive, whole_number
from ..base.arrays import Array, real_array
from ..base.errors import InputError, UserFunctionError
from ..base.tolerances.simulation import LARGEST_CLOSURE, LEAST_RTOL
from ..mechanics.impact_laws import ImpactLaw, law_for, make_law
from ..model.coefficients import Coefficients
from .event_driven.integrator import find_method
from .options import DEFAULTS, Options

__all__ = ["Settings", "UserEvent", "time_span", "user_events"]

FEW = 20  # times that are told one by one


@dataclass(frozen=True)
class UserEvent:
    """A function of (q, v, t) whose zeros are events.

    Attributes
    ----------
    name : str
    function : callable
    terminal : bool
        Whether the run ends there.
    direction : int
        1: only rising, -1: only falling, 0: both.
    """

    name: str
    function: Callable[..., Any]
    terminal: bool = False
    direction: int = 0

    def __str__(self) -> str:
        way = {1: ", rising", -1: ", falling"}.get(self.direction, "")
        return f"{self.name}{way}{', terminal' if self.terminal else ''}"

    def __call__(self, q: Array, v: Array, t: float) -> float:
        """The function's value; what it raises, or returns, is blamed on the event by name."""
        try:
            value = float(self.function(q, v, t))
        except Exception as error:
            raise UserFunctionError(
                f"user event {self.name!r} raised {type(error).__name__}: {error} (at t={t:g})",
                function=f"event {self.name!r}",
                t=t,
            ) from error
        if not isfinite(value):
            raise UserFunctionError(
                f"user event {self.name!r} is {value} at t={t:g}",
                function=f"event {self.name!r}",
                t=t,
            )
        return value


@dataclass(frozen=True)
class Settings:
    """Options of :func:`gauss_opt.simulate`, in scipy's words where there is one."""

    t0: float
    t1: float
    law: ImpactLaw
    default_law: bool
    method: Any
    rtol: float
    atol: Array | None
    max_step: float
    first_step: float | None
    t_eval: Array | None
    events: tuple[UserEvent, ...]
    breakpoints: tuple[float, ...]
    dense_output: bool
    length_scale: float | None
    time_scale: float
    fixed_time: bool
    project_start: bool
    refuse_energy_gain: bool
    sampled_guards: bool
    max_steps: int
    max_events: int
    max_wall_time: float
    closure: float

    @classmethod
    def create(cls, t_span: Sequence[float], **options: Unpack[Options]) -> Settings:
        """Check everything; every message names the option."""
        asked: Options = {**DEFAULTS, **options}
        t0, t1 = time_span(t_span)
        if t1 < t0:
            raise InputError(f"t_span is reversed: t1 = {t1:g} is before t0 = {t0:g}")
        time_scale = _positive_or_none(asked, "time_scale")
        return cls(
            t0,
            t1,
            make_law("newton" if asked["law"] is None else asked["law"]),
            asked["law"] is None,
            find_method(asked["method"]),
            _relative_tolerance(asked["rtol"]),
            _absolute_tolerance(asked["atol"]),
            positive("max_step", asked["max_step"]),
            _positive_or_none(asked, "first_step"),
            _times(asked["t_eval"], t0, t1),
            user_events(asked["events"]),
            tuple(sorted({b for b in _breakpoints(asked["breakpoints"]) if t0 < b < t1})),
            flag("dense_output", asked["dense_output"]),
            _positive_or_none(asked, "length_scale"),
            time_scale if time_scale is not None else (t1 - t0 or 1.0),
            time_scale is not None,
            flag("project_start", asked["project_start"]),
            flag("refuse_energy_gain", asked["refuse_energy_gain"]),
            flag("sampled_guards", asked["sampled_guards"]),
            whole_number("max_steps", asked["max_steps"]),
            whole_number("max_events", asked["max_events"]),
            positive("max_wall_time", asked["max_wall_time"]),
            _closure(asked["closure"]),
        )

    def with_law_for(self, coefficients: Coefficients) -> Settings:
        """With the law that is right for a system, where the user has not asked for one."""
        if not self.default_law:
            return self
        law = law_for(coefficients, None)
        return self if law == self.law else replace(self, law=law)

    def describe(self) -> dict[str, Any]:
        """The settings as plain words and numbers, for files and reports.

        All but the limits of a run: two runs that are described alike take the same way.
        """
        return {
            "t_span": [self.t0, self.t1],
            "law": str(self.law),
            "method": self.method.__name__,
            "rtol": self.rtol,
            "atol": None if self.atol is None else self.atol.tolist(),
            "max_step": self.max_step if isfinite(self.max_step) else None,
            "closure": self.closure,
            "first_step": None if self.first_step is None else float(self.first_step),
            "t_eval": None if self.t_eval is None else _many(self.t_eval),
            "user_events": [str(event) for event in self.events],
            "breakpoints": _many(np.array(self.breakpoints)),
            "dense_output": bool(self.dense_output),
            "length_scale": None if self.length_scale is None else float(self.length_scale),
            "time_scale": float(self.time_scale),
            "project_start": bool(self.project_start),
            "refuse_energy_gain": bool(self.refuse_energy_gain),
        }


def _many(times: Array) -> list[float] | str:
    """Times one by one; of more than a few how many there are, with their check sum."""
    if len(times) <= FEW:
        return [float(t) for t in times]
    return f"{len(times)} from {times[0]:.9g} to {times[-1]:.9g} ({crc32(times.tobytes()):08x})"


def time_span(t_span: Sequence[float]) -> tuple[float, float]:
    """Start and end time as numbers."""
    span = real_array("t_span", t_span)
    if span.shape != (2,):
        raise InputError(f"t_span must be (t0, t1), got {t_span!r}")
    return float(span[0]), float(span[1])


def _positive_or_none(
    asked: Options, name: Literal["first_step", "length_scale", "time_scale"]
) -> float | None:
    value = asked[name]
    return None if value is None else positive(name, value)


def _relative_tolerance(rtol: float) -> float:
    rtol = number("rtol", rtol)
    if not 0.0 < rtol < 1.0:
        raise InputError(f"rtol must be between 0 and 1, got {rtol}")
    if rtol < LEAST_RTOL:
        raise InputError(f"rtol = {rtol:g} is below what double precision can do ({LEAST_RTOL:g})")
    return rtol


def _closure(closure: float) -> float:
    closure = number("closure", closure)
    if not 0.0 <= closure <= LARGEST_CLOSURE:
        raise InputError(f"closure must be from 0 to {LARGEST_CLOSURE:g}, got {closure:g}")
    return closure


def _absolute_tolerance(atol: ArrayLike | None) -> Array | None:
    absolute = None if atol is None else real_array("atol", atol)
    if absolute is not None and not (absolute > 0.0).all():
        raise InputError(f"atol must be positive, got {atol!r}")
    return absolute


def _breakpoints(breakpoints: ArrayLike) -> list[float]:
    if isinstance(breakpoints, tuple) and not breakpoints:
        return []
    times: list[float] = np.atleast_1d(real_array("breakpoints", breakpoints)).tolist()
    return times


def _times(t_eval: ArrayLike | None, t0: float, t1: float) -> Array | None:
    if t_eval is None:
        return None
    times = np.unique(real_array("t_eval", t_eval))
    if len(times) and (times[0] < t0 or times[-1] > t1):
        raise InputError(f"t_eval must lie within t_span = ({t0:g}, {t1:g})")
    return times


def user_events(events: Any) -> tuple[UserEvent, ...]:
    """Events given as a function, or as a sequence or mapping of functions."""
    if events is None:
        return ()
    if isinstance(events, Mapping):
        listed = list(events.items())
    else:
        if not callable(events) and (isinstance(events, str) or not isinstance(events, Sequence)):
            raise InputError(f"events must be functions of (q, v, t), got {events!r}")
        functions = [events] if callable(events) else list(events)
        listed = [(getattr(f, "__name__", f"event {i}"), f) for i, f in enumerate(functions)]
    result = []
    for name, given in listed:
        if isinstance(given, UserEvent):
            result.append(given)
            continue
        wanted = function(f"events: event {name!r}", given, "q, v, t")
        terminal = bool(getattr(wanted, "terminal", False))
        direction = int(np.sign(getattr(wanted, "direction", 0)))
        result.append(UserEvent(str(name), wanted, terminal, direction))
    return tuple(result)
