"""What the guards cost: the same runs without bounds, with them, and with steps checked as well.

    python benchmarks/guard_costs.py
    python benchmarks/guard_costs.py --write

Each run is done in all three ways in turn, many times over, and the least CPU time of each counts.
Without bounds, gaps and forces are sampled. A first run on a new system, which makes the bounds, is
timed by itself.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import process_time
from typing import NamedTuple
from unittest.mock import PropertyMock, patch

import numpy as np

import gauss_opt as go
from gauss_opt.model.enclosure.enclosures import Enclosures
from gauss_opt.model.tracing.traced import TracedDynamics

PAGE = Path(__file__).parents[1] / "docs" / "proofs.md"
BEGIN, END = "<!-- costs -->", "<!-- end of costs -->"
WAYS = ("sampled", "proved", "proved, steps checked")


class Run(NamedTuple):
    """A system with a start, and how long it is followed."""

    name: str
    make: Callable[[], go.System]
    q: list[float]
    v: list[float]
    end: float
    options: dict[str, float]


def ball() -> Run:
    """A ball that bounces six times."""

    def make() -> go.System:
        floor = go.Contact("floor", lambda q, t: q[1], restitution=0.8)
        return go.System([1.0, 1.0], [0.0, -9.81], contacts=[floor])

    return Run("bouncing ball", make, [0.0, 1.0], [1.0, 0.0], 3.0, {"rtol": 1e-10})


def pendulum() -> Run:
    """A point on a rod that strikes a wall."""

    def make() -> go.System:
        rod = go.Holonomic("rod", lambda q, t: q[0] ** 2 + q[1] ** 2 - 1.0)
        wall = go.Contact("wall", lambda q, t: q[0] + 0.3, restitution=0.7)
        return go.System([1.0, 1.0], [0.0, -9.81], [rod], [wall])

    return Run("pendulum at a wall", make, [float(np.sin(1.0)), -float(np.cos(1.0))], [0, 0], 5.0,
               {})  # fmt: skip


def angle() -> Run:
    """A pendulum by its angle, with drag and a motor."""

    def make() -> go.System:
        return go.System(
            [1.0],
            lambda q, v, t: np.array([-9.81 * np.sin(q[0]) - 0.1 * v[0] + 0.5 * np.cos(2.0 * t)]),
        )

    return Run("driven pendulum", make, [1.0], [0.0], 20.0, {})


def _case(name: str, title: str, **values: float) -> Run:
    """A case of the gallery."""
    case = go.find_case(name).create(values)
    setup = case.build()
    return Run(title, lambda: case.build().system, list(setup.q0), list(setup.v0),
               float(setup.t_span[1]), dict(setup.options))  # fmt: skip


def runs() -> list[Run]:
    """All of them."""
    return [
        ball(), pendulum(), angle(), _case("andrews", "Andrews' mechanism"),
        _case("discs_in_box", "ten discs in a box", discs=10, radius=0.05, seed=5),
    ]  # fmt: skip


@contextmanager
def way(number: int) -> Iterator[None]:
    """Simulations in one of the three ways."""
    if number == 2:
        yield
    elif number == 1:
        with patch.object(Enclosures, "resolution", None):
            yield
    else:
        with patch.object(TracedDynamics, "enclosures", PropertyMock(return_value=None)):
            yield


def simulated(run: Run, system: go.System) -> float:
    """Seconds of CPU time of one simulation."""
    began = process_time()
    go.simulate(system, run.q, run.v, (0.0, run.end), **run.options)
    return process_time() - began


def first(run: Run, number: int) -> float:
    """The same on a new system, its making included."""
    began = process_time()
    with way(number):
        go.simulate(run.make(), run.q, run.v, (0.0, run.end), **run.options)
    return process_time() - began


def measured(run: Run, seconds: float) -> tuple[list[float], list[float]]:
    """Least times of later runs and of first runs, in all ways."""
    systems = [run.make() for _ in WAYS]
    later, begun = [np.inf] * len(WAYS), process_time()
    rounds = 0
    while rounds < 3 or process_time() - begun < seconds:
        for number, system in enumerate(systems):
            with way(number):
                later[number] = min(later[number], simulated(run, system))
        rounds += 1
    fresh = [min(first(run, number) for _ in range(3)) for number in range(len(WAYS))]
    return later, fresh


def table(seconds: float) -> str:
    """All runs as a table."""
    lines = [
        "`python benchmarks/guard_costs.py --write`",
        "",
        "| CPU time | sampled | proved | proved, steps checked | first run | | |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    for run in runs():
        later, fresh = measured(run, seconds)
        cells = []
        for times in (later, fresh):
            cells += [f"{1e3 * times[0]:.1f} ms", *(f"{t / times[0]:.2f}" for t in times[1:])]
        lines.append(f"| {run.name} | {' | '.join(cells)} |")
    return "\n".join(lines)


def main() -> None:
    """Measure, and print or write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--seconds", type=float, default=10.0, help="for each run (default 10)")
    parser.add_argument("--write", action="store_true", help="into docs/proofs.md")
    options = parser.parse_args()
    text = table(options.seconds)
    if not options.write:
        print(text)
        return
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    after = rest.partition(END)[2]
    PAGE.write_text(f"{before}{BEGIN}\n{text}\n{END}{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
