"""What a run notes down: events, states, and what it took."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, dataclass, field
from enum import StrEnum
from typing import Any, ClassVar

from ..base.arrays import Array
from ..base.frozen import Frozen, frozen_array, frozen_deeply
from ..base.words import html

__all__ = ["ConstraintForce", "Event", "EventKind", "RunStatus", "State", "Stats"]


class _Word(StrEnum):
    """A word out of a fixed list; it is shown as the string that it is."""

    def __repr__(self) -> str:
        return repr(self.value)


class EventKind(_Word):
    """What can happen at an instant; each is equal to its name as a string."""

    IMPACT = "impact"
    RELEASE = "release"
    ACCUMULATION = "accumulation"
    GRAZE = "graze"
    STICK = "stick"
    SLIP = "slip"
    REVERSAL = "reversal"
    JAM = "jam"
    LIMIT = "limit"
    USER = "user"


class RunStatus(_Word):
    """How a run stands, or how it ended; each is equal to its name as a string."""

    RUNNING = "running"
    FINISHED = "finished"
    TERMINATED = "terminated"
    INTERRUPTED = "interrupted"
    WALL_TIME = "wall time"
    PHASE_LIMIT = "phase limit"
    FAILED = "failed"


@dataclass(frozen=True, eq=False)
class Event:
    """Something that happened at an instant.

    Attributes
    ----------
    kind : str
        ``"impact"``, ``"release"``, ``"accumulation"``, ``"graze"``, ``"limit"`` or ``"user"``;
        with friction ``"stick"``, ``"slip"``, ``"reversal"`` and ``"jam"`` (an impact without
        collision: a contact slides where no force satisfies Coulomb's law).
    t : float
        When.
    contacts : tuple of str
        Contacts, limits or user events concerned.
    q : (nq,) array
        Where.
    v_before, v_after : (nv,) arrays
        Velocities on both sides.
    impulses : dict
        Impulses by name of the contacts and constraints that took part; empty where there is no
        jump.
    energy_change : float
        Change of the kinetic energy.
    constraint_work : float
        Part of it done by constraints that move by themselves.
    gains_energy : bool
        Whether the impact law itself increased the energy.
    exact : bool
        False for an accumulation that was closed at round-off, or early: then ``detail`` says by
        how much.
    detail : str
        What else there is to say.
    row : int
        The first row of the result that is on its far side; -1: unknown. Several events may have
        the same time, and rows between them.
    """

    kind: str
    t: float
    contacts: tuple[str, ...]
    q: Array
    v_before: Array
    v_after: Array
    impulses: dict[str, Any] = field(default_factory=dict)
    energy_change: float = 0.0
    constraint_work: float = 0.0
    gains_energy: bool = False
    exact: bool = True
    detail: str = ""
    row: int = -1

    def __post_init__(self) -> None:
        for name in ("q", "v_before", "v_after"):
            object.__setattr__(self, name, frozen_array(getattr(self, name)))
        object.__setattr__(self, "impulses", frozen_deeply(self.impulses))

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.__post_init__()  # arrays that have travelled can be written to

    @property
    def remarks(self) -> tuple[str, ...]:
        """What is unusual about it, in words."""
        found = [self.detail] if self.detail else []
        if self.gains_energy:
            found.append("the law increased the energy")
        if not self.exact and not self.detail:
            found.append("closed at round-off")
        return tuple(found)

    def __str__(self) -> str:
        text = f"{self.kind} at t = {self.t:.12g}: {', '.join(self.contacts)}"
        if self.impulses:
            text += f", energy change {self.energy_change:.6g}"
        return text + "".join(f" ({remark})" for remark in self.remarks)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        facts: dict[str, Any] = {"kind": self.kind, "t": f"{self.t:.12g}"}
        facts |= {"contacts": ", ".join(self.contacts), "q": self.q}
        facts |= {"velocity before": self.v_before, "velocity after": self.v_after}
        if self.impulses:
            facts |= {f"impulse of {name}": value for name, value in self.impulses.items()}
            facts["energy change"] = f"{self.energy_change:.6g}"
        return html.facts([*facts.items(), *(("remark", said) for said in self.remarks)])


@dataclass(frozen=True, eq=False)
class State:
    """Position and velocity at a time."""

    t: float
    q: Array
    v: Array

    def __str__(self) -> str:
        return f"t = {self.t:g}: q = {self.q}, v = {self.v}"

    __repr__ = __str__


@dataclass(frozen=True, eq=False)
class ConstraintForce:
    """Constraint forces over time, (nt, nv) each: total = ideal + nonideal."""

    total: Array
    ideal: Array
    nonideal: Array

    def __post_init__(self) -> None:
        for name in ("total", "ideal", "nonideal"):
            object.__setattr__(self, name, frozen_array(getattr(self, name)))

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.__post_init__()  # arrays that have travelled can be written to


@dataclass
class Stats:
    """What a run took, and how good it is.

    Attributes
    ----------
    steps, rhs_calls, events, impacts : int
    qp_total, qp_from_active_set, qp_solver_calls, qp_fallbacks : int
        See :class:`gauss_opt.qp.gauss_solver.Counts`.
    worst_residual : float
        Largest residual of all certificates.
    worst_drift : float
        Largest relative violation of a held constraint at an accepted step, after projection.
    worst_penetration : float
        Most negative gap of an open contact at an accepted step, relative.
    projections, restarts : int
        Times that drift was removed; times that a step had to be taken again with a smaller size.
    closings : int
        Clusters of contacts that were closed early, see the option ``closure``.
    closing_loss, worst_closing_loss : float
        Energy that they took out in all, and the most that one of them did.
    rank_drops : tuple of float
        Times near which the constraint rows became dependent.
    guard_cells : int
        Parts of steps that were looked at to prove that no event was missed.
    unsettled : dict
        Functions of which something could not be proved within the limits, each with the number of
        parts of steps that were then only sampled.
    sampled : dict
        Functions of which nothing can be proved, so that they were sampled, each with the reason.
    seconds : dict
        Wall time by part: integrate, guard, qp, event, record.
    engine : str
        Which engine ran: ``"native"``, or ``"python"`` and why not the other.
    handed_over : dict
        Steps that the compiled engine has left to the Python engine, by reason.
    """

    steps: int = 0
    rhs_calls: int = 0
    events: int = 0
    impacts: int = 0
    qp_total: int = 0
    qp_from_active_set: int = 0
    qp_solver_calls: int = 0
    qp_fallbacks: int = 0
    worst_residual: float = 0.0
    worst_drift: float = 0.0
    worst_penetration: float = 0.0
    projections: int = 0
    restarts: int = 0
    closings: int = 0
    closing_loss: float = 0.0
    worst_closing_loss: float = 0.0
    rank_drops: tuple[float, ...] = ()
    guard_cells: int = 0
    unsettled: dict[str, int] = field(default_factory=dict)
    sampled: dict[str, str] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
    engine: str = "python"
    handed_over: dict[str, int] = field(default_factory=dict)

    def copy(self) -> Stats:
        """Another one with the same content that can be written to, and shares nothing."""
        done = Stats.__new__(Stats)
        own = {k: dict(v) if isinstance(v, dict) else v for k, v in vars(self).items()}
        own.pop("_is_frozen", None)
        vars(done).update(own)
        return done

    def frozen(self) -> Stats:
        """One with the same content that can no longer be changed, as a result has it.

        >>> Stats(steps=3).frozen().steps = 4
        Traceback (most recent call last):
        dataclasses.FrozenInstanceError: the statistics of a result cannot be changed
        """
        if self._is_frozen:
            return self
        done = self.copy()
        for name, value in vars(done).items():
            if isinstance(value, dict):
                vars(done)[name] = Frozen(value)
        vars(done)["_is_frozen"] = True
        return done

    _is_frozen: ClassVar[bool] = False

    def __setattr__(self, name: str, value: Any) -> None:
        if self._is_frozen:
            raise FrozenInstanceError("the statistics of a result cannot be changed")
        object.__setattr__(self, name, value)
