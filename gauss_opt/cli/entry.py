"""From command-line arguments to an exit code; errors become one sentence."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Sequence
from contextlib import nullcontext, redirect_stdout

from rich.console import Console
from typer.main import get_command

from ..base.errors import GaussError, InputError, MissingPackageError, ModelError
from .answer import Answer, Exit, as_json
from .app import app

__all__ = ["main"]

WIDTH = 120  # of tables that go to a file or a pipe


def main(arguments: Sequence[str] | None = None) -> int:
    """Run ``gauss-opt`` with these arguments (by default those of the process); the exit code.

    >>> main(["--version"])
    gauss-opt 0...
    0
    """
    words = list(sys.argv[1:] if arguments is None else arguments)
    debug, quiet = "--debug" in words, "--json" in words
    words = [word for word in words if word != "--debug"] or ["--help"]
    try:
        # Whatever a case or a solver prints must not get between the JSON.
        with redirect_stdout(sys.stderr) if quiet else nullcontext():
            answer = get_command(app).main(words, prog_name="gauss-opt", standalone_mode=False)
    except (Exception, SystemExit) as error:  # a case may call sys.exit: that is not our answer
        if debug:
            traceback.print_exc()
        answer = _refusal(error)
    if not isinstance(answer, Answer):
        return int(answer or 0)
    try:
        _give(answer, quiet)
    except BrokenPipeError:  # the reader, such as head, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return int(answer.code)


def _give(answer: Answer, quiet: bool) -> None:
    for warning in answer.warnings:
        sys.stderr.write(f"gauss-opt: {warning}\n")
    if quiet:
        sys.stdout.write(as_json({**answer.data, "exit_code": int(answer.code)}) + "\n")
    else:
        width = None if sys.stdout.isatty() or "COLUMNS" in os.environ else WIDTH
        console = Console(file=sys.stdout, width=width, highlight=False)
        for part in answer.shown:
            console.print(part)
    sys.stdout.flush()


def _refusal(error: BaseException) -> Answer:
    """The answer that an error makes: its sentence, and the exit code of its kind."""
    said = getattr(error, "format_message", None)  # the command line itself was wrong
    if said is not None:
        message, code = str(said()).strip(), Exit.USAGE
        if "No such command" in message:
            names = ", ".join(command.name or "" for command in app.registered_commands)
            message = f"{message.rstrip('.')}; choose from: {names}"
    elif isinstance(error, InputError | ModelError | MissingPackageError):
        message, code = str(error), Exit.USAGE
    elif isinstance(error, OSError):
        place = f"{error.filename}: " if error.filename else ""
        message, code = f"{place}{error.strerror or error}", Exit.USAGE
    elif isinstance(error, GaussError):
        message, code = str(error), Exit.FAILED
    elif isinstance(error, SystemExit):
        message, code = f"the case ends the program (sys.exit({error.code!r}))", Exit.FAILED
    else:
        name = type(error).__name__
        message, code = f"{name}: {error} (--debug shows where)", Exit.FAILED
    return Answer({"ok": False, "error": message}, (), code, (message,))
