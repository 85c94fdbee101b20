"""The contention run that both local stages must bear: 1,000 new players to one board at once."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor

from ops.audit import audit_boards
from ops.client import Client

PLAYERS = 1_000


def assert_every_submission_counts(client: Client, board: str, in_flight: int) -> None:
    """Every one of 1,000 new players is taken, and counters equal a recount once drained."""
    client.put_board(board, {"layout": {"levels": 3}})

    def submit(number: int) -> str:
        submission = {"player_id": f"player-{number:04d}", "score": number * 7_919 % 100_000}
        return str(client.submit(board, submission, rank=False)["outcome"])

    with ThreadPoolExecutor(in_flight) as pool:
        outcomes = Counter(pool.map(submit, range(PLAYERS)))
    assert outcomes == {"new": PLAYERS}
    (audit,) = audit_boards(client.outputs, [board], wait_seconds=120)
    assert (audit.players, audit.differences) == (PLAYERS, ())
