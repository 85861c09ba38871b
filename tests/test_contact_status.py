"""The status of contacts: what each transition does, and what all of them keep true."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

import gauss_opt as go
from gauss_opt.simulation.event_driven import contact_status as contact
from gauss_opt.simulation.event_driven.contact_status import Status

ABSENT, OPEN, LEAVING, RESTING, CARRYING = list(Status)[:5]
# One bilateral row, four contacts (the last two of one block), two velocity limits.
SYSTEM = go.System(
    np.ones(4),
    np.zeros(4),
    constraints=[
        go.Holonomic("rod", lambda q, t: q[0] - q[3]),
        go.VelocityLimit("slow", lambda q, v, t: 1.0 - v[1]),
        go.VelocityLimit("forward", lambda q, v, t: v[2]),
    ],
    contacts=[
        go.Contact("left", lambda q, t: q[1]),
        go.Contact("right", lambda q, t: q[2]),
        go.Contact("pair", lambda q, t: q[1:3]),
    ],
)
LAYOUT = go.evaluate(SYSTEM, np.ones(4), np.zeros(4)).layout
CONTACTS, LIMITS = [1, 2, 3, 4], [5, 6]


def statuses(*contacts, limits=(OPEN, OPEN)):
    return np.array([CARRYING, *contacts, *limits], dtype=np.int8)


def rows(*numbers):
    return np.array(numbers, dtype=np.intp)


def test_at_the_start_all_contacts_are_open_and_only_bilateral_rows_are_held():
    status = contact.all_open(LAYOUT)
    assert_array_equal(status, statuses(OPEN, OPEN, OPEN, OPEN))
    assert_array_equal(contact.held(status), [0])
    assert_array_equal(contact.in_problem(status), [0])
    assert_array_equal(contact.open_contacts(status, LAYOUT), CONTACTS)
    assert_array_equal(contact.inactive_limits(status, LAYOUT), LIMITS)


def test_every_question_is_about_the_right_rows():
    status = statuses(OPEN, LEAVING, RESTING, CARRYING, limits=(CARRYING, OPEN))
    assert_array_equal(contact.held(status), [0, 4, 5])
    assert_array_equal(contact.in_problem(status), [0, 3, 4, 5])
    assert_array_equal(contact.pressing(status, LAYOUT), [4, 5])
    assert_array_equal(contact.idle(status), [3])
    assert_array_equal(np.flatnonzero(contact.leaving(status)), [2])
    assert_array_equal(np.flatnonzero(contact.closed(status)), [0, 3, 4, 5])
    assert_array_equal(contact.closed_contacts(status, LAYOUT), [3, 4])
    assert_array_equal(contact.open_contacts(status, LAYOUT), [1, 2])
    assert_array_equal(contact.inactive_limits(status, LAYOUT), [6])


def test_after_an_impact_contacts_stay_or_leave():
    before = statuses(OPEN, LEAVING, RESTING, CARRYING)
    stay = np.array([True, False, False, True])
    after = contact.struck(before, rows(*CONTACTS), stay)
    assert_array_equal(after, statuses(RESTING, LEAVING, LEAVING, CARRYING))


def test_a_contact_that_is_closed_again_rests_until_its_force_is_known():
    before = statuses(LEAVING, OPEN, CARRYING, RESTING)
    after = contact.closed_again(before, rows(1, 2, 3, 4))
    assert_array_equal(after, statuses(RESTING, RESTING, CARRYING, RESTING))


def test_pressed_rows_are_held():
    after = contact.pressed(statuses(OPEN, RESTING, LEAVING, OPEN), rows(2, 3, 5))
    assert_array_equal(after, statuses(OPEN, CARRYING, CARRYING, OPEN, limits=(CARRYING, OPEN)))


def test_forces_tell_carrying_from_resting_contacts_and_switch_limits_off():
    before = statuses(RESTING, CARRYING, OPEN, LEAVING, limits=(CARRYING, CARRYING))
    in_problem = contact.in_problem(before)
    assert_array_equal(in_problem, [0, 1, 2, 5, 6])
    carries = np.array([True, True, False, False, True])
    after = contact.with_forces(before, in_problem, carries, LAYOUT)
    expected = statuses(CARRYING, RESTING, OPEN, LEAVING, limits=(OPEN, CARRYING))
    assert_array_equal(after, expected)


def test_a_bilateral_row_without_force_is_held_all_the_same():
    before = statuses(RESTING, OPEN, OPEN, OPEN)
    after = contact.with_forces(before, rows(0, 1), np.array([False, False]), LAYOUT)
    assert_array_equal(after, before)


def test_released_contacts_leave_and_released_limits_are_inactive():
    before = statuses(CARRYING, RESTING, OPEN, OPEN, limits=(CARRYING, CARRYING))
    after = contact.released(before, rows(1, 2, 6), LAYOUT)
    assert_array_equal(after, statuses(LEAVING, LEAVING, OPEN, OPEN, limits=(CARRYING, OPEN)))


def test_leaving_contacts_are_open_once_they_are_apart():
    before = statuses(LEAVING, LEAVING, RESTING, CARRYING)
    apart = np.array([True, True, False, True, True, True, True])
    assert_array_equal(contact.separated(before, apart), statuses(OPEN, LEAVING, RESTING, CARRYING))


def test_what_is_switched_off_is_absent_until_it_is_on_again_and_apart():
    before = statuses(OPEN, LEAVING, ABSENT, CARRYING)
    off = contact.switched_off(before, rows(4))
    assert_array_equal(off, statuses(OPEN, LEAVING, ABSENT, ABSENT))
    assert_array_equal(contact.present_and_open(off, LAYOUT), [1, 2])
    enabled = np.array([True, True, False, True, True, True, True])
    apart = np.array([True, True, True, True, False, True, True])
    after = contact.as_switched(off, enabled, apart)
    assert_array_equal(after, statuses(OPEN, ABSENT, OPEN, ABSENT))
    nothing = np.ones(7, dtype=bool)
    nothing[1] = False
    assert_array_equal(contact.all_open(LAYOUT, nothing), statuses(ABSENT, OPEN, OPEN, OPEN))


@pytest.mark.parametrize(
    ("damaged", "message"),
    [
        (np.zeros(7, dtype=np.int8), "bilateral"),
        (np.zeros(7), "small integers"),
        (statuses(OPEN, OPEN, OPEN), "7 small integers"),
        (statuses(9, OPEN, OPEN, OPEN), "does not exist"),
        (statuses(OPEN, OPEN, OPEN, OPEN, limits=(OPEN, RESTING)), "velocity limit"),
    ],
)
def test_a_status_that_breaks_the_rules_is_refused(damaged, message):
    with pytest.raises(ValueError, match=message):
        contact.require_valid(damaged, LAYOUT)


def chosen(data, allowed):
    picked = data.draw(st.lists(st.sampled_from(allowed), unique=True)) if len(allowed) else []
    return np.array(sorted(picked), dtype=np.intp)


def masks(data, n):
    return np.array(data.draw(st.lists(st.booleans(), min_size=n, max_size=n)), dtype=bool)


@given(st.data())
def test_no_sequence_of_transitions_breaks_the_rules_or_writes_into_a_status(data):
    status = contact.all_open(LAYOUT)
    for _ in range(data.draw(st.integers(1, 12))):
        before, kept = status, status.copy()
        what = data.draw(
            st.sampled_from(
                ["struck", "again", "pressed", "forces", "released", "separated", "off", "switch"]
            )
        )
        if what == "struck":
            some = chosen(data, CONTACTS)
            stay = masks(data, len(some))
            status = contact.struck(status, some, stay)
            assert set(some[stay]) <= set(contact.closed_contacts(status, LAYOUT))
            assert contact.leaving(status)[some[~stay]].all()
        elif what == "again":
            some = chosen(data, CONTACTS)
            status = contact.closed_again(status, some)
            assert set(some) <= set(contact.closed_contacts(status, LAYOUT))
        elif what == "pressed":
            some = chosen(data, CONTACTS + LIMITS)
            status = contact.pressed(status, some)
            assert set(some) <= set(contact.held(status))
        elif what == "forces":
            some = contact.in_problem(status)
            status = contact.with_forces(status, some, masks(data, len(some)), LAYOUT)
            assert_array_equal(
                contact.closed_contacts(status, LAYOUT), contact.closed_contacts(before, LAYOUT)
            )
        elif what == "released":
            some = chosen(data, [row for row in contact.in_problem(status).tolist() if row > 0])
            status = contact.released(status, some, LAYOUT)
            assert not set(some) & set(contact.in_problem(status))
        elif what == "off":
            some = chosen(data, CONTACTS)
            status = contact.switched_off(status, some)
            assert (status[some] == ABSENT).all()
        elif what == "switch":
            enabled = masks(data, len(status)) | (status == CARRYING)
            enabled[LIMITS] = True
            status = contact.as_switched(status, enabled, masks(data, len(status)))
            assert_array_equal(contact.in_problem(status), contact.in_problem(before))
        else:
            status = contact.separated(status, masks(data, len(status)))
            assert_array_equal(contact.in_problem(status), contact.in_problem(before))
        contact.require_valid(status, LAYOUT)
        assert_array_equal(before, kept)
        closed = contact.closed_contacts(status, LAYOUT)
        opened = contact.open_contacts(status, LAYOUT)
        assert sorted([*closed, *opened]) == CONTACTS
        assert set(contact.held(status)) <= set(contact.in_problem(status))
