"""The sources of numbers: traced, by hand, and one that is neither."""

import numpy as np
import pytest

import gauss_opt as go
from gauss_opt.base.row_matrix import DenseRows, RowPattern, SparseRows
from gauss_opt.model import rows as row_table
from gauss_opt.model.coefficients import Coefficients
from gauss_opt.model.dynamics import Values
from gauss_opt.model.switches import Switches
from gauss_opt.model.tracing import buffered, traced

SEEDS = range(5)


def pendulum(by_hand):
    """A bead on a rod above a floor that moves; the rod and the floor traced or by hand."""
    rod, floor = {}, {}
    if by_hand:
        rod = {
            "jacobian": lambda q, t: 2 * q,
            "bias": lambda q, v, t: 2 * v @ v,
        }
        floor = {
            "jacobian": lambda q, t: [0.0, 1.0],
            "bias": lambda q, v, t: 0.1 * np.sin(t),
            "time_derivative": lambda q, t: -0.1 * np.cos(t),
        }
    return go.System(
        [1.0, 2.0],
        lambda q, v, t: np.array([-0.1 * v[0], -9.81]),
        [go.Holonomic("rod", lambda q, t: q @ q - 1.0, **rod)],
        [go.Contact("floor", lambda q, t: q[1] + 0.9 - 0.1 * np.sin(t), 0.5, **floor)],
    )


@pytest.mark.parametrize("seed", SEEDS)
def test_derivatives_by_hand_give_the_numbers_of_the_trace(seed):
    rng = np.random.default_rng(seed)
    states, times = rng.normal(size=(6, 4)), rng.uniform(0, 5, 6)
    one, other = (pendulum(by_hand).dynamics(2) for by_hand in (False, True))
    for y, t in zip(states, times, strict=True):
        q, v = y[:2].copy(), y[2:].copy()
        for a, b in zip(one.evaluate(q, v, t, {}), other.evaluate(q, v, t, {}), strict=True):
            if isinstance(a, DenseRows):
                a, b = a.dense, b.dense
            assert a is b is None or np.allclose(a, b, rtol=1e-13, atol=1e-14)
        for row in (0, 1):
            expected = one.gap_and_rate(row, y, t, {})
            assert np.allclose(other.gap_and_rate(row, y, t, {}), expected, rtol=1e-13, atol=1e-14)
    for rows in (np.array([0, 1]), np.array([1])):
        for a, b in zip(one.sample(rows, states, times, {}), other.sample(rows, states, times, {}),
                        strict=True):  # fmt: skip
            assert a.shape == (6, len(rows))
            assert np.allclose(a, b, rtol=1e-13, atol=1e-14)


def test_a_run_with_derivatives_by_hand_has_the_events_of_the_traced_one():
    angle = 0.3
    q0 = [np.sin(angle), np.cos(angle)]
    one, other = (go.simulate(pendulum(h), q0, [0.0, 0.0], (0.0, 6.0)) for h in (False, True))
    assert len(one.events) > 20
    for a, b in zip(one.events[:10], other.events[:10], strict=True):
        assert a.kind == b.kind
        assert a.t == pytest.approx(b.t, abs=1e-10)


def many_by_hand(calls):
    """A constraint of three rows and a contact of four, traced apart from their derivatives."""
    S = np.random.default_rng(3).normal(size=(7, 4))

    def gaps(q, t):
        return S[3:] @ q + 0.5 * (q @ q)

    def jacobian(q, t):
        calls.append(t)
        return S[3:] + q

    walls = go.Contact(
        "walls", gaps, 0.5, jacobian=jacobian, bias=lambda q, v, t: (v @ v) * np.ones(4)
    )
    rods = go.Holonomic(
        "rods",
        lambda q, t: S[:3] @ q,
        jacobian=lambda q, t: S[:3],
        bias=lambda q, v, t: np.zeros(3),
    )
    return go.System(np.ones(4), np.zeros(4), [rods], [walls])


def test_samples_of_a_vector_by_hand_evaluate_it_once_at_each_state():
    calls = []
    dynamics = many_by_hand(calls).dynamics(4)
    rng = np.random.default_rng(5)
    states, times = rng.normal(size=(6, 8)), rng.uniform(0, 5, 6)
    for rows in (np.array([3, 4, 5, 6]), np.array([6, 1, 4]), np.array([2])):
        calls.clear()
        values, rates = dynamics.sample(rows, states, times, {})
        assert len(calls) == (6 if (rows > 2).any() else 0)
        for k, (y, t) in enumerate(zip(states, times.tolist(), strict=True)):
            alone = [dynamics.gap_and_rate(row, y, t, {}) for row in rows.tolist()]
            assert list(zip(values[k], rates[k], strict=True)) == alone


class FallingBall:
    """A ball above a floor without any tracing: the protocol is all that a run needs."""

    nq = nv = 1
    needs_ideal_force = False
    enclosures = programs = energy_graphs = variation_graphs = None

    def __init__(self, contact):
        self.layout = row_table.RowTable.of([(contact, 1, True)])
        self.constant_mass = np.array([[2.0]])
        self.switches = Switches(self.layout, {})

    def evaluate(self, q, v, t, parameters):
        weight = np.array([-9.81 * 2.0])
        rows = DenseRows(np.array([[1.0]]))
        return Values(self.constant_mass, weight, None, rows, np.zeros(1), q.copy(), v.copy(), v)

    def smooth(self, held):
        return None

    def free_motion(self):
        return None

    def gap_and_rate(self, row, y, t, parameters):
        return float(y[0]), float(y[1])

    def sample(self, rows, states, times, parameters):
        return states[:, :1], states[:, 1:]

    def velocity_map(self, q, t, parameters):
        return None

    def watch(self, q, v, t, parameters):
        pass


def test_any_source_of_numbers_can_be_simulated():
    floor = go.Contact("floor", lambda q, t: q[0], restitution=0.5)
    system = go.System([2.0], [-19.62], contacts=[floor])
    traced_run = go.simulate(system, [1.0], [0.0], (0.0, 2.0))
    system._dynamics[1] = FallingBall(floor)
    run = go.simulate(system, [1.0], [0.0], (0.0, 2.0))
    assert [e.kind for e in run.events] == [e.kind for e in traced_run.events]
    assert [e.t for e in run.events] == pytest.approx([e.t for e in traced_run.events], rel=1e-12)
    assert run.events[0].t == pytest.approx(np.sqrt(2 / 9.81), rel=1e-13)
    assert run.multipliers["floor"][-1] == pytest.approx(19.62, rel=1e-13)


def beads(n, seed=0):
    """Beads on a line that push each other, some joined by rods: sparse rows of all kinds."""
    rng = np.random.default_rng(seed)

    def apart(i, j):
        return lambda q, t: q[j] - q[i] - 0.1 * np.sin(q[i]) ** 2 - 0.1

    contacts = [go.Contact(f"{i}-{i + 1}", apart(i, i + 1), 0.5) for i in range(n - 1)]
    rods = [go.Holonomic("rod", lambda q, t: q[3] - q[0] - 1.5 + 0.01 * q[1] ** 2)]
    limit = go.VelocityLimit("limit", lambda q, v, t: 50.0 - v[2] ** 2)
    system = go.System(
        rng.uniform(0.5, 2.0, n),
        lambda q, v, t: -5.0 * (q - 0.3 * np.arange(n)) + np.sin(3 * t),
        [*rods, limit],
        contacts,
    )
    return system, 0.5 * np.arange(n), rng.normal(size=n)


@pytest.mark.parametrize("seed", SEEDS)
def test_nonzeros_give_the_numbers_of_the_whole_matrix(seed, monkeypatch):
    n = 12
    rng = np.random.default_rng(seed)
    system, *_ = beads(n, seed)
    dense = system.dynamics(n)
    monkeypatch.setattr("gauss_opt.base.row_matrix.FEW_ENTRIES", 0)
    monkeypatch.setattr(traced, "FEW_NUMBERS", 0)
    system, *_ = beads(n, seed)
    sparse = system.dynamics(n)
    q, v, t = rng.normal(size=n), rng.normal(size=n), 0.7
    a, b = dense.evaluate(q, v, t, {}), sparse.evaluate(q, v, t, {})
    assert isinstance(a.jacobian, DenseRows)
    assert isinstance(b.jacobian, SparseRows)
    assert (a.jacobian.dense == b.jacobian.dense).all()
    assert (a.rhs == b.rhs).all()
    held = np.array([0, 3, 7])
    y = np.concatenate([q, v])
    for whole, part in zip(dense.smooth(held)(y, t, {}), sparse.smooth(held)(y, t, {}),
                           strict=True):  # fmt: skip
        assert (whole == part).all()
    for row in range(dense.layout.n_rows):
        assert dense.gap_and_rate(row, y, t, {}) == sparse.gap_and_rate(row, y, t, {})


def test_a_run_on_nonzeros_is_the_run_on_the_whole_matrix(monkeypatch):
    system, q, v = beads(12)
    q, v = go.assemble(system, q, v)
    before = go.simulate(system, q, v, (0.0, 1.0))
    monkeypatch.setattr("gauss_opt.base.row_matrix.FEW_ENTRIES", 0)
    monkeypatch.setattr(traced, "FEW_NUMBERS", 0)
    system, *_ = beads(12)
    after = go.simulate(system, q, v, (0.0, 1.0))
    assert len(before.events) > 5
    assert [e.contacts for e in before.events] == [e.contacts for e in after.events]
    times = [[e.t for e in run.events] for run in (before, after)]
    assert times[0] == pytest.approx(times[1], abs=1e-11)


def test_functions_of_single_rows_are_bounded_and_the_oldest_is_dropped(monkeypatch):
    monkeypatch.setattr(buffered, "MOST_ROW_FUNCTIONS", 3)
    system, q, v = beads(8)
    dynamics, y = system.dynamics(8), np.concatenate([q, v])
    values, rates = dynamics.sample(np.arange(9), y[None], np.array([0.2]), {})
    for row in (0, 1, 2, 1, 3, 4, 0, 8):
        assert dynamics.gap_and_rate(row, y, 0.2, {}) == (values[0, row], rates[0, row])
        assert len(dynamics._row_rates._kept) <= 3
    assert list(dynamics._row_rates._kept) == [4, 0, 8]


@pytest.mark.parametrize("seed", SEEDS)
def test_sparse_rows_are_the_matrix(seed):
    rng = np.random.default_rng(seed)
    m, n = 30, 17
    full = rng.normal(size=(m, n)) * (rng.random((m, n)) < 0.15)
    full[[0, 5, m - 1]] = 0.0  # empty rows, at both ends as well
    rows, columns = np.nonzero(full)
    sparse = SparseRows(RowPattern.of(rows, columns, (m, n)), full[rows, columns])
    x = rng.normal(size=n)
    assert (sparse.dense == full).all()
    assert np.allclose(sparse.dot(x), full @ x, rtol=1e-13, atol=1e-14)
    assert np.allclose(sparse.sizes(np.abs(x)), np.abs(full) @ np.abs(x), rtol=1e-13)
    assert np.allclose(sparse.squares(np.abs(x)), full**2 @ np.abs(x), rtol=1e-13)
    blocks = [
        (slice(1, 2), np.ones(np.count_nonzero(full[1]))),
        (slice(5, 7), 0 * full[6][full[6] != 0]),
    ]
    changed = full.copy()
    changed[1][full[1] != 0], changed[6] = 1.0, 0.0
    assert (sparse.replaced(blocks).dense == changed).all()
    assert (sparse.dense == full).all()
    for chosen in (np.arange(m), np.array([5, 0, 7, 7]), np.arange(0)):
        assert (sparse.take(chosen) == full[chosen]).all()


def test_tables_of_ten_thousand_contacts_take_megabytes():
    contacts = [go.Contact(f"c{i}", lambda q, t: q[0], restitution=0.5) for i in range(10_000)]
    table = row_table.RowTable.of([(contact, 1, True) for contact in contacts])
    e = Coefficients.of(table, {}).restitution
    arrays = [table.kind, table.block_of, table.on_velocity, e, table.block_starts]
    assert sum(array.nbytes for array in arrays) < 1e6
    assert table.block("c9999").rows == slice(9_999, 10_000)
    assert table.block_at(1234).name == "c1234"
    pattern = RowPattern.of(np.arange(10_000), np.arange(10_000) % 280, (10_000, 280))
    assert pattern.worthwhile
    assert pattern.starts.nbytes + pattern.columns.nbytes < 1e6


def test_the_table_says_what_each_row_is():
    system = go.System(
        [1.0, 1.0],
        [0.0, 0.0],
        [
            go.VelocityLimit("limit", lambda q, v, t: 1.0 - v[0]),
            go.Servo("servo", lambda q, t: q[0] - t, frequency=1.0),
            go.Nonholonomic("blade", lambda q, v, t: v[1] - v[0]),
            go.Holonomic("rod", lambda q, t: q[1]),
        ],
        [go.Contact("feet", lambda q, t: q + 1.0, restitution=[0.1, 0.2])],
    )
    table = system.dynamics(2).layout
    Kind = row_table.Kind
    assert table.kind.tolist() == [Kind.SERVO, Kind.NONHOLONOMIC, Kind.HOLONOMIC, Kind.CONTACT,
                                   Kind.CONTACT, Kind.LIMIT]  # fmt: skip
    assert table.names == ("servo", "blade", "rod", "feet", "feet", "limit")
    assert table.on_velocity.tolist() == [False, True, False, False, False, True]
    restitution = system.coefficients(table).restitution
    assert restitution.tolist() == [0.0, 0.0, 0.0, 0.1, 0.2, 0.0]
    assert table.bilateral.tolist() == [1, 2]
    position, velocity = table.held(np.array([4, 0, 2, 1]))
    assert (position.tolist(), velocity.tolist()) == ([2, 4], [1, 2, 4])
    with pytest.raises(go.ModelError, match="no constraint is called 'arm'; choose from: servo"):
        table.block("arm")


@pytest.mark.parametrize("k", [1, 2, 3])
@pytest.mark.parametrize("depends_on", [1, 2, 4])
@pytest.mark.parametrize("kind", ["contact", "holonomic", "nonholonomic", "limit"])
def test_vector_functions_of_any_number_of_coordinates_are_differentiated(kind, depends_on, k):
    rng = np.random.default_rng([k, depends_on])
    A = rng.normal(size=(k, depends_on))

    def of_q(q, t):
        return A @ (q[:depends_on] - 1.0)

    def of_v(q, v, t):
        return A @ (v[:depends_on] - 1.0)

    item = {
        "contact": lambda: go.Contact("it", of_q),
        "holonomic": lambda: go.Holonomic("it", of_q),
        "nonholonomic": lambda: go.Nonholonomic("it", of_v),
        "limit": lambda: go.VelocityLimit("it", of_v),
    }[kind]()
    which = {"contacts" if kind == "contact" else "constraints": [item]}
    system = go.System(np.ones(4), np.zeros(4), **which)
    snapshot = go.evaluate(system, rng.normal(size=4), rng.normal(size=4))
    expected = np.zeros((k, 4))
    expected[:, :depends_on] = A
    assert np.allclose(snapshot.rows, expected, rtol=1e-13)
