"""Where chunks run: here, in threads or processes of our own, or wherever there is a ``submit``.

All that is asked of an executor is ``submit(function, *arguments)``, and of the future it returns
``add_done_callback``, ``result`` and ``cancel``: those of ``concurrent.futures`` have them, and so
have the Client of dask.distributed and the executors of mpi4py and ipyparallel.
"""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable
from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor
from typing import Any, Protocol

from ...base.arguments import whole_number
from ...base.errors import InputError
from .worker import begin_worker

__all__ = ["Pool", "pool_of"]

WIDE = 4  # chunks at once where nobody says how many workers there are


class Pool(Protocol):
    """What the dispatcher asks of an executor."""

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """A future."""
        ...

    def width(self) -> int:
        """How many workers there are now."""
        ...

    def renew(self) -> bool:
        """Start again after a worker has died; False where that is not ours to do."""
        ...

    def close(self, *, at_once: bool) -> None:
        """End what was begun here; ``at_once`` without waiting for what runs."""
        ...


class Here:
    """No executor: this process computes, one chunk after the other."""

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Future[Any]:
        done: Future[Any] = Future()
        done.set_result(function(*arguments))
        return done

    def width(self) -> int:
        return 1

    def renew(self) -> bool:
        return False

    def close(self, *, at_once: bool) -> None: ...


class Processes:
    """Processes of our own: fresh ones that share nothing with this one."""

    def __init__(self, workers: int) -> None:
        self._workers = workers
        self._others = set(multiprocessing.active_children())
        self._executor = self._new()

    def _new(self) -> ProcessPoolExecutor:
        # Neither copies a process with threads, as a fork would.
        methods = multiprocessing.get_all_start_methods()
        context = multiprocessing.get_context("forkserver" if "forkserver" in methods else "spawn")
        return ProcessPoolExecutor(self._workers, context, begin_worker)

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Future[Any]:
        return self._executor.submit(function, *arguments)

    def width(self) -> int:
        return self._workers

    def renew(self) -> bool:
        self._executor.shutdown(wait=True, cancel_futures=True)
        self._executor = self._new()
        return True

    def close(self, *, at_once: bool) -> None:
        self._executor.shutdown(wait=not at_once, cancel_futures=True)
        if at_once:
            for child in set(multiprocessing.active_children()) - self._others:
                child.terminate()


class Threads:
    """Threads of this process."""

    def __init__(self, workers: int) -> None:
        self._workers = workers
        self._executor = ThreadPoolExecutor(workers, "sweep")

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Future[Any]:
        return self._executor.submit(function, *arguments)

    def width(self) -> int:
        return self._workers

    def renew(self) -> bool:
        return False

    def close(self, *, at_once: bool) -> None:
        self._executor.shutdown(wait=True, cancel_futures=True)


class Given:
    """An executor of the user, who closes it."""

    def __init__(self, executor: Any, workers: int | None) -> None:
        self._executor, self._workers = executor, workers
        self._is_dask = type(executor).__module__.partition(".")[0] == "distributed"
        # To dask two chunks with the same points would be one.
        self._options = {"pure": False} if self._is_dask else {}

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Any:
        return self._executor.submit(function, *arguments, **self._options)

    def width(self) -> int:
        if self._workers is not None:
            return self._workers
        if self._is_dask:  # it may grow and shrink
            return max(1, int(sum(self._executor.nthreads().values())))
        known = getattr(self._executor, "_max_workers", None)
        return known if isinstance(known, int) else WIDE

    def renew(self) -> bool:
        return self._is_dask  # the scheduler has done it already

    def close(self, *, at_once: bool) -> None: ...


def pool_of(executor: Any, workers: int | None) -> Pool:
    """The pool that an ``executor=`` means."""
    if workers is not None:
        workers = whole_number("workers", workers)
    if executor in (None, "serial"):
        return Here()
    if executor in ("processes", "threads"):
        cores = workers or _cores()
        return Processes(cores) if executor == "processes" else Threads(cores)
    if not callable(getattr(executor, "submit", None)) or isinstance(executor, type):
        raise InputError(
            f"executor must be 'serial', 'processes', 'threads' or an object with submit(), such "
            f"as the Client of dask.distributed, got {executor!r}"
        )
    return Given(executor, workers)


def _cores() -> int:
    """Cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
