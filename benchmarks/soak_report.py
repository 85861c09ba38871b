"""The summary of a soak run as JSON, and several of them as tables of a document."""

from __future__ import annotations

import platform
from collections import Counter
from importlib.metadata import version
from pathlib import Path
from typing import Any

from soak_checks import Tally

import gauss_opt as go

BEGIN = "<!-- figures: written by benchmarks/soak.py --write -->"
END = "<!-- end of figures -->"


def summary(
    tally: Tally, seed: int, items: int, seconds: float, solvers: list[str]
) -> dict[str, Any]:
    """A run as plain words and numbers."""
    return {
        "seed": seed,
        "items": items,
        "seconds": round(seconds, 1),
        "solvers": solvers,
        "versions": {
            "python": platform.python_version(),
            "gauss_opt": go.__version__,
            **{name: version(name) for name in ("numpy", "scipy")},
        },
        "counts": dict(sorted(tally.counts.items())),
        "worst": dict(sorted(tally.worst.items())),
        "findings": tally.findings,
    }


def tables(runs: list[dict[str, Any]]) -> str:
    """Counts added up, the worst figures of all, and findings."""
    total = Tally()
    for run in runs:
        total.add(Tally(Counter(run["counts"]), run["worst"], run["findings"]))
    minutes = sum(run["seconds"] for run in runs) / 60.0
    seeds = ", ".join(f"{run['seed']} ({run['items']} items)" for run in runs)
    versions = ", ".join(f"{name} {number}" for name, number in runs[-1]["versions"].items())
    lines = [
        f"{minutes:.0f} minutes in all; seeds {seeds}; {versions}.",
        f"Solvers: {', '.join(runs[-1]['solvers'])}.",
        "",
        "| what | count |",
        "|---|---|",
        *(f"| {name} | {count} |" for name, count in sorted(total.counts.items())),
        f"| findings | {len(total.findings)} |",
        "",
        "| largest | figure | seed |",
        "|---|---|---|",
        *(
            f"| {name} | {figure:.1e} | {seed} |"
            for name, (figure, seed) in sorted(total.worst.items())
        ),
    ]
    if total.findings:
        lines += ["", "| finding | seed | file |", "|---|---|---|"]
        for finding in total.findings:
            what = finding["what"].replace("|", "/").replace("\n", " ")[:200]
            lines.append(f"| {what} | {finding['seed']} | {finding.get('file', '')} |")
    return "\n".join(lines)


def write(path: Path, text: str) -> None:
    """Replace the figures of a document, which has two marks around them."""
    document = path.read_text(encoding="utf-8")
    before, _, rest = document.partition(BEGIN)
    _, found, after = rest.partition(END)
    if not found:
        raise SystemExit(f"{path} needs the two lines {BEGIN!r} and {END!r}")
    path.write_text(f"{before}{BEGIN}\n\n{text}\n\n{END}{after}", encoding="utf-8")
