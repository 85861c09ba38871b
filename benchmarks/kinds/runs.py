"""Kinds of runs: stopped and resumed in the middle, and made of phases."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

import gauss_opt as go
from kinds import forces, piles, surfaces, switches
from kinds.judge import judged
from kinds.model import Model, Touch, Trial
from kinds.surfaces import Generator

G = 9.81
STOPPED = (
    surfaces.moving_obstacles,
    forces.pulses_at_rest,
    forces.redundant_tables,
    piles.piles,
    piles.stacks,
    switches.conditions,
    switches.velocity_limits,
    switches.user_events,
)


def resumed(rng: Generator) -> Trial:
    """A run of another kind, stopped after some steps and resumed from its file."""
    model = STOPPED[int(rng.integers(0, len(STOPPED)))](rng).model
    every, share = int(rng.integers(1, 4)), float(rng.uniform(0.05, 0.95))

    def more(whole: go.Result) -> list[str]:
        with TemporaryDirectory() as folder:
            kept = {"checkpoint": Path(folder) / "run.npz", "checkpoint_every": every}
            left = iter(range(max(1, int(share * whole.stats.steps))))
            model.run(**kept, callback=lambda state: next(left, None) is None)
            again = model.run(**kept, resume=True)
        whole_columns = (whole.t, whole.q, whole.v, whole.a)
        again_columns = (again.t, again.q, again.v, again.a)
        same = all(
            a.tobytes() == b.tobytes() for a, b in zip(whole_columns, again_columns, strict=True)
        )
        same = same and [(e.kind, e.t) for e in whole.events] == [
            (e.kind, e.t) for e in again.events
        ]
        return [] if same else ["the resumed run has other numbers"]

    return Trial(model, more=more)


def phases(rng: Generator) -> Trial:
    """A bead that jumps from one circle to the next whenever it comes to a line."""
    pins = [float(p) for p in np.cumsum(rng.uniform(0.5, 1.2, 6))]
    drag, push = rng.uniform(0.0, 0.3), rng.uniform(1.0, 4.0)
    floor = -float(rng.uniform(0.5, 2.0))

    def ring(q, t, pin):
        return (q[0] - pin) ** 2 + q[1] ** 2 - 1.0

    def force(q, v, t):
        return np.array([push - drag * v[0], -1.0 - drag * v[1]])

    system = go.System(
        [1.0, 1.0], force, [go.Holonomic("ring", ring)],
        [go.Contact("floor", lambda q, t: q[1] - floor, 0.5)], parameters={"pin": 0.0},
    )  # fmt: skip
    first = Model(
        [1.0, 1.0], force, [0.0, 1.0], [1.0, 0.0], 2.0,
        closures=[("ring", lambda q, t: ring(q, t, 0.0))],
        touches=[Touch("floor", lambda q, t: q[1] - floor, 0.5)],
    )  # fmt: skip

    def event(pin):
        return lambda q, v, t: q[0] - pin - 0.4

    def follow(number: int, happened: go.Event):
        if number + 1 >= len(pins):
            return None
        pin = pins[number]
        # The ring through where it is, about a pin ahead of it.
        pin = float(happened.q[0] + np.sqrt(max(1.0 - happened.q[1] ** 2, 0.0)))
        return go.Phase(system.with_parameters(pin=pin), event(pin))

    def run() -> go.Result:
        return go.simulate_phases(go.Phase(system, event(0.0)), first.q, first.v, (0.0, first.end),
                                  follow, max_wall_time=60.0)  # fmt: skip

    def more(result: go.Result) -> list[str]:
        """Each phase as a run of its own, judged with its own ring."""
        wrong = []
        last = None
        for part in result.parts:
            q = part.q[0]
            pin = 0.0 if last is None else float(q[0] + np.sqrt(max(1.0 - q[1] ** 2, 0.0)))
            model = Model(
                [1.0, 1.0], force, q, part.v[0], float(part.t[-1]),
                closures=[("ring", lambda q, t, p=pin: ring(q, t, p))],
                touches=first.touches,
            )  # fmt: skip
            wrong += judged(model, part, np.random.default_rng(len(part.t))).wrong
            if last is not None:  # the nearest velocity along the new ring
                normal = np.array([q[0] - pin, q[1]])
                along = last - normal * (normal @ last) / (normal @ normal)
                if np.abs(along - part.v[0]).max() > 1e-9 * (1.0 + np.abs(last).max()):
                    wrong.append(f"the velocity of the phase from t = {part.t[0]:.6g}")
            last = part.v[-1]
        return wrong

    return Trial(first, run, more)
