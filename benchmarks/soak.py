"""Proof by mass: random problems, scenes and models of many kinds, for as long as asked.

    python benchmarks/soak.py --minutes 10 --seed 1 --json out/soak.json
    python benchmarks/soak.py --replay out/soak/FILE
    python benchmarks/soak.py --from out/soak.json --write docs/soak.md

Item k of a run is made from the seed and k alone, so that a run is a prefix of any longer one, on
any number of workers. Whatever must not be is a finding: saved as a file that --replay runs again.
"""

from __future__ import annotations

import argparse
import json
import platform
import signal
import sys
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from pathlib import Path
from time import monotonic
from typing import Any

from kinds.catalogue import KINDS, check_kind
from random_problems import RandomProblem, random_problem
from random_scenes import from_dict, random_scene
from soak_checks import Tally, check_problem, check_scene
from soak_report import summary, tables, write

import gauss_opt as go

PROBLEMS_IN_A_BATCH = 20
SECOND_SOLVER = 4  # every so many scenes are run by a second solver as well
HANG = 300  # seconds after which an item is given up

_solvers: dict[str, go.GaussSolver] = {}


class Hang(BaseException):
    """An item that does not end; not an Exception, so that nothing on its way catches it."""


def solvers() -> dict[str, go.GaussSolver]:
    """All installed solvers, with nobody else's active sets to start from."""
    if not _solvers:
        for name in go.solvers.available():
            _solvers[name] = go.GaussSolver(name, reuse_active_set=False)
    return _solvers


def item(seed: int, k: int, folder: str) -> Tally:
    """Item k of a run, with its findings saved."""
    with_alarm = hasattr(signal, "SIGALRM")
    if with_alarm:
        signal.signal(signal.SIGALRM, _hang)
        signal.alarm(HANG)
    try:
        return ITEMS[k % len(ITEMS)](seed, k, folder)
    except Hang:
        tally = Tally()
        tally.find(f"item {k} did not end within {HANG} s", [seed, k])
        return tally
    finally:
        if with_alarm:
            signal.alarm(0)


def _hang(signum: int, frame: Any) -> None:
    raise Hang


def _scene(seed: int, k: int, folder: str) -> Tally:
    names = tuple(solvers())
    scene = random_scene((seed, k), names)
    number = k // len(ITEMS)
    second = names[number % len(names)] if number % SECOND_SOLVER == 0 else None
    tally = _guarded(lambda: check_scene(scene, second, [seed, k]), [seed, k])
    if tally.findings:
        file = _file(folder, f"scene-{seed}-{k}.json")
        findings = [finding["what"] for finding in tally.findings]
        content = {"seed": [seed, k], "findings": findings, "scene": scene.to_dict()}
        file.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
        for finding in tally.findings:
            finding["file"] = file.name
    return tally


def _problems(seed: int, k: int, folder: str) -> Tally:
    total = Tally()
    for number in range(PROBLEMS_IN_A_BATCH):
        mark = [seed, k, number]
        given = random_problem((seed, k, number))
        tally = _guarded(lambda g=given, m=mark: check_problem(g, solvers(), m), mark)
        if tally.findings:
            file = _file(folder, f"problem-{seed}-{k}-{number}.npz")
            go.save_problem(given.problem, file)
            for finding in tally.findings:
                finding["file"] = file.name
        total.add(tally)
    return total


def _kind(seed: int, k: int, folder: str) -> Tally:
    kind = tuple(KINDS)[k // len(ITEMS) % len(KINDS)]
    mark = [seed, k]
    tally = _guarded(lambda: check_kind(kind, mark), mark)
    if tally.findings:
        file = _file(folder, f"kind-{seed}-{k}.json")
        findings = [finding["what"] for finding in tally.findings]
        content = {"seed": mark, "kind": kind, "findings": findings}
        file.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
        for finding in tally.findings:
            finding["file"] = file.name
    return tally


ITEMS = (_scene, _problems, _kind)  # by turns


def _guarded(check: Any, mark: list[int]) -> Tally:
    """A check that fails in a way nobody thought of is a finding too."""
    try:
        return check()
    except Exception as error:
        tally = Tally()
        tally.find(f"{type(error).__name__}: {error}", mark)
        return tally


def _file(folder: str, name: str) -> Path:
    Path(folder).mkdir(parents=True, exist_ok=True)
    return Path(folder) / name


def run(seed: int, minutes: float, count: int | None, workers: int, folder: str) -> Iterator[Any]:
    """Tallies of items as they come, until the time or the count is used up."""
    deadline = monotonic() + 60.0 * minutes
    numbers = iter(range(count) if count is not None else range(2**62))
    in_time = (k for k in numbers if count is not None or monotonic() < deadline)
    if workers == 1:
        for k in in_time:
            yield item(seed, k, folder)
            if count is None and monotonic() >= deadline:
                return
        return
    with ProcessPoolExecutor(workers) as pool:
        waiting = set()
        more = True
        while waiting or more:
            while more and len(waiting) < 2 * workers:
                k = next(numbers, None)
                more = k is not None and (count is not None or monotonic() < deadline)
                if more:
                    waiting.add(pool.submit(item, seed, k, folder))
            done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
            for future in done:
                yield future.result()


def soak(options: argparse.Namespace) -> dict[str, Any]:
    """A whole run: its summary."""
    total, began, items = Tally(), monotonic(), 0
    for tally in run(
        options.seed, options.minutes, options.count, options.workers, options.findings
    ):
        total.add(tally)
        items += 1
        if sys.stderr.isatty() or options.progress:
            done = (f"{total.counts[what]} {what}" for what in ("scenes", "problems", "models"))
            line = "  ".join(
                [f"{monotonic() - began:7.0f} s", *done, f"{len(total.findings)} findings"]
            )
            print(f"\r{line}", end="", file=sys.stderr, flush=True)
    if sys.stderr.isatty() or options.progress:
        print(file=sys.stderr)
    return summary(total, options.seed, items, monotonic() - began, list(solvers()))


def replay(path: Path) -> Tally:
    """Check what a file has again."""
    if path.suffix == ".npz":
        problem = go.load_problem(path)
        given = RandomProblem("feasible", (), problem, None, 1.0)
        return check_problem(given, solvers(), path.name)
    content = json.loads(path.read_text(encoding="utf-8"))
    if "kind" in content:
        return check_kind(content["kind"], content["seed"])
    second = None
    for finding in content.get("findings", []):
        second = next((name for name in solvers() if f"{name} has" in finding), second)
    return check_scene(from_dict(content["scene"]), second, path.name)


def arguments() -> argparse.Namespace:
    """The command line."""
    first = __doc__.splitlines()[0] if __doc__ else ""
    parser = argparse.ArgumentParser(description=first)
    parser.add_argument("--minutes", type=float, default=1.0, help="how long (default 1)")
    parser.add_argument("--count", type=int, help="how many items, instead of how long")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--workers", type=int, default=1, help="processes (default 1)")
    parser.add_argument("--findings", default="out/soak", help="folder for what is found")
    parser.add_argument("--json", type=Path, help="write the summary to this file")
    parser.add_argument("--progress", action="store_true", help="also without a terminal")
    parser.add_argument("--replay", type=Path, help="check the scene or problem of a file again")
    parser.add_argument("--from", type=Path, nargs="+", dest="summaries", help="summaries to join")
    parser.add_argument("--write", type=Path, help="put the tables into this document")
    return parser.parse_args()


def main() -> int:
    """Run, print, and say by the exit code whether anything was found."""
    options = arguments()
    if options.replay:
        tally = replay(options.replay)
        for finding in tally.findings:
            print(finding["what"])
        print(f"{len(tally.findings)} findings")
        return bool(tally.findings)
    if options.summaries:
        runs = [json.loads(path.read_text(encoding="utf-8")) for path in options.summaries]
    else:
        runs = [soak(options)]
        if options.json:
            options.json.parent.mkdir(parents=True, exist_ok=True)
            options.json.write_text(json.dumps(runs[0], indent=1) + "\n", encoding="utf-8")
    text = tables(runs)
    if options.write:
        write(options.write, text)
    else:
        print(text)
    return any(run["findings"] for run in runs)


if __name__ == "__main__":
    print(f"Python {platform.python_version()}", file=sys.stderr)
    sys.exit(main())
