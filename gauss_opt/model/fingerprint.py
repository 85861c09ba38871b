"""What a system is, in words that can be compared: its functions by their traces, and its numbers.

Two systems with the same fingerprint move alike. Functions that cannot be traced are known by their
values at some states only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from hashlib import sha256
from typing import Any

import casadi as ca
import numpy as np

from ..base.arrays import Array
from ..base.errors import GaussError, TraceError
from .constraints import COEFFICIENTS, Constraint, Contact, Nonholonomic, Servo, VelocityLimit
from .system import System
from .tracing.system_graph import with_ideal_force
from .tracing.user_function import Symbols, UserFunction

__all__ = ["fingerprint", "function_fingerprint"]

SIZES = (0.1, 1.0, 3.0, 10.0, 100.0)  # of the states at which functions without a trace are called
STATES_OF_A_SIZE = 8
SHOWN = 60  # characters up to which numbers are kept as they are, to be told when they differ


def fingerprint(system: System, nq: int, nv: int) -> dict[str, str]:
    """All that the motion depends on, by what it is.

    >>> weight = System([2.0], lambda q, v, t, g: np.array([-2.0 * g]), parameters={"g": 9.81})
    >>> fingerprint(weight, 1, 1)["parameter 'g'"]
    '9.81'
    """
    found = {f"parameter {name!r}": _number(value) for name, value in system.parameters.items()}
    for name in ("mass", "force"):
        value = getattr(system, name)
        if not callable(value):
            found[f"the {name}"] = "none" if value is None else _number(value)
    for function in _functions(system):
        found[_worded(function.label)] = _digest(function, system.parameters, nq, nv)
    for item in (*system.constraints, *system.contacts):
        if isinstance(item, Contact):
            for word in COEFFICIENTS:
                found[f"the {word.replace('_', ' ')} of {item}"] = str(getattr(item, word))
            found[f"the way through {item}"] = "passable" if item.passable else "none"
        if isinstance(item, Servo):
            found[f"frequency and damping of {item}"] = f"{item.frequency}, {item.damping}"
    return found


def function_fingerprint(label: str, function: Callable[..., Any], nq: int, nv: int) -> str:
    """The fingerprint of one function of (q, v, t)."""
    return _digest(UserFunction.of(label, function, ("q", "v", "t"), {}), {}, nq, nv)


def _worded(label: str) -> str:
    return f"the {label}"


def _functions(system: System) -> Iterator[UserFunction]:
    """Every function of a system, with what it takes."""
    known = system.parameters
    for name, takes in (("mass", "qt"), ("force", "qvt"), ("potential", "qt"), ("kinematics", "q")):
        if callable(getattr(system, name)):
            yield UserFunction.of(name, getattr(system, name), tuple(takes), known)
    if system.nonideal is not None:
        nonideal = with_ideal_force(system.nonideal, known)
        yield nonideal or UserFunction.of("nonideal", system.nonideal, ("q", "v", "t"), known)
    for item in (*system.constraints, *system.contacts):
        yield from _of_constraint(item, known)


def _of_constraint(item: Constraint | Contact, known: Mapping[str, Any]) -> Iterator[UserFunction]:
    on_velocity = isinstance(item, Nonholonomic | VelocityLimit)
    takes = ("q", "v", "t") if on_velocity else ("q", "t")
    word = "gap" if isinstance(item, Contact) else "function"
    yield UserFunction.of(f"{word} of {item}", item.phi, takes, known)
    by_hand = (("jacobian", takes), ("bias", ("q", "v", "t")), ("time_derivative", ("q", "t")))
    for name, arguments in by_hand:
        function = getattr(item, name)
        if function is not None:
            yield UserFunction.of(f"{name} of {item}", function, arguments, known)
    for name in ("slip", "active_when"):
        function = getattr(item, name, None)
        if function is not None:
            yield UserFunction.of(f"{name} of {item}", function, ("q", "v", "t"), known)


def _digest(function: UserFunction, parameters: Mapping[str, Any], nq: int, nv: int) -> str:
    """A check sum of the trace, or of values where there is none."""
    symbols = Symbols(nq, nv, parameters)
    try:
        value, ndim = function.trace(symbols)
    except TraceError:
        return f"values {_sum(_values(function, parameters, nq, nv))}"
    inputs = [symbols.q, symbols.v, symbols.t, symbols.p]
    text = ca.Function("f", inputs, [value]).serialize()
    return f"trace {_sum(f'{ndim} {text}')}"


def _values(function: UserFunction, parameters: Mapping[str, Any], nq: int, nv: int) -> str:
    """Values at the trial states, in as many digits as another machine has in common."""
    found = []
    rng = np.random.default_rng(20260101)
    for scale in np.repeat(SIZES, STATES_OF_A_SIZE):
        q, v = scale * rng.normal(size=nq), scale * rng.normal(size=nv)
        for array in (q, v):
            array.setflags(write=False)
        t = float(scale * rng.uniform())
        arguments = {"q": q, "v": v, "t": t, "ideal_force": v[::-1]}
        try:
            value = function.probe(arguments, parameters)
        except GaussError:
            value = None
        found.append("none" if value is None else _digits(value))
    return "; ".join(found)


def _digits(value: Array) -> str:
    return f"{value.shape} " + " ".join(f"{x:.9e}" for x in value.ravel().tolist())


def _number(value: Any) -> str:
    """A number or an array: as it is where it is short."""
    text = " ".join(str(np.asarray(value).tolist()).split())
    return text if len(text) <= SHOWN else f"numbers {_sum(text)}"


def _sum(text: str) -> str:
    return sha256(text.encode()).hexdigest()[:16]
