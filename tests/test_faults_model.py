"""Bad models and bad inputs: each is refused with what, where, and what to write instead."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import gauss_opt as go

HERE = ([0.5, 0.25], [1.0, 2.0], 3.0)


def with_force(force):
    return go.System([1.0, 1.0], force)


def with_phi(phi, **by_hand):
    return go.System([1.0, 1.0], None, [go.Holonomic("link", phi, **by_hand)])


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_fault_01_a_state_or_parameter_that_is_not_finite_is_named(bad):
    system = with_force(lambda q, v, t: -q)
    with pytest.raises(go.InputError, match=rf"q\[1\] is {bad}: every entry must be finite"):
        go.evaluate(system, [0.0, bad], [0.0, 0.0])
    with pytest.raises(go.InputError, match=rf"v\[0\] is {bad}"):
        go.evaluate(system, [0.0, 0.0], [bad, 0.0])
    with pytest.raises(go.InputError, match=rf"t is {bad}"):
        go.evaluate(system, [0.0, 0.0], [0.0, 0.0], bad)
    with pytest.raises(go.InputError, match=rf"parameter 'k'\[2\] is {bad}"):
        go.System([1.0], parameters={"k": [1.0, 2.0, bad]})
    with pytest.raises(go.InputError, match=rf"parameter 'g' is {bad}"):
        go.System([1.0], parameters={"g": 1.0}).with_parameters(g=bad)
    with pytest.raises(go.InputError, match=rf"mass\[0\] is {bad}"):
        go.System([bad])


@pytest.mark.parametrize("traced", [True, False])
def test_fault_02_a_force_that_is_not_finite_names_function_and_state(traced):
    def force(q, v, t):
        wall = (lambda x: 1.0 / x) if traced else (lambda x: 1.0 / float(x))
        with np.errstate(all="ignore"):
            return np.array([wall(q[0] - 0.5), 0.0])

    if not traced:
        force_traced = force
        force = lambda q, v, t: np.where(q > 0.4, np.nan, force_traced(q + 1, v, t))  # noqa: E731
    with pytest.raises(go.UserFunctionError, match=r"force.*not finite") as caught:
        go.evaluate(with_force(force), *HERE)
    assert caught.value.function == "force"
    assert caught.value.t == 3.0
    for part in ("0.5", "0.25", "t=3"):
        assert part in str(caught.value)


@pytest.mark.parametrize(
    ("phi", "what"),
    [
        (lambda q, t: np.log(q[0] - 0.5), "value"),
        (lambda q, t: np.sqrt(q[0] - 0.5), "(normal|rate)"),
    ],
)
def test_fault_02_a_constraint_that_is_not_finite_is_named(phi, what):
    message = f"the {what} of Holonomic 'link' is not finite .* at t=3"
    with pytest.raises(go.UserFunctionError, match=message):
        go.evaluate(with_phi(phi), *HERE)


def test_fault_03_what_a_function_raises_is_chained_with_time_and_name():
    def force(q, v, t):
        if float(t) > 2.0:
            raise KeyError("no data")
        return np.zeros(2)

    with pytest.raises(go.UserFunctionError, match=r"force raised KeyError: 'no data'.*t=3") as e:
        go.evaluate(with_force(force), *HERE)
    assert isinstance(e.value.__cause__, KeyError)

    def bias(q, v, t):
        raise ZeroDivisionError("oops")

    system = with_phi(lambda q, t: float(q[0]), jacobian=lambda q, t: [1.0, 0.0], bias=bias)
    with pytest.raises(go.UserFunctionError, match="bias of Holonomic 'link' raised ZeroDiv") as e:
        go.evaluate(system, *HERE)
    assert (e.value.function, e.value.t) == ("bias of Holonomic 'link'", 3.0)


def test_fault_03_arguments_are_read_only():
    def force(q, v, t):
        q[0] = 0.0
        return -q

    with pytest.raises(go.UserFunctionError, match=r"force raised ValueError.*read-only"):
        go.evaluate(with_force(force), *HERE)
    given = np.array(HERE[0])
    snapshot = go.evaluate(with_force(lambda q, v, t: -q), given, HERE[1])
    given[0] = 9.0  # the caller's own array stays the caller's
    assert snapshot.q[0] == 0.5


def test_fault_03_a_returned_array_that_changes_later_was_copied():
    kept = np.zeros(2)

    def force(q, v, t):
        kept[:] = float(q[0])
        return kept

    system = with_force(force)
    first = go.evaluate(system, [1.0, 0.0], [0.0, 0.0])
    go.evaluate(system, [7.0, 0.0], [0.0, 0.0])
    assert_allclose(first.force, 1.0)


def test_fault_03_a_function_that_changes_its_mind_is_found_at_a_power_of_two():
    state = {"stiffness": 1.0}
    system = with_phi(lambda q, t: state["stiffness"] * q[0] - 1.0)
    for _ in range(5):
        go.evaluate(system, *HERE)
    state["stiffness"] = 2.0
    go.evaluate(system, *HERE)
    go.evaluate(system, *HERE)
    with pytest.raises(go.TraceError, match=r"phi of Holonomic 'link' gives 0\. when called but"):
        go.evaluate(system, *HERE)  # the eighth


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (1j * np.ones(2), "force must return real numbers, got dtype complex128"),
        (None, r"force must return real numbers, got dtype object \(None\)"),
        (np.array([None, 1.0]), "got dtype object"),
        ("up", "force must return real numbers"),
        ([[1.0, 2.0], [3.0]], "force returned a ragged list"),
        (np.zeros(3), r"force must return shape \(2,\), got \(3,\)"),
        (np.zeros((2, 1)), r"force must return shape \(2,\), got \(2, 1\)"),
        (1.0, r"force must return shape \(2,\), got \(\)"),
    ],
)
def test_fault_04_wrong_shapes_and_types_are_refused_at_the_start(value, message):
    with pytest.raises(ValueError, match=message) as caught:
        with_force(lambda q, v, t: value)
    assert isinstance(caught.value, go.GaussError)


@pytest.mark.parametrize("value", [[1, 2], (1.0, 2), np.array([1, 2]), np.float32([1, 2])])
def test_fault_04_lists_and_integers_are_converted(value):
    assert_allclose(go.evaluate(with_force(lambda q, v, t: value), *HERE).force, [1.0, 2.0])
    assert_allclose(go.System([1.0, 1.0], value).force, [1.0, 2.0])


def test_fault_04_states_and_masses_of_the_wrong_shape():
    system = with_force(None)
    with pytest.raises(go.InputError, match=r"q must have shape \(2,\), got \(3,\)"):
        go.evaluate(system, np.zeros(3), np.zeros(2))
    with pytest.raises(go.InputError, match=r"v must have shape \(2,\), got \(1,\)"):
        go.evaluate(system, np.zeros(2), np.zeros(1))
    with pytest.raises(go.InputError, match="t must be a number, got shape"):
        go.evaluate(system, np.zeros(2), np.zeros(2), np.zeros(1))
    with pytest.raises(go.InputError, match="q must hold real numbers, got dtype complex"):
        go.evaluate(system, [1j, 0], np.zeros(2))
    with pytest.raises(go.InputError, match=r"square matrix, got shape \(2, 3\)"):
        go.System(np.ones((2, 3)))
    with pytest.raises(go.ModelError, match=r"mass must return shape \(2, 2\), got \(3,\)"):
        go.System(lambda q, t: np.ones(3), np.zeros(2), nv=2)
    with pytest.raises(go.InputError, match=r"mass must return a number, shape.*got \(3,\)"):
        go.System(lambda q, t: [1.0, 1.0, float(t)], np.zeros(2), nv=2)
    with pytest.raises(go.ModelError, match="phi of Holonomic 'link' must return a number or a ve"):
        with_phi(lambda q, t: q.reshape(2, 1))


@pytest.mark.parametrize("value", [np.array([True, False]), None, 0.5, np.nan])
def test_fault_04_a_condition_must_be_true_or_false(value):
    floor = go.Contact("floor", lambda q, t: q[0], active_when=lambda q, v, t: value)
    with pytest.raises(go.InputError, match="active_when of Contact 'floor' must return True"):
        go.evaluate(go.System([1.0], contacts=[floor]), [0.0], [0.0])


@pytest.mark.parametrize("heavy", [1.0, 1e12])
def test_fault_05_an_asymmetric_mass_shows_the_largest_difference(heavy):
    mass = np.diag([heavy, 1.0, 1.0])
    mass[1, 2], mass[2, 1] = 0.5, 0.1
    message = r"entry \(1, 2\) is 0.5 but entry \(2, 1\) is 0.1, a difference of 0.4"
    with pytest.raises(go.InputError, match=message):
        go.System(mass)
    with pytest.raises(go.InputError, match="mass .at t=2.*" + message):
        go.evaluate(go.System(lambda q, t: mass, np.zeros(3), nv=3), np.ones(3), np.ones(3), 2.0)


def test_fault_05_round_off_is_symmetrised():
    mass = np.array([[2.0, 0.3], [0.3 * (1 + 1e-15), 1.0]])
    for given in (mass, lambda q, t: mass):
        M = go.evaluate(go.System(given, np.zeros(2), nv=2), *HERE).mass
        assert_allclose(M, M.T, rtol=0, atol=0)


@pytest.mark.parametrize("heavy", [1.0, 1e13])
def test_fault_06_an_indefinite_mass_shows_eigenvalue_and_direction(heavy):
    message = r"indefinite: its smallest eigenvalue is -0.5, in the direction \+1 along coordinate"
    with pytest.raises(go.InputError, match="mass is " + message):
        go.System([heavy, -0.5])
    with pytest.raises(go.InputError, match=r"mass \(at t=3\) is " + message):
        go.evaluate(go.System(lambda q, t: [heavy, -0.5], np.zeros(2), nv=2), *HERE)


def test_fault_06_a_mass_that_turns_indefinite_on_the_way_says_when():
    system = go.System(lambda q, t: np.array([1.0, 1.0 - t]), np.zeros(2), nv=2)
    for _ in range(2):
        go.accelerate(system, [0.0, 0.0], [0.0, 0.0])
    message = r"mass \(at t=1.5.*smallest eigenvalue is -0.5, in the direction"
    with pytest.raises(go.InputError, match=message):
        go.accelerate(system, [0.0, 0.0], [0.0, 0.0], 1.5)


def test_fault_07_a_singular_mass_is_solved_when_the_constraints_hold_it():
    tie = go.Holonomic("tie", lambda q, t: q[0] - q[1])
    a = go.accelerate(go.System([2.0, 0.0], [6.0, 0.0], [tie]), [0.0, 0.0], [0.0, 0.0])
    assert_allclose(a.acceleration, [3.0, 3.0])
    free = go.Holonomic("tie", lambda q, t: q[0])
    with pytest.raises(go.MassError, match=r"massless direction \(\+1 along coordinate 1\)"):
        go.accelerate(go.System([2.0, 0.0], [6.0, 0.0], [free]), [0.0, 0.0], [0.0, 0.0])


def test_fault_12_a_contact_without_a_normal_is_named():
    flat = go.Contact("flat", lambda q, t: q[0] ** 3)
    message = r"normal of Contact 'flat' is zero at t=3, q="
    with pytest.raises(go.ModelError, match=message):
        go.accelerate(go.System([1.0], contacts=[flat]), [0.0], [0.0], 3.0)
    cusp = go.Contact("cusp", lambda q, t: np.sqrt(q[0] ** 2 + q[1] ** 2) - 0.5)
    with pytest.raises(go.UserFunctionError, match=r"Contact 'cusp' is not finite .nan. at t=3"):
        go.accelerate(go.System([1.0, 1.0], contacts=[cusp]), [0.0, 0.0], [0.0, 1.0], 3.0)


@pytest.mark.parametrize(
    "e", [-0.1, 1.1, np.nan, np.inf, None, 1j, [0.5, 2.0], [[1], [1, 2]], ["high", "low"]]
)
def test_fault_21_restitution_outside_its_range_is_refused(e):
    with pytest.raises(go.ModelError, match="Contact 'floor': restitution must be between 0 and 1"):
        go.Contact("floor", lambda q, t: q[0], restitution=e)


def test_fault_28_unknown_names_list_the_known_ones():
    floor = go.Contact("floor", lambda q, t: q[0])
    system = go.System([1.0], contacts=[floor], parameters={"g": 1.0, "mu": 0.2})
    with pytest.raises(go.InputError, match=r"unknown parameter 'k'; choose from: g, mu"):
        system.with_parameters(k=2.0)
    with pytest.raises(go.InputError, match=r"parameter 'g' has shape \(\), got \(2,\)"):
        system.with_parameters(g=[1.0, 2.0])
    with pytest.raises(go.ModelError, match="no constraint is called 'flor'; choose from: floor"):
        go.accelerate(system, [0.0], [0.0], contacts=["flor"])
    with pytest.raises(go.ModelError, match="two constraints are called 'floor'"):
        go.System([1.0], contacts=[floor, floor])
    with pytest.raises(go.InputError, match=r"unknown solver 'best'; choose from: .*daqp"):
        go.crosscheck(system, [0.0], [0.0], solver_names=["best"])
