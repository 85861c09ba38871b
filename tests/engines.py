"""Runs of the compiled engine beside those of the Python engine, and how they are compared."""

from __future__ import annotations

from contextlib import contextmanager
from itertools import takewhile

import numpy as np
import pytest

import gauss_opt as go
from gauss_opt.simulation.engine import Extension, choice, extension

MODULE = extension().module
compiled = pytest.mark.skipif(MODULE is None, reason=str(extension()))


def both(*arguments, **options):
    """The same run by the Python engine and by the compiled one."""
    return [go.simulate(*arguments, engine=engine, **options) for engine in ("python", "native")]


def common_events(one, other):
    """Pairs of events as long as both runs have the same ones."""
    pairs = zip(one.events, other.events, strict=False)
    return list(
        takewhile(lambda p: (p[0].kind, p[0].contacts) == (p[1].kind, p[1].contacts), pairs)
    )


def require_same(one, other, *, times=1e-11, velocities=1e-9):
    """The same events, at times and with velocities and impulses that are as good as equal."""
    pairs = common_events(one, other)
    assert len(pairs) == len(one.events) == len(other.events)
    assert (one.status, one.success) == (other.status, other.success)
    require_close(one, pairs, times, velocities)
    span = one.t[-1] - one.t[0]
    assert abs(one.t[-1] - other.t[-1]) <= times * span
    size = np.abs(one.q).max() + span * np.abs(one.v).max()
    assert np.abs(one.q[-1] - other.q[-1]).max() <= 100 * velocities * size


def require_close(one, pairs, times=1e-11, velocities=1e-9):
    """Events that are as good as equal."""
    span, speed = one.t[-1] - one.t[0], np.abs(one.v).max()
    every = [np.abs(x).max() for a, _ in pairs for x in a.impulses.values()]
    largest = max(every, default=0.0)
    for a, b in pairs:
        assert abs(a.t - b.t) <= times * span, (a, b)
        assert np.abs(a.v_after - b.v_after).max() <= velocities * speed, (a, b)
        assert a.impulses.keys() == b.impulses.keys()
        for name, impulse in a.impulses.items():
            assert np.abs(impulse - b.impulses[name]).max() <= velocities * largest, (a, b)


def same_bits(one, other):
    """Whether two results are equal to the last bit."""
    columns = all(np.array_equal(getattr(one, f), getattr(other, f)) for f in "tqva")
    columns = columns and all(
        np.array_equal(multiplier, other.multipliers[name])
        for name, multiplier in one.multipliers.items()
    )
    events = [(e.kind, e.t, e.contacts, e.v_after.tolist(), e.row) for e in one.events]
    return columns and events == [
        (e.kind, e.t, e.contacts, e.v_after.tolist(), e.row) for e in other.events
    ]


class Wrapped:
    """The extension with something around its runs."""

    def __init__(self, around):
        self.sizes, self.around, self.calls = MODULE.sizes, around, 0

    def run(self, program, inputs, state, out):
        self.calls += 1
        return self.around(self.calls, program, inputs, state, out)


@contextmanager
def wrapped(monkeypatch, around):
    """Run with something around the runs of the extension."""
    module = Wrapped(around)
    with monkeypatch.context() as patch:
        patch.setattr(choice, "extension", lambda: Extension(module, ""))
        yield module
