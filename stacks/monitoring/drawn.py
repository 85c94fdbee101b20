"""What dashboards draw: signals, metrics, and the widgets that a library has for AWS's own."""

from dataclasses import dataclass
from typing import Final

import cdk_monitoring_constructs as library
from aws_cdk import Stack
from aws_cdk import aws_cloudwatch as cloudwatch

from stacks.data_stack import DataStack
from stacks.monitoring.metrics import MINUTE, Metrics
from stacks.monitoring.signals import Signals
from stacks.monitoring.widgets import HEIGHT
from stacks.service_stack import ServiceStack

QUARTER: Final = 6


@dataclass(frozen=True, kw_only=True)
class Drawn:
    """Everything that the rows of a dashboard are made of.

    Attributes:
        stack: That of the dashboards.
        hottest_rule: The name of the contributor rule.
    """

    stack: Stack
    data: DataStack
    service: ServiceStack
    metrics: Metrics
    signals: Signals
    hottest_rule: str


class Library:
    """Widgets of cdk-monitoring-constructs, each asked for by itself.

    It would lay out whole pages, of which half are metrics that this service never emits.
    """

    def __init__(self, drawn: Drawn, id: str) -> None:  # noqa: A002
        self._drawn = drawn
        self._facade = library.MonitoringFacade(
            drawn.stack,
            id,
            metric_factory_defaults=library.MetricFactoryDefaults(period=MINUTE),
            dashboard_factory=library.DefaultDashboardFactory(
                drawn.stack,
                f"{id}Factory",
                dashboard_name_prefix=id,
                create_dashboard=False,
                create_summary_dashboard=False,
                create_alarm_dashboard=False,
            ),
        )

    def gateway(self) -> list[cloudwatch.IWidget]:
        """Calls a second, latency and errors at the HTTP API."""
        api = library.ApiGatewayV2HttpApiMonitoring(
            self._facade, api=self._drawn.service.api.api, human_readable_name="HTTP API"
        )
        return [
            api.create_tps_widget(QUARTER, HEIGHT),
            api.create_latency_widget(2 * QUARTER, HEIGHT),
            api.create_error_count_widget(QUARTER, HEIGHT),
        ]

    def table(self, name: str) -> list[cloudwatch.IWidget]:
        """Units a second that a table takes, reads and writes."""
        table = getattr(self._drawn.data, name)
        made = library.DynamoTableMonitoring(self._facade, table=table, human_readable_name=name)
        return [
            made.create_read_capacity_widget(QUARTER, HEIGHT),
            made.create_write_capacity_widget(QUARTER, HEIGHT),
        ]

    def function(self, name: str) -> list[cloudwatch.IWidget]:
        """Calls, durations and errors of a function."""
        made = library.LambdaFunctionMonitoring(
            self._facade,
            lambda_function=self._drawn.service.functions[name].function,
            human_readable_name=name,
        )
        return [
            made.create_tps_widget(QUARTER, HEIGHT),
            made.create_latency_widget(QUARTER, HEIGHT),
            made.create_error_count_widget(QUARTER, HEIGHT),
        ]
