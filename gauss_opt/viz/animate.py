"""A result as a GIF or an MP4: the shapes of a drawing in motion, with the time they are at."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from numpy.typing import NDArray
from PIL import Image
from scipy.spatial import cKDTree

from ..base.errors import InputError, MissingPackageError
from ..base.whole_file import require_folder, whole_file
from ..results.result import Result
from .canvas import SceneArtists, prepare
from .default_drawing import default_drawing
from .film import Film, shoot
from .scene import Drawing
from .style import DARK, LIGHT, Theme
from .written import Written

__all__ = ["animate"]

Integers = NDArray[np.int_]
Progress = bool | Callable[[float], Any]

WIDTH, LEAST_HEIGHT, GREATEST_HEIGHT = 6.4, 2.4, 7.2  # of the picture, in inches
HEADER = 0.35  # room above the scene for speed and time, in inches
HOLD = 1.0  # how long a GIF shows its last frame before it starts again, in seconds
FASTEST_GIF = 50.0  # frames per second; viewers slow down what is faster
COLORS = 256  # of a GIF


def animate(
    result: Result,
    path: str | os.PathLike[str],
    drawing: Drawing | None = None,
    *,
    speed: float | None = None,
    frames_per_second: float = 30.0,
    max_frames: int = 900,
    dpi: float = 100.0,
    dark: bool = False,
    progress: Progress = False,
) -> Path:
    """Write an animation of a result; see :meth:`gauss_opt.Result.animate`."""
    target = Path(path)
    kind = target.suffix.lower()
    if kind not in WRITERS:
        raise InputError(
            f"an animation is a .gif or an .mp4 file, got {target.name!r}: change its ending"
        )
    require_folder(target)
    if kind == ".mp4" and shutil.which("ffmpeg") is None:
        raise MissingPackageError(
            "an .mp4 file needs the program 'ffmpeg', which is not installed: install it, or "
            "write a .gif"
        )
    if kind == ".gif":
        frames_per_second = min(frames_per_second, FASTEST_GIF)
    film = shoot(
        result,
        default_drawing(result) if drawing is None else drawing,
        speed=speed,
        frames_per_second=frames_per_second,
        max_frames=max_frames,
    )
    stage = _Stage(film, DARK if dark else LIGHT, dpi)
    with whole_file(target) as temporary, _reporter(progress, len(film.times)) as report:
        WRITERS[kind](stage, temporary, report)
    return Written(target)


def _even(inches: float, dpi: float) -> float:
    """A length of an even number of pixels, as videos need it."""
    return 2 * round(0.5 * inches * dpi) / dpi


class _Stage:
    """The figure in which the frames of a film are shown."""

    def __init__(self, film: Film, theme: Theme, dpi: float) -> None:
        left, right, bottom, top = film.bounds.tolist()
        height = WIDTH * (top - bottom) / (right - left) + HEADER
        height = float(np.clip(height, LEAST_HEIGHT, GREATEST_HEIGHT))
        size = (_even(WIDTH, dpi), _even(height, dpi))
        self.film = film
        self.dpi = dpi
        self.figure = Figure(figsize=size, dpi=dpi, facecolor=theme.paper)
        self.canvas = FigureCanvasAgg(self.figure)
        ax = self.figure.add_axes((0.0, 0.0, 1.0, 1.0 - HEADER / size[1]))
        prepare(ax, film, theme)
        self._artists = SceneArtists(ax, film, theme)
        line = 1.0 - 0.5 * HEADER / size[1]
        words: dict[str, Any] = {"color": theme.ink, "fontsize": 10, "va": "center"}
        self.figure.text(0.02, line, f"{film.speed:.3g} x real time", **words)
        self._clock = self.figure.text(0.98, line, "", ha="right", **words)
        span = float(film.times[-1] - film.times[0])
        step = span / max(1, len(film.times) - 1)
        self._digits = int(np.clip(1 - np.floor(np.log10(step)), 1, 9)) if step > 0 else 2

    def show(self, frame: int) -> None:
        """Put a frame on stage, without drawing it yet."""
        self._artists.show(frame)
        self._clock.set_text(f"t = {self.film.times[frame]:.{self._digits}f} s")

    def photograph(self, frame: int) -> Image.Image:
        """A frame as an image of Pillow's."""
        self.show(frame)
        self.canvas.draw()
        return Image.fromarray(np.asarray(self.canvas.buffer_rgba())[..., :3].copy())


def _write_gif(stage: _Stage, path: Path, report: Callable[[int], None]) -> None:
    """All frames with one palette, so that still colours stay still."""
    count = len(stage.film.times)
    palette = _Palette([stage.photograph(frame) for frame in _samples(stage.film)])

    def frames() -> Iterator[Image.Image]:
        for frame in range(count):
            report(frame)
            yield palette.apply(stage.photograph(frame))

    shown = frames()
    next(shown).save(
        path,
        format="GIF",
        save_all=True,
        append_images=shown,
        duration=_durations(count, stage.film.frames_per_second),
        loop=0,
        optimize=False,
        disposal=1,
    )


def _durations(count: int, frames_per_second: float) -> list[int]:
    """Milliseconds of each frame in the steps of 10 that a GIF has, without losing time."""
    ends = np.round(np.arange(count + 1) * 100.0 / frames_per_second).astype(int)
    durations = 10 * np.maximum(np.diff(ends), 1)
    durations[-1] += round(1000 * HOLD)
    return [int(duration) for duration in durations]


class _Palette:
    """The most frequent colours of some frames, and a table that gives each colour its nearest.

    The table has cells of 8 levels in each channel. The most frequent colour of a cell stands for
    all of it, so that what fills areas is shown exactly.
    """

    def __init__(self, images: list[Image.Image]) -> None:
        pixels = np.concatenate([np.asarray(image, dtype=int).reshape(-1, 3) for image in images])
        codes, counts = np.unique(pixels @ [1 << 16, 1 << 8, 1], return_counts=True)
        codes = codes[np.argsort(-counts, kind="stable")]
        colors = np.stack([codes >> 16, (codes >> 8) & 255, codes & 255], axis=1)
        _, first = np.unique(_cells(colors), return_index=True)
        self.colors = colors[np.sort(first)[:COLORS]]
        levels = np.arange(0, 256, 8) + 4
        centres = np.stack(np.meshgrid(levels, levels, levels, indexing="ij"), -1).reshape(-1, 3)
        self.table = np.array(cKDTree(self.colors).query(centres)[1], dtype=np.uint8)
        self.table[_cells(self.colors)] = np.arange(len(self.colors))

    def apply(self, image: Image.Image) -> Image.Image:
        """The image in colours of the palette."""
        indexed = Image.fromarray(self.table[_cells(np.asarray(image, dtype=int))])
        indexed.putpalette(self.colors.astype(np.uint8).tobytes())
        return indexed


def _cells(colors: Integers) -> Integers:
    """Number of the cell that each colour (..., 3) is in."""
    cells: Integers = (colors >> 3) @ np.array([1 << 10, 1 << 5, 1])
    return cells


def _samples(film: Film) -> list[int]:
    """Frames that have all colours: evenly spaced ones, and those with flashes."""
    even = np.linspace(0, len(film.times) - 1, 6).round().astype(int).tolist()
    bright = np.argsort(-film.flashes.sum(axis=1), kind="stable")[:40:8].tolist()
    return list(dict.fromkeys([*even, *bright]))


def _write_mp4(stage: _Stage, path: Path, report: Callable[[int], None]) -> None:
    from matplotlib.animation import FFMpegWriter

    writer = FFMpegWriter(
        fps=cast(int, stage.film.frames_per_second),  # ffmpeg takes any number
        codec="libx264",
        extra_args=["-pix_fmt", "yuv420p", "-movflags", "+faststart", "-f", "mp4"],
    )
    with writer.saving(stage.figure, str(path), stage.dpi):
        for frame in range(len(stage.film.times)):
            report(frame)
            stage.show(frame)
            writer.grab_frame(facecolor=stage.figure.get_facecolor())


WRITERS: dict[str, Callable[[_Stage, Path, Callable[[int], None]], None]] = {
    ".gif": _write_gif,
    ".mp4": _write_mp4,
}


@contextmanager
def _reporter(progress: Progress, count: int) -> Iterator[Callable[[int], None]]:
    """A function to call at every frame: the user's, a bar on a terminal, or nothing."""
    if callable(progress):
        yield lambda frame: progress((frame + 1) / count)
    elif progress and sys.stderr.isatty():
        from rich.console import Console
        from rich.progress import Progress as Bar

        with Bar(console=Console(stderr=True), transient=True) as bar:
            task = bar.add_task("animating", total=count)
            yield lambda frame: bar.update(task, completed=frame + 1)
    else:
        yield lambda frame: None
