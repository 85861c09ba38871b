"""What everybody does in the first hour, once: it shows that the installed versions go together."""

import io
import pickle
import sys
import tempfile
from contextlib import redirect_stdout
from importlib.metadata import version
from pathlib import Path

import numpy as np

import gauss_opt as go
from gauss_opt import scene
from gauss_opt.cli import main


def check(what: str, right: bool) -> None:
    print(("ok: " if right else "FAILED: ") + what, flush=True)
    if not right:
        sys.exit(1)


names = ("numpy", "scipy", "osqp", "daqp", "cvxpy", "casadi", "cloudpickle", "matplotlib", "rich")
print("Python", sys.version.split()[0], *(f"{name} {version(name)}" for name in (*names, "typer")))

gap = lambda q, t: q[1] - 0.1 * np.sin(q[0])  # noqa: E731 (pickled on purpose)
hill = go.Contact("hill", gap, restitution="e")
ball = go.System(
    [1.0, 1.0], [0.0, -9.81], contacts=[hill], potential=lambda q, t: 9.81 * q[1],
    coordinates=["x", "y"], parameters={"e": 0.5},
)  # fmt: skip
result = go.simulate(ball, [0.0, 1.0], [0.2, 0.0], (0.0, 1.0))
check("simulate", result.success and result.events[0].kind == "impact")
check("energy", float(np.abs(result.energy.residual).max()) < 1e-8)
check("crosscheck by every solver", go.crosscheck(ball, [0.0, 0.0], [0.0, 0.0]).ok)
check("cloudpickle", pickle.loads(pickle.dumps(ball)).names == ("hill",))

with tempfile.TemporaryDirectory() as folder:
    place = Path(folder)
    result.save(place / "result.npz")
    check("save and load", np.array_equal(go.load(place / "result.npz").q, result.q))
    result.plot().savefig(place / "plot.png")
    result.report(place / "report.html", drawing=lambda q, t: [scene.dot(q, contacts="hill")])
    result.animate(place / "film.gif", max_frames=10)
    check("pictures", all(path.stat().st_size > 1000 for path in place.iterdir()))
    saying_nothing = redirect_stdout(io.StringIO())
    for words in ("--version", "list", "solvers", "doctor", "crosscheck slider_crank --states 3"):
        with saying_nothing:
            code = main(words.split())
        check(f"gauss-opt {words}", code == 0)
    with saying_nothing:
        code = main(["run", "bouncing_ball", "--out", folder])
    check("gauss-opt run", code == 0)
