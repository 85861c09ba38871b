"""What is done at a point: what was built takes the parameters of the point and is measured.

Everything goes by name. Of the names of a point some are arguments of ``build``, some parameters of
the system and some arguments of ``measure``; one that nobody takes is refused.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from inspect import Parameter, signature
from threading import Lock
from typing import Any

from ...base.errors import InputError
from ...model.system import System
from ..case import Case, Setup
from .points import Point, plain

__all__ = ["Recipe"]

KEPT = 8  # systems of different builds that a worker keeps
ANYTHING = "**"


@dataclass(frozen=True, eq=False)
class Recipe:
    """Build and measure, with what each of them takes.

    Attributes
    ----------
    build : callable or object
        Makes what is measured, or is it.
    measure : callable
        From what was built, and what it takes by name, to numbers.
    seed : int
        Of the random numbers of every point.
    """

    build: Any
    measure: Callable[..., Any]
    seed: int = 0
    _built: OrderedDict[str, Any] = field(default_factory=OrderedDict, init=False, repr=False)
    _lock: Any = field(default_factory=Lock, init=False, repr=False)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.build, self.measure, self.seed)

    @property
    def build_takes(self) -> tuple[str, ...]:
        """Names that change what is built."""
        return _names(self.build) if self.makes else ()

    @property
    def measure_takes(self) -> tuple[str, ...]:
        """Names that measure takes beside what was built."""
        return _names(self.measure)[1:]

    @property
    def makes(self) -> bool:
        """Whether ``build`` is a function, not the thing itself."""
        return callable(self.build)

    def model(self, values: Mapping[str, Any]) -> Any:
        """What is built for a point, before it takes its parameters; kept for the next point."""
        takes = self.build_takes
        chosen = {n: v for n, v in values.items() if n in takes or ANYTHING in takes}
        key = repr(sorted(chosen.items()))
        with self._lock:  # threads share it
            if key not in self._built:
                made = self.build(**chosen) if self.makes else self.build
                self._built[key] = made.build() if isinstance(made, Case) else made
                if len(self._built) > KEPT:
                    self._built.popitem(last=False)
            self._built.move_to_end(key)
            return self._built[key]

    def run(self, point: Point) -> dict[str, Any]:
        """The numbers measured at a point."""
        values = point.values
        model = self.model(values)
        self.require_used(values, model)
        takes = self.measure_takes
        arguments = {n: v for n, v in values.items() if n in takes or ANYTHING in takes}
        if "rng" in takes and "rng" not in values:
            arguments["rng"] = point.rng(self.seed)
        return _measured(self.measure(_with_parameters(model, values), **arguments))

    def require_given(self, values: Mapping[str, Any]) -> None:
        """Refuse functions whose arguments the points do not give."""
        if isinstance(self.build, Mapping):
            raise InputError(
                "build is a mapping; it must be a function, a System, a Setup or a Case. The "
                "arguments are sweep(build, grid, measure)"
            )
        if not tuple(signature(self.measure).parameters):
            raise InputError(
                "measure takes no argument; it must take what was built. The arguments are "
                "sweep(build, grid, measure)"
            )
        needed = [("measure", name) for name in _needed(self.measure, skip=1) if name != "rng"]
        if self.makes:
            needed += [("build", name) for name in _needed(self.build)]
        for who, name in needed:
            if name not in values:
                given = ", ".join(map(repr, values)) or "none"
                raise InputError(
                    f"{who} needs {name!r}, which has no default and is not among the names of the "
                    f"points ({given}). The arguments are sweep(build, grid, measure)"
                )

    def require_used(self, values: Mapping[str, Any], model: Any) -> None:
        """Refuse names that nobody takes."""
        known = {*self.build_takes, *_parameters(model), *self.measure_takes}
        if ANYTHING in known:
            return
        for name in values:
            if name not in known:
                parameters = ", ".join(map(repr, _parameters(model))) or "none"
                raise InputError(
                    f"nobody takes {name!r} of the points: it is no parameter of the system "
                    f"(which has {parameters}), and neither measure nor build has an argument of "
                    f"that name"
                )


def _names(function: Callable[..., Any]) -> tuple[str, ...]:
    """Names of arguments; :data:`ANYTHING` where every name is taken."""
    found = []
    for parameter in signature(function).parameters.values():
        if parameter.kind == Parameter.VAR_KEYWORD:
            found.append(ANYTHING)
        elif parameter.kind != Parameter.VAR_POSITIONAL:
            found.append(parameter.name)
    return tuple(found)


def _needed(function: Callable[..., Any], skip: int = 0) -> list[str]:
    """Names of arguments that have no default, after the first ones."""
    every = list(signature(function).parameters.values())[skip:]
    variable = (Parameter.VAR_KEYWORD, Parameter.VAR_POSITIONAL)
    return [p.name for p in every if p.default is Parameter.empty and p.kind not in variable]


def _parameters(model: Any) -> Mapping[str, Any]:
    """The parameters that a model has by name."""
    system = model.system if isinstance(model, Setup) else model
    return system.parameters if isinstance(system, System) else {}


def _with_parameters(model: Any, values: Mapping[str, Any]) -> Any:
    """The model at a point; nothing is traced again."""
    known = _parameters(model)
    chosen = {name: value for name, value in values.items() if name in known}
    if not chosen:
        return model
    if isinstance(model, Setup):
        return replace(model, system=model.system.with_parameters(**chosen))
    return model.with_parameters(**chosen)


def _measured(value: Any) -> dict[str, Any]:
    """What measure returned, by name."""
    if not isinstance(value, Mapping):
        value = {"value": value}
    for name in value:
        if not isinstance(name, str):
            raise InputError(f"measure has {name!r} for a name; names must be strings")
    return {name: plain(f"{name!r}, which measure returned,", item) for name, item in value.items()}
