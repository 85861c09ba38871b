"""All installed solvers on all families of problems: their own answers, times and profiles.

Run ``python benchmarks/solvers.py [COUNT]``. It writes out/solvers/report.md and the profiles;
``gauss-opt bench solvers`` does the same for problems of your own.
"""

from __future__ import annotations

import sys
from pathlib import Path

import gauss_opt as go

COUNT = 30  # of each family
CASES = ("discs_in_box", "bead_column", "redundant_table", "rod_two_contacts")
FOLDER = Path("out") / "solvers"


def main() -> None:
    """One table for all, then what it does not say."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else COUNT
    problems = {
        f"{name} {i}": problem
        for name in go.solvers.families()
        for i, problem in enumerate(go.solvers.family(name, count), 1)
    }
    for case in CASES:
        problems |= go.harvest(case, count)
    FOLDER.mkdir(parents=True, exist_ok=True)
    bench = go.bench_solvers(problems, progress=True)
    print(bench.report(FOLDER / "report.md"))
    for accuracy in ("low", "mid", "high"):
        bench.plot(accuracy).figure.savefig(FOLDER / f"profile_{accuracy}.png", dpi=120)


if __name__ == "__main__":
    main()
