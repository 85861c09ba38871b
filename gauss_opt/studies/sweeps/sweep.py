"""sweep(): a study from its points to its rows, on any executor, into a table on disk."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Sequence
from hashlib import sha256
from typing import Any

from ...base.arguments import flag, function, path, whole_number
from ...base.carrying import packed
from .dispatch import Dispatch
from .identity import identity
from .points import Grid, Point, points_of
from .pools import Pool, pool_of
from .progress import Progress, reporter
from .recipe import Recipe
from .result import Row, Sweep
from .table import Table
from .worker import FAILED, keep

__all__ = ["sweep"]


def sweep(
    build: Any,
    grid: Grid,
    measure: Callable[..., Any],
    *,
    samples: int | None = None,
    executor: Any = "serial",
    workers: int | None = None,
    table: str | os.PathLike[str] | None = None,
    seed: int = 0,
    chunk: int | None = None,
    progress: bool | Callable[[Progress], Any] = False,
    retry_failed: bool = False,
    trust: bool = False,
) -> Sweep:
    """Measure a system at many points: parameter studies, Monte Carlo, bifurcation diagrams.

    Each worker builds the system once; at each point it gets the point's parameters
    (:meth:`System.with_parameters`, which traces nothing again) and is measured. A point that
    fails keeps a row that says why.

    Parameters
    ----------
    build : callable, System, Setup or Case
        What is measured, or a function that makes it. Names of the points that are arguments of
        the function make it anew for each of their values.
    grid : mapping, iterable of mappings, or callable
        A mapping of names to values: all combinations. An iterable: those points. A callable: a
        sampler that takes a random generator and returns a point.
    measure : callable
        Takes what was built, with the parameters of the point, and by name what else it needs of
        the point, and ``rng``, a random generator of the point's own. Returns a number, or numbers
        (words, lists) by name.
    samples : int, optional
        How many points a sampler gives.
    executor : str or object
        ``"serial"``, ``"processes"``, ``"threads"``, a Client of dask.distributed, or any object
        with ``submit``.
    workers : int, optional
        Number of processes or threads; as many as there are cores when left out.
    table : path, optional
        File that keeps the rows. Points that have one already are not computed again.
    seed : int
        Of all random numbers. Those of a point depend on it and on the values of the point alone.
    chunk : int, optional
        Points that go to a worker at a time; about half a second of work when left out.
    progress : bool or callable
        True shows a bar on a terminal; a callable gets a
        :class:`~gauss_opt.studies.sweeps.progress.Progress`.
    retry_failed : bool
        Compute the points again whose row says that they failed.
    trust : bool
        Use the rows of a table although ``build`` or ``measure`` has changed since.

    Examples
    --------
    How high a ball bounces, by its coefficient of restitution:

    >>> import gauss_opt as go
    >>> ball = go.System([1.0], [-9.81], parameters={"e": 0.5}, contacts=[
    ...     go.Contact("floor", lambda q, t: q[0], restitution="e")])
    >>> def height(ball, drop):
    ...     run = go.simulate(ball, [drop], [0.0], (0.0, 0.8))
    ...     return float(run.events[0].v_after[0] ** 2 / 19.62)
    >>> heights = go.sweep(ball, {"e": [0.0, 0.5, 1.0], "drop": 1.0}, height)
    >>> heights["value"].round(9)
    array([0.  , 0.25, 1.  ])
    """
    seed = whole_number("seed", seed, least=0)
    chunk = None if chunk is None else whole_number("chunk", chunk)
    for name, word in (("retry_failed", retry_failed), ("trust", trust)):
        flag(name, word)
    if not callable(progress):
        flag("progress", progress)
    if table is not None:
        path("table", table)
    recipe = Recipe(build, function("measure", measure, "what was built, ..."), seed)
    points = points_of(grid, samples=samples, seed=seed)
    recipe.require_given(points[0].values)
    model = _tried(recipe, points[0])
    pool = pool_of(executor, workers)
    with Table(table) as rows:
        rows.require_same(identity(recipe, model), trust=trust)
        done = rows.keys(but_failed=retry_failed)
        todo = deque(point for point in points if point.key not in done)
        finished = True
        if todo:
            dispatch = Dispatch(pool, *_sent(recipe, executor), todo, chunk)
            finished = _computed(dispatch, rows, points, pool, progress)
        found = {raw.key: raw for raw in rows.rows()}
    chosen = tuple(Row.of(found[point.key]) for point in points if point.key in found)
    status = "finished" if finished else "interrupted"
    return Sweep(chosen, len(points), status, None if table is None else os.fspath(table))


def _tried(recipe: Recipe, first: Point) -> Any:
    """What the recipe builds, if it is the same for all points; names nobody takes are refused."""
    values = first.values
    if recipe.build_takes:
        try:
            model = recipe.model(values)
        except Exception:  # the row of this point will say so
            return None
        recipe.require_used(values, model)
        return None
    model = recipe.model(values)
    recipe.require_used(values, model)
    return model


def _sent(recipe: Recipe, executor: Any) -> tuple[str, bytes]:
    """The recipe by name, and as bytes where it goes to other processes."""
    if executor in (None, "serial", "threads"):
        name = f"here {id(recipe)}"
        keep(name, recipe)
        return name, b""
    data = packed("what is built and measured", recipe)
    return sha256(data).hexdigest(), data


def _computed(
    dispatch: Dispatch, table: Table, points: Sequence[Point], pool: Pool,
    progress: bool | Callable[[Progress], Any],
) -> bool:  # fmt: skip
    """Fill the table; False when Ctrl-C came first."""
    at_once, before = True, len(points) - len(dispatch.waiting)
    failed = computed = 0
    try:
        with reporter(progress, len(points)) as report:
            for rows in dispatch.rows():
                table.add(rows)
                computed += len(rows)
                failed += sum(row.status == FAILED for row in rows)
                report(before + computed, failed, computed)
        at_once = False
    except KeyboardInterrupt:
        for rows in dispatch.finished():
            table.add(rows)
        return False
    finally:
        pool.close(at_once=at_once)
    return True
