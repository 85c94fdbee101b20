"""What timed reads come to: each against another one of the same round, never in seconds."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from statistics import median, quantiles
from typing import Any, Final, NamedTuple

from ops.studies.latency_times import ARTICLE, ROOT_CACHED, Took

EVERYBODY: Final = "the whole board"
PARTS: Final[dict[str, Callable[[Took], float]]] = {
    "whole": lambda took: took.whole,
    "dynamodb": lambda took: took.in_client,
    "handler": lambda took: took.in_handler,
}
_DIGITS: Final = 4

Times = Sequence[float]


class Asked(NamedTuple):
    """What was timed once a round.

    Attributes:
        who: of which part of a board the player was.
        way: what was cached, or the article's way.
    """

    read: str
    players: int
    who: str
    way: str


Rounds = Mapping[Asked, Sequence[Took]]
References = Mapping[int, Times]


def rows(found: Rounds, get_items: References, fewest: int) -> Iterator[dict[str, Any]]:
    """A row for each read that was timed.

    Args:
        found: by what was asked, one a round, the rounds in the same order everywhere.
        get_items: by players, what one `GetItem` took in each round.
        fewest: the players of the board that growth is counted from.
    """
    for asked, took in found.items():
        smallest, root_cached, article = (
            found.get(asked._replace(**other))
            for other in ({"players": fewest}, {"way": ROOT_CACHED}, {"way": ARTICLE})
        )
        yield {
            **asked._asdict(),
            "samples": len(took),
            "requests": float(median(one.requests for one in took)),
            "exact_percent": _exact_percent(took),
            "to_fewest": smallest and {part: against(took, smallest, part) for part in PARTS},
            "to_root_cached": root_cached and against(took, root_cached),
            "to_article": article and against(took, article),
            "to_get_item": ratios([one.whole for one in took], get_items[asked.players]),
            "handler_percent": quartiles([100 * one.in_handler / one.whole for one in took]),
        }


def against(
    took: Sequence[Took], other: Sequence[Took], part: str = "whole"
) -> dict[str, float] | None:
    """How one read's time, or a part of it, stands to the same of another's."""
    return ratios([PARTS[part](one) for one in took], [PARTS[part](one) for one in other])


def ratios(times: Times, others: Times) -> dict[str, float] | None:
    """Quartiles of the ratios within each round; None where the other one took no time."""
    return quartiles([one / other for one, other in zip(times, others, strict=True) if other])


def _exact_percent(took: Sequence[Took]) -> float | None:
    told = [one.is_exact for one in took if one.is_exact is not None]
    return round(100 * sum(told) / len(told), _DIGITS) if told else None


def quartiles(values: Sequence[float]) -> dict[str, float] | None:
    """The quartiles of some values, rounded; None of none."""
    if not values:
        return None
    cuts = quantiles(values, n=4, method="inclusive") if len(values) > 1 else [*values] * 3
    return dict(zip(("q1", "median", "q3"), (round(cut, _DIGITS) for cut in cuts), strict=True))
