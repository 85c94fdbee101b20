"""The metrics of AWS that alarms and dashboards may use: documented ones, and their dimensions."""

from typing import NamedTuple

_DOCS = "https://docs.aws.amazon.com"


class Page(NamedTuple):
    """Where AWS documents metrics, which ones of those are used, and by which dimensions."""

    address: str
    metrics: frozenset[str]
    dimensions: frozenset[frozenset[str]]


def _dimensions(*sets: tuple[str, ...]) -> frozenset[frozenset[str]]:
    return frozenset(frozenset(one) for one in sets)


DOCUMENTED: dict[str, Page] = {
    "AWS/DynamoDB": Page(
        f"{_DOCS}/amazondynamodb/latest/developerguide/metrics-dimensions.html",
        frozenset(
            {
                "ConsumedReadCapacityUnits",
                "ConsumedWriteCapacityUnits",
                "ReadAccountLimitThrottleEvents",
                "ReadKeyRangeThroughputThrottleEvents",
                "ReadMaxOnDemandThroughputThrottleEvents",
                "WriteAccountLimitThrottleEvents",
                "WriteKeyRangeThroughputThrottleEvents",
                "WriteMaxOnDemandThroughputThrottleEvents",
            }
        ),
        _dimensions(("TableName",), ("TableName", "GlobalSecondaryIndexName")),
    ),
    "AWS/Lambda": Page(
        f"{_DOCS}/lambda/latest/dg/monitoring-metrics-types.html",
        frozenset({"Duration", "Errors", "Invocations", "IteratorAge", "Throttles"}),
        _dimensions(("FunctionName",)),
    ),
    "AWS/ApiGateway": Page(
        f"{_DOCS}/apigateway/latest/developerguide/http-api-metrics.html",
        frozenset({"4xx", "5xx", "Count", "IntegrationLatency", "Latency"}),
        _dimensions(("ApiId",), ("ApiId", "Stage")),
    ),
    "AWS/SQS": Page(
        f"{_DOCS}/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-available-cloudwatch-metrics.html",
        frozenset({"ApproximateNumberOfMessagesVisible"}),
        _dimensions(("QueueName",)),
    ),
}
INSIGHT_VALUES = Page(
    f"{_DOCS}/AmazonCloudWatch/latest/monitoring/ContributorInsights-GraphReportData.html",
    frozenset({"MaxContributorValue"}),
    _dimensions(),
)
