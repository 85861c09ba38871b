"""The problems of problems.py by gauss_opt: prints one JSON object."""

from __future__ import annotations

import json
from time import perf_counter
from typing import Any

from problems import LANDING, PROBLEMS, REPEATS

import gauss_opt as go


def system(p: dict[str, Any]) -> go.System:
    """The model of a problem."""
    contacts = [
        go.Contact(f"stop {k}", lambda q, t, s=s, o=o: s * q[0] + o, p["restitution"])
        for k, (s, o) in enumerate(p["gaps"])
    ]
    return go.System(
        [p["mass"]], lambda q, v, t: p["weight"] - p["stiffness"] * q, contacts=contacts
    )


def run(p: dict[str, Any]) -> dict[str, Any]:
    """Impacts of a problem, and the least time of some repeats."""
    model, seconds = system(p), []
    for _ in range(REPEATS):
        start = perf_counter()
        result = go.simulate(model, [p["x"]], [p["v"]], (0.0, p["end"]), rtol=1e-11)
        seconds.append(perf_counter() - start)
    hits = [e for e in result.events if e.kind == "impact"][: p["impacts"]]
    return {
        "t": [e.t for e in hits],
        "before": [float(e.v_before[0]) for e in hits],
        "after": [float(e.v_after[0]) for e in hits],
        "seconds": min(seconds),
    }


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
    answers: dict[str, Any] = {name: run(p) for name, p in PROBLEMS.items()}
    print(json.dumps({"version": go.__version__, "landing": landing(), **answers}))
