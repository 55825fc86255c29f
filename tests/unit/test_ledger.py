"""The ledger: saved, loaded, spilled, refused when damaged."""

import gc
import os
import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import cases
from rosenblatt import Perceptron
from rosenblatt.errors import LedgerError
from rosenblatt.learn import ledger as ledger_module
from rosenblatt.learn.fingerprint import fingerprint
from rosenblatt.learn.ledger import Ledger
from rosenblatt.rows.examples import Examples

TABLE = np.array([[2.0, 1.0], [1.0, -3.0], [-1.0, 1.0], [0.5, 2.0]]), [1, -1, -1, 1]


@pytest.fixture
def run():
    return cases.learn(*TABLE, "cyclic")


def same(a, b):
    return (
        a.entries().tolist() == b.entries().tolist()
        and a.pass_ends.tolist() == b.pass_ends.tolist()
        and a.start.tobytes() == b.start.tobytes()
        and a.n_rows == b.n_rows
    )


def test_steps_tell_the_whole_run(run):
    run, examples = run
    steps = list(run.ledger.steps(examples))
    assert [s.t for s in steps] == list(range(run.updates + 1))
    assert [s.row for s in steps] == [-1, *run.ledger.rows]
    assert steps[-1].weights.tobytes() == run.weights.tobytes()
    assert all(s.norm == pytest.approx(np.linalg.norm(s.weights)) for s in steps)
    assert len(run.ledger.pass_ends) == run.passes
    assert run.ledger.pass_ends[-1] == run.updates
    assert str(run.updates) in repr(run.ledger)


def test_saved_and_loaded_it_is_the_same(run, tmp_path):
    run, examples = run
    run.ledger.save(tmp_path / "run.ledger")
    again = Ledger.load(tmp_path / "run.ledger")
    assert same(run.ledger, again)
    assert again.replay(examples).tobytes() == run.weights.tobytes()
    assert [p.name for p in tmp_path.iterdir()] == ["run.ledger"]


def test_pickled_it_is_the_same(run):
    assert same(run[0].ledger, pickle.loads(pickle.dumps(run[0].ledger)))


def test_every_truncated_file_is_refused(run, tmp_path):
    run[0].ledger.save(tmp_path / "whole")
    whole = (tmp_path / "whole").read_bytes()
    for size in range(0, len(whole) - 1, 37):
        (tmp_path / "part").write_bytes(whole[:size])
        with pytest.raises(LedgerError, match="part"):
            Ledger.load(tmp_path / "part")


@pytest.mark.parametrize(
    "change",
    [
        {"entries": np.array([0, 9], np.int32)},
        {"entries": np.array([0.5])},
        {"start": np.array([np.nan, 0, 0])},
        {"pass_ends": np.array([5, 1])},
        {"pass_ends": np.array([0.5])},
        {"pass_ends": np.array([[0]])},
        {"header": np.array('{"protocol": 1, "updates": 1}')},
        {"header": np.array('{"protocol": 1, "n_rows": "x", "updates": 1}')},
        {"header": np.array('{"protocol": 99, "n_rows": 4, "updates": 1}')},
        {"header": np.array("not json")},
        {"entries": np.array([object()])},
    ],
)
def test_files_that_do_not_fit_together_are_refused(run, tmp_path, change):
    run[0].ledger.save(tmp_path / "good")
    with np.load(tmp_path / "good") as stored:
        parts = dict(stored) | change
    with open(tmp_path / "bad", "wb") as file:
        np.savez(file, **parts)
    with pytest.raises(LedgerError, match="bad"):
        Ledger.load(tmp_path / "bad")


def test_a_missing_file_is_a_missing_file(tmp_path):
    with pytest.raises(FileNotFoundError):
        Ledger.load(tmp_path / "nothing")


def test_a_failed_save_leaves_the_old_file(run, tmp_path, monkeypatch):
    run[0].ledger.save(tmp_path / "run")
    before = (tmp_path / "run").read_bytes()

    def fail(*_args, **_kwargs):
        raise OSError("disk full")

    monkeypatch.setattr(np, "savez", fail)
    with pytest.raises(OSError, match="disk full"):
        run[0].ledger.save(tmp_path / "run")
    assert (tmp_path / "run").read_bytes() == before
    assert len(list(tmp_path.iterdir())) == 1


def test_beyond_a_limit_it_is_spilled_and_reads_the_same(monkeypatch, rng):
    monkeypatch.setattr(ledger_module, "IN_MEMORY", 100)
    ledger = Ledger(np.zeros(2), 50)
    parts = [rng.integers(50, size=int(size)) for size in rng.integers(1, 60, size=40)]
    for part in parts:
        ledger.append(part)
        ledger.end_pass()
    everything = np.concatenate(parts)
    tape = ledger._entries
    assert tape._on_disk > 500
    assert tape._held <= 100
    assert ledger.entries().tolist() == everything.tolist()
    assert ledger.pass_ends.tolist() == np.cumsum([p.size for p in parts]).tolist()
    for first, last in ((0, 1), (3, 250), (everything.size - 5, None), (everything.size, None), (7, 7)):
        assert ledger.entries(first, last).tolist() == everything[first:last].tolist()
    file = tape._file
    assert file.exists()
    del ledger, tape
    gc.collect()
    assert not file.parent.exists()


def test_a_spilled_ledger_replays(monkeypatch):
    monkeypatch.setattr(ledger_module, "IN_MEMORY", 8)
    run, examples = cases.learn([[1.0], [1.0]], [1, -1], "cyclic", max_passes=30)
    assert run.updates == 60
    assert run.ledger.replay(examples).tobytes() == run.weights.tobytes()


def test_other_examples_are_refused(run):
    run, _ = run
    _, others = cases.learn([[1.0], [2.0]], [1, -1])
    with pytest.raises(LedgerError, match="belongs to 4 rows with 2 features"):
        run.ledger.replay(others)
    with pytest.raises(LedgerError, match="no state after 99"):
        run.ledger.replay(others, 99)


@pytest.mark.parametrize(
    "changed",
    [
        {"fit_intercept": False}, {"bias_scale": 2.0}, {"normalize": True}, {"rows": [1, 0, 2, 3]},
        {"columns": [1, 0]}, {"labels": [1, 0, 1, 1]}, {"weights": [1.5, 1.0, 1.0, 1.0]}, {"factor": 1 + 2**-52},
    ],
)  # fmt: skip
def test_only_the_rows_that_were_corrected_are_replayed(changed, tmp_path):
    X, y, how = np.array([[2.0, 1.0], [3.0, 4.0], [8.0, -3.0], [4.0, -9.0]]), np.array([0, 1, 1, 0]), dict(changed)
    rule = Perceptron().fit(X, y)
    assert set(rule.ledger_.rows.tolist()) == {0, 1, 2, 3}
    rows, columns = how.pop("rows", slice(None)), how.pop("columns", slice(None))
    others = Examples.of(X[rows][:, columns] * how.pop("factor", 1.0), how.pop("labels", y[rows]), **how)
    rule.ledger_.save(tmp_path / "ledger")
    for ledger in (rule.ledger_, Ledger.load(tmp_path / "ledger"), pickle.loads(pickle.dumps(rule.ledger_))):
        with pytest.raises(LedgerError, match="not the rows that this run corrected"):
            ledger.replay(others, 1)
        assert ledger.replay(Examples.of(X, y)).tolist() == rule.weights_[0].tolist()


@given(cases.tables(), st.booleans())
def test_copies_of_the_same_numbers_have_the_same_fingerprint(data, bias):
    X, y = np.array(data[0], np.float32), data[1]
    every = np.arange(len(y))
    kinds = X, X.astype(float), sp.csr_array(X), np.where(X == 0, -0.0, X)
    found = {fingerprint(Examples.of(kind, y, fit_intercept=bias), every) for kind in kinds}
    assert len(found) == 1
    parts = Examples.of(X, y, fit_intercept=bias)
    assert (fingerprint(parts, every[:1]) + fingerprint(parts, every[1:])) % 2**64 in found


def test_fractional_steps_need_the_weights():
    X, y = [[4.0], [-1.0]], [1, -1]
    run, _ = cases.learn(X, y, "cyclic", weights=[0.25, 2.5], bias=False)
    _, unweighted = cases.learn(X, y, bias=False)
    for use in (run.ledger.replay, lambda examples: list(run.ledger.steps(examples))):
        with pytest.raises(LedgerError, match="fractional weight"):
            use(unweighted)


def test_a_stream_longer_than_32_bits_keeps_its_row_numbers():
    ledger = Ledger(np.zeros(1), 2**31 - 10)
    ledger.append(np.array([5]))
    ledger.extend(np.array([3, ~4], np.int32), 20)
    assert ledger.rows.tolist() == [5, 2**31 - 7, 2**31 - 6]


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_forked_child_leaves_the_spilled_ledger(monkeypatch):
    monkeypatch.setattr(ledger_module, "IN_MEMORY", 8)
    ledger = Ledger(np.zeros(1), 50)
    ledger.append(np.arange(20))
    child = os.fork()
    if child == 0:
        del ledger
        gc.collect()
        os._exit(0)
    os.waitpid(child, 0)
    assert ledger.entries().tolist() == list(range(20))


def test_a_saved_ledger_can_be_read_by_others(run, tmp_path):
    run[0].ledger.save(tmp_path / "run")
    (tmp_path / "plain").write_text("")
    assert (tmp_path / "run").stat().st_mode == (tmp_path / "plain").stat().st_mode


def test_counts_go_through_a_long_ledger_in_pieces(monkeypatch):
    run, _ = cases.learn([[0.0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0], "cyclic", max_passes=20)
    rows, many = np.unique(run.ledger.rows[3:50], return_counts=True)
    monkeypatch.setattr(ledger_module, "IN_MEMORY", 8)
    assert max(entries.size for entries in run.ledger.pieces()) == 8
    assert np.concatenate(list(run.ledger.pieces(3, 50))).tolist() == run.ledger.entries(3, 50).tolist()
    assert [part.tolist() for part in run.ledger.counts(3, 50)] == [rows.tolist(), many.tolist()]
    assert run.ledger.is_whole
    half, _ = cases.learn([[4.0], [-1.0]], [1, -1], weights=[0.25, 2.5], bias=False)
    assert not half.ledger.is_whole
