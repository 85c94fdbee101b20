"""What one call answered, noted for its metrics while it is answered."""

from collections import Counter
from collections.abc import Iterator
from http import HTTPStatus
from typing import Final

from lambdas import names
from lambdas.domain.ranking import Standing
from lambdas.domain.submissions import Outcome
from lambdas.logic.submit import Submitted

_ANSWERS: Final = {
    "estimated": names.METRIC_ANSWERS_ESTIMATED,
    "unranked": names.METRIC_ANSWERS_UNRANKED,
}


class Seen:
    """Counts the ranks and outcomes that one call answered with; its threads may share it.

    Attributes:
        range_widths: of each estimated rank, the share of the population in percent, above 0 to
            100; none where the population was not known.
    """

    def __init__(self) -> None:
        self._names: list[str] = []  # appended to, which threads may do at once
        self._failed = self._throttled = False
        self.range_widths: list[float] = []

    def status(self, status: int) -> None:
        """Notes the status of the call, or of a part of a batch."""
        self._failed |= status >= HTTPStatus.INTERNAL_SERVER_ERROR
        self._throttled |= status == HTTPStatus.TOO_MANY_REQUESTS

    def standing(self, standing: Standing) -> None:
        """Notes a rank that was asked for."""
        exact = names.METRIC_ANSWERS_EXACT_COUNTERS
        if standing.basis == "index":
            exact = names.METRIC_ANSWERS_EXACT_INDEX
        self._names.append(_ANSWERS.get(standing.kind, exact))
        first, last, population = standing.first, standing.last, standing.population
        if standing.kind == "estimated" and population and first is not None and last is not None:
            self.range_widths.append(100 * (last - first + 1) / population)

    def submitted(self, submitted: Submitted) -> None:
        """Notes what a submission did to each window, and the ranks it was answered with."""
        for result in submitted.windows.values():
            outcome = Outcome.DUPLICATE if submitted.is_duplicate else result.outcome
            self._names.append(names.METRIC_OUTCOMES[outcome])
            if result.ranked:
                self.standing(result.ranked.standing)

    def counts(self) -> Iterator[tuple[str, int]]:
        """Metrics and their values; answers and outcomes only where there were any."""
        yield names.METRIC_REQUESTS, 1
        yield names.METRIC_SERVER_ERRORS, int(self._failed)
        yield names.METRIC_CALLS_THROTTLED, int(self._throttled)
        yield from Counter(self._names).items()
