"""Alarms on answers: errors, throttled answers and latency of each API group, widths of ranges."""

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Final

from lambdas import names
from stacks.monitoring.alarm import Severity, Watch
from stacks.monitoring.signals import Signals
from stacks.stages import StageConfig

# Calls a minute below which a share of them says nothing; boards are changed one call at a time.
FLOORS: Final = {names.SUBMIT: 10, names.READ: 10, names.ADMIN: 1}
_PLAYED: Final = (names.SUBMIT, names.READ)
_LATENCY_MS: Final = {
    (names.READ, Severity.WARNING): 500,
    (names.READ, Severity.CRITICAL): 2_000,
    (names.SUBMIT, Severity.WARNING): 1_000,
    (names.SUBMIT, Severity.CRITICAL): 3_000,
    (names.ADMIN, Severity.WARNING): 5_000,
}
_ERRORS_PERCENT: Final = {Severity.WARNING: 1, Severity.CRITICAL: 5}
# Percent of the population that ranges may be wide, by the deepest layout.
PROMISED_WIDTHS: Final[Mapping[int, float]] = MappingProxyType(
    {1: 60, 2: 2, 3: 1, 4: 1, 5: 1, 6: 1}
)
_QUIET: Final = "below the floor of calls there is no share, and nobody to notice"


def error_watches(signals: Signals) -> Iterator[Watch]:
    """Answers of 5xx, and those that DynamoDB was too busy for."""
    for group, floor in FLOORS.items():
        for severity, percent in _ERRORS_PERCENT.items():
            if severity is Severity.CRITICAL and group not in _PLAYED:
                continue
            yield Watch(
                subject=f"{group}-api",
                failure="errors",
                severity=severity,
                signal=signals.answered_with(group, names.METRIC_SERVER_ERRORS, floor),
                threshold=percent,
                why_missing=_QUIET,
                means=f"The {group} routes answer with errors of ours.",
                runbook="api-errors",
                players_notice=severity is Severity.CRITICAL,
            )
    for group in _PLAYED:
        yield Watch(
            subject=f"{group}-api",
            failure="throttled",
            severity=Severity.WARNING,
            signal=signals.answered_with(group, names.METRIC_CALLS_THROTTLED, FLOORS[group]),
            threshold=_ERRORS_PERCENT[Severity.WARNING],
            why_missing=_QUIET,
            means=f"The {group} routes answer 429, since DynamoDB throttles or players collide.",
            runbook="throttles",
        )
    yield Watch(
        subject="gateway",
        failure="errors",
        severity=Severity.CRITICAL,
        signal=signals.gateway_errors(FLOORS[names.READ]),
        threshold=_ERRORS_PERCENT[Severity.CRITICAL],
        why_missing=_QUIET,
        means="Callers get errors, whether or not a function was reached.",
        runbook="api-errors",
        players_notice=True,
    )


def latency_watches(signals: Signals) -> Iterator[Watch]:
    """How long callers wait."""
    for (group, severity), milliseconds in _LATENCY_MS.items():
        yield Watch(
            subject=f"{group}-api",
            failure="slow",
            severity=severity,
            signal=signals.latency(group, FLOORS[group]),
            threshold=milliseconds,
            why_missing=_QUIET,
            means=f"One of a hundred calls of the {group} routes takes over {milliseconds} ms.",
            runbook="api-slow",
            players_notice=severity is Severity.CRITICAL,
        )
    yield Watch(
        subject="gateway",
        failure="slow",
        severity=Severity.WARNING,
        signal=signals.gateway_latency(FLOORS[names.READ]),
        threshold=_LATENCY_MS[names.SUBMIT, Severity.CRITICAL],
        why_missing=_QUIET,
        means="One of a hundred callers waits over 3 s, cold starts included.",
        runbook="api-slow",
    )


def width_watches(signals: Signals, config: StageConfig) -> Iterator[Watch]:
    """Whether ranges stay worth showing."""
    yield Watch(
        subject="rank-ranges",
        failure="wide",
        severity=Severity.WARNING,
        signal=signals.range_width(),
        threshold=PROMISED_WIDTHS[config.levels],
        why_missing="no estimated rank is as good as a narrow one",
        means="Estimated ranks are wider than layouts this deep promise.",
        runbook="wide-ranges",
    )
