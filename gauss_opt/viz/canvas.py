"""The shapes of a film as matplotlib artists that can show any of its frames."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.patches import Circle, FancyArrowPatch, Polygon

from ..base.arrays import Array
from .film import Film
from .scene import Shape
from .style import LIGHT, Theme, literal

__all__ = ["SceneArtists", "moves", "prepare"]

PALE = {"ground": 0.55, "ghost": 0.5}  # how far the inside of a shape is lightened
INSIDE = 0.25


def prepare(ax: Axes, film: Film, theme: Theme = LIGHT) -> None:
    """Axes for a scene: equal scales, everything in view, no frame."""
    left, right, bottom, top = film.bounds.tolist()
    ax.set_xlim(left, right)
    ax.set_ylim(bottom, top)
    ax.set_aspect("equal")
    ax.set_axis_off()
    ax.set_facecolor(theme.paper)


def moves(points: Array) -> bool:
    """Whether a shape is ever elsewhere than in the first frame; (nf, k, 2) points."""
    return bool(np.any(points != points[:1]))


class SceneArtists:
    """One artist for each shape of a film.

    Parameters
    ----------
    ax : Axes
    film : Film
    theme : Theme
    only : sequence of int, optional
        Numbers of the shapes to make; all by default.
    alpha : float
        Opacity of all of them.
    """

    def __init__(
        self,
        ax: Axes,
        film: Film,
        theme: Theme = LIGHT,
        *,
        only: Any = None,
        alpha: float = 1.0,
    ) -> None:
        self.film = film
        self.theme = theme
        self.alpha = alpha
        chosen = range(len(film.shapes)) if only is None else only
        self.artists = {i: self._make(ax, film.shapes[i], film.points[i][0], i) for i in chosen}

    def show(self, frame: int, *, flashing: bool = True) -> None:
        """Move all artists to a frame of the film."""
        for i, artist in self.artists.items():
            shape, points = self.film.shapes[i], self.film.points[i]
            self._place(artist, shape, points, frame)
            if flashing and shape.contacts:
                self._light(artist, shape, float(self.film.flashes[frame, i]))

    def _make(self, ax: Axes, shape: Shape, points: Array, order: int) -> Any:
        color = self.theme.roles[shape.role]
        style: dict[str, Any] = {"alpha": self.alpha, "zorder": 2.0 + 0.01 * order}
        if shape.kind in ("line", "trail"):
            (artist,) = ax.plot(
                *points.T,
                color=color,
                linewidth=shape.size,
                solid_capstyle="round",
                solid_joinstyle="round",
                **style,
            )
            return artist
        if shape.kind == "dot":
            (artist,) = ax.plot(
                *points.T, "o", color=color, markersize=2.0 * shape.size, markeredgewidth=0, **style
            )
            return artist
        if shape.kind == "text":
            x, y = points[0].tolist()
            style |= {"ha": "center", "va": "center"}
            return ax.text(x, y, literal(shape.text), color=color, fontsize=shape.size, **style)
        return ax.add_patch(self._patch(shape, points, color, style))

    def _patch(self, shape: Shape, points: Array, color: str, style: dict[str, Any]) -> Any:
        if shape.kind == "arrow":
            return FancyArrowPatch(
                *points,
                arrowstyle="-|>",
                mutation_scale=4.0 + 4.0 * shape.size,
                linewidth=shape.size,
                color=color,
                shrinkA=0.0,
                shrinkB=0.0,
                **style,
            )
        edge = "none" if shape.role == "ground" else color
        look = {"facecolor": self._inside(shape), "edgecolor": edge, "linewidth": 1.5, **style}
        if shape.kind == "disc":
            return Circle(points[0], shape.size, **look)
        return Polygon(points, closed=True, joinstyle="round", **look)

    def _inside(self, shape: Shape) -> tuple[float, ...]:
        """The role's colour, mixed with the paper."""
        return _mixed(self.theme.roles[shape.role], self.theme.paper, PALE.get(shape.role, INSIDE))

    def _place(self, artist: Any, shape: Shape, points: Array, frame: int) -> None:
        now = points[frame]
        if shape.kind == "trail":
            artist.set_data(*points[: frame + 1, 0].T)
        elif shape.kind in ("line", "dot"):
            artist.set_data(*now.T)
        elif shape.kind == "polygon":
            artist.set_xy(now)
        elif shape.kind == "disc":
            artist.set_center(now[0])
        elif shape.kind == "arrow":
            # An arrow without length has no direction to draw.
            artist.set_visible(bool(np.any(now[0] != now[1])))
            artist.set_positions(*now)
        else:
            artist.set_position(now[0])

    def _light(self, artist: Any, shape: Shape, flash: float) -> None:
        if shape.kind in ("polygon", "disc"):
            artist.set_facecolor(_mixed(self._inside(shape), self.theme.flash, flash))
        else:
            artist.set_color(_mixed(self.theme.roles[shape.role], self.theme.flash, flash))


def _mixed(color: Any, other: Any, share: float) -> tuple[float, ...]:
    mixture = (1.0 - share) * np.array(to_rgb(color)) + share * np.array(to_rgb(other))
    return tuple(mixture.tolist())
