"""A drawing for results that come without one.

Two coordinates: the plane of both, with the lines on which gaps and constraints are zero. One: a
point on an upright track, with the places where gaps are zero. More: a bead for each coordinate on
a track of its own.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from ..base.arrays import Array
from ..base.tolerances.base import TINY
from ..base.tolerances.viz import STILL_COORDINATE
from ..model.rows import Block, Kind
from ..results.analysis.refinement import refined
from ..results.analysis.zero_sets import Grid, PhaseRows, contours, zeros
from ..results.names import coordinate_names
from ..results.result import Result
from . import scene
from .scene import Drawing, Shape

__all__ = ["default_drawing"]

ROOM = 0.25  # around the motion, as part of its size
FINE, COARSE = 121, 61  # grid points on each axis, for lines that stay and for lines that move
SLOTS = 3  # pieces that a line that moves may consist of
SLOT_POINTS = 40
MOST_ALIKE = 6.0  # planes more oblong than this are drawn with separate scales
MAX_TRACKS, MAX_NUMBERED = 24, 12


def default_drawing(result: Result) -> Drawing:
    """A drawing that shows the motion of any result; see :mod:`gauss_opt.scene`.

    Examples
    --------
    >>> import gauss_opt as go
    >>> ball = go.System([1.0], [-9.81], contacts=[go.Contact("floor", lambda q, t: q[0])])
    >>> draw = default_drawing(go.simulate(ball, [1.0], [0.0], (0, 1)))
    >>> [shape.kind for shape in draw(np.array([1.0]), 0.0)]
    ['line', 'line', 'text', 'text', 'dot']
    """
    path = refined(result).q
    if path.shape[1] == 1:
        return _track(result, path)
    if path.shape[1] == 2:
        return _plane(result, path)
    return _beads(result, path)


def _range(values: Array) -> tuple[float, float]:
    """Lowest and highest value; a coordinate that does not move gets a range around it."""
    low, high = float(values.min()), float(values.max())
    size = max(abs(low), abs(high), TINY)
    if high - low < STILL_COORDINATE * size:
        return low - 0.5 * size, high + 0.5 * size
    return low, high


def _role(block: Block) -> tuple[str, float]:
    if block.kind == Kind.CONTACT:
        return "ground", 3.0
    return ("ghost", 1.5) if block.kind == Kind.SERVO else ("string", 1.5)


def _names(block: Block) -> tuple[str, ...]:
    return (block.name,) if block.kind == Kind.CONTACT else ()


def _plane(result: Result, path: Array) -> Drawing:
    """The plane of two coordinates: the point, its path, and the zero lines of all rows."""
    low, high = np.array([_range(column) for column in path.T]).T
    spans = high - low
    alike = spans.max() <= MOST_ALIKE * spans.min()
    room = ROOM * (np.full(2, spans.max()) if alike else spans)
    low, high = low - room, high + room
    scale = np.ones(2) if alike else np.array([1.0, (high - low)[0] / (high - low)[1]])

    def grid(points: int) -> Grid:
        return Grid(tuple(np.linspace(a, b, points) for a, b in zip(low, high, strict=True)))

    rows = PhaseRows(result, grid, fine=FINE, coarse=COARSE)
    names = _axis_names(coordinate_names(result), low * scale, high * scale)

    def lines(t: float) -> list[Shape]:
        return [
            scene.line(line * scale, *_role(block), contacts=_names(block))
            for block, values in rows.values(t)
            for line in contours(rows.grid, values)
        ]

    def moving_lines(q: Array, t: float) -> list[Shape]:
        shapes = []
        for block, values in rows.values(t):
            found = contours(rows.grid, values)[:SLOTS]
            for k in range(SLOTS):
                # A piece that is not there hides under the point.
                line = _resampled(found[k]) if k < len(found) else np.tile(q, (SLOT_POINTS, 1))
                shapes.append(scene.line(line * scale, *_role(block), contacts=_names(block)))
        return shapes

    fixed = lines(float(result.t[0])) if rows and rows.still else []

    def draw(q: Array, t: float) -> list[Shape]:
        moving = moving_lines(q, t) if rows and not rows.still else []
        point = q * scale
        contacts = result.contacts
        trail, dot = scene.trail(point), scene.dot(point, size=5.0, contacts=contacts)
        return [*names, *fixed, *moving, trail, dot]

    return draw


def _axis_names(names: list[str], low: Array, high: Array) -> list[Shape]:
    """Two thin axes along the lower and the left rim, with names at their ends."""
    x, y = high - low
    return [
        scene.line([low, np.array([high[0], low[1]])], "ghost", 0.8),
        scene.line([low, np.array([low[0], high[1]])], "ghost", 0.8),
        scene.text([high[0] - 0.02 * x, low[1] - 0.04 * max(x, y)], names[0], size=9),
        scene.text([low[0], high[1] + 0.04 * max(x, y)], names[1], size=9),
    ]


def _resampled(line: Array) -> Array:
    """A line with a fixed number of points, evenly spaced along it."""
    steps = np.hypot(*np.diff(line, axis=0).T)
    along = np.concatenate([[0.0], np.cumsum(steps)])
    places = np.linspace(0.0, along[-1], SLOT_POINTS)
    return np.stack([np.interp(places, along, column) for column in line.T], axis=1)


def _track(result: Result, path: Array) -> Drawing:
    """A point on an upright track, and the places where gaps and constraints are zero."""
    low, high = _range(path[:, 0])
    room = ROOM * (high - low)
    low, high = low - room, high + room
    width = 0.12 * (high - low)

    def grid(points: int) -> Grid:
        return Grid((np.linspace(low, high, 8 * points),))

    rows = PhaseRows(result, grid, fine=FINE, coarse=COARSE)
    name = coordinate_names(result)[0]

    def mark(block: Block, place: float) -> Shape:
        ends = [[-width, place], [width, place]]
        return scene.line(ends, *_role(block), contacts=_names(block))

    def label(words: str, place: float) -> Shape:
        return scene.text([2.2 * width, place], words, size=9)

    def marks(t: float) -> list[Shape]:
        axis = rows.grid.axes[0]
        found = [(place, b) for b, values in rows.values(t) for place in zeros(axis, values)]
        found.sort(key=lambda item: item[0])
        return [
            *(mark(block, place) for place, block in found),
            *(label(words, place) for words, place in _grouped(found, 0.04 * (high - low))),
        ]

    def moving_marks(q: Array, t: float) -> list[Shape]:
        shapes = []
        for block, values in rows.values(t):
            places = zeros(rows.grid.axes[0], values)
            nearest = min(places, key=lambda place: abs(place - float(q[0])), default=None)
            place = float(q[0]) if nearest is None else nearest
            shapes += [mark(block, place), label(block.name, place)]
        return shapes

    fixed = marks(float(result.t[0])) if rows and rows.still else []
    track = scene.line([[0.0, low], [0.0, high]], "ghost", 1.0)
    title = scene.text([0.0, high + 0.5 * width], name, size=9)

    def draw(q: Array, t: float) -> list[Shape]:
        moving = moving_marks(q, t) if rows and not rows.still else []
        dot = scene.dot([0.0, float(q[0])], size=7.0, contacts=result.contacts)
        return [track, *fixed, *moving, title, dot]

    return draw


def _grouped(found: list[tuple[float, Block]], distance: float) -> list[tuple[str, float]]:
    """Names with their places; those too close to be written side by side share a line."""
    groups: list[tuple[list[str], float]] = []
    for place, block in found:
        if groups and place - groups[-1][1] < distance:
            if block.name not in groups[-1][0]:
                groups[-1][0].append(block.name)
        else:
            groups.append(([block.name], place))
    return [(", ".join(names), place) for names, place in groups]


def _beads(result: Result, path: Array) -> Drawing:
    """A bead for each coordinate, between the lowest and the highest value that it takes."""
    n = path.shape[1]
    shown = min(n, MAX_TRACKS)
    ranges = [_range(path[:, i]) for i in range(shown)]
    places = 0.3 * np.arange(shown) if shown <= MAX_NUMBERED else 0.15 * np.arange(shown)
    size = 9.0 if shown <= MAX_NUMBERED else 6.0
    fixed = [scene.line([[x, 0.0], [x, 1.0]], "ghost", 1.5) for x in places]
    names = coordinate_names(result)
    # Long names in a row would touch: every other one is written higher.
    crowded = any(len(a) + len(b) > 9 for a, b in pairwise(names[:shown]))
    for i, x in enumerate(places):
        height = 1.27 if crowded and i % 2 else 1.2
        fixed.append(scene.text([x, height], names[i], size=size))
        if shown <= MAX_NUMBERED:
            low, high = ranges[i]
            fixed.append(scene.text([x, 1.1], f"{high:.3g}", size=7.0))
            fixed.append(scene.text([x, -0.1], f"{low:.3g}", size=7.0))
    if n > shown:
        words = f"and {n - shown} more coordinates"
        fixed.append(scene.text([places.mean(), -0.2], words, size=9.0))

    def draw(q: Array, t: float) -> list[Shape]:
        shares = [(float(q[i]) - a) / (b - a) for i, (a, b) in enumerate(ranges)]
        beads = [scene.dot([x, y], size=5.0) for x, y in zip(places, shares, strict=True)]
        return [*fixed, *beads]

    return draw
