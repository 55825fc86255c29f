"""The export formats, and the function that writes each, for sums of points and for trees."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from importlib import import_module
from typing import TYPE_CHECKING, Any

from rosenblatt.errors import OptionError

if TYPE_CHECKING:
    from rosenblatt.ship.export.points import PointRule
    from rosenblatt.ship.file.modelfile import Model


def _writer(module: str, name: str) -> Callable[..., Any]:
    """A function of this package, loaded when it is called."""
    return lambda *about, **how: getattr(import_module(f"rosenblatt.ship.export.{module}"), name)(*about, **how)


OF_POINTS: Mapping[str, Callable[["PointRule", str | None], bytes]] = {
    "sql": lambda points, table: (_writer("sql", "sql_of")(points, table=table) + "\n").encode(),
    "onnx": lambda points, table: _writer("onnx", "onnx_of")(points).SerializeToString(),
    "pmml": lambda points, table: _writer("pmml", "pmml_of")(points).encode(),
    "python": lambda points, table: _writer("python", "python_of")(points).encode(),
}
OF_TREES: Mapping[str, Callable[[Any, Any, Any, str | None], str]] = {
    "sql": lambda encoding, tree, decision, table: (
        _writer("tree_sql", "sql_of_tree")(encoding, tree, table=table, decision=decision) + "\n"
    ),
    "python": lambda encoding, tree, decision, table: _writer("tree_python", "python_of_tree")(
        encoding, tree, decision
    ),
}
JSON = "json"  # the model file itself
FORMATS = (*OF_POINTS, JSON)


def exported(model: "Model", to: str, table: str | None = None) -> tuple[bytes, bool]:
    """The rule in this format, and whether it is certain to give the same labels; `table` is for SQL."""
    if to == JSON:
        return model.text().encode(), True
    from rosenblatt.ship.export.decided import BY_ITSELF
    from rosenblatt.ship.export.points import PointRule  # imports Polars, which the list of formats does not need

    tree, decision = model.rule.tree, model.decision or BY_ITSELF
    if tree is None or model.encoding is None:
        points = replace(PointRule.of(model.table_encoding, model.rule), decision=decision)
        return OF_POINTS[to](points, table), points.exact
    if to not in OF_TREES:
        raise OptionError(f"a tree can be exported to {', '.join(OF_TREES)} or {JSON}, not to {to}")
    labelled = replace(tree, classes=model.encoding.target.classes)
    return OF_TREES[to](model.encoding, labelled, decision, table).encode(), True
