"""Properties of (G) on random systems: all routes agree, and every answer carries its proof."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gauss_opt import GaussProblem, GaussSolver, closed_form, oracles, solve, solvers
from gauss_opt.errors import GaussError
from gauss_opt.whiten import whiten

ALL = solvers.available()
FAST = ("daqp", "active_set", "nnls")
REACH = 1e-8  # relative difference, in the mass norm, of two right answers
PROOF = 1e-9  # largest residual of an accepted certificate

seeds = st.integers(0, 2**32 - 1)
exponents = st.integers(0, 6)


def several(count):
    return settings(max_examples=count, deadline=None, derandomize=True)


def random_mass(rng, n, decades, singular):
    """A mass with the given spread; the last ``singular`` eigenvalues are zero."""
    values = 10.0 ** (decades * (rng.random(n) - 0.5))
    values[n - singular :] = 0.0
    if rng.random() < 0.5:
        return np.diag(values)
    turn = np.linalg.qr(rng.standard_normal((n, n)))[0]
    return (turn * values) @ turn.T if singular or decades <= 6 else np.diag(values)


def random_problem(seed, n_max=30, decades=None, kind="random"):
    """A feasible problem, often degenerate: redundant rows, touching rows, massless directions."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, n_max + 1))
    decades = int(rng.integers(0, 7)) if decades is None else decades
    singular = int(rng.integers(1, n // 2 + 1)) if n > 1 and rng.random() < 0.2 else 0
    M = random_mass(rng, n, decades, singular)
    inside = rng.standard_normal(n)
    Ae = rng.standard_normal((int(rng.integers(0, n // 2 + 1)), n))
    if singular:
        null = np.linalg.eigh(M)[1][:, :singular].T
        Ae = np.vstack([null + 0.1 * rng.standard_normal(null.shape), Ae])[:n]
    if len(Ae) and rng.random() < 0.4:
        Ae = np.vstack([Ae, rng.standard_normal((int(rng.integers(1, 4)), len(Ae))) @ Ae])
    Ai = rng.standard_normal((int(rng.integers(0, 2 * n + 1)), n))
    if rng.random() < 0.3:
        Ai = np.round(Ai)
    if len(Ai) and rng.random() < 0.4:
        Ai = np.vstack([Ai, Ai[rng.integers(0, len(Ai), 3)] * rng.uniform(0.1, 10, (3, 1))])
    if len(Ai) and len(Ae) and rng.random() < 0.3:
        Ai = np.vstack([Ai, rng.uniform(0, 1, (2, len(Ai))) @ Ai + Ae[:1]])
    spare = rng.exponential(1.0, len(Ai)) * (rng.random(len(Ai)) < rng.random())
    load = rng.standard_normal(n) * 10.0 ** rng.integers(-3, 4)
    return GaussProblem.create(
        M,
        load=M @ load if rng.random() < 0.5 else load,
        Ae=Ae,
        be=Ae @ inside,
        Ai=Ai,
        bi=Ai @ inside - spare,
        kind=kind,
    )


def distance(problem, x, y):
    """|x - y| in the mass norm, relative to what was given and to what moved."""
    white = whiten(problem)
    moved = np.linalg.norm(x @ white.factor - white.center)
    return np.linalg.norm((x - y) @ white.factor) / (moved + np.linalg.norm(white.center) + 1e-300)


def data(problem):
    return problem.metric, problem.load, problem.Ae, problem.be, problem.Ai, problem.bi


@pytest.mark.parametrize("solver", ALL)
@several(60)
@given(seed=seeds)
def test_every_solver_gives_the_same_answer_with_a_proof(solver, seed):
    problem = random_problem(seed)
    reference = solve(problem, "active_set", fallback=())
    solution = solve(problem, solver)
    assert solution.certificate.worst < PROOF
    assert reference.certificate.worst < PROOF
    assert distance(problem, solution.x, reference.x) < REACH


@several(60)
@given(seed=seeds)
def test_complementarity_pivoting_gives_the_same_answer(seed):
    problem = random_problem(seed, 12)
    solution = solve(problem, "daqp")
    try:
        expected = oracles.lcp(*data(problem)).x
    except np.linalg.LinAlgError:  # the oracle says itself that it cannot tell
        return
    assert distance(problem, solution.x, expected) < REACH


@several(30)
@given(seed=seeds)
def test_trying_all_active_sets_gives_the_same_answer(seed):
    problem = random_problem(seed, 4)
    if problem.n_inequality <= 8:
        solution = solve(problem, "nnls")
        expected = oracles.enumerate_active_sets(*data(problem)).x
        assert distance(problem, solution.x, expected) < REACH


@several(60)
@given(seed=seeds)
def test_lagrange_multipliers_give_the_same_answer_without_inequalities(seed):
    problem = random_problem(seed)
    problem = replace(
        problem,
        rows=problem.Ae,
        rhs=problem.be,
        names=problem.names[: problem.n_equality],
    )
    solution = solve(problem)
    x, multipliers = closed_form.kkt(problem.metric, problem.load, problem.Ae, problem.be)
    assert solution.certificate.worst < PROOF
    assert distance(problem, solution.x, x) < REACH
    force = problem.Ae.T @ (solution.row_multipliers - multipliers)
    shift = np.linalg.solve(whiten(problem).factor, force)
    assert np.linalg.norm(shift) <= 1e-7 * (1 + np.linalg.norm(whiten(problem).center))


@several(60)
@given(seed=seeds)
def test_multipliers_push_and_only_at_rows_that_touch(seed):
    problem = random_problem(seed)
    solution = solve(problem, "daqp")
    forces = solution.inequality_multipliers
    slack = problem.Ai @ solution.x - problem.bi
    white = whiten(problem)
    lengths = white.lengths[problem.n_equality :]
    size = np.linalg.norm(white.center) + np.linalg.norm(solution.x @ white.factor)
    scale = np.abs(problem.bi) + size * lengths
    assert (forces * lengths >= -1e-9 * size).all()
    assert (slack >= -1e-9 * scale).all()
    assert (np.abs(forces * lengths) * np.abs(slack) <= 1e-8 * size * scale).all()


@several(40)
@given(seed=seeds)
def test_the_order_of_rows_does_not_matter(seed):
    problem = random_problem(seed, 15)
    rng = np.random.default_rng(seed)
    ne = problem.n_equality
    order = np.concatenate([rng.permutation(ne), ne + rng.permutation(problem.n_inequality)])
    order = order.astype(int)
    shuffled = replace(
        problem,
        rows=problem.rows[order],
        rhs=problem.rhs[order],
        names=tuple(problem.names[i] for i in order),
    )
    solution, other = solve(problem, "daqp"), solve(shuffled, "daqp")
    assert distance(problem, solution.x, other.x) < REACH
    assert solution.unique == other.unique


@several(40)
@given(seed=seeds)
def test_a_row_written_twice_changes_no_motion(seed):
    problem = random_problem(seed, 15)
    if not len(problem.rhs):
        return
    rng = np.random.default_rng(seed)
    i = int(rng.integers(len(problem.rhs)))
    factor = 10.0 ** rng.uniform(-3, 3)
    twice = replace(
        problem,
        rows=np.insert(problem.rows, i, factor * problem.rows[i], axis=0),
        rhs=np.insert(problem.rhs, i, factor * problem.rhs[i]),
        n_equality=problem.n_equality + (i < problem.n_equality),
        names=(*problem.names[:i], "copy", *problem.names[i:]),
    )
    assert distance(problem, solve(problem, "daqp").x, solve(twice, "daqp").x) < REACH


@several(40)
@given(seed=seeds, mass=exponents, length=exponents, time=exponents)
def test_other_units_of_mass_length_and_time_rescale_the_answer(seed, mass, length, time):
    problem = random_problem(seed, 12)
    kg, m, s = 10.0 ** (mass - 3), 10.0 ** (length - 3), 10.0 ** (time - 3)
    acceleration = m / s**2
    other = replace(
        problem,
        metric=kg * problem.metric,
        load=kg * acceleration * problem.load,
        rhs=acceleration * problem.rhs,
    )
    solution, rescaled = solve(problem, "daqp"), solve(other, "daqp")
    assert distance(problem, solution.x, rescaled.x / acceleration) < REACH
    assert solution.unique == rescaled.unique
    force = kg * acceleration
    expected = problem.rows.T @ solution.row_multipliers
    found = problem.rows.T @ rescaled.row_multipliers / force
    assert np.linalg.norm(expected - found) <= 1e-7 * (
        np.linalg.norm(problem.load) + np.linalg.norm(problem.metric @ solution.x)
    )


@several(60)
@given(seed=seeds, light=st.sampled_from([1e-6, 1e-3, 1.0]), decades=st.sampled_from([8, 6, 3]))
def test_micrograms_and_mass_ratios_to_1e8_are_right_or_an_error(seed, light, decades):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 9))
    masses = light * 10.0 ** (decades * rng.random(n))
    Ai = np.round(2 * rng.standard_normal((int(rng.integers(1, 2 * n + 1)), n)))
    problem = GaussProblem.create(masses, load=-9.81 * masses, Ai=Ai, bi=np.zeros(len(Ai)))
    try:
        answers = [solve(problem, name).x for name in FAST]
        expected = oracles.lcp(*data(problem)).x
    except (GaussError, np.linalg.LinAlgError):
        return
    for x in answers:
        assert distance(problem, x, expected) < REACH


@several(40)
@given(seed=seeds)
def test_a_series_with_remembered_active_sets_gives_what_fresh_solvers_give(seed):
    rng = np.random.default_rng(seed)
    problem = random_problem(seed, 10)
    keeper = GaussSolver("daqp")
    for _ in range(5):
        shift = 0.3 * rng.standard_normal(problem.n)
        moved = replace(problem, load=problem.load + problem.metric @ shift)
        kept, fresh = keeper.solve(moved), solve(moved, "daqp")
        assert distance(moved, kept.x, fresh.x) < REACH
        assert kept.unique == fresh.unique
