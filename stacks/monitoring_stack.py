"""What an on-call engineer needs of one stage: its alarms, whom they tell, and its dashboards.

Only for stages on AWS: the emulator refuses metric math, and the rig has no CloudWatch.
"""

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Final

from aws_cdk import Duration, Stack
from constructs import Construct

from lambdas import names
from stacks.data_stack import DataStack
from stacks.monitoring.alarm import Watch
from stacks.monitoring.alarms import Alarms, Topics
from stacks.monitoring.counting_alarms import lag_watches, loss_watches, share_watches
from stacks.monitoring.dashboards import Dashboards
from stacks.monitoring.drawn import Drawn
from stacks.monitoring.function_alarms import function_watches, schedule_watches
from stacks.monitoring.hottest_items import HottestItems, hottest_rule
from stacks.monitoring.metrics import Metrics
from stacks.monitoring.serving_alarms import error_watches, latency_watches, width_watches
from stacks.monitoring.signals import Signals
from stacks.monitoring.table_alarms import throttle_watches
from stacks.service_stack import AUDIT_EVERY, CLOSE_EVERY, EXPIRE_EVERY, ServiceStack
from stacks.stages import StageConfig

SCHEDULED: Final[Mapping[str, Duration]] = MappingProxyType(
    {names.CLOSE: CLOSE_EVERY, names.EXPIRE: EXPIRE_EVERY, names.AUDIT: AUDIT_EVERY}
)


class MonitoringStack(Stack):
    """Alarms and dashboards over a `DataStack` and its `ServiceStack`; nothing depends on it.

    Attributes:
        topics: Where alarms are told, by severity.
        alarms: The alarms, with what each watches.
        dashboards: Two, with the thresholds of the alarms drawn in.
    """

    def __init__(
        self,
        scope: Construct,
        id: str,  # noqa: A002
        *,
        config: StageConfig,
        data: DataStack,
        service: ServiceStack,
    ) -> None:
        """Declares the monitoring of one stage."""
        super().__init__(scope, id, description=f"Tallyboard {config.name}: monitoring")
        self._config = config
        self._service = service
        self._metrics = Metrics(config, data, service)
        self._signals = Signals(self._metrics, hottest_rule(config))
        log_group = service.functions[names.COUNT].function.log_group
        hottest = HottestItems(self, "HottestItems", config=config, log_group=log_group)
        self.topics = Topics(self, "Topics")
        self.alarms = Alarms(
            self, "Alarms", config=config, topics=self.topics, watches=self._watches()
        )
        self.alarms.node.add_dependency(hottest)
        drawn = Drawn(
            stack=self,
            data=data,
            service=service,
            metrics=self._metrics,
            signals=self._signals,
            hottest_rule=hottest_rule(config),
        )
        self.dashboards = Dashboards(
            self, "Dashboards", config=config, drawn=drawn, watches=self.alarms.watches
        )

    def _watches(self) -> Iterator[Watch]:
        signals, config = self._signals, self._config
        yield from share_watches(signals, config)
        yield from lag_watches(signals)
        yield from loss_watches(signals)
        yield from throttle_watches(signals, self._metrics.capacities)
        yield from error_watches(signals)
        yield from latency_watches(signals)
        yield from width_watches(signals, config)
        yield from function_watches(signals, self._timeouts(), SCHEDULED)
        yield from schedule_watches(signals, SCHEDULED)

    def _timeouts(self) -> dict[str, Duration]:
        found = {}
        for name, built in self._service.functions.items():
            timeout = built.function.timeout
            if timeout is None:  # pragma: no cover - the type allows it, `ServiceFunction` does not
                raise ValueError(f"the {name} function has no timeout")
            found[name] = timeout
        return found
