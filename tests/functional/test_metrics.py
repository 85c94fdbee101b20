"""What the functions emit: each metric by stage and function, and what it is to hold."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from botocore.exceptions import ClientError

from lambdas import names
from lambdas.api.seen import Seen
from lambdas.domain.ranking import Standing
from lambdas.domain.submissions import Outcome
from ops.rig.events import Context
from tests.functional.conftest import Api
from tests.functional.failing import THROTTLED, UNAVAILABLE, WatchedClient

Emitted = Callable[[], list[dict[str, Any]]]
THROTTLED_ONE = THROTTLED["ThrottlingException"]


@pytest.fixture
def lines(capsys: pytest.CaptureFixture[str]) -> Emitted:
    """What was printed since it was asked for last, parsed."""
    capsys.readouterr()
    return lambda: [json.loads(line) for line in capsys.readouterr().out.splitlines()]


@pytest.fixture
def emitted(lines: Emitted) -> Emitted:
    """The records of metrics emitted since it was asked for last."""
    return lambda: [line for line in lines() if "_aws" in line]


def dimensions(record: dict[str, Any]) -> list[dict[str, str]]:
    """The dimension sets that a record's metrics are kept under."""
    (metrics,) = record["_aws"]["CloudWatchMetrics"]
    return [{name: record[name] for name in each} for each in metrics["Dimensions"]]


def test_metrics_are_kept_by_route_and_by_stage_and_function(
    api: Api, board: str, emitted: Emitted
) -> None:
    """Alarms read the second set; neither names a board or player."""
    api.make_board(board)
    emitted()
    api.submit(board, "one", 7)
    api.rank(board, "one")
    submit, read = emitted()
    route = "/api/leaderboards/{board}"
    assert dimensions(submit) == [
        {"service": "tallyboard", "route": f"POST {route}/scores"},
        {"stage": "rig", "function": "submit"},
    ]
    assert dimensions(read) == [
        {"service": "tallyboard", "route": f"GET {route}/players/{{player_id}}/rank"},
        {"stage": "rig", "function": "read"},
    ]
    assert (submit["Requests"], submit["ServerErrors"]) == ([1.0], [0.0])


def test_outcomes_and_kinds_of_answer_are_counted(api: Api, board: str, emitted: Emitted) -> None:
    """A submit by what it did to each window, a rank by what it rests on; nothing else is there."""
    api.make_board(board, windows=["all", "daily"])
    emitted()
    api.submit(board, "one", 7)
    api.submit(board, "one", 8)
    api.submit(board, "one", 8, submission_id="again")
    api.rank(board, "one")
    api.rank(board, "nobody")
    found = [
        {name: line[name] for name in line if name.startswith(("Answers", "Submits"))}
        for line in emitted()
    ]
    assert found == [
        {"SubmitsNew": [2.0], "AnswersExactIndex": [2.0]},
        {"SubmitsImproved": [2.0], "AnswersExactIndex": [2.0]},
        {"SubmitsKept": [2.0], "AnswersExactIndex": [2.0]},
        {"AnswersExactIndex": [1.0]},
        {"AnswersUnranked": [1.0]},
    ]


def test_every_outcome_has_a_metric() -> None:
    """An outcome that nobody counts would be missing from every sum."""
    assert set(names.METRIC_OUTCOMES) == {str(outcome) for outcome in Outcome}


def test_the_width_of_a_range_is_a_share_of_the_population() -> None:
    """Of estimated ranks alone, and never without a population."""
    seen = Seen()
    seen.standing(Standing("estimated", "counters", 11, 20, 400, None))
    seen.standing(Standing("exact", "counters", 11, 11, 400, None))
    seen.standing(Standing("estimated", "counters", 1, 2, None, None))
    assert seen.range_widths == [2.5]
    counted = dict(seen.counts())
    assert (counted["AnswersEstimated"], counted["AnswersExactCounters"]) == (2, 1)


def test_a_hundred_ranges_in_one_call_are_all_emitted(
    api: Api, drain: Any, board: str, emitted: Emitted
) -> None:
    """Powertools sends a record by itself with the hundredth value; the rest follows it."""
    api.make_board(
        board, layout={"levels": 1}, exact_limit=100, top_exact=1, score_range=[0, 10**6]
    )
    api.submit_all(board, {f"p{i}": 500_000 + i for i in range(400)})
    drain()
    emitted()
    scores = [500_000 + i for i in range(100)]
    status, answer = api.call("POST", f"/api/leaderboards/{board}/ranks", {"scores": scores})
    assert status == 200
    estimated = sum(one["kind"] == "estimated" for one in answer["ranks"])
    records = emitted()
    widths = [width for record in records for width in record.get("RangeWidth", [])]
    assert len(widths) == estimated == 100
    assert all(0 < width <= 100 for width in widths)
    assert sum(len(record.get("Requests", [])) for record in records) == 1


def test_a_call_that_fails_inside_is_a_server_error(
    api: Api, board: str, client: WatchedClient, emitted: Emitted
) -> None:
    """As is a part of a batch answered 200; throttling is told apart, mistakes are none."""
    api.make_board(board)
    body = {"player_id": "one", "score": 7}
    path = f"/api/leaderboards/{board}/scores"
    emitted()
    for errors, metric in ((UNAVAILABLE["503"], "ServerErrors"), (THROTTLED_ONE, "CallsThrottled")):
        client.fail(errors, lambda call: call.operation == "update_item")
        statuses = [
            api.call("POST", path, body)[0],
            api.call("POST", f"{path}/batch", {"scores": [body]})[0],
            api.call("POST", path, body | {"score": "seven"})[0],
        ]
        assert statuses == [503 if metric == "ServerErrors" else 429, 200, 422]
        assert [record[metric] for record in emitted() if metric in record] == [
            [1.0],
            [1.0],
            [0.0],
        ]


def test_an_audit_that_ran_is_told_from_none(api: Api, emitted: Emitted) -> None:
    """With nothing to look at as well: silence would look like a schedule that stopped."""
    api.handlers[names.AUDIT].handler({}, Context(timeout_seconds=1))
    (record,) = emitted()
    assert record["AuditRuns"] == [1.0]
    assert record["AuditDrift"] == [0.0]
    assert dimensions(record)[1] == {"stage": "rig", "function": "audit"}


def test_throttles_are_counted_by_the_reason_that_dynamodb_gives(
    api: Api, board: str, client: WatchedClient, emitted: Emitted
) -> None:
    """Once a reason and call, whatever was throttled; by stage and function in all."""
    api.make_board(board)
    reason = {"reason": "IndexWriteKeyRangeThroughputExceeded", "resource": "arn:index"}
    throttled = ClientError(
        THROTTLED_ONE.response | {"ThrottlingReasons": [reason, reason]},  # type: ignore[arg-type]
        "UpdateItem",
    )
    path = f"/api/leaderboards/{board}/scores"
    for error, said in ((throttled, reason["reason"]), (THROTTLED_ONE, "Unsaid")):
        client.fail(error, lambda call: call.operation == "update_item")
        emitted()
        assert api.call("POST", path, {"player_id": "one", "score": 7})[0] == 429
        throttles, _ = emitted()
        assert throttles["Throttles"] == [1.0]
        assert dimensions(throttles) == [
            {"reason": said, "service": "tallyboard"},
            {"stage": "rig", "function": "submit"},
        ]
