"""One side of a comparison: a process of its own that is asked by lines of JSON. Needs nothing.

A side calls :func:`serve` with its jobs; whoever compares opens a :class:`Side` for each. A side
works in an empty folder of its own, since some programs leave files where they run, and uses one
thread.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from time import process_time
from typing import Any

HERE = Path(__file__).parent
ANSWER = "answer "
ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


def serve(jobs: dict[str, Callable[..., Any]]) -> None:
    """Answer jobs, each a line with its name and arguments, until there are no more."""
    for line in sys.stdin:
        asked = json.loads(line)
        try:
            answer = {"ok": jobs[asked["job"]](**asked["arguments"])}
        except Exception as error:
            answer = {"failed": f"{type(error).__name__}: {error}"}
        print(ANSWER + json.dumps(answer), flush=True)


def least(
    run: Callable[[], Any], repeats: int, clock: Callable[[], float] = process_time
) -> tuple[float, Any]:
    """The least time of some repeats and what the last gave; a first one, cold, does not count.

    It is processor time: on a machine that has other things to do a run of some milliseconds is
    interrupted, and a short one is not.
    """
    run()
    seconds = []
    for _ in range(repeats):
        start = clock()
        given = run()
        seconds.append(clock() - start)
    return min(seconds), given


class MissingError(Exception):
    """A side that is not installed here, and why."""


class Side:
    """A running side; :class:`MissingError` when it does not start."""

    def __init__(self, python: str, script: str) -> None:
        self._folder = tempfile.TemporaryDirectory()
        self._errors = tempfile.TemporaryFile("w+")  # noqa: SIM115 (open as long as the process)
        environment = os.environ | dict.fromkeys(ONE_THREAD, "1")
        try:
            self._process = subprocess.Popen(
                [python, str(HERE / script)], cwd=self._folder.name, env=environment, text=True,
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._errors,
            )  # fmt: skip
        except OSError as error:
            self._leave()
            raise MissingError(str(error)) from error
        try:
            self.version = self.ask("version")
        except MissingError:
            self.close()
            raise

    def ask(self, job: str, **arguments: Any) -> Any:
        """What it answers; a RuntimeError when it cannot, MissingError when it is not there."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        try:
            self._process.stdin.write(json.dumps({"job": job, "arguments": arguments}) + "\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            raise MissingError(self._last_words()) from None
        for line in self._process.stdout:
            if line.startswith(ANSWER):
                answer = json.loads(line[len(ANSWER) :])
                if "failed" in answer:
                    raise RuntimeError(f"{job} {arguments}: {answer['failed']}")
                return answer["ok"]
        raise MissingError(self._last_words())

    def _last_words(self) -> str:
        self._process.wait()
        self._errors.seek(0)
        return (self._errors.read().strip().splitlines() or ["it ended without a word"])[-1]

    def close(self) -> None:
        """Let it end."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        with suppress(BrokenPipeError):
            self._process.stdin.close()
        self._process.wait()
        self._process.stdout.close()
        self._leave()

    def _leave(self) -> None:
        self._errors.close()
        self._folder.cleanup()


def race(contestants: dict[str, Callable[[], dict[str, Any]]], rounds: int) -> dict[str, Any]:
    """What each contestant answers, with the least of its ``seconds``; they take turns.

    A machine that is slow for a while is slow for all of them.
    """
    best: dict[str, Any] = {}
    for _ in range(rounds):
        for name, ask in contestants.items():
            answer = ask()
            if name in best:
                answer["seconds"] = min(answer["seconds"], best[name]["seconds"])
            best[name] = answer
    return best
