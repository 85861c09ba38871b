"""The points of a study: a grid, a list or draws of a sampler, each with a name for all time.

The key of a point is a check sum of its values and of how often they came before. Rows are found
again by it, and random numbers are seeded by it, so a point has the same row in whatever order,
on whatever machine and within whatever larger study it is computed.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from hashlib import sha256
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from ...base.arguments import whole_number
from ...base.errors import InputError

__all__ = ["Grid", "Point", "plain", "points_of"]

Grid = Mapping[str, Any] | Iterable[Mapping[str, Any]] | Callable[[np.random.Generator], Any]


class Point(NamedTuple):
    """One point of a study.

    Attributes
    ----------
    key : str
        Check sum of its text and its repetition.
    text : str
        Its values as JSON; floats come back from it to the last bit.
    repetition : int
        How many points with the same values came before it.
    """

    key: str
    text: str
    repetition: int

    @property
    def values(self) -> dict[str, Any]:
        """Its values by name."""
        found: dict[str, Any] = json.loads(self.text)
        return found

    def rng(self, seed: int) -> np.random.Generator:
        """Random numbers of its own."""
        return np.random.default_rng([seed, int(self.key, 16)])


def points_of(grid: Grid, *, samples: int | None = None, seed: int = 0) -> tuple[Point, ...]:
    """All points of a study, in order.

    Parameters
    ----------
    grid : mapping, iterable of mappings, or callable
        A mapping of names to values gives all combinations, the last name changing fastest. A
        callable is a sampler: it takes a random generator and returns one point.
    samples : int, optional
        How many points a sampler gives.
    seed : int
        Of the sampler.

    Examples
    --------
    >>> [point.text for point in points_of({"e": [0.5, 0.8], "n": 3})]
    ['{"e": 0.5, "n": 3}', '{"e": 0.8, "n": 3}']
    >>> draws = points_of(lambda rng: {"e": rng.uniform()}, samples=2, seed=1)
    >>> draws[:1] == points_of(lambda rng: {"e": rng.uniform()}, samples=1, seed=1)
    True
    """
    if callable(grid):
        if samples is None:
            raise InputError(
                "the grid is a function, so a sampler; it needs samples=, the number of points it "
                "is to give. The arguments are sweep(build, grid, measure)"
            )
        given = [_drawn(grid, seed, i) for i in range(whole_number("samples", samples))]
    elif samples is not None:
        raise InputError("samples= is the number of points of a sampler; this study has none")
    elif isinstance(grid, Mapping):
        axes = [_axis(name, values) for name, values in grid.items()]
        given = [dict(zip(grid, values, strict=True)) for values in product(*axes)]
    else:
        given = list(grid)
    return _keyed(given)


def _drawn(sampler: Callable[[np.random.Generator], Any], seed: int, number: int) -> Any:
    """The draw of a number, whatever was drawn before: more samples leave the first ones alone."""
    return sampler(np.random.default_rng([seed, number]))


def _axis(name: str, values: Any) -> Sequence[Any]:
    if isinstance(values, str) or (np.ndim(values) == 0 and not isinstance(values, Iterable)):
        return [values]
    axis = list(values)
    if not axis:
        raise InputError(f"the grid has no values of {name!r}")
    return axis


def _keyed(given: Iterable[Any]) -> tuple[Point, ...]:
    seen: Counter[str] = Counter()
    points = []
    for i, values in enumerate(given):
        if not isinstance(values, Mapping):
            raise InputError(f"point {i} must map names to values, got {values!r}")
        for name in values:
            if not isinstance(name, str):
                raise InputError(f"point {i} has {name!r} for a name; names must be strings")
        text = json.dumps({name: plain(f"{name!r} of point {i}", v) for name, v in values.items()})
        again = seen[ordered := json.dumps(json.loads(text), sort_keys=True)]
        seen[ordered] += 1
        points.append(Point(sha256(f"{again} {ordered}".encode()).hexdigest()[:32], text, again))
    if not points:
        raise InputError("the study has no points")
    return tuple(points)


def plain(what: str, value: Any) -> Any:
    """A number, a word, None, or a list of these, as JSON can hold it."""
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, list | tuple):
        return [plain(what, item) for item in value]
    raise InputError(
        f"{what} is a {type(value).__name__}; it must be a number, a word, None, or an array or "
        f"list of these"
    )
