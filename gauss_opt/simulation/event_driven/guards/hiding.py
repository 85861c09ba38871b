"""Steps that may have passed over something: a peak of a force between the integrator's stages.

Most steps are smooth in every operation on their own scale, which takes one call to know. Others
are cut into parts that are, or that are too short to matter, and the defect v' - a(q, v, t) of the
dense output is integrated over them by quadrature. Where that is far more than error control
allows, the step has missed something, and is taken again with a smaller size.
"""

from __future__ import annotations

import numpy as np

from ....base.arrays import Array, Indices, Mask
from ....base.chebyshev import cut, differentiation_matrix, interpolated
from ....base.lazy import lazy
from ....base.tolerances.simulation import PASSED_OVER
from ....mechanics.flow import Flow
from ....model.enclosure.resolution import HiddenData, Resolution
from ....model.enclosure.way import Cells, edges_of, parts, whole
from ....results.dense_output import Piece
from ..context import Context
from .sampling import sampled_only

__all__ = ["passed_over", "resolution_of"]

MAX_LEVEL = 5  # parts of 3e-5 of the step
MAX_CELLS = 2000
LEAST_SHARE = 1.0 / 64.0  # of what is allowed in the whole step, for a part however short
SMALLER = 0.125  # of the step, where what was passed over is next to its start
LARGEST = 1e300

Rule = list[tuple[float, float]]


def _rule(points: int) -> Rule:
    x, w = np.polynomial.legendre.leggauss(points)
    return list(zip(x.tolist(), w.tolist(), strict=True))


ONE, FIVE = _rule(1), _rule(5)


def resolution_of(context: Context, held: Indices) -> Resolution | None:
    """What is to be looked at; None where nothing can be hidden, or nothing can be known."""
    enclosures = context.dynamics.enclosures
    return None if enclosures is None else enclosures.resolution_with(held)


def passed_over(
    context: Context, flow: Flow, atol: Array, resolution: Resolution, piece: Piece
) -> float | None:
    """The size with which to try a step again that has passed over something; None if it has not.

    Parameters
    ----------
    atol : array
        Of (q, v), for error control.
    """
    box = whole(piece.values, piece.t0, piece.t1)
    if resolution.is_smooth(box, context.parameters)[0]:
        return None
    nq = context.dynamics.nq
    size = np.abs(piece.values[:, nq:]).max(axis=0)
    allowed = PASSED_OVER * (atol[nq:] + context.settings.rtol * size)
    search = _Search(context, flow, resolution, piece, allowed)
    if search.shows_all(box):
        return None
    search.look(piece.values, box)
    context.stats.guard_cells += search.cells
    if search.unknown:
        sampled_only(context, "forces", "how much they change cannot be told")
    if search.place is None:
        return None
    before, step = search.place - piece.t0, piece.t1 - piece.t0
    return before if before > LEAST_SHARE * step else SMALLER * step


class _Search:
    """Goes through a step in the order of time, up to where too much has been missed.

    Attributes
    ----------
    place : float or None
        Where that is.
    cells : int
        Parts that were looked at.
    unknown : bool
        Whether there are parts, however small, in which no bound is known.
    """

    def __init__(
        self, context: Context, flow: Flow, resolution: Resolution, piece: Piece, allowed: Array
    ) -> None:
        self._context, self._flow, self._resolution = context, flow, resolution
        self._piece, self._allowed = piece, allowed
        self._nq = context.dynamics.nq
        self._missed = np.zeros(len(allowed))
        self.place: float | None = None
        self.cells, self.unknown = 0, False

    @lazy
    def _slopes(self) -> Array:
        """v' at the Chebyshev points."""
        piece = self._piece
        slopes: Array = differentiation_matrix(len(piece.values)) @ piece.values[:, self._nq :]
        return slopes / (piece.t1 - piece.t0)

    @lazy
    def _response(self) -> Array:
        """How accelerations answer to loads and to right-hand sides of held rows, in size."""
        snapshot = self._context.at(self._piece.t1, self._piece.values[-1])
        rows, n = snapshot.rows_of(self._flow.held), len(self._allowed)
        k = len(rows)
        system = np.block([[snapshot.mass, -rows.T], [rows, np.zeros((k, k))]])
        self._forces = np.abs(self._flow.accelerate(snapshot)[1])
        response: Array = np.abs(np.linalg.pinv(system)[:n])
        return response

    def shows_all(self, box: Cells) -> bool:
        """Whether so little can be hidden in the whole step that it does not matter."""
        self.cells += 1
        return bool(self._negligible(self._resolution.over(box, self._context.parameters)[1], box))

    def look(self, values: Array, cells: Cells, level: int = 0) -> None:
        """Look at some parts one after the other; ``values`` are those of the whole of them."""
        smooth, hidden = self._resolution.over(cells, self._context.parameters)
        self.cells += len(smooth)
        begins, ends = cells.times[:, 0].tolist(), cells.times[:, 1].tolist()
        fine = self._negligible(hidden, cells)
        pieces = values[None] if len(smooth) == 1 else cut(values, len(smooth))
        for i, (begin, end) in enumerate(zip(begins, ends, strict=True)):
            if smooth[i]:
                self._add_defect(begin, end, FIVE)
            elif fine[i]:
                self._add_defect(begin, end, ONE)
            elif level < MAX_LEVEL and self.cells < MAX_CELLS:
                self.look(pieces[i], parts(pieces[i], edges_of(begin, end))[1], level + 1)
            elif np.isfinite(hidden.load[i]).all() and np.isfinite(hidden.mass[i]).all():
                self.place = begin
            else:
                self.unknown = True
                self._add_defect(begin, end, ONE)
            if self.place is not None:
                return

    def _negligible(self, hidden: HiddenData, cells: Cells) -> Mask:
        """In which parts so little is hidden that it does not matter."""
        response, n = self._response, len(self._allowed)
        load, mass, rows, rhs = (np.minimum(part, LARGEST) for part in (
            hidden.load, hidden.mass, hidden.rows, hidden.rhs
        ))  # fmt: skip
        places = np.searchsorted(self._flow.held, self._resolution.rows)
        sizes, forces = np.abs(self._slopes).max(axis=0), self._forces[places]
        wrong = np.zeros((len(load), len(response[0])))
        wrong[:, :n] = load + mass @ sizes + forces @ rows
        wrong[:, n + places] = rhs + rows @ sizes
        lengths = cells.times[:, 1] - cells.times[:, 0]
        share = np.maximum(lengths / (self._piece.t1 - self._piece.t0), LEAST_SHARE)
        with np.errstate(over="ignore"):
            off = (wrong @ response.T) * lengths[:, None]
        mask: Mask = np.all(off <= share[:, None] * self._allowed, axis=1)
        return mask

    def _add_defect(self, begin: float, end: float, rule: Rule) -> None:
        """Add up what the polynomials miss over a part, by a Gauss-Legendre rule."""
        piece, half = self._piece, 0.5 * (end - begin)
        for point, weight in rule:
            t = begin + half * (1.0 + point)
            motion = self._flow(t, piece(t))[self._nq :]
            slope = interpolated(self._slopes, (t - piece.t0) / (piece.t1 - piece.t0))
            self._missed += (half * weight) * (motion - slope)
        if (np.abs(self._missed) > self._allowed).any():
            self.place = begin
