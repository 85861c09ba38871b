"""Events between the points of a run: families of scenes in which samples would miss them.

Each family draws scenes from a seed, and knows without the package what must happen. A scene is
wrong when its run calls itself a success although something was missed. Counts by family are
printed, and written into docs/proofs.md with ``--write``.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
from free_pulses import free_pulses, moving_rails, narrow_hills
from trials import Trial
from trials import wide as _wide

import gauss_opt as go

Array = np.ndarray
PAGE = Path(__file__).parents[1] / "docs" / "proofs.md"
BEGIN, END = "<!-- counts -->", "<!-- end of counts -->"
DEPTH = 1e-7  # a gap below this at a time between the points was missed


def _penetrates(system: go.System) -> Callable[[go.Result], bool]:
    """Whether a gap is negative somewhere along the dense output, by brute force."""

    def wrong(result: go.Result) -> bool:
        nq = result.q.shape[1]
        for piece in result.pieces:
            times = np.linspace(piece.t0, piece.t1, 4001)[1:-1]
            q = piece.many(times)[:, :nq].T
            if min(np.min(contact.gap(q, times)) for contact in system.contacts) < -DEPTH:
                return True
        return False

    return wrong


def _flight(gap: Any, q: Any, v: Any, end: float, force: Any = (0.0, 0.0), e: float = 0.5) -> Trial:
    system = go.System([1.0] * len(q), list(force), contacts=[go.Contact("it", gap, e)])
    return Trial(lambda: go.simulate(system, q, v, (0.0, end)), _penetrates(system))


def bumps(rng: np.random.Generator) -> Trial:
    """A narrow bump below a free flight."""
    width, place, top = _wide(rng, -2.6, 0), rng.uniform(2, 9), rng.uniform(1.02, 1.5)
    return _flight(lambda q, t: q[1] - top * np.exp(-(((q[0] - place) / width) ** 2)),
                   [0.0, 1.0], [1.0, rng.uniform(-0.02, 0.0)], 10.0, e=1.0)  # fmt: skip


def hills(rng: np.random.Generator) -> Trial:
    """A hill below a falling body."""
    width, place = _wide(rng, -2.6, 0), rng.uniform(0.1, 0.9)
    height = 0.6 + np.exp(-((place / width) ** 2))
    return _flight(lambda q, t: q[1] - np.exp(-(((q[0] - place) / width) ** 2)),
                   [0.0, height], [rng.uniform(0.5, 2.0), 0.2], 1.0, (0.0, -1.0))  # fmt: skip


def pistons(rng: np.random.Generator) -> Trial:
    """A surface that comes up for an instant."""
    width, moment = _wide(rng, -2.6, 0), rng.uniform(0.2, 0.8)
    start = 0.5 + np.exp(-((moment / width) ** 2))
    return _flight(lambda q, t: q[0] - np.exp(-(((t - moment) / width) ** 2)),
                   [start], [rng.uniform(-0.1, 0.1)], 1.0, (0.0,))  # fmt: skip


def shakers(rng: np.random.Generator) -> Trial:
    """A table that shakes quickly."""
    frequency = _wide(rng, 1, 3.3)
    return _flight(
        lambda q, t: q[0] - 0.05 * np.sin(frequency * t), [0.2], [0.0], 0.25, (-9.81,), 0.3
    )


def wavy_floors(rng: np.random.Generator) -> Trial:
    """A floor with short waves."""
    number = _wide(rng, 1, 3)
    return _flight(lambda q, t: q[1] - 0.1 * np.sin(number * q[0]), [0.0, 0.5], [3.0, 0.0], 0.35,
                   (0.0, -9.81), 0.4)  # fmt: skip


def pegs(rng: np.random.Generator) -> Trial:
    """Thin pegs in the way of a fast body."""
    centres, radius = rng.uniform(-1, 1, (4, 2)), _wide(rng, -3.6, -1)
    contacts = [
        go.Contact(f"peg {i}", lambda q, t, x=x, y=y: np.hypot(q[0] - x, q[1] - y) - radius, 1.0)
        for i, (x, y) in enumerate(centres)
    ]
    system = go.System([1.0, 1.0], [0.0, 0.0], contacts=contacts)
    start = [-3.0, float(centres[0, 1] + 0.5 * radius)]
    return Trial(lambda: go.simulate(system, start, [40.0, 0.0], (0.0, 0.15)), _penetrates(system))


def rotors(rng: np.random.Generator) -> Trial:
    """The tip of a turning blade that passes a peg."""
    speed, offset, width = rng.uniform(5, 60), rng.uniform(0.03, 0.09), _wide(rng, -2.6, 0)

    def tip(q: Array, t: Any) -> Any:
        x, y = q[0] + np.cos(q[2]) - 1.0 - offset, q[1] + np.sin(q[2])
        return np.sqrt(x**2 + y**2) - 0.1 - width / 30

    system = go.System([1.0, 1.0, 0.1], [0.0, 0.0, 0.0], contacts=[go.Contact("tip", tip, 0.7)])
    v0 = [rng.uniform(-0.05, 0.05), 0.0, speed]
    run = lambda: go.simulate(system, [0.0, 0.0, 1.0], v0, (0.0, 2.0))  # noqa: E731
    return Trial(run, _penetrates(system))


def _pulled(force: Callable[[Any], Any], end: float, where: Array, legs: int) -> Trial:
    """A body, or a table on four legs, at rest under a force that lifts it now and then."""
    if legs == 1:
        contacts = [go.Contact("floor", lambda q, t: q[0])]
        system = go.System([1.0], lambda q, v, t: np.array([force(t)]), contacts=contacts)
        start, options = [0.0], {}
    else:
        corners = ((1, 1), (1, -1), (-1, 1), (-1, -1))
        contacts = [
            go.Contact(f"leg {i}", lambda q, t, x=x, y=y: q[0] + x * q[1] + y * q[2])
            for i, (x, y) in enumerate(corners)
        ]
        system = go.System([1.0] * 3, lambda q, v, t: np.array([force(t), 0 * t, 0 * t]),
                           contacts=contacts)  # fmt: skip
        start, options = [0.0] * 3, {"length_scale": 1.0}

    def wrong(result: go.Result) -> bool:
        inside = np.sort(where[(where > 0.0) & (where < end)])
        q, v = result(inside)
        rests = (np.abs(q[:, 0]) < 1e-10) & (np.abs(v[:, 0]) < 1e-10)
        return bool((rests & (force(inside) > 0.1)).mean() > 1e-3)

    zero = [0.0] * len(start)
    return Trial(lambda: go.simulate(system, start, zero, (0.0, end), **options), wrong)


def _sine(rng: np.random.Generator, legs: int) -> Trial:
    size, frequency = rng.uniform(10.5, 30), _wide(rng, -0.5, 1.3)
    phase, end = rng.uniform(0, 2 * np.pi), rng.uniform(1, 5)
    return _pulled(lambda t: -9.81 + size * np.sin(2 * np.pi * frequency * t + phase), end,
                   np.linspace(0.0, end, 4001), legs)  # fmt: skip


def _pulse(rng: np.random.Generator, legs: int) -> Trial:
    size, width, end = rng.uniform(10.5, 30), _wide(rng, -3.5, -0.5), rng.uniform(1, 5)
    moment = rng.uniform(0.2, 0.8) * end
    where = [np.linspace(0.0, end, 4001), moment + width * np.linspace(-3, 3, 400)]
    return _pulled(lambda t: -9.81 + size * np.exp(-(((t - moment) / width) ** 2)), end,
                   np.concatenate(where), legs)  # fmt: skip


def sine_forces(rng: np.random.Generator) -> Trial:
    """A block that a sinusoidal force lifts."""
    return _sine(rng, 1)


def pulsed_forces(rng: np.random.Generator) -> Trial:
    """A block that one pulse of force lifts."""
    return _pulse(rng, 1)


def tables(rng: np.random.Generator) -> Trial:
    """A table with redundant legs under either force."""
    return (_sine if rng.random() < 0.5 else _pulse)(rng, 4)


def user_events(rng: np.random.Generator) -> Trial:
    """A function of the user's that dips below zero for an instant."""
    width, place = _wide(rng, -3, -1), rng.uniform(0.2, 0.8)
    system = go.System([1.0], [0.0])
    dip = {"dip": lambda q, v, t: 0.5 - np.exp(-(((q[0] - place) / width) ** 2))}
    return Trial(lambda: go.simulate(system, [0.0], [1.0], (0.0, 1.0), events=dip),
                 lambda result: len(result.events) != 2)  # fmt: skip


def velocity_limits(rng: np.random.Generator) -> Trial:
    """A velocity limit that is lowered for an instant."""
    width, place = _wide(rng, -3, -1), rng.uniform(0.2, 0.8)
    limit = go.VelocityLimit(
        "limit", lambda q, v, t: 1.5 - v[0] - np.exp(-(((q[0] - place) / width) ** 2))
    )
    system = go.System([1.0], [0.0], [limit])
    return Trial(lambda: go.simulate(system, [0.0], [1.0], (0.0, 1.0)),
                 lambda result: not any(e.kind == "limit" for e in result.events))  # fmt: skip


def conditions(rng: np.random.Generator) -> Trial:
    """A resting contact that does not exist for an instant."""
    width, place = _wide(rng, -3, -1), rng.uniform(0.2, 0.8)
    floor = go.Contact(
        "floor", lambda q, t: q[1],
        active_when=lambda q, v, t: np.exp(-(((q[0] - place) / width) ** 2)) < 0.5,
        passable=True,
    )  # fmt: skip
    system = go.System([1.0, 1.0], [0.0, -9.81], contacts=[floor])
    return Trial(lambda: go.simulate(system, [0.0, 0.0], [1.0, 0.0], (0.0, 1.0)),
                 lambda result: not any(e.kind == "release" for e in result.events))  # fmt: skip


FAMILIES = (bumps, hills, pistons, shakers, wavy_floors, pegs, rotors, sine_forces, pulsed_forces,
            tables, user_events, velocity_limits, conditions, free_pulses, narrow_hills,
            moving_rails)  # fmt: skip


@dataclass
class Count:
    """What came of the trials of a family."""

    family: str
    meaning: str
    trials: int = 0
    successes: int = 0
    errors: int = 0
    wrong: int = 0
    sampled: int = 0
    cells: int = 0
    steps: int = 0
    seconds: float = 0.0


def counted(family: Callable[..., Trial], seeds: list[int], each: int) -> Count:
    """The outcome of so many trials of a family for each seed."""
    count = Count(family.__name__.replace("_", " "), (family.__doc__ or "").rstrip("."))
    for seed in seeds:
        for k in range(each):
            trial = family(np.random.default_rng([seed, k]))
            count.trials += 1
            began = process_time()
            try:
                result = trial.run()
            except go.GaussError:
                count.errors += 1
                continue
            finally:
                count.seconds += process_time() - began
            count.successes += result.success
            count.sampled += bool(result.stats.sampled or result.stats.unsettled)
            count.cells += result.stats.guard_cells
            count.steps += result.stats.steps
            count.wrong += bool(result.success and trial.wrong(result))
    return count


def table(counts: list[Count], seeds: list[int], each: int) -> Iterator[str]:
    """The counts as a Markdown table."""
    yield f"`python benchmarks/between_points.py --seeds {' '.join(map(str, seeds))} --each {each}`"
    yield ""
    yield "| family | what | trials | wrong successes | errors | with samples | parts per step |"
    yield "| --- | --- | --- | --- | --- | --- | --- |"
    for c in counts:
        yield (
            f"| {c.family} | {c.meaning[0].lower()}{c.meaning[1:]} | {c.trials} | {c.wrong} | "
            f"{c.errors} | {c.sampled} | {c.cells / max(c.steps, 1):.1f} |"
        )
    yield f"| all | | {sum(c.trials for c in counts)} | {sum(c.wrong for c in counts)} | " \
          f"{sum(c.errors for c in counts)} | {sum(c.sampled for c in counts)} | |"  # fmt: skip


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3])
    parser.add_argument("--each", type=int, default=20, help="trials of a family for each seed")
    parser.add_argument("--write", action="store_true", help="put the counts into docs/proofs.md")
    asked = parser.parse_args()
    counts = []
    for family in FAMILIES:
        counts.append(counted(family, asked.seeds, asked.each))
        c = counts[-1]
        print(f"{c.family}: {c.wrong} wrong of {c.trials}, {c.errors} errors, {c.seconds:.1f} s")
    lines = "\n".join(table(counts, asked.seeds, asked.each))
    print(lines)
    if asked.write:
        before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
        after = rest.partition(END)[2]
        PAGE.write_text(f"{before}{BEGIN}\n{lines}\n{END}{after}", encoding="utf-8")
    return int(any(c.wrong for c in counts))


if __name__ == "__main__":
    raise SystemExit(main())
