"""Alarms on each function by itself: errors, throttles, and calls that near their timeout."""

from collections.abc import Iterator, Mapping
from typing import Final

from aws_cdk import Duration

from stacks.monitoring.alarm import Missing, Severity, Watch
from stacks.monitoring.metrics import MINUTE
from stacks.monitoring.signals import FIVE_MINUTES, Signals

_TIME_USED_PERCENT: Final = 80
_EVENTS: Final = {
    "errors": ("Errors", "Calls of the {} function end without an answer."),
    "throttled": ("Throttles", "Lambda has no room for calls of the {} function."),
}


def function_watches(
    signals: Signals, timeouts: Mapping[str, Duration], scheduled: Mapping[str, Duration]
) -> Iterator[Watch]:
    """Alarms for every function there is.

    Args:
        timeouts: Of each function by name.
        scheduled: How often those run that nobody calls.
    """
    for function, timeout in timeouts.items():
        # A function that is called every five minutes has one point in as many.
        period, bad, of = (FIVE_MINUTES, 2, 3) if function in scheduled else (MINUTE, 3, 5)
        for failure, (metric, means) in _EVENTS.items():
            yield Watch(
                subject=f"{function}-function",
                failure=failure,
                severity=Severity.WARNING,
                signal=signals.function_sum(function, metric, period),
                threshold=0,
                bad=bad,
                of=of,
                why_missing="a function that nobody calls fails nobody",
                means=means.format(function),
                runbook="functions",
            )
        yield Watch(
            subject=f"{function}-function",
            failure="near-timeout",
            severity=Severity.WARNING,
            signal=signals.time_used(function, timeout, period),
            threshold=_TIME_USED_PERCENT,
            bad=bad,
            of=of,
            why_missing="a function that nobody calls takes no time",
            means=f"Calls of the {function} function come near the end of their time.",
            runbook="functions",
        )


def schedule_watches(signals: Signals, scheduled: Mapping[str, Duration]) -> Iterator[Watch]:
    """Whether what runs on a schedule is called at all."""
    for function, every in scheduled.items():
        yield Watch(
            subject=function,
            failure="missed",
            severity=Severity.WARNING,
            signal=signals.function_sum(function, "Invocations", every),
            threshold=1,
            below=True,
            bad=3,
            of=3,
            missing=Missing.BAD,
            why_missing="Lambda reports nothing of a function that is not called: the failure",
            means=f"The {function} function was not called three times in a row.",
            runbook="schedule-missed",
        )
