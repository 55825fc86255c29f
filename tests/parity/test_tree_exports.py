"""One tree, one label: here, in three databases and in plain Python."""

import ast
import csv
import io
import sqlite3
import subprocess
import sys
from functools import cache
from math import log2
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import Phase, example, find, given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from parity.odd_trees import Grown, by_tree, columns_of, grown, kinds_met, needed_kinds, odd_trees
from rosenblatt.errors import OptionError
from rosenblatt.estimators.tree import PerceptronTree
from rosenblatt.learn.tree.tree import CategoryTest, Columns, FeatureTest, LeafRule, Node, PerceptronTest, Stop
from rosenblatt.read.encode.columns import (
    CategoryColumn,
    DateColumn,
    HashedTextColumn,
    NumberColumn,
    SparseColumn,
    TextColumn,
    YesNoColumn,
)
from rosenblatt.read.encode.encoding import Encoding, Target
from rosenblatt.read.encode.infer import encoding_of
from rosenblatt.read.encode.tree_view import grid
from rosenblatt.read.sources import read_table
from rosenblatt.ship.export.sql import number
from rosenblatt.ship.export.tree_python import python_of_tree
from rosenblatt.ship.export.tree_sql import sql_of_tree
from rosenblatt.ship.export.tree_steps import LeafStep, sources_of, steps_of

SHARED = Path(__file__).parents[3] / "shared" / "data"
SETS = {
    "german_credit/germancredit.csv": ("creditability", {"categories": "each"}),
    "credit_approval/crx.data": ("c16", {"test": "perceptron", "leaves": "perceptron"}),  # values are missing
    "auto_mpg/cars.csv": ("cylinders", {"leaves": "perceptron"}),  # five classes, names of cars as words
    "vote/vote.arff": ("Class", {"criterion": "gain ratio"}),  # yes/no, and often missing
}
X = NumberColumn("x", 0.0, 1.0, 2.0**-10, -8.0, 8.0, True)
Z = NumberColumn("z", 0.0, 1.0, 2.0**-10, -8.0, 8.0, True)
TOWN = CategoryColumn("town", ("Rome", "Oslo"), True, True)

some_engines = pytest.mark.parametrize(
    "engine", ["duckdb", "sqlite", "postgresql", "python"], indirect=True, scope="session"
)


def of(*columns, nodes, classes=("no", "yes")):
    return grown(Encoding(columns, Target("y", classes)), nodes)


def leaf(k, *counts, **more):
    return Node(k, counts, stop=Stop.PURE, **more)


def assert_same(found, expected, *about):
    """Labels and shares are those of the tree, to the last bit."""
    assert found[0] == expected[0], about
    np.testing.assert_array_equal(found[1], expected[1], str(about))


@cache
def learned(name):
    """A set of the shared data, and a tree learned from it."""
    if not (SHARED / name).exists():
        pytest.skip(f"{name} is not in {SHARED}")
    target, options = SETS[name]
    table = read_table(SHARED / name).with_known(target)
    encoding, _ = encoding_of(table, target)
    rows = table.whole()
    seen = Columns(columns_of(encoding), grid(encoding, rows))
    tree = PerceptronTree(prune=0.003, **options).fit(seen, encoding.labels(rows))
    return rows, Grown(encoding, tree.tree_)


@cache
def odd_examples():
    """Odd tables, each with a tree and what it says. Made once for all engines."""
    made = []

    @settings(max_examples=45, phases=[Phase.generate], database=None)
    @given(odd_trees())
    def collect(example):
        frame, rule = example
        made.append((frame, rule, by_tree(rule, frame)))

    collect()
    return made


@some_engines
@pytest.mark.parametrize("name", SETS)
def test_shared_data(engine, name):
    rows, rule = learned(name)
    assert_same(engine(rule, rows), by_tree(rule, rows))


@some_engines
def test_odd_trees(engine):
    examples = odd_examples()
    for frame, rule, expected in examples[:20] if engine.name == "duckdb" else examples:  # which plans slowly
        assert_same(engine(rule, frame), expected, frame, rule)


@pytest.mark.parametrize("kind", list(needed_kinds()), ids=str)
def test_odd_trees_are_odd(kind):
    find(
        odd_trees(),
        lambda example: kind in kinds_met(*example),
        settings=settings(max_examples=2000, phases=[Phase.generate]),
    )


@given(odd_trees())
@settings(max_examples=25)
def test_nests_are_no_deeper_than_the_logarithm_of_the_leaves(example):
    _, rule = example
    steps = list(steps_of(rule.tree, sources_of(rule.encoding, rule.tree)))
    ends = sum(isinstance(step, LeafStep) for step in steps)
    assert len(steps) == 2 * ends - 1  # a condition for every end but the last
    assert max(step.level for step in steps) <= log2(ends)


def chain(depth):
    """A tree of one long path that narrows from both sides; tests of a number and of a sum."""
    nodes, here = {}, 0
    for k in range(depth):
        at, threshold = 2 * k + 1, (8.0 - 8.0 * k / depth) * (-1) ** k
        test = FeatureTest(0, threshold) if k % 3 else PerceptronTest((0, 1), (-1, -1), (1.0, 0.01), threshold)
        nodes[here] = Node(here, (1.0, 1.0), test, (at, at + 1), at, at)
        end, here = (at, at + 1) if threshold < 0 else (at + 1, at)
        nodes[end] = leaf(end, 1.0, float(k % 5))
    nodes[here] = leaf(here, 1.0, 2.0)
    return [nodes[k] for k in sorted(nodes)]


@some_engines
def test_a_deep_tree(engine):
    rule = of(X, Z, nodes=chain(300))
    assert max(rule.tree.depths) == 300
    x = np.linspace(-9.0, 9.0, 80)
    frame = pl.DataFrame({"x": [*x, None, 0.0], "z": [*x[::-1], 1.0, None]})
    assert len(set(rule.tree.apply(grid(rule.encoding, frame)).tolist())) > 60
    assert_same(engine(rule, frame), by_tree(rule, frame))


@some_engines
def test_ends_of_the_range(engine):
    """Beyond the range is at its end; infinities and NaN are missing; tiny numbers raise no error."""
    test = PerceptronTest((0, 1), (-1, -1), (0.25, -1e-3), 2.0 + 8e-3)  # what the largest x and the smallest z give
    nodes = [Node(0, (1, 1), test, (1, 2, 3), 3, 1), leaf(1, 1, 0), leaf(2, 0, 1), leaf(3, 3, 2)]
    ends = [8.0, 1e308, -1e308, float("inf"), float("-inf"), float("nan"), None, -0.0, 5e-324, -2e-320, 1e-300]
    frame = pl.DataFrame([(x, z) for x in ends for z in (*ends, -8.5)], ["x", "z"], orient="row")
    rule = of(X, Z, nodes=nodes)
    assert_same(engine(rule, frame), by_tree(rule, frame))


@some_engines
@pytest.mark.parametrize("threshold", [-8.5, -8.0, 8.0, 9.0])
def test_thresholds_at_the_ends_of_the_range(engine, threshold):
    rule = of(X, nodes=[Node(0, (1, 1), FeatureTest(0, threshold), (1, 2), 2, 1), leaf(1, 1, 0), leaf(2, 0, 1)])
    frame = pl.DataFrame({"x": [-9.0, -8.25, -8.0, -7.0, 0.0, 7.0, 8.0, 8.5, 10.0, 1e308, -1e308, None]})
    assert_same(engine(rule, frame), by_tree(rule, frame))


@some_engines
def test_numbered_features(engine):
    """What is absent is 0, and never missing."""
    encoding = Encoding((SparseColumn("features", 3, 2.0**-20, 4.0),), Target("label", ("-1", "1")))
    test = PerceptronTest((0, 2), (-1, -1), (0.5, 1.0), 2.0)
    nodes = [Node(0, (1, 1), FeatureTest(1, 0.0), (1, 2, 3), 3, 1), Node(1, (1, 1), test, (4, 5), 5, 4)]
    rule = grown(encoding, [*nodes, leaf(2, 1, 2), leaf(3, 0, 1), leaf(4, 1, 0), leaf(5, 1, 3)])
    dense = np.array([[0.0, 0.0, 2.0], [4.5, 0.0, 0.0], [1.0, 0.5, 0.0], [9.0, -1.0, 1e-9], [0.0, 0.0, 0.0]])
    cells = {str(k + 1): [x or None for x in column] for k, column in enumerate(dense.T.tolist())}
    assert_same(engine(rule, pl.DataFrame(cells)), by_tree(rule, csr_array(dense)))


@some_engines
def test_words(engine):
    """A text that is missing has no words."""
    words = TextColumn("note", ("late", "fee"))
    test = PerceptronTest((0, 1), (-1, -1), (0.1, 0.2), 0.1)
    nodes = [Node(0, (1, 1), FeatureTest(1, 0.5), (1, 2, 3), 3, 2), leaf(1, 2, 1), Node(2, (1, 1), test, (4, 5), 5, 4)]
    rule = of(words, nodes=[*nodes, leaf(3, 0, 1), leaf(4, 1, 3), leaf(5, 1, 4)])
    frame = pl.DataFrame({"note": ["a Late,fee", None, "", "FEE", "fees", "late"]})
    assert_same(engine(rule, frame), by_tree(rule, frame))


@some_engines
def test_sums_are_of_doubles_from_the_first_term(engine):
    """0.1 + 0.2 is above 0.3 in doubles, and not in decimals."""
    columns = [CategoryColumn(name, ("a", "b"), False, False) for name in "uv"]
    test = PerceptronTest((0, 1), (0, 0), (0.1, 0.2), 0.3)
    rule = of(*columns, nodes=[Node(0, (1, 1), test, (1, 2), 1, 1), leaf(1, 1, 0), leaf(2, 0, 1)])
    frame = pl.DataFrame({"u": ["a", "a"], "v": ["a", "b"]})
    assert_same(engine(rule, frame), (["yes", "no"], np.array([[1.0], [0.0]])))


@some_engines
def test_a_range_without_zero(engine):
    """A tiny number is at the lower end, then."""
    test = PerceptronTest((0,), (-1,), (0.25,), 0.2)
    column = NumberColumn("x", 4.0, 1.0, 2.0**-10, 1.0, 8.0, True)
    rule = of(column, nodes=[Node(0, (1, 1), test, (1, 2), 1, 1), leaf(1, 1, 0), leaf(2, 0, 1)])
    frame = pl.DataFrame({"x": [5e-324, 0.0, 2.0, None]})
    assert_same(engine(rule, frame), (["yes", "yes", "yes", "no"], np.array([[1.0], [1.0], [1.0], [0.0]])))


@some_engines
def test_a_tree_without_a_test(engine):
    rule = of(X, nodes=[leaf(0, 1, 2, 0.5)], classes=("it's", "b", "c"))
    frame = pl.DataFrame({"x": [1.0, None]})
    assert_same(engine(rule, frame), (["b", "b"], np.array([[1, 2, 0.5]] * 2) / 3.5))


CARS = [
    Node(0, (9, 9), FeatureTest(0, 0.5), (1, 2, 3), 3, 1),
    Node(1, (3, 6), CategoryTest(1, ((0,), (1, 2))), (4, 5), 5, 5),
    leaf(2, 1, 3, rule=LeafRule(PerceptronTest((0, 1), (-1, 2), (1.0, -0.3), 4.25), ((1, 0), (0, 3), (0, 0)))),
    leaf(3, 5, 0),
    leaf(4, 1, 3),
    leaf(5, 2, 1),
]
LABEL = """
SELECT
CASE
  WHEN "x_" IS NULL THEN 'no'
  WHEN "x_" <= 0.5e0 THEN
    CASE
      WHEN "town_" = 'Rome' THEN 'yes'
      ELSE 'no'
    END
  WHEN "x_" IS NULL OR "town_" IS NULL THEN 'yes'
  WHEN "x_" - 0.3e0 * CAST("town_" NOT IN ('Rome', 'Oslo') AS INTEGER) <= 4.25e0 THEN 'no'
  ELSE 'yes'
END
FROM cells WHERE cell_wrong = 0)"""
FUNCTION = '''
def _end(cell):
    """The label where a row ends, and the shares of the classes."""
    if math.isnan(cell['x']):
        return 'no', (1.0, 0.0)
    if cell['x'] <= 0.5:
        if cell['town'] == 'Rome':
            return 'yes', (0.25, 0.75)
        return 'no', (0.6666666666666666, 0.3333333333333333)
    if math.isnan(cell['x']) or cell['town'] is None:
        return 'yes', (0.25, 0.75)
    if cell['x'] - 0.3 * _is_none_of(cell['town'], ('Rome', 'Oslo')) <= 4.25:
        return 'no', (1.0, 0.0)
    return 'yes', (0.0, 1.0)
'''


def test_what_is_written_can_be_read():
    rule = of(X, TOWN, nodes=CARS)
    assert sql_of_tree(rule.encoding, rule.tree).endswith(LABEL)
    assert FUNCTION in python_of_tree(rule.encoding, rule.tree)


def test_features_alone_need_no_range():
    nodes = [Node(0, (1, 1), FeatureTest(0, 0.5), (1, 2), 2, 1), leaf(1, 1, 0), leaf(2, 0, 1)]
    rule = of(X, nodes=nodes)
    cell = 'CAST(t."x" AS DOUBLE PRECISION)'
    query = sql_of_tree(rule.encoding, rule.tree, table="cars")
    label = "CASE (s.score > 0.5e0) WHEN TRUE THEN 'yes' WHEN FALSE THEN 'no' END AS label"
    assert query.startswith(f"SELECT s.*,\n{label}\n")
    assert f"THEN CASE WHEN ABS({cell}) <= 1.7976931348623157e+308 THEN {cell} END" in query


def clashing():
    named = ["x", "x_", "X__", "n" * 60, "cell_4", "score"]
    columns = [NumberColumn(name, 0.0, 1.0, 2.0**-10, -8.0, 8.0, False) for name in named]
    test = PerceptronTest(tuple(range(6)), (-1,) * 6, (1.0,) * 6, 3.5)
    return named, of(*columns, nodes=[Node(0, (1, 1), test, (1, 2), 2, 1), leaf(1, 1, 0), leaf(2, 0, 1)])


@some_engines
def test_a_text_that_is_no_number(engine):
    """It has no label in SQL, and is refused in Python."""
    rule = of(X, nodes=[Node(0, (1, 1), FeatureTest(0, 0.5), (1, 2), 2, 1), leaf(1, 1, 0), leaf(2, 0, 1)])
    bad = ["1-2" if engine.name != "duckdb" else "one", "ten"]  # DuckDB stops at what begins like a number
    frame = pl.DataFrame({"x": ["0.5", "0.75", "NA", " 7", *bad]})
    if engine.name == "python":
        module = {}
        exec(python_of_tree(rule.encoding, rule.tree), module)
        assert [module["predict"](row) for row in frame[:4].to_dicts()] == by_tree(rule, frame[:4])[0]
        with pytest.raises(ValueError, match="column 'x': '1-2' is not a number"):
            module["predict"]({"x": "1-2"})
        return
    labels, shares = engine(rule, frame)
    assert labels == [*by_tree(rule, frame[:4])[0], None, None] == ["no", "yes", "yes", "yes", None, None]
    assert np.isnan(shares[4:]).all()


@some_engines
def test_names_that_clash(engine):
    """New names differ from those of the columns, and from each other; long ones are cut off by PostgreSQL."""
    named, rule = clashing()
    frame = pl.DataFrame([(1.0, 2.0, 3.0, -4.0, 1.0, 1.0), (0.5, 0.25, 0.0, 1.0, 1.0, 0.5)], named, orient="row")
    assert_same(engine(rule, frame), (["yes", "no"], np.array([[1.0], [0.0]])))


def test_new_columns_give_way():
    named, rule = clashing()
    connection = sqlite3.connect(":memory:")
    connection.execute(f"CREATE TABLE odd ({', '.join(f'{name} REAL' for name in named)})")
    connection.execute("INSERT INTO odd VALUES (1, 2, 3, -4, 1, 1)")
    cursor = connection.execute(sql_of_tree(rule.encoding, rule.tree, table="odd"))
    assert [name for name, *_ in cursor.description] == [*named, "_score", "_label"]
    assert cursor.fetchall() == [(1, 2, 3, -4, 1, 1, 1.0, "yes")]
    with pytest.raises(sqlite3.OperationalError, match="no such column"):
        connection.execute(sql_of_tree(rule.encoding, rule.tree, table="(SELECT x FROM odd)"))
    connection.close()


def test_python_imports_the_standard_library_only():
    module = ast.parse(python_of_tree(of(X, TOWN, nodes=CARS).encoding, of(X, TOWN, nodes=CARS).tree))
    imported = [node for node in ast.walk(module) if isinstance(node, ast.Import | ast.ImportFrom)]
    names = {name.name for node in imported if isinstance(node, ast.Import) for name in node.names}
    assert names | {node.module for node in imported if isinstance(node, ast.ImportFrom)} <= sys.stdlib_module_names


def test_python_as_a_command(tmp_path):
    rule = of(X, TOWN, nodes=CARS, classes=('a "label",\nof two lines', "yes"))
    frame = pl.DataFrame({"x": [0.25, 0.5, None, 4.5, 4.5, 9.0], "town": ["Rome", None, "Oslo", "Paris", "Rome", None]})
    path = tmp_path / "rule.py"
    path.write_text(python_of_tree(rule.encoding, rule.tree), encoding="utf-8")
    done = subprocess.run([sys.executable, "-I", "-S", path], input=frame.write_csv().encode(), capture_output=True)
    assert done.returncode == 0, done.stderr
    found = [row[0] for row in csv.reader(io.StringIO(done.stdout.decode(), newline=""))][1:]
    assert found == by_tree(rule, frame)[0]
    assert len(set(found)) == 2


def test_categories_that_are_no_finite_numbers():
    """In Python, NaN is missing and infinity a value, as in a data frame."""
    rule = of(CategoryColumn("c", ("1", "0.5"), True, True), nodes=[
        Node(0, (1, 1, 1), CategoryTest(0, ((0, 1), (2,))), (1, 2, 3), 3, 1),
        leaf(1, 1, 0, 0), leaf(2, 0, 1, 0), leaf(3, 0, 0, 1),
    ], classes=("known", "other", "missing"))  # fmt: skip
    frame = pl.DataFrame({"c": [1.0, 0.5, float("nan"), float("inf"), None, 2.0]})
    module = {}
    exec(python_of_tree(rule.encoding, rule.tree), module)
    expected = ["known", "known", "missing", "other", "missing", "other"]
    assert [module["predict"](row) for row in frame.to_dicts()] == expected == by_tree(rule, frame)[0]


def complete(depth):
    many = 2**depth - 1
    nodes = [
        Node(k, (1, 1), FeatureTest(0, k / many), (2 * k + 1, 2 * k + 2), 2 * k + 1, 2 * k + 1) for k in range(many)
    ]
    return [*nodes, *(leaf(k, 1, 2) for k in range(many, 2 * many + 1))]


def one_sum(columns, weights, counts=(1, 2)):
    test = PerceptronTest(columns, (-1,) * len(columns), weights, 0.0)
    return [Node(0, (1, 1), test, (1, 2), 2, 1), leaf(1, *counts), leaf(2, 1, 0)]


@pytest.mark.parametrize(
    ("columns", "nodes", "message"),
    [
        ((X,), complete(13), "a tree of 8,192 leaves is too large for SQL: 13 nested CASEs, but engines allow only 12"),
        ((X, Z), one_sum((0, 1) * 300, (1.0, 2.0) * 300), "node 0: a sum over 600 columns is too long .* max_columns"),
        ((X, Z), one_sum((0, 1), (1e307, 1e307)), r"the sum '1e\+307 x \+ 1e\+307 z' may be too large for a double"),
        ((X,), one_sum((0,), (1.0,), (1.0 + 2.0**-52, 1.0 + 2.0**-51)), "of a leaf are too close"),
        ((NumberColumn("\0", 0.0, 1.0, 1.0, -8.0, 8.0, False),), one_sum((0,), (1.0,)), "SQL cannot write"),
        ((NumberColumn("", 0.0, 1.0, 1.0, -8.0, 8.0, False),), one_sum((0,), (1.0,)), "a column without a name"),
        (
            (DateColumn("d", 0.0, 1.0, 1.0, -8.0, 8.0, False, "%d %b %Y"),),
            one_sum((0,), (1.0,)),
            "dates in the format '%d %b %Y'",
        ),
    ],
)
def test_refused_in_sql(columns, nodes, message):
    rule = of(*columns, nodes=nodes)
    with pytest.raises(OptionError, match=message):
        sql_of_tree(rule.encoding, rule.tree, table="rows")


@pytest.mark.parametrize("export", [sql_of_tree, python_of_tree])
def test_a_tree_from_elsewhere_is_refused(export):
    rule = of(X, TOWN, nodes=CARS)
    other = Encoding((X, YesNoColumn("town", ("Oslo",), False, True, "Rome")), rule.encoding.target)
    with pytest.raises(OptionError, match="the tree was not learned from the columns of this encoding"):
        export(other, rule.tree)
    with pytest.raises(OptionError, match="the tree has 2 classes, the target 3"):
        export(Encoding((X, TOWN), Target("y", ("a", "b", "c"))), rule.tree)
    with pytest.raises(OptionError, match="use a vocabulary for 't'"):
        export(Encoding((HashedTextColumn("t", (), 4),), rule.encoding.target), rule.tree)


@given(st.integers(1, 10**15 - 1), st.integers(-22, 7))
@example(491, -8)  # which SQLite 3.40 takes for its neighbour
def test_constants_of_few_digits_are_exact_in_sqlite(digits, exponent):
    x = float(f"{digits}e{exponent}")
    with sqlite3.connect(":memory:") as connection:
        assert connection.execute(f"SELECT {number(x)}").fetchone() == (x,)
    connection.close()
