"""What one update of a full counter item consumes, with the marks of 30 hours in it.

Full means that every child has been counted: 128 of a deeper node, and as many buckets of a root as
the layout has. Counts are of one to eight digits, as boards of up to forty million players have.
"""

from typing import Any, Final

from mypy_boto3_dynamodb import DynamoDBClient

from lambdas.domain.cells import BUCKET_CHOICES, CODES, SUB_CELLS
from lambdas.domain.counting import NodeKey, NodeStep
from lambdas.domain.windows import ALL
from lambdas.names import PK, SK
from lambdas.store import keys
from lambdas.store.counters import AS_OF, Counters, Writer
from lambdas.store.dynamo import Dynamo, number, string
from lambdas.store.meter import Meter
from ops.bench.fixtures import FIRST_SEQUENCE, TABLES, marks_of, stream_shards, write_all

_LARGEST_COUNTS: Final = {"root": 10**7, "deeper node": 10**5}
_BOARD: Final = "node-sizes"


def run(client: DynamoDBClient) -> list[dict[str, Any]]:
    """A row for a deeper node and for the root of each number of buckets."""
    rows = [_row(client, "deeper node", SUB_CELLS, "0k")]
    return rows + [_row(client, "root", buckets, "") for buckets in BUCKET_CHOICES]


def _row(client: DynamoDBClient, what: str, children: int, path: str) -> dict[str, Any]:
    node = NodeKey(_BOARD, ALL, children, path)
    (shard,) = stream_shards(1)
    item = {
        PK: string(keys.counter_pk(node)),
        SK: string(keys.counter_sk(0)),
        AS_OF: number(1_764_460_800_000),
        **{code: number(_LARGEST_COUNTS[what] + i) for i, code in enumerate(CODES[:children])},
        **marks_of(shard),
    }
    write_all(client, TABLES.counters, [item])
    meter = Meter()
    step = NodeStep(FIRST_SEQUENCE, 1_764_460_800_000, ((CODES[0], 1),))
    Counters(Dynamo(client, meter), TABLES.counters).count(
        node, 0, [step], Writer(shard, hour=490_004)
    )
    return {"node": what, "children": children, "write_units": meter.write_units}
