"""Tapes of the compiled engine: CasADi to the last bit, and bounds that no value is outside of."""

import re
from pathlib import Path

import casadi as ca
import numpy as np
import pytest
from tapes import enclosed, evaluated, program, with_tape
from test_interval import ONE, TWO, X, Y, boxes, random_graph

import gauss_opt as go
from gauss_opt.model.enclosure.extension import BINARY, UNARY
from gauss_opt.model.tapes.tape import OPERATIONS, NoProgram, tape_of
from gauss_opt.model.tracing.user_function import flatten_parameters
from gauss_opt.simulation.engine import extension
from gauss_opt.studies.case_files import case_names, find_case

MODULE = extension().module
compiled = pytest.mark.skipif(MODULE is None, reason=str(extension()))
POINTS = 16  # values in each box that are compared with its bounds
NATIVE = Path(__file__).parents[1] / "gauss_opt" / "simulation" / "engine" / "native"
T, P, XY = ca.SX.sym("t"), ca.SX.sym("p", 2), ca.vertcat(X, Y)


def function_of(graph):
    """A function of (x, y), the time and two parameters."""
    y = ca.SX.sym("y", 2)
    return ca.Function("f", [y, T, P], [ca.densify(ca.substitute(graph, XY, y))])


def same_bits(a, b):
    a, b = np.asarray(a, dtype=float).ravel(), np.asarray(b, dtype=float).ravel()
    return np.array_equal(a, b, equal_nan=True) and np.array_equal(np.signbit(a), np.signbit(b))


@compiled
@pytest.mark.parametrize("name", [*ONE, *TWO])
def test_a_tape_is_casadi_to_the_last_bit(name):
    function = function_of({**ONE, **TWO}[name])
    arrays = with_tape(function, [2])
    rng = np.random.default_rng(1)
    for _ in range(100):
        y = rng.normal(size=2) * 10.0 ** rng.uniform(-3, 2)
        y = np.round(y) if rng.random() < 0.2 else y
        found, wanted = evaluated(MODULE, arrays, 1, y, 0.0, [0, 0]), function(y, 0.0, [0, 0])
        assert same_bits(found, np.array(wanted)) or np.isnan(found).all()


@compiled
@pytest.mark.parametrize("seed", range(12))
def test_a_tape_of_a_random_graph_is_casadi_to_the_last_bit(seed):
    rng = np.random.default_rng([3, seed])
    graph = ca.vertcat(*(random_graph(rng, int(rng.integers(2, 9))) for _ in range(5)))
    graph = ca.vertcat(graph, graph[0] * T + P[1], P[0] - T)
    function = function_of(graph)
    arrays = with_tape(function, [2])
    for _ in range(40):
        y, t, p = rng.normal(size=2) * 3, rng.normal(), rng.normal(size=2)
        found, wanted = evaluated(MODULE, arrays, 1, y, t, p), np.array(function(y, t, p)).ravel()
        number = ~np.isnan(wanted)
        assert same_bits(found[number], wanted[number])
        assert np.isnan(found[~number]).all()


@compiled
@pytest.mark.parametrize("name", [*ONE, *TWO])
def test_no_value_is_outside_of_the_bounds_of_a_tape(name):
    graph = {**ONE, **TWO}[name]
    assert _violations(graph, np.random.default_rng([9, len(name)]), 80) == []


@compiled
@pytest.mark.parametrize("seed", range(20))
def test_no_value_of_a_random_graph_is_outside_of_the_bounds_of_its_tape(seed):
    rng = np.random.default_rng([8, seed])
    for _ in range(6):
        graph = random_graph(rng, int(rng.integers(2, 9)))
        assert _violations(graph, rng, 15) == [], graph


def _violations(graph, rng, count):
    """Boxes with a value outside of the bounds."""
    function = function_of(graph)
    arrays = with_tape(function, [2])
    found = []
    for low, high in boxes(rng, count):
        lo, hi = enclosed(MODULE, arrays, 1, low, high, 0.0, [0, 0])
        points = np.clip(low + (high - low) * rng.uniform(0, 1, (POINTS, 2)), low, high)
        points[:4] = [low, high, [low[0], high[1]], [high[0], low[1]]]
        values = np.array([evaluated(MODULE, arrays, 1, y, 0.0, [0, 0])[0] for y in points])
        values = values[np.isfinite(values)]
        if len(values) and not (lo[0] <= values.min() and values.max() <= hi[0]):
            found.append((low, high, lo, hi))
    return found


@compiled
@pytest.mark.parametrize("name", case_names())
def test_the_program_of_a_case_has_the_numbers_of_its_system(name):
    """Mass, force, kinematics and rows at random states, bit for bit."""
    case = find_case(name)().build()
    system = case.system
    nq, nv = len(case.q0), len(case.v0)
    dynamics = system.dynamics(nv)
    try:
        arrays = program(system, nv).arrays
    except NoProgram as error:
        pytest.skip(str(error))
    p, layout = flatten_parameters(system.parameters), dynamics.layout
    rng = np.random.default_rng(5)
    for _ in range(4):
        q = np.array(case.q0) + 0.1 * rng.normal(size=nq)
        v, t = np.array(case.v0) + rng.normal(size=nv), float(rng.uniform(0, 3))
        values = dynamics.evaluate(q, v, t, system.parameters)
        out = evaluated(MODULE, arrays, 0, np.concatenate([q, v]), t, p)
        parts = [] if dynamics.constant_mass is not None else [values.mass.ravel()]
        parts.append(values.force)
        if arrays.header[8]:
            parts += [values.qdot, dynamics.velocity_map(q, t, system.parameters).ravel()]
        ne = layout.equalities.stop
        rows = values.jacobian.dense
        for i in range(ne):
            parts.append(rows[i, arrays.columns[arrays.starts[i] : arrays.starts[i + 1]]])
        parts += [values.rhs[:ne], values.value[:ne], values.rate[:ne]]
        assert np.array_equal(out, np.concatenate(parts))
        for i, function in enumerate(arrays.functions.tolist()):
            point, coords, n, columns, k, *_ = function
            y = np.concatenate([q, v])[arrays.indices[coords : coords + n]]
            found = evaluated(MODULE, arrays, point, y, t, p)
            row = ne + i
            entries = rows[row, arrays.indices[columns : columns + k]]
            wanted = [values.value[row], values.rate[row], values.rhs[row], *entries]
            assert np.array_equal(found, wanted)


def test_both_lists_of_operations_are_the_same():
    text = (NATIVE / "tape" / "tape.h").read_text()
    listed = text.partition("enum Operation {")[2].partition("N_OPERATIONS")[0]
    assert tuple(re.findall(r"OP_(\w+)", listed)) == OPERATIONS


def test_every_operation_with_bounds_is_known():
    known = {getattr(ca, f"OP_{name}") for name in OPERATIONS[5:]}
    assert {*UNARY, *BINARY} <= known


def test_an_unknown_operation_is_refused_by_name():
    y = ca.SX.sym("y")
    with pytest.raises(NoProgram, match="'erfinv', which the engine does not know"):
        tape_of(ca.Function("f", [y, T, P], [ca.erfinv(y)]), [1])


def test_rows_of_one_form_share_their_tapes():
    pairs = [(i, j) for i in range(8) for j in range(i)]
    contacts = [
        go.Contact(f"{i}-{j}", lambda q, t, i=i, j=j: (q[i] - q[j]) ** 2 - 0.1) for i, j in pairs
    ]
    arrays = program(go.System(np.ones(8), contacts=contacts), 8).arrays
    assert len(arrays.functions) == 28
    assert len(arrays.tapes) == 3  # the smooth part, the row, and its guard


def test_a_program_is_made_once_and_for_all_parameters():
    def system(k):
        return go.System([1.0], lambda q, v, t, k: -k * q, parameters={"k": k})

    one = system(1.0)
    assert program(one, 1) is program(one, 1)
    assert not any(array.flags.writeable for array in program(one, 1).arrays)
    other = system(2.0)
    assert np.array_equal(program(one, 1).arrays.code, program(other, 1).arrays.code)


REASONS = {
    "the force cannot be traced": lambda: go.System(
        [1.0], lambda q, v, t: np.array([np.interp(q[0], [0, 1], [0, 1])])
    ),
    "it has a non-ideal force": lambda: go.System([1.0], nonideal=lambda q, v, t: -v),
    "'floor' has derivatives by hand": lambda: go.System(
        [1.0],
        contacts=[
            go.Contact(
                "floor",
                lambda q, t: q[0],
                jacobian=lambda q, t: [1.0],
                bias=lambda q, v, t: 0.0,
            )
        ],
    ),
    "'floor' can be switched off": lambda: go.System(
        [1.0], contacts=[go.Contact("floor", lambda q, t: q[0], active_when=lambda q, v, t: t > 1)]
    ),
    "a contact has friction": lambda: go.System(
        [1.0, 1.0],
        contacts=[go.Contact("floor", lambda q, t: q[0], friction=0.3, slip=lambda q, v, t: v[1])],
    ),
}


@pytest.mark.parametrize("reason", REASONS)
def test_a_system_without_a_program_says_why(reason):
    with pytest.raises(NoProgram, match=reason):
        program(REASONS[reason](), 2 if "friction" in reason else 1)
