"""A player's items of one board, read together and written together: one transaction.

For what no condition on a single item can say: a sum is added once, in all windows or in none; a
player is in one segment of a dimension, and in no other. A submission reads the score items that it
may change, on a board of sums also its ledger item, and writes what follows from them on condition
that they are what was read. All of them are one player's, so players cannot conflict.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from lambdas.domain.boards import Board
from lambdas.domain.entries import Entry, place
from lambdas.domain.errors import ThrottledError
from lambdas.domain.submissions import Accepted
from lambdas.domain.sums import LedgerEntry, WindowSum
from lambdas.domain.windows import Window
from lambdas.names import ACHIEVED_AT, PK, RANK_PARTITION
from lambdas.store import keys, ledger
from lambdas.store.dynamo import Dynamo, Item, string, text_of
from lambdas.store.score_items import (
    LAYOUT,
    ORDER_KEY,
    SEGMENTS,
    check_config_of,
    has_expired,
    is_of_former_life,
    segments_attribute,
    segments_of,
    update_of,
)
from lambdas.store.visibility import flag_of, hides, key_of

# What decides what becomes of a score item: one that agrees in these is the one that was read.
_UNCHANGED: Final = (ORDER_KEY, ACHIEVED_AT, LAYOUT, RANK_PARTITION)


@dataclass(frozen=True)
class Known:
    """What is known of a player before a submission.

    Attributes:
        noted: what became of this submission before, if it is a repeat to a board of sums.
        items: the score items of the windows it goes to, those of a former life of the board and
            those that have expired among them.
        cutoff: up to when, included, what was achieved has expired; None where nothing does.
        hidden: whether the player is in no list and no count.
    """

    noted: LedgerEntry | None
    items: Mapping[str, Item]
    cutoff: int | None
    hidden: bool

    def counted(self, board: Board, window: str) -> Item | None:
        """The player's score item of this life of the board in a window, expired or not."""
        item = self.items.get(window)
        return None if item is None or is_of_former_life(item, board) else item

    def standing(self, board: Board, window: str) -> Item | None:
        """The player's score item in a window, unless it counts as absent."""
        item = self.counted(board, window)
        return None if item is None or has_expired(item, self.cutoff) else item

    def segments(self, window: str) -> dict[str, str]:
        """The segments of a window that the player is in, or may be by what has expired."""
        return segments_of(self.items.get(window, {}))


@dataclass(frozen=True)
class Changes:
    """What a submission makes of what is known.

    Attributes:
        entries: the entries that will stand, by window, where they are others than now.
        segments: the segments that the player will be in, by window, where they are named.
        left: the names of the segments' windows that the player leaves.
        results: what the ledger notes; None on a board that has none.
    """

    entries: Mapping[Window, Entry]
    segments: Mapping[Window, Mapping[str, str]]
    left: Sequence[str]
    results: Sequence[WindowSum] | None = None


class PlayerItems:
    """The tables `Scores` and `Submissions`, for the transactions of one player each.

    The player's flag is read beside them, from `Boards`.
    """

    def __init__(
        self, dynamo: Dynamo, scores_table: str, boards_table: str, ledger_table: str
    ) -> None:
        self._dynamo = dynamo
        self._scores = scores_table
        self._boards = boards_table
        self._ledger = ledger_table

    def read(
        self, board: Board, accepted: Accepted, windows: Sequence[Window], now_ms: int
    ) -> Known:
        """Reads the player's score items and flag, and a sum's ledger item, all consistently.

        Cost: one `BatchGetItem`, a read unit an item; one more for what it leaves unread.

        Raises:
            ThrottledError, UnavailableError: try again; the latter, too, where an item is under a
                layout that this config knows nothing of.
        """
        player = accepted.entry.player
        has_ledger = board.config.policy == "sum"
        wanted = {
            self._ledger: [ledger.key_of(board, accepted)] if has_ledger else [],
            self._boards: [key_of(board.id, player)],
            self._scores: [_key(board, one.name, player) for one in windows],
        }
        found = self._read_all({table: ours for table, ours in wanted.items() if ours})
        for item in found[self._scores]:
            check_config_of(item, board)
        items = {keys.parse_score_pk(text_of(one, PK)).window: one for one in found[self._scores]}
        return Known(
            ledger.noted_in(found[self._ledger], board, now_ms),
            items,
            cutoff=board.cutoff(now_ms),
            hidden=any(hides(flag_of(one), board) for one in found[self._boards]),
        )

    def write(
        self, board: Board, accepted: Accepted, known: Known, changes: Changes, now_ms: int
    ) -> None:
        """Stores all changes or none, on condition that what is known still stands.

        Where segments are named, their window's own item is part of it even if it stays as it is:
        it says which segments the player is in.

        Cost: one `TransactWriteItems`; two write units an item of up to 1 KB, and the index's.

        Raises:
            ConflictError: something differs from what is known; read again, and try again.
            ThrottledError: try again; nothing was written.
            UnavailableError: it may have been written, which the next read tells.
        """
        items = [
            self._item(board, accepted, known, changes, window)
            for window in dict.fromkeys((*changes.segments, *changes.entries))
        ]
        items += [
            {"Delete": {"TableName": self._scores, "Key": _key(board, window, _player(accepted))}}
            for window in changes.left
        ]
        if changes.results is not None:
            put = ledger.put_of(self._ledger, board, accepted, changes.results, now_ms)
            items.insert(0, {"Put": put})
        self._dynamo.call("transact_write_items", TransactItems=items)

    def _read_all(self, wanted: Mapping[str, list[Any]]) -> dict[str, list[Item]]:
        found: dict[str, list[Item]] = {self._ledger: [], self._boards: [], self._scores: []}
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

    def _item(
        self, board: Board, accepted: Accepted, known: Known, changes: Changes, window: Window
    ) -> dict[str, Any]:
        """What becomes of one score item: a record, other segments, or nothing but a look."""
        read, segments = known.items.get(window.name), changes.segments.get(window)
        if window in changes.entries:
            record = place(board, board.written_layout, changes.entries[window])
            update = update_of(
                self._scores,
                board,
                window,
                record,
                accepted,
                known.cutoff,
                hidden=known.hidden,
                segments=segments,
            )
            return {"Update": _if_unchanged(update, read, with_segments=segments is not None)}
        item = {
            "TableName": self._scores,
            "Key": _key(board, window.name, _player(accepted)),
            "ExpressionAttributeNames": {f"#{name}": name for name in (*_UNCHANGED, SEGMENTS)},
            "ExpressionAttributeValues": {},
        }
        if segments == known.segments(window.name):
            return {"ConditionCheck": _if_unchanged(item, read, with_segments=True)}
        item["UpdateExpression"] = f"SET #{SEGMENTS} = :{SEGMENTS}"
        item["ExpressionAttributeValues"] = {f":{SEGMENTS}": segments_attribute(segments or {})}
        return {"Update": _if_unchanged(item, read, with_segments=True)}


def _if_unchanged(
    write: dict[str, Any], read: Item | None, *, with_segments: bool
) -> dict[str, Any]:
    if read is None:
        return write | {"ConditionExpression": f"attribute_not_exists({PK})"}
    names = [*_UNCHANGED, *([SEGMENTS] if with_segments else [])]
    conditions = [
        f"#{name} = :read_{name}" if name in read else f"attribute_not_exists(#{name})"
        for name in names
    ]
    values = {f":read_{name}": read[name] for name in names if name in read}
    return write | {
        "ConditionExpression": " AND ".join(conditions),
        "ExpressionAttributeValues": write["ExpressionAttributeValues"] | values,
    }


def _key(board: Board, window: str, player: str) -> dict[str, dict[str, str]]:
    return {PK: string(keys.score_pk(board.id, window, player))}


def _player(accepted: Accepted) -> str:
    return accepted.entry.player


def _keys_in(requests: Mapping[str, Any]) -> int:
    return sum(len(one["Keys"]) for one in requests.values())
