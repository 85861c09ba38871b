"""The file of a checkpoint: it grows by what is new, survives everything, and knows its system."""

import os
import threading
import time

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

import gauss_opt as go
from gauss_opt.base import npz, record_file
from gauss_opt.base.record_file import MAGIC, begin_records, pack_record, read_records
from gauss_opt.base.whole_file import whole_file
from gauss_opt.simulation.checkpoint import Checkpoint

G = 9.81
START = [1.0, 0.5], [0.0, 1.0], (0.0, 1.2)


def system(*, e=0.6, g=G, mass=(1.0, 2.0), force=None, gap=None, contacts=(), constraints=(),
           parameters=None, **options):  # fmt: skip
    def weight(q, v, t, g):
        return np.array([-g, -0.1 * v[1]])

    floor = go.Contact("floor", gap or (lambda q, t: q[0]), e)
    return go.System(
        mass, force or weight, [*constraints], [floor, *contacts],
        parameters={"g": g, **(parameters or {})}, **options,
    )  # fmt: skip


def same(one, other):
    for name in ("t", "q", "v", "a"):
        assert_array_equal(getattr(one, name), getattr(other, name))
    assert [str(e) for e in one.events] == [str(e) for e in other.events]
    assert [p.values.tobytes() for p in one.pieces] == [p.values.tobytes() for p in other.pieces]
    assert one.stats.steps == other.stats.steps


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    """The bytes of a checkpoint file of many records, where each ends, and the whole run."""
    path = tmp_path_factory.mktemp("kept") / "run.ckpt"
    whole = go.simulate(system(), *START, max_step=0.04, checkpoint=path, checkpoint_every=4)
    ends, content = [len(MAGIC)], path.read_bytes()
    while ends[-1] < len(content):
        ends.append(ends[-1] + record_file._FRONT + len(record_file._next(content, ends[-1])))
    assert len(ends) > 8
    return content, ends, whole


def resume(path):
    options = {"max_step": 0.04, "checkpoint": path, "checkpoint_every": 4}
    return go.simulate(system(), *START, **options, resume=True)


def test_a_checkpoint_late_in_a_run_is_no_larger_than_an_early_one(tmp_path):
    """So the file, and the work, grow with the run, and not with its square."""
    path = tmp_path / "run.ckpt"
    spring = go.System([1.0], lambda q, v, t: -q)
    options = {"max_step": 0.1, "checkpoint": path, "checkpoint_every": 20}
    result = go.simulate(spring, [1.0], [0.0], (0, 120), **options)
    sizes = [len(pack_record(*record)) for record in read_records(path)[0]]
    assert len(sizes) == result.stats.steps // 20 >= 60
    assert max(sizes[1:]) - min(sizes[1:]) < 0.02 * np.mean(sizes)
    assert path.stat().st_size < 1.5 * sum(sizes[:10]) / 10 * len(sizes)


def test_the_work_of_a_checkpoint_does_not_grow_with_the_run(tmp_path):
    stepper = go.start(go.System([1.0], lambda q, v, t: -q), [1.0], [0.0], (0, 1e6), max_step=0.1)
    checkpoint = Checkpoint(tmp_path / "run.ckpt")
    shares = []
    for _ in range(60):
        for _ in range(50):
            stepper.step()
        began = time.process_time()
        checkpoint.write(stepper)
        shares.append(time.process_time() - began)
    assert np.median(shares[40:]) < 3.0 * np.median(shares[1:20])


def test_a_file_cut_off_anywhere_gives_its_last_whole_record_and_resumes_exactly(kept, tmp_path):
    content, ends, whole = kept
    path = tmp_path / "run.ckpt"
    rng = np.random.default_rng(5)
    for cut in [*rng.integers(ends[1], len(content), 12), ends[1], ends[2] + 3, ends[-1]]:
        path.write_bytes(content[:cut])
        records = sum(end <= cut for end in ends[1:])
        assert len(read_records(path)[0]) == records
        assert go.load(path).stats.steps == 4 * records
        same(resume(path), whole)
        assert path.read_bytes()[: ends[1]] == content[: ends[1]]  # it was appended to


@pytest.mark.parametrize("tail", [bytes(5), bytes(5000), b"\x07", b"nonsense" * 100])
def test_what_a_dying_disk_leaves_at_the_end(tail, kept, tmp_path):
    """Zeros are passed over; anything else that has the length of a record is damage."""
    content, ends, whole = kept
    path = tmp_path / "run.ckpt"
    path.write_bytes(content[: ends[4]] + tail)
    if len(tail) > record_file._FRONT and any(tail):
        with pytest.raises(go.InputError, match="is damaged: record 4"):
            resume(path)
    else:
        same(resume(path), whole)


def test_a_first_record_that_is_not_whole_is_no_checkpoint(kept, tmp_path):
    content, ends, _ = kept
    path = tmp_path / "run.ckpt"
    for cut in (len(MAGIC), len(MAGIC) + 7, ends[1] - 1):
        path.write_bytes(content[:cut])
        for use in (resume, go.load):
            with pytest.raises(go.InputError, match="not one of its records is whole"):
                use(path)


@settings(max_examples=150, derandomize=True, deadline=None, database=None,
          suppress_health_check=[HealthCheck.function_scoped_fixture])  # fmt: skip
@given(data=st.data())
def test_fault_25_bytes_changed_at_random_are_refused_or_harmless(data, kept, tmp_path):
    """Harmless: an earlier whole record is what is read."""
    content, _, whole = kept
    damaged = bytearray(content)
    for _ in range(data.draw(st.integers(1, 3))):
        damaged[data.draw(st.integers(0, len(content) - 1))] ^= data.draw(st.integers(1, 255))
    if data.draw(st.booleans()):
        del damaged[data.draw(st.integers(0, len(damaged) - 1)) :]
    path = tmp_path / "run.ckpt"
    path.write_bytes(damaged)
    try:
        result = go.load(path)
    except go.GaussError:
        return
    n = len(result.t)
    assert_array_equal(result.q, whole.q[:n])
    assert_array_equal(result.t, whole.t[:n])


@settings(max_examples=80, derandomize=True, deadline=None, database=None,
          suppress_health_check=[HealthCheck.function_scoped_fixture])  # fmt: skip
@given(data=st.data())
def test_fault_25_records_that_lie_are_refused_or_harmless(data, kept, tmp_path):
    """With check sums that are right."""
    path = tmp_path / "run.ckpt"
    path.write_bytes(kept[0])
    records, _ = read_records(path)
    arrays, header = records[data.draw(st.integers(0, len(records) - 1))]
    if data.draw(st.booleans()):
        name = data.draw(st.sampled_from(sorted(arrays)))
        shape = data.draw(st.lists(st.integers(0, 3), max_size=3))
        dtype = data.draw(st.sampled_from(["f8", "i8", "i1", "?"]))
        arrays[name] = np.full(shape, data.draw(st.sampled_from([0, 1, -1]))).astype(dtype)
    else:
        name = data.draw(st.sampled_from(sorted(header)))
        lie = st.none() | st.integers() | st.text(max_size=3) | st.lists(st.integers(), max_size=2)
        header[name] = data.draw(lie | st.dictionaries(st.text(max_size=2), st.integers()))
    end = begin_records(path, pack_record(*records[0]))
    for record in records[1:]:
        end = record_file.append_record(path, end, pack_record(*record))
    for use in (go.load, resume):
        try:
            result = use(path)
        except go.GaussError:
            continue
        assert str(result)
        assert np.isfinite(result.q).all()


def test_fault_24_a_disk_that_is_full_at_a_later_checkpoint_leaves_the_earlier_ones(
    tmp_path, monkeypatch
):
    path = tmp_path / "run.ckpt"
    stepper = go.start(system(), *START)
    checkpoint = Checkpoint(path)
    for _ in range(3):
        stepper.step()
        checkpoint.write(stepper)
    before = path.read_bytes()

    def full(*args):
        raise OSError(28, "No space left on device")

    stepper.step()
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        checkpoint.write(stepper)
    monkeypatch.undo()
    assert path.read_bytes() == before
    checkpoint.write(stepper)  # there is room again
    assert go.load(path).stats.steps == stepper.stats.steps
    same(go.load(path), stepper.result())


def test_a_file_that_has_gone_is_written_anew(tmp_path):
    path = tmp_path / "run.ckpt"
    stepper, checkpoint = go.start(system(), *START), Checkpoint(path)
    for delete in (False, True, False, True):
        stepper.step()
        if delete:
            path.unlink()
        checkpoint.write(stepper)
        same(go.load(path), stepper.result())


def test_a_run_without_resume_replaces_the_file(kept, tmp_path):
    path = tmp_path / "run.ckpt"
    path.write_bytes(kept[0])
    go.simulate(system(e=0.1), *START, checkpoint=path, checkpoint_every=10)
    assert go.load(path).events[0].energy_change != kept[2].events[0].energy_change


def knee(q, v, t, g):
    """It cannot be traced."""
    return np.array([-g if q[0] > 0.2 else -g - 1e-6, -0.1 * v[1]])


def other_knee(q, v, t, g):
    return np.array([-g if q[0] > 0.2 else -g - 2e-6, -0.1 * v[1]])


def bell(q, v, t):
    return q[0] - 0.5


def other_bell(q, v, t):
    return q[0] - 0.6


def on(q, v, t):
    return bool(t < 2.0)


def off(q, v, t):
    return bool(v[0] < 2.0)


def with_item(kind, *items, **options):
    return [{kind: [item], **options} for item in items]


OTHERS = {
    r"parameter 'g' \(9.81 there, 1.62 here\)": ({}, {"g": 1.62}),
    r"the restitution of Contact 'floor' \(0.6 there, 0.5 here\)": ({}, {"e": 0.5}),
    r"the mass \(.*1.0.* there, .*1.5.* here\)": ({}, {"mass": (1.5, 2.0)}),
    "the mass ": (
        {"mass": lambda q, t: np.array([1.0, 2.0 + q[0] ** 2]), "nv": 2},
        {"mass": lambda q, t: np.array([1.0, 2.0 + q[1] ** 2]), "nv": 2},
    ),
    "the force ": ({}, {"force": lambda q, v, t, g: np.array([-g, -0.2 * v[1]])}),
    "the  ?force ": ({"force": knee}, {"force": other_knee}),
    "the gap of Contact 'floor' ": ({}, {"gap": lambda q, t: q[0] + 0.0 * t**2 + 1e-9 * q[0]}),
    "the nonideal ": (
        {"nonideal": lambda q, v, t: -0.1 * v},
        {"nonideal": lambda q, v, t: -0.2 * v},
    ),
    "the  ?nonideal ": (
        {"nonideal": lambda q, v, t, ideal: -0.1 * v * np.abs(ideal)},
        {"nonideal": lambda q, v, t, ideal: -0.2 * v * np.abs(ideal)},
    ),
    "the potential ": (
        {"potential": lambda q, t: G * q[0]},
        {"potential": lambda q, t: 2 * G * q[0]},
    ),
    "the function of Holonomic 'rail' ": with_item(
        "constraints",
        go.Holonomic("rail", lambda q, t: q[1] - 0.5 - t),
        go.Holonomic("rail", lambda q, t: 2 * (q[1] - 0.5 - t)),
    ),
    r"frequency and damping of Servo 'drive' \(2.0, 1.0 there, 3.0, 1.0 here\)": with_item(
        "constraints",
        go.Servo("drive", lambda q, t: q[1] - t, 2.0),
        go.Servo("drive", lambda q, t: q[1] - t, 3.0),
    ),
    "the bias of Contact 'wall' ": with_item(
        "contacts",
        *(
            go.Contact(
                "wall", lambda q, t: 9.0 - q[1] + 0.1 * q[0] ** 2, check_derivatives=False,
                jacobian=lambda q, t: np.array([0.2 * q[0], -1.0]),
                bias=lambda q, v, t, k=k: k * v[0] ** 2)
            for k in (0.2, 0.3)
        ),
    ),
    r"the way through Contact 'wall' \(none there, passable here\)": with_item(
        "contacts",
        go.Contact("wall", lambda q, t: 9.0 - q[1]),
        go.Contact("wall", lambda q, t: 9.0 - q[1], passable=True),
    ),
    "the slip of Contact 'wall' ": with_item(
        "contacts",
        go.Contact("wall", lambda q, t: 9.0 - q[1], slip=lambda q, v, t: v[0]),
        go.Contact("wall", lambda q, t: 9.0 - q[1], slip=lambda q, v, t: 2.0 * v[0]),
    ),
    r"the restitution of Contact 'wall' \(0.0 there, e here\)": with_item(
        "contacts",
        go.Contact("wall", lambda q, t: 9.0 - q[1]),
        go.Contact("wall", lambda q, t: 9.0 - q[1], "e"),
        parameters={"e": 0.0},
    ),
    "the active_when of Contact 'wall' ": with_item(
        "contacts",
        go.Contact("wall", lambda q, t: 9.0 - q[1], active_when=on),
        go.Contact("wall", lambda q, t: 9.0 - q[1], active_when=off),
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", OTHERS)
def test_fault_36_a_run_is_not_resumed_with_another_system(what, tmp_path):
    one, other = OTHERS[what]
    path = tmp_path / "run.ckpt"
    options = {"checkpoint": path, "checkpoint_every": 3, "sampled_guards": True}
    whole = go.simulate(system(**one), *START, **options)
    before = path.read_bytes()
    with pytest.raises(go.InputError, match=f"another run: .*{what}.*differ"):
        go.simulate(system(**other), *START, **options, resume=True)
    assert path.read_bytes() == before
    same(go.simulate(system(**one), *START, **options, resume=True), whole)


@pytest.mark.parametrize("other", [other_bell, lambda q, v, t: bell(q, v, t) if t > 0.1 else 1.0])
def test_fault_36_a_run_is_not_resumed_with_another_user_event(other, tmp_path):
    options = {"checkpoint": tmp_path / "run.ckpt", "checkpoint_every": 3, "sampled_guards": True}
    go.simulate(system(), *START, **options, events={"bell": bell})
    with pytest.raises(go.InputError, match="another run: the user event 'bell' differ"):
        go.simulate(system(), *START, **options, events={"bell": other}, resume=True)


def test_a_system_that_is_written_otherwise_but_is_the_same_resumes(tmp_path):
    """Another function object, a sum in another order of lines: the trace is what counts."""
    options = {"checkpoint": tmp_path / "run.ckpt", "checkpoint_every": 3}
    whole = go.simulate(system(), *START, **options)

    def rewritten(q, v, t, g):
        drag = -0.1 * v[1]
        return np.stack([-g, drag])

    same(go.simulate(system(force=rewritten), *START, **options, resume=True), whole)


def test_a_run_that_is_larger_than_the_limit_is_read_and_a_bomb_is_not(tmp_path, monkeypatch):
    monkeypatch.setattr(npz, "MAX_BYTES", 1000)
    monkeypatch.setattr(npz.read_npz, "__defaults__", (1000,))
    result = go.simulate(system(), *START)
    result.save(tmp_path / "run.npz")
    assert (tmp_path / "run.npz").stat().st_size > 5000
    assert_array_equal(go.load(tmp_path / "run.npz").q, result.q)
    np.savez_compressed(tmp_path / "bomb.npz", t=np.zeros(100_000))
    with pytest.raises(go.InputError, match="are refused"):
        go.load(tmp_path / "bomb.npz")


def test_writing_a_file_leaves_the_umask_of_the_process_alone(tmp_path, monkeypatch):
    """Files that other threads make meanwhile would have the wrong permissions."""

    def touched(mask):
        raise AssertionError("the umask is that of the whole process")

    monkeypatch.setattr(os, "umask", touched)
    with whole_file(tmp_path / "a.txt") as temporary:
        temporary.write_text("new")
    monkeypatch.undo()
    old = os.umask(0o027)
    try:
        with whole_file(tmp_path / "b.txt") as temporary:
            temporary.write_text("new")
        (tmp_path / "plain.txt").write_text("new")
    finally:
        os.umask(old)
    modes = [(tmp_path / f"{name}.txt").stat().st_mode for name in ("b", "plain")]
    assert modes[0] == modes[1]


def test_files_written_by_several_threads_at_once_are_all_whole(tmp_path):
    path = tmp_path / "a.txt"

    def write(word):
        for _ in range(50):
            with whole_file(path) as temporary:
                temporary.write_text(word * 1000)

    threads = [threading.Thread(target=write, args=(word,)) for word in "abcd"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(path.read_text()) in [{"a"}, {"b"}, {"c"}, {"d"}]
    assert os.listdir(tmp_path) == ["a.txt"]
