"""What a simulation leaves behind: a frozen Result with every event, and dense output."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from ..base.arrays import Array
from ..base.errors import InputError, MissingPackageError
from ..mechanics.projection import Scales, project
from ..model.rows import held_rows
from ..model.snapshot import state_snapshot
from ..model.system import System
from .dense_output import Piece
from .energy import Energy, account, joined
from .records import ConstraintForce, Event, State, Stats
from .result_file import pack, pack_energy, read, unpack, write

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from ..mechanics.crosscheck import Crosscheck
    from ..studies.case import Check
    from ..viz.scene import Drawing

__all__ = ["ConstraintForce", "Event", "Result", "State", "Stats", "load"]


@dataclass(frozen=True, eq=False)
class Result:
    """A simulated motion. Rows of all arrays are times; both sides of a jump are stored.

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
        ``multipliers``, ``values`` and ``rates`` on the rows of the layout.
    row_names : tuple of str
        Constraint of each row.
    scalar : frozenset of str
        Constraints that are numbers, not vectors.
    contacts : tuple of str
        Which of the names are contacts.
    forces : dict of (nt, nv) arrays
        ``total`` and ``nonideal`` constraint force.
    events : tuple of Event
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
    events: tuple[Event, ...]
    pieces: tuple[Piece, ...]
    stats: Stats
    settings: dict[str, Any]
    system: System | None = None
    stored_energy: Energy | None = None
    parts: tuple[Result, ...] = ()
    coordinates: tuple[str, ...] = ()

    @cached_property
    def multipliers(self) -> dict[str, Array]:
        """Multipliers by name: (nt,) for a scalar constraint, (nt, k) for a vector."""
        return self._by_name("multipliers")

    @cached_property
    def gaps(self) -> dict[str, Array]:
        """Gaps by name of contact."""
        values = self._by_name("values")
        return {name: values[name] for name in self.contacts}

    @cached_property
    def rates(self) -> dict[str, Array]:
        """Gap rates by name of contact."""
        values = self._by_name("rates")
        return {name: values[name] for name in self.contacts}

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
        if not self.pieces and self.t[-1] > self.t[0]:
            raise InputError("the energy account needs dense output (dense_output=True)")
        return account(self)

    def plot(self) -> Figure:
        """One figure with the motion, gaps, forces and energy, as far as there are any.

        Single pictures, into axes of your own, are functions in :mod:`gauss_opt.viz.plot` and the
        modules beside it.

        Returns
        -------
        matplotlib.figure.Figure
            Save it with ``savefig``; a notebook shows it by itself.
        """
        from ..viz.plot import overview

        return overview(self)

    def animate(
        self,
        path: str | os.PathLike[str],
        drawing: Drawing | None = None,
        *,
        speed: float | None = None,
        frames_per_second: float = 30.0,
        max_frames: int = 900,
        dpi: float = 100.0,
        dark: bool = False,
        progress: bool | Callable[[float], Any] = False,
    ) -> Path:
        """Write an animation, complete or not at all; shapes flash at impacts of their contacts.

        Parameters
        ----------
        path : path-like
            A ``.gif``, or an ``.mp4`` where the program ffmpeg is installed.
        drawing : function of (q, t), optional
            The shapes of a state (:mod:`gauss_opt.scene`); a plain drawing is made otherwise.
        speed : float, optional
            Simulated seconds per second shown: 0.25 is slow motion. Left out, it is real time,
            unless the run is over at once or lasts too long to watch.
        frames_per_second : float
            Lowered where there would be more than ``max_frames`` frames.
        dpi : float
            Pixels per inch; the picture is 6.4 inches wide.
        dark : bool
            Light shapes on dark paper.
        progress : bool or callable
            True shows a bar on a terminal; a function is called with the share that is done.

        Returns
        -------
        pathlib.Path
        """
        from ..viz.animate import animate

        return animate(
            self,
            path,
            drawing,
            speed=speed,
            frames_per_second=frames_per_second,
            max_frames=max_frames,
            dpi=dpi,
            dark=dark,
            progress=progress,
        )

    def save(self, path: str | os.PathLike[str]) -> None:
        """Save to an npz file; :func:`gauss_opt.load` reads it back to the last bit."""
        arrays, header = pack(self)
        if self.stored_energy is not None or (self.system is not None and self.pieces):
            arrays |= pack_energy(self.energy)
        write(path, arrays, header)

    def to_dataframe(self) -> Any:
        """All rows as a pandas DataFrame; needs pandas."""
        try:
            import pandas
        except ImportError as error:
            raise MissingPackageError(
                "to_dataframe() needs the package 'pandas': pip install pandas"
            ) from error
        columns: dict[str, Array] = {"t": self.t}
        for name in ("q", "v", "a"):
            for i, column in enumerate(getattr(self, name).T):
                columns[f"{name}[{i}]"] = column
        for word, by_name in (("multiplier", self.multipliers), ("gap", self.gaps)):
            for name, values in by_name.items():
                for i, column in enumerate(np.atleast_2d(values.T)):
                    columns[f"{word} {name}" + (f"[{i}]" if values.ndim > 1 else "")] = column
        return pandas.DataFrame(columns)

    def report(
        self,
        path: str | os.PathLike[str],
        *,
        title: str = "",
        text: str = "",
        drawing: Drawing | None = None,
        checks: Iterable[Check] = (),
        crosscheck: Crosscheck | Iterable[Crosscheck] | None = None,
        parameters: Mapping[str, Any] | None = None,
        speed: float | None = None,
    ) -> Path:
        """Write one HTML file with summary, player, charts, events and tables; it works offline.

        Parameters
        ----------
        path : path
            Where to write; a file there is replaced when the new one is complete.
        title, text : str
            Heading, and paragraphs below it.
        drawing : function of (q, t), optional
            The shapes of the player (:mod:`gauss_opt.scene`); a plain drawing is made otherwise.
        checks : iterable of Check
            Figures beside their references.
        crosscheck : Crosscheck or iterable of them, optional
            Routes to show side by side; left out, a few states of the run by quick routes.
        parameters : mapping, optional
            Names and values to show.
        speed : float, optional
            Simulated seconds per second shown; real time unless that is hard to watch.
        """
        from ..viz.report import write_report

        return write_report(
            self,
            path,
            title=title,
            text=text,
            drawing=drawing,
            checks=checks,
            crosscheck=crosscheck,
            parameters=parameters,
            speed=speed,
        )

    @cached_property
    def _starts(self) -> Array:
        return np.array([piece.t0 for piece in self.pieces])

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
        if np.ndim(t):
            states = [self(float(s), side) for s in np.asarray(t)]
            return np.array([s.q for s in states]), np.array([s.v for s in states])
        time = float(np.asarray(t))
        for part in self.parts:
            if time < part.t[-1] or (side == "left" and time == part.t[-1]):
                return part(time, side)
        nq = self.q.shape[1]
        y = self._state(time, side)
        return State(time, *self._consistent(time, y[:nq], y[nq:]))

    def _state(self, t: float, side: str) -> Array:
        first, last = self.t[0], self.t[-1]
        if not first <= t <= last:
            raise InputError(
                f"t = {t:g} is outside of the simulated interval [{first:g}, {last:g}]"
            )
        if self._is_stored(t):
            left = side == "left"
            row = int(np.searchsorted(self.t, t, side="left" if left else "right")) - (not left)
            return np.concatenate([self.q[row], self.v[row]])
        if not self.pieces:
            raise InputError("this run kept no dense output (dense_output=False)")
        i = int(np.searchsorted(self._starts, t, side="right")) - 1
        return self.pieces[max(i, 0)](t)

    def _is_stored(self, t: float) -> bool:
        return bool(self.t[min(int(np.searchsorted(self.t, t)), len(self.t) - 1)] == t)

    @cached_property
    def _scales(self) -> Scales:
        return Scales(np.abs(self.q).max(axis=0), np.abs(self.v).max(axis=0), None, 1.0)

    def _consistent(self, t: float, q: Array, v: Array) -> tuple[Array, Array]:
        """Interpolated states put back onto the bilateral constraints."""
        if self.system is None or not self.system.constraints or self._is_stored(t):
            return q, v
        compiled = self.system.compiled(len(v))
        equalities = np.arange(compiled.layout.equalities.stop)
        position, velocity = held_rows(compiled.layout, equalities)
        snapshot = state_snapshot(self.system, compiled, q, v, t)
        snapshot = project(snapshot, position, velocity, self._scales, 1e-13)
        return snapshot.q, snapshot.v

    def _by_name(self, which: str) -> dict[str, Array]:
        array = self.rows[which]
        indices: dict[str, list[int]] = {}
        for i, name in enumerate(self.row_names):
            indices.setdefault(name, []).append(i)
        return {
            name: array[:, rows[0]] if name in self.scalar else array[:, rows]
            for name, rows in indices.items()
        }

    def __str__(self) -> str:
        s = self.stats
        kinds: dict[str, int] = {}
        for event in self.events:
            kinds[event.kind] = kinds.get(event.kind, 0) + 1
        happened = ", ".join(f"{count} {kind}" for kind, count in kinds.items()) or "none"
        seconds = ", ".join(f"{part} {1e3 * time:.1f} ms" for part, time in s.seconds.items())
        lines = [
            f"{'success' if self.success else 'NO SUCCESS'}: {self.message}",
            f"  t = {self.t[0]:g} to {self.t[-1]:.12g}, {s.steps} steps, {s.rhs_calls} right-hand "
            f"sides, {len(self.t)} rows",
            f"  events: {happened}",
            f"  QPs: {s.qp_total}, of which {s.qp_from_active_set} by the last active set; "
            f"{s.qp_solver_calls} solver calls, {s.qp_fallbacks} of them failed",
            f"  worst certificate {s.worst_residual:.1e}, drift {s.worst_drift:.1e}, penetration "
            f"{s.worst_penetration:.1e} (relative)",
        ]
        if s.rank_drops:
            lines.append(f"  constraint rank dropped near t = {s.rank_drops}")
        return "\n".join([*lines, f"  time: {seconds}"])

    __repr__ = __str__


def load(path: str | os.PathLike[str]) -> Result:
    """Load a result. It has no system any more: what needs one says so."""
    return read(path, lambda arrays, header: Result(**unpack(arrays, header)))
