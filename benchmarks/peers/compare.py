"""gauss_opt next to Siconos and MuJoCo, event by event.

    python benchmarks/peers/compare.py --siconos /usr/bin/python3 --mujoco /tmp/mj/bin/python

Each side is a script run by a Python that has the peer; a side that is not installed is left out,
with a word on why. ``--write docs/peers.md`` puts the tables into that document.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from problems import PROBLEMS
from side import MissingError, Side, race

BEGIN = "<!-- figures: written by benchmarks/peers/compare.py --write -->"
END = "<!-- end of figures -->"
RTOL = 1e-11
STOPS = (1, 100)  # points at which Siconos stops for the user in any case
REPEATS = 5


def impacts(ours: Side, theirs: Side, rounds: int) -> list[str]:
    """Largest differences and ratios of times for each problem, and every impact of the last."""
    engines = ours.ask("engines")
    heads = [f"{words} : Siconos, {stops} stop{'s' * (stops > 1)}"
             for words in engines.values() for stops in STOPS]  # fmt: skip
    lines = [
        f"Siconos {theirs.version}, EventDriven with LsodarOSI and NewtonImpactNSL, with as many "
        "announced stops as the heads say. Run times are those of a whole `simulate()`, with its "
        "`Result`, of a system that has run before, and of building and running the model with "
        f"Siconos; gauss_opt with rtol {RTOL:g}, Siconos with its own tolerance. Least "
        f"processor time of {rounds * REPEATS} runs each, in turn.",
        "",
        f"| problem | impacts | time differs by, relative | velocity by | {' | '.join(heads)} |",
        "|---" * (4 + len(heads)) + "|",
    ]
    for name in PROBLEMS:
        best = _raced(ours, theirs, name, engines, rounds)
        peer = best[f"Siconos, {STOPS[0]}"]
        rows = [best[engine] for engine in engines]
        times = max(apart(row["t"], peer["t"]) for row in rows)
        speeds = max(apart(row[key], peer[key]) for row in rows for key in ("before", "after"))
        ratios = [
            ratio(row["seconds"], best[f"Siconos, {stops}"]["seconds"])
            for row in rows
            for stops in STOPS
        ]
        lines.append(
            f"| {name} | {len(peer['t'])} | {times:.1e} | {speeds:.1e} | {' | '.join(ratios)} |"
        )
    lines += ["", f"Every impact of the {name}:", ""]
    lines += [
        "| time, gauss_opt (s) | time, Siconos (s) | velocity after | Siconos |",
        "|---|---|---|---|",
    ]
    a, b = rows[-1], peer
    for row in zip(a["t"], b["t"], a["after"], b["after"], strict=True):
        lines.append("| {:.15f} | {:.15f} | {:.12f} | {:.12f} |".format(*row))
    return lines


def _raced(
    ours: Side, theirs: Side, problem: str, engines: dict[str, str], rounds: int
) -> dict[str, Any]:
    same = {"problem": problem, "repeats": REPEATS}
    contestants = {
        engine: lambda engine=engine: ours.ask("impacts", engine=engine, rtol=RTOL, **same)
        for engine in engines
    } | {
        f"Siconos, {stops}": lambda stops=stops: theirs.ask("impacts", announced=stops, **same)
        for stops in STOPS
    }
    return race(contestants, rounds)


def ratio(a: float, b: float) -> str:
    """a : b in words, with 1 for the smaller one.

    >>> ratio(3.0, 1.0), ratio(1.0, 2.0)
    ('3.0 : 1', '1 : 2.0')
    """

    def shown(x: float) -> str:
        return f"{x:.1f}" if x < 10 else f"{x:.0f}"

    return f"{shown(a / b)} : 1" if a >= b else f"1 : {shown(b / a)}"


def apart(a: list[float], b: list[float]) -> float:
    """Largest relative difference."""
    return max(abs(x - y) / max(abs(x), abs(y)) for x, y in zip(a, b, strict=True))


def landings(ours: Side, theirs: Side) -> list[str]:
    """A plastic landing next to soft contacts."""
    rows = {"gauss_opt": ours.ask("landing")}
    for name, stiffness in (("soft (default, 20 ms)", 0.02), ("stiff (0.2 ms)", 2e-4)):
        rows[f"MuJoCo, {name}"] = theirs.ask("landing", stiffness=stiffness)
    lines = [
        f"MuJoCo {theirs.version}, steps of 0.1 ms.",
        "",
        "| | lands at (s) | deepest (m) | height at the end (m) | floor force at the end (N) |",
        "|---|---|---|---|---|",
    ]
    for name, row in rows.items():
        depth = max(row["deepest"], 0.0)
        lines.append(
            f"| {name} | {row['landing']:.9f} | {depth:.1e} | {row['height']:.1e} "
            f"| {row['force']:.9f} |"
        )
    return lines


def opened(python: str, script: str) -> Side | None:
    """A side, or None with a word on why not."""
    try:
        return Side(python, script)
    except MissingError as why:
        print(f"{script} is left out: {why}", file=sys.stderr)
        return None


def write_between(document: Path, begin: str, end: str, text: str) -> None:
    """Replace what is between two lines of a document."""
    before, _, rest = document.read_text(encoding="utf-8").partition(begin)
    after = rest.partition(end)[2]
    document.write_text(f"{before}{begin}\n\n{text}\n\n{end}{after}", encoding="utf-8")


def main() -> None:
    """Run the sides and print or write what they say."""
    parser = argparse.ArgumentParser(description="gauss_opt next to its peers")
    parser.add_argument("--siconos", default="/usr/bin/python3", help="a Python with Siconos")
    parser.add_argument("--mujoco", default=sys.executable, help="a Python with MuJoCo")
    parser.add_argument("--rounds", type=int, default=10, help="turns that each side gets")
    parser.add_argument("--write", type=Path, help="document to put the tables into")
    options = parser.parse_args()
    ours = Side(sys.executable, "gauss_opt_side.py")
    parts = [[f"gauss_opt {ours.version}; {' and '.join(ours.ask('engines').values())}."]]
    siconos = opened(options.siconos, "siconos_side.py")
    if siconos is not None:
        parts.append(["### Siconos", "", *impacts(ours, siconos, options.rounds)])
        siconos.close()
    mujoco = opened(options.mujoco, "mujoco_side.py")
    if mujoco is not None:
        parts.append(["### MuJoCo", "", *landings(ours, mujoco)])
        mujoco.close()
    ours.close()
    text = "\n\n".join("\n".join(part) for part in parts)
    if options.write is None:
        print(text)
    else:
        write_between(options.write, BEGIN, END, text)


if __name__ == "__main__":
    main()
