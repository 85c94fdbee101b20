"""The ledger: one item a submission to a board of sums, which tells its repeats.

A submission and all it adds to are one transaction, conditional on what was read: the only one in
Tallyboard. It touches the items of one player alone, so players cannot conflict with one another.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from lambdas.domain.boards import Board
from lambdas.domain.entries import Entry, place
from lambdas.domain.errors import ThrottledError
from lambdas.domain.submissions import Accepted, Outcome
from lambdas.domain.sums import LedgerEntry, WindowSum, ledger_expires_at
from lambdas.domain.windows import Window
from lambdas.names import ACHIEVED_AT, EXPIRES_AT, PK, RANK_PARTITION, SK
from lambdas.store import keys
from lambdas.store.dynamo import Dynamo, Item, integer_of, number, string, text_of
from lambdas.store.score_items import (
    LAYOUT,
    SCORE,
    check_config_of,
    has_expired,
    is_of_former_life,
    update_of,
)
from lambdas.store.visibility import flag_of, hides, key_of

_LIFE: Final = "first_layout"  # of the board's life that the submission was made in
_RESULTS: Final = "results"
_WINDOW: Final = "window"
_OUTCOME: Final = "outcome"
_FREE: Final = f"attribute_not_exists({PK}) OR {_LIFE} < :{_LIFE} OR {EXPIRES_AT} <= :now"


@dataclass(frozen=True)
class Known:
    """What is known of a player before a submission.

    Attributes:
        noted: what became of this submission before, if it is a repeat.
        items: the score items of the windows it goes to, those of a former life of the board and
            those that have expired among them.
        cutoff: up to when, included, what was achieved has expired; None where nothing does.
        hidden: whether the player is in no list and no count.
    """

    noted: LedgerEntry | None
    items: Mapping[str, Item]
    cutoff: int | None
    hidden: bool = False

    def counted(self, board: Board, window: str) -> Item | None:
        """The player's score item of this life of the board in a window, expired or not."""
        item = self.items.get(window)
        return None if item is None or is_of_former_life(item, board) else item

    def standing(self, board: Board, window: str) -> Item | None:
        """The player's score item in a window, unless it counts as absent."""
        item = self.counted(board, window)
        return None if item is None or has_expired(item, self.cutoff) else item


class Ledger:
    """The `Submissions` table, with the score items that its transactions write."""

    def __init__(self, dynamo: Dynamo, scores_table: str, boards_table: str, table: str) -> None:
        self._dynamo = dynamo
        self._scores = scores_table
        self._boards = boards_table
        self.table = table

    def read(
        self, board: Board, accepted: Accepted, windows: Sequence[Window], now_ms: int
    ) -> Known:
        """Reads the submission's ledger item, the player's score items and flag, consistently.

        Cost: one `BatchGetItem`, a read unit an item; one more for what it leaves unread.

        Raises:
            ThrottledError, UnavailableError: try again; the latter, too, where an item is under a
                layout that this config knows nothing of.
        """
        player = accepted.entry.player
        score_keys = [{PK: string(keys.score_pk(board.id, one.name, player))} for one in windows]
        wanted = {
            self.table: [_key(board, accepted)],
            self._boards: [key_of(board.id, player)],
            self._scores: score_keys,
        }
        found = self._read_all({table: ours for table, ours in wanted.items() if ours})
        noted = next((one for one in found[self.table] if _stands(one, board, now_ms)), None)
        for item in found[self._scores]:
            check_config_of(item, board)
        items = {keys.parse_score_pk(text_of(one, PK)).window: one for one in found[self._scores]}
        hidden = any(hides(flag_of(one), board) for one in found[self._boards])
        return Known(
            _entry_of(noted) if noted else None, items, board.cutoff(now_ms), hidden=hidden
        )

    def add(
        self,
        board: Board,
        accepted: Accepted,
        known: Known,
        sums: Mapping[Window, Entry],
        results: Sequence[WindowSum],
        now_ms: int,
    ) -> None:
        """Stores sums and the submission that made them, all or nothing.

        Cost: one `TransactWriteItems`; two write units an item of up to 1 KB, and the index's.

        Raises:
            ConflictError: something differs from what is known; read again, and try again.
            ThrottledError: try again; nothing was written.
            UnavailableError: it may have been written, which the next read tells.
        """
        updates = [
            {"Update": self._update(board, accepted, known, window, entry)}
            for window, entry in sums.items()
        ]
        put = {"Put": self._put(board, accepted, results, now_ms)}
        self._dynamo.call("transact_write_items", TransactItems=[put, *updates])

    def _read_all(self, wanted: Mapping[str, list[Any]]) -> dict[str, list[Item]]:
        found: dict[str, list[Item]] = {self.table: [], self._boards: [], self._scores: []}
        asked: Any = {
            table: {"Keys": ours, "ConsistentRead": True} for table, ours in wanted.items()
        }
        while asked:
            answer = self._dynamo.call("batch_get_item", RequestItems=asked)
            for table, items in answer["Responses"].items():
                found[table] += items
            left = answer.get("UnprocessedKeys", {})
            if _keys_in(left) == _keys_in(asked):
                raise ThrottledError("UnprocessedKeys")
            asked = left
        return found

    def _put(
        self, board: Board, accepted: Accepted, results: Sequence[WindowSum], now_ms: int
    ) -> dict[str, Any]:
        item = {
            **_key(board, accepted),
            SCORE: number(accepted.entry.score),
            _LIFE: number(board.first_layout),
            _RESULTS: {"L": [_item_of(one) for one in results]},
            EXPIRES_AT: number(ledger_expires_at(board.config.schedule, now_ms)),
        }
        return {
            "TableName": self.table,
            "Item": item,
            "ConditionExpression": _FREE,
            "ExpressionAttributeValues": {
                f":{_LIFE}": item[_LIFE],
                ":now": number(now_ms // 1_000),
            },
        }

    def _update(
        self, board: Board, accepted: Accepted, known: Known, window: Window, entry: Entry
    ) -> dict[str, Any]:
        record = place(board, board.written_layout, entry)
        update = update_of(
            self._scores, board, window, record, accepted, known.cutoff, hidden=known.hidden
        )
        read = known.items.get(window.name)
        if read is None:
            return update | {"ConditionExpression": f"attribute_not_exists({PK})"}
        unchanged = (SCORE, ACHIEVED_AT, LAYOUT, RANK_PARTITION)
        update["ExpressionAttributeValues"] |= {f":read_{name}": read[name] for name in unchanged}
        condition = " AND ".join(f"#{name} = :read_{name}" for name in unchanged)
        return update | {"ConditionExpression": condition}


def _key(board: Board, accepted: Accepted) -> dict[str, dict[str, str]]:
    # A board of sums accepts none without an id, and DynamoDB no empty key.
    return {
        PK: string(keys.ledger_pk(board.id, accepted.entry.player)),
        SK: string(accepted.submission_id or ""),
    }


def _keys_in(requests: Mapping[str, Any]) -> int:
    return sum(len(one["Keys"]) for one in requests.values())


def _stands(item: Item, board: Board, now_ms: int) -> bool:
    """Whether a ledger item counts: TTL may be days late, and a deleted board's items stay."""
    if integer_of(item, _LIFE) < board.first_layout:
        return False
    return integer_of(item, EXPIRES_AT) > now_ms // 1_000


def _item_of(result: WindowSum) -> dict[str, Any]:
    score = {} if result.score is None else {SCORE: number(result.score)}
    return {"M": {_WINDOW: string(result.window), _OUTCOME: string(result.outcome), **score}}


def _entry_of(item: Item) -> LedgerEntry:
    return LedgerEntry(
        integer_of(item, SCORE), tuple(_results_of(one["M"] for one in item[_RESULTS]["L"]))
    )


def _results_of(items: Iterator[Item]) -> Iterator[WindowSum]:
    for item in items:
        score = integer_of(item, SCORE) if SCORE in item else None
        yield WindowSum(text_of(item, _WINDOW), Outcome(text_of(item, _OUTCOME)), score)
