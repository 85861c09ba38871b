"""The film of a report as plain data: shapes once, their points frame by frame where they move."""

from __future__ import annotations

from math import floor, log10
from typing import Any

import numpy as np

from ...base.arrays import Array
from ...base.tolerances.viz import DRAWN_FINENESS
from ...results.records import EventKind
from ...results.result import Result
from ..default_drawing import default_drawing
from ..film import FLASH, Film, shoot
from ..scene import Drawing
from .numbers import rounded

__all__ = ["scene"]

MOST_NUMBERS = 60_000  # coordinates of all frames together
FEWEST_FRAMES = 150
MOST_FLASHES = 3000  # of one contact
MOST_EVENT_FRAMES = 300


def scene(result: Result, drawing: Drawing | None, speed: float) -> dict[str, Any] | None:
    """The film, or None when nothing is drawn, or nothing is known between the rows.

    Without a drawing there is a plain one, whose axes need not be lengths: it gets no scale.
    """
    if not result.pieces and len(result.t) > 1:
        return None
    to_scale = drawing is not None
    drawing = default_drawing(result) if drawing is None else drawing
    first = list(drawing(result.q[0], float(result.t[0])))
    if not first:
        return None
    per_frame = 2 * sum(len(shape.points) for shape in first)
    most = int(np.clip(MOST_NUMBERS // max(per_frame, 1), FEWEST_FRAMES, 900))
    film = shoot(result, drawing, speed=speed, frames_per_second=30.0, max_frames=most)
    times, tracks = _with_events(result, drawing, film)
    left, right, bottom, top = film.bounds.tolist()
    decimals = -floor(log10(DRAWN_FINENESS * max(right - left, top - bottom)))
    shapes = []
    for shape, points in zip(film.shapes, tracks, strict=True):
        shapes.append(
            {
                "kind": shape.kind,
                "role": shape.role,
                "size": shape.size,
                "text": shape.text,
                "contacts": list(shape.contacts),
                **_tracks(points, decimals),
            }
        )
    return {
        "times": [float(t) for t in times],
        "bounds": [left, right, bottom, top],
        "to_scale": to_scale,
        "speed": film.speed,
        "flash": FLASH,
        "impacts": _impacts(result, {name for s in film.shapes for name in s.contacts}),
        "shapes": shapes,
    }


def _with_events(result: Result, drawing: Drawing, film: Film) -> tuple[Array, tuple[Array, ...]]:
    """Times and points of the film with frames at its impacts, where paths have corners."""
    at = {event.t: event for event in result.events if event.kind == EventKind.IMPACT}
    chosen = [event for event in at.values() if event.t not in film.times][:MOST_EVENT_FRAMES]
    if not chosen:
        return film.times, film.points
    frames = [list(drawing(event.q, event.t)) for event in chosen]
    times = np.concatenate([film.times, [event.t for event in chosen]])
    order = np.argsort(times, kind="stable")
    points = tuple(
        np.concatenate([track, [frame[i].points for frame in frames]])[order]
        for i, track in enumerate(film.points)
    )
    return times[order], points


def _tracks(points: Array, decimals: int) -> dict[str, Any]:
    """Points (frames, k, 2) flat; one frame is enough for a shape that does not move."""
    frames = points.reshape(len(points), -1)
    moving = bool(np.ptp(frames, axis=0).max(initial=0.0) > 0.0)
    kept = frames if moving else frames[:1]
    return {"moving": moving, "points": np.round(kept, decimals).tolist()}


def _impacts(result: Result, names: set[str]) -> dict[str, list[float | None]]:
    """Times of impacts of each contact that something flashes for."""
    times: dict[str, list[float]] = {name: [] for name in sorted(names)}
    for event in result.events:
        if event.kind == EventKind.IMPACT:
            for name in names & set(event.contacts):
                times[name].append(event.t)
    return {name: rounded(found[:MOST_FLASHES], 12) for name, found in times.items() if found}
