"""Still pictures of a drawing: states side by side, or on top of each other."""

from __future__ import annotations

import numpy as np

from ...results.result import Result
from ..canvas import SceneArtists, moves, prepare
from ..film import Film, shoot
from ..scene import Drawing
from ..style import LIGHT
from .panels import Picture, figure

__all__ = ["filmstrip", "stroboscope"]

FRAMES = 240  # enough for smooth trails


def filmstrip(result: Result, drawing: Drawing, *, states: int = 6) -> Picture:
    """States at evenly spaced times, side by side, each under its time."""
    film = _shot(result, drawing)
    frames = np.unique(np.linspace(0, len(film.times) - 1, states).round().astype(int))
    left, right, bottom, top = film.bounds.tolist()
    shape = (right - left) / (top - bottom)
    # Full rows only, in a picture about twice as wide as high.
    divisors = [k for k in range(1, len(frames) + 1) if len(frames) % k == 0]
    columns = min(divisors, key=lambda k: abs(np.log(k * k * shape / len(frames) / 2.0)))
    rows = len(frames) // columns
    width = min(9.0, 2.6 * columns * max(1.0, shape))
    height = rows * (width / columns / shape + 0.35)
    if height > 10.0:
        width, height = width * 10.0 / height, 10.0
    picture = figure(max(width, 2.5), height)
    panels = picture.subplots(rows, columns, squeeze=False).ravel()
    for ax, frame in zip(panels, frames.tolist(), strict=True):
        prepare(ax, film)
        SceneArtists(ax, film).show(frame, flashing=False)
        ax.set_title(f"t = {film.times[frame]:.3g} s", fontsize=9, color=LIGHT.ink)
    return picture


def stroboscope(result: Result, drawing: Drawing, *, states: int = 8) -> Picture:
    """Several states in one picture, the later the stronger; what never moves is drawn once."""
    film = _shot(result, drawing)
    left, right, bottom, top = film.bounds.tolist()
    shape = (top - bottom) / (right - left)
    width = min(8.0, 5.0 / shape)
    picture = figure(max(width, 3.5), max(width * shape, 1.2) + 0.3)
    ax = picture.add_subplot()
    prepare(ax, film)
    fixed = [i for i, points in enumerate(film.points) if not moves(points)]
    trails = [i for i, shape in enumerate(film.shapes) if shape.kind == "trail"]
    texts = [i for i, shape in enumerate(film.shapes) if shape.kind == "text"]
    moving = [i for i in range(len(film.shapes)) if i not in {*fixed, *trails, *texts}]
    SceneArtists(ax, film, only=fixed).show(0, flashing=False)
    last = len(film.times) - 1
    SceneArtists(ax, film, only=[i for i in (*trails, *texts) if i not in fixed]).show(
        last, flashing=False
    )
    frames = np.unique(np.linspace(0, last, states).round().astype(int)).tolist()
    for number, frame in enumerate(frames, 1):
        strength = 1.0 if frame == last else 0.12 + 0.5 * number / len(frames)
        SceneArtists(ax, film, only=moving, alpha=strength).show(frame, flashing=False)
    ax.set_title(
        f"{len(frames)} states from t = {film.times[0]:.3g} s to {film.times[-1]:.3g} s",
        fontsize=9,
        color=LIGHT.ink,
    )
    return picture


def _shot(result: Result, drawing: Drawing) -> Film:
    """A film of a fixed number of frames, however long the run was."""
    span = float(result.t[-1] - result.t[0]) or 1.0
    return shoot(result, drawing, speed=span, frames_per_second=FRAMES, max_frames=FRAMES + 1)
