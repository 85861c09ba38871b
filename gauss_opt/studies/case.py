"""A case: a model with parameters, one run of it, and checks against a reference not our own.

A case is a frozen dataclass in a file of its own; its fields are its parameters.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from numpy.typing import ArrayLike

from ..base.arrays import Array
from ..base.carrying import Carried
from ..base.errors import InputError
from ..base.words import html
from ..base.words.choices import choices
from ..model.system import System
from ..results.result import Result
from ..simulation.driver import simulate
from ..simulation.phases import NextPhase, Phase, simulate_phases
from ..viz.scene import Shape
from .check import Check, Checks
from .parameter import Parameter, parameter

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["Case", "Check", "Parameter", "Setup", "parameter"]

Self = TypeVar("Self", bound="Case")


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
        return tuple(map(Parameter.of, fields(cls)))

    @property
    def values(self) -> dict[str, Any]:
        """The parameters' values by name."""
        return {p.name: getattr(self, p.name) for p in self.parameters()}

    @property
    def at_defaults(self) -> bool:
        """Whether every parameter has its default, so that published figures apply."""
        return all(getattr(self, p.name) == p.default for p in self.parameters())

    def _repr_html_(self) -> str:
        rows = [
            (p.name, getattr(self, p.name), p.shown, p.unit, p.meaning) for p in self.parameters()
        ]
        head = ("parameter", "value", "default", "unit", "meaning")
        parts = (
            html.heading(f"{self.name()}: {self.title()}"),
            html.table(head, rows, right=("value", "default")),
            html.sentence(f"Reference: {self.reference}. Impact laws: {', '.join(self.laws)}."),
        )
        return f"<div>{''.join(parts)}</div>"

    def build(self) -> Setup:
        """The system, its start and its options."""
        raise NotImplementedError(f"case {self.name()!r} has no build()")

    def run(self, **options: Any) -> Result:
        """Simulate what :meth:`build` gives; ``t_end`` and options of simulate may be changed."""
        for p in self.parameters():
            p.require(getattr(self, p.name))
        options.setdefault("law", self.laws[0])
        return self.build().run(**options)

    def checks(self, result: Result) -> Checks:
        """All figures of :meth:`check`, as a tuple that a notebook shows as a table."""
        return Checks(self.check(result))

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
