"""From a user function in numpy to a CasADi graph, and the comparison of the two.

Tracing calls the function once with symbols in place of numbers. Since a trace can be silently
different from the function (a random number, a state it changes), both are always compared.
"""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import casadi as ca
import numpy as np

from ...base.arrays import Array
from ...base.errors import InputError, ModelError, NonFiniteError, TraceError, UserFunctionError
from ...base.tolerances.model import TRACE_AGREES, TRACE_ROUND_OFF
from ..constraints import Function
from .symbols import symbol, symbols, to_sx

__all__ = ["Symbols", "UserFunction", "flatten_parameters", "probe_points"]

_ADVICE = (
    "Use numpy functions instead of math, np.where instead of if, and build arrays with "
    "np.array([...])"
)


_MEANINGS = {"time": "t", "velocity": "v", "qdot": "v", "q_dot": "v", "dq": "v"}


class Symbols:
    """The CasADi symbols of a system, and the numpy look-alikes that user functions receive."""

    def __init__(self, nq: int, nv: int, parameters: Mapping[str, Any]) -> None:
        self.q, q = symbols("q", nq)
        self.v, v = symbols("v", nv)
        self.t, t = symbol("t")
        self.arguments = {"q": q, "v": v, "t": t}
        self.parameters: dict[str, Any] = {}
        columns = [ca.SX(0, 1)]
        for name, value in parameters.items():
            column, array = symbols(name, int(np.size(value)))
            columns.append(column)
            self.parameters[name] = array[0] if np.ndim(value) == 0 else array.reshape(value.shape)
        self.p = ca.vertcat(*columns)
        self._positions = {self.q[i].element_hash(): i for i in range(nq)}
        self._velocities = {self.v[i].element_hash(): i for i in range(nv)}

    def positions_in(self, graph: Any) -> list[int]:
        """Positions that a graph depends on, ascending."""
        return _occurring(graph, self._positions)

    def velocities_in(self, graph: Any) -> list[int]:
        """Velocities that a graph depends on, ascending."""
        return _occurring(graph, self._velocities)


def _occurring(graph: Any, places: Mapping[int, int]) -> list[int]:
    hashes = [variable.element_hash() for variable in ca.symvar(graph)]
    return sorted(places[h] for h in hashes if h in places)


def flatten_parameters(parameters: Mapping[str, Any]) -> Array:
    """The values of all parameters, in the order of :class:`Symbols`."""
    return np.concatenate([np.zeros(0), *(np.ravel(value) for value in parameters.values())])


@dataclass(frozen=True, eq=False)
class UserFunction:
    """A user function, with its place in the model and what it takes.

    Attributes
    ----------
    label : str
        Its place, in words: ``gap of Contact 'floor'``.
    function : callable
        What the user wrote.
    takes : tuple of str
        Its standard arguments, of ``"q"``, ``"v"``, ``"t"`` and ``"ideal_force"``.
    parameters : tuple of str
        The named parameters it takes after them.
    """

    label: str
    function: Function
    takes: tuple[str, ...]
    parameters: tuple[str, ...]

    @classmethod
    def of(
        cls, label: str, function: Any, takes: Sequence[str], known: Mapping[str, Any]
    ) -> UserFunction:
        """Read the signature; arguments after the standard ones must be known parameters."""
        if not callable(function):
            raise ModelError(f"{label} must be a function of ({', '.join(takes)})")
        try:
            signature = inspect.signature(function).parameters.values()
        except (TypeError, ValueError):  # functions written in C have no signature
            return cls(label, function, tuple(takes), ())
        if any(p.kind == p.VAR_POSITIONAL for p in signature):
            return cls(label, function, tuple(takes), ())
        positional = [
            p for p in signature if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)
        ]
        wanted = ", ".join(takes)
        if len(positional) < len(takes):
            raise ModelError(
                f"{label} must be a function of ({wanted}); the one given takes "
                f"({', '.join(p.name for p in signature)})"
            )
        _require_order(label, takes, [p.name for p in positional[: len(takes)]])
        extra = [p for p in signature if p not in positional[: len(takes)]]
        names = tuple(p.name for p in extra if p.name in known)
        unknown = [
            p.name
            for p in extra
            if p.name not in known and p.default is p.empty and p.kind != p.VAR_KEYWORD
        ]
        if unknown:
            raise ModelError(
                f"{label} must be a function of ({wanted}), then of parameters of the system; "
                f"{', '.join(map(repr, unknown))} is not one of its parameters "
                f"({', '.join(known) or 'it has none'}). Give it in System(parameters=...)"
            )
        return cls(label, function, tuple(takes), names)

    def plain(self, arguments: Mapping[str, Any], parameters: Mapping[str, Any]) -> Any:
        """Call it with numbers; what it raises is chained to an error that says where."""
        named = {name: parameters[name] for name in self.parameters}
        try:
            return self.function(*[arguments[name] for name in self.takes], **named)
        except Exception as error:
            state = ", ".join(f"{name}={_brief(arguments[name])}" for name in self.takes)
            raise UserFunctionError(
                f"{self.label} raised {type(error).__name__}: {error} (at {state})",
                function=self.label,
                t=float(arguments["t"]) if "t" in arguments else float("nan"),
            ) from error

    def array(
        self,
        arguments: Mapping[str, Any],
        parameters: Mapping[str, Any],
        shape: tuple[int, ...] | None,
    ) -> Array:
        """Call it with numbers and check that it returns real numbers of this shape, if given."""
        return self.checked(self.plain(arguments, parameters), shape, arguments)

    def checked(
        self, value: Any, shape: tuple[int, ...] | None, arguments: Mapping[str, Any]
    ) -> Array:
        """A float copy of a returned value, or an error with what was expected and what came."""
        try:
            raw = np.asarray(value)
        except ValueError as error:
            raise InputError(f"{self.label} returned a ragged list: {error}") from error
        if raw.dtype.kind not in "fiub":
            raise InputError(
                f"{self.label} must return real numbers, got dtype {raw.dtype} ({value!r})"
            )
        if shape == (1,) and raw.ndim == 0:
            raw = raw.reshape(1)
        if shape is not None and raw.shape != shape:
            raise InputError(f"{self.label} must return shape {shape}, got {raw.shape}")
        array = np.array(raw, dtype=float)
        array.setflags(write=False)
        if not np.isfinite(array).all():
            t = float(arguments.get("t", float("nan")))
            state = ", ".join(f"{name}={_brief(arguments[name])}" for name in self.takes)
            raise NonFiniteError(
                f"{self.label} returned {_brief(array)}, which is not finite (at {state})",
                function=self.label,
                t=t,
            )
        return array

    def trace(self, symbols: Symbols) -> tuple[Any, int]:
        """The graph of its value as a CasADi matrix, and the number of dimensions it returned."""
        return self.trace_with(symbols.arguments, symbols.parameters)

    def trace_with(
        self, arguments: Mapping[str, Any], parameters: Mapping[str, Any]
    ) -> tuple[Any, int]:
        """The same, of given symbols."""
        named = {name: parameters[name] for name in self.parameters}
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                value = self.function(*[arguments[name] for name in self.takes], **named)
            return to_sx(value, self.label), _ndim(value)
        except TraceError as error:
            raise TraceError(f"{self.label} cannot be traced: {error}") from error
        except Exception as error:
            advice = _ADVICE
            if "'Symbol' object" in str(error):  # it is not subscriptable, has no length, ...
                advice = (
                    f"It is called with ({', '.join(self.takes)}), in this order; q and v are "
                    f"arrays, but t and their entries are single numbers"
                )
            raise TraceError(f"{self.label} cannot be traced: {error}. {advice}") from error

    def probe(
        self,
        arguments: Mapping[str, Any],
        parameters: Mapping[str, Any],
        shape: tuple[int, ...] | None = None,
    ) -> Array | None:
        """Its plain value at a trial point; None where it raises or is not finite.

        Such a point proves nothing: it may lie where the function is not defined.
        """
        try:
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                return self.array(arguments, parameters, shape)
        except UserFunctionError:
            return None

    def difference(self, plain: Array, traced: Array, arguments: Mapping[str, Any]) -> str:
        """The message when traced and plain value differ."""
        state = ", ".join(f"{name}={_brief(arguments[name])}" for name in self.takes)
        return (
            f"{self.label} gives {_brief(plain)} when called but {_brief(traced)} when traced "
            f"(at {state}): it must depend on its arguments alone, not on random numbers, on "
            f"state that changes, or on the type of what it is given"
        )


def _require_order(label: str, takes: Sequence[str], names: Sequence[str]) -> None:
    """Refuse arguments whose own names say that they are in another order."""
    meant = [_MEANINGS.get(name, name) for name in names]
    if any(m in takes and m != right for m, right in zip(meant, takes, strict=True)):
        raise ModelError(
            f"{label} is called with ({', '.join(takes)}), but the one given takes "
            f"({', '.join(names)}): change the order of its arguments"
        )


def agree(plain: Array, traced: Array, noise: Array | float = 0.0) -> bool:
    """Whether a plain and a traced value are the same but for round-off, entry by entry."""
    if plain.size != traced.size:
        return False
    plain = plain.reshape(traced.shape)
    size = np.abs(plain)
    allowed = TRACE_AGREES * size + TRACE_ROUND_OFF * size.max(initial=0.0) + noise
    return bool((np.abs(plain - traced) <= allowed).all())


def probe_points(nq: int, nv: int) -> Iterator[tuple[Array, Array, float]]:
    """States at which functions are tried: fixed pseudo-random ones of several sizes."""
    rng = np.random.default_rng(20260101)
    for scale in (1.0, 1.0, 0.1, 3.0, 10.0):
        q, v = scale * rng.normal(size=nq), scale * rng.normal(size=nv)
        for array in (q, v):
            array.setflags(write=False)
        yield q, v, float(rng.uniform(0, scale))


def _ndim(value: Any) -> int:
    return int(np.ndim(np.asarray(value, dtype=object)))


def _brief(value: Any) -> str:
    return np.array2string(np.asarray(value), precision=6, threshold=12)
