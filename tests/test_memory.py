"""What one problem leaves for the next."""

import json

import numpy as np

from gauss_opt import GaussProblem
from gauss_opt.qp import memory
from gauss_opt.qp.memory import Memory


def corner(**more):
    return GaussProblem.create([1.0, 1.0], target=[-1, 2], Ai=np.eye(2), bi=[0, 0], **more)


def test_a_set_is_remembered_by_kind_and_names():
    kept = Memory()
    kept.remember(corner(kind="impact"), np.array([0]))
    assert kept.active_set(corner(kind="impact")).tolist() == [0]
    assert kept.active_set(corner()) is None
    assert kept.active_set(corner(kind="impact", inequality_names=["left", "right"])) is None


def test_equalities_are_active_without_being_remembered():
    problem = GaussProblem.create([1.0, 1.0], target=[0, 0], Ae=np.eye(2), be=[0, 0])
    assert Memory().active_set(problem).tolist() == [0, 1]


def test_a_metric_is_factorised_once_as_long_as_it_is_the_same_array():
    kept, metric = Memory(), np.diag([4.0, 9.0])
    factor = kept.factor(metric)
    assert factor.tolist() == [[2, 0], [0, 3]]
    assert kept.factor(metric) is factor
    assert kept.factor(metric.copy()) is not factor
    assert kept.factor(np.zeros((2, 2))) is None


def test_sets_go_through_a_file_and_replace_all_others():
    kept, other = Memory(), Memory()
    named = corner(inequality_names=["left", "right"])
    kept.remember(corner(kind="impact"), np.array([0, 1]))
    kept.remember(named, np.arange(0))
    other.remember(corner(kind="projection"), np.array([0]))
    other.from_plain(json.loads(json.dumps(kept.to_plain())))
    assert other.active_set(corner(kind="projection")) is None
    assert other.active_set(corner(kind="impact")).tolist() == [0, 1]
    assert other.active_set(named).dtype == np.intp
    assert other.to_plain() == kept.to_plain()


def test_memory_is_limited(monkeypatch):
    monkeypatch.setattr(memory, "MOST_SETS", 3)
    kept = Memory()
    for i in range(10):
        kept.remember(corner(kind=f"problem {i}"), np.array([0]))
        assert kept.active_set(corner(kind=f"problem {i}")) is not None
    assert len(kept._sets) <= 4
