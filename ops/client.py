"""A client of one deployed stage: its routes as methods, signed.

Of Tallyboard's functions this imports the names alone: load tests use it from outside.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, TypedDict, Unpack

from ops.errors import ApiError, ClientError, NotDeployedError, NotRunningError, UnsendableError
from ops.outputs import Outputs, read_outputs, state_dir
from ops.signed import LOCAL_KEY, SIGNING_SERVICE, Json, SignedSession, encode

__all__ = [
    "LOCAL_KEY",
    "SIGNING_SERVICE",
    "ApiError",
    "Client",
    "ClientError",
    "NotDeployedError",
    "NotRunningError",
    "Outputs",
    "UnsendableError",
    "encode",
    "read_outputs",
    "state_dir",
]

MOST_ENTRIES: Final = 1_000  # of one page


class Asked(TypedDict, total=False):
    """What may be asked of any read.

    Attributes:
        window: the window to read; by default the board's first.
        segment: a part of it, as `region:eu`.
        explain: whether the answer says how it was found and what that consumed.
    """

    window: str | None
    segment: str | None
    explain: bool


class Client(SignedSession):
    """The routes of one stage; each may be sent again after an error."""

    def put_board(self, board: str, config: Json) -> tuple[int, Json]:
        """Make a board, 201, or change a live one, 200; the same config changes nothing.

        With a `version` in the config that one alone is changed, and no board is made.
        """
        return self.request("PUT", f"/api/admin/leaderboards/{encode(board)}", json=config)

    def delete_board(self, board: str) -> None:
        """Delete a board; one that is deleted already stays so."""
        self.request("DELETE", f"/api/admin/leaderboards/{encode(board)}")

    def set_hidden(self, board: str, player_id: str, *, hidden: bool) -> None:
        """Take a player out of a board's lists and counts, in windows to come too; or back in."""
        path = f"{_player_of(board, player_id)}/visibility"
        self.request("PUT", path, json={"hidden": hidden})

    def board(self, board: str) -> Json:
        """The full config of a board, and its layouts."""
        return self.request("GET", f"/api/admin/leaderboards/{encode(board)}")[1]

    def boards(self) -> Json:
        """All boards: `{boards: [...]}`."""
        return self.request("GET", "/api/admin/leaderboards")[1]

    def remove_player(self, board: str, player_id: str) -> None:
        """Take a player out of every window of a board; one who is in none stays so."""
        self.request("DELETE", _player_of(board, player_id))

    def player(self, player_id: str, cursor: str | None = None) -> Json:
        """What is stored of a player: `{player_id, boards, next_cursor}`, from a cursor on."""
        path = f"/api/admin/players/{encode(player_id)}"
        return self.request("GET", path, params={"cursor": cursor})[1]

    def erase_player(self, player_id: str, cursor: str | None = None) -> Json:
        """Erase a player everywhere, as far as one call comes; answers with what it removed."""
        path = f"/api/admin/players/{encode(player_id)}"
        return self.request("DELETE", path, params={"cursor": cursor})[1]

    def submit(self, board: str, submission: Json, *, rank: bool | None = None) -> Json:
        """Submit one score: `{player_id, score, achieved_at?, ...}`."""
        path = f"/api/leaderboards/{encode(board)}/scores"
        return self.request("POST", path, json=submission, params={"rank": rank})[1]

    def submit_batch(self, board: str, submissions: list[Json]) -> list[Json]:
        """Submit up to 100 scores; one result each, in order: `{status, ...answer or problem}`."""
        path = f"/api/leaderboards/{encode(board)}/scores/batch"
        answer = self.request("POST", path, json={"scores": submissions})[1]
        results: list[Json] = answer["results"]
        return results

    def rank(self, board: str, player_id: str, **asked: Unpack[Asked]) -> Json:
        """The rank answer of one player."""
        return self._read(board, f"/players/{encode(player_id)}/rank", asked)

    def top(
        self,
        board: str,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        start_rank: int | None = None,
        **asked: Unpack[Asked],
    ) -> Json:
        """A page of a board, best first: `{entries, next_cursor, population, as_of}`.

        Args:
            board: The board's id.
            limit: How many entries, 1 to 1,000.
            cursor: The `next_cursor` of the page before; None for the first page.
            start_rank: The rank of the first entry; instead of a cursor.
            asked: See `Asked`.
        """
        params = {"limit": limit, "cursor": cursor, "start_rank": start_rank}
        return self._read(board, "/top", asked, params)

    def pages(
        self,
        board: str,
        *,
        limit: int = MOST_ENTRIES,
        start_rank: int | None = None,
        **asked: Unpack[Asked],
    ) -> Iterator[Json]:
        """The pages of a board from a rank to its end, one request each, made as they are taken.

        A player who moves between two pages may be met twice, or not at all.
        """
        page = self.top(board, limit=limit, start_rank=start_rank, **asked)
        yield page
        while page.get("next_cursor") is not None:
            page = self.top(board, limit=limit, cursor=page["next_cursor"], **asked)
            yield page

    def around(
        self, board: str, player_id: str, k: int | None = None, **asked: Unpack[Asked]
    ) -> Json:
        """A player's rank answer, with `entries`: the player and k neighbours on either side."""
        return self._read(board, f"/players/{encode(player_id)}/around", asked, {"k": k})

    def friends(
        self,
        board: str,
        player_id: str,
        friend_ids: Sequence[str],
        *,
        window: str | None = None,
        segment: str | None = None,
    ) -> Json:
        """A player and up to 500 friends, ranked among themselves: `{entries, unranked}`."""
        body = {"player_id": player_id, "friend_ids": list(friend_ids)}
        return self._read(board, "/friends", {"window": window, "segment": segment}, json=body)

    def ranks(self, board: str, scores: Sequence[int], **asked: Unpack[Asked]) -> Json:
        """The rank each of up to 100 scores would have: `{ranks}`, in their order."""
        return self._read(board, "/ranks", asked, json={"scores": list(scores)})

    def standing(
        self,
        board: str,
        *,
        rank: int | None = None,
        percentile: float | None = None,
        **asked: Unpack[Asked],
    ) -> Json:
        """The score at a rank or at a percentile, one of the two, and who holds it."""
        return self._read(board, "/standing", asked, {"rank": rank, "percentile": percentile})

    def distribution(self, board: str, **asked: Unpack[Asked]) -> Json:
        """How the scores of a board are spread: `{population, buckets, quantiles, as_of}`."""
        return self._read(board, "/distribution", asked)

    def info(self, board: str) -> Json:
        """What a board tells its readers: its public config, and its windows' populations."""
        return self._read(board, "", {})

    def _read(
        self,
        board: str,
        route: str,
        asked: Asked,
        params: Mapping[str, Json] | None = None,
        json: Json = None,
    ) -> Json:
        path = f"/api/leaderboards/{encode(board)}{route}"
        query = {**(params or {}), **asked, "explain": asked.get("explain") or None}
        return self.request("GET" if json is None else "POST", path, json, query)[1]


def _player_of(board: str, player_id: str) -> str:
    return f"/api/admin/leaderboards/{encode(board)}/players/{encode(player_id)}"
