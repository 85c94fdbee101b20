"""The dashboards of a stage: are players served, and is counting keeping up, with whom hot?"""

from collections.abc import Mapping
from typing import Final

from aws_cdk import Duration
from aws_cdk import aws_cloudwatch as cloudwatch
from constructs import Construct

from stacks.monitoring.alarm import Watch
from stacks.monitoring.counting_widgets import counting_rows
from stacks.monitoring.drawn import Drawn
from stacks.monitoring.service_widgets import service_rows
from stacks.stages import StageConfig

_SHOWN: Final = Duration.hours(3)


class Dashboards(Construct):
    """Both dashboards, named by stage: names are unique in an account.

    Attributes:
        service: Whether players are served.
        counting: Whether counting keeps up, and which items are hot.
    """

    def __init__(
        self,
        scope: Construct,
        id: str,  # noqa: A002
        *,
        config: StageConfig,
        drawn: Drawn,
        watches: Mapping[str, Watch],
    ) -> None:
        """Declares them.

        Args:
            scope: The stack.
            id: The construct's id.
            config: The stage.
            drawn: What they draw.
            watches: The alarms by name, whose thresholds they show.
        """
        super().__init__(scope, id)
        self._config = config
        self.service = self._dashboard("service", service_rows(drawn, watches))
        self.counting = self._dashboard("counting", counting_rows(drawn, watches))

    def _dashboard(self, name: str, rows: list[list[cloudwatch.IWidget]]) -> cloudwatch.Dashboard:
        return cloudwatch.Dashboard(
            self,
            name.capitalize(),
            dashboard_name=f"Tallyboard-{self._config.name}-{name}",
            default_interval=_SHOWN,
            # A graph over hours would else widen minutes to five, past which no threshold holds.
            period_override=cloudwatch.PeriodOverride.INHERIT,
            widgets=rows,
        )
