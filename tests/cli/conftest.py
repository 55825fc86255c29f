"""Tables and models that the tests of the command share; none of them writes into this folder."""

import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest

from cli.running import SPARSE, grades, loans, run


@dataclass(frozen=True)
class Desk:
    """A folder with tables and models."""

    folder: Path

    def __getitem__(self, name):
        return str(self.folder / name)

    def text(self, name):
        return (self.folder / name).read_text()


@pytest.fixture(scope="session")
def desk(tmp_path_factory):
    """clean.csv is separable, noisy.csv is not, grades.csv has three classes; and models learned from them."""
    made = Desk(tmp_path_factory.mktemp("desk"))
    (made.folder / "clean.csv").write_text(loans())
    (made.folder / "noisy.csv").write_text(loans(80, wrong=7))
    (made.folder / "grades.csv").write_text(grades())
    (made.folder / "text.csv").write_text(
        "\n".join(["words,y", *(f"good {k} day,a\nbad {k} night,b" for k in range(20))])
    )
    (made.folder / "sparse.libsvm").write_text(SPARSE)
    for name, table, target, algorithm in (
        ("clean", "clean.csv", "approved", "fewest-mistakes"),
        ("noisy", "noisy.csv", "approved", "pocket"),
        ("voted", "noisy.csv", "approved", "voted"),
        ("kernel", "noisy.csv", "approved", "kernel"),
        ("grades", "grades.csv", "grade", "averaged"),
        ("sparse", "sparse.libsvm", "label", "averaged"),
    ):
        ran = run("fit", made[table], "-t", target, "-a", algorithm, "-o", made[f"{name}.json"], "--seconds", "1")
        assert ran.code == 0, ran
    assert run("check", made["noisy.csv"], "-t", "approved", "-o", made["proof.json"], "--seconds", "1").code == 1
    return made


@pytest.fixture(scope="session")
def demo(tmp_path_factory):
    """The demo, run once."""
    pytest.importorskip("matplotlib")
    return run("demo", "--folder", tmp_path_factory.mktemp("demo") / "new" / "folder", "--json", "--quiet")


@pytest.fixture
def here(desk, tmp_path, monkeypatch):
    """A copy of the desk to work in."""
    shutil.copytree(desk.folder, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path
