"""``doctor``: whether everything that is required is installed and works."""

from __future__ import annotations

import platform
import shutil
import sys
from collections.abc import Callable
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np
from rich.console import RenderableType

from .. import __version__
from ..base.tolerances.cli import DOCTOR_ACCURACY
from ..mechanics.acceleration_problem import build_acceleration
from ..model.constraints import Contact
from ..model.snapshot import evaluate
from ..model.system import System
from ..qp import solvers
from ..qp.gauss_solver import GaussSolver
from ..simulation.engine import extension
from ..studies.case_files import find_case
from .answer import Answer, Exit
from .tables import facts, heading, sentence, table, verdict

__all__ = ["examine"]

PACKAGES = ("numpy", "scipy", "casadi", "osqp", "daqp", "cvxpy", "matplotlib", "rich", "typer")
NEEDED_SOLVERS = ("osqp", "daqp", "cvxpy", "nnls", "active_set")
PROGRAMS = {
    "chromium": ("chromium", "chromium-browser", "google-chrome", "chrome"),
    "ffmpeg": ("ffmpeg",),
}


def examine() -> Answer:
    """Versions, solvers on a small problem, optional programs, and one case."""
    packages = {name: _version(name) for name in PACKAGES}
    tried = {name: _attempt(partial(_try_solver, name)) for name in solvers.available()}
    programs = {name: _first_found(names) for name, names in PROGRAMS.items()}
    case = _attempt(_try_case)
    engine = extension()
    broken = [f"{name} is not installed" for name, found in packages.items() if found is None]
    for name in NEEDED_SOLVERS:
        said = tried.get(name, "it is not installed")
        broken += [f"solver {name} does not work: {said}"] if said else []
    broken += [f"the case bouncing_ball does not work: {case}"] if case else []
    about = {
        "gauss-opt": __version__,
        "python": f"{platform.python_version()} ({sys.executable})",
        "platform": platform.platform(),
    }
    data = {
        "ok": not broken,
        "broken": broken,
        **about,
        "packages": packages,
        "engine": {"compiled": bool(engine), "reason": engine.reason},
        "solvers": [
            {"name": name, "installed": name in tried, "works": tried.get(name) == "",
             "failure": tried.get(name)}
            for name in solvers.names()
        ],
        "programs": programs,
        "case": {"name": "bouncing_ball", "works": not case, "failure": case},
    }  # fmt: skip
    shown: list[RenderableType] = [
        facts({**about, **{name: found or "MISSING" for name, found in packages.items()}}),
        heading("Engine (without the compiled one everything works, in Python)"),
        facts({"engine": str(engine)}),
        heading("Solvers on a small problem"),
        table(
            ("solver", "", "remark"),
            [
                (name, verdict(not tried[name]), tried[name])
                if name in tried
                else (name, "not installed", "")
                for name in solvers.names()
            ],
        ),
        heading("Programs (ffmpeg: .mp4 films; chromium: tests of reports; both optional)"),
        facts({name: place or "not found" for name, place in programs.items()}),
        heading("One case, against its closed form"),
        facts({"bouncing_ball": verdict(not case)}),
        sentence("\nAll is well." if not broken else "\nSomething required is broken.",
                 "green" if not broken else "bold red"),
    ]  # fmt: skip
    return Answer(data, shown, Exit.CHECK_FAILED if broken else Exit.FINE, broken)


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _first_found(names: tuple[str, ...]) -> str | None:
    return next((place for name in names if (place := shutil.which(name))), None)


def _attempt(work: Callable[[], Any]) -> str:
    """What went wrong, or nothing."""
    try:
        work()
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return ""


def _try_solver(name: str) -> None:
    """A ball of 2 kg on a floor, beside one that flies: the floor pushes with its weight."""
    floor = Contact("floor", lambda q, t: q[0])
    ball = build_acceleration(
        evaluate(System([2.0, 1.0], [-19.62, 1.0], contacts=[floor]), [0, 0], [0, 0])
    )
    solver = GaussSolver(name, fallback=(), reuse_active_set=False, guess_active_set=False)
    solution = solver.solve(ball)
    np.testing.assert_allclose(solution.x, [0.0, 1.0], atol=DOCTOR_ACCURACY)
    np.testing.assert_allclose(solution.inequality_multipliers, [19.62], rtol=DOCTOR_ACCURACY)


def _try_case() -> None:
    case = find_case("bouncing_ball")()
    failed = [str(check) for check in case.check(case.run()) if not check.ok]
    if failed:
        raise ArithmeticError(failed[0])
