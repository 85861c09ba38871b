"""Every benchmark on one page, by one command: docs/benchmarks.md.

    python benchmarks/costs/page.py --siconos /usr/bin/python3 --mujoco /tmp/mj/bin/python \
        --write docs/benchmarks.md

Peers that are not installed are left out, and the page says so.
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
from collections.abc import Callable
from pathlib import Path

HERE = Path(__file__).parent
PEERS = HERE.parent / "peers"
sys.path.insert(0, str(PEERS))
if __name__ == "__main__":  # before numpy is imported
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[name] = "1"

import own  # noqa: E402
import precision  # noqa: E402
from compare import impacts, ratio, write_between  # noqa: E402
from problems import PROBLEMS  # noqa: E402
from side import MissingError, Side, race  # noqa: E402

from gauss_opt.simulation.engine import extension  # noqa: E402

BEGIN = "<!-- figures: written by benchmarks/costs/page.py --write -->"
END = "<!-- end of figures -->"
PICTURE = Path("benchmarks", "work_precision.png")


class Sides(dict[str, Side]):
    """The sides that are installed here, and in words what is missing."""

    def __init__(self, siconos: str, mujoco: str) -> None:
        super().__init__()
        self.missing: list[str] = []
        for name, python, script in (
            ("gauss_opt", sys.executable, "gauss_opt_side.py"),
            ("scipy", sys.executable, "scipy_side.py"),
            ("siconos", siconos, "siconos_side.py"),
            ("mujoco", mujoco, "mujoco_side.py"),
        ):
            try:
                self[name] = Side(python, script)
            except MissingError as why:
                self.missing.append(f"{name}: {why}")


def conditions(sides: Sides, engines: dict[str, str]) -> list[str]:
    """What ran, where, and what did not."""
    versions = ", ".join(f"{name} {side.version}" for name, side in sides.items())
    ran = " and ".join(engines.values())
    lines = [
        f"Engines of gauss_opt: {ran}. Versions: {versions}. {_processor()}, "
        f"{os.cpu_count()} cores, Python {platform.python_version()}.",
    ]
    if "native" not in engines:
        lines += ["", f"The compiled engine did not take part: {extension().reason or 'not here'}."]
    if sides.missing:
        lines += ["", "Not installed, so left out: " + "; ".join(sides.missing) + "."]
    return lines


def _processor() -> str:
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        return platform.processor() or platform.machine()
    found = [line.partition(":")[2].strip() for line in text.splitlines() if "model name" in line]
    return found[0] if found else platform.machine()


def page(sides: Sides, rounds: int, repeats: int, pictures: Path) -> str:
    """All sections as one text; the diagram goes into the folder for pictures."""
    engines: dict[str, str] = sides["gauss_opt"].ask("engines")
    sections: list[tuple[str, Callable[[], list[str]]]] = [
        ("Siconos", lambda: _siconos(sides, rounds)),
        ("Bare scipy", lambda: _bare(sides, engines, rounds)),
        ("Work and precision", lambda: _diagrams(sides, engines, rounds, pictures)),
        ("Parts of the time", lambda: own.parts(engines, repeats)),
        ("Growth", lambda: own.growth(engines, repeats)),
        ("First run", lambda: own.first_run(engines, repeats)),
        ("Threads", lambda: own.threads(engines, repeats)),
    ]
    lines = conditions(sides, engines)
    for title, make in sections:
        print(title, file=sys.stderr, flush=True)
        lines += ["", f"## {title}", "", REMARKS[title], "", *make()]
    return "\n".join(lines)


REMARKS = {
    "Siconos": "Event-driven codes on the same three problems. A ratio of 2 : 1 means that the one "
    "named first takes twice as long.",
    "Bare scipy": "A loop around `solve_ivp` with DOP853 and an event function, written by hand "
    "for these problems: it knows its contacts and its law, and proves nothing. Milliseconds, at "
    "a relative tolerance of 1e-10.",
    "Work and precision": "Left: eight impacts of the oscillator on a stop, against their closed "
    "form; each code is asked for relative tolerances from 1e-4 to 1e-12. Right: a pendulum "
    "released from the side, after 5 s, against elliptic functions. gauss_opt has it in two "
    "coordinates on a rigid rod; bare scipy and MuJoCo have its angle alone, and so no constraint "
    "to hold. MuJoCo takes 100 to 10,000 equal steps (RK4), by one call.",
    "Parts of the time": "Each part as the run itself accounts for it; the rest is the start, the "
    "loop and the `Result`. Certificates: share of all residuals in a run of the Python engine "
    "that is timed from within. Events, dense output, forces and gaps of a `Result` are made when "
    "somebody looks; the last column is what looking at all of them takes.",
    "Growth": "One size grows, all else stays. The number of steps is what the motion asks for.",
    "First run": "A new process imports the package, traces the ball, and runs it twice.",
    "Threads": "Runs in a second of the same system, by one thread and by two of one process. "
    "Python code shares one lock, so only what runs outside it can gain.",
}


def _siconos(sides: Sides, rounds: int) -> list[str]:
    if "siconos" not in sides:
        return ["Siconos is not installed here."]
    lines = impacts(sides["gauss_opt"], sides["siconos"], rounds)
    return lines[: lines.index("", 2)]  # without every impact one by one, as docs/peers.md has it


def _bare(sides: Sides, engines: dict[str, str], rounds: int) -> list[str]:
    heads = [f"{words} | loop : it" for words in engines.values()]
    lines = [f"| problem | loop | {' | '.join(heads)} |", "|---" * (2 + 2 * len(heads)) + "|"]
    for name in PROBLEMS:
        same = {"problem": name, "rtol": 1e-10, "repeats": 3}
        best = race(
            {"loop": lambda same=same: sides["scipy"].ask("impacts", **same)}
            | {
                engine: lambda engine=engine, same=same: sides["gauss_opt"].ask(
                    "impacts", engine=engine, **same
                )
                for engine in engines
            },
            rounds,
        )
        loop = best["loop"]["seconds"]
        cells = [
            f"{1e3 * best[engine]['seconds']:.3g} | {ratio(loop, best[engine]['seconds'])}"
            for engine in engines
        ]
        lines.append(f"| {name} | {1e3 * loop:.3g} | {' | '.join(cells)} |")
    return lines


def _diagrams(sides: Sides, engines: dict[str, str], rounds: int, pictures: Path) -> list[str]:
    stop = precision.oscillator(sides, engines, rounds)
    swing = precision.pendulum(sides, engines, rounds)
    precision.picture(
        [
            ("oscillator on a stop, 8 impacts", "largest relative error of a time", stop),
            ("pendulum, 5 s", "distance from the exact place (m)", swing),
        ],
        pictures / PICTURE,
    )
    shown = f"![Run time over error for two problems and several codes]({PICTURE.as_posix()})"
    return [shown, "", "The oscillator: error and milliseconds by the tolerance asked for.", "",
            *precision.points_table(stop), "", "The pendulum, likewise.", "",
            *precision.points_table(swing)]  # fmt: skip


def main() -> None:
    """Measure everything, and print or write the page."""
    parser = argparse.ArgumentParser(description="every benchmark on one page")
    parser.add_argument("--siconos", default="/usr/bin/python3", help="a Python with Siconos")
    parser.add_argument("--mujoco", default=sys.executable, help="a Python with MuJoCo")
    parser.add_argument("--rounds", type=int, default=10, help="turns that each code gets")
    parser.add_argument("--repeats", type=int, default=10, help="runs of what has no peer")
    parser.add_argument("--write", type=Path, help="document to put the figures into")
    options = parser.parse_args()
    sides = Sides(options.siconos, options.mujoco)
    for missing in sides.missing:
        print(f"left out: {missing}", file=sys.stderr)
    folder = options.write.parent if options.write else Path("out")
    folder.mkdir(exist_ok=True)
    text = page(sides, options.rounds, options.repeats, folder)
    for side in sides.values():
        side.close()
    if options.write is None:
        print(text)
    else:
        write_between(options.write, BEGIN, END, text)


if __name__ == "__main__":
    main()
