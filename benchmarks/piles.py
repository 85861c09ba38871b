"""Piles that finish: discs in a box and in a hopper until they lie, with bounds and CPU time.

    python benchmarks/piles.py out/piles.json box:5 box:10 hopper
    python benchmarks/piles.py out/piles.json --write docs/piles.md

Every run is added to the JSON file as soon as it has ended; runs that are in there are not made
again. A scene is ``box:DISCS[:RESTITUTION[:LAW[:SEED]]]`` or ``hopper[:LAW[:SEED]]``; what is left
out runs through all of its values. Each is simulated with clusters closed and, with ``--exact``,
without (``closure=0``); the end states are compared where both finish.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from itertools import combinations, product
from pathlib import Path
from typing import Any

import numpy as np

import gauss_opt as go

BEGIN = "<!-- figures: written by benchmarks/piles.py --write -->"
END = "<!-- end of figures -->"
LAWS = ("newton", "poisson", "sequential")
RESTITUTIONS = (0.0, 0.3, 0.5, 0.8)
RADII = {5: 0.12, 10: 0.09, 20: 0.08}
DURATION = 3.0
CLOCK = 10  # steps between two looks at the CPU time
G = 9.81


def _cases() -> Any:
    path = Path(__file__).parents[1] / "cases" / "discs_in_box.py"
    spec = importlib.util.spec_from_file_location("discs_in_box", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["discs_in_box"] = module
    spec.loader.exec_module(module)
    return module


def box(discs: int, restitution: float, seed: int) -> go.Setup:
    """Discs that fall in a box."""
    return _cases().DiscsInBox(
        discs=discs, radius=RADII.get(discs, 0.08), gravity=G, speed=0.2,
        restitution=restitution, seed=seed, duration=DURATION,
    ).build()  # fmt: skip


def hopper(seed: int, discs: int = 10) -> go.Setup:
    """Discs between two slopes, on a paddle that moves up and down by itself."""
    radius, mass, e, half = 0.05, 0.1, 0.3, 0.1
    c, s = np.cos(np.radians(60.0)), np.sin(np.radians(60.0))

    def apart(i: int, j: int) -> Callable[..., Any]:
        return lambda q, t: np.hypot(q[2 * i] - q[2 * j], q[2 * i + 1] - q[2 * j + 1]) - 2 * radius

    contacts = [go.Contact(f"{i}-{j}", apart(i, j), e) for i, j in combinations(range(discs), 2)]
    for i in range(discs):
        x, y = 2 * i, 2 * i + 1
        sides: dict[str, Callable[..., Any]] = {
            "left": lambda q, t, x=x, y=y: (q[x] + half) * s + q[y] * c - radius,
            "right": lambda q, t, x=x, y=y: (half - q[x]) * s + q[y] * c - radius,
            "paddle": lambda q, t, y=y: q[y] - radius - 0.03 * np.sin(4 * np.pi * t),
        }
        contacts += [go.Contact(f"{name} {i}", gap, e) for name, gap in sides.items()]
    random = np.random.default_rng(seed)
    places = [
        (2.6 * radius * (k % 3 - 1) + 0.1 * radius * random.uniform(-1, 1),
         0.25 + 2.6 * radius * (k // 3))
        for k in range(discs)
    ]  # fmt: skip
    system = go.System(
        mass=np.full(2 * discs, mass),
        force=np.tile([0.0, -mass * G], discs),
        contacts=contacts,
        potential=lambda q, t: mass * G * np.sum(q[1::2]),
    )
    return go.Setup(system, np.ravel(places), np.zeros(2 * discs), (0.0, 2.0))


def scenes(word: str, seeds: int) -> Iterator[str]:
    """All scenes that a word on the command line stands for."""
    kind, *given = word.split(":")
    seed_choices = [str(seed) for seed in range(1, seeds + 1)]
    choices: list[Iterable[Any]] = [LAWS, seed_choices]
    if kind == "box":
        choices = [RADII, RESTITUTIONS, *choices]
    for place, choice in enumerate(given):
        choices[place] = [choice]
    for values in product(*choices):
        yield ":".join([kind, *map(str, values)])


def built(scene: str) -> tuple[go.Setup, str]:
    """What a scene is, and its impact law."""
    kind, *words = scene.split(":")
    if kind == "box":
        n, e, law, seed = words
        return box(int(n), float(e), int(seed)), law
    law, seed = words
    return hopper(int(seed)), law


def out_of_time(start: float, limit: float) -> Callable[[Any], bool]:
    """Whether a run has taken its CPU time; to look at the clock at every step would cost more."""
    steps = 0

    def over(state: Any) -> bool:
        nonlocal steps
        steps += 1
        return steps % CLOCK == 0 and time.process_time() - start > limit

    return over


def run(scene: str, closure: float, limit: float) -> dict[str, Any]:
    """Simulate a scene within a CPU time; what is to be said about it."""
    setup, law = built(scene)
    start = time.process_time()
    try:
        result = go.simulate(
            setup.system, setup.q0, setup.v0, setup.t_span, law=law, closure=closure,
            callback=out_of_time(start, limit),
        )  # fmt: skip
    except go.SimulationError as error:
        if error.result is None:
            raise
        result = error.result
    seconds = time.process_time() - start
    energy, stats = result.energy, result.stats
    scale = float(max(np.abs(energy.total[0]), energy.kinetic.max()))
    return {
        "scene": scene,
        "closure": closure,
        "status": str(result.status),
        "message": result.message[:300],
        "t": float(result.t[-1]),
        "cpu": round(seconds, 2),
        "events": len(result.events),
        "closings": stats.closings,
        "loss": stats.closing_loss / scale,
        "worst loss": stats.worst_closing_loss / scale,
        "deepest gap": float(min(gap.min() for gap in result.gaps.values())),
        "account": float(np.abs(energy.residual).max() / scale),
        "gains": sum(event.gains_energy for event in result.events),
        "q": result.q[-1].tolist(),
    }


def table(runs: list[dict[str, Any]]) -> str:
    """All runs as a table of a document, scenes of one kind together."""
    exact = {run["scene"]: run for run in runs if not run["closure"]}
    rows = [
        "| scene | finished | CPU s, longest | events, most | closings | loss in all, most | "
        "loss at once, most | deepest gap, m | account | exact finished | CPU s | apart, m |",
        "|---|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    groups: dict[str, list[dict[str, Any]]] = {}
    for one in runs:
        if one["closure"]:
            groups.setdefault(one["scene"].rpartition(":")[0], []).append(one)
    for name, group in sorted(groups.items()):
        finished = [one for one in group if one["status"] == "finished"]
        others = [exact[one["scene"]] for one in group if one["scene"] in exact]
        ended = {one["scene"]: one for one in others if one["status"] == "finished"}
        apart = [
            float(np.abs(np.subtract(one["q"], ended[one["scene"]]["q"])).max())
            for one in finished
            if one["scene"] in ended
        ]
        cells = [
            name.replace(":", " "),
            f"{len(finished)} of {len(group)}",
            f"{max(one['cpu'] for one in group):.1f}",
            f"{max(one['events'] for one in group)}",
            f"{sum(one['closings'] for one in group)}",
            *(f"{max(one[key] for one in group):.0e}" for key in ("loss", "worst loss")),
            f"{min(one['deepest gap'] for one in group):.0e}",
            f"{max(one['account'] for one in group):.0e}",
            f"{len(ended)} of {len(others)}" if others else "",
            f"{max(one['cpu'] for one in others):.1f}" if others else "",
            f"{max(apart):.0e}" if apart else "",
        ]
        rows.append(f"| {' | '.join(cells)} |")
    unfinished = [one for one in runs if one["closure"] and one["status"] != "finished"]
    listed = [
        f"- {one['scene'].replace(':', ' ')}: t = {one['t']:.3f} after {one['cpu']:.0f} s, "
        f"{one['events']} events: {one['message']}"
        for one in unfinished
    ]
    head = f"{len(groups)} kinds of scenes, {sum(map(len, groups.values()))} runs; not finished:"
    return "\n".join([*rows, "", head, "", *(listed or ["- none"])])


def write(path: Path, runs: list[dict[str, Any]]) -> None:
    """Put the figures into a document, between the marks."""
    text = path.read_text(encoding="utf-8")
    before, _, rest = text.partition(BEGIN)
    after = rest.partition(END)[2]
    path.write_text(f"{before}{BEGIN}\n\n{table(runs)}\n\n{END}{after}", encoding="utf-8")


def main() -> int:
    """Run what is asked for, and say what did not finish."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("file", type=Path)
    parser.add_argument("scenes", nargs="*")
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--limit", type=float, default=60.0, help="CPU seconds for each run")
    parser.add_argument("--exact", action="store_true", help="also with closure=0")
    parser.add_argument("--write", type=Path)
    asked = parser.parse_args()
    runs = json.loads(asked.file.read_text()) if asked.file.exists() else []
    known = {(one["scene"], one["closure"]) for one in runs}
    for word in asked.scenes:
        for scene in scenes(word, asked.seeds):
            for closure in (1e-8, 0.0) if asked.exact else (1e-8,):
                if (scene, closure) in known:
                    continue
                runs.append(run(scene, closure, asked.limit))
                print({k: v for k, v in runs[-1].items() if k != "q"}, flush=True)
                asked.file.parent.mkdir(parents=True, exist_ok=True)
                asked.file.write_text(json.dumps(runs, indent=1))
    if asked.write:
        write(asked.write, runs)
    return int(any(one["closure"] and one["status"] != "finished" for one in runs))


if __name__ == "__main__":
    raise SystemExit(main())
