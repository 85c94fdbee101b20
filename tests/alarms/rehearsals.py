"""What each alarm must fire on and what it must not, in values a period of its inputs."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from lambdas import names
from stacks.monitoring_stack import SCHEDULED
from tests.infrastructure.test_service_stack import FUNCTIONS

Values = Mapping[str, float]


@dataclass(frozen=True, kw_only=True)
class Rehearsal:
    """One alarm's part.

    Attributes:
        near: as bad as it may get without an alarm, for as long as it likes.
        breach: bad.
        trickle: next to no traffic, however bad its ratios are; None where there is no such thing.
        blind_without: the inputs without which a breach goes unseen.
        heartbeat: the alarm misses something: no data at all is a breach.
    """

    near: Values
    breach: Values
    trickle: Values | None = None
    blind_without: frozenset[str] = field(default_factory=frozenset)
    heartbeat: bool = False


def _one(name: str, near: float, breach: float) -> Rehearsal:
    return Rehearsal(near={name: near}, breach={name: breach}, blind_without=frozenset({name}))


def _rate(part: str, percent: float, floor: int) -> Rehearsal:
    """A share of calls: a thousand of them just within, and then past the percentage."""
    return Rehearsal(
        near={part: 10 * percent, "calls": 1_000},
        breach={part: 10 * percent + 1, "calls": 1_000},
        trickle={part: floor - 1, "calls": floor - 1} if floor > 1 else None,
        blind_without=frozenset({part, "calls"}),
    )


def _p99(limit: float, floor: int) -> Rehearsal:
    return Rehearsal(
        near={"p99": limit, "calls": 1_000},
        breach={"p99": limit + 1, "calls": floor},
        trickle={"p99": 100 * limit, "calls": floor - 1} if floor > 1 else None,
        blind_without=frozenset({"p99", "calls"}),
    )


def _throttles(*limits: str) -> Rehearsal:
    """One throttled write a minute; which kinds are missing says nothing about the others."""
    kinds = [f"{kind}_{limit}" for limit in limits for kind in ("read", "write")]
    return Rehearsal(
        near=dict.fromkeys(kinds, 0),
        breach=dict.fromkeys(kinds, 0) | {kinds[-1]: 1},
        blind_without=frozenset({kinds[-1]}),
    )


_TIMEOUT_SECONDS = {names.COUNT: 120, names.CLOSE: 900, names.EXPIRE: 60, names.AUDIT: 240}
_HEARTBEAT = Rehearsal(near={"events": 1}, breach={"events": 0}, heartbeat=True)
_NOTHING_ELSE = {"by_expiry": 0, "submissions": 0}
# Of 50 submits a second with two levels, and the share each alarm is about just within its limit.
_SUBMITS = {"scores": 3_000, "by_rank": 3_000, "by_expiry": 0, "submissions": 0}
_IN_FIVE_MINUTES = {"scores": 15_000, "by_rank": 15_000, "by_expiry": 0, "submissions": 3_000}

REHEARSALS: dict[str, Rehearsal] = {
    "counters-write-share-warning": Rehearsal(
        near=_IN_FIVE_MINUTES | {"counters": 22_000},
        breach=_IN_FIVE_MINUTES | {"counters": 22_010},
        # Twenty submits a second, each counted by itself.
        trickle={**_NOTHING_ELSE, "scores": 6_000, "by_rank": 6_000, "counters": 16_000},
        blind_without=frozenset({"counters"}),
    ),
    "hottest-counter-write-share-warning": Rehearsal(
        near=_SUBMITS | {"counters": 3_000, "hottest": 2_250},
        breach=_SUBMITS | {"counters": 3_000, "hottest": 2_260},
        # One submit a second: its root takes two units of five.
        trickle={**_NOTHING_ELSE, "scores": 60, "by_rank": 60, "counters": 180, "hottest": 120},
        blind_without=frozenset({"hottest"}),
    ),
    "count-lag-warning": _one("age", 30_000, 30_001),
    "count-lag-critical": _one("age", 300_000, 300_001),
    "stream-records-expiring-critical": _one("age", 12 * 3_600_000, 12 * 3_600_000 + 1),
    "count-stopped-critical": Rehearsal(
        near={"scores": 5_000, "calls": 1},
        breach={"scores": 1, "calls": 0},
        blind_without=frozenset({"scores"}),
    ),
    "failure-queue-filled-warning": _one("waiting", 0, 1),
    "audit-drift-warning": Rehearsal(
        near={"live": 0, "over": 0},
        breach={"live": 1, "over": 0},
        blind_without=frozenset({"live"}),
    ),
    "expiry-behind-warning": _one("lag", 900, 901),
    "audit-missed-warning": Rehearsal(near={"audited": 1}, breach={"audited": 0}, heartbeat=True),
    **{
        f"{of}-{failure}-warning": rehearsal
        for of in ("scores", "by-rank", "by-expiry", "counters", "submissions", "boards")
        for failure, rehearsal in (
            ("hot-keys", _throttles("keyRangeThroughput")),
            ("limits", _throttles("accountLimit", "maxOnDemandThroughput")),
        )
    },
    **{f"{group}-api-errors-warning": _rate("bad", 1, 10) for group in (names.SUBMIT, names.READ)},
    **{f"{group}-api-errors-critical": _rate("bad", 5, 10) for group in (names.SUBMIT, names.READ)},
    "admin-api-errors-warning": _rate("bad", 1, 1),
    "submit-api-throttled-warning": _rate("bad", 1, 10),
    "read-api-throttled-warning": _rate("bad", 1, 10),
    "gateway-errors-critical": _rate("errors", 5, 10),
    "read-api-slow-warning": _p99(500, 10),
    "read-api-slow-critical": _p99(2_000, 10),
    "submit-api-slow-warning": _p99(1_000, 10),
    "submit-api-slow-critical": _p99(3_000, 10),
    "admin-api-slow-warning": _p99(5_000, 1),
    "gateway-slow-warning": _p99(3_000, 10),
    "rank-ranges-wide-warning": _one("width", 2, 2.01),
    **{
        f"{function}-function-{failure}-warning": _one("events", 0, 1)
        for function in FUNCTIONS
        for failure in ("errors", "throttled")
    },
    **{
        f"{function}-function-near-timeout-warning": _one("longest", 800 * s, 800 * s + 1)
        for function in FUNCTIONS
        for s in [_TIMEOUT_SECONDS.get(function, 10)]
    },
    **{f"{function}-missed-warning": _HEARTBEAT for function in SCHEDULED},
}
