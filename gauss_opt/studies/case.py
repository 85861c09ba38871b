"""A case: a model with parameters, one run of it, and checks against a reference not our own.

A case is a frozen dataclass in a file of its own; its fields are its parameters.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from numpy.typing import ArrayLike

from ..base.arrays import Array
from ..base.carrying import Carried
from ..base.errors import InputError
from ..base.words.choices import choices
from ..model.system import System
from ..results.result import Result
from ..simulation.driver import simulate
from ..simulation.phases import NextPhase, Phase, simulate_phases
from ..viz.scene import Shape

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["Case", "Check", "Parameter", "Setup", "parameter"]

Self = TypeVar("Self", bound="Case")


@dataclass(frozen=True)
class Check:
    """One figure of a run beside its reference.

    Attributes
    ----------
    what : str
        The quantity, in words.
    value, reference : float
        Ours, and theirs. For an upper limit the reference is the limit.
    tolerance : float
        Largest difference allowed, in the unit of the quantity.
    unit : str
    limit : bool
        Whether the reference is an upper limit instead of a value to meet.

    Examples
    --------
    >>> print(Check("first impact", 0.4515, 0.4515, 1e-10, "s"))
    ok: first impact 0.4515 s, reference 0.4515 s, difference 0.0e+00 (allowed 1.0e-10)
    """

    what: str
    value: float
    reference: float
    tolerance: float
    unit: str = ""
    limit: bool = False

    @classmethod
    def relative(
        cls, what: str, value: float, reference: float, tolerance: float, unit: str = ""
    ) -> Check:
        """A check whose tolerance is relative to the reference."""
        return cls(what, float(value), float(reference), tolerance * abs(float(reference)), unit)

    @classmethod
    def at_most(cls, what: str, value: float, limit: float, unit: str = "") -> Check:
        """A check that a quantity does not exceed a limit."""
        return cls(what, float(value), float(limit), 0.0, unit, limit=True)

    @property
    def difference(self) -> float:
        """Distance from the reference; what exceeds it, for a limit."""
        off = float(self.value) - float(self.reference)
        return max(0.0, off) if self.limit else abs(off)

    @property
    def ok(self) -> bool:
        """Whether the difference is within the tolerance; a NaN never is."""
        return isfinite(self.value) and self.difference <= self.tolerance

    def __str__(self) -> str:
        unit = f" {self.unit}" if self.unit else ""
        verdict = "ok" if self.ok else "FAILED"
        if self.limit:
            return f"{verdict}: {self.what} {self.value:.6g}{unit}, at most {self.reference:.6g}"
        return (
            f"{verdict}: {self.what} {self.value:.12g}{unit}, reference {self.reference:.12g}"
            f"{unit}, difference {self.difference:.1e} (allowed {self.tolerance:.1e})"
        )


@dataclass(frozen=True)
class Parameter:
    """A parameter of a case."""

    name: str
    default: Any
    unit: str
    meaning: str

    def convert(self, value: Any) -> Any:
        """A value, maybe a word from the command line, as the type that the default has."""
        kind = type(self.default)
        try:
            if kind is bool:
                return _truth(value)
            if kind is tuple:
                parts = value.split(",") if isinstance(value, str) else list(value)
                return tuple(self._number(float, part) for part in parts)
            if kind in (int, float):
                return self._number(kind, value)
            return kind(value)
        except InputError:
            raise
        except (TypeError, ValueError) as error:
            expected = {tuple: "numbers separated by commas", bool: "true or false"}
            raise InputError(
                f"parameter {self.name!r} is {value!r}; expected "
                f"{expected.get(kind, kind.__name__)} such as {self.shown}"
            ) from error

    def _number(self, kind: type, value: Any) -> Any:
        number = kind(value)
        if not isfinite(number):
            raise InputError(f"parameter {self.name!r} is {value!r}: it must be finite")
        if kind is int and float(value) != number:
            raise ValueError("not a whole number")
        return number

    @property
    def shown(self) -> str:
        """The default as one would type it."""
        if isinstance(self.default, tuple):
            return ",".join(_typed(part) for part in self.default)
        return _typed(self.default) if isinstance(self.default, float) else str(self.default)


def parameter(default: Any, unit: str = "", meaning: str = "") -> Any:
    """A field of a case, with its unit and what it means."""
    return field(default=default, metadata={"unit": unit, "meaning": meaning})


@dataclass(frozen=True, eq=False)
class Setup(Carried):
    """What a case simulates.

    Attributes
    ----------
    system : System
    q0, v0 : array_like
    t_span : (float, float)
    options : mapping
        Further options of :func:`gauss_opt.simulate`.
    until, next_phase : optional
        For machines that change their constraints: as for :func:`gauss_opt.simulate_phases`.
    """

    system: System
    q0: ArrayLike
    v0: ArrayLike
    t_span: tuple[float, float]
    options: Mapping[str, Any] = field(default_factory=dict)
    until: Any = ()
    next_phase: NextPhase | None = None

    def run(self, *, t_end: float | None = None, **options: Any) -> Result:
        """Simulate, with other options where given."""
        span = self.t_span if t_end is None else (self.t_span[0], t_end)
        chosen = {**self.options, **options}
        if self.next_phase is None:
            return simulate(self.system, self.q0, self.v0, span, **chosen)
        first = Phase(self.system, self.until)
        return simulate_phases(first, self.q0, self.v0, span, self.next_phase, **chosen)


@dataclass(frozen=True)
class Case:
    """A run that checks itself. Subclasses add parameters as fields, and the methods below.

    ``reference`` says where the figures of :meth:`check` come from; ``laws`` under which impact
    laws they hold (the first is the one to run with).
    """

    reference: ClassVar[str] = ""
    laws: ClassVar[tuple[str, ...]] = ("newton",)

    @classmethod
    def create(cls: type[Self], values: Mapping[str, Any]) -> Self:
        """The case with parameters by name; unknown names and unusable values are refused."""
        known = {p.name: p for p in cls.parameters()}
        unknown = [name for name in values if name not in known]
        if unknown:
            listed = choices(unknown[0], known)
            raise InputError(f"case {cls.name()!r} has no parameter {unknown[0]!r}; {listed}")
        return cls(**{name: known[name].convert(value) for name, value in values.items()})

    @classmethod
    def name(cls) -> str:
        """The name of its file."""
        source = getattr(sys.modules.get(cls.__module__), "__file__", None)
        return Path(source).stem if source else cls.__name__

    @classmethod
    def text(cls) -> str:
        """The docstring of its file: what it teaches, and what it is compared with."""
        module = sys.modules.get(cls.__module__)
        return (getattr(module, "__doc__", None) or cls.__doc__ or "").strip()

    @classmethod
    def title(cls) -> str:
        """The first line of it."""
        return cls.text().partition("\n")[0].rstrip(".")

    @classmethod
    def parameters(cls) -> tuple[Parameter, ...]:
        """Names, defaults, units and meanings."""
        return tuple(
            Parameter(f.name, f.default, f.metadata.get("unit", ""), f.metadata.get("meaning", ""))
            for f in fields(cls)
        )

    @property
    def values(self) -> dict[str, Any]:
        """The parameters' values by name."""
        return {p.name: getattr(self, p.name) for p in self.parameters()}

    @property
    def at_defaults(self) -> bool:
        """Whether every parameter has its default, so that published figures apply."""
        return all(getattr(self, p.name) == p.default for p in self.parameters())

    def build(self) -> Setup:
        """The system, its start and its options."""
        raise NotImplementedError(f"case {self.name()!r} has no build()")

    def run(self, **options: Any) -> Result:
        """Simulate what :meth:`build` gives; ``t_end`` and options of simulate may be changed."""
        options.setdefault("law", self.laws[0])
        return self.build().run(**options)

    def check(self, result: Result) -> Iterable[Check]:
        """Figures of the run beside references that are not our own output."""
        raise NotImplementedError(f"case {self.name()!r} has no check()")

    def measure(self, result: Result) -> Mapping[str, Any]:
        """Numbers that a sweep keeps of a run, by name; a case may have others to say."""
        names = result.coordinates or tuple(f"q[{i}]" for i in range(result.q.shape[1]))
        ends = {f"final {name}": float(x) for name, x in zip(names, result.q[-1], strict=True)}
        counts = {"impacts": result.stats.impacts, "events": len(result.events)}
        return {"end": float(result.t[-1]), **counts, **ends}

    def draw(self, q: Array, t: float) -> Sequence[Shape]:
        """The scene at a state; see :mod:`gauss_opt.scene`. Nothing, unless a case says more."""
        return ()

    def figures(self, result: Result) -> Mapping[str, Callable[[], Figure]]:
        """Pictures of its own, by name, drawn when called."""
        return {}


def _typed(number: float) -> str:
    """A number in as few digits as give it back."""
    short = f"{number:g}"
    return short if float(short) == number else repr(number)


def _truth(value: Any) -> bool:
    """A bool, or one of the words for it."""
    word = str(value).lower()
    if word not in _TRUTH:
        raise ValueError(f"{value!r} is neither true nor false")
    return _TRUTH[word]


_TRUTH = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
