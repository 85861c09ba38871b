"""Poincare sections: the states of a run at every period, or at every event of one kind."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ...base.arguments import number, positive
from ...base.arrays import Array
from ...base.errors import InputError
from ...results.result import Result

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["Section", "section"]

ROUNDING = 1e3 * np.finfo(float).eps  # of times, in units of the period


@dataclass(frozen=True, eq=False)
class Section:
    """States at the crossings of a section, in order.

    Attributes
    ----------
    t : (k,) array
    q : (k, nq) array
    v : (k, nv) array
    what : str
        The section, in words.
    names : tuple of str
        Names of the positions.
    """

    t: Array
    q: Array
    v: Array
    what: str
    names: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.t)

    def plot(self, ax: Axes | None = None, *, coordinate: int = 0) -> Axes:
        """Velocity over position of one coordinate, one dot for each crossing."""
        from .pictures import section_dots

        return section_dots(self, coordinate, ax)

    def __str__(self) -> str:
        return f"section {self.what}: {len(self)} crossings"

    __repr__ = __str__


def section(
    result: Result,
    *,
    period: float | None = None,
    phase: float = 0.0,
    at: str | None = None,
    side: str = "after",
    since: float | None = None,
) -> Section:
    """The states of a run on a section: at every period, or at events of one name.

    Parameters
    ----------
    result : Result
        With dense output for ``period``.
    period, phase : float
        Strobe at times t0 + phase + k period, where t0 is the start of the run.
    at : str
        Name of a contact, for its impacts, or of a user event: any function of (q, v, t) that was
        given to the run as ``events=`` is a section.
    side : str
        ``"before"`` or ``"after"`` a jump.
    since : float, optional
        Leave out what was before, to let transients die out.

    Examples
    --------
    >>> import gauss_opt as go
    >>> ball = go.System([1.0], [-9.81], contacts=[
    ...     go.Contact("floor", lambda q, t: q[0], restitution=0.5)])
    >>> run = go.simulate(ball, [1.0], [0.0], (0.0, 1.2))
    >>> go.section(run, at="floor").v.ravel().round(4)
    array([2.2147, 1.1074, 0.5537])
    """
    if side not in ("before", "after"):
        raise InputError(f"side must be 'before' or 'after', got {side!r}")
    if (period is None) == (at is None):
        raise InputError("give exactly one of period= and at=")
    first = float(result.t[0]) if since is None else number("since", since)
    if at is not None:
        return _at_events(result, at, side, first)
    period = positive("period", period)
    start, end = float(result.t[0]) + number("phase", phase), float(result.t[-1])
    k = np.arange(np.ceil((first - start) / period - ROUNDING),
                  np.floor((end - start) / period + ROUNDING) + 1.0)  # fmt: skip
    times = np.minimum(np.maximum(start + k * period, float(result.t[0])), end)
    states = [result(t, side={"before": "left", "after": "right"}[side]) for t in times.tolist()]
    q = np.array([state.q for state in states]).reshape(len(times), result.q.shape[1])
    v = np.array([state.v for state in states]).reshape(len(times), result.v.shape[1])
    return Section(times, q, v, f"every {period:.6g} s", _names(result))


def _at_events(result: Result, at: str, side: str, first: float) -> Section:
    kinds = ("impact", "user")
    chosen = [e for e in result.events if at in e.contacts and e.kind in kinds and e.t >= first]
    known = {*result.contacts, *(c for e in result.events if e.kind in kinds for c in e.contacts)}
    if at not in known:
        listed = ", ".join(map(repr, sorted(known))) or "nothing"
        raise InputError(f"no contact and no event of this run is called {at!r}; there is {listed}")
    v = [e.v_before if side == "before" else e.v_after for e in chosen]
    return Section(
        np.array([e.t for e in chosen]),
        np.array([e.q for e in chosen]).reshape(len(chosen), result.q.shape[1]),
        np.array(v).reshape(len(chosen), result.v.shape[1]),
        f"at {at!r}, {side} it",
        _names(result),
    )


def _names(result: Result) -> tuple[str, ...]:
    return result.coordinates or tuple(f"q[{i}]" for i in range(result.q.shape[1]))
