"""The problems of problems.py by gauss_opt."""

from __future__ import annotations

from functools import cache
from typing import Any

from problems import LANDING, PENDULUM, PROBLEMS, pendulum_place
from side import least, serve

import gauss_opt as go
from gauss_opt.simulation.engine import extension


def engines() -> dict[str, str]:
    """The engines that are here, each in words."""
    there = {"native": "compiled engine"} if extension() else {}
    return {**there, "python": "Python engine"}


@cache
def system(name: str) -> go.System:
    """The model of an impact problem."""
    p = PROBLEMS[name]
    contacts = [
        go.Contact(f"stop {k}", lambda q, t, s=s, o=o: s * q[0] + o, p["restitution"])
        for k, (s, o) in enumerate(p["gaps"])
    ]
    return go.System(
        [p["mass"]], lambda q, v, t: p["weight"] - p["stiffness"] * q, contacts=contacts
    )


def impacts(problem: str, engine: str, rtol: float, repeats: int) -> dict[str, Any]:
    """Impacts of a problem, and the least time of a whole simulate()."""
    p, model = PROBLEMS[problem], system(problem)
    start, span = ([p["x"]], [p["v"]]), (0.0, p["end"])
    seconds, result = least(
        lambda: go.simulate(model, *start, span, rtol=rtol, engine=engine), repeats
    )
    hits = [e for e in result.events if e.kind == "impact"][: p["impacts"]]
    return {
        "t": [e.t for e in hits],
        "before": [float(e.v_before[0]) for e in hits],
        "after": [float(e.v_after[0]) for e in hits],
        "seconds": seconds,
        "steps": result.stats.steps,
    }


@cache
def rod() -> go.System:
    """The pendulum in two coordinates, on a rigid rod."""
    length = PENDULUM["length"]
    return go.System(
        [1.0, 1.0],
        [0.0, -PENDULUM["gravity"]],
        [go.Holonomic("rod", lambda q, t: q[0] ** 2 + q[1] ** 2 - length**2)],
    )


def pendulum(engine: str, rtol: float, repeats: int) -> dict[str, Any]:
    """Where the pendulum is at the end."""
    start, span = pendulum_place(PENDULUM["angle"]), (0.0, PENDULUM["end"])
    seconds, result = least(
        lambda: go.simulate(rod(), start, [0.0, 0.0], span, rtol=rtol, engine=engine), repeats
    )
    return {"place": result.q[-1].tolist(), "seconds": seconds, "steps": result.stats.steps}


def landing() -> dict[str, float]:
    """Time of landing, height and floor force at the end."""
    weight = LANDING["mass"] * LANDING["gravity"]
    floor = go.Contact("floor", lambda q, t: q[0], LANDING["restitution"])
    ball = go.System([LANDING["mass"]], [-weight], contacts=[floor])
    result = go.simulate(ball, [LANDING["height"]], [0.0], (0.0, LANDING["end"]))
    return {
        "landing": result.events[0].t,
        "deepest": float(-result.gaps["floor"].min()),
        "height": float(result.q[-1, 0]),
        "force": float(result.multipliers["floor"][-1]),
    }


if __name__ == "__main__":
    serve(
        {
            "version": lambda: go.__version__,
            "engines": engines,
            "impacts": impacts,
            "pendulum": pendulum,
            "landing": landing,
        }
    )
