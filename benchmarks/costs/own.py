"""What gauss_opt itself costs: parts of the time, growth with the size of a system, threads."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import numpy as np
import scenes
from scenes import Scene
from side import least

import gauss_opt as go
from gauss_opt.qp import acceptance

__all__ = ["first_run", "growth", "parts", "threads"]

HERE = Path(__file__).parent
NEW = """
from time import perf_counter as now; a = now(); import gauss_opt; b = now()
import scenes; ball = scenes.ball(); c = now(); ball.run({engine!r}); d = now()
ball.run({engine!r}); print([b - a, d - c, now() - d])
"""
LONG = 2.0  # seconds after which a run is not repeated as often

SCENES: dict[str, Callable[[], Scene]] = {
    "bouncing ball, 12 impacts": scenes.ball,
    "oscillator on a stop": scenes.oscillator,
    "forced oscillator, 100 impacts": lambda: scenes.forced(100),
    "pendulum in 5 coordinates, 5 s": scenes.pendulum,
    "Andrews' mechanism, 30 ms": scenes.andrews,
    "chain of 60 coordinates, 0.5 s": lambda: scenes.chain(20),
    "30 discs in a box": lambda: scenes.discs(30),
}
FOR_THREADS = ("Andrews' mechanism, 30 ms", "chain of 60 coordinates, 0.5 s")
GROWING: dict[str, tuple[str, Callable[[int], Scene], tuple[int, ...]]] = {
    "coordinates and rows: a chain of bars": ("bars", scenes.chain, (5, 10, 20, 40)),
    "rows: of 20 bars some are pinned": (
        "pinned", lambda k: scenes.loose_chain(20, k), (1, 5, 10, 20)
    ),
    "contacts that stay open: walls around a ball": (
        "contacts", scenes.near_walls, (1, 8, 32, 128)
    ),
    "contacts that close: discs in a box": ("discs", scenes.discs, (5, 10, 20, 40)),
}  # fmt: skip


def _least(scene: Scene, engine: str, repeats: int) -> tuple[float, go.Result]:
    """The least time of a run and its result; fewer repeats of what takes long."""
    seconds, result = least(lambda: scene.run(engine), 1)
    more = min(repeats - 1, int(LONG / seconds))
    return (min(seconds, least(lambda: scene.run(engine), more)[0]) if more else seconds), result


def first_run(engines: dict[str, str], repeats: int) -> list[str]:
    """Seconds in a new process: to import, to simulate a first time, and a second."""
    lines = [
        "| engine | import (s) | first run of the ball (s) | second (s) |",
        "|---|---|---|---|",
    ]
    for engine, words in engines.items():
        code = f"import sys; sys.path.insert(0, {str(HERE)!r}){NEW.format(engine=engine)}"
        told = [
            json.loads(subprocess.check_output([sys.executable, "-c", code]))
            for _ in range(min(repeats, 3))
        ]
        cells = [f"{min(column):.3g}" for column in zip(*told, strict=True)]
        lines.append(f"| {words} | {' | '.join(cells)} |")
    return lines


def parts(engines: dict[str, str], repeats: int) -> list[str]:
    """Whole times, and what each part of a run takes of them."""
    lines = [
        "| scene | engine | steps | events | ms | parts | certificates | then looking at all |",
        "|---" * 8 + "|",
    ]
    for name, make in SCENES.items():
        scene = make()
        for engine, words in engines.items():
            seconds, _ = _least(scene, engine, repeats)
            told, result = _parts(scene, engine)
            shares = ", ".join(f"{part} {share:.0%}" for part, share in told.items())
            proofs = _certificates(scene) if engine == "python" else None
            lines.append(
                f"| {name} | {words} | {result.stats.steps} | {len(result.events)} "
                f"| {1e3 * seconds:.3g} | {shares} | {'' if proofs is None else f'{proofs:.1%}'} "
                f"| {1e3 * _looking(result):.2g} ms |"
            )
    return lines


def _parts(scene: Scene, engine: str) -> tuple[dict[str, float], go.Result]:
    """Share of each part in a run, of a few the one that the machine disturbed least."""
    best, told, found = np.inf, {}, None
    for _ in range(3):
        start = perf_counter()
        result = scene.run(engine)
        whole = perf_counter() - start
        if whole < best:
            best, found = whole, result
            told = {part: spent / whole for part, spent in result.stats.seconds.items()}
    assert found is not None
    return {**told, "rest": max(0.0, 1.0 - sum(told.values()))}, found


def _looking(result: Any) -> float:
    """Seconds until everything that is made when looked at is made."""
    start = process_time()
    for name in (
        "t",
        "q",
        "v",
        "a",
        "events",
        "pieces",
        "rows",
        "forces",
        "settings",
        "multipliers",
        "gaps",
    ):
        getattr(result, name)
    return process_time() - start


def _certificates(scene: Scene) -> float:
    """Share of the residuals of certificates in the time of a run of the Python engine."""
    spent = 0.0
    plain = acceptance.residuals

    def timed(*args: Any) -> Any:
        nonlocal spent
        start = perf_counter()
        found = plain(*args)
        spent += perf_counter() - start
        return found

    acceptance.residuals = timed
    try:
        start = perf_counter()
        scene.run("python")
        return spent / (perf_counter() - start)
    finally:
        acceptance.residuals = plain


def growth(engines: dict[str, str], repeats: int) -> list[str]:
    """Time of a run and of a step as one size grows and all else stays."""
    heads = [f"ms, {words} | us in a step" for words in engines.values()]
    lines = [f"| what grows | size | steps | events | {' | '.join(heads)} |"]
    lines.append("|---" * (4 + 2 * len(heads)) + "|")
    for name, (word, make, sizes) in GROWING.items():
        for size in sizes:
            scene, cells = make(size), []
            for engine in engines:
                seconds, result = _least(scene, engine, repeats)
                steps = result.stats.steps
                cells.append(f"{1e3 * seconds:.3g} | {1e6 * seconds / steps:.0f}")
            events = len(result.events)
            lines.append(f"| {name} | {size} {word} | {steps} | {events} | {' | '.join(cells)} |")
    return lines


def threads(engines: dict[str, str], repeats: int) -> list[str]:
    """Runs in a second by one thread and by two that work at once."""
    load, cores = os.getloadavg()[0], os.cpu_count() or 1
    if load > cores:
        return [
            f"Not measured: other work kept the machine busy (load {load:.0f} on {cores} cores)."
        ]
    lines = [
        "| scene | engine | one thread | two threads | two : one |",
        "|---|---|---|---|---|",
    ]
    for name in FOR_THREADS:
        scene = SCENES[name]()
        for engine, words in engines.items():
            many = max(2, round(0.3 / _least(scene, engine, 1)[0]))
            rates = [_rate(scene, engine, number, many, repeats) for number in (1, 2)]
            lines.append(
                f"| {name} | {words} | {rates[0]:.3g} | {rates[1]:.3g} "
                f"| {rates[1] / rates[0]:.2f} |"
            )
    return lines


def _rate(scene: Scene, engine: str, number: int, many: int, repeats: int) -> float:
    """Most runs in a second by so many threads."""
    with ThreadPoolExecutor(number) as pool:
        seconds, _ = least(
            lambda: list(pool.map(lambda _: scene.run(engine).t[-1], range(number * many))),
            repeats,
            perf_counter,
        )
    return number * many / seconds
