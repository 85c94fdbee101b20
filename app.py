"""The CDK application: one stage, named by the context, and its stacks. Looks nothing up."""

import sys

from aws_cdk import App

from stacks.data_stack import DataStack
from stacks.monitoring_stack import MonitoringStack
from stacks.service_stack import ServiceStack
from stacks.stages import StageConfig, UnknownStageError, stage_config


def add_stacks(app: App, config: StageConfig) -> tuple[DataStack, ServiceStack]:
    """Adds the stacks of one stage to an app; returns those that every stage has."""
    data = DataStack(app, f"Tallyboard-{config.name}-Data", config=config)
    service = ServiceStack(app, f"Tallyboard-{config.name}-Service", config=config, data=data)
    if config.monitored:
        name = f"Tallyboard-{config.name}-Monitoring"
        MonitoringStack(app, name, config=config, data=data, service=service)
    return data, service


def main() -> None:
    """Synthesizes the stage that `-c stage=<name>` names."""
    app = App(analytics_reporting=False)
    try:
        config = stage_config(app.node.try_get_context("stage"))
    except UnknownStageError as error:
        sys.exit(str(error))
    add_stacks(app, config)
    app.synth()


if __name__ == "__main__":
    main()
