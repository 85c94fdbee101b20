"""Metric math, as far as our alarms and dashboards use it.

Source: https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/using-metric-math.html, under
"Metric math syntax and functions". What is taken from there:

- arithmetic on series goes point by point; where a point is missing, so is the result;
- a comparison gives 1 or 0;
- `FILL(series, number)` puts the number where a point is missing. That it does so as well where
  the whole series is missing is how AWS's own advice for sparse metrics is meant; it was not tried
  on AWS, see "Checks that only AWS can answer" in docs/operations.md;
- `PERIOD(series)` is how many seconds wide its points are;
- `IF(condition, then, otherwise)` goes point by point, and any number but 0 is true.

What CloudWatch makes of a division by zero the page does not say, so none is allowed here.
"""

import ast
import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Final

Series = Sequence[float | None]
"""One value a period, oldest first; None where the point is missing."""

_Points = list[float | None]
_Value = float | _Points
_ARITHMETIC: Final[dict[type[ast.operator], Callable[[float, float], float]]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}
_COMPARISONS: Final[dict[type[ast.cmpop], Callable[[float, float], bool]]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
_FUNCTIONS: Final = frozenset({"FILL", "IF", "PERIOD"})


class UnknownMathError(ValueError):
    """An expression uses something whose meaning is not written down here."""


def evaluate(
    expression: str, series: Mapping[str, Series], period_seconds: int | None = None
) -> list[float | None]:
    """Evaluates an expression over series of equal length.

    Args:
        expression: The expression.
        series: Each by its name.
        period_seconds: How wide their points are; only `PERIOD` asks.

    Raises:
        UnknownMathError: it uses a function, operator or name that is not known, divides by zero,
            or comes to a number where a series is needed.
    """
    value = _Evaluator(series, period_seconds).visit(_parsed(expression))
    if not isinstance(value, list):
        raise UnknownMathError(f"{expression}: a number, not a series")
    return value


def names_in(expression: str) -> set[str]:
    """The names of the series that an expression reads."""
    return {
        node.id
        for node in ast.walk(_parsed(expression))
        if isinstance(node, ast.Name) and node.id not in _FUNCTIONS
    }


def _parsed(expression: str) -> ast.expr:
    # The part of metric math that is known here reads like Python's own expressions.
    try:
        return ast.parse(expression, mode="eval").body
    except SyntaxError as error:
        raise UnknownMathError(f"{expression}: {error.msg}") from error


class _Evaluator(ast.NodeVisitor):
    """Evaluates a tree; each kind of node that may occur has a method."""

    def __init__(self, series: Mapping[str, Series], period_seconds: int | None) -> None:
        self._series = series
        self._period_seconds = period_seconds

    def generic_visit(self, node: ast.AST) -> _Value:
        raise UnknownMathError(f"{ast.unparse(node)}: not known here")

    def visit_Constant(self, node: ast.Constant) -> _Value:
        if isinstance(node.value, bool) or not isinstance(node.value, int | float):
            raise UnknownMathError(f"{node.value!r}: no number")
        return float(node.value)

    def visit_Name(self, node: ast.Name) -> _Value:
        if node.id not in self._series:
            raise UnknownMathError(f"{node.id}: no series of that name")
        return list(self._series[node.id])

    def visit_BinOp(self, node: ast.BinOp) -> _Value:
        known = _ARITHMETIC.get(type(node.op))
        if known is None:
            return self.generic_visit(node)
        return _by_point(_checked(known, node), self.visit(node.left), self.visit(node.right))

    def visit_Compare(self, node: ast.Compare) -> _Value:
        known = _COMPARISONS.get(type(node.ops[0]))
        if known is None or len(node.ops) > 1:
            return self.generic_visit(node)
        return _by_point(
            lambda a, b: float(known(a, b)), self.visit(node.left), self.visit(node.comparators[0])
        )

    def visit_Call(self, node: ast.Call) -> _Value:
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        values = [self.visit(one) for one in node.args] if name in _FUNCTIONS else []
        if name == "FILL" and len(values) == 2:
            return _fill(*values)
        if name == "IF" and len(values) == 3:
            return _if(*values)
        if name == "PERIOD" and len(values) == 1 and self._period_seconds is not None:
            return float(self._period_seconds)
        return self.generic_visit(node)


def _checked(known: Callable[[float, float], float], node: ast.BinOp) -> Callable[..., float]:
    def apply(left: float, right: float) -> float:
        try:
            return known(left, right)
        except ZeroDivisionError as error:
            raise UnknownMathError(f"{ast.unparse(node)}: divides by zero") from error

    return apply


def _fill(series: _Value, by: _Value) -> _Value:
    if not isinstance(series, list) or isinstance(by, list):
        raise UnknownMathError("FILL: known for a series and a number alone")
    return [by if point is None else point for point in series]


def _if(condition: _Value, then: _Value, otherwise: _Value) -> _Value:
    if not isinstance(condition, list):
        raise UnknownMathError("IF: known for a condition that is a series alone")
    length = len(condition)
    rows = zip(condition, _spread(then, length), _spread(otherwise, length), strict=True)
    return [None if is_true is None else (a if is_true else b) for is_true, a, b in rows]


def _by_point(known: Callable[[float, float], float], left: _Value, right: _Value) -> _Value:
    if isinstance(left, float) and isinstance(right, float):
        return known(left, right)
    length = max(len(value) for value in (left, right) if isinstance(value, list))
    rows = zip(_spread(left, length), _spread(right, length), strict=True)
    return [None if a is None or b is None else known(a, b) for a, b in rows]


def _spread(value: _Value, length: int) -> _Points:
    return value if isinstance(value, list) else [value] * length
