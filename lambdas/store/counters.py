"""Counter items: the counters of a node, spread over counter shards.

Writing is section 5 of the design: one conditional `UpdateItem` a node and batch, guarded by a
high-water mark that lies in the same item, so that a batch is counted once however often it, or
a part of it, is delivered.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from lambdas.domain import marks
from lambdas.domain.cells import CODES
from lambdas.domain.counting import NodeKey, NodeStep, NodeUpdate, beyond, fold
from lambdas.domain.errors import (
    ConditionFailedError,
    RefusedError,
    ThrottledError,
    UnavailableError,
)
from lambdas.domain.marks import Mark
from lambdas.domain.walk import Node
from lambdas.names import EXPIRES_AT, PK, SK
from lambdas.store import keys
from lambdas.store.dynamo import Dynamo, Item, binary, integer_of, number, string

AS_OF: Final = "as_of"
_CODES: Final = frozenset(CODES)
_PRUNED_AT_ONCE: Final = 100  # so that the expression stays below 4 KB and 300 operators


@dataclass(frozen=True)
class Writer:
    """Who is counting: one stream shard, at one hour.

    Attributes:
        stream_shard: DynamoDB's shard id.
        hour: hours since 1970.
    """

    stream_shard: str
    hour: int


@dataclass(frozen=True)
class Counted:
    """What counting one node took.

    Attributes:
        steps: steps counted now.
        already_counted: steps that a mark had passed.
        pruned: marks removed because nothing they guard can come again.
        write_units: what the update consumed; not what a failed condition or pruning did.
    """

    steps: int
    already_counted: int
    pruned: int
    write_units: float = 0.0


class Counters:
    """The `Counters` table."""

    def __init__(self, dynamo: Dynamo, table: str) -> None:
        self._dynamo = dynamo
        self._table = table

    def read(self, node: NodeKey) -> Node:
        """A node, its counter shards summed, no child below 0.

        Cost: one eventually consistent query; half a read unit each 4 KB, that is for four
        shards of a full node.

        Raises:
            ThrottledError, UnavailableError: try again.
        """
        items = self.items(node)
        as_of = [integer_of(item, AS_OF) for item in items if AS_OF in item]
        counts = {code: count for code, count in _added_up(items).items() if count > 0}
        return Node(counts, max(as_of, default=None))

    def items(self, node: NodeKey) -> list[Item]:
        """The counter items of a node as they are stored, one a counter shard."""
        pages = self._dynamo.pages(
            "query",
            TableName=self._table,
            KeyConditionExpression=f"{PK} = :node",
            ExpressionAttributeValues={":node": string(keys.counter_pk(node))},
        )
        return [item for page in pages for item in page["Items"]]

    def sums(self, node: NodeKey) -> dict[str, int]:
        """A node's counter shards summed as they are; a sum below 0 is for audits to find.

        Cost and errors: see `read`.
        """
        return _added_up(self.items(node))

    def count(
        self,
        node: NodeKey,
        counter_shard: int,
        steps: Sequence[NodeStep],
        writer: Writer,
        expires_at: int | None = None,
    ) -> Counted:
        """Counts the steps that were not counted yet; calling twice changes nothing more.

        Args:
            expires_at: when the item may go, in seconds since 1970; None for never.

        Cost: one `UpdateItem`, 1 write unit each KB of the item; one more where part of the
        steps was counted before. A stream shard's first write to an item also reads it (1 read
        unit each 4 KB) and removes marks that guard nothing any more.

        Raises:
            ThrottledError, UnavailableError: call again with the same steps.
            RefusedError: DynamoDB calls the update invalid, or the item's mark is none of ours.
        """
        key = {PK: string(keys.counter_pk(node)), SK: string(keys.counter_sk(counter_shard))}
        name = marks.mark_name(writer.stream_shard)
        remaining = list(steps)
        while remaining:
            try:
                old, units = self._update(key, name, fold(remaining), writer.hour, expires_at)
            except ConditionFailedError as failed:
                mark = _mark_in(failed.item, name)
                if mark is None:
                    raise RefusedError("UnreadableMark") from failed
                remaining = beyond(remaining, mark.sequence)
                continue
            pruned = 0 if name in old else self._prune(key, writer.hour)
            return Counted(len(remaining), len(steps) - len(remaining), pruned, units)
        return Counted(0, len(steps), 0)

    def _update(
        self, key: Item, mark: str, update: NodeUpdate, hour: int, expires_at: int | None
    ) -> tuple[Item, float]:
        """Writes one update; the attributes it changed as they were, and its write units."""
        sets = ["#mark = :last", "#as_of = :as_of"]
        names = {"#mark": mark, "#as_of": AS_OF}
        values: dict[str, Any] = {
            ":last": binary(marks.pack_mark(Mark(update.last, hour))),
            ":first": binary(marks.pack_sequence(update.first)),
            ":as_of": number(update.as_of),
        }
        if expires_at is not None:
            sets.append("#expires_at = :expires_at")
            names["#expires_at"], values[":expires_at"] = EXPIRES_AT, number(expires_at)
        adds = []
        for i, (code, delta) in enumerate(sorted(update.deltas.items())):
            names[f"#{i}"], values[f":{i}"] = code, number(delta)
            adds.append(f"#{i} :{i}")
        not_counted_yet = "attribute_not_exists(#mark) OR #mark < :first"
        answer = self._dynamo.call(
            "update_item",
            TableName=self._table,
            Key=key,
            UpdateExpression=f"SET {', '.join(sets)}" + (f" ADD {', '.join(adds)}" if adds else ""),
            ConditionExpression=not_counted_yet,
            ExpressionAttributeNames=names,
            ExpressionAttributeValues=values,
            ReturnValues="UPDATED_OLD",
            ReturnValuesOnConditionCheckFailure="ALL_OLD",
        )
        return answer.get("Attributes", {}), answer["ConsumedCapacity"]["CapacityUnits"]

    def _prune(self, key: Item, hour: int) -> int:
        try:
            return self._remove_stale(key, hour)
        except (ConditionFailedError, ThrottledError, UnavailableError):
            # Somebody wrote one of them meanwhile, or DynamoDB is busy: the next new stream
            # shard prunes again, and what was counted stays counted.
            return 0

    def _remove_stale(self, key: Item, hour: int) -> int:
        item = self._dynamo.call(
            "get_item", TableName=self._table, Key=key, ConsistentRead=True
        ).get("Item", {})
        stale = {name: item[name] for name in item if _is_stale(item, name, hour)}
        stale = dict(sorted(stale.items())[:_PRUNED_AT_ONCE])
        if stale:
            self._remove_marks(key, stale)
        return len(stale)

    def _remove_marks(self, key: Item, stale: Item) -> None:
        names = {f"#{i}": name for i, name in enumerate(stale)}
        self._dynamo.call(
            "update_item",
            TableName=self._table,
            Key=key,
            UpdateExpression=f"REMOVE {', '.join(names)}",
            ConditionExpression=" AND ".join(f"#{i} = :{i}" for i in range(len(stale))),
            ExpressionAttributeNames=names,
            ExpressionAttributeValues={f":{i}": value for i, value in enumerate(stale.values())},
        )


def counts_of(item: Item) -> dict[str, int]:
    """The counts of one counter item by child code; one shard may hold negative ones."""
    return _added_up((item,))


def _added_up(items: Iterable[Item]) -> dict[str, int]:
    # In one pass, without a dictionary an item: it is the largest part of a rank's own CPU.
    totals: dict[str, int] = {}
    for item in items:
        for name, value in item.items():
            if name in _CODES:
                totals[name] = totals.get(name, 0) + int(value["N"])
    return totals


def _mark_in(item: Item, name: str) -> Mark | None:
    """A mark of an item; None if there is none, or it was edited by hand."""
    try:
        return marks.unpack_mark(item[name]["B"])
    except (KeyError, TypeError, ValueError):
        return None


def _is_stale(item: Item, name: str, hour: int) -> bool:
    mark = _mark_in(item, name) if name.startswith(marks.MARK_PREFIX) else None
    return mark is not None and marks.is_stale(mark, hour)
