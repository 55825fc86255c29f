"""A model that is being written: killed, out of space, outpaced or interrupted, it leaves the old file or the new."""

import errno
import os
import subprocess
import sys
import threading
from contextlib import suppress

import pytest

from rosenblatt import Perceptron
from rosenblatt.desk.load import load_model
from rosenblatt.errors import ModelError
from rosenblatt.ship.file import atomic
from rosenblatt.ship.file.modelfile import Model, save_model

KILLED = """
import os, signal, sys
from rosenblatt.ship.file import atomic
target, new, replace = sys.argv[1], open(sys.argv[2], "rb").read(), sys.argv[3] == "replace"

def killed_at(step):
    steps = 0
    def trace(frame, event, argument):
        nonlocal steps
        if frame.f_code.co_filename != atomic.__file__:
            return None
        steps += 1
        if steps == step:
            os.kill(os.getpid(), signal.SIGKILL)
        return trace
    return trace

def found():
    if not os.path.exists(target):
        return "none"
    data = open(target, "rb").read()
    return "new" if data == new else "old" if data == b"old" else "broken"

step, killed = 0, True
while killed:
    step += 1
    if replace:
        with open(target, "wb") as file:
            file.write(b"old")
    elif os.path.exists(target):
        os.unlink(target)
    child = os.fork()
    if not child:
        sys.settrace(killed_at(step))
        atomic.write_whole(target, new, replace=replace)
        os._exit(0)
    killed = os.waitpid(child, 0)[1] != 0
    print(found(), flush=True)
"""


@pytest.mark.parametrize(("how", "before"), [("replace", "old"), ("new", "none")])
@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_process_killed_before_any_line_leaves_the_old_file_or_the_new_one(how, before, tmp_path):
    (tmp_path / "wanted").write_text("new\n" * 50_000)
    run = subprocess.run(
        [sys.executable, "-c", KILLED, tmp_path / "m", tmp_path / "wanted", how],
        capture_output=True, text=True, timeout=120, check=True,
    )  # fmt: skip
    found = run.stdout.split()
    many = found.count(before)
    assert found == [before] * many + ["new"] * (len(found) - many)
    assert many > 15
    assert len(found) > many + 5


@pytest.fixture
def rule():
    return Perceptron().fit([[0.0], [1.0]], [0, 1])


@pytest.fixture
def existing(rule, tmp_path):
    save_model(rule, tmp_path / "m")
    return tmp_path / "m"


def failing(number):
    def fail(*_, **__):
        raise OSError(number, os.strerror(number))

    return fail


@pytest.mark.parametrize("what", ["fsync", "replace", "open", "chmod"])
@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EACCES, errno.EIO, errno.EROFS])
def test_where_nothing_can_be_written_the_old_file_stays(rule, existing, what, number, monkeypatch):
    before = existing.read_bytes()
    monkeypatch.setattr(atomic.os, what, failing(number))
    with pytest.raises(ModelError, match=f"m: cannot be written: {os.strerror(number)}"):
        save_model(rule, existing, force=True)
    monkeypatch.undo()
    assert existing.read_bytes() == before
    assert [path.name for path in existing.parent.iterdir()] == ["m"]


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="this system has no device that is always full")
def test_a_full_disk_is_told(rule, tmp_path, monkeypatch):
    draft = os.open
    monkeypatch.setattr(atomic.os, "open", lambda path, flags, *mode: draft("/dev/full", os.O_WRONLY))
    with pytest.raises(ModelError, match="No space left on device"):
        save_model(rule, tmp_path / "m")


def test_a_folder_that_does_not_exist_is_told(rule, tmp_path):
    with pytest.raises(ModelError, match="nowhere/m: cannot be written: No such file or directory"):
        save_model(rule, tmp_path / "nowhere" / "m")


@pytest.mark.parametrize("links", [True, False])
def test_a_file_that_appears_meanwhile_is_not_overwritten(rule, links, tmp_path, monkeypatch):
    write = atomic._write

    def and_another_is_faster(draft, data):
        write(draft, data)
        (tmp_path / "m").write_text("of somebody else")

    monkeypatch.setattr(atomic, "_write", and_another_is_faster)
    if not links:
        monkeypatch.setattr(atomic.os, "link", failing(errno.EPERM))
    with pytest.raises(ModelError, match="already exists; use force=True"):
        save_model(rule, tmp_path / "m")
    assert (tmp_path / "m").read_text() == "of somebody else"
    assert [path.name for path in tmp_path.iterdir()] == ["m"]


def test_without_links_it_is_written_all_the_same(rule, tmp_path, monkeypatch):
    monkeypatch.setattr(atomic.os, "link", failing(errno.EPERM))
    save_model(rule, tmp_path / "m")
    assert load_model(tmp_path / "m").weights_.tolist() == rule.weights_.tolist()
    assert [path.name for path in tmp_path.iterdir()] == ["m"]


def test_of_many_who_write_at_once_one_succeeds(rule, tmp_path):
    told = []

    def save(k):
        with suppress(ModelError):
            save_model(rule, tmp_path / "m", held_out={"writer": k})
            told.append(k)

    threads = [threading.Thread(target=save, args=(k,)) for k in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [Model.load(tmp_path / "m").held_out["writer"]] == told


def test_ctrl_c_while_it_is_written_leaves_nothing_behind(rule, existing, monkeypatch):
    def pressed(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(atomic.os, "replace", pressed)
    with pytest.raises(KeyboardInterrupt):
        save_model(rule, existing, force=True)
    assert [path.name for path in existing.parent.iterdir()] == ["m"]
    load_model(existing)
