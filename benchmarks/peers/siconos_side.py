"""The problems of problems.py by Siconos's event-driven scheme: prints one JSON object.

Siconos is not a dependency. On Debian: ``apt-get install python3-siconos``, and run this file with
the system's Python, /usr/bin/python3.
"""

from __future__ import annotations

import json
import subprocess
import sys
from time import perf_counter
from typing import Any

from problems import PROBLEMS, REPEATS

try:
    import siconos.kernel as sk
except ImportError:
    sys.exit("Siconos is not installed here (Debian: apt-get install python3-siconos)")

ANNOUNCED = 100  # points at which it stops for the user in any case


def simulation(p: dict[str, Any]) -> tuple[Any, Any]:
    """The model of a problem under the event-driven scheme with LSODAR."""
    start = ([p["x"]], [p["v"]], [[p["mass"]]])
    springs = ([[p["stiffness"]]], [[0.0]]) if p["stiffness"] else ()
    body = sk.LagrangianLinearTIDS(*start, *springs)
    body.setFExtPtr([p["weight"]])
    model = sk.NonSmoothDynamicalSystem(0.0, p["end"])
    model.insertDynamicalSystem(body)
    for sign, offset in p["gaps"]:
        relation = sk.LagrangianLinearTIR([[sign]], [offset])
        model.link(sk.Interaction(sk.NewtonImpactNSL(p["restitution"]), relation), body)
    driven = sk.EventDriven(model, sk.TimeDiscretisation(0.0, p["end"] / ANNOUNCED))
    driven.insertIntegrator(sk.LsodarOSI())
    driven.insertNonSmoothProblem(sk.LCP(), sk.SICONOS_OSNSP_ED_IMPACT)
    driven.insertNonSmoothProblem(sk.LCP(), sk.SICONOS_OSNSP_ED_SMOOTH_ACC)
    return driven, body


def impacts(p: dict[str, Any]) -> list[tuple[float, float, float]]:
    """Time, velocity before and after of every impact."""
    driven, body = simulation(p)
    found = []
    while driven.hasNextEvent() and len(found) < p["impacts"]:
        driven.advanceToEvent()
        before = float(body.velocity()[0])
        driven.processEvents()
        after = float(body.velocity()[0])
        if abs(after - before) > 1e-9 * abs(before):
            found.append((float(driven.startingTime()), before, after))
    return found


def run(p: dict[str, Any]) -> dict[str, Any]:
    """Impacts of a problem, and the least time of some repeats."""
    seconds = []
    for _ in range(REPEATS):
        start = perf_counter()
        found = impacts(p)
        seconds.append(perf_counter() - start)
    t, before, after = (list(column) for column in zip(*found, strict=True))
    return {"t": t, "before": before, "after": after, "seconds": min(seconds)}


def version() -> str:
    """Of the Debian package, which is the only place that tells it."""
    command = ["dpkg-query", "-W", "-f", "${Version}", "python3-siconos"]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return "of unknown version"


if __name__ == "__main__":
    print(json.dumps({"version": version(), **{name: run(p) for name, p in PROBLEMS.items()}}))
