"""Properties of Gauss's problem on random systems: all routes agree, and symmetry is kept."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gauss_opt import GaussError, GaussProblem, GaussSolver, InfeasibleError
from gauss_opt.qp import solvers
from gauss_opt.qp.whitening import whiten
from gauss_opt.reference.oracles import enumerate_active_sets, lcp

FAST = ("daqp", "active_set", "nnls", "osqp")
SOLVERS = {name: GaussSolver(name) for name in solvers.available()}


def examples(count):
    slow = (HealthCheck.too_slow, HealthCheck.data_too_large)
    return settings(max_examples=count, deadline=None, derandomize=True, suppress_health_check=slow)


@st.composite
def systems(draw, most=30, ratio=6.0, singular=True):
    """Pieces of (G): up to ``most`` coordinates, redundant rows, singular mass, mass ratios."""
    n = draw(st.integers(1, most))
    ne, ni = draw(st.integers(0, n)), draw(st.integers(0, 12))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    root, point = rng.normal(size=(n, n)), rng.normal(size=n)
    spread = 10 ** (rng.uniform(-1, 1, n) * draw(st.floats(0, ratio)) / 4)
    M = (root @ root.T / n + 0.3 * np.eye(n)) * np.outer(spread, spread)
    # Rows of size one for every body, light or heavy.
    Ae, Ai = rng.normal(size=(ne, n)) * spread, rng.normal(size=(ni, n)) * spread
    if singular and ne and draw(st.booleans()):
        free = np.linalg.qr(np.linalg.solve(np.diag(spread), Ae.T))[0][:, :1] / spread[:, None]
        M -= M @ free @ free.T @ M / (free.T @ M @ free)
        M = 0.5 * (M + M.T) if n > 1 else 0 * M
    bi = Ai @ point - rng.exponential(size=ni) * (rng.random(ni) < 0.7)
    be = Ae @ point
    if draw(st.booleans()) and ne:
        mix = rng.normal(size=(2, ne))
        Ae, be = np.vstack([Ae, mix @ Ae]), np.concatenate([be, mix @ be])
    if draw(st.booleans()) and ni:
        twice = rng.integers(0, ni, 3)
        Ai, bi = np.vstack([Ai, 2 * Ai[twice]]), np.concatenate([bi, 2 * bi[twice]])
    load = M @ (rng.normal(size=n) * 3 / spread)
    return {"metric": M, "load": load, "Ae": Ae, "be": be, "Ai": Ai, "bi": bi}


def distance(problem, x, y):
    white = whiten(problem)
    size = np.linalg.norm(x @ white.factor) + np.linalg.norm(white.center)
    return np.linalg.norm((x - y) @ white.factor) / (size + 1e-300)


def force(solution):
    """The whole constraint force, which is unique when the multipliers are not."""
    return solution.problem.rows.T @ solution.row_multipliers


def effect(problem, force):
    """What a force would add to x."""
    factor = whiten(problem).factor
    return np.linalg.solve(factor @ factor.T, force)


def answer(pieces, name="daqp", **options):
    return GaussSolver(name, **options).solve(GaussProblem.create(**pieces))


@examples(200)
@given(systems())
def test_all_solvers_and_oracles_agree_and_every_certificate_holds(pieces):
    problem = GaussProblem.create(**pieces)
    found = {name: solver.solve(problem) for name, solver in SOLVERS.items()}
    x = found["daqp"].x
    for name, solution in found.items():
        assert solution.certificate.worst < 1e-9, name
        assert distance(problem, x, solution.x) < 1e-8, name
    assert distance(problem, x, lcp(*positional(pieces)).x) < 1e-8
    if problem.n_inequality <= 6:
        assert distance(problem, x, enumerate_active_sets(*positional(pieces)).x) < 1e-8


def positional(pieces):
    return [pieces[key] for key in ("metric", "load", "Ae", "be", "Ai", "bi")]


@examples(400)
@given(systems(most=8, ratio=8.0, singular=False), st.floats(-6, 6), st.sampled_from(FAST))
def test_light_masses_and_mass_ratios_of_1e8_are_right_or_refused(pieces, power, name):
    pieces = {**pieces, "metric": pieces["metric"] * 10**power, "load": pieces["load"] * 10**power}
    try:
        solution = answer(pieces, name)
    except GaussError:
        return
    expected = lcp(*positional(pieces)).x
    assert distance(solution.problem, expected, solution.x) < 1e-8


@examples(400)
@given(systems(), st.sampled_from(FAST))
def test_multipliers_push_and_are_complementary(pieces, name):
    solution = answer(pieces, name)
    problem, forces = solution.problem, solution.inequality_multipliers
    lengths = whiten(problem).lengths[problem.n_equality :]
    size = np.linalg.norm(whiten(problem).center) + np.linalg.norm(
        solution.x @ whiten(problem).factor
    )
    slack = (problem.Ai @ solution.x - problem.bi) / lengths
    assert (forces * lengths >= -1e-9 * size).all()
    assert (slack >= -1e-9 * size).all()
    assert (np.abs(forces * lengths * slack) <= 1e-8 * size**2).all()


@examples(300)
@given(systems(), st.randoms(use_true_random=False), st.sampled_from(FAST))
def test_the_order_of_inequality_rows_does_not_matter(pieces, random, name):
    order = list(range(len(pieces["bi"])))
    random.shuffle(order)
    shuffled = {**pieces, "Ai": pieces["Ai"][order], "bi": pieces["bi"][order]}
    one, other = answer(pieces, name), answer(shuffled, name)
    assert distance(one.problem, one.x, other.x) < 1e-8
    assert one.unique == other.unique


@examples(300)
@given(systems(), st.data(), st.sampled_from(FAST))
def test_duplicating_a_row_changes_no_answer(pieces, data, name):
    doubled = dict(pieces)
    for A, b in (("Ae", "be"), ("Ai", "bi")):
        if len(pieces[b]):
            i = data.draw(st.integers(0, len(pieces[b]) - 1))
            factor = data.draw(st.sampled_from([1.0, 0.3, 1e3]))
            doubled[A] = np.vstack([pieces[A], factor * pieces[A][i]])
            doubled[b] = np.append(pieces[b], factor * pieces[b][i])
    one, other = answer(pieces, name), answer(doubled, name)
    assert distance(one.problem, one.x, other.x) < 1e-8
    assert (
        distance(one.problem, one.x, one.x + effect(one.problem, force(one) - force(other))) < 1e-8
    )


@examples(300)
@given(systems(), *[st.floats(-8, 8)] * 3, st.sampled_from(FAST))
def test_rescaling_mass_length_and_time_rescales_the_answer(pieces, mass, length, time, name):
    m, a = 10**mass, 10 ** (length - 2 * time)
    scaled = {
        **pieces,
        "metric": m * pieces["metric"],
        "load": m * a * pieces["load"],
        "be": a * pieces["be"],
        "bi": a * pieces["bi"],
    }
    one, other = answer(pieces, name), answer(scaled, name)
    assert distance(one.problem, one.x, other.x / a) < 1e-8
    missing = force(one) - force(other) / (m * a)
    assert distance(one.problem, one.x, one.x + effect(one.problem, missing)) < 1e-8


@examples(200)
@given(systems(), st.sampled_from(FAST))
def test_a_second_solve_is_bit_equal_and_needs_no_solver(pieces, name):
    solver, problem = GaussSolver(name), GaussProblem.create(**pieces)
    first, second = solver.solve(problem), solver.solve(problem)
    assert first.x.tobytes() == second.x.tobytes()
    assert first.row_multipliers.tobytes() == second.row_multipliers.tobytes()
    assert second.solver == "active set"


@examples(200)
@given(systems(most=10), st.floats(-3, 2), st.sampled_from(FAST))
def test_a_contradiction_is_proved_by_name_and_never_solved(pieces, power, name):
    rng = np.random.default_rng(len(pieces["bi"]))
    weights = rng.uniform(0.5, 1, len(pieces["bi"]) + 1)
    n = len(pieces["load"])
    Ai = np.vstack([pieces["Ai"], rng.normal(size=n)])
    bi = np.append(pieces["bi"], 1.0)
    last = -weights @ Ai
    scale = np.abs(weights) @ (np.abs(bi) + 1)
    rows = {"Ai": np.vstack([Ai, last]), "bi": np.append(bi, -weights @ bi + 10**power * scale)}
    with pytest.raises(InfeasibleError) as caught:
        answer({**pieces, **rows}, name)
    assert caught.value.constraints
