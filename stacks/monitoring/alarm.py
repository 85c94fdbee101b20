"""How an alarm is made, from what it says about itself: one hand for all of them."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from aws_cdk import aws_cloudwatch as cloudwatch

from stacks.monitoring.signals import Signal

RUNBOOKS: Final = "docs/runbooks"


class Severity(StrEnum):
    """What an alarm asks of whom it reaches.

    Attributes:
        WARNING: A ticket: look at it in working hours.
        CRITICAL: A page: look at it now.
    """

    WARNING = "warning"
    CRITICAL = "critical"


class Missing(StrEnum):
    """What CloudWatch is to make of a data point that is missing."""

    FINE = "notBreaching"
    BAD = "breaching"


@dataclass(frozen=True, kw_only=True)
class Watch:
    """An alarm as it is meant: what it watches, when that is bad and what to do about it.

    Attributes:
        subject: What it is about, as the first part of its name.
        failure: What is wrong with it.
        severity: The last part of its name.
        signal: What is watched, one data point a period.
        threshold: Past it a data point is bad: above, or below with `below`.
        bad: How many data points must be bad,
        of: among how many of the newest.
        missing: What a data point counts as that no input fills,
        why_missing: and why.
        means: A sentence for whoever reads the notification.
        runbook: The page of `docs/runbooks` that says what to do.
        players_notice: Whether players notice within minutes; these page as one.
    """

    subject: str
    failure: str
    severity: Severity
    signal: Signal
    threshold: float
    below: bool = False
    bad: int = 3
    of: int = 5
    missing: Missing = Missing.FINE
    why_missing: str = "each input is filled with 0, which is what nothing happening looks like"
    means: str
    runbook: str
    players_notice: bool = False

    @property
    def name(self) -> str:
        """The name within its stage: `<subject>-<failure>-<severity>`."""
        return f"{self.subject}-{self.failure}-{self.severity}"

    @property
    def description(self) -> str:
        """What the notification says: what it means, what missing data does, where to read on."""
        side = "below" if self.below else "above"
        return (
            f"{self.means} Bad: {self.signal.label} {side} {self.threshold:g} in {self.bad} of"
            f" {self.of} periods. Missing data is {self.missing}: {self.why_missing}."
            f" Runbook: {RUNBOOKS}/{self.runbook}.md"
        )

    def comparison(self) -> cloudwatch.ComparisonOperator:
        """How a data point is held against the threshold."""
        operators = cloudwatch.ComparisonOperator
        return operators.LESS_THAN_THRESHOLD if self.below else operators.GREATER_THAN_THRESHOLD

    def treatment(self) -> cloudwatch.TreatMissingData:
        """CDK's word for what missing data counts as."""
        treatments = cloudwatch.TreatMissingData
        return treatments.BREACHING if self.missing is Missing.BAD else treatments.NOT_BREACHING
