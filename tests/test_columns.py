"""The table of columns: recorder, file, joining and refinement agree on what a result has."""

from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import gauss_opt as go
from gauss_opt.base.npz import read_header, read_npz
from gauss_opt.results.columns import COLUMNS, all_together, as_fields, columns_of, each, shapes
from gauss_opt.results.files.event_file import IN_ARRAYS, IN_HEADER
from gauss_opt.results.recorder import Recorder

OLD = Path(__file__).parent / "data" / "result_version_1.npz"  # saved before there was a table


@pytest.fixture(scope="module")
def result():
    ball = go.System(
        [1.0, 1.0],
        [0.0, -9.81],
        [go.Holonomic("wire", lambda q, t: q[0] - 0.5 * q[1])],
        contacts=[go.Contact("floor", lambda q, t: q[1], 0.5)],
        nonideal=lambda q, v, t: -0.1 * v,
    )
    return go.simulate(ball, [0.5, 1.0], [0.0, 0.0], (0, 1))


def test_every_array_with_a_row_for_each_time_is_in_the_table(result):
    found = {"t", "q", "v", "a"} | {f"rows_{name}" for name in result.rows}
    found |= {f"forces_{name}" for name in result.forces}
    assert found == {column.key for column in COLUMNS} == columns_of(result).keys()


def test_columns_make_the_fields_they_came_from(result):
    made = as_fields(columns_of(result))
    assert made["q"] is result.q
    assert made["rows"]["rates"] is result.rows["rates"]
    assert made["forces"]["nonideal"] is result.forces["nonideal"]


def test_columns_have_the_shapes_that_the_table_says(result):
    expected = shapes(len(result.t), nq=2, nv=2, m=2)
    assert {key: column.shape for key, column in columns_of(result).items()} == expected


def test_rows_stay_together_when_they_are_cut_and_joined(result):
    assert_array_equal(
        each(lambda column: column[3:], result)["rows_values"], result.rows["values"][3:]
    )
    twice = all_together([result, result])
    for key, column in columns_of(result).items():
        assert_array_equal(twice[key], np.concatenate([column, column]))


def test_a_recorder_refilled_from_a_result_gives_it_back(result):
    recorder = Recorder(result.system, result.system.dynamics(2), dense=True)
    recorder.refill(result)
    again = recorder.result(
        success=True, status="", message="", stats=result.stats, settings=result.settings
    )
    for key, column in columns_of(result).items():
        assert_array_equal(columns_of(again)[key], column)
        assert columns_of(again)[key].dtype == column.dtype


def test_every_field_of_an_event_is_in_the_file():
    assert {*IN_HEADER, *IN_ARRAYS} == {field.name for field in fields(go.Event)}
    assert not {*IN_HEADER} & {*IN_ARRAYS}


def test_a_file_of_an_earlier_version_is_read_and_saved_without_a_bit_changed(tmp_path):
    old = go.load(OLD)
    assert [event.kind for event in old.events] == ["impact", "impact"]
    assert old.gaps["floor"].shape == (len(old.t), 2)
    assert np.abs(old.forces["nonideal"]).max() > 0.0
    assert old(old.events[0].t, side="left").v[1] == old.events[0].v_before[1]
    old.save(tmp_path / "new.npz")
    before, after = read_npz(OLD), read_npz(tmp_path / "new.npz")
    headers = [read_header(a, "gauss_opt result", 1, "") for a in (before, after)]
    assert before.keys() == after.keys()
    for name in before.keys() - {"header"}:
        assert before[name].dtype == after[name].dtype
        assert before[name].tobytes() == after[name].tobytes()
    for header in headers:
        header.pop("versions")
    counted = headers[1].pop("stats")
    assert headers[0].pop("stats").items() <= counted.items()  # there may be more by now
    assert headers[1].pop("units") == []  # of coordinates: earlier versions had none
    assert headers[0] == headers[1]
