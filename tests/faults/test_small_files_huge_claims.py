"""Small files with large numbers in them take the memory that their size asks for, not that of the numbers.

All of it runs in a process of its own, which the system stops before it could take the machine's memory.
"""

import gzip
import io
import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest

from faults.mutating import GOLDEN, signed
from rosenblatt import OnlinePerceptron
from rosenblatt.errors import LedgerError, OptionError, TableError
from rosenblatt.learn.ledger import Ledger
from rosenblatt.read import files
from rosenblatt.read.encode.columns import SparseColumn
from rosenblatt.read.encode.encoding import Encoding
from rosenblatt.read.encode.infer import encoding_of
from rosenblatt.read.sources import read_table

HUNGRY = """
import resource, sys
base = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (base + 6_000_000_000, -1))
from cli.running import run
from faults.fuzz_files import peak, reset_peak
from rosenblatt.ship.file.modelfile import Model
run("fit", sys.argv[1], "-t", "label", "-a", "perceptron", "-o", "warm.json")  # what any run needs
for line in sys.stdin.read().splitlines():
    before = reset_peak()
    if line.startswith("load "):
        Model.load(line.split()[1])
        code = 0
    else:
        code = run(*line.split()).code
    print(code, (peak() - before) // 10**6, line)
"""
needs_proc = pytest.mark.skipif(not os.path.exists("/proc/self/clear_refs"), reason="memory is measured as Linux does")
ROWS = GOLDEN / "numbered" / "rows.libsvm"


def wide_rows(last):
    """Six rows with two features, the second of a large number."""
    return "".join(f"{(-1) ** k:+d} 1:{k} {last}:{k * k % 5}.5\n" for k in range(6))


def many_classes():
    """A kernel's rule of 2^24 features and 60 classes, with seven support rows."""
    record = json.loads((GOLDEN / "models" / "kernel_precomputed.json").read_text())
    record["features"] = record["learned"]["rows"] = 2**24
    record["classes"] = {"type": "int64", "labels": list(range(60))}
    record["learned"]["rules"] *= 60
    record["conventions"] |= {
        "threshold": "each class has a rule against the rest; the class with the greatest score is predicted",
        "ties": "of equal scores the first class",
    }
    return signed(record)


def wide_proof(features):
    """A proof about so many numbered features."""
    certificate = json.loads((GOLDEN / "numbered" / "model.json").read_text())["certificates"][0]["contradictions"][0]
    model = json.loads((GOLDEN / "numbered" / "model.json").read_text())
    model["encoding"]["columns"][0]["count"] = model["data"]["features"] = certificate["features"] = features
    claims = [{"class": "1", "certificate": certificate | {"n": 60}}]
    about = {name: model[name] for name in ("protocol", "made_by", "data", "encoding")}
    return signed({"format": "rosenblatt proof", **about, "claims": claims})


@needs_proc
def test_the_memory_follows_from_what_is_in_the_file(tmp_path):
    made = {
        "a.libsvm": wide_rows(20_000_000),
        "b.libsvm": wide_rows(2**31 - 1),
        "kernel.json": many_classes(),
        "proof.json": wide_proof(2**24),
        "texts.json": "[" + '"ab",' * (2**24 - 10) + "0]",
        "escapes.json": "[" + r'"\":\":",' * (2**22) + "0]",
        "fields.json": "{" + '"x":1,' * (2**24 - 10) + '"x":1}',
    }
    for name, text in made.items():
        (tmp_path / name).write_text(text)
    commands = {"load kernel.json": 0, f"verify proof.json {ROWS}": 1}
    for name in ("a", "b"):
        commands |= {
            f"check {name}.libsvm -t label": 1,
            f"fit {name}.libsvm -t label -o {name}.json": 0,
            f"verify {name}.json {name}.libsvm": 0,
            f"predict {name}.json b.libsvm": 0,
            f"explain {name}.json": 0,
            f"export {name}.json --to sql": 0,
            f"fit {name}.libsvm -t label -a tree -o {name}_tree.json": 0,
            f"verify {name}_tree.json {name}.libsvm": 0,
        }
    commands |= {f"predict {name}.json a.libsvm": 3 for name in ("texts", "escapes", "fields")}
    ran = subprocess.run(
        [sys.executable, "-c", HUNGRY, str(ROWS)], input="\n".join(commands), capture_output=True, text=True,
        check=False, cwd=tmp_path, timeout=600, env=os.environ | {"PYTHONPATH": os.pathsep.join(map(str, sys.path))},
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr[-2000:]
    found = {line: (int(code), int(much)) for code, much, line in (s.split(" ", 2) for s in ran.stdout.splitlines())}
    assert {line: code for line, (code, _) in found.items()} == commands
    assert {line: much for line, (_, much) in found.items() if much > 500} == {}


# -- numbered features ------------------------------------------------------------------------------------------


def test_only_numbers_that_occur_are_features_where_most_do_not(tmp_path):
    (tmp_path / "t.libsvm").write_text(wide_rows(2**31 - 1))
    table = read_table(tmp_path / "t.libsvm")
    assert table.notes == ("LIBSVM: 2 numbered features, the last one is number 2147483647",)
    encoding, _ = encoding_of(table, "label")
    (column,) = encoding.columns
    assert (column.count, column.numbers) == (2, (1, 2**31 - 1))
    assert encoding.names == ["1", "2147483647"]
    X = encoding.encode(table.whole())
    assert X.shape == (6, 2)
    assert X.indices.dtype == X.indptr.dtype == np.int32
    assert X.toarray().tolist() == [[k, k * k % 5 + 0.5] for k in range(6)]
    assert Encoding.from_record(json.loads(json.dumps(encoding.as_record()))) == encoding


def test_other_numbers_have_no_points(tmp_path):
    (tmp_path / "t.libsvm").write_text("1 2:5 3:1 70000:7\n-1 80000:1\n1 70000:2 2147483647:9\n1\n")
    X = read_table(tmp_path / "t.libsvm").whole()
    chosen = SparseColumn("features", 2, 2.0**-20, 16.0, (2, 70_000))
    assert chosen.encode(X).toarray().tolist() == [[5, 7], [0, 0], [0, 2], [0, 0]]
    assert SparseColumn("features", 3, 2.0**-20, 16.0).encode(X).toarray().tolist() == [
        [0, 5, 1],
        [0] * 3,
        [0] * 3,
        [0] * 3,
    ]


@pytest.mark.parametrize(("last", "there"), [(65_536, 2), (65_537, 2), (70_000, 40_000)])
def test_numbers_up_to_a_limit_and_without_large_gaps_are_all_features(last, there, tmp_path):
    places = " ".join(f"{k}:1" for k in range(1, there)) + f" {last}:1"
    (tmp_path / "t.libsvm").write_text(f"1 {places}\n-1 1:1\n")
    (column,) = encoding_of(read_table(tmp_path / "t.libsvm"), "label")[0].columns
    gaps = last > 65_536 and last > 2 * there
    assert (column.count, bool(column.numbers)) == ((there, True) if gaps else (last, False))
    assert ("numbers" in column.as_record()) == gaps


# -- other files ------------------------------------------------------------------------------------------------


def npy(shape, kind, data):
    """An array file that claims this shape."""
    file = io.BytesIO()
    np.lib.format.write_array_header_1_0(file, {"descr": kind, "fortran_order": False, "shape": shape})
    return file.getvalue() + data


def test_a_ledger_that_claims_to_be_larger_than_it_is_is_refused(tmp_path):
    Ledger(np.zeros(3), 5).save(tmp_path / "whole.npz")
    Ledger.load(tmp_path / "whole.npz")
    with zipfile.ZipFile(tmp_path / "whole.npz") as whole:
        members = {name: whole.read(name) for name in whole.namelist()}
    for name, packing in (("claimed.npz", zipfile.ZIP_STORED), ("packed.npz", zipfile.ZIP_DEFLATED)):
        huge = npy((2**40,), "<f8", b"") if packing == zipfile.ZIP_STORED else npy((2**20,), "<f8", bytes(2**23))
        with zipfile.ZipFile(tmp_path / name, "w", packing) as archive:
            for member, data in (members | {"start.npy": huge}).items():
                archive.writestr(member, data)
    (tmp_path / "bare.npz").write_bytes(npy((2**40,), "<f8", b""))
    for name in ("claimed.npz", "packed.npz", "bare.npz"):
        with pytest.raises(LedgerError, match="not a ledger, or damaged"):
            Ledger.load(tmp_path / name)


def test_a_state_with_more_features_than_weights_is_refused_before_there_is_room_for_them():
    rule = OnlinePerceptron(classes=[0, 1])
    rule.learn_one([1.0, 2.0], 1)
    state = rule.get_state()
    with pytest.raises(OptionError, match="need 2147483649 weights"):
        OnlinePerceptron(classes=[0, 1]).set_state(state | {"features": 2**31, "width": None})


@pytest.fixture
def small_machine(monkeypatch):
    """A machine with 40 MB of memory to spare."""
    monkeypatch.setattr(files, "available_memory", lambda: 40e6)


@pytest.mark.usefixtures("small_machine")
def test_a_packed_table_that_is_larger_than_it_seems_is_read_in_blocks(tmp_path):
    with gzip.open(tmp_path / "t.csv.gz", "wb") as file:
        file.write(b"x,y,label\n" + b"0,1,a\n1,0,b\n" * 500_000)
    assert (tmp_path / "t.csv.gz").stat().st_size < 20_000
    table = read_table(tmp_path / "t.csv.gz")
    assert table.is_large
    assert table.height == 1_000_000


@pytest.mark.usefixtures("small_machine")
def test_packed_rows_that_must_be_held_and_do_not_fit_are_refused(tmp_path):
    with gzip.open(tmp_path / "t.libsvm.gz", "wb") as file:
        file.write(b"1 1:2 3:4\n-1 2:1\n" * 200_000)
    with gzip.open(tmp_path / "t.arff.gz", "wb") as file:
        file.write(b"@relation r\n@attribute x numeric\n@data\n" + b"1\n" * 400_000)
    for name in ("t.libsvm.gz", "t.arff.gz"):
        with pytest.raises(TableError, match=f"{name}: its rows do not fit into memory; use a part of them"):
            read_table(tmp_path / name)


def test_a_zip_that_would_fill_the_disk_is_not_unpacked(tmp_path, monkeypatch):
    with zipfile.ZipFile(tmp_path / "t.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("t.csv", b"x,label\n" + b"0,a\n1,b\n" * 100_000)
    usage = type("Usage", (), {"free": 2**20})
    monkeypatch.setattr(files.shutil, "disk_usage", lambda folder: usage)
    with pytest.raises(TableError, match=r"t\.zip: not enough disk space to unpack it: it takes .* GiB"):
        read_table(Path(tmp_path / "t.zip"))
