"""What draws a result: a picture, an animation, a report. The drawing itself is in viz.

Nothing of it is imported before it is asked for.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from .summary import require_rows

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from ..mechanics.crosscheck import Crosscheck
    from ..studies.case import Check
    from ..viz.scene import Drawing
    from .result import Result

__all__ = ["Drawn"]


class Drawn:
    """The drawing methods of a :class:`Result`."""

    def plot(self, *, title: str = "") -> Figure:
        """One figure with the motion, gaps, forces and energy, as far as there are any.

        Functions in :mod:`gauss_opt.viz.plots` draw single pictures into your own axes.

        Parameters
        ----------
        title : str
            Left out, it says what was run.

        Returns
        -------
        matplotlib.figure.Figure
            Save it with ``savefig``; a notebook shows it by itself.
        """
        from ..viz.plots.overview import overview

        return overview(self._to_show(), title)

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
            A notebook shows the film.
        """
        from ..viz.animate import animate

        return animate(
            self._to_show(),
            path,
            drawing,
            speed=speed,
            frames_per_second=frames_per_second,
            max_frames=max_frames,
            dpi=dpi,
            dark=dark,
            progress=progress,
        )

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

        Returns
        -------
        pathlib.Path
            A notebook shows the report.
        """
        from ..viz.report.page import write_report

        return write_report(
            self._to_show(),
            path,
            title=title,
            text=text,
            drawing=drawing,
            checks=checks,
            crosscheck=crosscheck,
            parameters=parameters,
            speed=speed,
        )

    def _to_show(self) -> Result:
        """The result, if there is anything in it."""
        result = cast("Result", self)
        require_rows(result)
        return result
