"""What a simulation leaves behind: a frozen Result with every event, and dense output."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import MISSING, dataclass, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from ..base.arrays import Array
from ..base.carrying import Unchanging
from ..base.errors import InputError
from ..base.frozen import Frozen, frozen_array, frozen_deeply, frozen_in_place
from ..base.lazy import made
from ..base.record_file import has_records
from ..model.system import System
from .analysis.potential_fit import misfits
from .columns import group
from .dense_output import Piece
from .drawn import Drawn
from .energy import Energy, account, has_energy, joined
from .event_list import EventList
from .files.growing import read_growing
from .files.result_file import pack, pack_energy, read, unpack, write
from .motion import Motion
from .records import ConstraintForce, Event, State, Stats
from .rubbed import Rubbed
from .summary import as_text, require_rows
from .tables import Tabled

__all__ = ["ConstraintForce", "Event", "Result", "State", "Stats", "load"]


@dataclass(frozen=True, eq=False)
class Result(Drawn, Rubbed, Tabled, Unchanging):
    """A simulated motion. Rows of all arrays are times; both sides of a jump are stored.

    Nothing in it can be changed: arrays are read-only, and ``array.copy()`` gives one of your own.

    Attributes
    ----------
    success : bool
        Whether it reached its end with every certificate within tolerance.
    status : str
        ``"finished"``, ``"terminated"`` (by a user event or callback), ``"interrupted"``, or the
        limit or failure that ended it.
    message : str
        The same as a sentence.
    t : (nt,) array
    q, v, a : (nt, nq), (nt, nv), (nt, nv) arrays
    rows : dict of (nt, m) arrays
        ``multipliers``, ``values`` and ``rates`` on the rows of the layout; ``states`` on the
        tangents, as numbers.
    row_names : tuple of str
        Constraint of each row; tangents of contacts with a slip come last.
    normal_of : tuple of int
        For each tangent the row of its contact.
    scalar : frozenset of str
        Constraints that are numbers, not vectors.
    contacts : tuple of str
        Which of the names are contacts.
    forces : dict of (nt, nv) arrays
        ``total`` and ``nonideal`` constraint force.
    events : tuple of Event
        It has ``to_dataframe()``, and ``of("impact")`` for those of a kind.
    pieces : tuple of Piece
        Dense output, one for each accepted step.
    stats : Stats
    settings : dict
        What the run was asked for.
    system : System or None
        None for a result from a file.
    parts : tuple of Result
        The phases of a run that was joined from several (:func:`gauss_opt.simulate_phases`);
        the impacts between them are events of the whole only.
    coordinates : tuple of str
        Names of the positions, where the system has any.
    units : tuple of str
        Units of the positions, where the system has any.
    """

    success: bool
    status: str
    message: str
    t: Array
    q: Array
    v: Array
    a: Array
    rows: dict[str, Array]
    row_names: tuple[str, ...]
    scalar: frozenset[str]
    contacts: tuple[str, ...]
    forces: dict[str, Array]
    events: EventList
    pieces: tuple[Piece, ...]
    stats: Stats
    settings: dict[str, Any]
    system: System | None = None
    stored_energy: Energy | None = None
    parts: tuple[Result, ...] = ()
    coordinates: tuple[str, ...] = ()
    units: tuple[str, ...] = ()
    stored_remarks: tuple[str, ...] | None = None
    normal_of: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        put = object.__setattr__
        for name in ("t", "q", "v", "a"):
            put(self, name, frozen_array(getattr(self, name)))
        for name in ("rows", "forces", "settings"):
            put(self, name, frozen_deeply(getattr(self, name)))
        for name in ("pieces", "parts"):
            put(self, name, tuple(getattr(self, name)))
        put(self, "events", EventList(self.events))
        put(self, "stats", self.stats.frozen())

    @classmethod
    def of_run(
        cls,
        column: Callable[[str], Array],
        settings: dict[str, Any],
        events: Callable[[], tuple[Event, ...]],
        pieces: Callable[[], tuple[Piece, ...]],
        **others: Any,
    ) -> Result:
        """The result of a run of which most is made when it is looked at.

        ``column`` gives a column by key, ``events`` and ``pieces`` give what they are called;
        arrays that come from them are read-only.
        """
        result = made(cls, **{**NOT_GIVEN, **others})
        vars(result)["_later"] = {
            "t": lambda: column("t"),
            "q": lambda: column("q"),
            "v": lambda: column("v"),
            "a": lambda: column("a"),
            "rows": lambda: group(column, "rows"),
            "forces": lambda: group(column, "forces"),
            "settings": lambda: frozen_deeply(settings),
            "events": lambda: EventList(events()),
            "pieces": pieces,
        }
        return result

    if not TYPE_CHECKING:  # all fields are declared above

        def __getattr__(self, name: str) -> Any:
            own = vars(self)
            later = own.get("_later", {})
            make = later.get(name)
            if make is not None:
                own.setdefault(name, make())  # first the value, then without what made it
                later.pop(name, None)
            if name in own:
                return own[name]
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def __reduce__(self) -> tuple[Any, ...]:
        return _arrived, (
            type(self),
            {item.name: getattr(self, item.name) for item in fields(self)},
        )

    @cached_property
    def multipliers(self) -> dict[str, Array]:
        """Multipliers by name: (nt,) for a scalar constraint, (nt, k) for a vector."""
        return self._by_name("multipliers")

    @cached_property
    def gaps(self) -> dict[str, Array]:
        """Gaps by name of contact."""
        values = self._by_name("values")
        return Frozen({name: values[name] for name in self.contacts})

    @cached_property
    def rates(self) -> dict[str, Array]:
        """Gap rates by name of contact."""
        values = self._by_name("rates")
        return Frozen({name: values[name] for name in self.contacts})

    @cached_property
    def values(self) -> dict[str, Array]:
        """phi, gap or psi of every constraint by name."""
        return self._by_name("values")

    @cached_property
    def constraint_force(self) -> ConstraintForce:
        """Total, ideal and non-ideal constraint force."""
        total, nonideal = self.forces["total"], self.forces["nonideal"]
        return ConstraintForce(total, total - nonideal, nonideal)

    @cached_property
    def energy(self) -> Energy:
        """The energy account; computed when asked for."""
        if self.stored_energy is not None:
            return self.stored_energy
        if self.parts:
            within = {id(event) for part in self.parts for event in part.events}
            between = [event for event in self.events if id(event) not in within]
            return joined([part.energy for part in self.parts], between)
        if self.system is None:
            raise InputError("this result came from a file that was saved without energies")
        require_rows(self)
        if not self.pieces and self.t[-1] > self.t[0]:
            raise InputError("the energy account needs dense output (dense_output=True)")
        return account(self)

    @cached_property
    def energy_remarks(self) -> tuple[str, ...]:
        """What does not fit between the potential and the force; see docs/simulation.md."""
        if self.stored_remarks is not None:
            return self.stored_remarks
        if self.parts:
            each = [remark for part in self.parts for remark in part.energy_remarks]
            return tuple(dict.fromkeys(each))
        return () if self.system is None else misfits(self.system, self.t, self.q, self.v)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Save to an npz file; :func:`gauss_opt.load` reads it back to the last bit."""
        arrays, header = pack(self)
        if has_energy(self):
            arrays |= pack_energy(self.energy)
        if self.energy_remarks:
            header["energy_remarks"] = list(self.energy_remarks)
        write(path, arrays, header)

    def __call__(self, t: ArrayLike, side: str = "right") -> Any:
        """State at a time: a :class:`State`, or for an array of times the pair (q, v) of arrays.

        Parameters
        ----------
        t : float or array_like
            Within the simulated interval.
        side : ``"right"`` or ``"left"``
            Which limit to take at a jump.
        """
        if side not in ("left", "right"):
            raise InputError(f"side must be 'left' or 'right', got {side!r}")
        require_rows(self)
        if np.ndim(t):
            states = [self(float(s), side) for s in np.asarray(t)]
            return np.array([s.q for s in states]), np.array([s.v for s in states])
        time = float(np.asarray(t))
        for part in self.parts:
            if time < part.t[-1] or (side == "left" and time == part.t[-1]):
                return part(time, side)
        return self._motion.at(time, side)

    @cached_property
    def _motion(self) -> Motion:
        return Motion(self.t, self.q, self.v, self.pieces, self.system)

    def _by_name(self, which: str) -> dict[str, Array]:
        array = self.rows[which]
        indices: dict[str, list[int]] = {}
        for i, name in enumerate(self.row_names[: self.tangents.start]):
            indices.setdefault(name, []).append(i)
        return Frozen(
            {
                name: array[:, rows[0]]
                if name in self.scalar
                else frozen_in_place(np.take(array, rows, axis=1))
                for name, rows in indices.items()
            }
        )

    def __str__(self) -> str:
        return as_text(self)

    __repr__ = __str__


NOT_GIVEN = {item.name: item.default for item in fields(Result) if item.default is not MISSING}


def _arrived(cls: type[Result], values: dict[str, Any]) -> Result:
    """A result that has travelled, during which its arrays could be written to."""
    for name in ("t", "q", "v", "a"):
        frozen_in_place(values[name])
    return cls(**values)


def load(path: str | os.PathLike[str]) -> Result:
    """Load a result. It has no system any more: what needs one says so."""
    reading = read_growing if has_records(path) else read
    return reading(path, lambda arrays, header: Result(**unpack(arrays, header)))
