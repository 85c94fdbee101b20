"""Which counter item is the hottest: a contributor rule over the count function's log.

DynamoDB's own contributor rules end in the time they were made at, so no template can name one.
This one reads the line that the count function writes for each update of a root, and its name is
known before it exists: a wrong name in `INSIGHT_RULE_METRIC` would not be noticed.
"""

from typing import Any, Final

from aws_cdk import Stack
from aws_cdk import aws_cloudwatch as cloudwatch
from aws_cdk import aws_logs as logs
from constructs import Construct

from lambdas import names
from stacks.stages import StageConfig

# https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/ContributorInsights-RuleSyntax.html
_RULE: Final[dict[str, Any]] = {
    "Schema": {"Name": "CloudWatchLogRule", "Version": 1},
    "LogFormat": "JSON",
    "Contribution": {
        "Keys": [f"$.{names.LOG_COUNTER_ITEM}"],
        "ValueOf": f"$.{names.LOG_WRITE_UNITS}",
        "Filters": [{"Match": "$.message", "In": [names.LOG_ROOT_UPDATED]}],
    },
    "AggregateOn": "Sum",
}


class HottestItems(cloudwatch.CfnInsightRule):
    """Adds up the write units of each root's counter items."""

    def __init__(
        self,
        scope: Construct,
        id: str,  # noqa: A002
        *,
        config: StageConfig,
        log_group: logs.ILogGroup,
    ) -> None:
        """Declares the rule over the log of the count function."""
        body = _RULE | {"LogGroupNames": [log_group.log_group_name]}
        super().__init__(
            scope,
            id,
            rule_name=hottest_rule(config),
            rule_state="ENABLED",
            rule_body=Stack.of(scope).to_json_string(body),
        )


def hottest_rule(config: StageConfig) -> str:
    """The name of a stage's rule."""
    return f"Tallyboard-{config.name}-hottest-counter-items"


def hottest_item(rule: str) -> cloudwatch.MathExpression:
    """The write units of the hottest item of each minute; it need not be the same one."""
    return cloudwatch.MathExpression(
        expression=f"INSIGHT_RULE_METRIC('{rule}', 'MaxContributorValue')",
        using_metrics={},
        label="write units of the hottest counter item",
    )
