"""What the marks in a counter item weigh: bytes, and write units of an update."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from mypy_boto3_dynamodb import DynamoDBClient

from lambdas.domain.cells import CODES, SUB_CELLS
from lambdas.domain.counting import NodeKey, NodeStep
from lambdas.domain.windows import ALL
from lambdas.names import PK, SK
from lambdas.store import keys
from lambdas.store.counters import AS_OF, Counters, Writer
from lambdas.store.dynamo import Dynamo, number, string
from lambdas.store.meter import Meter
from ops.bench.fixtures import FIRST_SEQUENCE, TABLES, marks_for, write_all
from ops.studies.cost_boards import STARTED_MS

MARKS: Final = (0, 8, 16, 32, 64, 128)
# Children, path and the least of their counts.
_ITEMS: Final = {
    "deeper node, few children": (4, "0k", 1),
    "deeper node, full": (SUB_CELLS, "0l", 10**5),
    "root, full": (128, "", 10**7),
}
_HOUR: Final = 490_004


def marked_items(client: DynamoDBClient) -> Iterator[dict[str, Any]]:
    """One update of a counter item, by the marks that it holds."""
    for node, (children, path, least) in _ITEMS.items():
        for marks in MARKS:
            key = NodeKey("cost-full", ALL, marks + 1, path)
            held = marks_for(f"shard-{n}" for n in range(marks))
            item = {
                PK: string(keys.counter_pk(key)),
                SK: string(keys.counter_sk(0)),
                AS_OF: number(STARTED_MS),
                **{code: number(least + i) for i, code in enumerate(CODES[:children])},
                **held,
            }
            write_all(client, TABLES.counters, [item])
            meter = Meter()
            store = Counters(Dynamo(client, meter), TABLES.counters)
            step = NodeStep(FIRST_SEQUENCE, STARTED_MS, ((CODES[0], 1),))
            store.count(key, 0, [step], Writer("shard-0", _HOUR))
            yield {
                "node": node,
                "children": children,
                "marks": marks,
                "bytes": _bytes(item),
                "bytes_of_marks": _bytes(held),
                "write_units_an_update": meter.write_units,
            }


def _bytes(item: Mapping[str, Mapping[str, Any]]) -> int:
    """By AWS's rule: a number takes a byte for two digits and one more."""
    return sum(
        len(name) + ((len(value) + 1) // 2 + 1 if kind == "N" else len(value))
        for name, attribute in item.items()
        for kind, value in attribute.items()
    )
