"""What a newcomer gets wrong, and the sentence that answers it: a table, mistake and message."""

import math
import pickle
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import gauss_opt as go
from gauss_opt import scene

FLOOR = go.Contact("floor", lambda q, t: q[1], restitution=0.5)
WEIGHT = [0.0, -9.81]
START = ([0.0, 1.0], [0.0, 0.0], (0.0, 0.6))


def system(**changed):
    """A ball above a floor, with something of it changed."""
    given = {"mass": [1.0, 1.0], "force": WEIGHT, "contacts": [FLOOR], "coordinates": ["x", "y"]}
    return go.System(**{**given, **changed})


def run(*start, options=None, **changed):
    return go.simulate(system(**changed), *(start or START), **(options or {}))


def gap(function, **more):
    return [go.Contact("floor", function, **more)]


def event(q, v, t):
    return q[1] - 0.5


RESULT = run()

MISTAKES = {
    # Signs and the order of arguments
    "a gap of the wrong sign": (
        lambda: run(contacts=gap(lambda q, t: -q[1])),
        r"floor' is penetrated by 1\. .*apart here, change the sign of its function\. .*use "
        r"gauss_opt.assemble\(\).* project_start=True$",
    ),
    "a velocity limit of the wrong sign": (
        lambda: go.simulate(
            go.System([1.0], constraints=[go.VelocityLimit("slow", lambda q, v, t: v[0] - 5.0)]),
            [0.0], [1.0], (0, 1),
        ),
        r"'slow' is violated: psi = -4\. .*change the sign of psi",
    ),
    "a gap of (t, q)": (
        lambda: system(contacts=gap(lambda t, q: q[1])),
        r"gap of Contact 'floor' is called with \(q, t\), but the one given takes \(t, q\)",
    ),
    "a gap of (time, x)": (
        lambda: system(contacts=gap(lambda time, x: x[1])),
        r"called with \(q, t\), but the one given takes \(time, x\)",
    ),
    "a gap of (a, b), where b is meant to be q": (
        lambda: system(contacts=gap(lambda a, b: b[1])),
        r"cannot be traced: .* It is called with \(q, t\), in this order; q and v are arrays",
    ),
    "a force of (t, q, v)": (
        lambda: system(force=lambda t, q, v: np.array(WEIGHT)),
        r"force is called with \(q, v, t\), but the one given takes \(t, q, v\)",
    ),
    "a force of (q, t)": (
        lambda: system(force=lambda q, t: np.array(WEIGHT)),
        r"force must be a function of \(q, v, t\); the one given takes \(q, t\)",
    ),
    "a potential of (t, q)": (
        lambda: system(potential=lambda t, q: 9.81 * q[1]),
        r"potential is called with \(q, t\), but the one given takes \(t, q\)",
    ),
    "an event of (t, q, v)": (
        lambda: run(options={"events": [lambda t, q, v: q[1] - 0.5]}),
        r"event .* is called with \(q, v, t\), but the one given takes \(t, q, v\)",
    ),
    "v0 and q0 of different length": (
        lambda: run([0.0, 1.0], [0.0], (0, 1)),
        r"v0? must have shape \(2,\), got \(1,\)",
    ),
    "t_span as one number": (lambda: run([0, 1], [0, 0], 1.0), r"must be \(t0, t1\), got 1.0"),
    "t_span backwards": (lambda: run([0, 1], [0, 0], (1, 0)), r"t_span"),
    # Names
    "multipliers['flor']": (
        lambda: RESULT.multipliers["flor"],
        r"nothing here is called 'flor'; choose from: floor; did you mean 'floor'\?",
    ),
    "gaps['flor']": (lambda: RESULT.gaps["flor"], r"did you mean 'floor'\?"),
    "forces['flor'] of an acceleration": (
        lambda: go.accelerate(system(), [0, 0], [0, 0]).forces["flor"],
        r"did you mean 'floor'\?",
    ),
    "impulses['flor'] of an event": (
        lambda: RESULT.events[0].impulses["flor"],
        r"did you mean 'floor'\?",
    ),
    "an unknown argument of Contact": (
        lambda: go.Contact("floor", event, restituton=0.5),
        r"Contact\(\) has no argument 'restituton'; .*did you mean 'restitution'\?",
    ),
    "an unknown argument of System": (
        lambda: go.System([1.0], forces=[1.0]),
        r"System\(\) has no argument 'forces'; .*did you mean 'force'\?",
    ),
    "an unknown option of simulate": (
        lambda: run(options={"rtoll": 1e-6}),
        r"simulate\(\) has no option 'rtoll'; .*did you mean 'rtol'\?",
    ),
    "an unknown law": (
        lambda: run(options={"law": "newtn"}),
        r"unknown impact law 'newtn'; .*did you mean 'newton'\?",
    ),
    "an unknown solver": (
        lambda: run(options={"solver": "ospq"}),
        r"unknown solver 'ospq'; .*did you mean 'osqp'\?",
    ),
    "an unknown method": (
        lambda: run(options={"method": "RK54"}),
        r"unknown .*'RK54'; .*did you mean 'RK45'\?",
    ),
    "an unknown case": (
        lambda: go.find_case("bouncing_bal"),
        r"no case is called 'bouncing_bal'; .*did you mean 'bouncing_ball'\?",
    ),
    "an unknown parameter of a case": (
        lambda: go.find_case("bouncing_ball").create({"restitutoin": 0.5}),
        r"has no parameter 'restitutoin'; .*did you mean 'restitution'\?",
    ),
    "an unknown parameter of a system": (
        lambda: system(parameters={"gravity": 9.81}).with_parameters(gravitiy=1.62),
        r"unknown parameter 'gravitiy'; choose from: gravity; did you mean 'gravity'\?",
    ),
    "a parameter that no function is given": (
        lambda: system(force=lambda q, v, t, g: np.array([0.0, -g])),
        r"'g' is not one of its parameters .*System\(parameters=",
    ),
    "an unknown contact": (
        lambda: go.accelerate(system(), [0, 0], [0, 0], contacts=["flor"]),
        r"no constraint is called 'flor'; .*did you mean 'floor'\?",
    ),
    "an unknown coordinate of a body": (
        lambda: system(bodies={"ball": ["x", "Y"]}, units=["m", "m"]),
        r"body 'ball' has no coordinate 'Y'; choose from: x, y; did you mean 'y'\?",
    ),
    "an unknown role in a drawing": (
        lambda: scene.disc([0, 0], 1.0, "boddy"),
        r"no role is called 'boddy'; .*did you mean 'body'\?",
    ),
    "an unknown contact in a drawing": (
        lambda: RESULT.report("x.html", drawing=lambda q, t: [scene.dot(q, contacts="flor")]),
        r"a dot of the drawing names the contact 'flor', which is not in this run; .*'floor'\?",
    ),
    "two contacts of one name": (
        lambda: system(contacts=[FLOOR, FLOOR]),
        r"two constraints are called 'floor': names must be unique",
    ),
    # Masses
    "a negative mass": (
        lambda: system(mass=[1.0, -1.0]),
        r"mass is indefinite: .* in the direction \+1 along 'y'",
    ),
    "a coordinate without mass": (
        lambda: run(mass=[1.0, 0.0]),
        r"do not hold the massless direction \(\+1 along 'y'\): give that direction a mass",
    ),
    "an asymmetric mass": (
        lambda: system(mass=[[1.0, 0.5], [0.0, 1.0]]),
        r"mass is not symmetric: entry \(0, 1\) is 0.5 but entry \(1, 0\) is 0",
    ),
    "a force of the wrong size": (lambda: system(force=[0, 0, -9.81]), r"force .*\(2,\).*\(3,\)"),
    # Functions
    "contacts made in a loop": (
        lambda: system(contacts=[go.Contact(f"c{i}", lambda q, t: q[i]) for i in range(2)]),  # noqa: B023
        r"Contact 'c0' and .*Contact 'c1' are the same function: both look up 'i' .*is 1 by then"
        r".* lambda q, t, i=i:",
    ),
    "math.sin in a gap": (
        lambda: system(contacts=gap(lambda q, t: math.sin(q[1]))),
        r"use numpy functions \(np.sin, not math.sin\)",
    ),
    "an if in a gap": (
        lambda: system(contacts=gap(lambda q, t: q[1] if q[0] > 0 else q[1] + 1)),
        r"a Python `if`.* cannot be traced; use np.where",
    ),
    "a gap that is a number": (
        lambda: system(contacts=gap(0.3)),
        r"gap of Contact 'floor' must be a function of \(q, t\)",
    ),
    "a gap that returns nothing": (
        lambda: system(contacts=gap(lambda q, t: None)),
        r"gap of Contact 'floor' .*returned None",
    ),
    "abs() of a distance": (
        lambda: run(contacts=gap(lambda q, t: abs(q[1]))),
        r"the gap of Contact 'floor' can never be negative: .* like q\[0\] instead of abs"
    ),
    "a contact that is not in a list": (
        lambda: system(contacts=FLOOR),
        r"contacts= must be a list: write contacts=\[\.\.\.\] around Contact 'floor'",
    ),
    "a contact among the constraints": (
        lambda: system(constraints=[FLOOR], contacts=[]),
        r"Contact 'floor' belongs in contacts=, not in constraints=",
    ),
    "a restitution above 1": (
        lambda: go.Contact("floor", event, restitution=5),
        r"restitution must be between 0 and 1, got 5",
    ),
    "friction without a slip": (
        lambda: go.Contact("floor", event, friction=0.3),
        r"friction needs slip=, the velocity along the surface",
    ),
    "a force with the sign of a velocity": (
        lambda: run([0, 0], [1, 0], (0, 3), force=lambda q, v, t: np.array([-np.sign(v[0]), 0])),
        r"a force jumps: .*the velocity of 'x' = 0\. .* Dry friction takes a law that can stick",
    ),
    "a number as a word": (
        lambda: run(options={"rtol": "1e-6"}),
        r"rtol must be a number, got '1e-6'",
    ),
    # Files and times
    "a report into a missing folder": (
        lambda: RESULT.report("nowhere/x.html"),
        r"there is no folder 'nowhere' to write 'x.html' into",
    ),
    "a film into a missing folder": (
        lambda: RESULT.animate("nowhere/x.gif"),
        r"there is no folder 'nowhere' to write 'x.gif' into",
    ),
    "a result into a missing folder": (
        lambda: RESULT.save("nowhere/x.npz"),
        r"there is no folder '.*nowhere' to write 'x.npz' into",
    ),
    "a film of another kind": (lambda: RESULT.animate("x.avi"), r"a \.gif or an \.mp4 file"),
    "loading a file that is none": (lambda: go.load(__file__), r"test_mistakes.py.* not "),
    "loading what is not there": (lambda: go.load("missing.npz"), r"missing.npz"),
    "a time after the end": (lambda: RESULT(5.0), r"5.*0.6"),
}  # fmt: skip


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_answered_with_what_to_do(mistake, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    make, message = MISTAKES[mistake]
    with pytest.raises((go.GaussError, OSError), match=f"(?s){message}"):
        make()
    assert not list(tmp_path.iterdir())


def test_names_that_are_not_there_are_missing_keys_too():
    with pytest.raises(KeyError):
        RESULT.multipliers["flor"]
    assert RESULT.multipliers.get("flor") is None
    assert pickle.loads(pickle.dumps(RESULT)).gaps.keys() == {"floor"}
    with pytest.raises(TypeError, match="has no argument"):
        go.Contact("floor", event, elasticity=0.5)


def test_functions_that_differ_in_their_round_are_no_mistake():
    def lifted(height):
        return lambda q, t: q[1] - height

    def by_index(q, t, i):
        return q[i]

    kept = [go.Contact(f"c{i}", lambda q, t, i=i: q[i]) for i in range(2)]
    made = [go.Contact(f"h{h}", lifted(-h)) for h in (1.0, 2.0)]
    partly = [go.Contact(f"p{i}", partial(by_index, i=i)) for i in range(2)]
    assert [run(contacts=c).success for c in (kept, made, partly)] == [True] * 3


def test_the_same_function_twice_is_the_same_contact_twice():
    twice = [go.Contact(name, FLOOR.gap) for name in ("one", "two")]
    forces = go.accelerate(system(contacts=twice), [0.0, 0.0], [0.0, 0.0]).forces
    assert sum(forces.values())[1] == pytest.approx(9.81)


def test_functions_in_a_loop_that_look_up_nothing_are_no_mistake():
    same = [go.Contact(f"c{i}", lambda q, t: q[1]) for i in range(2)]
    assert len(system(contacts=same).contacts) == 2


@pytest.mark.parametrize("slope", [1.0, 3.0, 1e3, 1e-3])
@pytest.mark.parametrize(
    "form",
    [
        lambda y: (y + 1.0) - 1.0,
        lambda y: (y + 1e3) - 1e3,
        np.tan,
        lambda y: np.exp(y) - 1.0,
        np.sinh,
        lambda y: np.sqrt(1.0 + y) - 1.0,
        lambda y: np.log(1.0 + y),
        lambda y: (1.0 + y) ** 2 - 1.0,
    ],
)
def test_gaps_whose_round_off_cancels_are_harmless(form, slope):
    height = 0.9 / max(slope, 1.0)
    result = run(
        [0.0, height],
        [0.0, 0.0],
        (0.0, 1.5 * math.sqrt(2.0 * height / 9.81)),
        contacts=gap(lambda q, t: form(slope * q[1]), restitution=0.5),
    )
    assert result.success
    assert result.events[0].t == pytest.approx(math.sqrt(2.0 * height / 9.81), rel=1e-9)


def test_nothing_is_left_where_a_report_fails(tmp_path):
    target = Path(tmp_path) / "x.html"
    with pytest.raises(go.InputError, match="names the contact"):
        RESULT.report(target, drawing=lambda q, t: [scene.dot(q, contacts="flor")])
    assert not target.exists()


def test_equal_contacts_made_in_a_loop_may_look_up_a_constant():
    height = 0.25
    legs = [go.Contact(f"leg {i}", lambda q, t: q[1] - height) for i in range(4)]
    with_defaults = [go.Contact(f"{i}", lambda q, t, k=1: q[k] - height) for i in range(2)]
    resting = go.accelerate(system(contacts=[*legs, *with_defaults]), [0.0, height], [0.0, 0.0])
    assert resting.multipliers["leg 0"] == pytest.approx(resting.multipliers["leg 3"])


def test_a_name_that_the_body_of_a_loop_sets_is_found():
    contacts = []
    for i in range(2):
        height = 0.1 * i
        contacts.append(go.Contact(f"c{i}", lambda q, t: q[1] - height))  # noqa: B023
    with pytest.raises(go.ModelError, match="both look up 'height'"):
        system(contacts=contacts)
