"""gauss_opt next to Siconos and MuJoCo, event by event.

    python benchmarks/peers/compare.py --siconos /usr/bin/python3 --mujoco /tmp/mj/bin/python

Each side is a script that prints JSON, run by a Python that has the peer; a side that is not
installed is left out. ``--write docs/peers.md`` puts the tables into that document.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from problems import PROBLEMS

HERE = Path(__file__).parent
BEGIN = "<!-- figures: written by benchmarks/peers/compare.py --write -->"
END = "<!-- end of figures -->"


def side(python: str, script: str) -> dict[str, Any] | None:
    """What a side prints, or None with a word on why not."""
    command = [python, str(HERE / script)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    except OSError as error:
        print(f"{script} is left out: {error}", file=sys.stderr)
        return None
    if done.returncode:
        print(f"{script} is left out: {done.stderr.strip()}", file=sys.stderr)
        return None
    answer: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return answer


def impacts(ours: dict[str, Any], theirs: dict[str, Any]) -> list[str]:
    """Largest differences for each problem, and every impact of the second one."""
    lines = [
        f"Siconos {theirs['version']}, EventDriven with LsodarOSI and NewtonImpactNSL.",
        "",
        "| problem | impacts | largest difference of a time, relative | of a velocity, relative "
        "| run time, gauss_opt : Siconos |",
        "|---|---|---|---|---|",
    ]
    for name in PROBLEMS:
        a, b = ours[name], theirs[name]
        if len(a["t"]) != len(b["t"]):
            lines.append(f"| {name} | {len(a['t'])} and {len(b['t'])} | | | |")
            continue
        times = apart(a["t"], b["t"])
        speeds = max(apart(a[key], b[key]) for key in ("before", "after"))
        ratio = a["seconds"] / b["seconds"]
        lines.append(f"| {name} | {len(a['t'])} | {times:.1e} | {speeds:.1e} | {ratio:.0f} : 1 |")
    name = "oscillator on a stop"
    lines += ["", f"Every impact of the {name}:", ""]
    lines += [
        "| time, gauss_opt (s) | time, Siconos (s) | velocity after | Siconos |",
        "|---|---|---|---|",
    ]
    a, b = ours[name], theirs[name]
    for row in zip(a["t"], b["t"], a["after"], b["after"], strict=False):
        lines.append("| {:.15f} | {:.15f} | {:.12f} | {:.12f} |".format(*row))
    return lines


def apart(a: list[float], b: list[float]) -> float:
    """Largest relative difference."""
    return max(abs(x - y) / max(abs(x), abs(y)) for x, y in zip(a, b, strict=True))


def landings(ours: dict[str, Any], theirs: dict[str, Any]) -> list[str]:
    """A plastic landing next to soft contacts."""
    rows = {"gauss_opt": ours["landing"]}
    rows |= {f"MuJoCo, {name}": answer for name, answer in theirs["landing"].items()}
    lines = [
        f"MuJoCo {theirs['version']}, steps of 0.1 ms.",
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


def main() -> None:
    """Run the sides and print or write what they say."""
    parser = argparse.ArgumentParser(description="gauss_opt next to its peers")
    parser.add_argument("--siconos", default="/usr/bin/python3", help="a Python with Siconos")
    parser.add_argument("--mujoco", default=sys.executable, help="a Python with MuJoCo")
    parser.add_argument("--write", type=Path, help="document to put the tables into")
    options = parser.parse_args()
    ours = side(sys.executable, "gauss_opt_side.py")
    if ours is None:
        raise SystemExit(1)
    parts = [[f"gauss_opt {ours['version']}."]]
    siconos, mujoco = (
        side(options.siconos, "siconos_side.py"),
        side(options.mujoco, "mujoco_side.py"),
    )
    if siconos is not None:
        parts.append(["### Siconos", "", *impacts(ours, siconos)])
    if mujoco is not None:
        parts.append(["### MuJoCo", "", *landings(ours, mujoco)])
    text = "\n\n".join("\n".join(part) for part in parts)
    if options.write is None:
        print(text)
        return
    document = options.write.read_text(encoding="utf-8")
    before, _, rest = document.partition(BEGIN)
    after = rest.partition(END)[2]
    options.write.write_text(f"{before}{BEGIN}\n\n{text}\n\n{END}{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
