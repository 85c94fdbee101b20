"""The alarms of a stage with whom they tell: tickets, pages, and one page for what players notice.

An incident pages once. A critical alarm that players notice goes to the tickets and into one
composite alarm, which pages; any other critical alarm pages by itself.
"""

from collections.abc import Iterable
from typing import TypeVar

from aws_cdk import CfnOutput, Stack
from aws_cdk import aws_cloudwatch as cloudwatch
from aws_cdk import aws_cloudwatch_actions as actions
from aws_cdk import aws_iam as iam
from aws_cdk import aws_sns as sns
from constructs import Construct

from stacks.monitoring.alarm import RUNBOOKS, Severity, Watch
from stacks.stages import StageConfig

PLAYERS_NOTICE = "players-notice-critical"
A = TypeVar("A", bound=cloudwatch.AlarmBase)


class Topics(Construct):
    """A topic for each severity; whoever is to be told subscribes.

    Attributes:
        by_severity: The topics.
    """

    def __init__(self, scope: Construct, id: str) -> None:  # noqa: A002
        """Declares topics that CloudWatch may publish to, over TLS alone."""
        super().__init__(scope, id)
        self.by_severity = {
            Severity.WARNING: self._topic("Tickets"),
            Severity.CRITICAL: self._topic("Pages"),
        }

    def _topic(self, name: str) -> sns.Topic:
        topic = sns.Topic(self, name, enforce_ssl=True)
        # Whoever may publish is listed from now on: the policy replaces SNS's own.
        own = {"StringEquals": {"aws:SourceAccount": Stack.of(self).account}}
        topic.grant_publish(iam.ServicePrincipal("cloudwatch.amazonaws.com", conditions=own))
        CfnOutput(self, f"{name}TopicArn", value=topic.topic_arn).override_logical_id(
            f"{name}TopicArn"
        )
        return topic


class Alarms(Construct):
    """Makes an alarm of each watch, and one of those that players notice.

    Attributes:
        watches: What is watched, by the alarm's name within the stage.
        alarms: The alarms by the same names.
    """

    def __init__(
        self,
        scope: Construct,
        id: str,  # noqa: A002
        *,
        config: StageConfig,
        topics: Topics,
        watches: Iterable[Watch],
    ) -> None:
        """Declares the alarms."""
        super().__init__(scope, id)
        self._config = config
        self._topics = topics
        self.watches = {watch.name: watch for watch in watches}
        self.alarms = {name: self._alarm(watch) for name, watch in self.watches.items()}
        self.players_notice = self._players_notice()

    def _alarm(self, watch: Watch) -> cloudwatch.Alarm:
        alarm = cloudwatch.Alarm(
            self,
            "".join(part.capitalize() for part in watch.name.split("-")),
            alarm_name=_name(self._config, watch.name),
            alarm_description=watch.description,
            metric=watch.signal.metric(),
            threshold=watch.threshold,
            comparison_operator=watch.comparison(),
            datapoints_to_alarm=watch.bad,
            evaluation_periods=watch.of,
            treat_missing_data=watch.treatment(),
        )
        told = Severity.WARNING if watch.players_notice else watch.severity
        return self._tell(alarm, told)

    def _players_notice(self) -> cloudwatch.CompositeAlarm:
        children = [
            self.alarms[name] for name, watch in self.watches.items() if watch.players_notice
        ]
        states = [
            cloudwatch.AlarmRule.from_alarm(child, cloudwatch.AlarmState.ALARM)
            for child in children
        ]
        composite = cloudwatch.CompositeAlarm(
            self,
            "PlayersNotice",
            composite_alarm_name=_name(self._config, PLAYERS_NOTICE),
            alarm_description=(
                "Players notice: submits or ranks fail, are slow, or are minutes old. The alarms"
                f" behind it say which. Runbook: {RUNBOOKS}/players-notice.md"
            ),
            alarm_rule=cloudwatch.AlarmRule.any_of(*states),
        )
        return self._tell(composite, Severity.CRITICAL)

    def _tell(self, alarm: A, severity: Severity) -> A:
        action = actions.SnsAction(self._topics.by_severity[severity])
        alarm.add_alarm_action(action)
        alarm.add_ok_action(action)
        return alarm


def _name(config: StageConfig, name: str) -> str:
    """Names of alarms are unique in an account and region, so the stage stands before them."""
    return f"Tallyboard-{config.name}-{name}"
