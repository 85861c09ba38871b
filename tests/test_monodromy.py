"""How a run depends on its start, through impacts: against closed forms and differences."""

import mpmath
import numpy as np
import pytest

import gauss_opt as go

ZETA, E, SIGMA = 0.05, 0.8, 0.3
TIGHT = {"rtol": 1e-12, "atol": 1e-14, "solver": "daqp"}


def oscillator(e=E):
    """Driven by cos(w t), damped, with a stop at SIGMA."""
    return go.System(
        [1.0],
        lambda q, v, t, w: np.array([np.cos(w * t) - 2 * ZETA * v[0] - q[0]]),
        contacts=[go.Contact("stop", lambda q, t: SIGMA - q[0], restitution="e")],
        parameters={"w": 2.0, "e": e},
    )


def exact_period(x, v, w, e=E):
    """The period map of the oscillator with one impact, in as many digits as mpmath has."""
    mp = mpmath.mp
    w, zeta = mp.mpf(w), mp.mpf(ZETA)
    d = (1 - w**2) ** 2 + (2 * zeta * w) ** 2
    c, s = (1 - w**2) / d, 2 * zeta * w / d
    f = mp.sqrt(1 - zeta**2)

    def flow(x0, v0, t0):
        a = x0 - c * mp.cos(w * t0) - s * mp.sin(w * t0)
        b = v0 + c * w * mp.sin(w * t0) - s * w * mp.cos(w * t0)

        def at(t):
            tau, decay = t - t0, mp.exp(-zeta * (t - t0))
            cos, sin = mp.cos(f * tau), mp.sin(f * tau)
            x = decay * (a * cos + (b + zeta * a) / f * sin)
            v = decay * (b * cos - (a + zeta * b) / f * sin)
            return (x + c * mp.cos(w * t) + s * mp.sin(w * t),
                    v - c * w * mp.sin(w * t) + s * w * mp.cos(w * t))  # fmt: skip

        return at

    first = flow(mp.mpf(x), mp.mpf(v), mp.mpf(0))
    period, at = 2 * mp.pi / w, [mp.mpf(k) / 64 for k in range(1, 65)]
    guess = next(k for k in at if first(k * period)[0] > SIGMA) * period
    hit = mp.findroot(lambda t: first(t)[0] - mp.mpf(SIGMA), guess)
    return flow(mp.mpf(SIGMA), -mp.mpf(e) * first(hit)[1], hit)(period)


@pytest.fixture(scope="module")
def impacting():
    """One period with one impact, near the orbit at w = 2."""
    start = np.array([-1.70, 0.45])
    run = go.simulate(oscillator(), start[:1], start[1:], (0.0, np.pi), **TIGHT)
    assert [event.kind for event in run.events] == ["impact"]
    return start, run


def test_the_section_map_of_the_impact_oscillator_is_that_of_its_closed_form(impacting):
    start, run = impacting
    found = go.monodromy(run)
    with mpmath.workdps(40):
        exact = exact_period(*start, w=2)
        step = mpmath.mpf(10) ** -12
        columns = []
        for d in ((step, 0), (0, step)):
            up = exact_period(start[0] + d[0], start[1] + d[1], w=2)
            down = exact_period(start[0] - d[0], start[1] - d[1], w=2)
            columns.append([float((a - b) / (2 * step)) for a, b in zip(up, down, strict=True)])
        by_e = [float((a - b) / (2 * step)) for a, b in zip(
            exact_period(*start, w=2, e=mpmath.mpf(E) + step),
            exact_period(*start, w=2, e=mpmath.mpf(E) - step), strict=True)]  # fmt: skip
    np.testing.assert_allclose([run.q[-1, 0], run.v[-1, 0]], [float(x) for x in exact], atol=1e-10)
    np.testing.assert_allclose(found.matrix, np.array(columns).T, atol=1e-8)
    np.testing.assert_allclose(found.by_parameter["e"], by_e, atol=1e-8)


def test_its_determinant_is_what_damping_and_one_impact_leave_of_an_area(impacting):
    _, run = impacting
    found = go.monodromy(run)
    exact = E**2 * np.exp(-2 * ZETA * np.pi)
    assert found.determinant == pytest.approx(exact, rel=1e-9)
    assert found.word == ("stop",)
    assert len(found.saltations) == 1
    assert np.linalg.det(found.saltations[0].matrix) == pytest.approx(E**2, rel=1e-9)
    assert np.prod(found.multipliers).real == pytest.approx(exact, rel=1e-9)


def test_it_is_the_difference_of_neighbouring_runs(impacting):
    _, run = impacting
    differences = columns_by_differences(run, np.eye(2), 1e-4)
    np.testing.assert_allclose(go.monodromy(run).matrix, differences, atol=1e-8)


# Other systems, against differences


def end(system, y, nq, span, options):
    run = go.simulate(system, y[:nq], y[nq:], span, **{**TIGHT, **options})
    return np.concatenate([run.q[-1], run.v[-1]])


def columns_by_differences(run, directions, h, **options):
    """Derivatives of the end along directions of the start, of fourth order."""
    span = (float(run.t[0]), float(run.t[-1]))
    y = np.concatenate([run.q[0], run.v[0]])

    def at(step, direction):
        return end(run.system, y + step * direction, run.q.shape[1], span, options)

    return np.array([
        (8 * (at(h, d) - at(-h, d)) - (at(2 * h, d) - at(-2 * h, d))) / (12 * h)
        for d in directions
    ]).T  # fmt: skip


def by_parameter(run, name, h, **options):
    span = (float(run.t[0]), float(run.t[-1]))
    y = np.concatenate([run.q[0], run.v[0]])
    p = run.system.parameters[name]

    def at(step):
        changed = run.system.with_parameters(**{name: p + step})
        return end(changed, y, run.q.shape[1], span, options)

    return (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h)


def arm():
    """Two links with a mass that depends on the posture; the elbow hits a stop."""

    def mass(q, t):
        c = np.cos(q[1])
        return np.array([[3.0 + 2.0 * c, 1.0 + c], [1.0 + c, 1.0]])

    def force(q, v, t, g):
        s = np.sin(q[1])
        return np.array([s * v[1] * (2.0 * v[0] + v[1]) - g * np.sin(q[0]),
                         -s * v[0] ** 2 - 0.3 * g * np.sin(q[0] + q[1])])  # fmt: skip

    stop = go.Contact("stop", lambda q, t: 0.6 + 0.1 * np.sin(t) - q[1], restitution="e")
    return go.System(mass, force, contacts=[stop], parameters={"g": 2.0, "e": 0.6}, nq=2, nv=2)


def slider():
    """A block that slides on a floor, carried by it, and hits two blocks in a row."""
    contacts = [
        go.Contact("floor", lambda q, t: q[1]),
        go.Contact("first", lambda q, t: q[2] - q[0] - 0.3, restitution=0.7),
        go.Contact("second", lambda q, t: q[3] - q[2] - 0.2, restitution=0.5),
    ]
    return go.System([1.0, 1.0, 0.5, 2.0], lambda q, v, t: np.array([-0.1 * v[0], -9.81, 0.0, 0.0]),
                     contacts=contacts)  # fmt: skip


def rod():
    """Two feet on a line: one rests while the other comes down, and Poisson's law lifts it."""
    feet = [go.Contact(name, lambda q, t, s=s: q[0] + s * q[1], restitution=0.5)
            for name, s in (("left", -1.0), ("right", 1.0))]  # fmt: skip
    return go.System([1.0, 0.2], [-3.0, 0.0], contacts=feet)


CASES = {
    "arm": (arm, [0.2, 0.3], [0.5, 3.0], 0.4, {}),
    "slider": (slider, [0.0, 0.0, 0.5, 0.9], [1.0, 0.0, 0.0, 0.0], 1.2, {}),
    "slider, one after the other": (slider, [0.0, 0.0, 0.5, 0.9], [1.0, 0.0, 0.0, 0.0], 1.2,
                                    {"law": "sequential"}),
    "arm, Poisson": (arm, [0.2, 0.3], [0.5, 3.0], 0.4, {"law": "poisson"}),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_derivatives_are_those_of_differences(name):
    build, q, v, t1, options = CASES[name]
    run = go.simulate(build(), q, v, (0.0, t1), **TIGHT, **options)
    assert run.stats.impacts
    found = go.monodromy(run)
    n = len(q)
    free = np.eye(2 * n)
    if name.startswith("slider"):  # its height is held by the floor
        free = np.delete(free, [1, n + 1], axis=0)
    differences = columns_by_differences(run, free, 3e-4, **options)
    np.testing.assert_allclose(found.matrix @ free.T, differences, atol=2e-7)
    for parameter, change in found.by_parameter.items():
        exact = by_parameter(run, parameter, 3e-4, **options)
        np.testing.assert_allclose(change, exact, atol=2e-7)


@pytest.mark.parametrize("law", ["newton", "poisson"])
def test_a_foot_that_rests_has_its_part_in_the_impact_of_the_other(law):
    long = go.simulate(rod(), [0.2, 0.2], [-0.2, -0.2], (0.0, 0.5), **TIGHT, law=law)
    span = (0.0, long.events[0].t + 0.01)
    run = go.simulate(rod(), [0.2, 0.2], [-0.2, -0.2], span, **TIGHT, law=law)
    (struck,) = [event for event in run.events if event.kind == "impact"]
    assert set(struck.contacts) == {"left", "right"}
    assert all(impulse > 0.0 for impulse in struck.impulses.values())
    d = np.array([1.0, 1.0, 0.0, 0.0]) * 0.5, np.array([0.0, 0.0, 1.0, 1.0]) * 0.5  # left stays
    found = go.monodromy(run)
    differences = columns_by_differences(run, np.array(d), 1e-4, law=law)
    np.testing.assert_allclose(found.matrix @ np.array(d).T, differences, atol=2e-7)


def test_constraints_leave_their_free_directions_only():
    rod = go.Holonomic("rod", lambda q, t: q[0] ** 2 + q[1] ** 2 - 1.0)
    wall = go.Contact("wall", lambda q, t: 0.5 - q[0], restitution=0.8)
    pendulum = go.System([2.0, 2.0], [0.0, -19.62], [rod], [wall])
    angle = -0.6
    run = go.simulate(pendulum, [np.sin(angle), -np.cos(angle)], [0.0, 0.0], (0.0, 1.5), **TIGHT)
    found = go.monodromy(run)
    assert found.basis.shape == (4, 2)

    def polar(y):
        x, v = y[:2], y[2:]
        return np.array([np.arctan2(x[0], -x[1]), -v[0] * x[1] + v[1] * x[0]])

    def swing(phi, rate):
        q = [np.sin(phi), -np.cos(phi)]
        v = [rate * np.cos(phi), rate * np.sin(phi)]
        return polar(end(pendulum, np.array([*q, *v]), 2, (0.0, 1.5), {}))

    h = 1e-4
    exact = np.array([
        (8 * (swing(angle + h, 0.0) - swing(angle - h, 0.0))
         - (swing(angle + 2 * h, 0.0) - swing(angle - 2 * h, 0.0))) / (12 * h),
        (8 * (swing(angle, h) - swing(angle, -h))
         - (swing(angle, 2 * h) - swing(angle, -2 * h))) / (12 * h),
    ]).T  # fmt: skip
    # The same two directions at the start, and the polar coordinates of the end.
    c, s = np.cos(angle), np.sin(angle)
    starts = np.array([[c, s, 0.0, 0.0], [0.0, 0.0, c, s]]).T
    moved = found.matrix @ starts
    y = np.concatenate([run.q[-1], run.v[-1]])
    (x0, x1), (v0, v1) = y[:2], y[2:]
    angle_row = np.array([-x1, x0, 0.0, 0.0])
    rate_row = np.array([v1, -v0, -x1, x0])
    ours = np.array([angle_row @ moved, rate_row @ moved])
    np.testing.assert_allclose(ours, exact, atol=1e-7)


def test_a_velocity_limit_takes_away_what_would_exceed_it():
    limit = go.VelocityLimit("limit", lambda q, v, t: 1.0 - v[0])
    mass = go.System([1.0], [2.0], [limit])
    run = go.simulate(mass, [0.0], [0.0], (0.0, 2.0), **TIGHT)
    assert [event.kind for event in run.events] == ["limit"]
    # The limit is reached 0.5 s (1 - v0) after the start, at q0 + (1 - v0^2) / 4.
    np.testing.assert_allclose(go.monodromy(run).matrix, [[1.0, 0.5], [0.0, 0.0]], atol=1e-9)


def test_a_contact_that_lets_go_is_smooth():
    # A mass on a table that accelerates downwards more and more: it lets go at t = 1.
    table = go.Contact("table", lambda q, t: q[0] + t**3 / 6.0)
    mass = go.System([1.0], [-1.0], contacts=[table])
    run = go.simulate(mass, [0.0], [0.0], (0.0, 2.0), **TIGHT)
    assert [event.kind for event in run.events] == ["release"]
    found = go.monodromy(run)  # all that is held is forgotten; then it falls freely
    np.testing.assert_allclose(found.matrix, [[1.0, 2.0], [0.0, 1.0]], atol=1e-9)


# Where there is no derivative


def test_a_contact_that_grazes_is_named():
    # At w = 3 the free motion has an amplitude of 0.12; the stop is moved exactly there.
    arc = go.Contact("ceiling", lambda q, t: 1.0 - q[0])
    thrown = go.System([1.0], [-2.0], contacts=[arc])
    run = go.simulate(thrown, [0.0], [2.0], (0.0, 1.5), **TIGHT)
    assert [event.kind for event in run.events] in (["graze"], ["impact"])
    with pytest.raises(go.NotSmoothError, match="contact 'ceiling' grazes at t = 1") as caught:
        go.monodromy(run)
    assert caught.value.contacts == ("ceiling",)
    assert caught.value.t == pytest.approx(1.0, abs=1e-6)


def test_two_contacts_at_once_and_accumulations_have_no_derivative():
    corner = [
        go.Contact("floor", lambda q, t: q[1], 0.5),
        go.Contact("wall", lambda q, t: q[0], 0.5),
    ]
    ball = go.System([1.0, 1.0], [0.0, 0.0], contacts=corner)
    run = go.simulate(ball, [1.0, 1.0], [-1.0, -1.0], (0.0, 1.5), **TIGHT)
    with pytest.raises(go.NotSmoothError, match="'floor', 'wall' are reached at once"):
        go.monodromy(run)
    dropped = go.System([1.0], [-9.81], contacts=[go.Contact("floor", lambda q, t: q[0], 0.5)])
    run = go.simulate(dropped, [1.0], [0.0], (0.0, 2.0), **TIGHT)
    with pytest.raises(go.NotSmoothError, match="infinitely many impacts"):
        go.monodromy(run)


def test_what_cannot_be_differentiated_is_said(tmp_path):
    floor = [go.Contact("floor", lambda q, t: q[0], 0.5)]
    branching = go.System([1.0], lambda q, v, t: np.array([-9.81 if q[0] > 0.5 else -9.8]),
                          contacts=floor)  # fmt: skip
    run = go.simulate(branching, [0.4], [0.0], (0.0, 0.35))
    with pytest.raises(go.ModelError, match="cannot be differentiated"):
        go.monodromy(run)
    ball = go.System([1.0], [-9.81], contacts=floor)
    bare = go.simulate(ball, [1.0], [0.0], (0.0, 0.6), dense_output=False)
    with pytest.raises(go.InputError, match="dense output"):
        go.monodromy(bare)
    go.simulate(ball, [1.0], [0.0], (0.0, 0.6)).save(tmp_path / "run.npz")
    with pytest.raises(go.InputError, match="came from a file"):
        go.monodromy(go.load(tmp_path / "run.npz"))

    class Own(go.ImpactLaw):
        def apply(self, impact):
            return go.Newton().apply(impact)

    run = go.simulate(ball, [1.0], [0.0], (0.0, 0.6), law=Own())
    with pytest.raises(go.ModelError, match="derivative of the impact law"):
        go.monodromy(run, law=Own())
    assert go.monodromy(run, law="newton").determinant == pytest.approx(0.25)
