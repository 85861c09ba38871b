"""Random least-constraint problems (G), each made from one seed, with what is known about them.

Up to 30 coordinates, equalities and inequalities, redundant rows, rows that hold with equality
and carry nothing, nearly parallel rows, a singular mass, mass ratios up to 1e8. Some are built
around an answer, which is then known; some are built around a contradiction.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import gauss_opt as go

Array = np.ndarray

KINDS = ("known answer", "feasible", "contradiction")
SHARES = (0.45, 0.4, 0.15)


@dataclass(frozen=True, eq=False)
class RandomProblem:
    """A problem and what is known about it.

    Attributes
    ----------
    kind : str
        One of KINDS.
    features : tuple of str
        What it contains besides plain rows.
    problem : GaussProblem
    answer : (n,) array or None
        The minimiser, where it was built around one.
    tilt : float
        Least angle between inequality rows that were made nearly parallel; 1 when none were. Two
        rows at an angle of 1e-6 fix their corner only to round-off divided by 1e-6.
    """

    kind: str
    features: tuple[str, ...]
    problem: go.GaussProblem
    answer: Array | None
    tilt: float


@dataclass
class _Draft:
    """Rows and mass under construction; x is a point that satisfies every row."""

    rng: np.random.Generator
    mass: Array
    Ae: Array
    Ai: Array
    x: Array
    spread: Array
    slack: Array
    features: list[str]
    tilt: float = 1.0

    @property
    def n(self) -> int:
        return len(self.x)

    def chance(self, share: float) -> bool:
        return bool(self.rng.random() < share)


def random_problem(seed: int | tuple[int, ...]) -> RandomProblem:
    """The problem that belongs to a seed; the same seed gives the same bits."""
    rng = np.random.default_rng(seed)
    kind = str(rng.choice(KINDS, p=SHARES))
    draft = _plain_rows(rng)
    _redundant_equalities(draft)
    _redundant_inequalities(draft)
    _nearly_parallel(draft)
    _singular_mass(draft)
    if kind == "known answer":
        load, answer = _load_of_answer(draft), draft.x
    else:
        load, answer = draft.mass @ (3.0 * rng.normal(size=draft.n) / draft.spread), None
    pieces = {
        "metric": draft.mass,
        "load": load,
        "Ae": draft.Ae,
        "be": draft.Ae @ draft.x,
        "Ai": draft.Ai,
        "bi": draft.Ai @ draft.x - draft.slack,
    }
    if kind == "contradiction":
        _contradict(draft, pieces)
    problem = go.GaussProblem.create(**pieces)
    return RandomProblem(kind, tuple(draft.features), problem, answer, draft.tilt)


def _plain_rows(rng: np.random.Generator) -> _Draft:
    n = int(rng.integers(1, 31)) if rng.random() < 0.7 else int(rng.integers(1, 5))
    ne = int(rng.integers(0, n + 1)) if rng.random() < 0.6 else 0
    ni = int(rng.integers(0, 13))
    ratio = rng.uniform(0.0, 8.0) * (rng.random() < 0.6)
    # Masses differ by the square of the spread.
    spread = 10.0 ** (rng.uniform(-1.0, 1.0, n) * ratio / 4.0)
    root = rng.normal(size=(n, n))
    mass = (root @ root.T / n + 0.3 * np.eye(n)) * np.outer(spread, spread)
    sparse = rng.random(n) < 0.4 if rng.random() < 0.3 else np.zeros(n, dtype=bool)
    Ae, Ai = rng.normal(size=(ne, n)) * spread, rng.normal(size=(ni, n)) * spread
    if ni and not sparse.all():
        Ai[:, sparse] = 0.0
    features = [f"mass ratio 1e{ratio:.0f}"] if ratio > 4.0 else []
    slack = rng.exponential(size=ni) * (rng.random(ni) < 0.6)
    return _Draft(rng, mass, Ae, Ai, rng.normal(size=n) / spread, spread, slack, features)


def _redundant_equalities(draft: _Draft) -> None:
    if len(draft.Ae) and draft.chance(0.3):
        mix = draft.rng.normal(size=(int(draft.rng.integers(1, 4)), len(draft.Ae)))
        draft.Ae = np.vstack([draft.Ae, mix @ draft.Ae])
        draft.features.append("redundant equalities")


def _redundant_inequalities(draft: _Draft) -> None:
    """The same row again, several times as long; sums of rows that hold; rows of equalities."""
    rng, count = draft.rng, len(draft.Ai)
    if count and draft.chance(0.3):
        twice = rng.integers(0, count, 3)
        factors = 10.0 ** rng.uniform(-2.0, 2.0, 3)
        _append(draft, factors[:, None] * draft.Ai[twice], factors * draft.slack[twice])
        draft.features.append("repeated rows")
    if count > 1 and draft.chance(0.3):
        weights = rng.uniform(0.2, 1.0, (2, count)) * (draft.slack[:count] == 0.0)
        if weights.any():
            _append(draft, weights @ draft.Ai[:count], np.zeros(2))
            draft.features.append("sums of rows")
    if len(draft.Ae) and draft.chance(0.2):
        mixed = rng.normal(size=len(draft.Ae)) @ draft.Ae
        _append(draft, mixed[None, :], np.zeros(1))
        draft.features.append("inequality fixed by equalities")


def _nearly_parallel(draft: _Draft) -> None:
    if len(draft.Ai) and draft.n > 1 and draft.chance(0.15):
        draft.tilt = float(10.0 ** draft.rng.uniform(-7.0, -2.0))
        row = draft.Ai[0] + draft.tilt * draft.rng.normal(size=draft.n) * draft.spread
        _append(draft, row[None, :], draft.slack[:1])
        draft.features.append("nearly parallel rows")


def _append(draft: _Draft, rows: Array, slack: Array) -> None:
    draft.Ai = np.vstack([draft.Ai, rows])
    draft.slack = np.concatenate([draft.slack, slack])


def _singular_mass(draft: _Draft) -> None:
    """Take the mass away in one direction that the equalities hold."""
    if not len(draft.Ae) or not draft.chance(0.3):
        return
    scaled = draft.Ae / draft.spread
    free = np.linalg.qr(scaled.T)[0][:, :1] / draft.spread[:, None]
    root = np.linalg.cholesky(draft.mass)
    gone = root.T @ free
    root = root - (root @ gone) @ gone.T / (gone.T @ gone)
    draft.mass = root @ root.T if draft.n > 1 else 0.0 * draft.mass
    draft.features.append("singular mass")


def _load_of_answer(draft: _Draft) -> Array:
    """p = M x - A'l for the x of the draft: some rows that hold carry, the others are weak."""
    holds = draft.slack == 0.0
    carries = holds & (draft.rng.random(len(holds)) < 0.7)
    forces = draft.rng.exponential(size=len(holds)) * carries
    if (holds & ~carries).any():
        draft.features.append("weakly active rows")
    lengths = np.linalg.norm(draft.Ai / draft.spread, axis=1)
    forces = forces / np.where(lengths > 0.0, lengths, 1.0)
    reactions = draft.rng.normal(size=len(draft.Ae))
    return draft.mass @ draft.x - draft.Ae.T @ reactions - draft.Ai.T @ forces


def _contradict(draft: _Draft, pieces: dict[str, Array]) -> None:
    """Add rows of which no point satisfies all: by inequalities, or by equalities."""
    rng = draft.rng
    excess = float(10.0 ** rng.uniform(-3.0, 2.0))
    if len(draft.Ae) and draft.chance(0.4):
        weights = rng.uniform(0.5, 1.0, len(draft.Ae))
        size = weights @ (np.abs(pieces["be"]) + 1.0)
        pieces["Ae"] = np.vstack([pieces["Ae"], weights @ pieces["Ae"]])
        pieces["be"] = np.append(pieces["be"], weights @ pieces["be"] + excess * size)
        draft.features.append("contradiction of equalities")
        return
    Ai = np.vstack([pieces["Ai"], rng.normal(size=draft.n) * draft.spread])
    bi = np.append(pieces["bi"], 1.0)
    weights = rng.uniform(0.5, 1.0, len(bi))
    size = weights @ (np.abs(bi) + 1.0)
    pieces["Ai"] = np.vstack([Ai, -weights @ Ai])
    pieces["bi"] = np.append(bi, -weights @ bi + excess * size)
    draft.features.append("contradiction of inequalities")
