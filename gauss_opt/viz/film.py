"""A result as a film: shapes of a drawing at evenly spaced times, for animations and reports."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import floor, log10

import numpy as np

from ..base.arrays import Array
from ..base.errors import InputError
from ..base.tolerances.viz import POINT_SCENE
from ..base.words.choices import choices
from ..results.records import EventKind
from ..results.result import Result
from .scene import Drawing, Shape

__all__ = ["Film", "pace", "shoot"]

FLASH = 0.25  # how long a shape flashes after an impact, in seconds as shown
SHORTEST, LONGEST = 2.0, 60.0  # how long a film in real time may last, in seconds
USUAL = 12.0  # how long it lasts otherwise, about
MARGIN = 0.06  # room around everything that is ever shown, as part of its size


@dataclass(frozen=True, eq=False)
class Film:
    """Shapes over time.

    Attributes
    ----------
    times : (nf,) array
        Time of each frame.
    shapes : tuple of Shape
        The shapes of the first frame; kinds, roles and sizes are those of all frames.
    points : tuple of (nf, k, 2) arrays
        Points of each shape at each frame.
    flashes : (nf, number of shapes) array
        How bright each shape flashes: 1 at an impact of one of its contacts, then fading to 0.
    bounds : (4,) array
        Left, right, bottom and top of everything shown, with a margin.
    speed : float
        Simulated seconds per second shown.
    """

    times: Array
    shapes: tuple[Shape, ...]
    points: tuple[Array, ...]
    flashes: Array
    bounds: Array
    speed: float

    @property
    def frames_per_second(self) -> float:
        """Frames in one second shown."""
        span = float(self.times[-1] - self.times[0])
        return self.speed * (len(self.times) - 1) / span if span > 0 else 1.0


def pace(span: float) -> float:
    """The speed of a film that is not asked for another: real time, unless hard to watch.

    >>> pace(5.0), pace(1e-3), pace(7200.0)
    (1.0, 0.0001, 500.0)
    """
    if not span > 0.0 or SHORTEST <= span <= LONGEST:
        return 1.0
    wanted = span / USUAL
    power = 10.0 ** floor(log10(wanted))
    return min((power * step for step in (1.0, 2.0, 5.0, 10.0)), key=lambda x: abs(x - wanted))


def shoot(
    result: Result,
    drawing: Drawing,
    *,
    speed: float | None = None,
    frames_per_second: float = 30.0,
    max_frames: int = 900,
) -> Film:
    """Evaluate a drawing along a result.

    Parameters
    ----------
    speed : float, optional
        Simulated seconds per second shown: 0.5 is slow motion. See :func:`pace` for the default.
    frames_per_second : float
        Lowered when there would be more than ``max_frames`` frames.
    """
    start, end = float(result.t[0]), float(result.t[-1])
    speed = pace(end - start) if speed is None else speed
    if not speed > 0.0 or not frames_per_second > 0.0:
        raise InputError("speed and frames_per_second must be positive")
    if max_frames < 2:
        raise InputError(f"max_frames must be at least 2, got {max_frames}")
    wanted = int(np.ceil((end - start) / speed * frames_per_second)) + 1
    times = (
        np.linspace(start, end, min(max(wanted, 2), max_frames)) if end > start else result.t[:1]
    )
    frames = [list(drawing(result(float(t)).q, float(t))) for t in times]
    _require_known_contacts(result, frames[0])
    kinds = [shape.kind for shape in frames[0]]
    for t, frame in zip(times, frames, strict=True):
        if [shape.kind for shape in frame] != kinds:
            raise InputError(
                f"the drawing has different shapes at t = {t:g} than at the start: it must return "
                f"the same kinds in the same order at every state"
            )
    columns = zip(*frames, strict=True)
    points = tuple(_points(i, column, times) for i, column in enumerate(columns))
    return Film(
        times,
        tuple(frames[0]),
        points,
        _flashes(result, times, frames[0], speed),
        _bounds(frames[0], points),
        speed,
    )


def _require_known_contacts(result: Result, shapes: Sequence[Shape]) -> None:
    """Refuse shapes that would never flash, since no contact has the name that they give."""
    known = dict.fromkeys((*result.contacts, *result.row_names))
    known |= dict.fromkeys(name for event in result.events for name in event.contacts)
    for shape in shapes:
        for name in shape.contacts:
            if name not in known:
                raise InputError(
                    f"a {shape.kind} of the drawing names the contact {name!r}, which is not in "
                    f"this run; {choices(name, result.contacts)}"
                )


def _points(number: int, shapes: tuple[Shape, ...], times: Array) -> Array:
    """Points of one shape at all frames, (nf, k, 2)."""
    count = len(shapes[0].points)
    for shape, t in zip(shapes, times, strict=True):
        if len(shape.points) != count:
            raise InputError(
                f"{shape.kind} {number} of the drawing has {len(shape.points)} points at t = {t:g} "
                f"but {count} at the start: that number must not change"
            )
    return np.array([shape.points for shape in shapes])


def _flashes(result: Result, times: Array, shapes: list[Shape], speed: float) -> Array:
    """Brightness of each shape at each frame."""
    flashes = np.zeros((len(times), len(shapes)))
    # With few frames a flash lasts until the next one, so that every impact is seen.
    frame = (float(times[1] - times[0]) / speed) if len(times) > 1 else 0.0
    duration = max(FLASH, 1.5 * frame)
    for event in result.events:
        if event.kind != EventKind.IMPACT:
            continue
        since = (times - event.t) / speed
        light = np.where((since >= 0.0) & (since < duration), 1.0 - since / duration, 0.0)
        for i, shape in enumerate(shapes):
            if set(shape.contacts) & set(event.contacts):
                flashes[:, i] = np.maximum(flashes[:, i], light)
    return flashes


def _bounds(shapes: list[Shape], points: tuple[Array, ...]) -> Array:
    if not points:
        return np.array([0.0, 1.0, 0.0, 1.0])
    reach = [shape.size if shape.kind == "disc" else 0.0 for shape in shapes]
    low = np.min([p.reshape(-1, 2).min(axis=0) - r for p, r in zip(points, reach, strict=True)], 0)
    high = np.max([p.reshape(-1, 2).max(axis=0) + r for p, r in zip(points, reach, strict=True)], 0)
    room = MARGIN * max(float((high - low).max()), POINT_SCENE)
    # A thin scene, such as a straight line, still gets some height.
    thin = np.maximum(0.0, 0.15 * float((high - low).max()) - 0.5 * (high - low))
    low, high = low - room - thin, high + room + thin
    return np.array([low[0], high[0], low[1], high[1]])
