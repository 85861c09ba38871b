"""Orders of accuracy, long runs and many impacts."""

import tracemalloc

import numpy as np
import pytest
from numpy.testing import assert_allclose

import gauss_opt as go

G = 9.81


def pendulum():
    return go.System(
        [1.0, 1.0],
        [0.0, -G],
        constraints=[go.Holonomic("rod", lambda q, t: q[0] ** 2 + q[1] ** 2 - 1.0)],
        potential=lambda q, t: G * q[1],
    )


def swing(t1, **options):
    return go.simulate(pendulum(), [1.0, 0.0], [0.0, 0.0], (0, t1), **options)


def observed_order(sizes, errors):
    return np.polyfit(np.log(sizes), np.log(errors), 1)[0]


# Fixed steps: loose tolerances never reject, and max_step holds them at h.
FIXED = {
    "RK23": (3, 2.0 ** -np.arange(5, 9)),
    "RK45": (5, 2.0 ** -np.arange(4, 8)),
    "DOP853": (8, 2.0 ** -np.arange(3, 6)),
}


@pytest.mark.parametrize("method", FIXED)
def test_a_constrained_motion_converges_at_the_order_of_its_integrator(method):
    order, sizes = FIXED[method]
    exact = swing(1.0, rtol=1e-13).q[-1]
    errors = []
    for h in sizes:
        result = swing(1.0, method=method, rtol=0.9, atol=1e3, max_step=h, first_step=h)
        assert result.stats.steps <= 1.0 / h + 3
        errors.append(np.linalg.norm(result.q[-1] - exact))
    assert observed_order(sizes, errors) > order - 0.4


@pytest.mark.parametrize("method", FIXED)
def test_event_times_converge_at_the_order_of_the_integrator(method):
    """A pendulum strikes a wall below its support."""
    order, sizes = FIXED[method]
    system = go.System(
        [1.0, 1.0],
        [0.0, -G],
        constraints=[go.Holonomic("rod", lambda q, t: q[0] ** 2 + q[1] ** 2 - 1.0)],
        contacts=[go.Contact("wall", lambda q, t: q[0] + 0.3, 0.5)],
    )

    def struck(**options):
        result = go.simulate(system, [1.0, 0.0], [0.0, 0.0], (0, 1.0), **options)
        return next(event.t for event in result.events if event.kind == "impact")

    exact = struck(rtol=1e-13)
    errors = [
        abs(struck(method=method, rtol=0.9, atol=1e3, max_step=h, first_step=h) - exact)
        for h in sizes
    ]
    assert observed_order(sizes, np.maximum(errors, 1e-15)) > order - 0.5


def test_a_pendulum_stays_on_its_circle_for_a_hundred_seconds():
    errors = {}
    for rtol in (1e-6, 1e-8):
        result = swing(100.0, rtol=rtol)
        assert np.abs(result.values["rod"]).max() < 1e-9
        assert np.abs(result.rows["rates"]).max() < 1e-9 * 5
        assert result.stats.worst_drift < 1e-9
        total = 0.5 * (result.v**2).sum(axis=1) + G * result.q[:, 1]
        errors[rtol] = np.abs(total - total[0]).max() / G
    assert errors[1e-8] < 1e-5
    assert errors[1e-6] < 1e-3
    assert errors[1e-8] < 0.1 * errors[1e-6]


def test_dense_output_stays_on_the_circle_too():
    result = swing(5.0, rtol=1e-6)
    for t in np.linspace(0.1, 4.9, 37):
        state = result(float(t))
        assert abs(state.q @ state.q - 1.0) < 1e-9
        assert abs(state.q @ state.v) < 1e-8


def test_ten_thousand_elastic_impacts_keep_the_energy_and_little_memory():
    system = go.System([1.0], [-G], contacts=[go.Contact("floor", lambda q, t: q[0], 1.0)])
    period = 2 * np.sqrt(2 / G)
    n = 10_000
    marks = []

    def watch(share, stepper):
        if stepper.stats.impacts in (200, 600) and len(marks) <= stepper.stats.impacts // 400:
            marks.append(tracemalloc.get_traced_memory()[0])
            if len(marks) == 2:
                tracemalloc.stop()

    tracemalloc.start()
    result = go.simulate(
        system, [1.0], [0.0], (0, (n - 0.1) * period), dense_output=False, progress=watch
    )
    assert result.success
    assert len(result.events) == n
    assert {event.kind for event in result.events} == {"impact"}
    assert (marks[1] - marks[0]) / 400 < 12_000
    energy = 0.5 * result.v[:, 0] ** 2 + G * result.q[:, 0]
    assert_allclose(energy, G, rtol=1e-6)
    exact = period / 2 + period * np.arange(n)
    assert_allclose([event.t for event in result.events], exact, rtol=1e-7)
    assert result.gaps["floor"].min() >= -1e-9
