"""The problems of problems.py by Siconos's event-driven scheme.

Siconos is not a dependency. On Debian: ``apt-get install python3-siconos``, and run this file with
the system's Python, /usr/bin/python3.
"""

from __future__ import annotations

import subprocess
import sys
from typing import Any

from problems import PROBLEMS
from side import least, serve

try:
    import siconos.kernel as sk
except ImportError:
    sys.exit("Siconos is not installed here (Debian: apt-get install python3-siconos)")


def simulation(p: dict[str, Any], announced: int, tolerance: float | None) -> tuple[Any, Any]:
    """The model of a problem under the event-driven scheme with LSODAR.

    ``announced`` is the number of points at which it stops for the user in any case; without a
    ``tolerance`` LSODAR keeps Siconos's own.
    """
    start = ([p["x"]], [p["v"]], [[p["mass"]]])
    springs = ([[p["stiffness"]]], [[0.0]]) if p["stiffness"] else ()
    body = sk.LagrangianLinearTIDS(*start, *springs)
    body.setFExtPtr([p["weight"]])
    model = sk.NonSmoothDynamicalSystem(0.0, p["end"])
    model.insertDynamicalSystem(body)
    for sign, offset in p["gaps"]:
        relation = sk.LagrangianLinearTIR([[sign]], [offset])
        model.link(sk.Interaction(sk.NewtonImpactNSL(p["restitution"]), relation), body)
    driven = sk.EventDriven(model, sk.TimeDiscretisation(0.0, p["end"] / announced))
    integrator = sk.LsodarOSI()
    if tolerance is not None:
        integrator.setTol(1, tolerance, tolerance)
    driven.insertIntegrator(integrator)
    driven.insertNonSmoothProblem(sk.LCP(), sk.SICONOS_OSNSP_ED_IMPACT)
    driven.insertNonSmoothProblem(sk.LCP(), sk.SICONOS_OSNSP_ED_SMOOTH_ACC)
    return driven, body


def march(p: dict[str, Any], driven: Any, body: Any) -> list[tuple[float, float, float]]:
    """Time, velocity before and after of every impact."""
    found: list[tuple[float, float, float]] = []
    while driven.hasNextEvent() and len(found) < p["impacts"]:
        driven.advanceToEvent()
        before = float(body.velocity()[0])
        driven.processEvents()
        after = float(body.velocity()[0])
        if abs(after - before) > 1e-9 * abs(before):
            found.append((float(driven.startingTime()), before, after))
    return found


def impacts(
    problem: str, announced: int, repeats: int, tolerance: float | None = None
) -> dict[str, Any]:
    """Impacts of a problem, and the least time to build its model and run it."""
    p = PROBLEMS[problem]
    seconds, found = least(lambda: march(p, *simulation(p, announced, tolerance)), repeats)
    building, _ = least(lambda: simulation(p, announced, tolerance), repeats)
    t, before, after = (list(column) for column in zip(*found, strict=True))
    return {
        "t": t, "before": before, "after": after, "seconds": seconds, "building": building
    }  # fmt: skip


def version() -> str:
    """Of the Debian package, which is the only place that tells it."""
    command = ["dpkg-query", "-W", "-f", "${Version}", "python3-siconos"]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return "of unknown version"


if __name__ == "__main__":
    serve({"version": version, "impacts": impacts})
