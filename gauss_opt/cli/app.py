"""The commands and their options; each gives an :class:`Answer`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..base.tolerances.cli import RUNS_AGREE
from ..base.tolerances.mechanics import ROUTES_AGREE
from .answer import Answer
from .tables import bar, on_terminal

__all__ = ["app"]

app = typer.Typer(
    name="gauss-opt",
    help="Constrained mechanics, contact and impacts by Gauss's principle of least constraint.",
    epilog="Exit codes: 0 fine, 1 a check failed, 2 wrong usage, 3 the simulation failed, "
    "4 a route of a cross-check gave no answer.",
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

CaseName = Annotated[
    str, typer.Argument(metavar="CASE", help="Name of a case, or path of a .py file.")
]
Assignments = Annotated[
    list[str] | None,
    typer.Option("-p", "--parameter", metavar="NAME=VALUE", help="A parameter of the case."),
]
ParameterFile = Annotated[
    Path | None,
    typer.Option("--params", metavar="FILE", help="TOML file of parameters; -p takes precedence."),
]
Law = Annotated[
    str | None, typer.Option("--law", help="Impact law: newton, poisson or sequential.")
]
RelativeTolerance = Annotated[
    float | None, typer.Option("--rtol", help="Relative tolerance of the integrator.")
]
End = Annotated[
    float | None, typer.Option("--t-end", help="End time in s, instead of the case's own.")
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]


def _show_version(wanted: bool) -> None:
    if wanted:
        from .. import __version__

        typer.echo(f"gauss-opt {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version."),
    ] = False,
    debug: Annotated[
        bool,
        typer.Option("--debug", help="Show the traceback of an error, with any command."),
    ] = False,
) -> None: ...


@app.command("list")
def list_command(
    case: Annotated[
        str | None, typer.Argument(metavar="[CASE]", help="Show one case with its parameters.")
    ] = None,
    long: Annotated[bool, typer.Option("--long", help="Show all with their parameters.")] = False,
    json: Json = False,
) -> Answer:
    """List the cases."""
    from .listing import list_cases

    return list_cases(case, long)


@app.command("run")
def run_command(
    case: CaseName,
    parameter: Assignments = None,
    params: ParameterFile = None,
    law: Law = None,
    solver: Annotated[str | None, typer.Option("--solver", help="QP solver to try first.")] = None,
    rtol: RelativeTolerance = None,
    t_end: End = None,
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="Folder to write to.")] = Path(
        "out"
    ),
    pictures: Annotated[
        bool, typer.Option("--pictures/--no-pictures", help="Write pictures and a report.")
    ] = True,
    animation: Annotated[
        Path | None,
        typer.Option("--animation", metavar="FILE", help="Write a .gif or .mp4 as well."),
    ] = None,
    speed: Annotated[
        float | None, typer.Option("--speed", help="Simulated seconds per second shown.")
    ] = None,
    every_qp: Annotated[
        bool, typer.Option("--every-qp", help="Send every problem to the solver.")
    ] = False,
    json: Json = False,
) -> Answer:
    """Run a case, check it, and write DIR/CASE/result.npz, pictures and report.html."""
    from .choosing import choose
    from .running import run_case

    if speed is not None and not 0.0 < speed < float("inf"):
        raise typer.BadParameter(f"--speed must be a positive number, got {speed}")
    if animation is not None and animation.suffix.lower() not in (".gif", ".mp4"):
        raise typer.BadParameter(f"--animation must end in .gif or .mp4, got {animation}")
    chosen = choose(
        case, parameter or (), params, t_end=t_end, law=law, solver=solver, rtol=rtol,
        reuse_active_set=False if every_qp else None,
    )  # fmt: skip
    return run_case(
        chosen, out, pictures=pictures, animation=animation, speed=speed,
        progress=on_terminal() and not json,
    )  # fmt: skip


@app.command("sweep")
def sweep_command(
    case: CaseName,
    parameter: Annotated[
        list[str] | None,
        typer.Option(
            "-p", "--parameter", metavar="NAME=VALUE",
            help="A parameter of the case, or its range: NAME=FIRST:LAST:COUNT[:log].",
        ),
    ] = None,
    law: Law = None,
    solver: Annotated[str | None, typer.Option("--solver", help="QP solver to try first.")] = None,
    rtol: RelativeTolerance = None,
    t_end: End = None,
    show: Annotated[
        str | None, typer.Option("--show", metavar="NAME", help="Quantity of the picture.")
    ] = None,
    workers: Annotated[
        int | None, typer.Option("--workers", min=1, help="Processes; default: all cores.")
    ] = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Forget the rows of before.")] = False,
    retry: Annotated[bool, typer.Option("--retry", help="Run points again that failed.")] = False,
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="Folder to write to.")] = Path(
        "out"
    ),
    json: Json = False,
) -> Answer:  # fmt: skip
    """Run a case over ranges of its parameters; the same command again goes on where it was."""
    from .choosing import from_words
    from .sweeping import sweep_case

    options = {"law": law, "solver": solver, "rtol": rtol, "t_end": t_end}
    return sweep_case(
        case, from_words(parameter or ()), out, show=show, workers=workers, fresh=fresh,
        options={name: value for name, value in options.items() if value is not None},
        retry_failed=retry, progress=on_terminal() and not json,
    )  # fmt: skip


@app.command("show")
def show_command(
    file: Annotated[Path, typer.Argument(help="A saved result, or saved problems.")],
    solver: Annotated[str, typer.Option("--solver", help="Solver for saved problems.")] = "osqp",
    json: Json = False,
) -> Answer:
    """Show a saved result; solve and show a saved problem."""
    from .showing import show_file

    return show_file(file, solver)


@app.command("compare")
def compare_command(
    a: Annotated[Path, typer.Argument(help="A saved result.")],
    b: Annotated[Path, typer.Argument(help="Another saved result.")],
    tol: Annotated[
        float, typer.Option("--tol", min=0.0, help="Largest distance allowed, relative.")
    ] = RUNS_AGREE,
    json: Json = False,
) -> Answer:
    """Compare two saved results by the distance between their graphs (t, q, v)."""
    from .showing import compare_files

    return compare_files(a, b, tol)


@app.command("crosscheck")
def crosscheck_command(
    case: CaseName,
    parameter: Assignments = None,
    params: ParameterFile = None,
    law: Law = None,
    solver: Annotated[
        list[str] | None,
        typer.Option("--solver", help="A solver to compare; may be repeated; default: all."),
    ] = None,
    rtol: RelativeTolerance = None,
    t_end: End = None,
    states: Annotated[
        int, typer.Option("--states", min=1, help="Number of states along the run.")
    ] = 50,
    tol: Annotated[
        float, typer.Option("--tol", min=0.0, help="Largest difference allowed, relative.")
    ] = ROUTES_AGREE,
    json: Json = False,
) -> Answer:
    """Compare all routes to the acceleration at states along a run."""
    from .choosing import choose
    from .routes import crosscheck_case

    chosen = choose(case, parameter or (), params, t_end=t_end, law=law, rtol=rtol)
    return crosscheck_case(
        chosen, solver_names=solver or None, states=states, tolerance=tol,
        progress=bar(json),
    )  # fmt: skip


@app.command("validate")
def validate_command(
    case: Annotated[
        list[str] | None, typer.Argument(metavar="[CASE]...", help="Cases; default: all.")
    ] = None,
    write: Annotated[
        Path | None, typer.Option("--write", metavar="FILE", help="Write the page as Markdown.")
    ] = None,
    every_qp: Annotated[
        list[str] | None,
        typer.Option(
            "--every-qp",
            metavar="SOLVER",
            help="Run all once more with every problem sent to this solver; may be repeated.",
        ),
    ] = None,
    json: Json = False,
) -> Answer:
    """Compare every figure of every case with its reference."""
    from .validating import validate_cases

    return validate_cases(case or (), write, every_qp or (), progress=bar(json))


@app.command("solvers")
def solvers_command(json: Json = False) -> Answer:
    """List the QP solvers, and how to install those that are missing."""
    from .listing import list_solvers

    return list_solvers()


@app.command("bench")
def bench_command(
    what: Annotated[str, typer.Argument(metavar="solvers", help="What is compared: solvers.")],
    problems: Annotated[
        list[str],
        typer.Argument(
            metavar="PROBLEMS...",
            help="A file of problems, family:NAME[:COUNT] or case:NAME[:COUNT]; several of them.",
        ),
    ],
    solver: Annotated[
        list[str] | None,
        typer.Option("--solver", help="A solver to compare; may be repeated; default: all."),
    ] = None,
    repeats: Annotated[int, typer.Option("--repeats", min=0, help="Calls after the first.")] = 3,
    time_limit: Annotated[float, typer.Option("--time-limit", help="Seconds for one call.")] = 10.0,
    fresh: Annotated[bool, typer.Option("--fresh", help="Forget the rows of before.")] = False,
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="Folder to write to.")] = Path(
        "out"
    ),
    json: Json = False,
) -> Answer:
    """Compare QP solvers on saved, generated or harvested problems: report, profiles, table."""
    from .benching import bench

    if what != "solvers":
        raise typer.BadParameter(f"what can be compared is 'solvers', got {what!r}")
    return bench(
        problems, out, solvers=solver or None, repeats=repeats, time_limit=time_limit,
        fresh=fresh, progress=on_terminal() and not json,
    )  # fmt: skip


@app.command("doctor")
def doctor_command(json: Json = False) -> Answer:
    """Examine the installation."""
    from .doctor import examine

    return examine()
