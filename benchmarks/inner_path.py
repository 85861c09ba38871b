"""What one answer costs: the inner path, accelerate(), the OSQP adapter and the import.

Run ``python benchmarks/inner_path.py``. Every cost is a ratio to a yardstick measured in the same
run, right next to it, and the least of many repeats: a noisy machine slows both alike.

The yardstick of (a) and (b), ``np.linalg.solve``, is handed its matrix. (a) is handed an evaluated
model likewise; (a+) and (b) evaluate it, with all checks, and the column "model" says how much of
their time the traced functions alone take.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from time import perf_counter

import numpy as np
from scipy.sparse import csc_matrix, eye

import gauss_opt as go
from gauss_opt.base.matrices import factorise
from gauss_opt.model.snapshot import evaluate_checked
from gauss_opt.qp.active_set import solve_set
from gauss_opt.qp.certificate import residuals
from gauss_opt.qp.solvers.osqp import _SETTINGS as SETTINGS
from gauss_opt.qp.whitening import LeastDistance, whiten

DETAIL = "least times: measured / yardstick"
SIZES = (6, 12, 20, 30)
REPEATS = 40
LOOPS = 50
GRAVITY = 9.81
TILT = 0.4


def rods_on_the_floor(n: int, contact: bool, raised: bool = False) -> tuple[go.System, np.ndarray]:
    """Point masses (x, y) joined by rigid rods in a zigzag, mass constant; n/2 masses.

    Without contacts the first mass hangs from a pin; with contacts the lower ones rest on a floor.
    With ``raised`` the upper ones have a contact with the floor as well, which is open.
    """
    count = n // 2
    position = np.array([[i * np.cos(TILT), (i % 2) * np.sin(TILT)] for i in range(count)])

    def rods(q: np.ndarray, t: float) -> np.ndarray:
        x, y = q[0::2], q[1::2]
        return (x[1:] - x[:-1]) ** 2 + (y[1:] - y[:-1]) ** 2 - 1.0

    def pin(q: np.ndarray, t: float) -> np.ndarray:
        return q[:2]

    def height(i: int) -> Callable[..., object]:
        return lambda q, t: q[2 * i + 1]

    system = go.System(
        mass=np.repeat(1.0 + np.arange(count) / count, 2),
        force=-GRAVITY * np.tile([0.0, 1.0], count) * np.repeat(1.0 + np.arange(count) / count, 2),
        constraints=[go.Holonomic("rods", rods)] + ([] if contact else [go.Holonomic("pin", pin)]),
        contacts=[go.Contact(f"floor {i}", height(i)) for i in range(0, count, 1 if raised else 2)]
        if contact
        else (),
    )
    return system, position.ravel()


def angle_chain(n: int, contact: bool) -> tuple[go.System, np.ndarray]:
    """A chain of n unit links in absolute angles, mass a function of q, pinned at both ends.

    It zigzags along the floor; with contacts the lower joints rest on it.
    """
    carried = n - np.maximum.outer(np.arange(n), np.arange(n)).astype(float)

    def mass(q: np.ndarray, t: float) -> np.ndarray:
        c, s = np.cos(q), np.sin(q)
        return carried * (np.outer(c, c) + np.outer(s, s))

    def force(q: np.ndarray, v: np.ndarray, t: float) -> np.ndarray:
        c, s = np.cos(q), np.sin(q)
        turning = s * (carried @ (c * v**2)) - c * (carried @ (s * v**2))
        return -turning - GRAVITY * np.arange(n, 0, -1) * c

    def end(q: np.ndarray, t: float) -> np.ndarray:
        return np.array([np.cos(q).sum() - n * np.cos(TILT), np.sin(q).sum()])

    def height(i: int) -> Callable[..., object]:
        return lambda q, t: np.sin(q[:i]).sum()

    system = go.System(
        mass=mass,
        force=force,
        constraints=[go.Holonomic("end", end)],
        contacts=[go.Contact(f"floor {i}", height(i)) for i in range(2, n - 1, 2)]
        if contact
        else (),
        nv=n,
    )
    return system, TILT * (-1.0) ** np.arange(n)


MECHANISMS = {
    "constant mass, equalities": lambda n: rods_on_the_floor(n, False),
    "constant mass, contacts": lambda n: rods_on_the_floor(n, True),
    "constant mass, half of contacts open": lambda n: rods_on_the_floor(n, True, True),
    "mass of q, equalities": lambda n: angle_chain(n, False),
    "mass of q, contacts": lambda n: angle_chain(n, True),
}


def least_times(*functions: Callable[[], object]) -> list[float]:
    """Least time in seconds of each function, the functions taken in turn."""
    least = [np.inf] * len(functions)
    for _ in range(REPEATS):
        for i, function in enumerate(functions):
            start = perf_counter()
            for _ in range(LOOPS):
                function()
            least[i] = min(least[i], (perf_counter() - start) / LOOPS)
    return least


def row(label: str, target: float | None, ratio: float, detail: str) -> None:
    """One line of a table: target, measured, and whether it is met."""
    verdict = "" if target is None else "ok" if ratio <= target else "NOT MET"
    wanted = "-" if target is None else f"{target:.1f}"
    print(f"  {label:<64}{wanted:>6}{ratio:>8.2f}  {verdict:<9}{detail}")


def heading(title: str, detail: str = DETAIL) -> None:
    """The title of a table and the names of its columns."""
    print(f"\n{title}\n  {'':<64}{'target':>6}{'ratio':>8}  {'':<9}{detail}")


def kkt_matrix(problem: go.GaussProblem, working: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The multiplier matrix of the active rows, and its right-hand side."""
    rows, k = problem.rows[working], len(working)
    matrix = np.block([[problem.metric, -rows.T], [rows, np.zeros((k, k))]])
    return matrix, np.concatenate([problem.load, problem.rhs[working]])


def inner_and_public(n: int, name: str) -> tuple[list[float], str]:
    """Times of the KKT solve, the inner path, accelerate() and the traced functions; and rows."""
    system, q = MECHANISMS[name](n)
    v = np.zeros(n)
    q.setflags(write=False)
    v.setflags(write=False)
    solver = go.GaussSolver("daqp")
    first = go.accelerate(system, q, v, 0.0, solver=solver)
    problem, working = first.solution.problem, first.solution.working
    assert (first.solution.inequality_multipliers > 1e-3).all(), "a contact carries no force"
    matrix, right = kkt_matrix(problem, working)
    dynamics = system.dynamics(n)
    chosen = first.chosen
    kept = None if callable(system.mass) else factorise(problem.metric)

    evaluated = evaluate_checked(system, dynamics, q, v, 0.0)

    def from_model() -> object:
        return inner(evaluate_checked(system, dynamics, q, v, 0.0))

    def inner(snapshot: go.Snapshot) -> object:
        rows, rhs = snapshot.rows, snapshot.rhs
        if chosen is not None:
            rows, rhs = rows[chosen], rhs[chosen]
        fresh = go.GaussProblem(
            snapshot.mass, snapshot.force, rows, rhs, problem.n_equality, problem.names
        )
        white = whiten(fresh, kept)
        answer = solve_set(white, working)
        x = white.point(answer.z)
        return residuals(fresh, white, x, answer.z, answer.multipliers).passes(1e-9)

    def public() -> object:
        answer = go.accelerate(system, q, v, 0.0, solver=solver)
        return answer.forces, answer.ideal_force, answer.nonideal_force

    assert from_model()
    times = least_times(
        lambda: np.linalg.solve(matrix, right),
        lambda: inner(evaluated),
        public,
        lambda: dynamics.evaluate(q, v, 0.0, system.parameters),
        from_model,
    )
    return times, f"{problem.n_equality}+{problem.n_inequality} rows"


def unchanged_active_set() -> None:
    """Tables (a) and (b)."""
    results = {(n, name): inner_and_public(n, name) for name in MECHANISMS for n in SIZES}
    tables = (
        ("(a) rows, whiten, solve the set, certify / np.linalg.solve of the KKT matrix", 1, 4.0),
        ("(a+) the same, and the evaluation of the model before it", 4, None),
        ("(b) accelerate() with forces by name and their split / the same solve", 2, 10.0),
    )
    for title, column, target in tables:
        heading(title, f"{DETAIL} (model)")
        for (n, name), (times, rows) in results.items():
            measured, yardstick, model = (1e6 * times[i] for i in (column, 0, 3))
            detail = f"{measured:6.1f} / {yardstick:5.1f} us ({model:.1f})"
            row(f"{n:>2} coordinates, {rows}, {name}", target, measured / yardstick, detail)


def slowly_changing(n: int, count: int = 200) -> list[go.GaussProblem]:
    """Acceleration problems of a chain on the floor along a slow motion, contacts named."""
    system, q = rods_on_the_floor(n, True)
    names = [contact.name for contact in system.contacts]
    speed = 0.1 * np.random.default_rng(n).normal(size=n)
    return [
        go.build_acceleration(go.evaluate(system, q + 1e-3 * k * speed, speed), contacts=names)
        for k in range(count)
    ]


class HandKept:
    """An OSQP workspace as one would keep it by hand: update, warm start, solve.

    It has the settings of the adapter, so that both do the same iterations.
    """

    def __init__(self, unit: LeastDistance) -> None:
        import osqp

        m, n = unit.rows.shape
        self.y = np.zeros(m)
        self.x = np.zeros(n)
        pattern = (unit.rows.T.ravel(), np.tile(np.arange(m), n), np.arange(0, m * n + 1, m))
        self.workspace = osqp.OSQP()
        self.workspace.setup(
            P=eye(n, format="csc"), q=np.zeros(n), A=csc_matrix(pattern, shape=(m, n)),
            l=unit.rhs.copy(), u=self.upper(unit), **SETTINGS,
        )  # fmt: skip

    @staticmethod
    def upper(unit: LeastDistance) -> np.ndarray:
        """Upper bounds: the right-hand side of equalities, infinity for inequalities."""
        upper = unit.rhs.copy()
        upper[unit.n_equality :] = np.inf
        return upper

    def solve(self, unit: LeastDistance) -> np.ndarray:
        """The answer to the next problem of the series."""
        self.workspace.update(Ax=unit.rows.T.ravel(), l=unit.rhs.copy(), u=self.upper(unit))
        self.workspace.warm_start(x=self.x, y=self.y)
        answer = self.workspace.solve(raise_error=False)
        self.x, self.y = answer.x.copy(), answer.y.copy()
        return self.x


def osqp_times(n: int) -> tuple[list[float], str]:
    """Times of a workspace kept by hand, of the adapter, and of the whole way; and rows."""
    problems = slowly_changing(n)
    units = [whiten(problem).normalised() for problem in problems]
    least = [np.inf] * 3
    for _ in range(7):
        adapter = go.solvers.make("osqp")
        adapter.propose(units[0])
        solver = go.GaussSolver("osqp", reuse_active_set=False, fallback=())
        solver.solve(problems[0])
        ways = (HandKept(units[0]).solve, adapter.propose, solver.solve)
        for i, (solve, series) in enumerate(zip(ways, (units, units, problems), strict=True)):
            start = perf_counter()
            for problem in series:
                solve(problem)
            least[i] = min(least[i], (perf_counter() - start) / len(series))
    return least, f"{problems[0].n_equality}+{problems[0].n_inequality} rows"


def osqp_adapter() -> None:
    """Table (c). The yardstick gets its problems whitened and scaled for nothing."""
    results = {n: osqp_times(n) for n in SIZES}
    tables = (
        ("(c) OSQP through its adapter / a workspace kept by hand, same settings", 1, 1.5),
        ("(c+) whiten, OSQP through its adapter, solve the set, certify / the same", 2, None),
    )
    for title, column, target in tables:
        heading(title)
        for n, (times, rows) in results.items():
            detail = f"{1e6 * times[column]:6.1f} / {1e6 * times[0]:5.1f} us"
            row(f"{n:>2} coordinates, {rows}", target, times[column] / times[0], detail)


def import_time() -> None:
    """Table (d): fresh interpreters, taken in turn."""
    bare, ours = "import numpy, scipy.optimize", "import numpy, scipy.optimize, gauss_opt"
    least = dict.fromkeys((bare, ours), np.inf)
    for _ in range(7):
        for code in least:
            start = perf_counter()
            subprocess.run([sys.executable, "-c", code], check=True)
            least[code] = min(least[code], perf_counter() - start)
    heading("(d) import gauss_opt, seconds more than numpy and scipy.optimize")
    detail = f"{least[ours]:.2f} / {least[bare]:.2f} s"
    row("seconds (not a ratio)", 0.6, least[ours] - least[bare], detail)


if __name__ == "__main__":
    unchanged_active_set()
    osqp_adapter()
    import_time()
