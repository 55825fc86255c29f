"""docs/command.md and the command say the same: its examples run, and its tables of fields fit what is written."""

import re
import shlex
from importlib.resources import files
from pathlib import Path

import pytest

from cli.running import loans, run

PAGE = (Path(__file__).parents[2] / "docs" / "command.md").read_text("utf-8")
TYPES = {"text": str, "whole": int, "number": int | float, "true/false": bool, "list": list, "object": dict}


def tables():
    """Of each thing that has fields: field, type."""
    found = {}
    for title, body in re.findall(
        r"^\| field of (?:an? |the )?([\w-]+) \| type \| \|\n\|[-|]+\n((?:\|.*\n)+)", PAGE, re.M
    ):
        rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in body.splitlines()]
        found[title] = [(name, kind) for name, kind, _ in rows]
    return found


TABLES = tables()


def fields(title):
    """The fields of a command, those of shared tables included: name, the types, whether it may be left out."""
    found = {}
    for name, kind in TABLES[title]:
        if shared := re.fullmatch(r"\*the (\w+)\*", name):
            found |= fields(shared[1])
        else:
            found[name.replace("`", "").rstrip(" ?")] = (kind.split(" or "), name.endswith("?"))
    return found


def fits(value, kind):
    if kind == "null":
        return value is None
    return isinstance(value, TYPES[kind]) and (kind == "true/false" or not isinstance(value, bool))


def complaints(value, path, known, seen):
    """What in a record is not as the page says."""
    seen.add(path)
    if path and not any(fits(value, kind) for kind in known[path][0]):
        yield f"{path}: {value!r} is not {known[path][0]}"
    if isinstance(value, dict):
        below = f"{path}." if path else ""
        if f"{below}*" in known:
            for each in value.values():
                yield from complaints(each, f"{below}*", known, seen)
            return
        children = [name for name in known if name.startswith(below) and re.fullmatch(r"\w+", name[len(below) :])]
        yield from (f"{below}{key} is not on the page" for key in value if f"{below}{key}" not in children)
        for name in children:
            if name[len(below) :] in value:
                yield from complaints(value[name[len(below) :]], name, known, seen)
            elif not known[name][1]:
                yield f"{name} is missing"
    if isinstance(value, list):
        for each in value:
            if f"{path}[]" in known:
                yield from complaints(each, f"{path}[]", known, seen)
            else:
                yield from complaints_of_element(each, path, known, seen)


def complaints_of_element(value, path, known, seen):
    """The same for an object in a list."""
    inside = {name[len(path) + 3 :]: kind for name, kind in known.items() if name.startswith(f"{path}[].")}
    found = set()
    assert inside, f"{path}[] is not on the page"
    yield from (f"{path}[].{each}" for each in complaints(value, "", inside, found))
    seen |= {f"{path}[].{name}" for name in found if name}


@pytest.fixture(scope="module")
def records(desk, demo, tmp_path_factory):
    """What every command writes, in many ways."""
    out = tmp_path_factory.mktemp("out")
    check, fit = ("check", "--json", "-t"), ("fit", "--json", "--seconds", "1", "-o", out / "m.json", "--force", "-t")
    explain, report = ("explain", "--json"), ("report", "--json", "-t", "approved")
    constrained = ("--increasing", "income", "--decreasing", "age")
    few = ("fit", desk["noisy.csv"], "--json", "-t", "approved", "--seconds", "1", "--most-columns", "2")
    strange = out / "strange.csv"
    strange.write_text(desk.text("noisy.csv").replace("clerk", "acrobat"))
    many = out / "many.csv"
    many.write_text(loans(600, wrong=60))
    made = {
        "check": [
            run(*check, "approved", desk["clean.csv"]),
            run(*check, "approved", desk["noisy.csv"], "-o", out / "p.json"),
            run(*check, "approved", desk["noisy.csv"], "--seconds", "1e-9"),
            run(*check, "approved", desk["noisy.csv"], "--kind", "job=ignore", "--no-fewest"),
            run(*check, "grade", desk["grades.csv"]),
            run(*check, "approved", desk["noisy.csv"], *constrained),
        ],
        "fit": [
            run(*fit, "approved", desk["clean.csv"]),
            run(*fit, "approved", desk["noisy.csv"], "--folds", "3", "-a", "averaged"),
            run(*fit, "approved", desk["noisy.csv"], "--hold-out", "0", "-a", "voted"),
            run(*fit, "grade", desk["grades.csv"], "-a", "averaged"),
            run(*fit, "y", desk["text.csv"], "-a", "averaged"),
            run(*fit, "approved", many, "--at-most", "30%", "--probability", "-a", "averaged", "--no-prove"),
            run(*fit, "approved", many, "--rate", "20%", "-a", "averaged", "--no-prove"),
            run(*fit, "approved", desk["noisy.csv"], *constrained, "--steps", "age"),
            run(*few, "-o", out / "few.json"),
        ],
        "report": [
            run(*report, desk["noisy.csv"], "--seconds", "1", "-o", out / "r.html", *constrained),
            run(*report, many, "--at-most", "30%", "--probability", "-a", "averaged", "-o", out / "s.html"),
            run(*report, many, "--rate", "20%", "-a", "averaged", "-o", out / "t.html"),
            run("report", *few[1:], "-o", out / "few.html", "--model", out / "again.json"),
        ],
        "predict": [
            run("predict", desk["noisy.json"], desk["noisy.csv"], "--json", "-o", out / "1.csv"),
            run("predict", desk["noisy.json"], desk["noisy.csv"], "--json", "-o", out / "2.csv", "--judge"),
            run("predict", desk["noisy.json"], strange, "--json", "-o", out / "3.csv"),
            run("predict", desk["noisy.json"], desk["noisy.csv"], "--json", "-o", out / "4.csv", "--places", "9"),
        ],
        "explain": [
            run(*explain, desk["noisy.json"]),
            run(*explain, desk["grades.json"]),
            run(*explain, out / "m.json"),
            run(*explain, out / "few.json"),
            run(*explain, desk["noisy.json"], desk["noisy.csv"], "--integers", "--largest", "9", "-o", out / "c.json"),
        ],
        "export": [run("export", desk["noisy.json"], "--json", "--to", "sql", "-o", out / "s.sql")],
        "verify": [run("verify", "--json", desk["noisy.json"], desk[f"{name}.csv"]) for name in ("clean", "noisy")],
        "compare": [
            run("compare", "--json", desk["noisy.json"], desk["kernel.json"], desk["noisy.csv"], *options)
            for options in ((), ("--held-out", "--cost", "no=2", "-o", out / "d.csv", "--report", out / "d.html"))
        ],
        "monitor": [
            run("monitor", "--json", desk["noisy.json"], strange, *options)
            for options in ((), ("--report", out / "n.html"))
        ],
        "demo": [demo],
        "warm-up": [run("warm-up", "--json")],
        "error": [run("check", "--json", "nowhere.csv", "-t", "y"), run("fit", "--json")],
    }
    return {title: [each.record for each in ran] for title, ran in made.items()}


@pytest.mark.parametrize("title", [title for title in TABLES if title not in ("table", "rule")])
def test_the_tables_of_fields(title, records):
    pytest.importorskip("matplotlib")
    known, seen = fields(title), set()
    for record in records[title]:
        assert list(complaints(record, "", known, seen)) == []
    assert set(known) - seen == set(), "on the page, but never written"
    assert title == "error" or all(record["command"] == title for record in records[title])


def test_every_command_has_a_table_and_a_heading():
    from rosenblatt.cli.app import app

    commands = {command.name for command in app.registered_commands}
    assert commands == set(TABLES) - {"table", "rule", "error"}
    assert all(f"\n## {name}\n" in PAGE for name in commands)


def test_a_false_table_is_noticed():
    known = {"a": (["whole"], False), "b": (["list"], False), "b[].c": (["text", "null"], False)}
    good = {"a": 1, "b": [{"c": "x"}, {"c": None}]}
    assert list(complaints(good, "", known, set())) == []
    for bad in ({**good, "a": True}, {**good, "a": 1.5}, {"a": 1}, {**good, "d": 1}, {**good, "b": [{"c": 3}]}):
        assert list(complaints(bad, "", known, set())) != []


def test_the_examples(tmp_path, monkeypatch):
    pytest.importorskip("matplotlib")
    table = (files("rosenblatt") / "data" / "german_credit.csv").read_text("utf-8")
    (tmp_path / "credit.csv").write_text(table)
    (tmp_path / "first.csv").write_text("".join(table.splitlines(keepends=True)[:101]))
    (tmp_path / "options.toml").write_text(re.search(r"```toml\n(.*?)```", PAGE, re.S)[1])
    monkeypatch.chdir(tmp_path)
    count = 0
    for block in re.findall(r"```console\n(.*?)```", PAGE, re.S):
        for step in block.split("$ ")[1:]:
            typed, *shown = step.splitlines()
            words = shlex.split(typed, comments=True)
            if words[:2] == ["rosenblatt", "demo"]:
                continue
            ran = run(*words[1:])
            assert ran.code == (1 if "# exit code 1" in typed else 0), (typed, ran)
            for line in shown:
                pattern = re.escape(line).replace(r"\.\.\.", ".*")
                assert re.search(f"^{pattern}$", ran.out, re.M), (typed, line, ran.out)
            count += 1
    assert count > 12
