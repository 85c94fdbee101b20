"""The rank index beyond one page and one index shard: nothing is left out, nothing read twice."""

from typing import Any

import pytest

from lambdas import names
from tests.functional.failing import WatchedClient
from tests.functional.reads import get, walk_pages

SCORES = {f"p{i:03d}": 9_000 + i for i in range(90)}
RIGHT = sorted(SCORES, key=lambda player: -SCORES[player])


class ShortPages:
    """A client whose queries end after seven items, as DynamoDB's own do after 1 MB.

    The local engine ends no page of these sizes by itself.
    """

    def __init__(self, client: Any) -> None:
        self._client = client

    def __getattr__(self, operation: str) -> Any:
        """The operation of the client."""
        return getattr(self._client, operation)

    def query(self, **parameters: Any) -> Any:
        """A query that goes on behind its page."""
        return self._client.query(**parameters | {"Limit": min(7, parameters.get("Limit", 7))})


def index_queries(client: WatchedClient) -> list[Any]:
    """The queries of the rank index since the last look."""
    found = [call for call in client.calls if call.parameters.get("IndexName") == names.RANK_INDEX]
    client.calls.clear()
    return found


@pytest.mark.parametrize("shards", [1, 3])
def test_what_a_page_leaves_out_is_read_with_the_next(
    api: Any, drain: Any, board: str, client: WatchedClient, shards: int
) -> None:
    """A page may end anywhere: counts, lists, neighbours and nodes go on until they have it all."""
    limits = {"exact_limit": 60, "top_exact": 10, "count_limit": 20}
    api.make_board(board, layout={"levels": 1, "index_shards": shards}, **limits)
    api.submit_all(board, SCORES)
    drain()
    client._client = ShortPages(client._client)
    for place in (1, 8, 40, 60):
        assert api.rank(board, RIGHT[place - 1])["rank"] == place
    assert api.rank(board, RIGHT[89])["rank_range"] == [61, 90]
    assert [one["player_id"] for one in walk_pages(api, board, 40)] == RIGHT
    around = get(api, board, f"/players/{RIGHT[44]}/around", k=20)
    assert [one["player_id"] for one in around["entries"]] == RIGHT[24:65]
    assert get(api, board, "/standing", rank=55)["score_range"][0] <= SCORES[RIGHT[54]]


@pytest.mark.parametrize("shards", [2, 7, 32])
def test_a_count_over_many_shards_reads_no_more_than_one(
    api: Any, drain: Any, board: str, client: WatchedClient, shards: int
) -> None:
    """At most `exact_limit` entries in all, one query a shard, and the answer of one shard."""
    limits = {"exact_limit": 40, "top_exact": 10, "count_limit": 5}
    api.make_board(board, layout={"levels": 1, "index_shards": shards}, **limits)
    api.submit_all(board, SCORES)
    drain()
    for place in (1, 5, 39, 40, 41, 42, 90):
        client.calls.clear()
        api.handlers[names.READ].connection.forget()
        answer = api.rank(board, RIGHT[place - 1])
        counts = index_queries(client)
        assert len(counts) <= shards
        assert sum(call.answer["Count"] for call in counts) <= 40
        assert answer["kind"] == ("exact" if place <= 40 else "estimated")
        assert answer["rank_range"] == ([place, place] if place <= 40 else [41, 90])
    assert [one["player_id"] for one in get(api, board, "/top", limit=90)["entries"]] == RIGHT
