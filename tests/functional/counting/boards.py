"""A board, its writes, its stream and the count function, for tests that count under duress."""

import json
from collections import Counter as Tally
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

from mypy_boto3_dynamodb import DynamoDBClient

from lambdas import names
from lambdas.domain.boards import Board, BoardConfig, LayoutSpec
from lambdas.domain.cells import split_path
from lambdas.domain.counting import NodeKey
from lambdas.domain.lives import first_life
from lambdas.domain.submissions import Submission, accept
from lambdas.domain.windows import ALL, ALL_TIME
from lambdas.store import keys
from lambdas.store.boards import Boards
from lambdas.store.counters import Counters, counts_of
from lambdas.store.dynamo import Dynamo, Item, integer_of, text_of
from lambdas.store.meter import Meter
from lambdas.store.score_items import CELL, LAYOUT
from lambdas.store.scores import Scores
from ops.rig.events import Context
from ops.rig.mapping import FaultyClient, event_again
from ops.rig.streams import StreamReader
from ops.rig.tables import TableNames

SHARD = "shardId-00000001700000000001-00000001"
WINDOW = ALL
MADE_AT = SUBMITTED_AT = 1_800_000_000_000
Counts = dict[str, dict[str, int]]


@dataclass
class Queue:
    """An SQS client that keeps what it is sent."""

    messages: list[dict[str, Any]] = field(default_factory=list)

    def send_message_batch(self, QueueUrl: str, Entries: list[Any]) -> dict[str, Any]:  # noqa: N803
        """Keeps a batch of messages."""
        del QueueUrl
        self.messages += [json.loads(entry["MessageBody"]) for entry in Entries]
        return {"Successful": Entries}


@dataclass
class Counting:
    """The count function over DynamoDB Local, with a client that can fail, and its queue."""

    module: ModuleType
    engine: DynamoDBClient
    tables: TableNames
    reader: StreamReader
    client: FaultyClient
    queue: Queue

    def __post_init__(self) -> None:
        """Reaches the store past the faults."""
        dynamo = Dynamo(self.engine, Meter())
        self.boards = Boards(dynamo, self.tables.boards)
        self.scores = Scores(dynamo, self.tables.scores)
        self.counters = Counters(dynamo, self.tables.counters)

    def handler(self, event: dict[str, Any], context: Any) -> Any:
        """The function, run by a worker that is alive."""
        self.client.revive()
        return self.module.handler(event, context)

    def count(
        self, records: Iterable[dict[str, Any]], shard: str = SHARD, timeout_seconds: float = 60
    ) -> Any:
        """Delivers records as one batch."""
        return self.handler(event_again(shard, records), Context(timeout_seconds=timeout_seconds))

    def make_board(self, board: str, **layout: Any) -> "CountedBoard":
        """Makes a board."""
        made = first_life(board, BoardConfig(), LayoutSpec(**layout), MADE_AT)
        self.boards.write(made, None)
        self.reader.new_records()
        return CountedBoard(self, made)


@dataclass
class CountedBoard:
    """One board: writes to its score items, its records, and both sides of the count."""

    counting: Counting
    board: Board
    players: set[str] = field(default_factory=set)
    paths: set[str] = field(default_factory=lambda: {""})

    def submit(self, player: str, score: int) -> None:
        """Submits a result; a worse one changes nothing."""
        accepted = accept(self.board, Submission(player, score), SUBMITTED_AT)
        self.counting.scores.submit(self.board, ALL_TIME, accepted, SUBMITTED_AT, hidden=False)
        self._note(player, score)

    def remove(self, player: str) -> None:
        """Deletes a score item."""
        self.counting.engine.delete_item(
            TableName=self.counting.tables.scores, Key=self._key(player)
        )

    def hide(self, player: str) -> None:
        """Takes a score item, if there is one, out of list and counts."""
        self.change(player, rank_partition={"S": keys.hidden_partition(self.board.id, WINDOW)})

    def change(self, player: str, **attributes: Any) -> None:
        """Sets attributes of a score item by hand; None removes one."""
        if self.item(player) is None:
            return
        for name, value in attributes.items():
            values = {} if value is None else {"ExpressionAttributeValues": {":v": value}}
            self.counting.engine.update_item(
                TableName=self.counting.tables.scores,
                Key=self._key(player),
                UpdateExpression="REMOVE #n" if value is None else "SET #n = :v",
                ExpressionAttributeNames={"#n": name},
                **values,  # type: ignore[arg-type]
            )

    def item(self, player: str) -> Item | None:
        """A score item as it stands."""
        answer = self.counting.engine.get_item(
            TableName=self.counting.tables.scores, Key=self._key(player), ConsistentRead=True
        )
        return answer.get("Item")  # type: ignore[return-value]

    def records(self) -> list[dict[str, Any]]:
        """What the stream holds of this board that was not read yet."""
        prefix = f"{self.board.id}#"
        return [
            record
            for record in self.counting.reader.new_records()
            if record["dynamodb"]["Keys"][names.PK]["S"].startswith(prefix)
        ]

    def counted(self) -> Counts:
        """The counters: for each node its children that are not 0, counter shards summed."""
        found = {}
        for path in self.paths:
            total: Tally[str] = Tally()
            for item in self.items(path):
                total.update(counts_of(item))
            found[path] = {code: count for code, count in total.items() if count}
        return {path: counts for path, counts in found.items() if counts}

    def recounted(self) -> Counts:
        """What the counters must be: every score item that is shown, walked down its cells."""
        found: dict[str, Tally[str]] = {}
        hidden = keys.hidden_partition(self.board.id, WINDOW)
        for player in self.players:
            item = self.item(player)
            if item is None or text_of(item, names.RANK_PARTITION) == hidden:
                continue
            assert integer_of(item, LAYOUT) == self.board.written_layout.number
            codes = split_path(text_of(item, CELL))
            for depth, code in enumerate(codes):
                found.setdefault("".join(codes[:depth]), Tally())[code] += 1
        return {path: dict(counts) for path, counts in found.items()}

    def items(self, path: str = "") -> list[Item]:
        """The counter items of a node."""
        node = NodeKey(self.board.id, WINDOW, self.board.written_layout.number, path)
        return self.counting.counters.items(node)

    def all_items(self) -> dict[str, list[Item]]:
        """Every counter item that the board may have, marks and all."""
        return {path: self.items(path) for path in sorted(self.paths)}

    def _note(self, player: str, score: int) -> None:
        self.players.add(player)
        layout = self.board.written_layout
        codes = split_path(self.board.cells(layout).path(score))
        self.paths |= {"".join(codes[:depth]) for depth in range(len(codes))}

    def _key(self, player: str) -> dict[str, Any]:
        return {names.PK: {"S": keys.score_pk(self.board.id, WINDOW, player)}}


MakeBoard = Callable[..., CountedBoard]
