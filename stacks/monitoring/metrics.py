"""The metrics of one stage, each built once: of AWS's own services, and those its code emits."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from aws_cdk import Duration
from aws_cdk import aws_cloudwatch as cloudwatch

from lambdas import names
from stacks.data_stack import DataStack
from stacks.service_stack import ServiceStack
from stacks.stages import StageConfig

MINUTE: Final = Duration.minutes(1)
Metric = cloudwatch.Metric | cloudwatch.MathExpression

# Every index of the table of scores: a table's own metrics leave out those of its indexes.
INDEXES: Final[Mapping[str, str]] = MappingProxyType(
    {"by_rank": names.RANK_INDEX, "by_expiry": names.EXPIRY_INDEX}
)


class Metrics:
    """Builds metrics of one stage; each a minute wide, unless a signal says otherwise.

    Attributes:
        capacities: what has a capacity of its own, tables and indexes, by the name in an
            expression.
    """

    def __init__(self, config: StageConfig, data: DataStack, service: ServiceStack) -> None:
        self._config = config
        self._service = service
        scores = {"TableName": data.scores.table_name}
        self.capacities: dict[str, dict[str, str]] = {
            "scores": scores,
            **{
                name: scores | {"GlobalSecondaryIndexName": index}
                for name, index in INDEXES.items()
            },
            "counters": {"TableName": data.counters.table_name},
            "submissions": {"TableName": data.submissions.table_name},
            "boards": {"TableName": data.boards.table_name},
        }

    def capacity(self, of: str, name: str) -> cloudwatch.Metric:
        """A sum over one table or index."""
        return _metric("AWS/DynamoDB", name, self.capacities[of], "Sum")

    def function(self, function: str, name: str, statistic: str) -> cloudwatch.Metric:
        """What Lambda says of one function."""
        of = {"FunctionName": self._service.functions[function].function.function_name}
        return _metric("AWS/Lambda", name, of, statistic)

    def gateway(self, name: str, statistic: str) -> cloudwatch.Metric:
        """What the HTTP API says, whatever became of a call behind it."""
        return _metric("AWS/ApiGateway", name, {"ApiId": self._service.api.api.api_id}, statistic)

    def failure_queue(self, name: str, statistic: str) -> cloudwatch.Metric:
        """What SQS says of the queue of failures."""
        of = {"QueueName": self._service.failures.queue_name}
        return _metric("AWS/SQS", name, of, statistic)

    def own(self, function: str, name: str, statistic: str) -> cloudwatch.Metric:
        """What one of the functions emits, see `lambdas/observability.py`."""
        of = {names.DIMENSION_STAGE: self._config.name, names.DIMENSION_FUNCTION: function}
        return _metric(names.METRIC_NAMESPACE, name, of, statistic)


def _metric(
    namespace: str, name: str, dimensions: dict[str, str], statistic: str
) -> cloudwatch.Metric:
    return cloudwatch.Metric(
        namespace=namespace,
        metric_name=name,
        dimensions_map=dimensions,
        statistic=statistic,
        period=MINUTE,
    )
